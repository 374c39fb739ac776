//! Reads files with the libraries of their format and converts the rows to the form of the wire.

use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use obeya::model::Timestamp;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};

/// The rows of a Parquet file.
pub fn parquet(file: &Path) -> Vec<RecordBatch> {
    let file = File::open(file).expect("open");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let reader = reader.with_batch_size(8192).build().expect("Parquet");
    reader.map(|batch| batch.expect("a batch")).collect()
}

/// The rows of an Arrow stream.
pub fn arrow(file: &Path) -> Vec<RecordBatch> {
    let file = File::open(file).expect("open");
    let reader = StreamReader::try_new_buffered(file, None).expect("Arrow");
    reader.map(|batch| batch.expect("a batch")).collect()
}

/// What tells two files apart: the bytes where the form has one way to write rows, and the rows where it has
/// more.
pub fn content(file: &Path) -> Vec<u8> {
    let batches = match file.extension().and_then(|ending| ending.to_str()) {
        Some("parquet") => parquet(file),
        Some("arrow") => arrow(file),
        _ => return std::fs::read(file).expect("read"),
    };
    let mut out = Vec::new();
    for batch in batches {
        let column = |name| batch.column_by_name(name).expect("a column");
        let ids = column("id").as_primitive::<Int32Type>();
        let dates = column("valueDate").as_primitive::<TimestampMicrosecondType>();
        let values = column("value").as_primitive::<Float64Type>();
        let texts = column("description").as_string::<i32>();
        for row in 0..batch.num_rows() {
            out.extend(ids.value(row).to_le_bytes());
            out.extend(dates.value(row).to_le_bytes());
            out.extend(values.value(row).to_le_bytes());
            out.extend(texts.value(row).as_bytes());
        }
    }
    out
}

/// Rows as objects.
pub fn objects(batches: &[RecordBatch]) -> Vec<Value> {
    let mut objects = Vec::new();
    for batch in batches {
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            let entries = schema.fields().iter().zip(batch.columns());
            let entries = entries.map(|(field, column)| (field.name().clone(), value(column, row)));
            objects.push(Value::Object(entries.collect()));
        }
    }
    objects
}

/// The lines of a file of JSON Lines.
pub fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The names and the rows of a file of CSV.
pub fn csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
    let names = owned(reader.headers().expect("names"));
    let rows = reader
        .records()
        .map(|record| owned(&record.expect("a record")));
    (names, rows.collect())
}

/// A value as CSV has it.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A record as columns hold it: without the seventh digit of its instants, and with null for what it leaves
/// out.
pub fn in_columns(record: &Value, names: &[String]) -> Value {
    let entries = names.iter().map(|name| {
        let value = record.get(name).cloned().unwrap_or_default();
        (name.clone(), cut(value))
    });
    Value::Object(entries.collect())
}

fn cut(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() >= 20 && text.ends_with('Z') => {
            match text.parse::<Timestamp>() {
                Ok(instant) => {
                    let whole = instant.ticks().div_euclid(10) * 10;
                    json!(Timestamp::from_ticks(whole).expect("in range"))
                }
                Err(_) => Value::String(text),
            }
        }
        Value::Array(items) => items.into_iter().map(cut).collect(),
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(name, value)| (name, cut(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}

fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let instant = |ticks| Timestamp::from_ticks(ticks).expect("in range");
    match array.data_type() {
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Dictionary(..) => {
            let words = array.as_dictionary::<Int32Type>();
            let key = words.keys().value(row);
            words.values().as_string::<i32>().value(key as usize).into()
        }
        DataType::Timestamp(..) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            json!(instant(micros * 10))
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            json!(instant(i64::from(days) * 864_000_000_000).date())
        }
        DataType::List(_) => {
            let items: ArrayRef = array.as_list::<i32>().value(row);
            (0..items.len()).map(|row| value(&items, row)).collect()
        }
        DataType::Struct(fields) => {
            let entries = fields.iter().zip(array.as_struct().columns());
            let entries = entries.map(|(field, column)| (field.name().clone(), value(column, row)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => panic!("{other:?}"),
    }
}
