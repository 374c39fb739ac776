//! How long the service waits for a client that takes its answer slowly: a minimum rate.
//!
//! A client may keep the service waiting for a fixed time. Waiting spends this time, and every byte that the
//! client takes earns some of it back, never more than was spent. So a client that takes nothing is given up
//! after that time, one that takes less than the minimum rate some time later, and a faster one never. Time
//! in which the service itself has nothing to send does not count.
//!
//! The rate is not exactly enforced, as progress is seen in steps: the system reports that it can take more
//! only after it has sent up to 95 KiB. A client that needs longer than the fixed time for one step is given
//! up, although it may take more than the minimum rate: one below about 3.2 kB/s with 30 seconds.

use std::time::Duration;

/// The time that one client may still keep the service waiting.
#[derive(Debug, Clone)]
pub(crate) struct WaitAllowance {
    most: Duration,
    left: Duration,
    /// Bytes that earn a second; 0: each byte earns everything back.
    min_rate: u32,
}

impl WaitAllowance {
    /// All of this time, and the bytes per second that a client must take; 0 for no minimum rate.
    pub(crate) fn new(most: Duration, min_rate: u32) -> Self {
        Self {
            most,
            left: most,
            min_rate,
        }
    }

    /// What is left.
    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// The service has waited.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
    }

    /// The client has taken bytes.
    pub(crate) fn earn(&mut self, bytes: usize) {
        let earned = match self.min_rate {
            0 if bytes == 0 => Duration::ZERO,
            0 => self.most,
            rate => {
                let nanos = bytes as u128 * 1_000_000_000 / u128::from(rate);
                Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
            }
        };
        self.left = self.left.saturating_add(earned).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_client_that_takes_nothing_is_given_up_after_the_whole_time() {
        let mut allowance = WaitAllowance::new(30 * SECOND, 1_000);
        allowance.earn(1_000_000);
        assert_eq!(allowance.left(), 30 * SECOND, "nothing is saved up");
        allowance.spend(29 * SECOND);
        allowance.earn(0);
        assert_eq!(allowance.left(), SECOND);
        allowance.spend(2 * SECOND);
        assert_eq!(allowance.left(), Duration::ZERO);
    }

    /// Takes this much once in 10 seconds; returns how often, at most 1,000 times.
    fn times(bytes: usize, min_rate: u32) -> usize {
        let mut allowance = WaitAllowance::new(30 * SECOND, min_rate);
        let taken = (0..1_000).take_while(|_| {
            let is_in_time = allowance.left() >= 10 * SECOND;
            allowance.spend(10 * SECOND);
            allowance.earn(bytes);
            is_in_time
        });
        taken.count()
    }

    #[test]
    fn only_a_client_below_the_rate_is_given_up() {
        assert_eq!(times(1, 1_000), 3);
        // It loses 5 of 10 seconds each time: 30, 25, 20, 15, 10.
        assert_eq!(times(5_000, 1_000), 5);
        assert_eq!(times(10_000, 1_000), 1_000);
        assert_eq!(times(1, 0), 1_000, "no minimum rate");
    }
}
