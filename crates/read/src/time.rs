//! Instants and dates as RFC 3339 text, without allocation.
//!
//! The store has an instant as ticks of 100 ns since 1970-01-01T00:00Z and a date as days since then. This
//! module only writes; it does not parse.

use obeya_odata::calendar::{TICKS_PER_DAY, civil_from_days};

/// Writes instants and dates, and caches the last day: most rows of an answer share it with their neighbour,
/// and the calendar computation is the expensive part.
#[derive(Debug, Clone)]
pub(crate) struct TimestampFormatter {
    day: i64,
    text: [u8; 10],
}

impl TimestampFormatter {
    /// A new formatter.
    pub fn new() -> Self {
        Self {
            day: 0,
            text: *b"1970-01-01",
        }
    }

    /// Writes an instant in quotes: `"2025-03-01T06:30:00Z"`, with only the fractional digits it needs, at
    /// most seven.
    pub fn instant(&mut self, out: &mut Vec<u8>, ticks: i64) {
        let (day, of_day) = (
            ticks.div_euclid(TICKS_PER_DAY),
            ticks.rem_euclid(TICKS_PER_DAY).unsigned_abs(),
        );
        self.set_day(day);
        let (seconds, fraction) = (of_day / 10_000_000, of_day % 10_000_000);
        let mut text = *b"\"0000-00-00T00:00:00Z\"";
        text[1..11].copy_from_slice(&self.text);
        text[12..14].copy_from_slice(&two_digits(seconds / 3600));
        text[15..17].copy_from_slice(&two_digits(seconds / 60 % 60));
        text[18..20].copy_from_slice(&two_digits(seconds % 60));
        if fraction == 0 {
            out.extend_from_slice(&text);
            return;
        }
        out.extend_from_slice(&text[..20]);
        let mut digits = *b".0000000";
        let mut left = fraction;
        for digit in digits[1..].iter_mut().rev() {
            *digit = b'0' + (left % 10).to_le_bytes()[0];
            left /= 10;
        }
        let length = digits
            .iter()
            .rposition(|&digit| digit != b'0')
            .map_or(0, |last| last + 1);
        out.extend_from_slice(&digits[..length]);
        out.extend_from_slice(b"Z\"");
    }

    /// Writes a date in quotes: `"2025-03-01"`.
    pub fn date(&mut self, out: &mut Vec<u8>, days: i64) {
        self.set_day(days);
        out.push(b'"');
        out.extend_from_slice(&self.text);
        out.push(b'"');
    }

    fn set_day(&mut self, day: i64) {
        if day != self.day {
            self.day = day;
            self.text = calendar(day);
        }
    }
}

/// The text of a day. Input is limited to the years 0000 to 9999, the range of RFC 3339; a day outside is
/// written as the nearest one inside.
fn calendar(day: i64) -> [u8; 10] {
    const FIRST: i64 = -719_528;
    const LAST: i64 = 2_932_896;
    let (year, month, day_of_month) = civil_from_days(day.clamp(FIRST, LAST));
    let year = year.unsigned_abs();
    let mut text = *b"0000-00-00";
    text[0..2].copy_from_slice(&two_digits(year / 100));
    text[2..4].copy_from_slice(&two_digits(year % 100));
    text[5..7].copy_from_slice(&two_digits(month.unsigned_abs()));
    text[8..10].copy_from_slice(&two_digits(day_of_month.unsigned_abs()));
    text
}

fn two_digits(value: u64) -> [u8; 2] {
    [
        b'0' + (value / 10 % 10).to_le_bytes()[0],
        b'0' + (value % 10).to_le_bytes()[0],
    ]
}

#[cfg(test)]
mod tests {
    use obeya_odata::calendar::TICKS_PER_SECOND;

    use super::*;

    fn instant(ticks: i64) -> String {
        let mut out = Vec::new();
        TimestampFormatter::new().instant(&mut out, ticks);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn instants_are_rfc_3339_in_utc_with_only_the_digits_needed() {
        // Seconds since the epoch by `date -u -d … +%s`.
        let cases = [
            (0, "\"1970-01-01T00:00:00Z\""),
            (1_709_249_400 * TICKS_PER_SECOND, "\"2024-02-29T23:30:00Z\""),
            (
                1_709_280_930 * TICKS_PER_SECOND + 2_500_000,
                "\"2024-03-01T08:15:30.25Z\"",
            ),
            (
                1_709_280_930 * TICKS_PER_SECOND + 1,
                "\"2024-03-01T08:15:30.0000001Z\"",
            ),
            (-TICKS_PER_SECOND, "\"1969-12-31T23:59:59Z\""),
            (
                -62_167_219_200 * TICKS_PER_SECOND,
                "\"0000-01-01T00:00:00Z\"",
            ),
            (
                -62_135_596_800 * TICKS_PER_SECOND,
                "\"0001-01-01T00:00:00Z\"",
            ),
            (
                253_402_300_800 * TICKS_PER_SECOND - 1,
                "\"9999-12-31T23:59:59.9999999Z\"",
            ),
        ];
        for (ticks, expected) in cases {
            assert_eq!(instant(ticks), expected);
        }
    }

    #[test]
    fn every_day_of_four_centuries_agrees_with_another_calendar() {
        let mut timestamps = TimestampFormatter::new();
        let mut date = jiff::civil::date(1800, 1, 1);
        let epoch = jiff::civil::date(1970, 1, 1);
        while date.year() < 2201 {
            let days = epoch.until(date).unwrap().get_days();
            let mut out = Vec::new();
            timestamps.date(&mut out, days.into());
            assert_eq!(String::from_utf8(out).unwrap(), format!("\"{date}\""));
            date = date.tomorrow().unwrap();
        }
    }
}
