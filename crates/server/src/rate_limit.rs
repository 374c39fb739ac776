//! Token buckets: a rate, and how much of it each of many callers has used. This module knows neither HTTP
//! nor the clock.
//!
//! The algorithm is GCRA, the token bucket without a timer: all that is kept of a caller is the moment at
//! which its bucket will be full again.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most callers that are remembered in each of the two generations.
const CALLERS: usize = 1 << 15;
/// The longest window, in seconds.
const LONGEST_WINDOW: u32 = 86_400;

/// So many requests in a window: the size of a token bucket, and the time in which an empty one fills.
///
/// As text: `600/60`, which is 600 requests in 60 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    requests: NonZeroU32,
    seconds: NonZeroU32,
}

/// A text that is no [`RateLimit`].
#[derive(Debug, thiserror::Error)]
#[error(
    "found `{0}`, expected requests and seconds, such as 600/60 (at most {LONGEST_WINDOW} seconds)"
)]
pub struct InvalidRateLimit(String);

impl RateLimit {
    /// A rate; `None` if the window is longer than a day.
    #[must_use]
    pub const fn new(requests: NonZeroU32, seconds: NonZeroU32) -> Option<Self> {
        if seconds.get() > LONGEST_WINDOW {
            return None;
        }
        Some(Self { requests, seconds })
    }

    /// The requests of a full bucket.
    #[must_use]
    pub fn requests(self) -> u32 {
        self.requests.get()
    }

    /// The window in seconds.
    #[must_use]
    pub fn seconds(self) -> u32 {
        self.seconds.get()
    }

    /// The time in which one request is refilled, in nanoseconds; at least 1.
    fn interval(self) -> u64 {
        let window = u64::from(self.seconds()) * 1_000_000_000;
        (window / u64::from(self.requests())).max(1)
    }
}

impl FromStr for RateLimit {
    type Err = InvalidRateLimit;

    fn from_str(text: &str) -> Result<Self, InvalidRateLimit> {
        let parts = text.split_once('/');
        let rate = parts.and_then(|(requests, seconds)| {
            Self::new(requests.trim().parse().ok()?, seconds.trim().parse().ok()?)
        });
        rate.ok_or_else(|| InvalidRateLimit(text.to_owned()))
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.requests, self.seconds)
    }
}

/// What a caller has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    /// Requests that are accepted at once.
    pub(crate) remaining: u64,
    /// Until the bucket is full.
    pub(crate) full_in: Duration,
}

/// A bucket for each caller.
///
/// The memory is bounded: callers are kept in two generations, and when the newer one is full the older one
/// is dropped. A caller who goes on is moved to the newer one, so only callers that are followed by 32,768
/// others get a full bucket early.
pub(crate) struct Buckets<K> {
    generations: Mutex<Generations<K>>,
}

struct Generations<K> {
    /// When the bucket of a caller is full, in nanoseconds.
    newer: HashMap<K, u64>,
    older: HashMap<K, u64>,
}

impl<K> Default for Buckets<K> {
    fn default() -> Self {
        Self {
            generations: Mutex::new(Generations {
                newer: HashMap::new(),
                older: HashMap::new(),
            }),
        }
    }
}

impl<K: Hash + Eq> Buckets<K> {
    /// Takes a request from the bucket of a caller; otherwise how long to wait for the next one. `now` is a
    /// monotonic time.
    pub(crate) fn take<Q>(&self, caller: &Q, rate: RateLimit, now: Duration) -> Result<(), Duration>
    where
        Q: ?Sized + Hash + Eq + ToOwned<Owned = K>,
        K: Borrow<Q>,
    {
        let now = nanos(now);
        let capacity = rate.interval() * u64::from(rate.requests());
        let mut generations = self.generations();
        let mut full_at = generations.full_at(caller, now);
        if full_at > now + capacity {
            // It was emptied at another, slower rate.
            full_at = now + capacity;
            generations.put(caller, full_at);
        }
        let full_at = full_at + rate.interval();
        if full_at > now + capacity {
            return Err(Duration::from_nanos(full_at - now - capacity));
        }
        generations.put(caller, full_at);
        Ok(())
    }

    /// What a caller has left.
    pub(crate) fn quota<Q>(&self, caller: &Q, rate: RateLimit, now: Duration) -> Quota
    where
        Q: ?Sized + Hash + Eq,
        K: Borrow<Q>,
    {
        let now = nanos(now);
        let capacity = rate.interval() * u64::from(rate.requests());
        let used = self.generations().full_at(caller, now) - now;
        Quota {
            remaining: capacity.saturating_sub(used) / rate.interval(),
            full_in: Duration::from_nanos(used),
        }
    }

    fn generations(&self) -> MutexGuard<'_, Generations<K>> {
        // Each change is complete in itself, so a panic of another thread leaves the state valid.
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq> Generations<K> {
    fn full_at<Q: ?Sized + Hash + Eq>(&self, caller: &Q, now: u64) -> u64
    where
        K: Borrow<Q>,
    {
        let full_at = self.newer.get(caller).or_else(|| self.older.get(caller));
        full_at.map_or(now, |full_at| now.max(*full_at))
    }

    fn put<Q>(&mut self, caller: &Q, full_at: u64)
    where
        Q: ?Sized + Hash + Eq + ToOwned<Owned = K>,
        K: Borrow<Q>,
    {
        if let Some(known) = self.newer.get_mut(caller) {
            *known = full_at;
            return;
        }
        if self.newer.len() >= CALLERS {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(caller.to_owned(), full_at);
    }
}

fn nanos(time: Duration) -> u64 {
    // A monotonic clock overflows after 584 years.
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> RateLimit {
        text.parse().expect(text)
    }

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_rate_is_requests_and_seconds() {
        assert_eq!(
            (rate("600/60").requests(), rate("600 / 60").seconds()),
            (600, 60)
        );
        for wrong in ["", "600", "0/60", "600/0", "-1/60", "600/60s", "1/86401"] {
            let error = wrong.parse::<RateLimit>().expect_err(wrong);
            assert!(error.to_string().contains("such as 600/60"), "{error}");
        }
    }

    #[test]
    fn a_bucket_empties_at_once_and_fills_evenly() {
        let (buckets, rate) = (Buckets::<String>::default(), rate("3/60"));
        let take = |now| buckets.take("a", rate, seconds(now));
        let quota = |now| buckets.quota("a", rate, seconds(now));
        let of = |remaining, full_in| Quota {
            remaining,
            full_in: seconds(full_in),
        };
        assert_eq!(quota(1000), of(3, 0));
        assert_eq!([take(1000), take(1000), take(1000)], [Ok(()); 3]);
        assert_eq!(quota(1000), of(0, 60));
        assert_eq!(take(1000), Err(seconds(20)));
        // A refused request costs nothing.
        assert_eq!(take(1019), Err(seconds(1)));
        assert_eq!(buckets.take("b", rate, seconds(1019)), Ok(()));
        assert_eq!(take(1020), Ok(()));
        assert_eq!(take(1020), Err(seconds(20)));
        assert_eq!(quota(1050), of(1, 30));
        assert_eq!(quota(9000), of(3, 0));
    }

    #[test]
    fn a_rate_that_changes_applies_at_once() {
        let buckets = Buckets::<String>::default();
        let (slow, fast) = (rate("1/3600"), rate("60/60"));
        assert_eq!(buckets.take("a", slow, seconds(0)), Ok(()));
        assert_eq!(buckets.take("a", fast, seconds(0)), Err(seconds(1)));
        assert_eq!(buckets.take("a", fast, seconds(1)), Ok(()));
    }

    #[test]
    fn callers_are_forgotten_only_after_many_others() {
        let (buckets, rate) = (Buckets::<u32>::default(), rate("1/60"));
        let take = |caller: u32| buckets.take(&caller, rate, seconds(0)).is_ok();
        let many = u32::try_from(CALLERS).expect("some");
        assert!(take(0));
        assert!((1..many).all(take));
        // The next generation begins, and the one before it still counts.
        assert!((many..2 * many).all(take) && !take(0) && !take(many));
        let generations = buckets.generations();
        assert!(generations.newer.len() + generations.older.len() <= 2 * CALLERS);
        drop(generations);
        assert!(take(2 * many) && take(0) && !take(many));
    }
}
