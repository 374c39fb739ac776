//! The address of a request's client: that of the connection, or behind trusted proxies the one that they
//! report.
//!
//! A client can send any header, so only the part of it that a trusted proxy has appended counts: the list is
//! read from its end, for as long as the address that reported an entry is that of a trusted proxy. Only the
//! configured one of the two headers is read: a proxy that writes one of them usually passes the other one on
//! as the client sent it.

use std::net::{IpAddr, SocketAddr};

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::config::{Config, ForwardedHeader};

/// The client's address, as a request extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// Where a trusted proxy hides the address of its client: that of the proxy.
    pub(crate) address: IpAddr,
    /// Whether a trusted proxy hides the address of its client.
    pub(crate) is_hidden: bool,
}

/// The address of the client of a request, unless a trusted proxy hides it. A network that contains the proxy
/// need not contain its clients.
pub(crate) fn of(head: &Parts) -> Option<IpAddr> {
    let found = head.extensions.get::<ClientAddress>();
    let found = found.filter(|found| !found.is_hidden);
    found.map(|found| found.address)
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of the client of a request that came over a connection from `peer`.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, config: &Config) -> ClientAddress {
    let mut found = ClientAddress {
        address: peer.to_canonical(),
        is_hidden: false,
    };
    if config.trusted_proxies.is_empty() {
        return found;
    }
    let (name, entry): (_, fn(&str) -> Option<IpAddr>) = match config.forwarded_header {
        ForwardedHeader::XForwardedFor => (X_FORWARDED_FOR, node),
        ForwardedHeader::Forwarded => (http::header::FORWARDED, forwarded),
    };
    // Without regard to quotation marks: the client could open a quotation before the entry of the proxy, and
    // no address contains a comma.
    let values = headers.get_all(name).iter().rev();
    let entries =
        values.flat_map(|value: &HeaderValue| value.as_bytes().rsplit(|byte| *byte == b','));
    for text in entries {
        if !config.is_trusted_proxy(found.address) {
            break;
        }
        // Each entry on its own: the client may have sent bytes that are no text, before the entry of the
        // proxy.
        match entry(&String::from_utf8_lossy(text)) {
            Some(reported) => found.address = reported,
            // The proxy does not know it, or hides it.
            None => {
                found.is_hidden = true;
                break;
            }
        }
    }
    found
}

/// The address of an element of `Forwarded` (RFC 7239, 4).
fn forwarded(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    node(value.trim().trim_matches('"'))
}

/// An address with or without a port; one of IPv6 may be in brackets.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text.parse().ok();
    let address = address.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    let address = address.or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(header: ForwardedHeader, peer: &str, lines: &[(&str, &str)]) -> String {
        let mut config = Config::new("sqlite:x");
        config.forwarded_header = header;
        config.trusted_proxies = vec![
            "10.0.0.0/8".parse().expect("a network"),
            "::1".parse().expect("a network"),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
            headers.append(name, HeaderValue::from_str(value).expect("a value"));
        }
        let peer = peer.parse().expect("an address");
        let ClientAddress { address, is_hidden } = client_address(peer, &headers, &config);
        let hidden = if is_hidden { "hidden by " } else { "" };
        format!("{hidden}{address}")
    }

    #[test]
    fn only_what_a_trusted_proxy_appended_counts() {
        let of = |peer, value| {
            found(
                ForwardedHeader::XForwardedFor,
                peer,
                &[("x-forwarded-for", value)],
            )
        };
        assert_eq!(of("192.0.2.1", "198.51.100.7"), "192.0.2.1");
        assert_eq!(of("10.0.0.1", "198.51.100.7"), "198.51.100.7");
        assert_eq!(of("::ffff:10.0.0.1", "198.51.100.7"), "198.51.100.7");
        assert_eq!(of("10.0.0.1", "203.0.113.9, 198.51.100.7"), "198.51.100.7");
        // Two proxies, and what the client claimed before.
        assert_eq!(
            of("10.0.0.1", "203.0.113.9, 198.51.100.7:4711, 10.0.0.2"),
            "198.51.100.7"
        );
        assert_eq!(of("::1", "[2001:db8::7]:4711"), "2001:db8::7");
        assert_eq!(of("::1", "2001:db8::7"), "2001:db8::7");
        for unknown in ["", "unknown", "198.51.100.7, unknown", "198.51.100.7,"] {
            assert_eq!(of("10.0.0.1", unknown), "hidden by 10.0.0.1", "{unknown}");
        }
        assert_eq!(of("10.0.0.1", "unknown, 10.0.0.2"), "hidden by 10.0.0.2");
    }

    /// Nothing is hidden by a proxy that calls for itself.
    #[test]
    fn without_the_header_the_connection_counts() {
        assert_eq!(
            found(ForwardedHeader::XForwardedFor, "10.0.0.1", &[]),
            "10.0.0.1"
        );
    }

    /// nginx appends its entry to the line of the client, whatever that contains.
    #[test]
    fn bytes_of_the_client_that_are_no_text_hide_no_entry_of_a_proxy() {
        let mut config = Config::new("sqlite:x");
        config.trusted_proxies = vec!["10.0.0.0/8".parse().expect("a network")];
        let of = |value: &[u8]| {
            let value = HeaderValue::from_bytes(value).expect("a value");
            let headers = HeaderMap::from_iter([(X_FORWARDED_FOR, value)]);
            client_address(IpAddr::from([10, 0, 0, 1]), &headers, &config)
        };
        let expected = ClientAddress {
            address: IpAddr::from([198, 51, 100, 7]),
            is_hidden: false,
        };
        assert_eq!(of(b"\xff, 198.51.100.7"), expected);
        assert_eq!(of(b"203.0.113.9\xff, 198.51.100.7, 10.0.0.2"), expected);
        let hidden = ClientAddress {
            address: IpAddr::from([10, 0, 0, 1]),
            is_hidden: true,
        };
        assert_eq!(of(b"198.51.100.7, \xff"), hidden);
    }

    #[test]
    fn a_hidden_address_is_in_no_network() {
        for (is_hidden, expected) in [(false, Some(IpAddr::from([10, 0, 0, 1]))), (true, None)] {
            let (mut head, ()) = http::Request::new(()).into_parts();
            head.extensions.insert(ClientAddress {
                address: IpAddr::from([10, 0, 0, 1]),
                is_hidden,
            });
            assert_eq!(of(&head), expected);
        }
    }

    /// A proxy may also append a line of its own.
    #[test]
    fn the_lines_of_a_header_are_one_list() {
        let lines = [
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-for", "198.51.100.7"),
            ("x-forwarded-for", "10.0.0.2"),
        ];
        let address = found(ForwardedHeader::XForwardedFor, "10.0.0.1", &lines);
        assert_eq!(address, "198.51.100.7");
    }

    /// The forms are those of RFC 7239, sections 4 and 6.
    #[test]
    fn the_standard_header_is_read_where_it_is_configured() {
        let of = |value| {
            found(
                ForwardedHeader::Forwarded,
                "10.0.0.1",
                &[("forwarded", value), ("x-forwarded-for", "203.0.113.9")],
            )
        };
        assert_eq!(
            of("for=192.0.2.60;proto=http;by=203.0.113.43"),
            "192.0.2.60"
        );
        assert_eq!(of(r#"For="[2001:db8:cafe::17]:4711""#), "2001:db8:cafe::17");
        assert_eq!(of("for=192.0.2.43, for=198.51.100.17"), "198.51.100.17");
        // The client opened a quotation to hide what the proxy appends.
        assert_eq!(
            of(r#"for="203.0.113.9, for=198.51.100.17"#),
            "198.51.100.17"
        );
        for unknown in ["for=unknown", "for=_hidden", "proto=https", "for"] {
            assert_eq!(of(unknown), "hidden by 10.0.0.1", "{unknown}");
        }
        let spoofed = found(
            ForwardedHeader::XForwardedFor,
            "10.0.0.1",
            &[
                ("forwarded", "for=203.0.113.9"),
                ("x-forwarded-for", "198.51.100.7"),
            ],
        );
        assert_eq!(spoofed, "198.51.100.7");
    }
}
