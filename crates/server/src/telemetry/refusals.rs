//! The lines of the log about refused requests: some in each second, and a summary of the others. Anybody can
//! send requests that are refused, as fast as the network allows, and must not fill a disk with them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;

/// The period in which lines are counted.
const PERIOD: Duration = Duration::from_secs(1);

/// Decides which refused requests are logged.
#[derive(Debug)]
pub(crate) struct RefusalLog {
    /// What is refused, in the plural.
    what: &'static str,
    /// The most lines in a period.
    most: u32,
    /// The current period; `None` until something is refused.
    period: Arc<Mutex<Option<Period>>>,
}

#[derive(Debug, Default)]
struct Period {
    logged: u32,
    /// What was not logged, by status.
    counted: BTreeMap<u16, u64>,
}

impl RefusalLog {
    /// A log that takes `most` lines a second.
    pub(crate) fn new(what: &'static str, most: u32) -> Self {
        Self {
            what,
            most,
            period: Arc::default(),
        }
    }

    /// Whether a refused request may be logged. Otherwise it is counted for the summary at the end of the
    /// period.
    pub(crate) fn permit(&self, status: StatusCode) -> bool {
        let mut current = self.period.lock().unwrap_or_else(PoisonError::into_inner);
        let period = current.get_or_insert_with(|| {
            self.end_later();
            Period::default()
        });
        let is_logged = period.logged < self.most;
        if is_logged {
            period.logged += 1;
        } else {
            *period.counted.entry(status.as_u16()).or_default() += 1;
        }
        is_logged
    }

    fn end_later(&self) {
        let (what, period) = (self.what, Arc::clone(&self.period));
        tokio::spawn(async move {
            tokio::time::sleep(PERIOD).await;
            end(what, &period);
        });
    }

    /// Ends the current period at once, when the service stops.
    pub(crate) fn end_now(&self) {
        end(self.what, &self.period);
    }
}

fn end(what: &str, period: &Mutex<Option<Period>>) {
    let ended = period.lock().unwrap_or_else(PoisonError::into_inner).take();
    let counted = ended.unwrap_or_default().counted;
    if counted.is_empty() {
        return;
    }
    let count: u64 = counted.values().sum();
    let mut statuses = String::new();
    for (status, count) in counted {
        let separator = if statuses.is_empty() { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(statuses, "{separator}{status}: {count}");
    }
    tracing::warn!(target: "obeya::access", what, count, statuses, "refused without a line for each");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_not_logged_is_counted_until_the_period_ends() {
        let log = RefusalLog::new("requests", 2);
        let unauthorized = StatusCode::UNAUTHORIZED;
        let permit = |times: u32, status| {
            let permits = (0..times).map(|_| log.permit(status));
            permits.filter(|is_logged| *is_logged).count()
        };
        assert_eq!(permit(5, unauthorized), 2);
        assert_eq!(permit(1, StatusCode::NOT_FOUND), 0);
        let period = log.period.lock().expect("sound").take().expect("begun");
        assert_eq!(period.counted, BTreeMap::from([(401, 3), (404, 1)]));
        assert_eq!(permit(3, unauthorized), 2);
    }
}
