//! The proleptic Gregorian calendar over the integers in the database: days and 100 ns ticks since
//! 1970-01-01.
//!
//! Public so that the code that writes rows need not count days a second time. No time zones and no leap
//! seconds.
//!
//! ```
//! use obeya_odata::calendar::{TICKS_PER_DAY, civil_from_days, days_from_civil};
//!
//! let leap_day = days_from_civil(2024, 2, 29);
//! assert_eq!(leap_day * TICKS_PER_DAY, 17_091_648_000_000_000);
//! assert_eq!(civil_from_days(leap_day + 1), (2024, 3, 1));
//! ```

/// Ticks of 100 ns in a second.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
/// Ticks in a minute.
pub const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
/// Ticks in an hour.
pub const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
/// Ticks in a day, leap seconds unknown.
pub const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;

/// 0000-01-01T00:00:00Z, the earliest instant that has a text, and the value of `mindatetime()`.
pub const MIN_TICKS: i64 = days_from_civil(0, 1, 1) * TICKS_PER_DAY;
/// 9999-12-31T23:59:59.9999999Z, the value of `maxdatetime()`.
pub const MAX_TICKS: i64 = (days_from_civil(9999, 12, 31) + 1) * TICKS_PER_DAY - 1;

/// Days since 1970-01-01 of a valid date of the years -9999 to 99,999. Counting years from March puts the
/// leap day last, so that a month's offset is one formula: (153 m + 2) / 5 days before month m.
#[must_use]
#[inline]
pub const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month (1..=12) and day (1..=31) of days since 1970-01-01: the inverse of [`days_from_civil`].
#[must_use]
#[inline]
pub const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// The number of days in a month of 1..=12.
#[must_use]
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Day numbers from the calendar's definition: 1972-03-01 is two years of 365 days, 31 and 29 days after
    // the epoch.
    #[test]
    fn days_of_known_dates() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((1972, 3, 1), 790),
            ((2000, 3, 1), 11_017),
            ((1, 1, 1), -719_162),
        ] {
            assert_eq!(days_from_civil(date.0, date.1, date.2), days);
            assert_eq!(civil_from_days(days), date);
        }
    }

    #[test]
    fn every_day_of_eight_centuries_follows_the_one_before() {
        let mut expected = (1599, 12, 31);
        for days in days_from_civil(1600, 1, 1)..days_from_civil(2401, 1, 1) {
            let (year, month, day) = civil_from_days(days);
            expected = if expected.2 < days_in_month(expected.0, expected.1) {
                (expected.0, expected.1, expected.2 + 1)
            } else if expected.1 < 12 {
                (expected.0, expected.1 + 1, 1)
            } else {
                (expected.0 + 1, 1, 1)
            };
            assert_eq!((year, month, day), expected);
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let _ = civil_from_days(i64::MAX);
        let _ = civil_from_days(i64::MIN);
    }
}
