//! A checkpoint: the actions of a log as a Parquet file, a row for each ("Checkpoint Schema" of the protocol).

use std::sync::Arc;

use anyhow::{Context as _, Result};
use arrow_json::{LineDelimitedWriter, ReaderBuilder};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::actions::{self, Action};

/// The content of a checkpoint.
pub(super) fn write(actions: &[Action]) -> Result<Vec<u8>> {
    let schema = schema();
    let mut rows = ReaderBuilder::new(Arc::clone(&schema)).build_decoder()?;
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, None)?;
    let lines = actions::to_lines(actions);
    let mut lines = &lines[..];
    loop {
        // It stops at the end of each batch.
        let read = rows.decode(lines)?;
        lines = &lines[read..];
        match rows.flush()? {
            Some(batch) => writer.write(&batch)?,
            None => break,
        }
    }
    Ok(writer.into_inner()?)
}

/// The actions of a checkpoint.
pub(super) fn read(content: Bytes) -> Result<Vec<Action>> {
    let batches = ParquetRecordBatchReaderBuilder::try_new(content)?.build()?;
    let mut lines = LineDelimitedWriter::new(Vec::new());
    for batch in batches {
        lines.write(&batch?)?;
    }
    lines.finish()?;
    actions::from_lines(&lines.into_inner()).context("the checkpoint cannot be read")
}

fn schema() -> SchemaRef {
    let texts = || DataType::List(Arc::new(Field::new("element", DataType::Utf8, true)));
    let column =
        |name: &str, fields: Vec<Field>| Field::new(name, DataType::Struct(fields.into()), true);
    let text = |name| Field::new(name, DataType::Utf8, true);
    let long = |name| Field::new(name, DataType::Int64, true);
    let int = |name| Field::new(name, DataType::Int32, true);
    let flag = |name| Field::new(name, DataType::Boolean, true);
    let map = |name| Field::new(name, text_map(), true);
    Arc::new(Schema::new(vec![
        column(
            "txn",
            vec![text("appId"), long("version"), long("lastUpdated")],
        ),
        column(
            "add",
            vec![
                text("path"),
                map("partitionValues"),
                long("size"),
                long("modificationTime"),
                flag("dataChange"),
                text("stats"),
            ],
        ),
        column(
            "remove",
            vec![
                text("path"),
                long("deletionTimestamp"),
                flag("dataChange"),
                flag("extendedFileMetadata"),
                map("partitionValues"),
                long("size"),
            ],
        ),
        column(
            "metaData",
            vec![
                text("id"),
                text("name"),
                column("format", vec![text("provider"), map("options")]),
                text("schemaString"),
                Field::new("partitionColumns", texts(), true),
                map("configuration"),
                long("createdTime"),
            ],
        ),
        column(
            "protocol",
            vec![int("minReaderVersion"), int("minWriterVersion")],
        ),
    ]))
}

fn text_map() -> DataType {
    let entry = [
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, true),
    ];
    let entries = Field::new("key_value", DataType::Struct(entry.to_vec().into()), false);
    DataType::Map(Arc::new(entries), false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::actions::{Add, Format, MetaData, PROTOCOL};
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let values = BTreeMap::from([("month".to_owned(), "2026-03-01".to_owned())]);
        let add = |number| Add {
            path: format!("month=2026-03-01/{number}-0f3c.parquet"),
            partition_values: values.clone(),
            size: 7,
            modification_time: 1_772_000_000_000,
            data_change: false,
            stats: r#"{"numRecords":3}"#.to_owned(),
        };
        let metadata = MetaData {
            id: "0f3c".to_owned(),
            name: "datasource_values".to_owned(),
            format: Format {
                provider: "parquet".to_owned(),
                options: BTreeMap::new(),
            },
            schema_string: r#"{"type":"struct","fields":[]}"#.to_owned(),
            partition_columns: vec!["month".to_owned()],
            configuration: BTreeMap::new(),
            created_time: 1_772_000_000_000,
        };
        let mut actions = vec![Action::Protocol(PROTOCOL), Action::MetaData(metadata)];
        actions.push(Action::Remove(add(0).into_remove(1_772_000_000_001)));
        // More than a batch.
        actions.extend((1..3_000).map(add).map(Action::Add));
        assert_eq!(read(write(&actions).unwrap().into()).unwrap(), actions);
    }
}
