//! From the SDK's values to Python's.

use std::collections::BTreeMap;

use obeya::model::{Date, Timestamp};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

/// How records and lists are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Instances of their classes, and tuples: the content of an immutable record must not seem mutable.
    Record,
    /// Dictionaries and lists.
    Dict,
}

/// A value Python can have.
pub(crate) trait ToPython {
    /// The value as a Python object.
    fn to_python<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>>;
}

macro_rules! plain {
    ($($kind:ty),*) => {
        $(
            impl ToPython for $kind {
                fn to_python<'py>(&self, py: Python<'py>, _: Form) -> PyResult<Bound<'py, PyAny>> {
                    (*self).into_bound_py_any(py)
                }
            }
        )*
    };
}

plain!(bool, i32, i64, f64);

impl ToPython for String {
    fn to_python<'py>(&self, py: Python<'py>, _: Form) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyString::new(py, self).into_any())
    }
}

impl ToPython for Timestamp {
    fn to_python<'py>(&self, py: Python<'py>, _: Form) -> PyResult<Bound<'py, PyAny>> {
        Ok(crate::time::datetime(py, *self)?.into_any())
    }
}

impl ToPython for Date {
    fn to_python<'py>(&self, py: Python<'py>, _: Form) -> PyResult<Bound<'py, PyAny>> {
        Ok(crate::time::date(py, *self)?.into_any())
    }
}

impl<T: ToPython> ToPython for Option<T> {
    fn to_python<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Some(value) => value.to_python(py, form),
            None => Ok(py.None().into_bound(py)),
        }
    }
}

impl<T: ToPython> ToPython for Box<T> {
    fn to_python<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        (**self).to_python(py, form)
    }
}

impl<T: ToPython> ToPython for Vec<T> {
    fn to_python<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        let items: Vec<_> = self
            .iter()
            .map(|item| item.to_python(py, form))
            .collect::<PyResult<_>>()?;
        match form {
            Form::Record => Ok(PyTuple::new(py, items)?.into_any()),
            Form::Dict => Ok(PyList::new(py, items)?.into_any()),
        }
    }
}

impl<T: ToPython> ToPython for BTreeMap<String, T> {
    fn to_python<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        let dict = PyDict::new(py);
        for (key, value) in self {
            dict.set_item(key, value.to_python(py, form)?)?;
        }
        Ok(dict.into_any())
    }
}
