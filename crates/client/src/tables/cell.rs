//! Columns and cells.

use std::sync::Arc;

use arrow_schema::{DataType, Field as ArrowField, Fields, Schema, SchemaRef, TimeUnit};
use obeya_model::{Date, Timestamp};
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

/// The type of a column.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A 32-bit integer.
    Int,
    /// A 64-bit integer.
    Long,
    /// A double.
    Number,
    /// True or false.
    Bool,
    /// Text that is mostly distinct.
    Text,
    /// Text with few distinct values: dictionary-encoded in Arrow.
    DictionaryText,
    /// An instant; `timestamp[us, UTC]` in Arrow, rounded down.
    Instant,
    /// A day.
    Day,
    /// A list of texts.
    Texts,
    /// A nested row with these fields.
    Row(&'static [Field]),
    /// A list of nested rows with these fields.
    List(&'static [Field]),
}

impl Kind {
    /// The Arrow type.
    #[must_use]
    pub fn arrow(self) -> DataType {
        match self {
            Self::Int => DataType::Int32,
            Self::Long => DataType::Int64,
            Self::Number => DataType::Float64,
            Self::Bool => DataType::Boolean,
            Self::Text => DataType::Utf8,
            Self::DictionaryText => {
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
            }
            // Nanoseconds end in 2262, before dates of the year 9999, and many readers do not support them.
            Self::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Day => DataType::Date32,
            Self::Texts => {
                DataType::List(Arc::new(ArrowField::new_list_field(DataType::Utf8, false)))
            }
            Self::Row(fields) => DataType::Struct(fields.iter().map(Field::arrow).collect()),
            Self::List(fields) => {
                let item = Self::Row(fields).arrow();
                DataType::List(Arc::new(ArrowField::new_list_field(item, false)))
            }
        }
    }
}

/// A column's name and type, independent of its record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be null.
    pub is_nullable: bool,
}

impl Field {
    /// The Arrow field.
    #[must_use]
    pub fn arrow(&self) -> ArrowField {
        ArrowField::new(self.name, self.kind.arrow(), self.is_nullable)
    }
}

/// A schema of these fields.
pub(crate) fn schema<'a>(fields: impl IntoIterator<Item = &'a Field>) -> SchemaRef {
    Arc::new(Schema::new(
        fields.into_iter().map(Field::arrow).collect::<Fields>(),
    ))
}

/// A column of the records `T`.
pub struct Column<T: 'static> {
    /// Its name and type.
    pub field: Field,
    /// Gets the value from a record.
    pub get: for<'a> fn(&'a T) -> Cell<'a>,
}

impl<T> Column<T> {
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        is_nullable: bool,
        get: for<'a> fn(&'a T) -> Cell<'a>,
    ) -> Self {
        let field = Field {
            name,
            kind,
            is_nullable,
        };
        Self { field, get }
    }
}

/// The fields of columns.
pub(crate) const fn fields<T, const N: usize>(columns: &[Column<T>; N]) -> [Field; N] {
    let mut fields = [columns[0].field; N];
    let mut place = 1;
    while place < N {
        fields[place] = columns[place].field;
        place += 1;
    }
    fields
}

/// The fields of columns for an expanded record, all nullable: options within `$expand` may omit any of them.
pub(crate) const fn nullable_fields<T, const N: usize>(columns: &[Column<T>; N]) -> [Field; N] {
    let mut fields = fields(columns);
    let mut place = 0;
    while place < N {
        fields[place].is_nullable = true;
        place += 1;
    }
    fields
}

/// A value, borrowed from its record.
#[derive(Clone, Debug)]
pub enum Cell<'a> {
    /// Null, in a column of any kind.
    Null,
    /// Of a column of [`Kind::Int`].
    Int(i32),
    /// Of a column of [`Kind::Long`].
    Long(i64),
    /// Of a column of [`Kind::Number`].
    Number(f64),
    /// Of a column of [`Kind::Bool`].
    Bool(bool),
    /// Of a column of [`Kind::Text`] or [`Kind::DictionaryText`].
    Text(&'a str),
    /// Of a column of [`Kind::Instant`].
    Instant(Timestamp),
    /// Of a column of [`Kind::Day`].
    Day(Date),
    /// Of a column of [`Kind::Texts`].
    Texts(&'a [String]),
    /// A row with a cell for each field of its [`Kind::Row`].
    Row(&'static [Field], Vec<Cell<'a>>),
    /// Rows, each with a cell for each field of its [`Kind::List`].
    List(&'static [Field], Vec<Vec<Cell<'a>>>),
}

impl<'a> Cell<'a> {
    /// The rows of a list, by the columns of its records.
    pub(crate) fn list<T>(
        fields: &'static [Field],
        columns: &[Column<T>],
        records: &'a [T],
    ) -> Self {
        let row = |record| columns.iter().map(|column| (column.get)(record)).collect();
        Self::List(fields, records.iter().map(row).collect())
    }

    /// The rows of an optional list.
    pub(crate) fn list_of<T>(
        fields: &'static [Field],
        columns: &[Column<T>],
        records: Option<&'a [T]>,
    ) -> Self {
        records.map_or(Self::Null, |records| Self::list(fields, columns, records))
    }

    /// The row of an optional record.
    pub(crate) fn row<T>(
        fields: &'static [Field],
        columns: &[Column<T>],
        record: Option<&'a T>,
    ) -> Self {
        record.map_or(Self::Null, |record| {
            Self::Row(
                fields,
                columns.iter().map(|column| (column.get)(record)).collect(),
            )
        })
    }
}

/// Serializes as on the wire.
impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Int(number) => serializer.serialize_i32(*number),
            Self::Long(number) => serializer.serialize_i64(*number),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Instant(instant) => instant.serialize(serializer),
            Self::Day(day) => day.serialize(serializer),
            Self::Texts(texts) => texts.serialize(serializer),
            Self::Row(fields, cells) => Object(fields, cells).serialize(serializer),
            Self::List(fields, rows) => {
                let mut list = serializer.serialize_seq(Some(rows.len()))?;
                for row in rows {
                    list.serialize_element(&Object(fields, row))?;
                }
                list.end()
            }
        }
    }
}

/// A row as an object.
struct Object<'a>(&'static [Field], &'a [Cell<'a>]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.1.len()))?;
        for (field, cell) in self.0.iter().zip(self.1) {
            map.serialize_entry(field.name, cell)?;
        }
        map.end()
    }
}

impl From<i32> for Cell<'_> {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<i64> for Cell<'_> {
    fn from(value: i64) -> Self {
        Self::Long(value)
    }
}

impl From<f64> for Cell<'_> {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [String]> for Cell<'a> {
    fn from(value: &'a [String]) -> Self {
        Self::Texts(value)
    }
}

impl From<Timestamp> for Cell<'_> {
    fn from(value: Timestamp) -> Self {
        Self::Instant(value)
    }
}

impl From<Date> for Cell<'_> {
    fn from(value: Date) -> Self {
        Self::Day(value)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
