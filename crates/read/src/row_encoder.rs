//! How a row of a query is written: which members, from which columns, in which form.
//!
//! Made once for a query and used for each of its rows; it runs no statement and knows no table.

use obeya_odata::Bound;
use obeya_odata::edm::Type;

use super::json;
use super::time::TimestampFormatter;
use obeya_store::engine::{Row, StoreError};

/// The members that a query's rows have, in the order of its columns.
#[derive(Debug)]
pub(crate) struct RowEncoder {
    fields: Vec<Field>,
    /// What is expanded in a row stands behind this many of them.
    before_expanded: usize,
}

#[derive(Debug)]
struct Field {
    /// The column in the row.
    column: usize,
    /// `,"name":`; the first one of a row goes without its comma.
    key: Piece,
    /// The key and `null`: in one piece, as many columns of many rows are empty.
    empty: Piece,
    form: Form,
}

/// Bytes that are written once for each row.
#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    /// The same with bytes to throw away behind them: a copy of fixed length takes a few instructions, one of
    /// any length a call.
    padded: [u8; PADDED],
}

/// Longer than every key of the interface with `null`, and with the constant before it on a page of values.
const PADDED: usize = 48;

impl Piece {
    fn new(bytes: Vec<u8>) -> Self {
        let mut padded = [0; PADDED];
        let length = bytes.len().min(PADDED);
        padded[..length].copy_from_slice(&bytes[..length]);
        Self { bytes, padded }
    }

    /// Writes the bytes after the first `skip`.
    #[inline]
    fn write(&self, out: &mut Vec<u8>, skip: usize) {
        if skip > 0 || self.bytes.len() > PADDED {
            out.extend_from_slice(&self.bytes[skip..]);
        } else {
            let end = out.len() + self.bytes.len();
            out.extend_from_slice(&self.padded);
            out.truncate(end);
        }
    }
}

/// What a column holds and how it is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    Int,
    Boolean,
    Double,
    Text,
    Instant,
    Date,
}

impl Form {
    /// `None` for the types that no entity of this service has.
    fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::Int32 | Type::Int64 => Self::Int,
            Type::Boolean => Self::Boolean,
            Type::Double => Self::Double,
            Type::String | Type::Guid | Type::Enum(_) => Self::Text,
            Type::DateTimeOffset => Self::Instant,
            Type::Date => Self::Date,
            _ => return None,
        })
    }
}

impl RowEncoder {
    /// The encoder of a query's rows. Hidden columns are not written; nor is a type that no entity has (see
    /// the test below).
    pub fn of(query: &Bound) -> Self {
        let field = |(column, out): (usize, &obeya_odata::OutColumn)| {
            let form = Form::of(out.ty?)?;
            let mut key = vec![b','];
            json::string(&mut key, out.name);
            key.push(b':');
            let empty = Piece::new([key.as_slice(), b"null"].concat());
            let key = Piece::new(key);
            Some(Field {
                column,
                key,
                empty,
                form,
            })
        };
        let fields: Vec<Field> = query
            .columns()
            .iter()
            .enumerate()
            .filter_map(field)
            .collect();
        Self {
            before_expanded: fields.len(),
            fields,
        }
    }

    /// The same encoder where what is expanded in a row comes right after this member, and not at the end.
    pub(crate) fn with_expanded_after(mut self, query: &Bound, name: &str) -> Self {
        let is_it = |field: &Field| query.columns()[field.column].name == name;
        if let Some(place) = self.fields.iter().position(is_it) {
            self.before_expanded = place + 1;
        }
        self
    }

    /// The same encoder where every row has this integer under a name, which is then not asked of the row:
    /// looking at a column costs more than writing it. Nothing changes for the last member.
    pub(crate) fn with_constant(mut self, query: &Bound, name: &str, value: i64) -> Self {
        let is_it = |field: &Field| query.columns()[field.column].name == name;
        if let Some(place) = self.fields.iter().position(is_it)
            && place + 1 < self.fields.len()
        {
            let mut before = self.fields.remove(place).key.bytes;
            json::int(&mut before, value);
            let next = &mut self.fields[place];
            next.key = Piece::new([before.as_slice(), &next.key.bytes].concat());
            next.empty = Piece::new([before.as_slice(), &next.empty.bytes].concat());
        }
        self
    }

    /// Writes the row's members, separated by commas, without the braces.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        timestamps: &mut TimestampFormatter,
    ) -> Result<(), StoreError> {
        // The comma before the first member is the price of having each key in one piece; it is skipped here.
        write(&self.fields, out, row, timestamps, 1)
    }

    /// The same; where in `out` there is room for what is expanded in the row.
    pub(crate) fn write_around(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        timestamps: &mut TimestampFormatter,
    ) -> Result<usize, StoreError> {
        let (before, after) = self.fields.split_at(self.before_expanded);
        write(before, out, row, timestamps, 1)?;
        let place = out.len();
        let skip = usize::from(before.is_empty());
        write(after, out, row, timestamps, skip)?;
        Ok(place)
    }
}

/// Writes members, the first without the first `skip` bytes of its key.
#[inline]
fn write(
    fields: &[Field],
    out: &mut Vec<u8>,
    row: &dyn Row,
    timestamps: &mut TimestampFormatter,
    mut skip: usize,
) -> Result<(), StoreError> {
    for field in fields {
        let written = field.write(out, row, timestamps, skip)?;
        if !written {
            field.empty.write(out, skip);
        }
        skip = 0;
    }
    Ok(())
}

impl Field {
    /// Writes key and value; false, and nothing written, when the column is NULL.
    #[inline]
    fn write(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        timestamps: &mut TimestampFormatter,
        skip: usize,
    ) -> Result<bool, StoreError> {
        match self.form {
            Form::Int => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::int(out, value);
            }
            Form::Boolean => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::boolean(out, value != 0);
            }
            Form::Double => {
                let Some(value) = row.real(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::double(out, value);
            }
            Form::Text => {
                let Some(value) = row.text(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::string(out, value);
            }
            Form::Instant => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                timestamps.instant(out, value);
            }
            Form::Date => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                timestamps.date(out, value);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obeya_store::entities;

    #[test]
    fn every_property_of_the_model_can_be_written() {
        for entity in entities::all() {
            for property in entity.properties {
                assert!(
                    Form::of(property.ty).is_some(),
                    "{}.{}",
                    entity.name,
                    property.name
                );
            }
        }
    }
}
