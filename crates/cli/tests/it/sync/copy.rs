//! Copies, read by the libraries of their formats and not by our own code.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use obeya::model::{Date, Timestamp};
use obeya_testkit::postgres::{Scratch, connect};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value, json};

use super::bucket::Bucket;
use super::wire::{Tables, canonical};

/// A place for a copy.
pub enum Copy {
    Folder(PathBuf),
    Bucket(Bucket),
    Sqlite(PathBuf),
    Postgres(Scratch),
}

/// The columns a row is known by, where they are not `id`.
const PARTS: [(&str, [&str; 2]); 8] = [
    ("incident_consequences", ["incident_id", "consequence_id"]),
    ("incident_categories", ["incident_id", "category_id"]),
    ("incident_causes", ["incident_id", "cause_id"]),
    ("incident_custom_fields", ["incident_id", "custom_field_id"]),
    ("data_list_items", ["data_list_id", "item_id"]),
    ("user_groups", ["user_id", "group_id"]),
    ("task_tags", ["task_id", "sort_order"]),
    ("task_attachments", ["task_id", "attachment_id"]),
];

const ALONE: [&str; 14] = [
    "incidents",
    "improvements",
    "comments",
    "areas",
    "groups",
    "boards",
    "incident_types",
    "datasources",
    "datasource_values",
    "projects",
    "data_lists",
    "users",
    "tasks",
    "task_comments",
];

impl Copy {
    /// One of each kind, within a folder.
    pub fn all(folder: &Path) -> Vec<Copy> {
        vec![
            Copy::Folder(folder.join("copy")),
            Copy::Bucket(Bucket::new()),
            Copy::Sqlite(folder.join("copy.db")),
            Copy::Postgres(Scratch::empty()),
        ]
    }

    pub fn to(&self) -> String {
        match self {
            Copy::Folder(path) => path.to_str().expect("UTF-8").to_owned(),
            Copy::Bucket(bucket) => bucket.to(),
            Copy::Sqlite(path) => format!("sqlite:{}", path.display()),
            Copy::Postgres(scratch) => scratch.url().to_owned(),
        }
    }

    /// Everything in it, in the form of the wire's.
    pub async fn tables(&self) -> Tables {
        let mut tables = Tables::new();
        let parts = PARTS.iter().map(|(table, key)| (*table, key.to_vec()));
        for (table, key) in parts.chain(ALONE.map(|table| (table, vec!["id"]))) {
            for row in self.rows(table).await {
                let key: Vec<String> = key.iter().map(|name| row[*name].to_string()).collect();
                let columns: BTreeMap<String, String> = row
                    .iter()
                    .map(|(name, value)| (name.clone(), canonical(name, value)))
                    .collect();
                let before = tables
                    .entry(table.to_owned())
                    .or_default()
                    .insert(key.clone(), columns);
                assert_eq!(before, None, "{table} has {key:?} twice");
            }
        }
        tables
    }

    /// The rows of a table, as objects.
    pub async fn rows(&self, table: &str) -> Vec<Map<String, Value>> {
        match self {
            Copy::Folder(path) if table == "datasource_values" => months(&path.join("values")),
            Copy::Folder(path) => parquet(&path.join(format!("{table}.parquet"))),
            Copy::Bucket(bucket) => in_bucket(bucket, table),
            Copy::Sqlite(path) => sqlite(path, table),
            Copy::Postgres(scratch) => postgres(scratch.url(), table).await,
        }
    }
}

/// Says where a copy and the service differ, rather than showing both.
#[track_caller]
pub fn assert_same(copy: &Tables, service: &Tables, when: &str) {
    let mut differences = Vec::new();
    let names = copy.keys().chain(service.keys());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let none = BTreeMap::new();
        let (ours, theirs) = (
            copy.get(name).unwrap_or(&none),
            service.get(name).unwrap_or(&none),
        );
        for (key, row) in ours {
            match theirs.get(key) {
                None => differences.push(format!("{name} {key:?} only in the copy")),
                Some(other) if other != row => {
                    // Of what a v2 record leaves out, a table has null.
                    let absent = "null".to_owned();
                    let differs =
                        |column: &&String| row[*column] != *other.get(*column).unwrap_or(&absent);
                    let mut columns: Vec<String> = row
                        .keys()
                        .filter(differs)
                        .map(|column| {
                            format!("{column}: {} for {:?}", row[column], other.get(column))
                        })
                        .collect();
                    columns.extend(
                        other
                            .iter()
                            // A field that nobody has used yet has no column.
                            .filter(|(column, value)| {
                                !row.contains_key(*column) && *value != "null"
                            })
                            .map(|(column, _)| column.clone()),
                    );
                    if !columns.is_empty() {
                        differences.push(format!("{name} {key:?}: {columns:?}"));
                    }
                }
                Some(_) => {}
            }
        }
        differences.extend(
            theirs
                .keys()
                .filter(|key| !ours.contains_key(*key))
                .map(|key| format!("{name} {key:?} only in the service")),
        );
    }
    differences.truncate(20);
    assert!(
        differences.is_empty(),
        "{when}:\n{}",
        differences.join("\n")
    );
}

fn months(values: &Path) -> Vec<Map<String, Value>> {
    let mut rows = Vec::new();
    for datasource in folder(values) {
        let id = datasource
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        let id: i64 = id
            .strip_prefix("datasource=")
            .expect("a partition")
            .parse()
            .expect("an id");
        for file in folder(&datasource) {
            let month = file
                .file_stem()
                .and_then(|name| name.to_str())
                .expect("a name")
                .to_owned();
            let found = parquet(&file);
            assert!(!found.is_empty(), "{} is empty", file.display());
            for row in found {
                assert_eq!(row["datasource_id"], json!(id), "{}", file.display());
                let date = row["value_date"].as_str().expect("a date");
                assert!(date.starts_with(&month), "{date} in {}", file.display());
                rows.push(row);
            }
        }
    }
    rows
}

fn in_bucket(bucket: &Bucket, table: &str) -> Vec<Map<String, Value>> {
    let mut rows = Vec::new();
    for (file, partition) in bucket.files(table) {
        let found = parquet(&file);
        if let Some(day) = partition.get("month") {
            let month = &day.as_str().expect("a day")[..7];
            assert!(!found.is_empty(), "{} is empty", file.display());
            for row in &found {
                let date = row["value_date"].as_str().expect("a date");
                assert!(date.starts_with(month), "{date} in {}", file.display());
            }
        }
        rows.extend(found);
    }
    rows
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| {
            !path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'))
        })
        .collect()
}

fn parquet(path: &Path) -> Vec<Map<String, Value>> {
    if !path.exists() {
        return Vec::new();
    }
    let file = File::open(path).expect("opened");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let batches = reader.build().expect("a reader");
    batches
        .flat_map(|batch| objects(&batch.expect("a batch")))
        .collect()
}

fn objects(batch: &RecordBatch) -> Vec<Map<String, Value>> {
    let schema = batch.schema();
    let row = |index| {
        let columns = schema.fields().iter().zip(batch.columns());
        columns
            .map(|(field, column)| (field.name().clone(), cell(column, index)))
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

fn cell(column: &ArrayRef, index: usize) -> Value {
    if column.is_null(index) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Int32 => json!(column.as_primitive::<Int32Type>().value(index)),
        DataType::Int64 => json!(column.as_primitive::<Int64Type>().value(index)),
        DataType::Float64 => json!(column.as_primitive::<Float64Type>().value(index)),
        DataType::Boolean => json!(column.as_boolean().value(index)),
        DataType::Utf8 => json!(column.as_string::<i32>().value(index)),
        DataType::Dictionary(..) => {
            let words = column.as_dictionary::<Int32Type>();
            json!(
                words
                    .values()
                    .as_string::<i32>()
                    .value(words.key(index).expect("a key"))
            )
        }
        DataType::Timestamp(..) => {
            let micros = column
                .as_primitive::<TimestampMicrosecondType>()
                .value(index);
            json!(Timestamp::from_ticks(micros * 10).expect("an instant"))
        }
        DataType::Date32 => {
            json!(
                Date::from_days(column.as_primitive::<Date32Type>().value(index))
                    .expect("a day")
                    .to_string()
            )
        }
        other => panic!("{other}"),
    }
}

fn sqlite(path: &Path, table: &str) -> Vec<Map<String, Value>> {
    let connection = rusqlite::Connection::open(path).expect("a database");
    let sql = format!("SELECT * FROM {table}");
    let Ok(mut statement) = connection.prepare(&sql) else {
        return Vec::new();
    };
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        let value = |place| match row.get_ref(place).expect("a value") {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => json!(number),
            ValueRef::Real(number) => json!(number),
            ValueRef::Text(text) => json!(std::str::from_utf8(text).expect("UTF-8")),
            ValueRef::Blob(_) => panic!("a blob"),
        };
        Ok(names
            .iter()
            .enumerate()
            .map(|(place, name)| (name.clone(), value(place)))
            .collect())
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

async fn postgres(url: &str, table: &str) -> Vec<Map<String, Value>> {
    let client = connect(url).await;
    client
        .batch_execute("SET TIME ZONE 'UTC'")
        .await
        .expect("set");
    let sql = format!("SELECT row_to_json(t)::text FROM {table} AS t");
    let Ok(rows) = client.query(&sql, &[]).await else {
        return Vec::new();
    };
    rows.iter()
        .map(|row| serde_json::from_str(row.get(0)).expect("an object"))
        .collect()
}
