//! The deadline of a call. Callers decide what happens when it has passed.

use std::time::Duration;

use crate::runtime::{Instant, timeout_at};

/// When a call must end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    /// `None` for a limit beyond the range of the clock.
    end: Option<Instant>,
    limit: Duration,
}

impl Deadline {
    /// A deadline this long from now.
    pub(crate) fn after(limit: Duration) -> Self {
        // `Duration::MAX` is a way to say "no limit", and adding it to an instant would panic.
        Self {
            end: Instant::now().checked_add(limit),
            limit,
        }
    }

    /// How long the call may take, from its begin.
    pub(crate) fn timeout(self) -> Duration {
        self.limit
    }

    /// How long the call may still take.
    pub(crate) fn remaining(self) -> Duration {
        self.end.map_or(Duration::MAX, |end| {
            end.saturating_duration_since(Instant::now())
        })
    }

    /// Whether the deadline passes before a wait this long ends.
    pub(crate) fn ends_within(self, wait: Duration) -> bool {
        self.end.is_some() && self.remaining() <= wait
    }

    /// Runs the work; `None` if the deadline passed first.
    pub(crate) async fn limit<T>(self, work: impl Future<Output = T>) -> Option<T> {
        match self.end {
            Some(end) => timeout_at(end, work).await.ok(),
            None => Some(work.await),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_and_no_wait_overflows() {
        let minute = Duration::from_secs(60);
        assert!(!Deadline::after(Duration::MAX).ends_within(Duration::MAX));
        assert!(Deadline::after(minute).ends_within(Duration::MAX));
        assert!(Deadline::after(minute).ends_within(minute));
        assert!(!Deadline::after(minute).ends_within(minute / 2));
    }
}
