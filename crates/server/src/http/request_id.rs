//! The id of a request: the client's `x-request-id` if it is harmless, else a new one; and its trace id.

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};

/// The header, in requests and answers.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const MAX_CHARACTERS: usize = 64;

/// The id of a request, as a request extension of those that may write.
#[derive(Clone)]
pub(crate) struct RequestId(pub(crate) HeaderValue);

/// The id of a request; always printable ASCII.
pub(crate) fn of(headers: &HeaderMap) -> HeaderValue {
    match headers.get(X_REQUEST_ID) {
        Some(given) if is_harmless(given.as_bytes()) => given.clone(),
        _ => fresh(),
    }
}

/// Whether an id looks random: a UUID, or 32 hexadecimal digits as of [`of`]. Another one of a client may
/// name a person, and must not enter the audit log, from which nobody can remove it.
pub(crate) fn is_random(id: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match id.len() {
        32 => is_hex(id),
        36 => {
            let lengths = id.split('-').map(str::len);
            lengths.eq([8, 4, 4, 4, 12]) && id.split('-').all(is_hex)
        }
        _ => false,
    }
}

/// The trace id of a W3C `traceparent`, if the request carries a valid one.
pub(crate) fn trace_of(headers: &HeaderMap) -> Option<&str> {
    let mut parts = headers.get(TRACEPARENT)?.to_str().ok()?.split('-');
    let (version, trace, parent, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_zero = |text: &str| text.bytes().all(|b| b == b'0');
    let known =
        is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    let valid = known
        && is_hex(trace, 32)
        && is_hex(parent, 16)
        && is_hex(flags, 2)
        && !is_zero(trace)
        && !is_zero(parent);
    valid.then_some(trace)
}

/// Only characters that are safe in a log line and in a header of a proxy.
fn is_harmless(id: &[u8]) -> bool {
    (1..=MAX_CHARACTERS).contains(&id.len())
        && id.iter().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'/' | b'+' | b'=')
        })
}

/// 128 random bits in hex. An id needs no protection, so a fast generator suffices.
fn fresh() -> HeaderValue {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut bits = fastrand::u128(..);
    let mut text = [0_u8; 32];
    for character in &mut text {
        *character = HEX[(bits & 15) as usize];
        bits >>= 4;
    }
    HeaderValue::from_bytes(&text).unwrap_or(HeaderValue::from_static("unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_harmless_id_is_kept_and_another_replaced() {
        assert_eq!(of(&with(X_REQUEST_ID, "order-7.a")), "order-7.a");
        for odd in [
            "",
            "a b",
            "<script>",
            "0123456789012345678901234567890123456789012345678901234567890123456789",
        ] {
            let id = of(&with(X_REQUEST_ID, odd));
            assert_eq!(id.len(), 32, "{odd}");
        }
        assert_ne!(of(&HeaderMap::new()), of(&HeaderMap::new()));
    }

    /// The examples of the W3C recommendation "Trace Context", sections 3.2.2 and 3.2.4.
    #[test]
    fn only_a_valid_traceparent_gives_the_trace_id() {
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(
            trace_of(&with(TRACEPARENT, valid)),
            Some("4bf92f3577b34da6a3ce929d0e0e4736")
        );
        for odd in [
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
            "garbage",
        ] {
            assert_eq!(trace_of(&with(TRACEPARENT, odd)), None, "{odd}");
        }
    }
}
