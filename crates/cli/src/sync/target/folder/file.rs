//! One Parquet file: rows in, rows out. A file is written beside its place and then put there, so that
//! whoever opens it has a whole one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int32Builder, StringBuilder,
    StringDictionaryBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, TimestampMicrosecondType};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use obeya::model::Timestamp;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::durable;
use crate::sync::row::{Row, Table, Value};
use obeya::tables::Kind;

/// Rows of a batch.
const BATCH: usize = 4096;

/// Rows of a row group: what a writer holds in memory, and what a reader can skip.
const GROUP: usize = 128 * 1024;

/// A file on its way to its place.
pub(super) struct Writer {
    table: Table,
    schema: SchemaRef,
    writer: ArrowWriter<File>,
    waiting: Vec<Row>,
    /// Where it is now, and where it goes.
    from: PathBuf,
    to: PathBuf,
    pub(super) rows: u64,
}

impl Writer {
    pub(super) fn new(table: &Table, to: &Path) -> Result<Self> {
        let from = beside(to);
        let schema = schema(table);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        let file = durable::create(&from)
            .with_context(|| format!("{} cannot be written", from.display()))?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?;
        Ok(Writer {
            table: table.clone(),
            schema,
            writer,
            waiting: Vec::with_capacity(BATCH),
            from,
            to: to.to_owned(),
            rows: 0,
        })
    }

    pub(super) fn push(&mut self, row: Row) -> Result<()> {
        self.waiting.push(row);
        self.rows += 1;
        if self.waiting.len() == BATCH {
            self.flush()?;
        }
        Ok(())
    }

    /// Ends the file, which is then on disk but not yet in its place.
    pub(super) fn close(mut self) -> Result<Written> {
        self.flush()?;
        let file = self
            .writer
            .into_inner()
            .with_context(|| format!("{} cannot be written", self.from.display()))?;
        durable::sync(&file, &self.from)?;
        Ok(Written {
            from: self.from,
            to: self.to,
        })
    }

    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let columns = self.table.columns.iter().enumerate();
        let columns = columns.map(|(place, column)| array(column.kind, place, &self.waiting));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())?;
        self.waiting.clear();
        self.writer
            .write(&batch)
            .with_context(|| format!("{} cannot be written", self.from.display()))
    }
}

/// A whole file, beside its place.
#[must_use = "it is not in its place yet"]
pub(super) struct Written {
    from: PathBuf,
    to: PathBuf,
}

impl Written {
    /// Puts it in the place of what was there. Where nothing was, it gets the mode of a model.
    pub(super) fn publish(self, model: &Path) -> Result<()> {
        durable::copy_mode(model, &self.from)
            .and_then(|()| durable::rename(&self.from, &self.to))
            .with_context(|| format!("{} cannot be put in its place", self.to.display()))
    }

    /// Whether there was a file before.
    pub(super) fn is_there(&self) -> bool {
        self.to.exists()
    }

    pub(super) fn discard(self) -> Result<()> {
        Ok(fs::remove_file(&self.from)?)
    }
}

/// The name a file has until it is whole. No pattern for Parquet files matches it.
pub(super) fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.new"))
}

/// The rows of a file, as rows of a table that may have got more columns since.
pub(super) struct Reader {
    batches: ParquetRecordBatchReader,
    /// Where each column of the table is in the file.
    places: Vec<Option<usize>>,
    rows: std::vec::IntoIter<Row>,
    path: PathBuf,
}

impl Reader {
    /// `None` when there is no such file.
    pub(super) fn open(table: &Table, path: &Path) -> Result<Option<Self>> {
        let Some(builder) = reader(path)? else {
            return Ok(None);
        };
        let places = table
            .names()
            .map(|name| builder.schema().index_of(name).ok())
            .collect();
        Ok(Some(Reader {
            batches: builder.with_batch_size(BATCH).build()?,
            places,
            rows: Vec::new().into_iter(),
            path: path.to_owned(),
        }))
    }

    fn read(&mut self) -> Result<Option<Row>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            let Some(batch) = self.batches.next() else {
                return Ok(None);
            };
            let batch = batch.with_context(|| unreadable(&self.path))?;
            let columns: Vec<_> = self
                .places
                .iter()
                .map(|place| place.map(|place| batch.column(place)))
                .collect();
            let row = |index| {
                let value = |column: &Option<&ArrayRef>| {
                    column.map_or(Value::Null, |column| value(column, index))
                };
                columns.iter().map(value).collect()
            };
            let rows: Vec<Row> = (0..batch.num_rows()).map(row).collect();
            self.rows = rows.into_iter();
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The first column of all rows of a file; none if it is not there.
pub(super) fn ids(path: &Path) -> Result<Vec<i32>> {
    let Some(builder) = reader(path)? else {
        return Ok(Vec::new());
    };
    let first = parquet::arrow::ProjectionMask::leaves(builder.parquet_schema(), [0]);
    let mut ids = Vec::new();
    for batch in builder.with_projection(first).build()? {
        let batch = batch.with_context(|| unreadable(path))?;
        ids.extend_from_slice(batch.column(0).as_primitive::<Int32Type>().values());
    }
    Ok(ids)
}

/// How many rows a file says it has; none if it is not there.
pub(super) fn rows(path: &Path) -> Result<u64> {
    let Some(builder) = reader(path)? else {
        return Ok(0);
    };
    Ok(u64::try_from(
        builder.metadata().file_metadata().num_rows(),
    )?)
}

/// What reads a file; `None` when there is no such file.
fn reader(path: &Path) -> Result<Option<ParquetRecordBatchReaderBuilder<File>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.with_context(|| unreadable(path))?,
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file);
    builder.with_context(|| unreadable(path)).map(Some)
}

fn unreadable(path: &Path) -> String {
    format!(
        "{} cannot be read; once it is removed, --full writes it anew",
        path.display()
    )
}

fn schema(table: &Table) -> SchemaRef {
    let field = |(place, column): (usize, &crate::sync::row::Named)| {
        Field::new(&column.name, column.kind.arrow(), place >= table.key)
    };
    let fields: Vec<Field> = table.columns.iter().enumerate().map(field).collect();
    Arc::new(Schema::new(fields))
}

/// A column of rows.
fn array(kind: Kind, place: usize, rows: &[Row]) -> ArrayRef {
    /// Each value of a kind into a builder; whatever is of another kind is a slip of this program.
    macro_rules! built {
        ($builder:expr, $($pattern:pat => $value:expr),+) => {{
            let mut builder = $builder;
            for row in rows {
                match &row[place] {
                    Value::Null => builder.append_null(),
                    $($pattern => builder.append_value($value),)+
                    other => unreachable!("{other:?} in a column of {kind:?}"),
                }
            }
            Arc::new(builder.finish())
        }};
    }
    match kind {
        Kind::Int => built!(Int32Builder::new(), Value::Int(number) => *number),
        Kind::Number => built!(Float64Builder::new(), Value::Number(number) => *number),
        Kind::Bool => built!(BooleanBuilder::new(), Value::Bool(value) => *value),
        Kind::Text => built!(StringBuilder::new(), Value::Text(text) => text),
        Kind::DictionaryText => {
            built!(StringDictionaryBuilder::<Int32Type>::new(), Value::Text(text) => text)
        }
        Kind::Instant => built!(
            TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            Value::Instant(instant) => micros(*instant)
        ),
        Kind::Day => built!(Date32Builder::new(), Value::Day(day) => *day),
        Kind::Row(_) | Kind::List(_) => unreachable!("lists are tables of their own here"),
    }
}

fn value(column: &ArrayRef, index: usize) -> Value {
    use arrow_schema::DataType;
    if column.is_null(index) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Int32 => Value::Int(column.as_primitive::<Int32Type>().value(index)),
        DataType::Float64 => Value::Number(column.as_primitive::<Float64Type>().value(index)),
        DataType::Boolean => Value::Bool(column.as_boolean().value(index)),
        DataType::Utf8 => Value::Text(column.as_string::<i32>().value(index).to_owned()),
        DataType::Dictionary(..) => {
            let words = column.as_dictionary::<Int32Type>();
            // A key that is not null is a place in the dictionary.
            let key = words.key(index).unwrap_or_default();
            Value::Text(words.values().as_string::<i32>().value(key).to_owned())
        }
        DataType::Timestamp(..) => {
            let micros = column
                .as_primitive::<TimestampMicrosecondType>()
                .value(index);
            Timestamp::from_ticks(micros.saturating_mul(10)).map_or(Value::Null, Value::Instant)
        }
        DataType::Date32 => Value::Day(column.as_primitive::<Date32Type>().value(index)),
        // Of another program: it differs from whatever it should be, and is written anew.
        _ => Value::Null,
    }
}

/// Microseconds since 1970; what is finer is cut off.
pub(super) fn micros(instant: Timestamp) -> i64 {
    instant.ticks().div_euclid(10)
}
