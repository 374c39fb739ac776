//! The extension module `obeya._obeya`: the Rust SDK and the embedded service for Python.
//!
//! This crate converts and calls; the meaning of an operation is up to the SDK and the service. The records
//! and the tables of keyword arguments are generated from the specification (see [`models`]). Users call
//! Python classes: the clients and their resources in `obeya/_async` and `obeya/_sync`, the exceptions in
//! `obeya/_errors.py`, the conversions to data frames in `obeya/_frames.py`.

mod answer;
mod arguments;
mod arrow;
mod asyncio;
mod call;
mod calls;
mod core;
mod errors;
mod handle;
mod linked;
mod lists;
mod log;
mod models;
mod names;
mod parquet;
mod runtime;
mod server;
mod time;
mod top;

use pyo3::prelude::*;

#[pymodule]
fn _obeya(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<core::Core>()?;
    module.add_class::<core::LastReply>()?;
    module.add_class::<calls::IncidentCalls>()?;
    module.add_class::<calls::AttachmentCalls>()?;
    module.add_class::<calls::BoardCalls>()?;
    module.add_class::<calls::TaskCalls>()?;
    module.add_class::<calls::ImprovementCalls>()?;
    module.add_class::<calls::DatasourceCalls>()?;
    module.add_class::<calls::UserCalls>()?;
    module.add_class::<call::Call>()?;
    module.add_class::<lists::Query>()?;
    module.add_class::<lists::Pages>()?;
    module.add_class::<lists::Page>()?;
    module.add_class::<arrow::Batches>()?;
    module.add_class::<arrow::Batch>()?;
    module.add_class::<arrow::Rows>()?;
    module.add_class::<parquet::ParquetFile>()?;
    module.add_class::<server::TestServer>()?;
    models::add_classes(module)?;
    // pyo3 writes a list of names; the public ones are listed once, in the package.
    module.delattr("__all__")
}
