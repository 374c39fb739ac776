//! Generates Rust from `spec/openapi.yaml`, in stages. This crate has every setting of the generator.
//!
//! | stage | in → out | may reject |
//! |---|---|---|
//! | [`Spec::read`] | YAML → JSON tree and the line of every node | bad YAML, a duplicate key |
//! | [`lint`] | tree → faults | what the generator would panic on, miscompile or silently get wrong |
//! | [`normalise`] | tree → the tree the generator sees | nothing |
//! | [`openapi`] | tree → `openapiv3::OpenAPI` | a document that is not OpenAPI 3.0 |
//! | [`generate`] | document → source of the model and of the client | what the generator rejects |
//! | [`fields`] | tree → source of the properties that query options may name | nothing |
//! | [`entity_types`] | tree → source of the same properties as data, to check the words of conditions | nothing |
//! | [`edits`] | tree → source of a builder for the changes of a record | a property without a known setter |
//! | [`entities`], [`closed_enums`], [`columns`] | tree → source of the properties of each record: for the service and for Arrow | nothing |
//! | [`bounds`] | tree → source of the bounds as constants | a default that no constant can have |
//! | [`operations`] | tree → table of operations, and an enum over it | nothing |
//! | [`sdk`] | tree → the plain methods of the SDKs | nothing |
//!
//! [`build`] drives them from a `build.rs`. Everything else is pure: no files, no network, no environment.
//! This crate knows no other crate of the project; the paths it writes (`::obeya_model`, `::obeya_odata`,
//! `crate::`) are only text.

mod bounds;
pub mod build;
mod conventions;
mod fault;
mod generate;
mod lint;
mod naming;
pub mod normalise;
pub mod operations;
mod records;
mod schema;
pub mod sdk;
mod served;
mod spec;
mod surface;
mod updates;
mod yaml;

pub use bounds::bounds;
pub use fault::{Error, Fault};
pub use generate::{Generated, edits, entity_types, fields, generate};
pub use lint::lint;
pub use records::{closed_enums::closed_enums, columns::columns, entities::entities};
pub use served::served;
pub use spec::Spec;
pub use surface::surface;

/// Reads the document and refuses it unless [`lint`] finds nothing.
///
/// # Errors
/// Bad YAML, or every fault the lint found.
pub fn read(path: &std::path::Path) -> Result<Spec, Error> {
    let spec = Spec::read(path)?;
    let faults = lint(&spec);
    if faults.is_empty() {
        Ok(spec)
    } else {
        Err(Error::Faults(faults))
    }
}

/// The typed form of a document, with the path of the node that does not fit.
///
/// # Errors
/// The first location where the document is not OpenAPI 3.0.
pub fn openapi(document: &serde_json::Value) -> Result<openapiv3::OpenAPI, Error> {
    serde_path_to_error::deserialize(document).map_err(|error| Error::Shape {
        location: error.path().to_string(),
        message: error.inner().to_string(),
    })
}
