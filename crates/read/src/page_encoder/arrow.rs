//! A page of values as an Arrow IPC stream: its schema, the words of its four dimensions, one record batch.
//!
//! The schema is the SDK's (`value_schema`); a test of the service holds the two together. A batch knows its
//! length before its rows, so nothing is written until the page is read.

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

use super::{Heading, PageEncoder};
use obeya_store::engine::{Row, StoreError, present};

/// What is written around the columns, and some.
const AROUND: usize = 8 << 10;
/// Room for the words of a dimension: how many, and their bytes.
const WORDS: (usize, usize) = (32, 512);
/// Ticks of a microsecond. The seventh digit of an instant is cut off.
const TICKS: i64 = 10;

/// A page in the making.
pub(super) struct ArrowEncoder {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: usize,
}

struct Column {
    /// The column in the row.
    place: usize,
    values: Values,
}

/// The columns that are there so far. Which may hold null is the schema's to say, and the schema of the table
/// sees to it.
enum Values {
    /// The same in every row, and not asked of it.
    Constant(i32),
    Int(Int32Builder),
    Double(Float64Builder),
    Text(StringBuilder),
    Words(StringDictionaryBuilder<Int32Type>),
    Instant(TimestampMicrosecondBuilder),
}

impl ArrowEncoder {
    pub(super) fn new(
        query: &Bound,
        datasource: i64,
        heading: Heading,
    ) -> Result<Self, StoreError> {
        let rows = usize::try_from(heading.rows()).unwrap_or(0);
        let schema = schema();
        let column = |field: &Arc<Field>| {
            let mut columns = query.columns().iter();
            let place = columns.position(|column| column.name == field.name());
            let place = place.ok_or_else(|| engine(format!("no column {}", field.name())))?;
            let values = match field.data_type() {
                DataType::Int32 if field.name() == "dataSourceId" => {
                    Values::Constant(i32::try_from(datasource).map_err(engine)?)
                }
                DataType::Int32 => Values::Int(Int32Builder::with_capacity(rows)),
                DataType::Float64 => Values::Double(Float64Builder::with_capacity(rows)),
                DataType::Utf8 => Values::Text(StringBuilder::with_capacity(rows, 0)),
                DataType::Dictionary(..) => Values::Words(StringDictionaryBuilder::with_capacity(
                    rows, WORDS.0, WORDS.1,
                )),
                _ => Values::Instant(
                    TimestampMicrosecondBuilder::with_capacity(rows).with_timezone("UTC"),
                ),
            };
            Ok(Column { place, values })
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
                Values::Constant(value) => Arc::new(Int32Array::from_value(*value, rows)),
                Values::Int(values) => Arc::new(values.finish()),
                Values::Double(values) => Arc::new(values.finish()),
                Values::Text(values) => Arc::new(values.finish()),
                Values::Words(values) => Arc::new(values.finish()),
                Values::Instant(values) => Arc::new(values.finish()),
            }
        });
        RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect())
    }
}

impl PageEncoder for ArrowEncoder {
    fn begin(&mut self, _: &mut Vec<u8>) {}

    fn row(&mut self, _: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError> {
        for Column { place, values } in &mut self.columns {
            match values {
                Values::Constant(_) => {}
                Values::Int(values) => values.append_option(row.int32(*place)?),
                // What SQLite was given as NaN it keeps as NULL.
                Values::Double(values) => {
                    values.append_value(row.real(*place)?.unwrap_or(f64::NAN));
                }
                Values::Text(values) => values.append_option(row.text(*place)?),
                Values::Words(values) => match row.text(*place)? {
                    Some(word) => values.append(word).map(drop).map_err(engine)?,
                    None => values.append_null(),
                },
                Values::Instant(values) => {
                    values.append_value(present(row.int(*place)?)?.div_euclid(TICKS));
                }
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let batch = self.batch().map_err(engine)?;
        out.reserve(batch.get_array_memory_size() + AROUND);
        let write = || -> Result<(), ArrowError> {
            let mut writer = StreamWriter::try_new(out, &self.schema)?;
            writer.write(&batch)?;
            writer.finish()
        };
        write().map_err(engine)
    }
}

/// The fields by their wire names, in the order of the interface.
fn schema() -> SchemaRef {
    let int = |name, nullable| Field::new(name, DataType::Int32, nullable);
    let text = |name| Field::new(name, DataType::Utf8, true);
    let instant = |name| {
        let utc = Some("UTC".into());
        Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, utc), false)
    };
    let words = |name| {
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
        words("dimension"),
        words("dimension2"),
        words("dimension3"),
        words("dimension4"),
        instant("valueDate"),
        text("externalId"),
    ]))
}

fn engine(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Engine(cause.into())
}
