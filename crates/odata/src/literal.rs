//! The texts of temporal and GUID literals as values, and back.
//!
//! Parsers take the whole text and return `None` when it is not of the form at all, `Some(Err)` when it is
//! but the value can't be (30 February). They know no tokens and no positions.

use crate::ast::Literal;
use crate::calendar::{
    MAX_TICKS, MIN_TICKS, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND,
    civil_from_days, days_from_civil, days_in_month,
};

/// Why a text of the right form is not a value.
pub(crate) type Reason = &'static str;

/// Bytes with a cursor; every step consumes or leaves the cursor where it was.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self
            .bytes
            .get(self.at)
            .is_some_and(|b| b.eq_ignore_ascii_case(&byte));
        self.at += usize::from(hit);
        hit
    }

    /// Exactly `count` digits, at most 4.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let run = self.bytes.get(self.at..self.at + count)?;
        let value = run.iter().try_fold(0, |value, b| {
            b.is_ascii_digit().then(|| value * 10 + i64::from(b - b'0'))
        })?;
        self.at += count;
        Some(value)
    }

    /// As many digits as there are, at least one, as text.
    fn run(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }
}

/// The fraction of a second in ticks; digits after the seventh are truncated, because the store has 100 ns.
fn fraction_ticks(digits: &[u8]) -> i64 {
    (0..7).fold(0, |ticks, place| {
        ticks * 10 + digits.get(place).map_or(0, |b| i64::from(b - b'0'))
    })
}

/// Reads the longest date, date-time or time of day at the start of `text`; the length read comes with it. An
/// offset may be without its colon, as in bodies.
pub(crate) fn temporal_prefix(text: &str) -> Option<(usize, Result<Literal, Reason>)> {
    prefix(text, OffsetColon::Optional)
}

/// Whether an offset must have its colon.
#[derive(Clone, Copy, PartialEq)]
enum OffsetColon {
    Required,
    Optional,
}

fn prefix(text: &str, colon: OffsetColon) -> Option<(usize, Result<Literal, Reason>)> {
    let mut cursor = Cursor::new(text);
    if let Some(time) = time_of_day(&mut cursor, 59) {
        return Some((cursor.at, time.map(Literal::TimeOfDay)));
    }
    cursor.at = 0;
    let date = date(&mut cursor)?;
    let before_time = cursor.at;
    if !cursor.eat(b'T') {
        return Some((cursor.at, date.map(Literal::Date)));
    }
    let Some(time) = time_of_day(&mut cursor, LEAP_SECOND) else {
        return Some((before_time, date.map(Literal::Date)));
    };
    let offset = offset_minutes(&mut cursor, colon);
    let literal = date.and_then(|days| {
        let (time, offset_minutes) = (time?, offset?);
        let ticks = days * TICKS_PER_DAY + time - i64::from(offset_minutes) * TICKS_PER_MINUTE;
        if (MIN_TICKS..=MAX_TICKS).contains(&ticks) {
            Ok(Literal::DateTimeOffset {
                ticks,
                offset_minutes,
            })
        } else {
            Err("the instant is outside the years 0000 to 9999")
        }
    });
    Some((cursor.at, literal))
}

/// A whole text as a date, date-time or time of day, strictly by the grammar: a value that is cast is read by
/// databases too.
pub(crate) fn temporal(text: &str) -> Option<Result<Literal, Reason>> {
    prefix(text, OffsetColon::Required)
        .filter(|(length, _)| *length == text.len())
        .map(|(_, literal)| literal)
}

fn date(cursor: &mut Cursor<'_>) -> Option<Result<i64, Reason>> {
    let year = cursor.digits(4)?;
    if !cursor.eat(b'-') {
        return None;
    }
    let month = cursor.digits(2)?;
    if !cursor.eat(b'-') {
        return None;
    }
    let day = cursor.digits(2)?;
    Some(if !(1..=12).contains(&month) {
        Err("there is no such month")
    } else if !(1..=days_in_month(year, month)).contains(&day) {
        Err("there is no such day in that month")
    } else {
        Ok(days_from_civil(year, month, day))
    })
}

/// Instants may fall into a leap second. No clock here knows them: it is read as the last second of its
/// minute.
const LEAP_SECOND: i64 = 60;

fn time_of_day(cursor: &mut Cursor<'_>, last_second: i64) -> Option<Result<i64, Reason>> {
    let hour = cursor.digits(2)?;
    if !cursor.eat(b':') {
        return None;
    }
    let minute = cursor.digits(2)?;
    let (mut second, mut fraction) = (0, 0);
    let before_seconds = cursor.at;
    if cursor.eat(b':') {
        if let Some(value) = cursor.digits(2) {
            second = value;
            let before_fraction = cursor.at;
            if cursor.eat(b'.') {
                match cursor.run() {
                    Some(digits) => fraction = fraction_ticks(digits),
                    None => cursor.at = before_fraction,
                }
            }
        } else {
            cursor.at = before_seconds;
        }
    }
    Some(if hour > 23 || minute > 59 || second > last_second {
        Err("the hour is at most 23, minutes and seconds at most 59")
    } else {
        Ok(hour * TICKS_PER_HOUR
            + minute * TICKS_PER_MINUTE
            + second.min(59) * TICKS_PER_SECOND
            + fraction)
    })
}

/// The offset of a date-time; none means UTC, as everywhere in this interface.
fn offset_minutes(cursor: &mut Cursor<'_>, colon: OffsetColon) -> Result<i16, Reason> {
    const FAULT: Reason = "an offset is written Z, +hh:mm or -hh:mm, and + as %2B in a URL";
    let sign = if cursor.eat(b'+') {
        1
    } else if cursor.eat(b'-') {
        -1
    } else {
        cursor.eat(b'Z');
        return Ok(0);
    };
    let hours = cursor.digits(2).ok_or(FAULT)?;
    if !cursor.eat(b':') && colon == OffsetColon::Required {
        return Err(FAULT);
    }
    let minutes = cursor.digits(2).ok_or(FAULT)?;
    if hours > 23 || minutes > 59 {
        return Err(FAULT);
    }
    i16::try_from(sign * (hours * 60 + minutes)).map_err(|_| FAULT)
}

/// The content of `duration'…'`: days, hours, minutes and seconds (`P1DT2H3M4.5S`), as ticks.
pub(crate) fn duration(text: &str) -> Option<i64> {
    let mut cursor = Cursor::new(text);
    let negative = cursor.eat(b'-');
    if !negative {
        cursor.eat(b'+');
    }
    if !cursor.eat(b'P') {
        return None;
    }
    let (mut ticks, mut parts, mut in_time) = (0_i64, 0, false);
    // Units must come in this order, each at most once; days only before the T, the rest only after it.
    let mut units = [
        (b'D', TICKS_PER_DAY),
        (b'H', TICKS_PER_HOUR),
        (b'M', TICKS_PER_MINUTE),
        (b'S', TICKS_PER_SECOND),
    ]
    .into_iter()
    .enumerate();
    while cursor.at < text.len() {
        if !in_time && cursor.eat(b'T') {
            in_time = true;
            if cursor.at == text.len() {
                return None;
            }
            continue;
        }
        let whole = std::str::from_utf8(cursor.run()?)
            .ok()?
            .parse::<i64>()
            .ok()?;
        let fraction = if cursor.eat(b'.') {
            Some(fraction_ticks(cursor.run()?))
        } else {
            None
        };
        let unit = *cursor.bytes.get(cursor.at)?;
        let (place, (letter, size)) =
            units.find(|(_, (letter, _))| letter.eq_ignore_ascii_case(&unit))?;
        if (place > 0) != in_time || (fraction.is_some() && letter != b'S') {
            return None;
        }
        cursor.at += 1;
        parts += 1;
        ticks = ticks
            .checked_add(whole.checked_mul(size)?)?
            .checked_add(fraction.unwrap_or(0))?;
    }
    (parts > 0).then_some(if negative { -ticks } else { ticks })
}

/// Whether a text begins with a GUID: 8-4-4-4-12 hexadecimal digits.
pub(crate) fn guid_prefix(text: &str) -> Option<&str> {
    let guid = text.get(..36)?;
    let shaped = guid.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    shaped.then_some(guid)
}

/// `YYYY-MM-DD`.
pub(crate) fn print_date(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `hh:mm:ss` with only the fractional digits needed.
pub(crate) fn print_time(ticks: i64) -> String {
    let ticks = ticks.rem_euclid(TICKS_PER_DAY);
    let mut text = format!(
        "{:02}:{:02}:{:02}",
        ticks / TICKS_PER_HOUR,
        ticks / TICKS_PER_MINUTE % 60,
        ticks / TICKS_PER_SECOND % 60
    );
    push_fraction(&mut text, ticks % TICKS_PER_SECOND);
    text
}

/// An instant in UTC, with `Z`.
pub(crate) fn print_instant(ticks: i64) -> String {
    format!(
        "{}T{}Z",
        print_date(ticks.div_euclid(TICKS_PER_DAY)),
        print_time(ticks)
    )
}

/// A duration in days, hours, minutes and seconds, without `duration'…'`.
pub(crate) fn print_duration(ticks: i64) -> String {
    // Unsigned, since the smallest i64 has no positive counterpart.
    let magnitude = ticks.unsigned_abs();
    let unit = |size: i64| size.unsigned_abs();
    let mut text = if ticks < 0 {
        "-P".to_owned()
    } else {
        "P".to_owned()
    };
    let days = magnitude / unit(TICKS_PER_DAY);
    let rest = magnitude % unit(TICKS_PER_DAY);
    if days > 0 {
        text.push_str(&format!("{days}D"));
    }
    if rest > 0 || days == 0 {
        text.push('T');
        let (hours, minutes) = (
            rest / unit(TICKS_PER_HOUR),
            rest / unit(TICKS_PER_MINUTE) % 60,
        );
        let (seconds, fraction) = (
            rest / unit(TICKS_PER_SECOND) % 60,
            rest % unit(TICKS_PER_SECOND),
        );
        if hours > 0 {
            text.push_str(&format!("{hours}H"));
        }
        if minutes > 0 {
            text.push_str(&format!("{minutes}M"));
        }
        if seconds > 0 || fraction > 0 || rest == 0 {
            text.push_str(&seconds.to_string());
            push_fraction(&mut text, i64::try_from(fraction).unwrap_or(0));
            text.push('S');
        }
    }
    text
}

fn push_fraction(text: &mut String, ticks: i64) {
    if ticks > 0 {
        let digits = format!("{ticks:07}");
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_the_same_whatever_the_offset() {
        let utc = temporal("2024-01-01T00:00:00Z");
        assert_eq!(
            utc,
            Some(Ok(Literal::DateTimeOffset {
                ticks: 17_040_672_000_000_000,
                offset_minutes: 0
            }))
        );
        for (text, minutes) in [
            ("2023-12-31T19:00:00-05:00", -300),
            ("2024-01-01T05:30+05:30", 330),
        ] {
            let expected = Literal::DateTimeOffset {
                ticks: 17_040_672_000_000_000,
                offset_minutes: minutes,
            };
            assert_eq!(temporal(text), Some(Ok(expected)), "{text}");
        }
    }

    #[test]
    fn only_an_offset_that_is_cast_must_have_its_colon() {
        for (text, offset_minutes) in [
            ("2023-12-31T19:00:00-0500", -300),
            ("2024-01-01T05:30+0530", 330),
            ("2024-01-01T00:00:00.0+0000", 0),
        ] {
            let expected = Literal::DateTimeOffset {
                ticks: 17_040_672_000_000_000,
                offset_minutes,
            };
            assert_eq!(temporal_prefix(text), Some((text.len(), Ok(expected))));
            assert_eq!(temporal(text), None, "{text}");
        }
        for text in ["2024-01-01T00:00:00+05", "2024-01-01T00:00:00-2400"] {
            assert!(matches!(temporal_prefix(text), Some((_, Err(_)))), "{text}");
        }
    }

    #[test]
    fn fractions_keep_seven_digits() {
        assert_eq!(
            temporal("00:00:00.25"),
            Some(Ok(Literal::TimeOfDay(2_500_000)))
        );
        assert_eq!(
            temporal("00:00:00.123456789"),
            Some(Ok(Literal::TimeOfDay(1_234_567)))
        );
        // OData's grammar has at most twelve digits, RFC 3339 any number: bodies and expressions take the
        // same texts.
        assert_eq!(
            temporal("00:00:00.12345678901234567890"),
            Some(Ok(Literal::TimeOfDay(1_234_567)))
        );
    }

    // The grammar: year = "0" 3DIGIT / …; second = zeroToFiftyNine / "60" ; for leap seconds.
    #[test]
    fn the_year_0000_and_leap_seconds_are_of_the_grammar() {
        // Proleptic: 719,528 days before 1970-01-01.
        assert_eq!(temporal("0000-01-01"), Some(Ok(Literal::Date(-719_528))));
        assert_eq!(
            temporal("1972-06-30T23:59:60.5Z"),
            temporal("1972-06-30T23:59:59.5Z")
        );
    }

    #[test]
    fn impossible_values_are_distinguished_from_other_forms() {
        for text in [
            "2024-02-30",
            "2023-02-29",
            "2024-13-01",
            "24:00:00",
            "23:59:60",
            "2024-01-01T24:00:00Z",
            "2024-01-01T23:59:61Z",
            "2024-01-01T00:00:00+24:00",
            "0000-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
        ] {
            assert!(matches!(temporal(text), Some(Err(_))), "{text}");
        }
        for text in [
            "2024",
            "2024-01",
            "20240101",
            "noon",
            "2024-01-01T",
            "2024-01-01X",
        ] {
            assert_eq!(temporal(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_read_and_printed() {
        for (text, ticks) in [
            ("PT0S", 0),
            ("P1D", TICKS_PER_DAY),
            ("PT1H30M", 90 * TICKS_PER_MINUTE),
            ("-P2DT3.5S", -(2 * TICKS_PER_DAY + 35_000_000)),
            ("PT0.0000001S", 1),
        ] {
            assert_eq!(duration(text), Some(ticks), "{text}");
            assert_eq!(print_duration(ticks), text);
        }
        for text in [
            "",
            "P",
            "PT",
            "P1DT",
            "P1H",
            "PT1D",
            "PT1S1M",
            "PT1.5M",
            "P1Y",
            "PT1H1H",
            "P99999999999999999999D",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn instants_print_in_utc() {
        assert_eq!(
            print_instant(17_040_672_000_000_000),
            "2024-01-01T00:00:00Z"
        );
        assert_eq!(print_instant(-1), "1969-12-31T23:59:59.9999999Z");
    }
}
