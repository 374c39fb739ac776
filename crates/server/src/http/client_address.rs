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
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

/// The address of the client of a request.
pub(crate) fn of(head: &Parts) -> Option<IpAddr> {
    head.extensions.get().map(|ClientAddress(address)| *address)
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of the client of a request that came over a connection from `peer`.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, config: &Config) -> IpAddr {
    let mut address = peer.to_canonical();
    if config.trusted_proxies.is_empty() {
        return address;
    }
    let (name, entry): (_, fn(&str) -> Option<IpAddr>) = match config.forwarded_header {
        ForwardedHeader::XForwardedFor => (X_FORWARDED_FOR, node),
        ForwardedHeader::Forwarded => (http::header::FORWARDED, forwarded),
    };
    // Without regard to quotation marks: the client could open a quotation before the entry of the proxy, and
    // no address contains a comma.
    let values = headers.get_all(name).iter().rev();
    let entries = values.flat_map(|value: &HeaderValue| value.to_str().unwrap_or("").rsplit(','));
    for reported in entries.map(entry) {
        if !config.is_trusted_proxy(address) {
            break;
        }
        match reported {
            Some(reported) => address = reported,
            // The proxy does not know it, or hides it.
            None => break,
        }
    }
    address
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
        client_address(peer.parse().expect("an address"), &headers, &config).to_string()
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
            assert_eq!(of("10.0.0.1", unknown), "10.0.0.1", "{unknown}");
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
            assert_eq!(of(unknown), "10.0.0.1", "{unknown}");
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
