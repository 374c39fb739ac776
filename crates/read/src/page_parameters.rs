//! The parameters of a page that are not OData options: its number, its size and its period.

use std::ops::RangeInclusive;

use obeya_model::Timestamp;
use obeya_model::bounds::operations::list_datasource_values as values;
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
        let (from, to) = period(parameters, [from, to], instant)?;
        let (page, page_size) = page(parameters)?;
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
            let text = "is required; expected a date and time such as 2025-03-01T06:30:00Z";
            ReadError::parameter(name, text)
        };
        Ok(Self {
            from: from.ok_or_else(|| required("from"))?,
            to: to.ok_or_else(|| required("to"))?,
        })
    }
}

/// Reads the number and the size of the page.
pub(super) fn page(parameters: &Parameters) -> Result<(u32, u32), ReadError> {
    let [page, page_size] = ["page", "pageSize"].map(|name| single(parameters, name));
    let page = page?.map_or(Ok(records::page::DEFAULT), |text| {
        integer("page", text, &records::page::RANGE)
    })?;
    let page_size = page_size?.map_or(Ok(records::page_size::DEFAULT), |text| {
        integer("pageSize", text, &records::page_size::RANGE)
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

/// Reads an instant, in ticks. Form decoding turns an unescaped `+` of an offset into a space, so a space is
/// read as `+`; no other reading makes sense there.
pub(super) fn instant(name: &str, text: &str) -> Result<i64, ReadError> {
    let mended = if text.contains('T') {
        text.replace(' ', "+")
    } else {
        text.to_owned()
    };
    mended
        .parse()
        .map(|instant: Timestamp| instant.ticks())
        .map_err(|_| {
            let expected = "expected a date and time such as 2025-03-01T06:30:00Z";
            ReadError::parameter(name, format!("found {}, {expected}", quoted(text)))
        })
}
