//! What the reader of Arrow takes for granted, looked at before it reads: it panics over a stream that
//! contradicts itself.
//!
//! Nothing is decoded here. Contents (offsets, UTF-8, keys of dictionaries) are the reader's to check, and it
//! does.

use arrow_ipc::{
    Buffer, Endianness, Field, FieldNode, Message, MessageHeader, RecordBatch, Schema, Type,
};

use crate::decode::Misfit;

/// What a message begins with, before its size.
const MARK: [u8; 4] = [0xFF; 4];
/// Bytes of an offset.
const OFFSET: u64 = 4;

/// Holds a whole stream to its form: messages up to the end, schema first, every part of a batch within its
/// bytes.
pub(super) fn check(body: &[u8]) -> Result<(), Misfit> {
    let mut rest = body;
    let mut columns = None;
    loop {
        let (head, after) = rest.split_first_chunk::<8>().ok_or_else(broken_off)?;
        let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        if head[..4] != MARK {
            return Err(wrong("a message without its mark"));
        }
        if size == 0 {
            return match (after.is_empty(), columns) {
                (true, Some(_)) => Ok(()),
                (true, None) => Err(wrong("no schema")),
                (false, _) => Err(wrong("bytes after its end")),
            };
        }
        let (message, after) = cut(after, size.into())?;
        let message = arrow_ipc::root_as_message(message).map_err(|_| wrong("no message"))?;
        let (bytes, after) = cut(after, message.bodyLength())?;
        rest = after;
        columns = Some(check_message(&message, bytes, columns)?);
    }
}

/// How a column is laid out.
#[derive(Clone, Copy)]
enum Column {
    /// Values of so many bits, after the bits that say which are null.
    Fixed(u64),
    /// Offsets and text.
    Text,
}

fn check_message(
    message: &Message<'_>,
    bytes: &[u8],
    columns: Option<Vec<Column>>,
) -> Result<Vec<Column>, Misfit> {
    let Some(columns) = columns else {
        let schema = message.header_as_schema();
        return schema.ok_or_else(|| wrong("no schema")).and_then(of_schema);
    };
    let (batch, layout) = match message.header_type() {
        MessageHeader::RecordBatch => (message.header_as_record_batch(), &columns[..]),
        MessageHeader::DictionaryBatch => {
            let dictionary = message.header_as_dictionary_batch();
            let batch = dictionary.and_then(|dictionary| dictionary.data());
            // Of a dictionary of anything else the reader finds that no field has it.
            (batch, &[Column::Text][..])
        }
        _ => return Err(wrong("a message that is neither words nor rows")),
    };
    check_batch(
        batch.ok_or_else(|| wrong("a message without content"))?,
        bytes,
        layout,
    )?;
    Ok(columns)
}

fn of_schema(schema: Schema<'_>) -> Result<Vec<Column>, Misfit> {
    if schema.endianness() != Endianness::Little {
        return Err(wrong("not little-endian"));
    }
    let fields = schema.fields().ok_or_else(|| wrong("no fields"))?;
    fields.iter().map(of_field).collect()
}

/// The layouts that fields of values have, and those that others might have beside them.
fn of_field(field: Field<'_>) -> Result<Column, Misfit> {
    let name = field.name().unwrap_or_default();
    let int = |width: i32| {
        matches!(width, 8 | 16 | 32 | 64).then(|| Column::Fixed(width.unsigned_abs().into()))
    };
    let values = match field.type_type() {
        Type::Int => field.type_as_int().and_then(|ty| int(ty.bitWidth())),
        Type::FloatingPoint => field.type_as_floating_point().and_then(|ty| {
            let bits = [16, 32, 64].into_iter();
            bits.zip(0..)
                .find(|(_, precision)| ty.precision().0 == *precision)
                .map(|(bits, _)| Column::Fixed(bits))
        }),
        Type::Timestamp => field
            .type_as_timestamp()
            .filter(|ty| (0..=3).contains(&ty.unit().0))
            .map(|_| Column::Fixed(64)),
        Type::Bool => Some(Column::Fixed(1)),
        Type::Utf8 => Some(Column::Text),
        _ => None,
    };
    let layout = match field.dictionary() {
        None => values,
        // Its words are in batches of their own, which are read as texts.
        Some(dictionary) => values
            .filter(|values| matches!(values, Column::Text))
            .and_then(|_| int(dictionary.indexType()?.bitWidth())),
    };
    let known = layout.filter(|_| field.children().is_none_or(|children| children.is_empty()));
    known.ok_or_else(|| Misfit::named(name, "a type that no value has".to_owned()))
}

fn check_batch(batch: RecordBatch<'_>, bytes: &[u8], columns: &[Column]) -> Result<(), Misfit> {
    let rows = u64::try_from(batch.length()).map_err(|_| wrong("a negative length"))?;
    if batch.compression().is_some() {
        return Err(wrong("compressed, which nobody asked for"));
    }
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else {
        return Err(wrong("a batch without columns"));
    };
    let (mut nodes, mut buffers) = (nodes.iter(), buffers.iter());
    for column in columns {
        let nulls = nulls(nodes.next(), rows)?;
        // Without nulls their bits may be left out.
        let bits = if nulls > 0 { rows } else { 0 };
        within(buffers.next(), bytes, bits.div_ceil(8), 1)?;
        match column {
            Column::Fixed(width) => {
                let least = rows.saturating_mul(*width).div_ceil(8);
                within(buffers.next(), bytes, least, width.div_ceil(8))?;
            }
            Column::Text => {
                let offsets = if rows == 0 { 0 } else { rows.saturating_add(1) };
                within(
                    buffers.next(),
                    bytes,
                    offsets.saturating_mul(OFFSET),
                    OFFSET,
                )?;
                within(buffers.next(), bytes, 0, 1)?;
            }
        }
    }
    Ok(())
}

/// How many of a column's rows are null.
fn nulls(node: Option<&FieldNode>, rows: u64) -> Result<u64, Misfit> {
    node.filter(|node| u64::try_from(node.length()) == Ok(rows))
        .and_then(|node| u64::try_from(node.null_count()).ok())
        .filter(|nulls| *nulls <= rows)
        .ok_or_else(|| wrong("a column that is not as long as its batch"))
}

/// Holds a part of a batch to its bytes, of which it needs so many, and whole units of them.
fn within(buffer: Option<&Buffer>, bytes: &[u8], least: u64, unit: u64) -> Result<(), Misfit> {
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
        _ => Err(wrong("a column that reaches beyond its bytes")),
    }
}

fn cut(bytes: &[u8], length: i64) -> Result<(&[u8], &[u8]), Misfit> {
    let length = usize::try_from(length).ok();
    let parts = length.and_then(|length| bytes.split_at_checked(length));
    parts.ok_or_else(broken_off)
}

fn broken_off() -> Misfit {
    wrong("broken off")
}

fn wrong(what: &str) -> Misfit {
    Misfit::whole(&format!("invalid Arrow stream: {what}"))
}
