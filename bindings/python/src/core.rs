//! The client below its Python classes: its settings, its resources, and how it is closed.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;
use std::time::Duration;

use obeya::Recorder;
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::arguments::named;
use crate::call::Call;
use crate::calls::{
    self, AttachmentCalls, BoardCalls, DatasourceCalls, ImprovementCalls, IncidentCalls, TaskCalls,
    UserCalls,
};
use crate::errors;
use crate::handle::Handle;
use crate::lists::Query;
use crate::log::Log;

/// The variables that `from_env` requires, all reported in one message.
const NEEDED: [&str; 3] = ["OBEYA_BASE_URL", "OBEYA_CLIENT_ID", "OBEYA_CLIENT_SECRET"];

/// The user agent of every client, so that a service's log tells Python from Rust.
const AGENT: &str = concat!("obeya-python/", env!("CARGO_PKG_VERSION"));

/// A client of one service, without the methods and their docstrings.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct Core {
    handle: Handle,
    /// The address of the API.
    #[pyo3(get)]
    base_url: String,
}

/// The settings that have a default: the attributes of an object.
struct Settings {
    scopes: Option<Vec<String>>,
    timeout: Limit,
    connect_timeout: Limit,
    max_retries: u32,
    user_agent: Option<String>,
    allow_plain_http: bool,
}

#[pymethods]
impl Core {
    #[new]
    #[pyo3(signature = (base_url, client_id, client_secret, auth_url, token, settings, /))]
    fn new(
        py: Python<'_>,
        base_url: &str,
        client_id: Option<String>,
        client_secret: Option<String>,
        auth_url: Option<String>,
        token: Option<String>,
        settings: Settings,
    ) -> PyResult<Self> {
        let mut builder = obeya::Client::builder().base_url(base_url);
        if let Some(id) = client_id {
            builder = builder.client_id(id);
        }
        if let Some(secret) = client_secret {
            builder = builder.client_secret(secret);
        }
        if let Some(url) = auth_url {
            builder = builder.auth_url(url);
        }
        if let Some(token) = token {
            builder = builder.token(token);
        }
        Self::build(py, settings.apply(builder))
    }

    /// The client that the environment names.
    #[staticmethod]
    #[pyo3(signature = (settings, /))]
    fn from_env(py: Python<'_>, settings: Settings) -> PyResult<Self> {
        let unset =
            |name: &&&str| std::env::var(name).map_or(true, |value| value.trim().is_empty());
        let missing: Vec<String> = NEEDED
            .iter()
            .filter(unset)
            .map(|name| (*name).to_owned())
            .collect();
        if !missing.is_empty() {
            let missing = obeya::ConfigError::MissingVariables(missing);
            return Err(errors::exception(py, &missing.into()));
        }
        let builder = settings.apply(obeya::Client::builder());
        Self::build(py, builder.environment())
    }

    /// The same client with other limits and headers; arguments that are left out do not change.
    #[pyo3(signature = (*, timeout=None, max_retries=None, headers=None))]
    fn limited(
        &self,
        py: Python<'_>,
        timeout: Option<Limit>,
        max_retries: Option<u32>,
        headers: Option<BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        let mut client = self.handle.client()?;
        if let Some(Limit(limit)) = timeout {
            client = client.timeout(limit);
        }
        if let Some(retries) = max_retries {
            client = client.max_retries(retries);
        }
        for (name, value) in headers.into_iter().flatten() {
            let changed = client.header(&name, &value);
            client = changed.map_err(|error| errors::exception(py, &error))?;
        }
        Ok(Self {
            handle: self.handle.beside(client),
            base_url: self.base_url.clone(),
        })
    }

    /// The same client, which leaves its last answer in the other.
    fn recording(&self) -> (Self, LastReply) {
        let recorder = Recorder::default();
        let core = Self {
            handle: self.handle.recording(recorder.clone()),
            base_url: self.base_url.clone(),
        };
        (core, LastReply(recorder))
    }

    /// The same client, whose writes carry these.
    #[pyo3(signature = (if_match, idempotency_key, /))]
    fn carrying(&self, if_match: Option<String>, idempotency_key: Option<String>) -> Self {
        Self {
            handle: self.handle.carrying(if_match, idempotency_key),
            base_url: self.base_url.clone(),
        }
    }

    fn close(&self) {
        self.handle.close();
    }

    /// An operation by its id, with the ids in its path and its other arguments.
    #[pyo3(signature = (operation, /, *arguments))]
    fn call(&self, operation: &str, arguments: &Bound<'_, PyTuple>) -> PyResult<Call> {
        calls::call(&self.handle, operation, arguments)
    }

    /// An update of a record by the id of its operation, with the ids in its path and the properties that
    /// change.
    #[pyo3(signature = (operation, /, *arguments))]
    fn edit(&self, operation: &str, arguments: &Bound<'_, PyTuple>) -> PyResult<Call> {
        calls::edit(&self.handle, operation, arguments)
    }

    /// A list by the id of its operation.
    #[pyo3(signature = (operation, /, *arguments, **options))]
    fn query(
        &self,
        operation: &str,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Query> {
        calls::query(&self.handle, operation, arguments, options)
    }

    fn ping(&self) -> PyResult<Call> {
        self.handle
            .call(|client| async move { client.ping().await })
    }

    fn authenticate(&self) -> PyResult<Call> {
        self.handle
            .call(|client| async move { client.authenticate().await })
    }

    #[getter]
    fn incidents(&self) -> IncidentCalls {
        IncidentCalls(self.handle.clone())
    }

    #[getter]
    fn improvements(&self) -> ImprovementCalls {
        ImprovementCalls(self.handle.clone())
    }

    #[getter]
    fn attachments(&self) -> AttachmentCalls {
        AttachmentCalls(self.handle.clone())
    }

    #[getter]
    fn boards(&self) -> BoardCalls {
        BoardCalls(self.handle.clone())
    }

    #[getter]
    fn users(&self) -> UserCalls {
        UserCalls(self.handle.clone())
    }

    #[getter]
    fn tasks(&self) -> TaskCalls {
        TaskCalls(self.handle.clone())
    }

    #[getter]
    fn datasources(&self) -> DatasourceCalls {
        DatasourceCalls(self.handle.clone())
    }
}

impl Core {
    fn build(py: Python<'_>, builder: obeya::ClientBuilder) -> PyResult<Self> {
        let log = Arc::<Log>::default();
        let built = builder.observe(Arc::<Log>::clone(&log)).build();
        let client = built.map_err(|error| errors::exception(py, &error))?;
        for warning in client.warnings() {
            let text = CString::new(warning)?;
            // Warned at the line that made the client: one level above its class.
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
        }
        let base_url = client.base_url().to_owned();
        Ok(Self {
            handle: Handle::new(client, log),
            base_url,
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for Settings {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            scopes: setting(&value, "scopes")?,
            timeout: setting(&value, "timeout")?,
            connect_timeout: setting(&value, "connect_timeout")?,
            max_retries: setting(&value, "max_retries")?,
            user_agent: setting(&value, "user_agent")?,
            allow_plain_http: setting(&value, "allow_plain_http")?,
        })
    }
}

fn setting<'py, T>(settings: &Bound<'py, PyAny>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let value = settings.getattr(name)?;
    value.extract().map_err(|error| named(name, &value, &error))
}

impl Settings {
    fn apply(self, mut builder: obeya::ClientBuilder) -> obeya::ClientBuilder {
        if let Some(scopes) = self.scopes {
            builder = builder.scopes(scopes);
        }
        let agent = match self.user_agent {
            Some(text) => format!("{AGENT} {text}"),
            None => AGENT.to_owned(),
        };
        builder
            .timeout(self.timeout.0)
            .connect_timeout(self.connect_timeout.0)
            .max_retries(self.max_retries)
            .user_agent(agent)
            .allow_plain_http(self.allow_plain_http)
    }
}

/// A number of seconds, or `None` for no limit.
#[derive(Clone, Copy)]
struct Limit(Duration);

impl<'py> FromPyObject<'_, 'py> for Limit {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Some(seconds) = value.extract::<Option<f64>>()? else {
            return Ok(Self(Duration::MAX));
        };
        // So many that no clock counts them is no limit either.
        if seconds >= Duration::MAX.as_secs_f64() {
            return Ok(Self(Duration::MAX));
        }
        let limit = Duration::try_from_secs_f64(seconds).map_err(|_| {
            PyValueError::new_err(format!("found {seconds}, expected a number of seconds"))
        })?;
        Ok(Self(limit))
    }
}

/// The last answer, once there is one.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct LastReply(Recorder);

/// The parts of an answer: its status, its headers in order, and its body.
type Parts = (u16, Vec<(String, String)>, Py<PyBytes>);

#[pymethods]
impl LastReply {
    fn parts(&self, py: Python<'_>) -> Option<Parts> {
        let last = self.0.last()?;
        let headers = last.headers().iter();
        let headers = headers.map(|(name, value)| {
            // ISO 8859-1, in which each byte is a character: no header is lost.
            let value = value.as_bytes().iter().copied().map(char::from).collect();
            (name.as_str().to_owned(), value)
        });
        let body = PyBytes::new(py, last.body()).unbind();
        Some((last.status().as_u16(), headers.collect(), body))
    }

    #[getter]
    fn tag(&self) -> Option<String> {
        let last = self.0.last()?;
        Some(last.headers().get("etag")?.to_str().ok()?.to_owned())
    }
}
