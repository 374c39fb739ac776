//! `bin(instant, size, zone)`: the start of the period that an instant falls into, by the clock of a time
//! zone.
//!
//! A period begins whenever that clock shows a multiple of the size since midnight, or the first midnight of
//! a week, month, quarter or year. So an hour that is repeated in autumn is two periods, and a day has 23, 24
//! or 25 hours. If the clock skips the start, the period begins where the clock goes on.

use std::cell::RefCell;
use std::sync::Arc;

use super::{Arg, Out, ScalarError};
use crate::calendar::{MAX_TICKS, MIN_TICKS, TICKS_PER_DAY, civil_from_days, days_from_civil};
use crate::time_zone::TimeZone;

/// How long a period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinSize {
    /// Ticks that divide a day.
    Ticks(i64),
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
            "week" => Self::Week,
            "month" => Self::Month,
            "quarter" => Self::Quarter,
            "year" => Self::Year,
            _ => return None,
        })
    }

    /// The size of these ticks, if they divide a day.
    pub(crate) fn of_ticks(ticks: i64) -> Option<Self> {
        (ticks > 0 && TICKS_PER_DAY % ticks == 0).then_some(Self::Ticks(ticks))
    }

    /// The start of the period, with instants read on the clock of the zone.
    fn start(self, local: i64) -> i64 {
        let first_day = match self {
            Self::Ticks(ticks) => return local - local.rem_euclid(ticks),
            // 1970-01-01 was a Thursday.
            Self::Week => {
                let day = local.div_euclid(TICKS_PER_DAY);
                day - (day + 3).rem_euclid(7)
            }
            Self::Month | Self::Quarter | Self::Year => {
                let (year, month, _) = civil_from_days(local.div_euclid(TICKS_PER_DAY));
                let first = match self {
                    Self::Month => month,
                    Self::Quarter => month - (month - 1) % 3,
                    _ => 1,
                };
                days_from_civil(year, first, 1)
            }
        };
        first_day * TICKS_PER_DAY
    }

    /// The instant at which the period of `ticks` begins.
    pub(crate) fn start_of(self, ticks: i64, zone: &TimeZone) -> i64 {
        let offset = zone.offset(ticks);
        let start = self.start(ticks + offset);
        // The clock may have changed since then.
        (start - zone.offset(start - offset)).max(MIN_TICKS)
    }
}

thread_local! {
    /// A statement uses the same zone for every row.
    static LAST: RefCell<Option<(String, Arc<TimeZone>)>> = const { RefCell::new(None) };
}

/// `(ticks, size, zone)`, with the size as ticks or as a name. A size or zone that does not exist was refused
/// when the query was bound; here it gives null.
pub(super) fn bin(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    let [Arg::Int(ticks), size, Arg::Text(zone)] = args else {
        return Ok(Out::Null);
    };
    if !(MIN_TICKS..=MAX_TICKS).contains(ticks) {
        return Err(ScalarError::OutOfRange);
    }
    let size = match size {
        Arg::Int(ticks) => BinSize::of_ticks(*ticks),
        Arg::Text(name) => BinSize::named(name),
        _ => None,
    };
    let Some(size) = size else {
        return Ok(Out::Null);
    };
    let start = LAST.with_borrow_mut(|last| {
        if let Some((name, zone_of_name)) = last
            && name == zone
        {
            return Some(size.start_of(*ticks, zone_of_name));
        }
        let found = TimeZone::named(zone)?;
        let start = size.start_of(*ticks, &found);
        *last = Some(((*zone).to_owned(), found));
        Some(start)
    });
    Ok(start.map_or(Out::Null, Out::Int))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;
    use jiff::{Span, Timestamp, Unit, Zoned, ZonedRound};

    use super::*;

    fn ticks(text: &str) -> i64 {
        let at: Timestamp = text.parse().expect(text);
        i64::try_from(at.as_nanosecond() / 100).expect("a tick")
    }

    fn start(text: &str, size: BinSize, zone: &str) -> String {
        let zone = TimeZone::named(zone).expect(zone);
        let start = size.start_of(ticks(text), &zone);
        Timestamp::from_nanosecond(i128::from(start) * 100)
            .expect("an instant")
            .to_string()
    }

    const HOUR: BinSize = BinSize::Ticks(TICKS_PER_DAY / 24);
    const DAY: BinSize = BinSize::Ticks(TICKS_PER_DAY);

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

    /// Against jiff, which rounds times of a zone down to its days and hours by other means.
    #[test]
    fn days_and_hours_are_those_of_another_library() {
        let zones = TimeZoneDatabase::bundled();
        for name in [
            "Europe/Oslo",
            "America/New_York",
            "Asia/Kolkata",
            "Australia/Lord_Howe",
        ] {
            let zone = zones.get(name).expect(name);
            let ours = TimeZone::named(name).expect(name);
            let mut at: Zoned = "1999-12-30T00:17:00[UTC]".parse().expect("a time");
            while at.year() < 2031 {
                at = at.checked_add(Span::new().minutes(407)).expect("in range");
                let there = at.with_time_zone(zone.clone());
                let ticks = i64::try_from(at.timestamp().as_nanosecond() / 100).expect("a tick");
                let round = ZonedRound::new()
                    .smallest(Unit::Day)
                    .mode(jiff::RoundMode::Floor);
                let expected = there.round(round).expect("in range").timestamp();
                let found = DAY.start_of(ticks, &ours);
                assert_eq!(i128::from(found) * 100, expected.as_nanosecond(), "{there}");
            }
        }
    }
}
