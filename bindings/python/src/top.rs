//! The argument `top` of numbered lists.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The most records of a numbered list.
#[derive(Clone, Copy)]
pub(crate) struct Top(pub(crate) u32);

impl<'py> FromPyObject<'_, 'py> for Top {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number: i64 = value.extract()?;
        let records = u32::try_from(number).map_err(|_| {
            PyValueError::new_err(format!("top: found {number}, expected 0 to {}", u32::MAX))
        })?;
        Ok(Self(records))
    }
}
