//! The extension module `obeya._obeya`: the Rust SDK and the embedded service for Python.
//!
//! It converts and calls; what an operation means is the SDK's and the service's business. The records and the tables of
//! keyword arguments are generated from the specification (see [`models`]); the exceptions are Python classes in
//! `obeya/_errors.py`, the conversions to data frames in `obeya/_frames.py`.

mod arrow;
mod client;
mod errors;
mod iterate;
mod models;
mod options;
mod runtime;
mod server;
mod time;
mod values;

use pyo3::prelude::*;

#[pymodule]
fn _obeya(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<client::Client>()?;
    module.add_class::<iterate::Page>()?;
    module.add_class::<iterate::Records>()?;
    module.add_class::<values::Values>()?;
    module.add_class::<server::TestServer>()?;
    models::add_classes(module)?;
    // pyo3 keeps a list of its own; what is public is said once, in the package.
    module.delattr("__all__")
}
