//! Converts values: parameters to the types that the server inferred, and columns of the server to ours.
//!
//! All values use PostgreSQL's binary formats. Nothing is rounded: a value that does not fit its type is an
//! error.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::{Row, StoreError, Value};

type Fault = Box<dyn Error + Sync + Send>;

/// A value to send.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound<'a>(pub(super) Value<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        encode(self.0, kind, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value to send later, with an owned text or owned bytes.
#[derive(Debug, Clone)]
pub(super) enum Owned {
    Plain(Value<'static>),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Value<'_>> for Owned {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Owned::Plain(Value::Null),
            Value::Int(value) => Owned::Plain(Value::Int(value)),
            Value::Real(value) => Owned::Plain(Value::Real(value)),
            Value::Text(text) => Owned::Text(text.to_owned()),
            Value::Bytes(bytes) => Owned::Bytes(bytes.to_owned()),
        }
    }
}

impl Owned {
    /// The value itself.
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Owned::Plain(value) => *value,
            Owned::Text(text) => Value::Text(text),
            Owned::Bytes(bytes) => Value::Bytes(bytes),
        }
    }
}

impl ToSql for Owned {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        encode(self.value(), kind, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Writes a value in the binary form of a type.
pub(super) fn encode(value: Value<'_>, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
    match (value, kind) {
        (Value::Null, _) => return Ok(IsNull::Yes),
        (Value::Int(value), &Type::INT8) => out.put_i64(value),
        (Value::Int(value), &Type::INT4) => out.put_i32(value.try_into()?),
        (Value::Int(value), &Type::INT2) => out.put_i16(value.try_into()?),
        (Value::Int(value), &Type::BOOL) => out.put_u8(u8::from(value != 0)),
        (Value::Int(value), &Type::FLOAT8) => {
            let wide = value as f64;
            // Beyond 2^53 not every integer has an equal double. `i64::MAX` must be excluded: the cast
            // saturates.
            if wide as i64 != value || value == i64::MAX {
                return Err(unfit("an integer", kind));
            }
            out.put_f64(wide);
        }
        (Value::Int(value), &Type::NUMERIC) => put_numeric(value, out),
        // SQLite stores NaN as NULL.
        (Value::Real(value), &Type::FLOAT8) if value.is_nan() => return Ok(IsNull::Yes),
        // SQLite has no negative zero; adding 0.0 removes the sign.
        (Value::Real(value), &Type::FLOAT8) => out.put_f64(value + 0.0),
        (
            Value::Text(text),
            &Type::TEXT | &Type::VARCHAR | &Type::BPCHAR | &Type::NAME | &Type::UNKNOWN,
        ) => {
            out.put_slice(text.as_bytes());
        }
        (Value::Bytes(bytes), &Type::BYTEA) => out.put_slice(bytes),
        (Value::Int(_), _) => return Err(unfit("an integer", kind)),
        (Value::Real(_), _) => return Err(unfit("a double", kind)),
        (Value::Text(_), _) => return Err(unfit("a text", kind)),
        (Value::Bytes(_), _) => return Err(unfit("bytes", kind)),
    }
    Ok(IsNull::No)
}

#[cold]
fn unfit(value: &str, kind: &Type) -> Fault {
    format!("{value} was given for a value of type {kind}").into()
}

/// PostgreSQL's format of `numeric`: base 10,000, most significant digit first.
fn put_numeric(value: i64, out: &mut BytesMut) {
    let (mut rest, mut digits) = (value.unsigned_abs(), Vec::with_capacity(5));
    while rest > 0 {
        digits.push((rest % 10_000) as i16);
        rest /= 10_000;
    }
    let count = digits.len() as i16;
    out.put_i16(count);
    out.put_i16((count - 1).max(0));
    out.put_u16(if value < 0 { 0x4000 } else { 0 });
    out.put_u16(0);
    digits.iter().rev().for_each(|digit| out.put_i16(*digit));
}

/// A row of the server.
pub(super) struct Columns(pub(super) tokio_postgres::Row);

/// A column as received.
struct Cell<'r> {
    kind: &'r Type,
    bytes: Option<&'r [u8]>,
}

/// The bytes of a column of any type.
struct Raw<'r>(&'r [u8]);

impl<'r> FromSql<'r> for Raw<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Fault> {
        Ok(Raw(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Columns {
    #[inline]
    fn look(&self, column: usize) -> Result<Cell<'_>, StoreError> {
        let columns = self.0.columns();
        let Some(kind) = columns.get(column) else {
            let text = format!("column {column}: the row has {}", columns.len());
            return Err(StoreError::Engine(text.into()));
        };
        let raw: Option<Raw<'_>> = self
            .0
            .try_get(column)
            .map_err(|error| StoreError::Engine(Box::new(error)))?;
        Ok(Cell {
            kind: kind.type_(),
            bytes: raw.map(|raw| raw.0),
        })
    }
}

impl Row for Columns {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        let cell = self.look(column)?;
        let Some(bytes) = cell.bytes else {
            return Ok(None);
        };
        match whole(cell.kind, bytes) {
            Some(value) => Ok(Some(value)),
            None => Err(mismatch(column, "an integer", cell.kind)),
        }
    }

    fn real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        let cell = self.look(column)?;
        let Some(bytes) = cell.bytes else {
            return Ok(None);
        };
        match double(cell.kind, bytes) {
            Some(value) if value.is_nan() => Ok(None),
            Some(value) => Ok(Some(value)),
            None => Err(mismatch(column, "a double", cell.kind)),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        let cell = self.look(column)?;
        let Some(bytes) = cell.bytes else {
            return Ok(None);
        };
        match *cell.kind {
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                let text = std::str::from_utf8(bytes);
                text.map(Some)
                    .map_err(|error| StoreError::Engine(Box::new(error)))
            }
            ref other => Err(mismatch(column, "a text", other)),
        }
    }

    fn value(&self, column: usize) -> Result<Value<'_>, StoreError> {
        let cell = self.look(column)?;
        let Some(bytes) = cell.bytes else {
            return Ok(Value::Null);
        };
        if *cell.kind == Type::BYTEA {
            return Ok(Value::Bytes(bytes));
        }
        if let Some(value) = whole(cell.kind, bytes) {
            return Ok(Value::Int(value));
        }
        match double(cell.kind, bytes) {
            Some(value) if value.is_nan() => Ok(Value::Null),
            Some(value) => Ok(Value::Real(value)),
            None => Ok(self.text(column)?.into()),
        }
    }
}

/// The integer of a column of an integral type, or of a `numeric` without a fraction, such as a sum of
/// integers.
fn whole(kind: &Type, bytes: &[u8]) -> Option<i64> {
    match *kind {
        Type::INT8 => bytes.try_into().ok().map(i64::from_be_bytes),
        Type::INT4 => bytes
            .try_into()
            .ok()
            .map(|of| i32::from_be_bytes(of).into()),
        Type::INT2 => bytes
            .try_into()
            .ok()
            .map(|of| i16::from_be_bytes(of).into()),
        Type::BOOL => bytes.first().map(|flag| i64::from(*flag != 0)),
        Type::NUMERIC => decimal(bytes)?.parse().ok(),
        _ => None,
    }
}

fn double(kind: &Type, bytes: &[u8]) -> Option<f64> {
    match *kind {
        Type::FLOAT8 => bytes.try_into().ok().map(f64::from_be_bytes),
        Type::FLOAT4 => bytes
            .try_into()
            .ok()
            .map(|of| f32::from_be_bytes(of).into()),
        Type::NUMERIC => decimal(bytes)?.parse().ok(),
        _ => whole(kind, bytes).map(|value| value as f64),
    }
}

/// A `numeric` in decimal digits.
fn decimal(bytes: &[u8]) -> Option<String> {
    let word = |index: usize| {
        let word = bytes.get(index * 2..index * 2 + 2)?;
        Some(i16::from_be_bytes(word.try_into().ok()?))
    };
    let (count, weight, sign) = (word(0)?, word(1)?, word(2)? as u16);
    let mut out = String::new();
    match sign {
        0 => {}
        0x4000 => out.push('-'),
        0xD000 => return Some("inf".into()),
        0xF000 => return Some("-inf".into()),
        _ => return Some("NaN".into()),
    }
    let digit = |place: i16| match place {
        0.. if place < count => word(4 + usize::try_from(place).ok()?),
        _ => Some(0),
    };
    out.push('0');
    for place in 0..=weight.max(-1) {
        out.push_str(&format!("{:04}", digit(place)?));
    }
    if count > weight + 1 {
        out.push('.');
        for place in weight + 1..count {
            out.push_str(&format!("{:04}", digit(place)?));
        }
    }
    Some(out)
}

#[cold]
fn mismatch(column: usize, expected: &str, found: &Type) -> StoreError {
    StoreError::Engine(format!("column {column}: expected {expected}, found {found}").into())
}
