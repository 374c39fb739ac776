//! A page of values as an Arrow IPC stream: the schema, the dictionaries of the four dimensions, one record
//! batch.
//!
//! The schema is that of the SDK (`value_schema`); a test of the service compares the two. A batch states its
//! length before its rows, so nothing is written until the page is complete.

use std::sync::Arc;

use arrow_array::builder::{
    Float64Builder, Int32Builder, StringBuilder, StringDictionaryBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use obeya_odata::Bound;

use super::{PageEncoder, PageHeader};
use obeya_store::engine::{Row, StoreError, present};

/// The capacity for everything besides the columns, in bytes.
const OVERHEAD_BYTES: usize = 8 << 10;
/// The initial capacity of a dictionary: number of values, and their bytes.
const DICTIONARY_CAPACITY: (usize, usize) = (32, 512);
/// Ticks per microsecond. The seventh fractional digit of an instant is cut off.
const TICKS_PER_MICROSECOND: i64 = 10;

/// Encodes one page.
pub(super) struct ArrowEncoder {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: usize,
}

struct Column {
    /// The column in the row.
    source: usize,
    values: ColumnBuilder,
}

/// A column under construction. The Arrow schema says which columns may be null, and the schema of the table
/// guarantees it.
enum ColumnBuilder {
    /// The same value in every row; not read from the row.
    Constant(i32),
    Int(Int32Builder),
    Double(Float64Builder),
    Text(StringBuilder),
    Dictionary(StringDictionaryBuilder<Int32Type>),
    Instant(TimestampMicrosecondBuilder),
}

impl ArrowEncoder {
    pub(super) fn new(
        query: &Bound,
        datasource: i64,
        heading: PageHeader,
    ) -> Result<Self, StoreError> {
        let rows = usize::try_from(heading.rows()).unwrap_or(0);
        let schema = schema();
        let column = |field: &Arc<Field>| {
            let mut columns = query.columns().iter();
            let source = columns.position(|column| column.name == field.name());
            let source =
                source.ok_or_else(|| engine_error(format!("no column {}", field.name())))?;
            let values = match field.data_type() {
                DataType::Int32 if field.name() == "dataSourceId" => {
                    ColumnBuilder::Constant(i32::try_from(datasource).map_err(engine_error)?)
                }
                DataType::Int32 => ColumnBuilder::Int(Int32Builder::with_capacity(rows)),
                DataType::Float64 => ColumnBuilder::Double(Float64Builder::with_capacity(rows)),
                DataType::Utf8 => ColumnBuilder::Text(StringBuilder::with_capacity(rows, 0)),
                DataType::Dictionary(..) => {
                    ColumnBuilder::Dictionary(StringDictionaryBuilder::with_capacity(
                        rows,
                        DICTIONARY_CAPACITY.0,
                        DICTIONARY_CAPACITY.1,
                    ))
                }
                _ => ColumnBuilder::Instant(
                    TimestampMicrosecondBuilder::with_capacity(rows).with_timezone("UTC"),
                ),
            };
            Ok(Column { source, values })
        };
        let columns = schema.fields().iter().map(column);
        Ok(Self {
            columns: columns.collect::<Result<_, StoreError>>()?,
            schema,
            rows: 0,
        })
    }

    fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = self.rows;
        let columns = self.columns.iter_mut();
        let arrays = columns.map(|column| -> ArrayRef {
            match &mut column.values {
                ColumnBuilder::Constant(value) => Arc::new(Int32Array::from_value(*value, rows)),
                ColumnBuilder::Int(values) => Arc::new(values.finish()),
                ColumnBuilder::Double(values) => Arc::new(values.finish()),
                ColumnBuilder::Text(values) => Arc::new(values.finish()),
                ColumnBuilder::Dictionary(values) => Arc::new(values.finish()),
                ColumnBuilder::Instant(values) => Arc::new(values.finish()),
            }
        });
        RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect())
    }
}

impl PageEncoder for ArrowEncoder {
    fn begin(&mut self, _: &mut Vec<u8>) {}

    fn row(&mut self, _: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError> {
        for Column { source, values } in &mut self.columns {
            match values {
                ColumnBuilder::Constant(_) => {}
                ColumnBuilder::Int(values) => values.append_option(row.int32(*source)?),
                // SQLite stores NaN as NULL.
                ColumnBuilder::Double(values) => {
                    values.append_value(row.real(*source)?.unwrap_or(f64::NAN));
                }
                ColumnBuilder::Text(values) => values.append_option(row.text(*source)?),
                ColumnBuilder::Dictionary(values) => match row.text(*source)? {
                    Some(value) => values.append(value).map(drop).map_err(engine_error)?,
                    None => values.append_null(),
                },
                ColumnBuilder::Instant(values) => {
                    values.append_value(
                        present(row.int(*source)?)?.div_euclid(TICKS_PER_MICROSECOND),
                    );
                }
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let batch = self.batch().map_err(engine_error)?;
        out.reserve(batch.get_array_memory_size() + OVERHEAD_BYTES);
        let write = || -> Result<(), ArrowError> {
            let mut writer = StreamWriter::try_new(out, &self.schema)?;
            writer.write(&batch)?;
            writer.finish()
        };
        write().map_err(engine_error)
    }
}

/// The fields by their wire names, in the order of the API.
fn schema() -> SchemaRef {
    let int = |name, nullable| Field::new(name, DataType::Int32, nullable);
    let text = |name| Field::new(name, DataType::Utf8, true);
    let instant = |name| {
        let utc = Some("UTC".into());
        Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, utc), false)
    };
    let dictionary = |name| {
        let (keys, values) = (DataType::Int32, DataType::Utf8);
        Field::new(
            name,
            DataType::Dictionary(Box::new(keys), Box::new(values)),
            true,
        )
    };
    Arc::new(Schema::new(vec![
        int("id", false),
        int("dataSourceId", false),
        instant("registrationDate"),
        int("areaId", true),
        int("assetId", true),
        int("projectId", true),
        Field::new("value", DataType::Float64, false),
        text("description"),
        dictionary("dimension"),
        dictionary("dimension2"),
        dictionary("dimension3"),
        dictionary("dimension4"),
        instant("valueDate"),
        text("externalId"),
    ]))
}

fn engine_error(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Engine(cause.into())
}
