//! Record batches out of an Arrow IPC stream that may come from anywhere.
//!
//! The batches share the memory of the body. Everything they say of themselves (offsets, keys, UTF-8) is
//! checked before they are given out, and their schema is ours or they are refused.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::{ArrowError, Schema};
use bytes::Bytes;

use super::{sound, value_schema};
use crate::decode::Misfit;

/// The batches of a whole stream, by [`value_schema`]; at least one.
pub(crate) fn decode_stream(body: Bytes) -> Result<Vec<RecordBatch>, Misfit> {
    sound::check(&body)?;
    // In case the reader takes more for granted than was looked at. Nothing of it is used after a panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| read(body)));
    outcome.unwrap_or_else(|_| Err(Misfit::whole("invalid Arrow stream: it contradicts itself")))
}

/// The batches of a stream that is sound.
pub(super) fn read(body: Bytes) -> Result<Vec<RecordBatch>, Misfit> {
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

/// The batch by our schema: the fields by name, in our order, without what we do not know.
fn fit(batch: &RecordBatch) -> Result<RecordBatch, Misfit> {
    let schema = value_schema();
    let places = places(&batch.schema(), &schema)?;
    let columns = places.iter().map(|place| batch.column(*place).clone());
    RecordBatch::try_new(schema, columns.collect()).map_err(|error| broken(&error))
}

fn places(found: &Schema, expected: &Schema) -> Result<Vec<usize>, Misfit> {
    let place = |field: &std::sync::Arc<arrow_schema::Field>| {
        let name = field.name();
        let (place, other) = found
            .column_with_name(name)
            .ok_or_else(|| Misfit::whole(&format!("missing field `{name}`")))?;
        if other.data_type() != field.data_type() {
            return Err(Misfit::named(
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

fn broken(error: &ArrowError) -> Misfit {
    Misfit::whole(&error.to_string())
}
