//! Decodes a page of datasource values to Arrow columns: from an Arrow IPC stream, or directly from JSON
//! without a struct for each row.
//!
//! JSON is decoded as strictly as by the typed decoder: a number out of range, a text in place of a number,
//! an impossible date, a duplicate key, a missing required key and bytes after the document are errors. Pages
//! are not fetched here.

mod columns;
mod ipc;
mod page;
#[cfg(test)]
mod tests;
mod validate_ipc;

use std::sync::{Arc, LazyLock};

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

pub(crate) use ipc::decode_stream;
pub(crate) use page::{Decoded, decode};

/// The schema of every batch of values: the fields by their wire names, in the order of the interface.
///
/// Timestamps are `timestamp[us, UTC]`, rounded down; the four dimensions are dictionary-encoded, with
/// separate dictionaries for each batch.
#[must_use]
pub fn value_schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let instant = || DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let words = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int32, false),
            Field::new("dataSourceId", DataType::Int32, false),
            Field::new("registrationDate", instant(), false),
            Field::new("areaId", DataType::Int32, true),
            Field::new("assetId", DataType::Int32, true),
            Field::new("projectId", DataType::Int32, true),
            Field::new("value", DataType::Float64, false),
            Field::new("description", DataType::Utf8, true),
            Field::new("dimension", words(), true),
            Field::new("dimension2", words(), true),
            Field::new("dimension3", words(), true),
            Field::new("dimension4", words(), true),
            Field::new("valueDate", instant(), false),
            Field::new("externalId", DataType::Utf8, true),
        ]))
    });
    SCHEMA.clone()
}
