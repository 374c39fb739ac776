//! When to try again, and after how long: a pure function of what happened.
//!
//! Full jitter on an exponential ceiling spreads clients that failed together; a `Retry-After` is obeyed to
//! the second or not at all. Waiting and sending are the transport's job: nothing here sleeps or does I/O.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// The rules; [`ClientBuilder`](crate::ClientBuilder) sets the numbers.
#[derive(Clone, Debug)]
pub(crate) struct RetryPolicy {
    /// Tries after the first one.
    pub(crate) max_retries: u32,
    /// Ceiling of the first wait; doubled for each further one.
    pub(crate) first_wait: Duration,
    /// Largest ceiling of a wait that we choose ourselves.
    pub(crate) max_wait: Duration,
    /// Longest `Retry-After` that is waited out. A longer one ends the call: coming back earlier than asked
    /// would only be refused again, and blocking a caller for an hour serves nobody.
    pub(crate) max_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 2,
            first_wait: Duration::from_millis(500),
            max_wait: Duration::from_secs(8),
            max_retry_after: Duration::from_secs(60),
        }
    }
}

/// The header under which a service does a write once, however often it is sent.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A key for one call, which no other has: 128 random bits.
pub(crate) fn new_key() -> HeaderValue {
    HeaderValue::try_from(format!("\"{:032x}\"", fastrand::u128(..)))
        .expect("hexadecimal digits fit any header")
}

/// What went wrong with one try.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault<'a> {
    /// No connection was made: the request was never sent.
    Connect,
    /// The connection broke after the request went out: it may or may not have been carried out.
    Broken,
    /// The service answered with this status, these headers and a problem of this code, if it had one.
    Status(StatusCode, &'a HeaderMap, Option<&'a str>),
}

impl RetryPolicy {
    /// How long to wait before the next try, or `None` to give up.
    ///
    /// `is_harmless` says that being carried out twice is the same as once; `retries` counts those already
    /// made; `jitter` is a random number in `0..1`.
    pub(crate) fn wait(
        &self,
        is_harmless: bool,
        retries: u32,
        fault: Fault<'_>,
        jitter: f64,
    ) -> Option<Duration> {
        if retries >= self.max_retries || !may_repeat(is_harmless, fault) {
            return None;
        }
        if let Fault::Status(_, headers, _) = fault
            && let Some(asked) = retry_after(headers)
        {
            return (asked <= self.max_retry_after).then_some(asked);
        }
        let ceiling = self
            .first_wait
            .saturating_mul(1_u32.checked_shl(retries).unwrap_or(u32::MAX))
            .min(self.max_wait);
        Some(ceiling.mul_f64(jitter))
    }
}

impl Fault<'_> {
    /// Whether the request may have been carried out all the same.
    ///
    /// A 503 alone does not tell: a proxy's does not say whether it had passed the request on, and a service
    /// that sends one when the time of a request is over may still commit the write. Its code tells.
    pub(crate) fn leaves_open(self) -> bool {
        match self {
            Self::Connect => false,
            Self::Broken => true,
            Self::Status(status, _, code) => match status.as_u16() {
                502 | 504 => true,
                503 => code != Some(NOT_TAKEN),
                _ => false,
            },
        }
    }
}

/// The problem code of a 503 that our service sends only where nothing was changed.
const NOT_TAKEN: &str = "unavailable";

/// What would do harm if it were carried out twice is repeated only where it can't have been carried out: the
/// service was never reached, or said that it did not take the request.
fn may_repeat(is_harmless: bool, fault: Fault<'_>) -> bool {
    let passing = match fault {
        Fault::Connect | Fault::Broken => true,
        Fault::Status(status, ..) => matches!(status.as_u16(), 429 | 502 | 503 | 504),
    };
    passing && (is_harmless || !fault.leaves_open())
}

/// `Retry-After` (RFC 9110, 10.2.3): whole seconds, or an HTTP date, which is measured against the answer's
/// own `Date` where there is one so that a wrong local clock doesn't matter. A past date is no wait.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers
        .get(http::header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than a u64 holds is still an answer: longer than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = http_date(text)?;
    let now = headers
        .get(http::header::DATE)
        .and_then(|value| http_date(value.to_str().ok()?))
        .unwrap_or_else(jiff::Timestamp::now);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// The one form servers may still send: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<jiff::Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[test]
    fn a_call_is_repeated_only_where_that_is_safe() {
        let policy = RetryPolicy::default();
        let none = HeaderMap::new();
        let repeats = |is_harmless, fault| policy.wait(is_harmless, 0, fault, 0.5).is_some();
        let answer =
            |status, code| Fault::Status(StatusCode::from_u16(status).unwrap(), &none, code);
        let status = |status| answer(status, None);
        assert!(repeats(true, Fault::Connect));
        assert!(repeats(true, Fault::Broken));
        for code in [429, 502, 503, 504] {
            assert!(repeats(true, status(code)), "{code}");
        }
        assert!(repeats(false, Fault::Connect));
        assert!(repeats(false, status(429)));
        // A 503 says that nothing happened only by this code; after `timeout` the write may go on.
        assert!(repeats(false, answer(503, Some("unavailable"))));
        for code in [Some("timeout"), None] {
            assert!(!repeats(false, answer(503, code)), "{code:?}");
            assert!(repeats(true, answer(503, code)), "{code:?}");
        }
        assert!(!repeats(false, Fault::Broken));
        assert!(!repeats(false, status(502)));
        assert!(!repeats(false, status(504)));
        for code in [400, 401, 403, 404, 408, 409, 412, 422, 500, 501] {
            assert!(!repeats(true, status(code)), "{code}");
        }
    }

    #[test]
    fn keys_differ() {
        let keys: std::collections::HashSet<_> = (0..1000).map(|_| new_key()).collect();
        assert_eq!(keys.len(), 1000);
        // Two quotes and 32 digits.
        assert!(keys.iter().all(|key| key.len() == 34));
    }

    #[test]
    fn waits_double_up_to_their_ceiling_and_end() {
        let policy = RetryPolicy {
            max_retries: 40,
            ..RetryPolicy::default()
        };
        let wait = |retries, jitter| {
            policy
                .wait(true, retries, Fault::Connect, jitter)
                .map(|wait| wait.as_millis())
        };
        assert_eq!(wait(0, 0.5), Some(250));
        assert_eq!(wait(1, 0.5), Some(500));
        assert_eq!(wait(3, 0.5), Some(2000));
        assert_eq!(wait(4, 0.5), Some(4000));
        assert_eq!(wait(5, 0.5), Some(4000), "the ceiling is 8 s");
        assert_eq!(wait(39, 0.5), Some(4000), "no overflow");
        assert_eq!(wait(0, 0.0), Some(0), "full jitter starts at nothing");
        assert_eq!(wait(40, 0.5), None);
    }

    #[test]
    fn retry_after_is_obeyed_or_ends_the_call() {
        let policy = RetryPolicy::default();
        let wait = |value| {
            let headers = headers(&[("retry-after", value)]);
            policy.wait(
                false,
                0,
                Fault::Status(StatusCode::TOO_MANY_REQUESTS, &headers, None),
                0.5,
            )
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("60"), Some(Duration::from_secs(60)));
        assert_eq!(wait("61"), None);
        assert_eq!(wait("99999999999999999999999"), None);
        assert_eq!(
            wait("soon"),
            Some(Duration::from_millis(250)),
            "not a time: our own wait"
        );
    }

    #[test]
    fn an_http_date_counts_from_the_answers_own_date() {
        // The dates of RFC 9110, 5.6.7, seventeen seconds apart.
        let with_date = headers(&[
            ("date", "Sun, 06 Nov 1994 08:49:20 GMT"),
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]);
        assert_eq!(retry_after(&with_date), Some(Duration::from_secs(17)));
        let past = headers(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]);
        assert_eq!(retry_after(&past), Some(Duration::ZERO));
    }
}
