//! Time zones of the IANA database, as the offsets that their clocks have from UTC.
//!
//! The data is that of this program, not of the machine or a database server, so that every engine computes
//! the same. A zone is the same table for all of them: before 1970 and from 2100 on, it has the offset of the
//! first and last entry.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::{TimeZoneDatabase, TimeZoneTransition};

use crate::calendar::{TICKS_PER_DAY, TICKS_PER_SECOND, days_from_civil};

/// The instant from which the changes of clocks are not known.
const END: i64 = days_from_civil(2100, 1, 1) * TICKS_PER_DAY;

/// A time zone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeZone {
    /// Its name, in the spelling of the database.
    pub(crate) name: String,
    /// The instants (ticks) from which each of `offsets` holds, ascending; the first one is `i64::MIN`.
    pub(crate) starts: Vec<i64>,
    /// What the clock is ahead of UTC, in ticks.
    pub(crate) offsets: Vec<i64>,
}

impl TimeZone {
    /// The zone of a name such as `Europe/Oslo`, in any case.
    pub(crate) fn named(name: &str) -> Option<Arc<Self>> {
        // Only existing zones are inserted, so the map is bounded by their number, some 600.
        static KNOWN: LazyLock<Mutex<HashMap<String, Arc<TimeZone>>>> =
            LazyLock::new(Mutex::default);
        static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
        let zone = DATABASE.get(name).ok()?;
        let name = zone.iana_name()?.to_owned();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let zone = known
            .entry(name.clone())
            .or_insert_with(|| Arc::new(Self::of(name, &zone)));
        Some(Arc::clone(zone))
    }

    fn of(name: String, zone: &jiff::tz::TimeZone) -> Self {
        let ticks = |offset: jiff::tz::Offset| i64::from(offset.seconds()) * TICKS_PER_SECOND;
        let at =
            |change: &TimeZoneTransition<'_>| change.timestamp().as_second() * TICKS_PER_SECOND;
        let changes: Vec<_> = zone
            .following(Timestamp::UNIX_EPOCH)
            .take_while(|change| at(change) < END)
            .collect();
        let first = zone.to_offset(Timestamp::UNIX_EPOCH);
        Self {
            name,
            starts: std::iter::once(i64::MIN)
                .chain(changes.iter().map(at))
                .collect(),
            offsets: std::iter::once(first)
                .chain(changes.iter().map(TimeZoneTransition::offset))
                .map(ticks)
                .collect(),
        }
    }

    /// The index of the offset that holds at an instant.
    pub(crate) fn entry(&self, ticks: i64) -> usize {
        // The first start is not after any instant.
        self.starts.partition_point(|start| *start <= ticks) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_name() {
        let oslo = TimeZone::named("europe/oslo").expect("a zone");
        assert_eq!(oslo.name, "Europe/Oslo");
        assert_eq!(oslo.offsets[oslo.entry(0)], 3600 * TICKS_PER_SECOND);
        // 1 July 2025, in summer.
        let july = days_from_civil(2025, 7, 1) * TICKS_PER_DAY;
        assert_eq!(oslo.offsets[oslo.entry(july)], 7200 * TICKS_PER_SECOND);
        assert_eq!(oslo.entry(i64::MIN), 0);
        assert_eq!(oslo.entry(i64::MAX), oslo.offsets.len() - 1);
        assert_eq!(oslo.offsets.last(), Some(&(3600 * TICKS_PER_SECOND)));
        assert!(oslo.starts.is_sorted() && oslo.starts.len() == oslo.offsets.len());
        assert_eq!(TimeZone::named("UTC").expect("a zone").offsets, [0]);
        assert_eq!(TimeZone::named("Europe/Olso"), None);
        assert_eq!(TimeZone::named(""), None);
    }
}
