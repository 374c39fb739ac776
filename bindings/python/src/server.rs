//! The real service inside this process, for tests: on a temporary database that is removed with it.

use std::path::PathBuf;
use std::sync::Arc;

use obeya_server::import::{ImportOptions, OnConflict, import_dir};
use obeya_server::{Config, Running, Server};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use tempfile::TempDir;
use tokio::sync::RwLock;

use crate::runtime::{ForkGuard, wait};

/// The default scopes of a test client.
const EVERYTHING: [&str; 2] = ["public.api.read", "public.api.write"];

/// The settings of its clients, except the address of the token issuer.
const SETTINGS: [&str; 4] = ["timeout", "connect_timeout", "max_retries", "user_agent"];

/// The service, running inside this process on a temporary SQLite database until it is closed.
#[pyclass(frozen, module = "obeya")]
pub(crate) struct TestServer {
    /// Awaited as all work is: with the GIL released, so that several threads may use one server.
    inner: ForkGuard<RwLock<Option<Inner>>>,
    /// The address of the service.
    #[pyo3(get)]
    base_url: String,
    db: String,
}

/// Dropped in this order: the service before its database.
struct Inner {
    running: Running,
    folder: TempDir,
}

#[pymethods]
impl TestServer {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        let folder = scratch()?;
        let db = database(&folder);
        Self::start(py, folder, db)
    }

    /// The service with the plant of the demo in it: two years of incidents, improvements and values that end
    /// the day before `today` (in UTC), which is a date or text such as `2026-03-01`.
    #[classmethod]
    #[pyo3(signature = (*, today=None))]
    fn demo(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        today: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let today = today.map_or_else(|| Ok(obeya_demo::today()), day)?;
        let folder = scratch()?;
        let db = database(&folder);
        let plant = folder.path().join("plant");
        wait(py, fill(plant, &db, today))?
            .map_err(|error| PyRuntimeError::new_err(format!("the plant was not made: {error}")))?;
        Self::start(py, folder, db)
    }

    /// A client that is registered with the service and has these scopes; by default all of them. Settings
    /// are those of `Client`.
    #[pyo3(
        signature = (scopes=None, **settings),
        text_signature = "($self, scopes=None, *, timeout=60.0, connect_timeout=10.0, max_retries=2, user_agent=None)"
    )]
    fn client<'py>(
        &self,
        py: Python<'py>,
        scopes: Option<Vec<String>>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.connect(py, "client", "Client", scopes, settings)
    }

    /// The same for asyncio.
    #[pyo3(
        signature = (scopes=None, **settings),
        text_signature = "($self, scopes=None, *, timeout=60.0, connect_timeout=10.0, max_retries=2, user_agent=None)"
    )]
    fn async_client<'py>(
        &self,
        py: Python<'py>,
        scopes: Option<Vec<String>>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.connect(py, "async_client", "AsyncClient", scopes, settings)
    }

    /// Registers a client and returns its id and secret, for programs that are configured with them.
    #[pyo3(signature = (scopes=None))]
    fn credentials(
        &self,
        py: Python<'_>,
        scopes: Option<Vec<String>>,
    ) -> PyResult<(String, String)> {
        let scopes = scopes.unwrap_or_else(|| EVERYTHING.map(str::to_owned).to_vec());
        let inner = self.inner.get("server")?;
        let new = wait(py, async {
            match &*inner.read().await {
                Some(inner) => Ok(inner.running.add_client("test", &scopes).await),
                None => Err(closed()),
            }
        })??;
        let new = new.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((new.client_id, new.client_secret))
    }

    /// Imports a folder of JSON Lines, one file for each resource, all or nothing. Returns how many records
    /// each file had.
    #[pyo3(signature = (path, *, on_conflict="fail"))]
    fn import_dir<'py>(
        &self,
        py: Python<'py>,
        path: &Bound<'py, PyAny>,
        on_conflict: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let path: PathBuf = path.extract()?;
        let on_conflict = match on_conflict {
            "fail" => OnConflict::Fail,
            "skip" => OnConflict::Skip,
            "replace" => OnConflict::Replace,
            other => {
                let text =
                    format!("on_conflict: found {other:?}, expected 'fail', 'skip' or 'replace'");
                return Err(PyValueError::new_err(text));
            }
        };
        let options = ImportOptions {
            on_conflict,
            ..ImportOptions::default()
        };
        let inner = self.inner.get("server")?;
        let report = wait(py, async {
            match &*inner.read().await {
                Some(_) => Ok(import_dir(&path, &self.db, options, Arc::new(())).await),
                None => Err(closed()),
            }
        })??;
        let report = report.map_err(|error| PyValueError::new_err(chain(&error)))?;
        let brought = PyDict::new(py);
        for file in report.files {
            brought.set_item(file.file, file.inserted + file.replaced)?;
        }
        Ok(brought)
    }

    /// Stops the service and removes its database. Closing twice is no error.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.inner.is_owner() {
            return Ok(());
        }
        let inner = self.inner.get("server")?;
        wait(py, async {
            // Waits for calls that use the service at this moment.
            let taken = inner.write().await.take();
            if let Some(Inner { running, folder }) = taken {
                running.shutdown().await;
                drop(folder);
            }
        })
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<obeya.TestServer {}>", self.base_url)
    }
}

impl TestServer {
    /// The service on this database, which is in this folder.
    fn start(py: Python<'_>, folder: TempDir, db: String) -> PyResult<Self> {
        let running = wait(py, Server::start(Config::new(db.clone())))?
            .map_err(|error| not_started(&error))?;
        let base_url = running.base_url().to_owned();
        Ok(Self {
            inner: ForkGuard::new(RwLock::new(Some(Inner { running, folder }))),
            base_url,
            db,
        })
    }

    fn connect<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        class: &str,
        scopes: Option<Vec<String>>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for name in settings.into_iter().flat_map(PyDictMethods::keys) {
            let name: String = name.extract()?;
            if !SETTINGS.contains(&name.as_str()) {
                return Err(PyTypeError::new_err(format!(
                    "{function}() got an unexpected keyword argument '{name}'; expected {}",
                    SETTINGS.join(", ")
                )));
            }
        }
        let (id, secret) = self.credentials(py, scopes)?;
        let class = py.import("obeya")?.getattr(class)?;
        class.call((&self.base_url, id, secret), settings)
    }
}

/// A folder that is removed with the server.
fn scratch() -> PyResult<TempDir> {
    tempfile::Builder::new()
        .prefix("obeya-")
        .tempdir()
        .map_err(|error| not_started(&error))
}

fn database(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("test.db").display())
}

/// Writes the plant of the demo into a new folder, imports it, and removes the folder, which the database
/// does not need.
async fn fill(folder: PathBuf, db: &str, today: obeya_demo::Date) -> Result<(), String> {
    let path = folder.clone();
    let writing = tokio::task::spawn_blocking(move || {
        std::fs::create_dir(&path)?;
        obeya_demo::write(&path, today)
    });
    let written = writing.await.map_err(|error| error.to_string())?;
    written.map_err(|error| error.to_string())?;
    let imported = import_dir(&folder, db, ImportOptions::default(), Arc::new(())).await;
    imported.map_err(|error| chain(&error))?;
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

/// A date of Python, or text.
fn day(value: &Bound<'_, PyAny>) -> PyResult<obeya_demo::Date> {
    let text = value.str()?.to_string();
    text.parse().map_err(|_| {
        let text = format!("today: found {text:?}, expected a date such as 2026-03-01");
        PyValueError::new_err(text)
    })
}

fn not_started(error: &dyn std::error::Error) -> PyErr {
    PyRuntimeError::new_err(format!("the service did not start: {}", chain(error)))
}

fn closed() -> PyErr {
    PyRuntimeError::new_err("the server is closed")
}

/// The messages of an error and its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
