//! Reads dates and instants as people write them. The order of day and month is decided by a whole column,
//! never by one cell, and a local time gets the zone that the caller names.

use std::fmt;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use serde::Deserialize;

/// The order of the parts of a date, or the count of days of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DateOrder {
    /// Day, month, year: 31/12/2026
    Dmy,
    /// Month, day, year: 12/31/2026
    Mdy,
    /// Days since 1900, as Excel counts them: 46387
    Excel,
    /// Days since 1904, as Excel for the Macintosh did: 44925
    Excel1904,
}

impl fmt::Display for DateOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dmy => "dmy",
            Self::Mdy => "mdy",
            Self::Excel => "excel",
            Self::Excel1904 => "excel1904",
        })
    }
}

/// What the texts of a column say about their order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// Every text has one meaning only in this order.
    Order(DateOrder),
    /// No text depends on an order.
    NoMatter,
    /// Such as `03/04/2026`.
    Ambiguous(String),
    /// One text needs an order, another the other one.
    Contradiction(String, String),
}

/// A date as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Written {
    pub(crate) date: Date,
    /// `None` if only a day is written.
    pub(crate) time: Option<Time>,
    /// `None` if it is local.
    pub(crate) offset: Option<Offset>,
}

impl Written {
    /// A date of a workbook, which may be a whole day.
    pub(crate) fn of_workbook(moment: DateTime, is_day: bool) -> Self {
        Self {
            date: moment.date(),
            time: (!is_day).then(|| moment.time()),
            offset: None,
        }
    }

    /// The instant. A day is its midnight in UTC, as everywhere in this interface; a local time that clocks
    /// show twice is the first, and one that they skip is that much later.
    pub(crate) fn instant(self, zone: &TimeZone) -> Result<jiff::Timestamp, jiff::Error> {
        let zone = match (self.time, self.offset) {
            (None, _) => TimeZone::UTC,
            (Some(_), Some(offset)) => offset.to_time_zone(),
            (Some(_), None) => zone.clone(),
        };
        let moment = self.date.to_datetime(self.time.unwrap_or(Time::midnight()));
        Ok(moment.to_zoned(zone)?.timestamp())
    }

    /// The day, in the zone if the instant is known.
    pub(crate) fn day(self, zone: &TimeZone) -> Result<Date, jiff::Error> {
        match self.offset {
            Some(_) => Ok(self.instant(zone)?.to_zoned(zone.clone()).date()),
            None => Ok(self.date),
        }
    }
}

/// Judges the texts of a column.
pub(crate) fn find<'a>(texts: impl IntoIterator<Item = &'a str>) -> Found {
    let (mut dmy, mut mdy, mut ambiguous) = (None, None, None);
    for text in texts {
        let read = |order| parse(text, Some(order));
        match (read(DateOrder::Dmy), read(DateOrder::Mdy)) {
            (Some(_), None) => dmy = dmy.or(Some(text)),
            (None, Some(_)) => mdy = mdy.or(Some(text)),
            (Some(day_first), Some(month_first)) if day_first != month_first => {
                ambiguous = ambiguous.or(Some(text));
            }
            _ => {}
        }
    }
    match (dmy, mdy, ambiguous) {
        (Some(dmy), Some(mdy), _) => Found::Contradiction(dmy.to_owned(), mdy.to_owned()),
        (Some(_), None, _) => Found::Order(DateOrder::Dmy),
        (None, Some(_), _) => Found::Order(DateOrder::Mdy),
        (None, None, Some(text)) => Found::Ambiguous(text.to_owned()),
        (None, None, None) => Found::NoMatter,
    }
}

/// A date with or without a time; `None` if the text is none, or depends on an order that is not known.
pub(crate) fn parse(text: &str, order: Option<DateOrder>) -> Option<Written> {
    let text = text.trim();
    if let Some(order @ (DateOrder::Excel | DateOrder::Excel1904)) = order
        && let Ok(days) = text.replace(',', ".").parse::<f64>()
    {
        return serial(days, order);
    }
    let (day, rest) = split_day(text);
    let date = parse_day(day, order)?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Some(Written {
            date,
            time: None,
            offset: None,
        });
    }
    let (time, offset) = split_offset(rest)?;
    Some(Written {
        date,
        time: Some(parse_time(time)?),
        offset,
    })
}

/// A count of days of a workbook. The fraction is the time.
pub(crate) fn serial(days: f64, order: DateOrder) -> Option<Written> {
    if !(0.0..2_958_466.0).contains(&days) {
        return None;
    }
    let whole = days.floor();
    // Excel counts a 29 February 1900, which there was not.
    let zero = match order {
        DateOrder::Excel1904 => Date::constant(1904, 1, 1),
        _ if whole < 60.0 => Date::constant(1899, 12, 31),
        _ => Date::constant(1899, 12, 30),
    };
    let milliseconds = ((days - whole) * 86_400_000.0).round() as i64;
    let days = jiff::Span::new().days(whole as i64);
    let moment = zero.checked_add(days).ok()?.to_datetime(Time::midnight());
    let moment = moment
        .checked_add(jiff::SignedDuration::from_millis(milliseconds))
        .ok()?;
    Some(Written::of_workbook(moment, milliseconds == 0))
}

/// The day and what follows it: a time begins after a space, a `T` or a comma.
fn split_day(text: &str) -> (&str, &str) {
    let is_time = |part: &str| part.contains(':');
    for (at, sign) in text.char_indices() {
        let rest = &text[at + sign.len_utf8()..];
        let is_border = match sign {
            'T' | 't' => text[..at].ends_with(|digit: char| digit.is_ascii_digit()),
            ',' => true,
            sign => sign.is_whitespace(),
        };
        if is_border && is_time(rest) && rest.trim_start().starts_with(|next: char| next.is_ascii_digit())
            // "2 Mar 2026 14:00" has its time after the last border only.
            && rest.trim_start().split(':').next().is_some_and(|hour| hour.len() <= 2)
        {
            return (text[..at].trim_end_matches(','), rest);
        }
    }
    (text, "")
}

fn parse_day(text: &str, order: Option<DateOrder>) -> Option<Date> {
    let text = text.trim();
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return date(&text[..4], &text[4..6], &text[6..]);
    }
    if text.contains(char::is_alphabetic) {
        return parse_named(text);
    }
    let separator = text.chars().find(|sign| matches!(sign, '.' | '/' | '-'))?;
    let parts: Vec<&str> = text
        .trim_end_matches('.')
        .split(separator)
        .map(str::trim)
        .collect();
    let &[first, second, third] = parts.as_slice() else {
        return None;
    };
    if first.len() == 4 {
        return date(first, second, third);
    }
    let order = match separator {
        // Nobody writes the month first with points.
        '.' => DateOrder::Dmy,
        _ => order?,
    };
    match order {
        DateOrder::Mdy => date(third, first, second),
        _ => date(third, second, first),
    }
}

/// `2. mars 2026`, `02-Mar-2026`, `Mar 2, 2026`.
fn parse_named(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text
        .split(|sign: char| sign.is_whitespace() || matches!(sign, '.' | ',' | '-' | '/'))
        .filter(|part| !part.is_empty())
        .collect();
    let &[first, second, third] = parts.as_slice() else {
        return None;
    };
    match (month(first), month(second)) {
        (Some(month), None) => date(third, month, second),
        (None, Some(month)) if first.len() == 4 => date(first, month, third),
        (None, Some(month)) => date(third, month, first),
        _ => None,
    }
}

/// The number of a month by its English, Norwegian or German name, or the first three letters of it.
fn month(name: &str) -> Option<&'static str> {
    const MONTHS: [(&str, &[&str]); 12] = [
        ("1", &["january", "januar", "jan", "jänner"]),
        ("2", &["february", "februar", "feb"]),
        ("3", &["march", "mars", "märz", "mar", "mär", "mrz"]),
        ("4", &["april", "apr"]),
        ("5", &["may", "mai"]),
        ("6", &["june", "juni", "jun"]),
        ("7", &["july", "juli", "jul"]),
        ("8", &["august", "aug"]),
        ("9", &["september", "sep", "sept"]),
        ("10", &["october", "oktober", "oct", "okt"]),
        ("11", &["november", "nov"]),
        (
            "12",
            &["december", "desember", "dezember", "dec", "des", "dez"],
        ),
    ];
    let name = name.to_lowercase();
    let found = MONTHS.iter().find(|(_, names)| names.contains(&&*name));
    found.map(|(number, _)| *number)
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    let number = |text: &str| {
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_digits.then(|| text.parse::<i16>().ok()).flatten()
    };
    let year = match (year.len(), number(year)?) {
        (4, year) => year,
        // From 1970 to 2069: spreadsheets end in 2029, but due dates do not.
        (2, year) if year < 70 => 2000 + year,
        (2, year) => 1900 + year,
        _ => return None,
    };
    let part = |text: &str| i8::try_from(number(text).filter(|_| text.len() <= 2)?).ok();
    Date::new(year, part(month)?, part(day)?).ok()
}

/// The time and the offset from UTC after it.
fn split_offset(text: &str) -> Option<(&str, Option<Offset>)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time.trim_end(), Some(Offset::UTC)));
    }
    let Some(at) = text.rfind(['+', '-']) else {
        return Some((text, None));
    };
    let digits = text[at + 1..].replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (digits.parse::<i32>().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse::<i32>().ok()?),
        _ => return None,
    };
    let seconds = (hours * 60 + minutes) * 60;
    let sign = if text[at..].starts_with('-') { -1 } else { 1 };
    Some((
        text[..at].trim_end(),
        Some(Offset::from_seconds(sign * seconds).ok()?),
    ))
}

fn parse_time(text: &str) -> Option<Time> {
    let lower = text.to_lowercase().replace('.', ":");
    let (digits, half) = match lower.strip_suffix("am").or(lower.strip_suffix("a:m:")) {
        Some(rest) => (rest, Some(false)),
        None => match lower.strip_suffix("pm").or(lower.strip_suffix("p:m:")) {
            Some(rest) => (rest, Some(true)),
            None => (&*lower, None),
        },
    };
    let parts: Vec<&str> = digits.trim().split(':').collect();
    let &[hour, minute, ref rest @ ..] = parts.as_slice() else {
        return None;
    };
    let hour: i8 = hour.parse().ok()?;
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(is_afternoon) => hour % 12 + if is_afternoon { 12 } else { 0 },
    };
    let (second, fraction) = match *rest {
        [] => ("0", "0"),
        [second] => (second, "0"),
        [second, fraction] => (second, fraction),
        _ => return None,
    };
    if fraction.is_empty()
        || fraction.len() > 9
        || !fraction.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let nanosecond: i32 = format!("{fraction:0<9}").parse().ok()?;
    Time::new(hour, minute.parse().ok()?, second.parse().ok()?, nanosecond).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn instant(text: &str, order: Option<DateOrder>, zone: &str) -> String {
        let zone = TimeZone::get(zone).unwrap();
        let written = parse(text, order).unwrap_or_else(|| panic!("{text} is no date"));
        written.instant(&zone).unwrap().to_string()
    }

    #[test]
    fn a_day_is_read_however_it_is_written() {
        for text in [
            "2026-03-02",
            "20260302",
            "2026/03/02",
            "02.03.2026",
            "2.3.2026",
            "2.3.26",
            "2. mars 2026",
            "2. März 2026",
            "02-Mar-2026",
            "2026-Mar-02",
            "Mar 2, 2026",
            "March 2 2026",
            "2 Mar 2026",
        ] {
            assert_eq!(
                instant(text, None, "Europe/Oslo"),
                "2026-03-02T00:00:00Z",
                "{text}"
            );
        }
        assert_eq!(
            instant("02/03/2026", Some(DateOrder::Dmy), "UTC"),
            "2026-03-02T00:00:00Z"
        );
        assert_eq!(
            instant("02/03/2026", Some(DateOrder::Mdy), "UTC"),
            "2026-02-03T00:00:00Z"
        );
        // Two digits are a year from 1970 to 2069.
        assert_eq!(instant("2.3.69", None, "UTC"), "2069-03-02T00:00:00Z");
        assert_eq!(instant("2.3.70", None, "UTC"), "1970-03-02T00:00:00Z");
    }

    /// Norway is an hour before UTC in winter and two hours in summer; the clocks of 2026 change on 29 March
    /// and 25 October, at 01:00 UTC.
    #[test]
    fn a_local_time_is_in_its_zone_and_an_offset_wins() {
        for (text, expected) in [
            ("02.03.2026 14:30", "2026-03-02T13:30:00Z"),
            ("02.07.2026 14:30:15", "2026-07-02T12:30:15Z"),
            ("2026-07-02T14:30:15.25", "2026-07-02T12:30:15.25Z"),
            ("2 Jul 2026, 2:30 PM", "2026-07-02T12:30:00Z"),
            ("2. juli 2026 14.30", ""),
            ("2026-07-02T14:30:00Z", "2026-07-02T14:30:00Z"),
            ("2026-07-02 14:30:00+05:30", "2026-07-02T09:00:00Z"),
            ("2026-07-02T14:30:00 -0800", "2026-07-02T22:30:00Z"),
            ("25.10.2026 02:30", "2026-10-25T00:30:00Z"),
            ("29.03.2026 02:30", "2026-03-29T01:30:00Z"),
        ] {
            if expected.is_empty() {
                assert_eq!(parse(text, None), None, "{text}");
            } else {
                assert_eq!(instant(text, None, "Europe/Oslo"), expected, "{text}");
            }
        }
        let midnight = parse("7/2/2026 12:05 am", Some(DateOrder::Mdy)).unwrap();
        assert_eq!(midnight.time, Some(Time::constant(0, 5, 0, 0)));
    }

    /// An instant with an offset is on another day elsewhere.
    #[test]
    fn the_day_of_an_instant_is_the_day_in_the_zone() {
        let zone = TimeZone::get("Europe/Oslo").unwrap();
        let day = |text| parse(text, None).unwrap().day(&zone).unwrap().to_string();
        assert_eq!(day("2026-03-02T23:30:00Z"), "2026-03-03");
        assert_eq!(day("2026-03-02 23:30"), "2026-03-02");
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "31.02.2026",
            "2026-13-01",
            "02/03/2026",
            "5",
            "abc",
            "1.2",
            "2026-03-02 25:00",
            "2026-03-02 x",
            "1.2.3.4",
            "2026-03-02 13:00 pm",
            "2026-003-02",
            "2026-03-02 14:00:00.0000000001",
            "12:30",
        ] {
            assert_eq!(parse(text, None), None, "{text}");
        }
    }

    #[test]
    fn a_column_decides_the_order() {
        assert_eq!(
            find(["03/04/2026", "31/12/2026"]),
            Found::Order(DateOrder::Dmy)
        );
        assert_eq!(
            find(["03/04/2026", "12/31/2026"]),
            Found::Order(DateOrder::Mdy)
        );
        assert_eq!(
            find(["03/03/2026", "2026-01-31", "1.2.2026", "x"]),
            Found::NoMatter
        );
        assert_eq!(
            find(["3/3/2026", "03/04/2026"]),
            Found::Ambiguous("03/04/2026".to_owned())
        );
        assert_eq!(
            find(["31/12/2026", "12/31/2026"]),
            Found::Contradiction("31/12/2026".to_owned(), "12/31/2026".to_owned())
        );
    }

    /// The serials are those of Microsoft's documentation of DATE and of the two systems: 1 January 1900
    /// is 1, 1 March 1900 is 61, 5 July 2011 is 40729, and in the system of 1904 it is 39267. The last day,
    /// 31 December 9999, is 2958465. For the day that there was not, openpyxl gives the one before too.
    #[test]
    fn days_of_workbooks_count_from_1900_or_1904() {
        let day = |days: f64, order| serial(days, order).unwrap().date.to_string();
        assert_eq!(day(1.0, DateOrder::Excel), "1900-01-01");
        assert_eq!(day(59.0, DateOrder::Excel), "1900-02-28");
        assert_eq!(day(60.0, DateOrder::Excel), "1900-02-28");
        assert_eq!(day(61.0, DateOrder::Excel), "1900-03-01");
        assert_eq!(day(40_729.0, DateOrder::Excel), "2011-07-05");
        assert_eq!(day(39_267.0, DateOrder::Excel1904), "2011-07-05");
        let noon = parse("40729,5", Some(DateOrder::Excel)).unwrap();
        assert_eq!(noon.time, Some(Time::constant(12, 0, 0, 0)));
        assert_eq!(day(2_958_465.0, DateOrder::Excel), "9999-12-31");
        for days in [-1.0, 2_958_466.0, 1e9, f64::NAN] {
            assert_eq!(serial(days, DateOrder::Excel), None, "{days}");
        }
    }
}
