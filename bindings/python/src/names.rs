//! Arguments that are names, or keys of an order, as text or made by `obeya._filters`.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

/// Names separated by commas, or a list of them; each may be a property or a key of `obeya._filters`.
pub(crate) struct Names(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for Names {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let name = |value: Borrowed<'_, 'py, PyAny>| written(value, intern!(py, "_key"), "a name");
        if let Ok(items) = value.cast::<PySequence>()
            && !value.is_instance_of::<PyString>()
        {
            let names: Vec<String> = items
                .try_iter()?
                .map(|item| name(item?.as_borrowed()))
                .collect::<PyResult<_>>()?;
            return Ok(Self(names.join(",")));
        }
        name(value).map(Self)
    }
}

/// Text, or the result of this method of an expression.
pub(crate) fn written(
    value: Borrowed<'_, '_, PyAny>,
    method: &Bound<'_, PyString>,
    expected: &str,
) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return value.extract();
    }
    // Of the class: an expression has an attribute of any name.
    let class = value.get_type();
    match class.getattr_opt(method)? {
        Some(method) => method.call1((value,))?.extract(),
        None => Err(PyTypeError::new_err(format!(
            "found {}, expected text or {expected}",
            class.name()?
        ))),
    }
}
