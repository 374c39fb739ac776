//! From the SDK's errors to Python's exceptions. The classes are in `obeya/_errors.py`, which selects the
//! class for a status; all other errors are classified here. Texts are the SDK's, which never contain a
//! secret or a piece of a body that cannot be parsed.

use obeya::model::{DatasourceValue, Improvement, IncidentV1, Task, TaskInfo};
use obeya::{Editable, Error};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::models::{
    DATASOURCE_VALUE_INPUT, IMPROVEMENT_UPDATE, INCIDENT_UPDATE, Record, TASK_INFO_UPDATE,
    TASK_PATCH, Table,
};

/// The exception for a failure of the SDK.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match build(py, error) {
        Ok(exception) => PyErr::from_value(exception),
        // Only if the package itself is broken; the failure must not be lost over it.
        Err(other) => {
            let lost = PyRuntimeError::new_err(error.to_string());
            lost.set_cause(py, Some(other));
            lost
        }
    }
}

/// The exception for a file that has another number of rows than were fetched for it.
pub(crate) fn row_count(message: &str, fetched: i64, written: i64) -> PyErr {
    Python::attach(|py| {
        let build = || {
            let class = py.import("obeya._errors")?.getattr("RowCountError")?;
            let details = PyDict::new(py);
            details.set_item("expected", fetched)?;
            details.set_item("found", written)?;
            class.call((message,), Some(&details))
        };
        build().map_or_else(|other| other, PyErr::from_value)
    })
}

fn build<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("obeya._errors")?;
    let message = error.to_string();
    let details = PyDict::new(py);
    details.set_item("operation", error.operation())?;
    let class = match error {
        Error::Config(_) => return module.getattr("ConfigError")?.call1((message,)),
        Error::Connection { .. } => "APIConnectionError",
        Error::Timeout { .. } => "APITimeoutError",
        Error::Api { .. } | Error::Auth { .. } => {
            details.set_item("status_code", error.status())?;
            details.set_item("code", error.code())?;
            details.set_item("request_id", error.request_id())?;
            let problem = error
                .problem()
                .map(|problem| problem.clone().into_object(py))
                .transpose()?;
            details.set_item("problem", problem)?;
            details.set_item(
                "retry_after",
                error.retry_after().map(|wait| wait.as_secs_f64()),
            )?;
            if matches!(error, Error::Api { .. }) {
                "_of_status"
            } else {
                "_of_issuer"
            }
        }
        Error::Conflict { .. } => {
            details.set_item("status_code", 412)?;
            versions::<IncidentV1>(error, &INCIDENT_UPDATE, &details)?;
            versions::<Improvement>(error, &IMPROVEMENT_UPDATE, &details)?;
            versions::<DatasourceValue>(error, &DATASOURCE_VALUE_INPUT, &details)?;
            versions::<TaskInfo>(error, &TASK_INFO_UPDATE, &details)?;
            versions::<Task>(error, &TASK_PATCH, &details)?;
            "UpdateConflictError"
        }
        Error::Decode { .. } | Error::TooLarge { .. } | Error::NextLink { .. } => {
            "APIResponseError"
        }
        _ => "APIError",
    };
    module.getattr(class)?.call((message,), Some(&details))
}

/// Adds the versions of a record in conflict, if it is one of this type.
fn versions<R: Editable + Record>(
    error: &Error,
    table: &Table,
    details: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let Some(conflict) = error.conflict::<R>() else {
        return Ok(());
    };
    let py = details.py();
    let name = |wire: &String| {
        table
            .find(wire)
            .map_or(wire.as_str(), |field| field.python)
            .to_owned()
    };
    let names: Vec<String> = conflict.properties.iter().map(name).collect();
    details.set_item("fields", names)?;
    details.set_item("seen", conflict.seen.clone().into_object(py)?)?;
    details.set_item("mine", conflict.mine.clone().into_object(py)?)?;
    details.set_item("theirs", conflict.theirs.clone().into_object(py)?)
}
