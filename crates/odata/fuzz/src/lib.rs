//! The functions of the fuzz targets: those of the crate's own tests, which replay the corpus with them.

#[path = "../../tests/it/harness.rs"]
pub mod harness;
#[path = "../../tests/it/model.rs"]
pub mod model;
