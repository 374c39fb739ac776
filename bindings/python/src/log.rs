//! The log of a client: each attempt as a record of Python's `logging`, under the name `obeya`.
//!
//! Attempts end on threads of the runtime, which must never wait for the GIL. So they are noted there, and
//! written by the thread that receives the answer. No record has a URL, a body or a token: a URL may contain
//! a filter with personal data.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use obeya::{Exchange, Observer};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// The name of the logger.
const NAME: &str = "obeya";

/// Levels of Python's `logging`.
const DEBUG: u8 = 10;
const INFO: u8 = 20;

/// The most lines that wait for a thread that receives an answer; more are dropped. A cancelled call receives
/// none.
const MOST_LINES: usize = 10_000;

/// The attempts of a client that were not written yet.
#[derive(Default)]
pub(crate) struct Log {
    is_wanted: AtomicBool,
    lines: Mutex<Vec<Line>>,
}

struct Line {
    operation: &'static str,
    attempt: u32,
    status: Option<u16>,
    request_id: Option<String>,
    milliseconds: u128,
}

impl Observer for Log {
    fn exchange(&self, exchange: &Exchange<'_>) {
        if !self.is_wanted.load(Ordering::Relaxed) {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < MOST_LINES {
            lines.push(Line {
                operation: exchange.operation,
                attempt: exchange.attempt,
                status: exchange.status,
                request_id: exchange.request_id.map(str::to_owned),
                milliseconds: exchange.duration.as_millis(),
            });
        }
    }
}

impl Log {
    /// Asks whether anything is to be logged, before a call.
    pub(crate) fn ask(&self, py: Python<'_>) {
        // What wants the finer records wants these too.
        let wanted =
            logger(py).and_then(|logger| logger.call_method1("isEnabledFor", (INFO,))?.is_truthy());
        let wanted = wanted.unwrap_or_else(|error| {
            error.write_unraisable(py, None);
            false
        });
        self.is_wanted.store(wanted, Ordering::Relaxed);
    }

    /// Writes what was noted, after a call. A handler that fails must not take the answer from the caller.
    pub(crate) fn write(&self, py: Python<'_>) {
        let lines = mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        for line in lines {
            let written = logger(py).and_then(|logger| line.write(py, logger));
            if let Err(error) = written {
                error.write_unraisable(py, None);
            }
        }
    }
}

impl Line {
    fn write(&self, py: Python<'_>, logger: &Bound<'_, PyAny>) -> PyResult<()> {
        // An attempt that another one follows, or should.
        let is_unusual = self.attempt > 1 || self.status.is_none_or(|it| it == 429 || it >= 500);
        let level = if is_unusual { INFO } else { DEBUG };
        let extra = PyDict::new(py);
        extra.set_item("operation", self.operation)?;
        extra.set_item("attempt", self.attempt)?;
        extra.set_item("status", self.status)?;
        extra.set_item("request_id", &self.request_id)?;
        let options = PyDict::new(py);
        options.set_item("extra", extra)?;
        let status = self
            .status
            .map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        let request_id = self.request_id.as_deref().unwrap_or("-");
        logger.call_method(
            "log",
            (
                level,
                "%s: attempt %d, %s after %d ms, request %s",
                self.operation,
                self.attempt,
                status,
                self.milliseconds,
                request_id,
            ),
            Some(&options),
        )?;
        Ok(())
    }
}

/// The logger, which `logging` never replaces.
fn logger(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let logger = LOGGER.get_or_try_init(py, || {
        let logger = py.import("logging")?.call_method1("getLogger", (NAME,))?;
        PyResult::Ok(logger.unbind())
    })?;
    Ok(logger.bind(py))
}
