//! `bin(instant, size, zone)`: the start of the period that an instant falls into, by the clock of a time
//! zone.
//!
//! A period of less than a day begins whenever that clock shows a multiple of the size since midnight, so an
//! hour that is repeated is two periods. A day, week, month, quarter or year begins when the clock first
//! shows its first midnight. If the clock skips the start, the period begins where the clock goes on.

use std::cell::RefCell;
use std::sync::Arc;

use super::{Arg, Out, ScalarError};
use crate::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR, civil_from_days, days_from_civil};
use crate::time_zone::{Offsets, TimeZone};

/// How long a period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinSize {
    /// Ticks that divide a day, and are less.
    Ticks(i64),
    /// From midnight.
    Day,
    /// From Monday.
    Week,
    Month,
    Quarter,
    Year,
}

impl BinSize {
    /// The size of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "hour" => Self::Ticks(TICKS_PER_HOUR),
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Month,
            "quarter" => Self::Quarter,
            "year" => Self::Year,
            _ => return None,
        })
    }

    /// The size of these ticks, if they divide a day.
    pub(crate) fn of_ticks(ticks: i64) -> Option<Self> {
        match ticks {
            TICKS_PER_DAY => Some(Self::Day),
            _ if ticks > 0 && TICKS_PER_DAY % ticks == 0 => Some(Self::Ticks(ticks)),
            _ => None,
        }
    }

    /// The ticks, or the name in quotes.
    pub(crate) fn sql(self) -> String {
        let name = match self {
            Self::Ticks(ticks) => return ticks.to_string(),
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        };
        format!("'{name}'")
    }

    /// The instant at which the period of `ticks` begins; `None` beyond 64 bits.
    fn start_of(self, ticks: i64, zone: &TimeZone) -> Option<i64> {
        let Offsets { starts, values } = &zone.offsets;
        let entry = zone.offsets.entry(ticks);
        let local = ticks.checked_add(values[entry])?;
        if let Self::Ticks(size) = self {
            let start = local
                .checked_sub(local.rem_euclid(size))?
                .checked_sub(values[entry])?;
            if entry == 0 || start >= starts[entry] {
                return Some(start);
            }
            let (change, before) = (starts[entry], values[entry - 1]);
            if start + values[entry] - before >= change {
                // The clock skipped the start.
                return Some(change);
            }
            // The last multiple that the clock showed before it was changed.
            let last = change + before - 1;
            return Some(last - last.rem_euclid(size) - before);
        }
        let first = self
            .first_day(local.div_euclid(TICKS_PER_DAY))
            .checked_mul(TICKS_PER_DAY)?;
        Some(zone.offsets.first(first))
    }

    /// The first day of the period of a day.
    fn first_day(self, day: i64) -> i64 {
        let (year, month, _) = match self {
            Self::Ticks(_) | Self::Day => return day,
            // 1970-01-01 was a Thursday.
            Self::Week => return day - (day + 3).rem_euclid(7),
            _ => civil_from_days(day),
        };
        let first = match self {
            Self::Month => month,
            Self::Quarter => month - (month - 1) % 3,
            _ => 1,
        };
        days_from_civil(year, first, 1)
    }
}

thread_local! {
    /// The zones that a thread has used: a statement uses the same few for every row, and there are some 600.
    static USED: RefCell<Vec<Arc<TimeZone>>> = const { RefCell::new(Vec::new()) };
}

/// `(ticks, size, zone)`, with the size as ticks or as a name, and the zone by the name that
/// [`TimeZone::named`] gives it. Statements of this crate have no other size or zone; the result would be
/// null.
pub(super) fn bin(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    let [Arg::Int(ticks), size, Arg::Text(zone)] = args else {
        return Ok(Out::Null);
    };
    let size = match size {
        Arg::Int(ticks) => BinSize::of_ticks(*ticks),
        Arg::Text(name) => BinSize::named(name),
        _ => None,
    };
    let Some(size) = size else {
        return Ok(Out::Null);
    };
    USED.with_borrow_mut(|used| {
        let at = match used.iter().position(|known| known.name == *zone) {
            Some(at) => at,
            None => {
                let Some(found) = TimeZone::named(zone) else {
                    return Ok(Out::Null);
                };
                used.push(found);
                used.len() - 1
            }
        };
        let start = size.start_of(*ticks, &used[at]);
        start.map(Out::Int).ok_or(ScalarError::OutOfRange)
    })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;
    use jiff::{SignedDuration, Timestamp};

    use super::*;

    fn ticks(text: &str) -> i64 {
        let at: Timestamp = text.parse().expect(text);
        i64::try_from(at.as_nanosecond() / 100).expect("a tick")
    }

    fn start(text: &str, size: BinSize, zone: &str) -> String {
        let zone = TimeZone::named(zone).expect(zone);
        let start = size.start_of(ticks(text), &zone).expect("in range");
        Timestamp::from_nanosecond(i128::from(start) * 100)
            .expect("an instant")
            .to_string()
    }

    const HOUR: BinSize = BinSize::Ticks(TICKS_PER_HOUR);
    const DAY: BinSize = BinSize::Day;

    /// The changes of the clock in Oslo in 2025: 30 March and 26 October, both at 01:00 UTC.
    #[test]
    fn periods_follow_the_clock_of_the_zone() {
        let oslo = "Europe/Oslo";
        for (at, size, zone, expected) in [
            (
                "2025-03-02T14:59:59.9999999Z",
                HOUR,
                "UTC",
                "2025-03-02T14:00:00Z",
            ),
            ("1969-12-31T23:59:00Z", HOUR, "UTC", "1969-12-31T23:00:00Z"),
            ("2025-07-01T22:00:00Z", DAY, oslo, "2025-07-01T22:00:00Z"),
            ("2025-07-01T21:59:59Z", DAY, oslo, "2025-06-30T22:00:00Z"),
            // A day of 23 hours and one of 25.
            ("2025-03-30T21:59:59Z", DAY, oslo, "2025-03-29T23:00:00Z"),
            ("2025-10-26T22:59:59Z", DAY, oslo, "2025-10-25T22:00:00Z"),
            ("2025-10-26T23:00:00Z", DAY, oslo, "2025-10-26T23:00:00Z"),
            // The hour from 2 to 3 twice.
            ("2025-10-26T00:30:00Z", HOUR, oslo, "2025-10-26T00:00:00Z"),
            ("2025-10-26T01:30:00Z", HOUR, oslo, "2025-10-26T01:00:00Z"),
            // Half an hour off, and a clock that skips midnight: Beirut on 30 March 2025.
            (
                "2025-07-01T00:10:00Z",
                HOUR,
                "Asia/Kolkata",
                "2025-06-30T23:30:00Z",
            ),
            (
                "2025-03-29T22:30:00Z",
                DAY,
                "Asia/Beirut",
                "2025-03-29T22:00:00Z",
            ),
            (
                "2025-03-30T12:00:00Z",
                DAY,
                "Asia/Beirut",
                "2025-03-29T22:00:00Z",
            ),
            (
                "2025-03-29T21:59:00Z",
                DAY,
                "Asia/Beirut",
                "2025-03-28T22:00:00Z",
            ),
            // Midnight twice: in the Azores on 26 October 2025, in Havana on 1 November 2015.
            (
                "2025-10-26T00:30:00Z",
                DAY,
                "Atlantic/Azores",
                "2025-10-26T00:00:00Z",
            ),
            (
                "2025-10-26T12:00:00Z",
                DAY,
                "Atlantic/Azores",
                "2025-10-26T00:00:00Z",
            ),
            (
                "2025-10-26T00:30:00Z",
                HOUR,
                "Atlantic/Azores",
                "2025-10-26T00:00:00Z",
            ),
            (
                "2025-10-26T01:30:00Z",
                HOUR,
                "Atlantic/Azores",
                "2025-10-26T01:00:00Z",
            ),
            (
                "2015-11-01T04:30:00Z",
                BinSize::Month,
                "America/Havana",
                "2015-11-01T04:00:00Z",
            ),
            (
                "2015-11-20T04:30:00Z",
                BinSize::Month,
                "America/Havana",
                "2015-11-01T04:00:00Z",
            ),
            // The clock skips from 02:45 to 03:45 at 14:00 UTC.
            (
                "2025-09-27T14:05:00Z",
                HOUR,
                "Pacific/Chatham",
                "2025-09-27T14:00:00Z",
            ),
            (
                "2025-09-27T14:15:00Z",
                HOUR,
                "Pacific/Chatham",
                "2025-09-27T14:15:00Z",
            ),
            (
                "2025-09-27T13:59:00Z",
                HOUR,
                "Pacific/Chatham",
                "2025-09-27T13:15:00Z",
            ),
            // Weeks from Monday.
            (
                "2025-11-02T22:59:59Z",
                BinSize::Week,
                oslo,
                "2025-10-26T23:00:00Z",
            ),
            (
                "2025-11-02T23:00:00Z",
                BinSize::Week,
                oslo,
                "2025-11-02T23:00:00Z",
            ),
            (
                "1970-01-04T23:59:59Z",
                BinSize::Week,
                "UTC",
                "1969-12-29T00:00:00Z",
            ),
            (
                "2025-04-01T00:00:00Z",
                BinSize::Month,
                oslo,
                "2025-03-31T22:00:00Z",
            ),
            (
                "2025-03-31T21:00:00Z",
                BinSize::Month,
                oslo,
                "2025-02-28T23:00:00Z",
            ),
            (
                "2025-06-30T12:00:00Z",
                BinSize::Quarter,
                oslo,
                "2025-03-31T22:00:00Z",
            ),
            (
                "2025-12-31T23:00:00Z",
                BinSize::Year,
                oslo,
                "2025-12-31T23:00:00Z",
            ),
            (
                "2025-12-31T22:59:59Z",
                BinSize::Year,
                oslo,
                "2024-12-31T23:00:00Z",
            ),
        ] {
            assert_eq!(start(at, size, zone), expected, "{at} {size:?} {zone}");
        }
    }

    /// Against jiff, which finds the start of a day of a zone by other means.
    #[test]
    fn days_are_those_of_another_library() {
        let zones = TimeZoneDatabase::bundled();
        for name in [
            "Europe/Oslo",
            "America/Havana",
            "Atlantic/Azores",
            "Australia/Lord_Howe",
        ] {
            let zone = zones.get(name).expect(name);
            let ours = TimeZone::named(name).expect(name);
            let mut at: Timestamp = "1999-12-30T00:17:00Z".parse().expect("a time");
            let end: Timestamp = "2031-01-01T00:00:00Z".parse().expect("a time");
            while at < end {
                at += SignedDuration::from_mins(407);
                let there = at.to_zoned(zone.clone());
                let expected = there.start_of_day().expect("in range").timestamp();
                let ticks = i64::try_from(at.as_nanosecond() / 100).expect("a tick");
                let found = DAY.start_of(ticks, &ours).expect("in range");
                assert_eq!(i128::from(found) * 100, expected.as_nanosecond(), "{there}");
            }
        }
    }

    /// Around every change of the clock, in every zone: a period is not after its instants, begins with its
    /// start, and has one start for one time of the clock, unless this is repeated within a day.
    #[test]
    fn periods_have_one_start_in_every_zone() {
        let sizes = [
            BinSize::Ticks(TICKS_PER_HOUR / 4),
            BinSize::Ticks(TICKS_PER_HOUR * 2 / 3),
            HOUR,
            BinSize::Ticks(TICKS_PER_HOUR * 6),
            DAY,
            BinSize::Week,
            BinSize::Month,
            BinSize::Quarter,
            BinSize::Year,
        ];
        for name in TimeZoneDatabase::bundled().available() {
            let zone = TimeZone::named(name.as_str()).expect("a zone");
            // Later changes follow the same rules for ever.
            let end = days_from_civil(2030, 1, 1) * TICKS_PER_DAY;
            let changes = zone
                .offsets
                .starts
                .iter()
                .skip(1)
                .take_while(|change| **change < end);
            for change in changes {
                for size in sizes {
                    let mut earlier: Option<(i64, i64)> = None;
                    let quarters = (-110..-12)
                        .step_by(7)
                        .chain(-12..12)
                        .chain((12..110).step_by(7));
                    for quarter in quarters {
                        let ticks = change + quarter * (TICKS_PER_HOUR / 4) + 7;
                        let start = size.start_of(ticks, &zone).expect("in range");
                        assert!(start <= ticks, "{name} {size:?} {ticks}");
                        assert_eq!(
                            size.start_of(start, &zone),
                            Some(start),
                            "{name} {size:?} {ticks}"
                        );
                        let local = ticks + zone.offsets.at(ticks);
                        let first = match size {
                            BinSize::Ticks(size) => local - local.rem_euclid(size),
                            _ => size.first_day(local.div_euclid(TICKS_PER_DAY)),
                        };
                        if let Some((before, start_before)) = earlier {
                            // A day that has begun may be interrupted by the one before: Casey, 2010.
                            if first >= before {
                                assert!(start_before <= start, "{name} {size:?} {ticks}");
                            }
                            let is_repeated = matches!(size, BinSize::Ticks(_)) && first <= before;
                            if first == before && !is_repeated {
                                assert_eq!(start, start_before, "{name} {size:?} {ticks}");
                            }
                            if first > before {
                                assert!(start > start_before, "{name} {size:?} {ticks}");
                            }
                        }
                        earlier = Some((first, start));
                    }
                }
            }
        }
    }
}
