//! Times and days as Python's own types. Python has microseconds: the seventh digit of a second is truncated
//! here and nowhere else.

use jiff::tz::Offset;
use obeya::model::{Date, Timestamp};
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyTzInfo};

/// An aware `datetime.datetime` in UTC.
pub(crate) fn datetime(py: Python<'_>, timestamp: Timestamp) -> PyResult<Bound<'_, PyDateTime>> {
    let at = Offset::UTC.to_datetime(timestamp.into());
    let utc = PyTzInfo::utc(py)?;
    // All parts are in range by construction; a year 0, which Python has not, becomes its own ValueError.
    let small = i8::unsigned_abs;
    let micros = at.subsec_nanosecond().unsigned_abs() / 1000;
    let (month, day) = (small(at.month()), small(at.day()));
    let (hour, minute, second) = (small(at.hour()), small(at.minute()), small(at.second()));
    PyDateTime::new(
        py,
        at.year().into(),
        month,
        day,
        hour,
        minute,
        second,
        micros,
        Some(&utc),
    )
}

/// A `datetime.date`.
pub(crate) fn date(py: Python<'_>, date: Date) -> PyResult<Bound<'_, PyDate>> {
    let date = jiff::civil::Date::from(date);
    PyDate::new(
        py,
        date.year().into(),
        date.month().unsigned_abs(),
        date.day().unsigned_abs(),
    )
}
