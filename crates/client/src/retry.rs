//! Decides whether to retry, and after which delay: a pure function of the failure.
//!
//! Exponential backoff with full jitter; a `Retry-After` is obeyed exactly, or ends the call. Nothing here
//! sleeps or does I/O; the transport does.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// The retry settings; set by [`ClientBuilder`](crate::ClientBuilder).
#[derive(Clone, Debug)]
pub(crate) struct RetryPolicy {
    /// The maximum number of retries.
    pub(crate) max_retries: u32,
    /// The upper bound of the first delay; doubled for each further one.
    pub(crate) first_wait: Duration,
    /// The maximum upper bound of a delay.
    pub(crate) max_wait: Duration,
    /// The longest `Retry-After` to wait for. A longer one ends the call: an earlier retry would be refused
    /// again, and callers should not be blocked for an hour.
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

/// The header with which a service applies a write once, however often it is sent.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A unique key for one call: 128 random bits.
pub(crate) fn new_key() -> HeaderValue {
    HeaderValue::try_from(format!("\"{:032x}\"", fastrand::u128(..)))
        .expect("hexadecimal digits fit any header")
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttemptFailure<'a> {
    /// No connection: the request was not sent.
    Connect,
    /// The connection broke after the request was sent: it may have been applied.
    Broken,
    /// The service responded with this status, these headers and this problem code, if any.
    Status(StatusCode, &'a HeaderMap, Option<&'a str>),
}

impl RetryPolicy {
    /// The delay before the next attempt, or `None` to give up.
    ///
    /// `is_idempotent`: applying the request twice has the same effect as once; `retries`: those already
    /// made; `jitter`: a random number in `0..1`.
    pub(crate) fn wait(
        &self,
        is_idempotent: bool,
        retries: u32,
        failure: AttemptFailure<'_>,
        jitter: f64,
    ) -> Option<Duration> {
        if retries >= self.max_retries || !may_repeat(is_idempotent, failure) {
            return None;
        }
        if let AttemptFailure::Status(_, headers, _) = failure
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

impl AttemptFailure<'_> {
    /// Whether the request may have been applied despite the failure.
    ///
    /// A 503 alone does not tell: a proxy may have forwarded the request, and a service that sends it after a
    /// timeout may still commit the write. The problem code tells.
    pub(crate) fn may_have_been_applied(self) -> bool {
        match self {
            Self::Connect => false,
            Self::Broken => true,
            Self::Status(status, _, code) => match status.as_u16() {
                502 | 504 => true,
                503 => code != Some(UNAVAILABLE),
                _ => false,
            },
        }
    }
}

/// The problem code of a 503 that our service sends only if nothing was changed.
const UNAVAILABLE: &str = "unavailable";

/// A request that is not idempotent is retried only if it cannot have been applied: the service was not
/// reached, or refused it.
fn may_repeat(is_idempotent: bool, failure: AttemptFailure<'_>) -> bool {
    let passing = match failure {
        AttemptFailure::Connect | AttemptFailure::Broken => true,
        AttemptFailure::Status(status, ..) => matches!(status.as_u16(), 429 | 502 | 503 | 504),
    };
    passing && (is_idempotent || !failure.may_have_been_applied())
}

/// `Retry-After` (RFC 9110, 10.2.3): whole seconds, or an HTTP date relative to the response's `Date`, if
/// present, so that a wrong local clock does not matter. A past date means no delay.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers
        .get(http::header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // A number beyond u64 is valid too, and longer than any limit.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = http_date(text)?;
    let now = headers
        .get(http::header::DATE)
        .and_then(|value| http_date(value.to_str().ok()?))
        .unwrap_or_else(jiff::Timestamp::now);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// The only date format that servers may still send: `Sun, 06 Nov 1994 08:49:37 GMT`.
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
        let repeats =
            |is_idempotent, failure| policy.wait(is_idempotent, 0, failure, 0.5).is_some();
        let answer = |status, code| {
            AttemptFailure::Status(StatusCode::from_u16(status).unwrap(), &none, code)
        };
        let status = |status| answer(status, None);
        assert!(repeats(true, AttemptFailure::Connect));
        assert!(repeats(true, AttemptFailure::Broken));
        for code in [429, 502, 503, 504] {
            assert!(repeats(true, status(code)), "{code}");
        }
        assert!(repeats(false, AttemptFailure::Connect));
        assert!(repeats(false, status(429)));
        // A 503 says that nothing happened only by this code; after `timeout` the write may go on.
        assert!(repeats(false, answer(503, Some("unavailable"))));
        for code in [Some("timeout"), None] {
            assert!(!repeats(false, answer(503, code)), "{code:?}");
            assert!(repeats(true, answer(503, code)), "{code:?}");
        }
        assert!(!repeats(false, AttemptFailure::Broken));
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
                .wait(true, retries, AttemptFailure::Connect, jitter)
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
                AttemptFailure::Status(StatusCode::TOO_MANY_REQUESTS, &headers, None),
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
