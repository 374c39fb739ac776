//! An instant, as this interface writes it: read leniently, written in one form.
//!
//! Written by hand rather than borrowed from a library because clients of this interface send timestamps
//! without an offset, which every library refuses, and because the store keeps whole ticks of 100 ns.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

const TICKS_PER_SECOND: i64 = 10_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Text that is no time, and what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeError {
    expected: &'static str,
}

impl TimeError {
    pub(crate) const fn new(expected: &'static str) -> Self {
        Self { expected }
    }
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for TimeError {}

/// An instant from the year 0000 to 9999, in ticks of 100 ns.
///
/// Reads RFC 3339 with any offset (`+01:00` or `+0100`), or none (then it is UTC), seconds optional, any
/// number of fractional digits of which seven are kept; or a date, which is its midnight in UTC. Writes
/// `2026-03-02T06:12:00.25Z`: UTC, with only the fractional digits needed.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    ticks: i64,
}

impl Timestamp {
    /// The forms that are read, for messages.
    pub const FORMS: &str = "a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02";
    /// 0000-01-01T00:00:00Z.
    pub const MIN: Timestamp = Timestamp {
        ticks: -719_528 * SECONDS_PER_DAY * TICKS_PER_SECOND,
    };
    /// 9999-12-31T23:59:59.9999999Z.
    pub const MAX: Timestamp = Timestamp {
        ticks: 2_932_897 * SECONDS_PER_DAY * TICKS_PER_SECOND - 1,
    };

    /// The instant that many ticks of 100 ns after 1970-01-01T00:00Z, or `None` outside the years 0000 to
    /// 9999.
    #[must_use]
    pub const fn from_ticks(ticks: i64) -> Option<Self> {
        if ticks < Self::MIN.ticks || ticks > Self::MAX.ticks {
            return None;
        }
        Some(Timestamp { ticks })
    }

    /// Ticks of 100 ns since 1970-01-01T00:00Z.
    #[must_use]
    pub const fn ticks(self) -> i64 {
        self.ticks
    }

    /// This moment.
    ///
    /// # Panics
    /// When the system's clock stands outside the years 0000 to 9999.
    #[must_use]
    pub fn now() -> Self {
        Self::try_from(jiff::Timestamp::now()).expect("the clock is set to a year of four digits")
    }

    /// Midnight UTC of a day.
    #[must_use]
    pub fn midnight(date: crate::Date) -> Self {
        Timestamp {
            ticks: i64::from(date.days()) * SECONDS_PER_DAY * TICKS_PER_SECOND,
        }
    }

    /// The day it falls on in UTC.
    #[must_use]
    pub fn date(self) -> crate::Date {
        let days = self.ticks.div_euclid(SECONDS_PER_DAY * TICKS_PER_SECOND);
        i32::try_from(days)
            .ok()
            .and_then(crate::Date::from_days)
            .unwrap_or(crate::Date::MAX)
    }

    /// Writes the text into `buffer` and returns how many bytes it took.
    fn write(self, buffer: &mut [u8; 28]) -> usize {
        let day = SECONDS_PER_DAY * TICKS_PER_SECOND;
        let (year, month, day_of_month) = self.date().ymd();
        let rest = self.ticks.rem_euclid(day);
        let (seconds, fraction) = (rest / TICKS_PER_SECOND, rest % TICKS_PER_SECOND);
        let digits = |buffer: &mut [u8], mut number: i64| {
            for place in buffer.iter_mut().rev() {
                *place = b'0' + u8::try_from(number % 10).unwrap_or(0);
                number /= 10;
            }
        };
        buffer[..20].copy_from_slice(b"0000-00-00T00:00:00Z");
        digits(&mut buffer[0..4], i64::from(year));
        digits(&mut buffer[5..7], i64::from(month));
        digits(&mut buffer[8..10], i64::from(day_of_month));
        digits(&mut buffer[11..13], seconds / 3600);
        digits(&mut buffer[14..16], seconds / 60 % 60);
        digits(&mut buffer[17..19], seconds % 60);
        if fraction == 0 {
            return 20;
        }
        buffer[19] = b'.';
        digits(&mut buffer[20..27], fraction);
        let mut end = 27;
        while buffer[end - 1] == b'0' {
            end -= 1;
        }
        buffer[end] = b'Z';
        end + 1
    }

    fn text(self, buffer: &mut [u8; 28]) -> &str {
        let end = self.write(buffer);
        std::str::from_utf8(&buffer[..end]).unwrap_or_default()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text(&mut [0; 28]))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let written = Written::parse(text)?;
        let minutes = i64::from(written.date.days()) * (SECONDS_PER_DAY / 60)
            - i64::from(written.offset_minutes);
        Self::from_ticks(minutes * 60 * TICKS_PER_SECOND + written.time_of_day)
            .ok_or(TimeError::new("an instant from the year 0000 to 9999"))
    }
}

/// The parts of a timestamp's text, before the offset is applied.
pub(crate) struct Written {
    pub(crate) date: crate::Date,
    /// Ticks since the midnight that is written.
    pub(crate) time_of_day: i64,
    offset_minutes: i32,
}

impl Written {
    pub(crate) fn parse(text: &str) -> Result<Self, TimeError> {
        let date = text.get(..10).ok_or(EXPECTED)?;
        let date: crate::Date = date.parse().map_err(|error: TimeError| match error {
            // Said of a date; here a timestamp was expected too.
            TimeError { expected } if expected.starts_with("a date") => EXPECTED,
            other => other,
        })?;
        let rest = &text.as_bytes()[10..];
        if rest.is_empty() {
            return Ok(Self {
                date,
                time_of_day: 0,
                offset_minutes: 0,
            });
        }
        let [b'T' | b't' | b' ', h1, h2, b':', m1, m2, rest @ ..] = rest else {
            return Err(EXPECTED);
        };
        let hour = two(*h1, *h2).filter(|hour| *hour < 24).ok_or(EXPECTED)?;
        let minute = two(*m1, *m2)
            .filter(|minute| *minute < 60)
            .ok_or(EXPECTED)?;
        let (second, rest) = match rest {
            [b':', s1, s2, rest @ ..] => {
                let second = two(*s1, *s2)
                    .filter(|second| *second <= 60)
                    .ok_or(EXPECTED)?;
                // A leap second is read as the last second of its minute.
                (second.min(59), rest)
            }
            rest => (0, rest),
        };
        let (fraction, rest) = fraction(rest)?;
        Ok(Self {
            date,
            time_of_day: i64::from(hour * 3600 + minute * 60 + second) * TICKS_PER_SECOND
                + fraction,
            offset_minutes: offset(rest)?,
        })
    }
}

const EXPECTED: TimeError = TimeError::new(Timestamp::FORMS);

/// Ticks of a fraction of a second, and what follows it.
fn fraction(rest: &[u8]) -> Result<(i64, &[u8]), TimeError> {
    let [b'.', rest @ ..] = rest else {
        return Ok((0, rest));
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Err(TimeError::new("a digit after the point of a second"));
    }
    let ticks = (0..7).fold(0, |ticks, place| {
        let digit = if place < digits {
            rest[place] - b'0'
        } else {
            0
        };
        ticks * 10 + i64::from(digit)
    });
    Ok((ticks, &rest[digits..]))
}

/// Minutes east of UTC. Nothing is UTC. The colon may be missing, as in the basic format of ISO 8601.
fn offset(rest: &[u8]) -> Result<i32, TimeError> {
    match rest {
        [] | [b'Z' | b'z'] => Ok(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] | [sign @ (b'+' | b'-'), h1, h2, m1, m2] => {
            let hours = two(*h1, *h2).filter(|hours| *hours < 24);
            let minutes = two(*m1, *m2).filter(|minutes| *minutes < 60);
            match hours.zip(minutes) {
                Some((hours, minutes)) => {
                    let minutes = i32::try_from(hours * 60 + minutes).map_err(|_| EXPECTED)?;
                    Ok(if *sign == b'-' { -minutes } else { minutes })
                }
                None => Err(EXPECTED),
            }
        }
        _ => Err(EXPECTED),
    }
}

/// Two ASCII digits as a number.
pub(crate) fn two(tens: u8, units: u8) -> Option<u32> {
    (tens.is_ascii_digit() && units.is_ascii_digit())
        .then(|| u32::from(tens - b'0') * 10 + u32::from(units - b'0'))
}

/// Days from 1970-01-01 to a day of the Gregorian calendar; `None` if the calendar has no such day.
/// Counts from 1 March, so that the leap day is the last of its year (Hinnant, `days_from_civil`).
pub(crate) fn days_of(year: i32, month: u32, day: u32) -> Option<i32> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) || !(0..=9999).contains(&year) {
        return None;
    }
    let year = if month > 2 { year } else { year - 1 };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = i32::try_from((month + 9) % 12).ok()?;
    let day_of_year = (153 * month + 2) / 5 + i32::try_from(day).ok()? - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// The inverse of [`days_of`].
pub(crate) fn civil_of(days: i32) -> (i32, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + i32::from(month <= 2);
    (year, month.unsigned_abs(), day.unsigned_abs())
}

impl From<Timestamp> for jiff::Timestamp {
    fn from(timestamp: Timestamp) -> Self {
        let nanoseconds = i128::from(timestamp.ticks) * 100;
        // Our years 0000–9999 are all within jiff's -9999–9999.
        jiff::Timestamp::from_nanosecond(nanoseconds).unwrap_or(jiff::Timestamp::MAX)
    }
}

impl TryFrom<jiff::Timestamp> for Timestamp {
    type Error = TimeError;

    fn try_from(timestamp: jiff::Timestamp) -> Result<Self, TimeError> {
        i64::try_from(timestamp.as_nanosecond().div_euclid(100))
            .ok()
            .and_then(Self::from_ticks)
            .ok_or(TimeError::new("an instant from the year 0000 to 9999"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text(&mut [0; 28]))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, Self::FORMS)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}

/// Reads a string that parses. The message never repeats the text: it may be of any length.
pub(crate) fn deserialize<'de, D, T>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = TimeError>,
{
    struct Text<T>(&'static str, PhantomData<T>);

    impl<T: FromStr<Err = TimeError>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Text(expected, PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        text.parse::<Timestamp>()
            .ok()
            .map(|timestamp| timestamp.to_string())
    }

    #[test]
    fn any_offset_or_none_is_read_and_utc_is_written() {
        for (text, written) in [
            ("2025-03-01T00:00:00Z", "2025-03-01T00:00:00Z"),
            ("2025-03-01T00:00:00", "2025-03-01T00:00:00Z"),
            ("2025-03-01t00:00:00z", "2025-03-01T00:00:00Z"),
            ("2025-03-01 00:00:00", "2025-03-01T00:00:00Z"),
            ("2025-03-01T00:00", "2025-03-01T00:00:00Z"),
            ("2025-03-01T00:30:00+01:00", "2025-02-28T23:30:00Z"),
            ("2024-12-31T20:00:00-05:30", "2025-01-01T01:30:00Z"),
            // A date is its midnight in UTC.
            ("2025-03-01", "2025-03-01T00:00:00Z"),
            ("0000-01-01", "0000-01-01T00:00:00Z"),
            // The formats "s", "u" and "o" of .NET, of an instant in UTC and of another offset.
            ("2009-06-15T13:45:30", "2009-06-15T13:45:30Z"),
            ("2009-06-15 13:45:30Z", "2009-06-15T13:45:30Z"),
            ("2009-06-15T13:45:30.0000000Z", "2009-06-15T13:45:30Z"),
            ("2009-06-15T13:45:30.0000000-07:00", "2009-06-15T20:45:30Z"),
            // ISO 8601's basic format of an offset, which RFC 3339 does not have.
            ("2025-03-01T00:00:00+0000", "2025-03-01T00:00:00Z"),
            ("2025-03-01T00:30:00+0100", "2025-02-28T23:30:00Z"),
            ("2024-12-31T23:59:59.5-0130", "2025-01-01T01:29:59.5Z"),
            ("2025-03-01T00:30+0100", "2025-02-28T23:30:00Z"),
            // RFC 3339, section 5.8.
            ("1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.52Z"),
            ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57Z"),
            ("1990-12-31T23:59:60Z", "1990-12-31T23:59:59Z"),
            ("1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.87Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(written), "{text}");
        }
    }

    #[test]
    fn seven_fractional_digits_are_kept_and_no_zero_is_written() {
        for (text, written) in [
            (
                "2025-03-01T00:00:00.1234567Z",
                "2025-03-01T00:00:00.1234567Z",
            ),
            (
                "2025-03-01T00:00:00.123456789",
                "2025-03-01T00:00:00.1234567Z",
            ),
            // RFC 3339, section 5.6: `time-secfrac = "." 1*DIGIT`, without an upper bound.
            (
                "2025-03-01T00:00:00.12345678901234567890Z",
                "2025-03-01T00:00:00.1234567Z",
            ),
            ("2025-03-01T00:00:00.5000000Z", "2025-03-01T00:00:00.5Z"),
            ("2025-03-01T00:00:00.000Z", "2025-03-01T00:00:00Z"),
            (
                "1969-12-31T23:59:59.9999999Z",
                "1969-12-31T23:59:59.9999999Z",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(written), "{text}");
        }
    }

    #[test]
    fn what_is_no_timestamp_is_refused() {
        for text in [
            "",
            "2025-02-29",
            "2025-03-01 ",
            "2025-03-01T",
            "2025-03-01Z",
            "2025-03",
            "20250301",
            // No numeric form begins with the day or the month.
            "03-01-2025",
            "01.03.2025",
            "3/1/2025",
            "2025-13-01T00:00:00Z",
            "2025-02-30T00:00:00Z",
            "2025-03-01T24:00:00Z",
            "2025-03-01T00:60:00Z",
            "2025-03-01T00:00:61Z",
            "2025-03-01T00:00:00.Z",
            "2025-03-01T00:00:00+1:00",
            "2025-03-01T00:00:00+01000",
            "2025-03-01T00:00:00+010",
            "2025-03-01T00:00:00+01",
            "2025-03-01T00:00:00+2400",
            "2025-03-01T00:00:00-0060",
            "2025-03-01T00:00:0000",
            "2025-03-01T00:00:00Zz",
            "2025-03-01T00:00:00 Z",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "2025-03-0１T00:00:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn ticks_are_100_ns_since_1970() {
        // POSIX: 2000-01-01T00:00Z is 946_684_800 s.
        let timestamp: Timestamp = "2000-01-01T00:00:00.0000001Z".parse().expect("valid");
        assert_eq!(timestamp.ticks(), 9_466_848_000_000_001);
        assert_eq!(Timestamp::from_ticks(timestamp.ticks()), Some(timestamp));
        assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.9999999Z");
        assert_eq!(Timestamp::from_ticks(Timestamp::MAX.ticks() + 1), None);
    }

    #[test]
    fn instants_agree_with_jiff() {
        for ticks in (-40_000..40_000_i64).map(|step| step * 99_999_999_937) {
            let Some(ours) = Timestamp::from_ticks(ticks) else {
                continue;
            };
            let theirs = jiff::Timestamp::from(ours);
            assert_eq!(theirs.to_string().parse::<Timestamp>(), Ok(ours));
            assert_eq!(
                ours.to_string()
                    .parse::<jiff::Timestamp>()
                    .expect("RFC 3339"),
                theirs
            );
            assert_eq!(Timestamp::try_from(theirs), Ok(ours));
        }
    }

    #[test]
    fn a_message_says_what_was_expected() {
        let message = serde_json::from_str::<Timestamp>(r#""2025-13-01T00:00:00Z""#)
            .expect_err("no month 13")
            .to_string();
        assert_eq!(
            message,
            "expected a day the calendar has at line 1 column 22"
        );
        for text in [r#""03-01-2025""#, "5"] {
            let message = serde_json::from_str::<Timestamp>(text).expect_err(text);
            assert!(
                message.to_string().contains(
                    "expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02"
                ),
                "{message}"
            );
        }
    }
}
