//! The parameters of a page that are not OData options: its number, its size and its period.

use std::ops::RangeInclusive;

use obeya_model::Timestamp;
use obeya_model::bounds::operations::{
    list_datasource_values_v1 as values, list_tasks_of_board as tasks,
};
use obeya_model::bounds::parameters as records;
use obeya_odata::Parameters;

use super::error::ReadError;
use crate::text::quoted;

// One reader serves pages of values and pages of records.
const _: () = {
    use records::{page, page_size};
    assert!(*values::page::RANGE.start() == *page::RANGE.start());
    assert!(*values::page::RANGE.end() == *page::RANGE.end());
    assert!(values::page::DEFAULT == page::DEFAULT);
    assert!(*values::page_size::RANGE.start() == *page_size::RANGE.start());
    assert!(*values::page_size::RANGE.end() == *page_size::RANGE.end());
    assert!(values::page_size::DEFAULT == page_size::DEFAULT);
    assert!(*tasks::page::RANGE.start() == *page::RANGE.start());
    assert!(*tasks::page::RANGE.end() == *page::RANGE.end());
    assert!(tasks::page::DEFAULT == page::DEFAULT);
    assert!(*tasks::count::RANGE.start() == *page_size::RANGE.start());
    assert!(*tasks::count::RANGE.end() == *page_size::RANGE.end());
    assert!(tasks::count::DEFAULT == page_size::DEFAULT);
};

/// The parameters of a page of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageParameters {
    /// Only values after this instant, in ticks.
    pub from: Option<i64>,
    /// Only values before this instant, in ticks.
    pub to: Option<i64>,
    /// The page number, from 1.
    pub page: u32,
    /// The page size.
    pub page_size: u32,
}

impl PageParameters {
    /// The names of the parameters.
    pub const NAMES: [&'static str; 4] = ["from", "to", "page", "pageSize"];

    /// Reads the parameters; others are ignored.
    pub fn of(parameters: &Parameters) -> Result<Self, ReadError> {
        let [from, to, ..] = Self::NAMES;
        let (from, to) = period(parameters, [from, to], list_instant)?;
        let (page, page_size) = page(parameters, PAGE_NAMES)?;
        Ok(Self {
            from,
            to,
            page,
            page_size,
        })
    }
}

/// A period that a request must give, including both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// In ticks.
    pub from: i64,
    /// In ticks; not before `from`.
    pub to: i64,
}

impl Period {
    /// Reads the parameters `from` and `to`; others are ignored.
    pub fn of(query: &str) -> Result<Self, ReadError> {
        let parameters: Parameters = serde_urlencoded::from_str(query)
            .map_err(|error| ReadError::parameter("from", error.to_string()))?;
        let (from, to) = period(&parameters, ["from", "to"], instant)?;
        let required = |name: &str| {
            let text = format!("is required; expected {}", Timestamp::FORMS);
            ReadError::parameter(name, text)
        };
        Ok(Self {
            from: from.ok_or_else(|| required("from"))?,
            to: to.ok_or_else(|| required("to"))?,
        })
    }
}

/// The names of the number and the size of a page, but for tasks.
pub(super) const PAGE_NAMES: [&str; 2] = ["page", "pageSize"];

/// Reads the number and the size of the page from the two parameters of these names.
pub(super) fn page(
    parameters: &Parameters,
    [number, size]: [&str; 2],
) -> Result<(u32, u32), ReadError> {
    let [page, page_size] = [number, size].map(|name| single(parameters, name));
    let page = page?.map_or(Ok(records::page::DEFAULT), |text| {
        integer(number, text, &records::page::RANGE)
    })?;
    let page_size = page_size?.map_or(Ok(records::page_size::DEFAULT), |text| {
        integer(size, text, &records::page_size::RANGE)
    })?;
    // The ranges of both begin at 1.
    Ok((page.unsigned_abs(), page_size.unsigned_abs()))
}

/// Reads the two ends of a period. The first must not be later than the second.
pub(super) fn period(
    parameters: &Parameters,
    names: [&str; 2],
    read: impl Fn(&str, &str) -> Result<i64, ReadError>,
) -> Result<(Option<i64>, Option<i64>), ReadError> {
    let end = |name| {
        single(parameters, name)?
            .map(|text| read(name, text))
            .transpose()
    };
    let [from, to] = names;
    match (end(from)?, end(to)?) {
        (Some(first), Some(last)) if first > last => Err(ReadError::parameter(
            from,
            format!("lies after `{to}`; expected an instant before it"),
        )),
        ends => Ok(ends),
    }
}

/// The value of a parameter that may be given at most once.
pub(super) fn single<'a>(
    parameters: &'a Parameters,
    name: &str,
) -> Result<Option<&'a str>, ReadError> {
    let mut values = parameters
        .iter()
        .filter(|(found, _)| found.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str());
    let value = values.next();
    match values.next() {
        None => Ok(value),
        Some(_) => Err(ReadError::parameter(
            name,
            "is given more than once; expected one value",
        )),
    }
}

fn integer(name: &str, text: &str, allowed: &RangeInclusive<i32>) -> Result<i32, ReadError> {
    let value = Some(text)
        .filter(|text| !text.starts_with('+'))
        .and_then(|text| text.parse().ok());
    value
        .filter(|value| allowed.contains(value))
        .ok_or_else(|| {
            ReadError::parameter(
                name,
                format!(
                    "found {}, expected an integer from {} to {}",
                    quoted(text),
                    allowed.start(),
                    allowed.end()
                ),
            )
        })
}

/// Reads an instant, in ticks. Form decoding turns an unescaped `+` of an offset into a space, so a space
/// after the date and the character behind it is read as `+`.
pub(super) fn instant(name: &str, text: &str) -> Result<i64, ReadError> {
    read_instant(text).ok_or_else(|| misread(name, text, ""))
}

/// Reads an instant as the lists of v1 take it: also a date as existing clients write it, month, day and
/// year. No other numeric form is read, because none tells the day from the month.
pub(super) fn list_instant(name: &str, text: &str) -> Result<i64, ReadError> {
    let read = match month_first(text) {
        Some(date) => read_instant(&date),
        None => read_instant(text),
    };
    read.ok_or_else(|| misread(name, text, ", also written 03-02-2026 (month, day, year)"))
}

fn read_instant(text: &str) -> Option<i64> {
    let mended = match text.get(..11).zip(text.get(11..)) {
        Some((start, rest)) => &format!("{start}{}", rest.replace(' ', "+")),
        None => text,
    };
    mended.parse().ok().map(Timestamp::ticks)
}

/// `03-02-2026` as `2026-03-02`; `None` for other forms.
fn month_first(text: &str) -> Option<String> {
    let &[m1, m2, b'-', d1, d2, b'-', y1, y2, y3, y4] = text.as_bytes() else {
        return None;
    };
    let date = [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2];
    String::from_utf8(date.to_vec()).ok()
}

fn misread(name: &str, text: &str, also: &str) -> ReadError {
    let (found, forms) = (quoted(text), Timestamp::FORMS);
    ReadError::parameter(name, format!("found {found}, expected {forms}{also}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-02T00:00:00Z by `date -u -d 2026-03-02 +%s`.
    const DAY: i64 = 1_772_409_600 * 10_000_000;
    const HOUR: i64 = 3_600 * 10_000_000;

    #[test]
    fn instants_are_read_as_clients_write_them() {
        for (text, ticks) in [
            ("2026-03-02", DAY),
            ("2026-03-02T06:00:00Z", DAY + 6 * HOUR),
            ("2026-03-02t06:00:00+01:00", DAY + 5 * HOUR),
            // As form decoding leaves an unescaped `+`.
            ("2026-03-02T06:00:00 01:00", DAY + 5 * HOUR),
            ("2026-03-02 06:00:00 01:00", DAY + 5 * HOUR),
            ("2026-03-02T06:00 0100", DAY + 5 * HOUR),
            ("2026-03-02 06:00:00", DAY + 6 * HOUR),
            ("2026-03-02 06:00:00.0000000-01:00", DAY + 7 * HOUR),
        ] {
            assert_eq!(instant("from", text).ok(), Some(ticks), "{text}");
            assert_eq!(list_instant("from", text).ok(), Some(ticks), "{text}");
        }
    }

    #[test]
    fn the_month_comes_first_only_in_lists() {
        assert_eq!(list_instant("from", "03-02-2026").ok(), Some(DAY));
        for text in [
            "03-02-2026",
            // Thirteen is no month, and nothing else may come first.
            "13-02-2026",
            "02-30-2026",
            "3-2-2026",
            "03/02/2026",
            "03.02.2026",
            "03-02-26",
            "03-02-2026T00:00:00Z",
            "2026-03-02T06:00:00  01:00",
            "2026-03-02 ",
            "20260302",
            "today",
            "",
        ] {
            let refused = instant("from", text).expect_err(text);
            let expected = format!("found `{text}`, expected {}", Timestamp::FORMS);
            let expected = ReadError::parameter("from", expected);
            assert_eq!(format!("{refused:?}"), format!("{expected:?}"));
            if text != "03-02-2026" {
                list_instant("from", text).expect_err(text);
            }
        }
    }
}
