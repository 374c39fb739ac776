//! Days of the demo: two years that end today, so that "the last month" shows something whenever the demo is
//! run.
//!
//! Runs on the same day give the same figures. On other days the figures follow the day of the week and the
//! season.

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Days of history: whole weeks, so that the number of Sundays does not depend on the last day.
pub(crate) const DAYS: i32 = 104 * 7;

/// The current day in UTC.
pub(crate) fn today() -> Date {
    jiff::Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// The two years; day 0 is the oldest, day `DAYS - 1` yesterday, day `DAYS` today.
#[derive(Clone, Copy)]
pub(crate) struct Calendar {
    first: Date,
}

impl Calendar {
    /// The two years before `today`.
    pub(crate) fn ending(today: Date) -> Self {
        Self {
            first: today.saturating_sub(DAYS.days()),
        }
    }

    /// The date of a day, `2026-03-01`.
    pub(crate) fn date(self, day: i32) -> Date {
        self.first.saturating_add(day.days())
    }

    /// An instant on a day, `2026-03-01T06:30:00Z`; minutes past midnight may run over into the next days.
    pub(crate) fn at(self, day: i32, minute: i64) -> String {
        let over = i32::try_from(minute.div_euclid(1440)).unwrap_or(0);
        let left = minute.rem_euclid(1440);
        format!(
            "{}T{:02}:{:02}:00Z",
            self.date(day + over),
            left / 60,
            left % 60
        )
    }

    /// 0 for Monday to 6 for Sunday.
    pub(crate) fn weekday(self, day: i32) -> i8 {
        self.date(day).weekday().to_monday_zero_offset()
    }

    /// The coldness of the season, from 0 (July) to 1 (January), as a linear approximation.
    pub(crate) fn cold(self, day: i32) -> f64 {
        let of_year = f64::from(self.date(day).day_of_year());
        (of_year - 196.0).abs().min(365.0 - (of_year - 196.0).abs()) / 182.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn the_last_day_is_yesterday_and_minutes_run_over_midnight() {
        let calendar = Calendar::ending(date(2026, 3, 1));
        assert_eq!(calendar.date(DAYS - 1), date(2026, 2, 28));
        assert_eq!(calendar.at(DAYS - 1, 23 * 60 + 5), "2026-02-28T23:05:00Z");
        assert_eq!(calendar.at(DAYS - 1, 1440 + 30), "2026-03-01T00:30:00Z");
        assert_eq!(calendar.weekday(DAYS), 6, "1 March 2026 is a Sunday");
    }

    #[test]
    fn winter_is_cold_and_summer_is_not() {
        let calendar = Calendar::ending(date(2026, 1, 15));
        assert!(calendar.cold(DAYS) > 0.95);
        assert!(calendar.cold(DAYS - 184) < 0.05, "mid-July");
    }
}
