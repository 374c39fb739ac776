//! The OData options of a read, from keyword arguments. Texts go to the service as they are.

use obeya::{Get, List, Resource};
use pyo3::exceptions::{PyTypeError, PyUnicodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// What may be said of a list.
#[derive(Default)]
pub(crate) struct ListOptions {
    search: Option<String>,
    filter: Option<String>,
    select: Option<String>,
    top: Option<i32>,
    skip: Option<i32>,
    expand: Option<String>,
    count: Option<bool>,
    orderby: Option<String>,
}

impl ListOptions {
    /// Reads the keyword arguments of `function`. `None` is as good as nothing.
    pub(crate) fn read(function: &str, arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = Self::default();
        for (key, value) in arguments.into_iter().flatten() {
            let key: String = key.extract()?;
            let text = || names_of(&value);
            let named = |error| named(&key, &value, &error);
            match key.as_str() {
                "search" => options.search = value.extract().map_err(named)?,
                "filter" => options.filter = value.extract().map_err(named)?,
                "select" => options.select = text().map_err(named)?,
                "top" => options.top = value.extract().map_err(named)?,
                "skip" => options.skip = value.extract().map_err(named)?,
                "expand" => options.expand = text().map_err(named)?,
                "count" => options.count = value.extract().map_err(named)?,
                "orderby" => options.orderby = text().map_err(named)?,
                _ => {
                    let expected = "search, filter, select, top, skip, expand, count, orderby";
                    let text = format!(
                        "{function}() got an unexpected keyword argument '{key}'; expected {expected}"
                    );
                    return Err(PyTypeError::new_err(text));
                }
            }
        }
        Ok(options)
    }

    /// The request with these options.
    pub(crate) fn apply<T: Resource>(self, mut list: List<T>) -> List<T> {
        if let Some(words) = self.search {
            list = list.search(words);
        }
        if let Some(expression) = self.filter {
            list = list.filter(expression);
        }
        if let Some(properties) = self.select {
            list = list.select(properties);
        }
        if let Some(records) = self.top {
            list = list.top(records);
        }
        if let Some(records) = self.skip {
            list = list.skip(records);
        }
        if let Some(navigations) = self.expand {
            list = list.expand(navigations);
        }
        if let Some(wanted) = self.count {
            list = list.count(wanted);
        }
        if let Some(keys) = self.orderby {
            list = list.orderby(keys);
        }
        list
    }
}

/// The options that mean something for one record.
pub(crate) fn apply<T: Resource>(
    mut get: Get<T>,
    select: Option<Names>,
    expand: Option<Names>,
) -> Get<T> {
    if let Some(Names(properties)) = select {
        get = get.select(properties);
    }
    if let Some(Names(navigations)) = expand {
        get = get.expand(navigations);
    }
    get
}

/// Names separated by commas, or a list of them.
pub(crate) struct Names(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for Names {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            return value.extract().map(Self);
        }
        Ok(Self(value.extract::<Vec<String>>()?.join(",")))
    }
}

fn names_of(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    Ok(value.extract::<Option<Names>>()?.map(|Names(text)| text))
}

/// The same error with the name of the argument in it.
pub(crate) fn named(key: &str, value: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let text = format!("argument '{key}': {}", error.value(value.py()));
    if error.is_instance_of::<PyUnicodeError>(value.py()) {
        // It cannot be made of a text alone.
        return PyValueError::new_err(text);
    }
    PyErr::from_type(error.get_type(value.py()), text)
}
