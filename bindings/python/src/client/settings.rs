//! The settings of a client that have a default, from keyword arguments.

use std::time::Duration;

use obeya::ClientBuilder;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::named;

/// Every setting. The first two say where tokens come from.
pub(super) const ALL: [&str; 7] = [
    "auth_url",
    "token",
    "scopes",
    "timeout",
    "connect_timeout",
    "max_retries",
    "user_agent",
];

/// The settings that are left where the environment, or a server for tests, says where tokens come from.
pub(super) const OF_A_KNOWN_SERVICE: &[&str] = ALL.split_at(2).1;

/// Puts the settings of these names into the builder; what is `None` is left at its default.
pub(super) fn apply(
    mut builder: ClientBuilder,
    function: &str,
    names: &[&str],
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<ClientBuilder> {
    for (key, value) in settings.into_iter().flatten() {
        let key: String = key.extract()?;
        if !names.contains(&key.as_str()) {
            return Err(PyTypeError::new_err(format!(
                "{function}() got an unexpected keyword argument '{key}'; expected {}",
                names.join(", ")
            )));
        }
        let named = |error| named(&key, &value, &error);
        let text = || value.extract::<String>().map_err(named);
        if value.is_none() {
            continue;
        }
        builder = match key.as_str() {
            "auth_url" => builder.auth_url(text()?),
            "token" => builder.token(text()?),
            "scopes" => builder.scopes(value.extract::<Vec<String>>().map_err(named)?),
            "timeout" => builder.timeout(seconds(&value).map_err(named)?),
            "connect_timeout" => builder.connect_timeout(seconds(&value).map_err(named)?),
            "max_retries" => builder.max_retries(value.extract().map_err(named)?),
            _ => builder.user_agent(format!("{} {}", agent(), text()?)),
        };
    }
    Ok(builder)
}

/// What every client says of itself, so that a service's log tells Python from Rust.
pub(super) fn agent() -> &'static str {
    concat!("obeya-python/", env!("CARGO_PKG_VERSION"))
}

fn seconds(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds: f64 = value.extract()?;
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        PyValueError::new_err(format!("found {seconds}, expected a number of seconds"))
    })
}
