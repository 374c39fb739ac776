//! Metrics for Prometheus, and helpers for the log. Log lines are written where events happen, through
//! `tracing`.

mod metrics;
mod observed;
mod process;
mod prometheus_text;
mod refusals;

use std::any::Any;
use std::borrow::Cow;

pub(crate) use metrics::{Evictions, Metrics, OpenConnections};
pub(crate) use observed::{MemoryUse, Observed};
pub(crate) use process::resident_bytes;
pub(crate) use prometheus_text::prometheus_text;
pub(crate) use refusals::RefusalLog;

/// The most bytes of a path in a log line.
pub(crate) const LOGGED_PATH_BYTES: usize = 256;
/// The most bytes of a method, which may be any token.
pub(crate) const LOGGED_METHOD_BYTES: usize = 16;

/// Shortens a client's text for a log line to `most` bytes: the beginning of a longer text, and its length.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = (0..=most).rev().find(|&end| text.is_char_boundary(end));
    let beginning = &text[..end.unwrap_or(0)];
    Cow::Owned(format!("{beginning}… ({} bytes)", text.len()))
}

/// The message of a panic, for the log; empty if it has none.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_where_a_character_ends_and_says_so() {
        assert_eq!(shortened("/v2/areas", 9), "/v2/areas");
        assert_eq!(shortened("/v2/areas", 8), "/v2/area… (9 bytes)");
        // In UTF-8 ø has 2 bytes and 世 has 3.
        assert_eq!(shortened("ø世x", 5), "ø世… (6 bytes)");
        assert_eq!(shortened("ø世x", 4), "ø… (6 bytes)");
        assert_eq!(shortened("ø世x", 0), "… (6 bytes)");
    }
}
