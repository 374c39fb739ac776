//! Reads and writes a Parquet file. A file is written under a temporary name; a storage puts it in its place
//! once it is complete.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
    StringDictionaryBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use obeya::model::Timestamp;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;

use crate::durable;
use crate::sync::row::{CellValue, Table, TableRow};
use obeya::tables::Kind;

/// The number of rows in a batch.
const BATCH_ROWS: usize = 4096;

/// The number of rows in a row group: what a writer buffers, and what a reader can skip.
const ROW_GROUP_ROWS: usize = 128 * 1024;

/// A file being written under its temporary name.
pub(super) struct Writer {
    table: Table,
    schema: SchemaRef,
    writer: ArrowWriter<File>,
    buffered: Vec<TableRow>,
    path: PathBuf,
    rows: u64,
}

impl Writer {
    pub(super) fn new(table: &Table, path: PathBuf) -> Result<Self> {
        let schema = schema(table);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .build();
        let file = durable::create(&path)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?;
        Ok(Writer {
            table: table.clone(),
            schema,
            writer,
            buffered: Vec::with_capacity(BATCH_ROWS),
            path,
            rows: 0,
        })
    }

    pub(super) fn push(&mut self, row: TableRow) -> Result<()> {
        self.buffered.push(row);
        self.rows += 1;
        if self.buffered.len() == BATCH_ROWS {
            self.flush()?;
        }
        Ok(())
    }

    /// Completes the file and flushes it to disk; it still has its temporary name.
    pub(super) fn close(mut self) -> Result<Written> {
        self.flush()?;
        let file = self
            .writer
            .into_inner()
            .with_context(|| format!("{} cannot be written", self.path.display()))?;
        durable::sync(&file, &self.path)?;
        Ok(Written {
            path: self.path,
            rows: self.rows,
        })
    }

    fn flush(&mut self) -> Result<()> {
        if self.buffered.is_empty() {
            return Ok(());
        }
        let columns = self.table.columns.iter().enumerate();
        let columns =
            columns.map(|(place, column)| column_array(column.kind, place, &self.buffered));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())?;
        self.buffered.clear();
        self.writer
            .write(&batch)
            .with_context(|| format!("{} cannot be written", self.path.display()))
    }
}

/// A complete file under its temporary name.
#[must_use = "the file still has its temporary name"]
pub(in crate::sync) struct Written {
    pub(super) path: PathBuf,
    pub(super) rows: u64,
}

impl Written {
    pub(super) fn discard(self) -> Result<()> {
        Ok(fs::remove_file(&self.path)?)
    }
}

/// Reads the rows of a file as rows of a table, which may have more columns than the file.
pub(super) struct Reader {
    batches: ParquetRecordBatchReader,
    /// The index in the file of each column of the table.
    file_columns: Vec<Option<usize>>,
    rows: std::vec::IntoIter<TableRow>,
    path: PathBuf,
}

impl Reader {
    pub(super) fn open(table: &Table, path: &Path) -> Result<Self> {
        let builder = reader(path)?;
        let file_columns = table
            .names()
            .map(|name| builder.schema().index_of(name).ok())
            .collect();
        Ok(Reader {
            batches: builder.with_batch_size(BATCH_ROWS).build()?,
            file_columns,
            rows: Vec::new().into_iter(),
            path: path.to_owned(),
        })
    }

    fn read(&mut self) -> Result<Option<TableRow>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            let Some(batch) = self.batches.next() else {
                return Ok(None);
            };
            let batch = batch.with_context(|| unreadable_message(&self.path))?;
            let columns: Vec<_> = self
                .file_columns
                .iter()
                .map(|place| place.map(|place| batch.column(place)))
                .collect();
            let row = |index| {
                let value = |column: &Option<&ArrayRef>| {
                    column.map_or(CellValue::Null, |column| value(column, index))
                };
                columns.iter().map(value).collect()
            };
            let rows: Vec<TableRow> = (0..batch.num_rows()).map(row).collect();
            self.rows = rows.into_iter();
        }
    }
}

impl Iterator for Reader {
    type Item = Result<TableRow>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The first column of all rows of a file.
pub(super) fn ids(path: &Path) -> Result<Vec<i32>> {
    let builder = reader(path)?;
    let first = parquet::arrow::ProjectionMask::leaves(builder.parquet_schema(), [0]);
    let mut ids = Vec::new();
    for batch in builder.with_projection(first).build()? {
        let batch = batch.with_context(|| unreadable_message(path))?;
        ids.extend_from_slice(batch.column(0).as_primitive::<Int32Type>().values());
    }
    Ok(ids)
}

/// The names of the columns of a file.
pub(super) fn columns(path: &Path) -> Result<BTreeSet<String>> {
    let builder = reader(path)?;
    let fields = builder.schema().fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

/// The number of rows according to the file's metadata.
pub(super) fn rows(path: &Path) -> Result<u64> {
    let builder = reader(path)?;
    Ok(u64::try_from(
        builder.metadata().file_metadata().num_rows(),
    )?)
}

/// The least and the greatest value of a column of instants, in microseconds since 1970; `None` if the file is
/// empty.
pub(super) fn bounds(path: &Path, column: &str) -> Result<Option<(i64, i64)>> {
    let builder = reader(path)?;
    let place = builder.schema().index_of(column)?;
    let groups = builder.metadata().row_groups().iter();
    let of_group = |group: &RowGroupMetaData| match group.column(place).statistics() {
        Some(Statistics::Int64(found)) => Some((*found.min_opt()?, *found.max_opt()?)),
        _ => None,
    };
    let joined = |one: (i64, i64), other: (i64, i64)| (one.0.min(other.0), one.1.max(other.1));
    Ok(groups.filter_map(of_group).reduce(joined))
}

fn reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).with_context(|| unreadable_message(path))?;
    ParquetRecordBatchReaderBuilder::try_new(file).with_context(|| unreadable_message(path))
}

fn unreadable_message(path: &Path) -> String {
    format!(
        "{} cannot be read; remove it and run with --full to write it again",
        path.display()
    )
}

fn schema(table: &Table) -> SchemaRef {
    let field = |(place, column): (usize, &crate::sync::row::ColumnSpec)| {
        Field::new(&column.name, column.kind.arrow(), place >= table.key)
    };
    let fields: Vec<Field> = table.columns.iter().enumerate().map(field).collect();
    Arc::new(Schema::new(fields))
}

/// Builds the array of one column.
fn column_array(kind: Kind, place: usize, rows: &[TableRow]) -> ArrayRef {
    /// Appends values of one kind to a builder; another kind is a bug.
    macro_rules! built {
        ($builder:expr, $($pattern:pat => $value:expr),+) => {{
            let mut builder = $builder;
            for row in rows {
                match &row[place] {
                    CellValue::Null => builder.append_null(),
                    $($pattern => builder.append_value($value),)+
                    other => unreachable!("{other:?} in a column of {kind:?}"),
                }
            }
            Arc::new(builder.finish())
        }};
    }
    match kind {
        Kind::Int => built!(Int32Builder::new(), CellValue::Int(number) => *number),
        Kind::Long => built!(Int64Builder::new(), CellValue::Long(number) => *number),
        Kind::Number => built!(Float64Builder::new(), CellValue::Number(number) => *number),
        Kind::Bool => built!(BooleanBuilder::new(), CellValue::Bool(value) => *value),
        Kind::Text => built!(StringBuilder::new(), CellValue::Text(text) => text),
        Kind::DictionaryText => {
            built!(StringDictionaryBuilder::<Int32Type>::new(), CellValue::Text(text) => text)
        }
        Kind::Instant => built!(
            TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            CellValue::Instant(instant) => micros(*instant)
        ),
        Kind::Day => built!(Date32Builder::new(), CellValue::Day(day) => *day),
        Kind::Texts | Kind::Row(_) | Kind::List(_) => {
            unreachable!("lists have their own tables")
        }
    }
}

fn value(column: &ArrayRef, index: usize) -> CellValue {
    use arrow_schema::DataType;
    if column.is_null(index) {
        return CellValue::Null;
    }
    match column.data_type() {
        DataType::Int32 => CellValue::Int(column.as_primitive::<Int32Type>().value(index)),
        DataType::Int64 => CellValue::Long(column.as_primitive::<Int64Type>().value(index)),
        DataType::Float64 => CellValue::Number(column.as_primitive::<Float64Type>().value(index)),
        DataType::Boolean => CellValue::Bool(column.as_boolean().value(index)),
        DataType::Utf8 => CellValue::Text(column.as_string::<i32>().value(index).to_owned()),
        DataType::Dictionary(..) => {
            let words = column.as_dictionary::<Int32Type>();
            // A key that is not null is a valid index of the dictionary.
            let key = words.key(index).unwrap_or_default();
            CellValue::Text(words.values().as_string::<i32>().value(key).to_owned())
        }
        DataType::Timestamp(..) => {
            let micros = column
                .as_primitive::<TimestampMicrosecondType>()
                .value(index);
            Timestamp::from_ticks(micros.saturating_mul(10))
                .map_or(CellValue::Null, CellValue::Instant)
        }
        DataType::Date32 => CellValue::Day(column.as_primitive::<Date32Type>().value(index)),
        // Another program wrote this file: the value differs from any expected one, so the row is rewritten.
        _ => CellValue::Null,
    }
}

/// Microseconds since 1970, rounded down.
pub(super) fn micros(instant: Timestamp) -> i64 {
    instant.ticks().div_euclid(10)
}
