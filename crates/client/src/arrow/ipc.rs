//! Decodes record batches from an untrusted Arrow IPC stream.
//!
//! The batches share the memory of the body. Their contents (offsets, keys, UTF-8) are checked, and a stream
//! with another schema than ours is rejected.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::{ArrowError, Schema};
use bytes::Bytes;

use super::{validate_ipc, value_schema};
use crate::decode::DecodeMismatch;

/// The batches of a whole stream, by [`value_schema`]; at least one.
pub(crate) fn decode_stream(body: Bytes) -> Result<Vec<RecordBatch>, DecodeMismatch> {
    validate_ipc::validate_ipc(&body)?;
    // In case the decoder panics despite the validation. Nothing of it is used after a panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| read(body)));
    outcome.unwrap_or_else(|_| {
        Err(DecodeMismatch::whole(
            "invalid Arrow stream: it contradicts itself",
        ))
    })
}

/// The batches of a valid stream.
pub(super) fn read(body: Bytes) -> Result<Vec<RecordBatch>, DecodeMismatch> {
    let mut rest = Buffer::from(body);
    let mut decoder = StreamDecoder::new();
    let mut batches = Vec::new();
    while let Some(batch) = decoder.decode(&mut rest).map_err(|error| broken(&error))? {
        batches.push(fit(&batch)?);
    }
    decoder.finish().map_err(|error| broken(&error))?;
    if let (true, Some(schema)) = (batches.is_empty(), decoder.schema()) {
        batches.push(fit(&RecordBatch::new_empty(schema))?);
    }
    Ok(batches)
}

/// Projects a batch to our schema: fields by name, in our order, without unknown ones.
fn fit(batch: &RecordBatch) -> Result<RecordBatch, DecodeMismatch> {
    let schema = value_schema();
    let places = places(&batch.schema(), &schema)?;
    let columns = places.iter().map(|place| batch.column(*place).clone());
    RecordBatch::try_new(schema, columns.collect()).map_err(|error| broken(&error))
}

fn places(found: &Schema, expected: &Schema) -> Result<Vec<usize>, DecodeMismatch> {
    let place = |field: &std::sync::Arc<arrow_schema::Field>| {
        let name = field.name();
        let (place, other) = found
            .column_with_name(name)
            .ok_or_else(|| DecodeMismatch::whole(&format!("missing field `{name}`")))?;
        if other.data_type() != field.data_type() {
            return Err(DecodeMismatch::named(
                name,
                format!(
                    "invalid type: {}, expected {}",
                    other.data_type(),
                    field.data_type()
                ),
            ));
        }
        Ok(place)
    };
    expected.fields().iter().map(place).collect()
}

fn broken(error: &ArrowError) -> DecodeMismatch {
    DecodeMismatch::whole(&error.to_string())
}
