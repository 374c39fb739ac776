//! Bulk insert: `COPY … FROM STDIN` in PostgreSQL's binary form, as its documentation of COPY describes it.

use std::pin::pin;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::SinkExt as _;
use tokio_postgres::types::{IsNull, Type};
use tokio_postgres::{Client, Error, Statement};

use super::values::encode;
use crate::{StoreError, Value};

/// The header: a signature that a conversion of line endings would break, no flags, and no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// In place of a row's column count: the end of the data.
const END: i16 = -1;
/// In place of a value's length: NULL.
const NULL: i32 = -1;
/// Size of a buffer.
const PIECE_BYTES: usize = 64 << 10;

/// Encodes rows into buffers. `values` contains the rows one after another, each with one value per element
/// of `kinds`.
///
/// # Errors
/// When a value is not of its column's type.
pub(super) fn pieces(kinds: &[Type], values: &[Value<'_>]) -> Result<Vec<Bytes>, StoreError> {
    let width = kinds.len().max(1);
    if !values.len().is_multiple_of(width) {
        let text = format!("{} values were given for rows of {width}", values.len());
        return Err(StoreError::Engine(text.into()));
    }
    let columns =
        i16::try_from(kinds.len()).map_err(|error| StoreError::Engine(Box::new(error)))?;
    let mut pieces = Vec::new();
    let mut out = BytesMut::with_capacity(PIECE_BYTES);
    out.put_slice(HEADER);
    for row in values.chunks_exact(width) {
        out.put_i16(columns);
        for (value, kind) in row.iter().zip(kinds) {
            put(*value, kind, &mut out).map_err(StoreError::Engine)?;
        }
        if out.len() >= PIECE_BYTES {
            pieces.push(out.split().freeze());
        }
    }
    out.put_i16(END);
    pieces.push(out.freeze());
    Ok(pieces)
}

/// Sends the buffers. The server rolls back an interrupted copy.
pub(super) async fn send(
    client: &Client,
    statement: &Statement,
    pieces: Vec<Bytes>,
) -> Result<u64, Error> {
    let mut sink = pin!(client.copy_in(statement).await?);
    for piece in pieces {
        sink.feed(piece).await?;
    }
    sink.finish().await
}

/// Writes the length of a value and the value.
fn put(
    value: Value<'_>,
    kind: &Type,
    out: &mut BytesMut,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let place = out.len();
    out.put_i32(NULL);
    if let IsNull::No = encode(value, kind, out)? {
        let length = i32::try_from(out.len() - place - size_of::<i32>())?;
        out[place..place + size_of::<i32>()].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_as_the_format_has_them() {
        let kinds = [Type::INT8, Type::FLOAT8, Type::TEXT, Type::INT4];
        let values = [
            Value::Int(-2),
            Value::Real(1.5),
            Value::Text("åb"),
            Value::Int(7),
            Value::Null,
            Value::Real(f64::NAN),
            Value::Text(""),
            Value::Null,
        ];
        let pieces = pieces(&kinds, &values).unwrap();
        // Written by hand from "Binary Format" in the documentation of COPY, and IEEE 754: 1.5 is
        // 0x3FF8000000000000.
        let expected: &[u8] = b"PGCOPY\n\xff\r\n\0\
            \0\0\0\0\0\0\0\0\
            \0\x04\
            \0\0\0\x08\xff\xff\xff\xff\xff\xff\xff\xfe\
            \0\0\0\x08\x3f\xf8\0\0\0\0\0\0\
            \0\0\0\x03\xc3\xa5b\
            \0\0\0\x04\0\0\0\x07\
            \0\x04\
            \xff\xff\xff\xff\
            \xff\xff\xff\xff\
            \0\0\0\0\
            \xff\xff\xff\xff\
            \xff\xff";
        assert_eq!(pieces.len(), 1);
        assert_eq!(pieces[0], expected);
    }

    #[test]
    fn many_rows_are_cut_into_pieces_between_rows() {
        let values = vec![Value::Int(1); 10_000];
        let pieces = pieces(&[Type::INT8], &values).unwrap();
        // Each row has 2 + 4 + 8 bytes.
        let whole: usize = pieces.iter().map(Bytes::len).sum();
        assert_eq!(whole, HEADER.len() + 10_000 * 14 + 2);
        assert_eq!(pieces.len(), 3);
        assert!((PIECE_BYTES..PIECE_BYTES + 14).contains(&pieces[0].len()));
        assert_eq!((pieces[0].len() - HEADER.len()) % 14, 0);
    }

    #[test]
    fn a_value_of_another_type_and_half_a_row_are_errors() {
        assert!(pieces(&[Type::INT8], &[Value::Text("1")]).is_err());
        assert!(pieces(&[Type::INT4], &[Value::Int(1 << 40)]).is_err());
        assert!(pieces(&[Type::INT8, Type::TEXT], &[Value::Int(1)]).is_err());
    }
}
