//! Operations by their ids: reads their Python arguments.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::generated;
use crate::arguments::{self, Id, Identified};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::Table;

/// The operation of this id with these arguments.
pub(crate) fn call(
    handle: &Handle,
    operation: &str,
    arguments: &Bound<'_, PyTuple>,
) -> PyResult<Call> {
    generated::call(handle, operation, &Arguments(arguments))
}

/// The list of this id with these arguments and options.
pub(crate) fn query(
    handle: &Handle,
    operation: &str,
    arguments: &Bound<'_, PyTuple>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Query> {
    generated::query(handle, operation, &Arguments(arguments), options)
}

/// The arguments of an operation, by their position. A failure has the name of its argument in a note, as
/// with functions of the extension.
pub(super) struct Arguments<'a, 'py>(pub(super) &'a Bound<'py, PyTuple>);

impl<'py> Arguments<'_, 'py> {
    /// An argument.
    pub(super) fn get<T>(&self, position: usize, name: &str) -> PyResult<T>
    where
        T: for<'b> FromPyObject<'b, 'py, Error = PyErr>,
    {
        let value = self.0.get_item(position)?;
        value.extract().inspect_err(|error: &PyErr| {
            let note = format!("while processing '{name}'");
            // Python 3.10 has no notes.
            let _ = error.value(self.0.py()).call_method1("add_note", (note,));
        })
    }

    /// An argument as it is.
    pub(super) fn any(&self, position: usize) -> PyResult<Bound<'py, PyAny>> {
        self.0.get_item(position)
    }

    /// The id of a record, or the record itself.
    pub(super) fn id<T: Identified>(&self, position: usize, name: &str) -> PyResult<i32> {
        Ok(self.get::<Id<T>>(position, name)?.0)
    }

    /// A request body; `location` is the name of the function in errors.
    pub(super) fn body<T: serde::de::DeserializeOwned>(
        &self,
        position: usize,
        table: &Table,
        location: &str,
    ) -> PyResult<T> {
        arguments::body(table, &self.0.get_item(position)?, location)
    }

    /// A list as a request body; `name` is the name of the argument in errors.
    pub(super) fn bodies<T: serde::de::DeserializeOwned>(
        &self,
        position: usize,
        table: &Table,
        name: &str,
    ) -> PyResult<Vec<T>> {
        arguments::bodies(table, &self.0.get_item(position)?, name)
    }
}

/// For an operation that is not called by its id.
pub(super) fn unknown(operation: &str) -> PyErr {
    PyValueError::new_err(format!("no plain operation {operation:?}"))
}
