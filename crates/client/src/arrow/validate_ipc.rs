//! Validates the structure of an Arrow IPC stream before it is decoded: arrow-ipc panics on inconsistent
//! streams.
//!
//! Nothing is decoded here. The decoder checks the contents itself: whether values and offsets are enough for
//! the rows, offsets, UTF-8 and dictionary keys.

use arrow_ipc::{
    Buffer, Endianness, Field, FieldNode, Message, MessageHeader, Precision, RecordBatch, Schema,
    TimeUnit, Type,
};

use crate::decode::DecodeMismatch;

#[cfg(test)]
mod tests;

/// The continuation marker before the size of each message.
const CONTINUATION: [u8; 4] = [0xFF; 4];
/// The size of an offset, in bytes.
const OFFSET_BYTES: u64 = 4;

/// Checks a whole stream: messages up to the end marker, schema first, and every buffer of a batch within its
/// body.
pub(super) fn validate_ipc(body: &[u8]) -> Result<(), DecodeMismatch> {
    let mut rest = body;
    let mut columns = None;
    loop {
        let (head, after) = rest.split_first_chunk::<8>().ok_or_else(truncated)?;
        let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        if head[..4] != CONTINUATION {
            return Err(invalid("a message without its continuation marker"));
        }
        if size == 0 {
            return match (after.is_empty(), columns) {
                (true, Some(_)) => Ok(()),
                (true, None) => Err(invalid("no schema")),
                (false, _) => Err(invalid("bytes after its end")),
            };
        }
        let (message, after) = split(after, size.into())?;
        let message =
            arrow_ipc::root_as_message(message).map_err(|_| invalid("an invalid message"))?;
        let (bytes, after) = split(after, message.bodyLength())?;
        rest = after;
        columns = Some(validate_message(&message, bytes, columns)?);
    }
}

/// The buffers of a column after its validity bitmap.
#[derive(Clone, Copy)]
enum ColumnLayout {
    /// Values.
    Values,
    /// Keys of this many bytes into a dictionary.
    Keys(u64),
    /// Offsets and text.
    Text,
}

fn validate_message(
    message: &Message<'_>,
    bytes: &[u8],
    columns: Option<Vec<ColumnLayout>>,
) -> Result<Vec<ColumnLayout>, DecodeMismatch> {
    let Some(columns) = columns else {
        let schema = message.header_as_schema();
        return schema
            .ok_or_else(|| invalid("no schema"))
            .and_then(schema_layout);
    };
    let (batch, layout) = match message.header_type() {
        MessageHeader::RecordBatch => (message.header_as_record_batch(), &columns[..]),
        MessageHeader::DictionaryBatch => {
            let dictionary = message.header_as_dictionary_batch();
            let batch = dictionary.and_then(|dictionary| dictionary.data());
            // For a dictionary of another type the decoder finds that no field uses it.
            (batch, &[ColumnLayout::Text][..])
        }
        _ => {
            return Err(invalid(
                "a message that is neither a dictionary nor a record batch",
            ));
        }
    };
    validate_batch(
        batch.ok_or_else(|| invalid("a message without content"))?,
        bytes,
        layout,
    )?;
    Ok(columns)
}

fn schema_layout(schema: Schema<'_>) -> Result<Vec<ColumnLayout>, DecodeMismatch> {
    if schema.endianness() != Endianness::Little {
        return Err(invalid("not little-endian"));
    }
    let fields = schema.fields().ok_or_else(|| invalid("no fields"))?;
    fields.iter().map(field_layout).collect()
}

/// The layouts of the fields of values, and of fields that other services might add.
fn field_layout(field: Field<'_>) -> Result<ColumnLayout, DecodeMismatch> {
    let layout = match (field.type_type(), field.dictionary()) {
        (Type::Utf8, None) => Some(ColumnLayout::Text),
        // The dictionary's texts come in separate batches.
        (Type::Utf8, Some(dictionary)) => {
            let keys = dictionary.indexType();
            keys.and_then(|ty| int_bytes(ty.bitWidth()))
                .map(ColumnLayout::Keys)
        }
        (_, None) if has_plain_values(field) => Some(ColumnLayout::Values),
        _ => None,
    };
    layout.ok_or_else(|| {
        let name = field.name().unwrap_or_default();
        DecodeMismatch::named(name, "a type that no property of a value has".to_owned())
    })
}

/// Whether a field is of numbers, instants or truth values, as the decoder knows them.
fn has_plain_values(field: Field<'_>) -> bool {
    match field.type_type() {
        Type::Bool => true,
        Type::Int => field
            .type_as_int()
            .is_some_and(|ty| int_bytes(ty.bitWidth()).is_some()),
        Type::FloatingPoint => field
            .type_as_floating_point()
            .is_some_and(|ty| Precision::ENUM_VALUES.contains(&ty.precision())),
        Type::Timestamp => field
            .type_as_timestamp()
            .is_some_and(|ty| TimeUnit::ENUM_VALUES.contains(&ty.unit())),
        _ => false,
    }
}

/// The size of an integer in bytes; `None` for a width in bits that Arrow does not have.
fn int_bytes(bits: i32) -> Option<u64> {
    let bits = u64::try_from(bits).ok()?;
    matches!(bits, 8 | 16 | 32 | 64).then_some(bits / 8)
}

fn validate_batch(
    batch: RecordBatch<'_>,
    bytes: &[u8],
    columns: &[ColumnLayout],
) -> Result<(), DecodeMismatch> {
    let rows = u64::try_from(batch.length()).map_err(|_| invalid("a negative length"))?;
    if batch.compression().is_some() {
        return Err(invalid("compressed, which was not requested"));
    }
    if batch
        .variadicBufferCounts()
        .is_some_and(|counts| !counts.is_empty())
    {
        return Err(invalid("buffers of views, which no column has"));
    }
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else {
        return Err(invalid("a batch without columns"));
    };
    let (mut nodes, mut buffers) = (nodes.iter(), buffers.iter());
    let mut next_length = || length_within(buffers.next(), bytes);
    for column in columns {
        // Without nulls the validity bitmap may be absent.
        let bits = if has_nulls(nodes.next(), rows)? {
            rows
        } else {
            0
        };
        if next_length()? < bits.div_ceil(8) {
            return Err(invalid("a validity bitmap shorter than its column"));
        }
        match column {
            ColumnLayout::Values => {
                next_length()?;
            }
            ColumnLayout::Keys(size) => whole_numbers(next_length()?, *size)?,
            ColumnLayout::Text => {
                whole_numbers(next_length()?, OFFSET_BYTES)?;
                next_length()?;
            }
        }
    }
    Ok(())
}

/// Whether a column has nulls.
fn has_nulls(node: Option<&FieldNode>, rows: u64) -> Result<bool, DecodeMismatch> {
    node.filter(|node| u64::try_from(node.length()) == Ok(rows))
        .map(|node| node.null_count() > 0)
        .ok_or_else(|| invalid("a column whose length differs from its batch"))
}

/// The length of a buffer, which must lie within the body.
fn length_within(buffer: Option<&Buffer>, bytes: &[u8]) -> Result<u64, DecodeMismatch> {
    let span = buffer.and_then(|buffer| {
        let offset = u64::try_from(buffer.offset()).ok()?;
        let length = u64::try_from(buffer.length()).ok()?;
        Some((length, offset.checked_add(length)?))
    });
    match span {
        Some((length, end)) if end <= bytes.len() as u64 => Ok(length),
        _ => Err(invalid("a buffer outside of the message body")),
    }
}

/// Checks that a buffer of this length ends with a whole number: the decoder reads all of it as such.
fn whole_numbers(length: u64, size: u64) -> Result<(), DecodeMismatch> {
    if length.is_multiple_of(size) {
        Ok(())
    } else {
        Err(invalid("a buffer that ends within a number"))
    }
}

fn split(bytes: &[u8], length: i64) -> Result<(&[u8], &[u8]), DecodeMismatch> {
    let length = usize::try_from(length).ok();
    let parts = length.and_then(|length| bytes.split_at_checked(length));
    parts.ok_or_else(truncated)
}

fn truncated() -> DecodeMismatch {
    invalid("truncated")
}

fn invalid(what: &str) -> DecodeMismatch {
    DecodeMismatch::whole(&format!("invalid Arrow stream: {what}"))
}
