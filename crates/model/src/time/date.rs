//! A day, without a time of day: what `format: date` means.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::timestamp::{Written, civil_of, days_of, two};
use crate::{TimeError, Timestamp};

/// A day of the Gregorian calendar, from 0000-01-01 to 9999-12-31, written `2026-03-02`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    days: i32,
}

impl Date {
    /// 0000-01-01.
    pub const MIN: Date = Date { days: -719_528 };
    /// 9999-12-31.
    pub const MAX: Date = Date { days: 2_932_896 };

    /// The day that many days after 1970-01-01, or `None` outside the years 0000 to 9999.
    #[must_use]
    pub fn from_days(days: i32) -> Option<Self> {
        (Self::MIN.days..=Self::MAX.days)
            .contains(&days)
            .then_some(Date { days })
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub const fn days(self) -> i32 {
        self.days
    }

    /// The calendar's day, or `None` where it does not exist: `Date::new(2025, 2, 29)`.
    #[must_use]
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        days_of(year, month, day).and_then(Self::from_days)
    }

    /// Year, month (1–12) and day (1–31).
    #[must_use]
    pub fn ymd(self) -> (i32, u32, u32) {
        civil_of(self.days)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.ymd();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Date {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let expected = || TimeError::new("a date such as 2026-03-02");
        let bytes = text.as_bytes();
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *bytes else {
            return Err(expected());
        };
        let century = two(y1, y2).ok_or_else(expected)?;
        let year = two(y3, y4).ok_or_else(expected)?;
        let month = two(m1, m2).ok_or_else(expected)?;
        let day = two(d1, d2).ok_or_else(expected)?;
        let year = i32::try_from(century * 100 + year).map_err(|_| expected())?;
        Self::new(year, month, day).ok_or_else(|| TimeError::new("a day the calendar has"))
    }
}

impl From<Date> for jiff::civil::Date {
    fn from(date: Date) -> Self {
        let (year, month, day) = date.ymd();
        // All three are in range by construction: years 0–9999, months 1–12, days the calendar has.
        #[expect(clippy::cast_possible_truncation, reason = "in range by construction")]
        jiff::civil::date(year as i16, month as i8, day as i8)
    }
}

impl TryFrom<jiff::civil::Date> for Date {
    type Error = TimeError;

    fn try_from(date: jiff::civil::Date) -> Result<Self, TimeError> {
        let month = u32::from(date.month().unsigned_abs());
        let day = u32::from(date.day().unsigned_abs());
        Self::new(i32::from(date.year()), month, day)
            .ok_or_else(|| TimeError::new("a year from 0000 to 9999"))
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a day, or a timestamp at midnight: clients whose only type for time is an instant send that. The day
/// counts as it is written, whatever the offset. Another time of day is refused, as dropping it would hide a
/// mistake.
impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Day;

        impl Visitor<'_> for Day {
            type Value = Date;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date such as 2026-03-02")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Date, E> {
                let unreadable = match text.parse::<Date>() {
                    Ok(date) => return Ok(date),
                    Err(error) => error,
                };
                match Written::parse(text) {
                    Ok(Written {
                        date,
                        time_of_day: 0,
                        ..
                    }) => Ok(date),
                    Ok(Written { time_of_day, .. }) => {
                        let found = format!("the time of day {}", time(time_of_day));
                        let expected = "a date such as 2026-03-02 or a timestamp at midnight";
                        Err(E::invalid_value(Unexpected::Other(&found), &expected))
                    }
                    Err(_) => Err(E::custom(unreadable)),
                }
            }
        }

        deserializer.deserialize_str(Day)
    }
}

/// A time of day in ticks as text, such as `06:12:00.25`.
fn time(of_day: i64) -> String {
    // It is less than a day, so that it is also an instant of the first day that instants are counted from.
    let instant = Timestamp::from_ticks(of_day).map(|instant| instant.to_string());
    let time = instant.as_deref().and_then(|text| text.get(11..));
    time.unwrap_or_default().trim_end_matches('Z').to_owned()
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Date {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Date".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        // POSIX: 951_782_400 s is 2000-02-29T00:00Z; divided by 86_400.
        for (text, days) in [
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("1969-12-31", -1),
        ] {
            let date: Date = text.parse().expect("valid");
            assert_eq!((date.days(), date.to_string()), (days, text.to_owned()));
        }
        assert_eq!(Date::MIN.to_string(), "0000-01-01");
        assert_eq!(Date::MAX.to_string(), "9999-12-31");
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in [
            "2025-13-01",
            "2025-00-01",
            "2025-02-29",
            "1900-02-29",
            "2025-04-31",
            "2025-1-01",
            "2025-01-01T00:00:00Z",
            "",
            "+025-01-01",
            "２025-01-01",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn json_may_hold_a_timestamp_at_midnight_for_a_day() {
        let read = |text: &str| {
            serde_json::from_str::<Date>(&format!("\"{text}\"")).map_err(|error| error.to_string())
        };
        for midnight in [
            "2025-10-01",
            "2025-10-01T00:00:00",
            "2025-10-01T00:00:00Z",
            "2025-10-01T00:00:00.0000000Z",
            "2025-10-01 00:00",
            // The day that is written, though it is another one in UTC.
            "2025-10-01T00:00:00+02:00",
            "2025-10-01T00:00:00-0800",
        ] {
            let date = read(midnight).map(|date| date.to_string());
            assert_eq!(date.as_deref(), Ok("2025-10-01"), "{midnight}");
        }
        for (text, found) in [
            ("2025-10-01T08:30:00Z", "08:30:00"),
            ("2025-10-01T08:30+02:00", "08:30:00"),
            ("2025-10-01T00:00:00.0000001Z", "00:00:00.0000001"),
            // Midnight only in UTC.
            ("2025-10-01T02:00:00+02:00", "02:00:00"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(&format!("invalid value: the time of day {found}, expected a date such as 2026-03-02 or a timestamp at midnight")), "{text}: {error}");
        }
        for text in [
            "2025-10-01T24:00:00Z",
            "2025-10-01T",
            "2025-10-01T00:00:00+2",
        ] {
            let error = read(text).expect_err(text);
            assert!(
                error.starts_with("expected a date such as 2026-03-02 at line"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn every_day_of_four_centuries_agrees_with_jiff() {
        let mut day = jiff::civil::date(1800, 1, 1);
        while day.year() < 2200 {
            let ours = Date::try_from(day).expect("in range");
            assert_eq!(ours.to_string(), day.to_string());
            assert_eq!(jiff::civil::Date::from(ours), day);
            assert_eq!(Date::from_days(ours.days()), Some(ours));
            day = day.tomorrow().expect("in range");
        }
    }
}
