//! The arguments of the two ways to read a datasource.

use obeya::Client;
use obeya::model::Timestamp;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDate;

use crate::options::Names;

/// Which values are asked for, in which order and in pages of which size.
pub(super) struct Figures {
    pub(super) from: Option<Moment>,
    pub(super) to: Option<Moment>,
    pub(super) filter: Option<String>,
    pub(super) orderby: Option<Names>,
    pub(super) page_size: Option<i32>,
}

impl Figures {
    /// The request for these values of a datasource.
    pub(super) fn of(self, client: &Client, datasource_id: i32) -> obeya::Values {
        let mut request = client.datasources().values(datasource_id);
        if let Some(Moment(instant)) = self.from {
            request = request.from(instant);
        }
        if let Some(Moment(instant)) = self.to {
            request = request.to(instant);
        }
        if let Some(expression) = self.filter {
            request = request.filter(expression);
        }
        if let Some(Names(keys)) = self.orderby {
            request = request.orderby(keys);
        }
        if let Some(values) = self.page_size {
            request = request.page_size(values);
        }
        request
    }
}

/// A `datetime`, a `date` (its midnight) or text; UTC where it does not say otherwise.
pub(super) struct Moment(Timestamp);

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let mut text: String = if value.is_instance_of::<PyDate>() {
            value.call_method0("isoformat")?.extract()?
        } else {
            value.extract()?
        };
        if text.len() == "2026-03-02".len() {
            text.push_str("T00:00:00Z");
        }
        let instant: Timestamp = text
            .parse()
            .map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))?;
        Ok(Self(instant))
    }
}
