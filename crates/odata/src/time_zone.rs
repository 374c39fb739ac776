//! Time zones of the IANA database, as the offsets that their clocks have from UTC.
//!
//! The data is that of this program, not of the machine or a database server, so that every engine computes
//! the same. A zone is the same table for all of them: before 1970 and from 2100 on, it has the offset of the
//! first and last entry.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::{TimeZoneDatabase, TimeZoneTransition};

use crate::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_SECOND, days_from_civil};

/// The name of the zone without offsets.
pub(crate) const UTC: &str = "UTC";

/// The instant from which the changes of clocks are not known.
const END: i64 = days_from_civil(2100, 1, 1) * TICKS_PER_DAY;

/// A time zone.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimeZone {
    /// Its name, in the spelling of the database: letters, digits, `/`, `_`, `+` and `-`.
    pub name: String,
    /// What the clock is ahead of UTC, by the instant.
    pub offsets: Offsets,
    /// For each midnight of the clock: that midnight less the first instant at which the clock shows it or,
    /// if the clock skips it, a later time.
    pub midnight_offsets: Offsets,
}

/// Offsets that hold from different times on, in ticks: from instants, or from midnights of a clock.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offsets {
    /// The times from which each of `values` holds, ascending; the first one is `i64::MIN`.
    pub starts: Vec<i64>,
    /// The offsets.
    pub values: Vec<i64>,
}

impl Offsets {
    /// The index of the offset that holds at a time.
    pub(crate) fn entry(&self, ticks: i64) -> usize {
        // The first start is not after any time.
        self.starts.partition_point(|start| *start <= ticks) - 1
    }

    /// The offset that holds at a time.
    #[cfg(test)]
    pub(crate) fn at(&self, ticks: i64) -> i64 {
        self.values[self.entry(ticks)]
    }

    /// The first time that is not before `local` on the clock with these offsets from UTC.
    pub(crate) fn first(&self, local: i64) -> i64 {
        let mut entry = self.entry(local.saturating_sub(MOST_AHEAD));
        loop {
            let at = local
                .saturating_sub(self.values[entry])
                .max(self.starts[entry]);
            match self.starts.get(entry + 1) {
                Some(next) if at >= *next => entry += 1,
                _ => return at,
            }
        }
    }

    /// Whether every change, and what it changes, is a multiple of these ticks.
    pub(crate) fn are_multiples_of(&self, ticks: i64) -> bool {
        let mut all = self.starts[1..].iter().chain(&self.values);
        all.all(|it| it % ticks == 0)
    }

    /// The offsets of midnights on the clock with these offsets from UTC.
    fn of_midnights(&self) -> Self {
        let offset = |midnight: i64| midnight - self.first(midnight);
        let mut midnights = Self {
            starts: vec![i64::MIN],
            values: vec![self.values[0]],
        };
        // Two days away from a change, the offset is that of the clock.
        let days = self.starts[1..].iter().flat_map(|change| {
            let day = change.div_euclid(TICKS_PER_DAY);
            day - 2..=day + 2
        });
        let mut last = i64::MIN;
        for midnight in days.map(|day| day * TICKS_PER_DAY) {
            if midnight > last && midnights.values.last() != Some(&offset(midnight)) {
                midnights.starts.push(midnight);
                midnights.values.push(offset(midnight));
            }
            last = last.max(midnight);
        }
        midnights
    }
}

/// More than any clock was ever ahead of UTC.
const MOST_AHEAD: i64 = 16 * TICKS_PER_HOUR;

impl TimeZone {
    /// The zone without offsets.
    pub(crate) fn utc() -> Self {
        let none = || Offsets {
            starts: vec![i64::MIN],
            values: vec![0],
        };
        Self {
            name: UTC.to_owned(),
            offsets: none(),
            midnight_offsets: none(),
        }
    }

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
        let offsets = Offsets {
            starts: std::iter::once(i64::MIN)
                .chain(changes.iter().map(at))
                .collect(),
            values: std::iter::once(first)
                .chain(changes.iter().map(TimeZoneTransition::offset))
                .map(ticks)
                .collect(),
        };
        Self {
            name,
            midnight_offsets: offsets.of_midnights(),
            offsets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_name() {
        let oslo = TimeZone::named("europe/oslo").expect("a zone");
        assert_eq!(oslo.name, "Europe/Oslo");
        let offsets = &oslo.offsets;
        assert_eq!(offsets.at(0), 3600 * TICKS_PER_SECOND);
        // 1 July 2025, in summer.
        let july = days_from_civil(2025, 7, 1) * TICKS_PER_DAY;
        assert_eq!(offsets.at(july), 7200 * TICKS_PER_SECOND);
        assert_eq!(offsets.entry(i64::MIN), 0);
        assert_eq!(offsets.entry(i64::MAX), offsets.values.len() - 1);
        assert_eq!(offsets.values.last(), Some(&(3600 * TICKS_PER_SECOND)));
        assert!(offsets.starts.is_sorted() && offsets.starts.len() == offsets.values.len());
        assert_eq!(TimeZone::named("UTC").expect("a zone").offsets.values, [0]);
        assert_eq!(TimeZone::named("Europe/Olso"), None);
        assert_eq!(TimeZone::named(""), None);
    }

    /// In every zone, on every day from 1969 to 2101, those that are skipped or shown twice included.
    #[test]
    fn midnights_begin_with_their_first_instant() {
        for name in TimeZoneDatabase::bundled().available() {
            let zone = TimeZone::named(name.as_str()).expect("a zone");
            for day in days_from_civil(1969, 1, 1)..days_from_civil(2101, 1, 1) {
                let midnight = day * TICKS_PER_DAY;
                let first = midnight - zone.midnight_offsets.at(midnight);
                assert_eq!(first, zone.offsets.first(midnight), "{name} {day}");
            }
        }
    }
}
