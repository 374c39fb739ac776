//! Validates the structure of an Arrow IPC stream before it is decoded: arrow-ipc panics on inconsistent
//! streams.
//!
//! Nothing is decoded here. The decoder checks the contents: offsets, UTF-8 and dictionary keys.

use arrow_ipc::{
    Buffer, Endianness, Field, FieldNode, Message, MessageHeader, RecordBatch, Schema, Type,
};

use crate::decode::DecodeMismatch;

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

/// The memory layout of a column.
#[derive(Clone, Copy)]
enum ColumnLayout {
    /// A validity bitmap, and values of this many bits.
    Fixed(u64),
    /// A validity bitmap, offsets and text.
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
    let name = field.name().unwrap_or_default();
    let int = |width: i32| {
        matches!(width, 8 | 16 | 32 | 64).then(|| ColumnLayout::Fixed(width.unsigned_abs().into()))
    };
    let values = match field.type_type() {
        Type::Int => field.type_as_int().and_then(|ty| int(ty.bitWidth())),
        Type::FloatingPoint => field.type_as_floating_point().and_then(|ty| {
            let bits = [16, 32, 64].into_iter();
            bits.zip(0..)
                .find(|(_, precision)| ty.precision().0 == *precision)
                .map(|(bits, _)| ColumnLayout::Fixed(bits))
        }),
        Type::Timestamp => field
            .type_as_timestamp()
            .filter(|ty| (0..=3).contains(&ty.unit().0))
            .map(|_| ColumnLayout::Fixed(64)),
        Type::Bool => Some(ColumnLayout::Fixed(1)),
        Type::Utf8 => Some(ColumnLayout::Text),
        _ => None,
    };
    let layout = match field.dictionary() {
        None => values,
        // The dictionary's texts come in separate batches.
        Some(dictionary) => values
            .filter(|values| matches!(values, ColumnLayout::Text))
            .and_then(|_| int(dictionary.indexType()?.bitWidth())),
    };
    let known = layout.filter(|_| field.children().is_none_or(|children| children.is_empty()));
    known.ok_or_else(|| {
        DecodeMismatch::named(name, "a type that no property of a value has".to_owned())
    })
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
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else {
        return Err(invalid("a batch without columns"));
    };
    let (mut nodes, mut buffers) = (nodes.iter(), buffers.iter());
    for column in columns {
        let nulls = null_count(nodes.next(), rows)?;
        // Without nulls the validity bitmap may be absent.
        let bits = if nulls > 0 { rows } else { 0 };
        validate_buffer(buffers.next(), bytes, bits.div_ceil(8), 1)?;
        match column {
            ColumnLayout::Fixed(width) => {
                let least = rows.saturating_mul(*width).div_ceil(8);
                validate_buffer(buffers.next(), bytes, least, width.div_ceil(8))?;
            }
            ColumnLayout::Text => {
                let offsets = if rows == 0 { 0 } else { rows.saturating_add(1) };
                validate_buffer(
                    buffers.next(),
                    bytes,
                    offsets.saturating_mul(OFFSET_BYTES),
                    OFFSET_BYTES,
                )?;
                validate_buffer(buffers.next(), bytes, 0, 1)?;
            }
        }
    }
    Ok(())
}

/// The number of nulls in a column.
fn null_count(node: Option<&FieldNode>, rows: u64) -> Result<u64, DecodeMismatch> {
    node.filter(|node| u64::try_from(node.length()) == Ok(rows))
        .and_then(|node| u64::try_from(node.null_count()).ok())
        .filter(|nulls| *nulls <= rows)
        .ok_or_else(|| invalid("a column whose length differs from its batch"))
}

/// Checks that a buffer lies within the body, has at least `least` bytes, and is a multiple of `unit` bytes
/// long.
fn validate_buffer(
    buffer: Option<&Buffer>,
    bytes: &[u8],
    least: u64,
    unit: u64,
) -> Result<(), DecodeMismatch> {
    let span = buffer.and_then(|buffer| {
        let offset = u64::try_from(buffer.offset()).ok()?;
        let length = u64::try_from(buffer.length()).ok()?;
        Some((length, offset.checked_add(length)?))
    });
    match span {
        Some((length, end))
            if length >= least && length.is_multiple_of(unit) && end <= bytes.len() as u64 =>
        {
            Ok(())
        }
        _ => Err(invalid("a buffer outside of the message body")),
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
