//! Builds Arrow columns from rows.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int32Builder, Int64Builder, ListBuilder,
    StringBuilder, StringDictionaryBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, ListArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Fields, SchemaRef};

use super::cell::{Cell, Field, Kind, schema};

/// Collects rows for a record batch. Callers may add columns of their own.
pub struct Rows {
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    /// The number of rows; a selection may leave no column to derive it from.
    len: usize,
}

impl Rows {
    /// An empty collection with these fields.
    #[must_use]
    pub fn new<'a>(fields: impl IntoIterator<Item = &'a Field> + Clone) -> Self {
        let kinds = fields.clone().into_iter().map(|field| field.kind);
        Self::of(schema(fields), kinds)
    }

    /// An empty collection with this schema, and the kinds of its columns.
    pub(crate) fn of(schema: SchemaRef, kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self {
            schema,
            columns: kinds.into_iter().map(ColumnBuilder::new).collect(),
            len: 0,
        }
    }

    /// Adds a row: a cell for each field, in order.
    ///
    /// # Panics
    /// When the number of cells differs from that of the fields, or a cell is not of its field's kind: both
    /// are bugs of the caller.
    pub fn push<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.append(cells.next().expect("a cell for each field"));
        }
        assert!(cells.next().is_none(), "more cells than fields");
        self.len += 1;
    }

    /// Takes the collected rows as a batch.
    ///
    /// # Errors
    /// When a non-nullable column has nulls: the server omitted a required property.
    pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let types = self.schema.fields().iter().map(|field| field.data_type());
        let columns = self.columns.iter_mut().zip(types);
        let columns = columns.map(|(column, ty)| column.finish(ty));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let len = std::mem::take(&mut self.len);
        let options = RecordBatchOptions::new().with_row_count(Some(len));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}

/// A builder for a column.
enum ColumnBuilder {
    Int(Int32Builder),
    Long(Int64Builder),
    Number(Float64Builder),
    Bool(BooleanBuilder),
    Text(StringBuilder),
    DictionaryText(Box<StringDictionaryBuilder<Int32Type>>),
    Instant(TimestampMicrosecondBuilder),
    Day(Date32Builder),
    Texts(ListBuilder<StringBuilder>),
    Row {
        items: Vec<ColumnBuilder>,
        is_present: Vec<bool>,
    },
    List {
        items: Vec<ColumnBuilder>,
        /// The end offset of each list.
        ends: Vec<i32>,
        is_present: Vec<bool>,
    },
}

impl ColumnBuilder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Int => Self::Int(Int32Builder::new()),
            Kind::Long => Self::Long(Int64Builder::new()),
            Kind::Number => Self::Number(Float64Builder::new()),
            Kind::Bool => Self::Bool(BooleanBuilder::new()),
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::DictionaryText => Self::DictionaryText(Box::default()),
            Kind::Instant => Self::Instant(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
            Kind::Day => Self::Day(Date32Builder::new()),
            Kind::Texts => {
                let item = ArrowField::new_list_field(DataType::Utf8, false);
                Self::Texts(ListBuilder::new(StringBuilder::new()).with_field(item))
            }
            Kind::Row(fields) => Self::Row {
                items: fields.iter().map(|field| Self::new(field.kind)).collect(),
                is_present: Vec::new(),
            },
            Kind::List(fields) => Self::List {
                items: fields.iter().map(|field| Self::new(field.kind)).collect(),
                ends: vec![0],
                is_present: Vec::new(),
            },
        }
    }

    fn append(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Int(column), Cell::Int(number)) => column.append_value(number),
            (Self::Int(column), Cell::Null) => column.append_null(),
            (Self::Long(column), Cell::Long(number)) => column.append_value(number),
            (Self::Long(column), Cell::Null) => column.append_null(),
            (Self::Number(column), Cell::Number(number)) => column.append_value(number),
            (Self::Number(column), Cell::Null) => column.append_null(),
            (Self::Bool(column), Cell::Bool(value)) => column.append_value(value),
            (Self::Bool(column), Cell::Null) => column.append_null(),
            (Self::Text(column), Cell::Text(text)) => column.append_value(text),
            (Self::Text(column), Cell::Null) => column.append_null(),
            (Self::DictionaryText(column), Cell::Text(text)) => column.append_value(text),
            (Self::DictionaryText(column), Cell::Null) => column.append_null(),
            (Self::Instant(column), Cell::Instant(instant)) => {
                column.append_value(instant.ticks().div_euclid(10));
            }
            (Self::Instant(column), Cell::Null) => column.append_null(),
            (Self::Day(column), Cell::Day(day)) => column.append_value(day.days()),
            (Self::Day(column), Cell::Null) => column.append_null(),
            (Self::Texts(column), Cell::Texts(texts)) => {
                texts
                    .iter()
                    .for_each(|text| column.values().append_value(text));
                column.append(true);
            }
            (Self::Texts(column), Cell::Null) => column.append_null(),
            (Self::Row { items, is_present }, Cell::Row(_, cells)) => {
                for (column, cell) in items.iter_mut().zip(cells) {
                    column.append(cell);
                }
                is_present.push(true);
            }
            (Self::Row { items, is_present }, Cell::Null) => {
                for column in items {
                    column.append(Cell::Null);
                }
                is_present.push(false);
            }
            (
                Self::List {
                    items,
                    ends,
                    is_present,
                },
                cell,
            ) => {
                let (rows, there) = match cell {
                    Cell::List(_, rows) => (rows, true),
                    Cell::Null => (Vec::new(), false),
                    other => panic!("{other:?} in a column of lists"),
                };
                let last = ends.last().copied().unwrap_or_default();
                let more = i32::try_from(rows.len()).expect("a record's lists are short");
                for row in rows {
                    for (column, cell) in items.iter_mut().zip(row) {
                        column.append(cell);
                    }
                }
                ends.push(last + more);
                is_present.push(there);
            }
            (_, other) => panic!("{other:?} in a column of another kind"),
        }
    }

    fn finish(&mut self, ty: &DataType) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Int(column) => Arc::new(column.finish()),
            Self::Long(column) => Arc::new(column.finish()),
            Self::Number(column) => Arc::new(column.finish()),
            Self::Bool(column) => Arc::new(column.finish()),
            Self::Text(column) => Arc::new(column.finish()),
            Self::DictionaryText(column) => Arc::new(column.finish()),
            Self::Instant(column) => Arc::new(column.finish()),
            Self::Day(column) => Arc::new(column.finish()),
            Self::Texts(column) => Arc::new(column.finish()),
            Self::Row { items, is_present } => {
                let DataType::Struct(fields) = ty else {
                    unreachable!("the schema has the same kinds")
                };
                let is_present = std::mem::take(is_present);
                Arc::new(rows_of(items, fields, is_present.len(), Some(is_present))?)
            }
            Self::List {
                items,
                ends,
                is_present,
            } => {
                let DataType::List(item) = ty else {
                    unreachable!("the schema has the same kinds")
                };
                let DataType::Struct(fields) = item.data_type() else {
                    unreachable!("a list's items are rows")
                };
                let len = ends.last().copied().unwrap_or_default();
                let len = usize::try_from(len).unwrap_or_default();
                let rows = rows_of(items, fields, len, None)?;
                let offsets = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
                let nulls = NullBuffer::new(BooleanBuffer::from(std::mem::take(is_present)));
                let list =
                    ListArray::try_new(Arc::clone(item), offsets, Arc::new(rows), Some(nulls))?;
                Arc::new(list)
            }
        })
    }
}

fn rows_of(
    items: &mut [ColumnBuilder],
    fields: &Fields,
    len: usize,
    is_present: Option<Vec<bool>>,
) -> Result<StructArray, ArrowError> {
    let columns = items.iter_mut().zip(fields.iter());
    let columns = columns.map(|(column, field)| column.finish(field.data_type()));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let nulls = is_present.map(|there| NullBuffer::new(BooleanBuffer::from(there)));
    StructArray::try_new_with_length(fields.clone(), columns, nulls, len)
}
