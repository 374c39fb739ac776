//! Writes the rows of a query as JSON members.
//!
//! An encoder is made once for a query and used for each of its rows; it runs no statement and knows no
//! table.

use obeya_odata::edm::Type;
use obeya_odata::{Bound, ResultColumn};

use super::json;
use super::time::TimestampFormatter;
use obeya_store::engine::{Row, StoreError};

/// The members of a query's rows, in the order of its columns.
#[derive(Debug)]
pub(crate) struct RowEncoder {
    fields: Vec<Field>,
    /// The number of members before the expanded records.
    before_expanded: usize,
    /// What follows the last member: the ends of objects that are open.
    end: Vec<u8>,
}

#[derive(Debug)]
struct Field {
    /// The column in the row.
    column: usize,
    /// `,"name":`; the comma is skipped for the first member of a row.
    key: ConstantBytes,
    /// The key and `null`, in one piece because many columns of many rows are NULL.
    empty: ConstantBytes,
    column_type: ColumnType,
}

/// Constant bytes that are written for each row.
#[derive(Debug)]
struct ConstantBytes {
    bytes: Vec<u8>,
    /// The same bytes with padding: a copy of fixed length takes a few instructions, one of variable length a
    /// function call.
    padded: [u8; PADDED_LENGTH],
}

/// Longer than every key of the API with `null`, and with the constant before it on a page of values.
const PADDED_LENGTH: usize = 48;

impl ConstantBytes {
    fn new(bytes: Vec<u8>) -> Self {
        let mut padded = [0; PADDED_LENGTH];
        let length = bytes.len().min(PADDED_LENGTH);
        padded[..length].copy_from_slice(&bytes[..length]);
        Self { bytes, padded }
    }

    /// Writes the bytes after the first `skip`.
    #[inline]
    fn write(&self, out: &mut Vec<u8>, skip: usize) {
        if skip > 0 || self.bytes.len() > PADDED_LENGTH {
            out.extend_from_slice(&self.bytes[skip..]);
        } else {
            let end = out.len() + self.bytes.len();
            out.extend_from_slice(&self.padded);
            out.truncate(end);
        }
    }
}

/// The type of a column, which decides how it is written.
#[derive(Debug, Clone, Copy)]
enum ColumnType {
    Int,
    Boolean,
    Double,
    Text,
    Instant,
    Date,
    /// A JSON array of texts.
    Texts,
}

impl ColumnType {
    /// `None` for types that no entity of this service has.
    fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::Int32 | Type::Int64 => Self::Int,
            Type::Boolean => Self::Boolean,
            Type::Double => Self::Double,
            Type::String | Type::Guid | Type::Enum(_) => Self::Text,
            Type::DateTimeOffset => Self::Instant,
            Type::Date => Self::Date,
            Type::Texts => Self::Texts,
            _ => return None,
        })
    }
}

impl RowEncoder {
    /// The encoder of a query's rows. It omits hidden columns and types that no entity has (see the test
    /// below).
    pub fn of(query: &Bound) -> Self {
        let field = |(column, out): (usize, &obeya_odata::OutColumn)| {
            let column_type = ColumnType::of(out.ty?)?;
            let mut key = Vec::with_capacity(out.name.len() + 4);
            key.push(b',');
            json::key(&mut key, out.name);
            Some(Field::new(column, key, column_type))
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
            end: Vec::new(),
        }
    }

    /// The encoder of a result of `$apply`. A property of a navigation is a member of an object with the name
    /// of the navigation. `annotated` rows also have the metadata without which a client does not know that
    /// groups are no records, and the types of the values that the request names.
    pub(crate) fn of_result(query: &Bound, result: &[ResultColumn], annotated: bool) -> Self {
        let mut columns: Vec<(usize, &ResultColumn)> = result.iter().enumerate().collect();
        // The members of an object are next to each other, in the place of the first.
        let place_of = |column: &ResultColumn, depth: usize| {
            let is_in = |other: &ResultColumn| other.path.get(..depth) == column.path.get(..depth);
            result.iter().position(is_in)
        };
        columns.sort_by_cached_key(|(_, column)| {
            let depths = 1..=column.path.len();
            depths
                .map(|depth| place_of(column, depth))
                .collect::<Vec<_>>()
        });
        let mut fields = Vec::with_capacity(columns.len());
        let mut open: &[String] = &[];
        // No other member comes before it, so the comma is skipped with the first.
        let mut start: &[u8] = match annotated && query.is_grouped() {
            true => b",\"@odata.id\":null",
            false => b"",
        };
        for (place, column) in columns {
            let Some(column_type) = ColumnType::of(column.ty) else {
                continue;
            };
            let Some((name, objects)) = column.path.split_last() else {
                continue;
            };
            let shared = open.iter().zip(objects).take_while(|(a, b)| a == b).count();
            let mut key = std::mem::take(&mut start).to_vec();
            key.resize(key.len() + open.len() - shared, b'}');
            key.push(b',');
            for object in &objects[shared..] {
                json::key(&mut key, object);
                key.push(b'{');
            }
            if annotated && let Some(ty) = annotation(column) {
                json::key(&mut key, &format!("{name}@odata.type"));
                json::string(&mut key, ty);
                key.push(b',');
            }
            json::key(&mut key, name);
            open = objects;
            fields.push(Field::new(place, key, column_type));
        }
        Self {
            before_expanded: fields.len(),
            fields,
            end: vec![b'}'; open.len()],
        }
    }

    /// Writes the expanded records right after this member instead of at the end.
    pub(crate) fn with_expanded_after(mut self, query: &Bound, name: &str) -> Self {
        let is_it = |field: &Field| query.columns()[field.column].name == name;
        if let Some(index) = self.fields.iter().position(is_it) {
            self.before_expanded = index + 1;
        }
        self
    }

    /// Writes this integer for a member in every row without reading the column, which would cost more than
    /// writing it. Has no effect on the last member.
    pub(crate) fn with_constant(mut self, query: &Bound, name: &str, value: i64) -> Self {
        let is_it = |field: &Field| query.columns()[field.column].name == name;
        if let Some(index) = self.fields.iter().position(is_it)
            && index + 1 < self.fields.len()
        {
            let mut before = self.fields.remove(index).key.bytes;
            json::int(&mut before, value);
            let next = &mut self.fields[index];
            next.key = ConstantBytes::new([before.as_slice(), &next.key.bytes].concat());
            next.empty = ConstantBytes::new([before.as_slice(), &next.empty.bytes].concat());
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
        write(&self.fields, out, row, timestamps, 1)?;
        out.extend_from_slice(&self.end);
        Ok(())
    }

    /// The same; returns the offset in `out` at which expanded records are inserted.
    pub(crate) fn write_around(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        timestamps: &mut TimestampFormatter,
    ) -> Result<usize, StoreError> {
        let (before, after) = self.fields.split_at(self.before_expanded);
        write(before, out, row, timestamps, 1)?;
        let offset = out.len();
        let skip = usize::from(before.is_empty());
        write(after, out, row, timestamps, skip)?;
        Ok(offset)
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

/// The type of a value that the request names, as JSON Format 4.0, 4.5.3 requires it where the value does not
/// show it: every type but text, truth and double.
fn annotation(column: &ResultColumn) -> Option<&'static str> {
    match column.ty {
        _ if column.declared => None,
        Type::Int32 => Some("#Int32"),
        Type::Int64 => Some("#Int64"),
        Type::Date => Some("#Date"),
        Type::DateTimeOffset => Some("#DateTimeOffset"),
        _ => None,
    }
}

impl Field {
    /// A member with this key, which begins with a comma.
    fn new(column: usize, key: Vec<u8>, column_type: ColumnType) -> Self {
        Self {
            column,
            empty: ConstantBytes::new([key.as_slice(), b"null"].concat()),
            key: ConstantBytes::new(key),
            column_type,
        }
    }

    /// Writes key and value. Returns false and writes nothing if the column is NULL.
    #[inline]
    fn write(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        timestamps: &mut TimestampFormatter,
        skip: usize,
    ) -> Result<bool, StoreError> {
        match self.column_type {
            ColumnType::Int => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::int(out, value);
            }
            ColumnType::Boolean => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::boolean(out, value != 0);
            }
            ColumnType::Double => {
                let Some(value) = row.real(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::double(out, value);
            }
            ColumnType::Text => {
                let Some(value) = row.text(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                json::string(out, value);
            }
            ColumnType::Texts => {
                let Some(array) = row.text(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                out.extend_from_slice(array.as_bytes());
            }
            ColumnType::Instant => {
                let Some(value) = row.int(self.column)? else {
                    return Ok(false);
                };
                self.key.write(out, skip);
                timestamps.instant(out, value);
            }
            ColumnType::Date => {
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
                    ColumnType::of(property.ty).is_some(),
                    "{}.{}",
                    entity.name,
                    property.name
                );
            }
        }
    }
}
