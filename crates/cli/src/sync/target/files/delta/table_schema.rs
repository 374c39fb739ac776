//! The schema of a table in the form of Delta Lake ("Schema Serialization Format"), and what a log says about
//! a file. No I/O here.

use std::collections::{BTreeMap, BTreeSet};

use obeya::model::Timestamp;
use obeya::tables::Kind;
use serde::Deserialize;
use serde_json::json;

use crate::sync::month::Month;
use crate::sync::row::Table;
use crate::sync::target::files::storage::FileKey;

/// The column by which values are partitioned: the first day of the month of `value_date` in UTC.
const MONTH: &str = "month";

/// The columns by which a table is partitioned.
pub(super) fn partition_columns(file: FileKey) -> Vec<String> {
    match file {
        FileKey::Table(_) => Vec::new(),
        FileKey::Month(..) => vec![MONTH.to_owned()],
    }
}

/// The values of these columns in a file.
pub(super) fn partition_values(file: FileKey) -> BTreeMap<String, String> {
    match file {
        FileKey::Table(_) => BTreeMap::new(),
        FileKey::Month(_, month) => BTreeMap::from([(MONTH.to_owned(), first_day(month))]),
    }
}

/// The columns of a table, those of its partitions last. A column may be null whatever its kind, because
/// files of earlier versions may lack it.
pub(super) fn schema_string(table: &Table, partitions: &[String]) -> String {
    let field = |name: &str, kind: &str| json!({"name": name, "type": kind, "nullable": true, "metadata": {}});
    let columns = table.columns.iter();
    let columns = columns.map(|column| field(&column.name, type_of(column.kind)));
    let partitions = partitions.iter().map(|name| field(name, "date"));
    let fields: Vec<_> = columns.chain(partitions).collect();
    json!({"type": "struct", "fields": fields}).to_string()
}

/// The statistics of a file: with them an engine skips files, and counts rows without reading them.
/// `dates` are the bounds of `value_date`, in microseconds since 1970.
pub(super) fn stats(file: FileKey, rows: u64, dates: Option<(i64, i64)>) -> String {
    let bounds = |date: i64| match (file, Timestamp::from_ticks(date.saturating_mul(10))) {
        (FileKey::Month(datasource, _), Some(date)) => {
            json!({"datasource_id": datasource, "value_date": date})
        }
        _ => json!({}),
    };
    match dates {
        None => json!({ "numRecords": rows }),
        Some((first, last)) => {
            json!({"numRecords": rows, "minValues": bounds(first), "maxValues": bounds(last)})
        }
    }
    .to_string()
}

/// The path of a new file, relative to its table. `unique` distinguishes it from earlier ones.
pub(super) fn path(file: FileKey, unique: &str) -> String {
    match file {
        FileKey::Table(_) => format!("{unique}.parquet"),
        FileKey::Month(datasource, month) => {
            format!("{MONTH}={}/{datasource}-{unique}.parquet", first_day(month))
        }
    }
}

/// The file that has a path of this form; `None` for a path that [`path`] does not make.
pub(super) fn file_at(table: &'static str, path: &str) -> Option<FileKey> {
    let name = path.strip_suffix(".parquet")?;
    match name.split_once('/') {
        None => is_unique(name).then_some(FileKey::Table(table)),
        Some((folder, name)) => {
            let day = folder.strip_prefix(MONTH)?.strip_prefix('=')?;
            let month: Month = day.strip_suffix("-01")?.parse().ok()?;
            let (datasource, unique) = name.split_once('-')?;
            is_unique(unique).then_some(())?;
            Some(FileKey::Month(datasource.parse().ok()?, month))
        }
    }
}

/// Whether a text has the form of a UUID. Other writers use other names, such as `part-00000-…`.
fn is_unique(text: &str) -> bool {
    let parts = text.split('-').map(str::len);
    let is_hex = |letter: char| letter == '-' || letter.is_ascii_hexdigit();
    parts.eq([8, 4, 4, 4, 12]) && text.chars().all(is_hex)
}

/// The names of the columns in a schema.
pub(super) fn names(schema: &str) -> BTreeSet<String> {
    #[derive(Default, Deserialize)]
    struct Field {
        name: String,
    }
    #[derive(Default, Deserialize)]
    struct Schema {
        fields: Vec<Field>,
    }
    let schema: Schema = serde_json::from_str(schema).unwrap_or_default();
    let names = schema.fields.into_iter().map(|field| field.name);
    names.collect()
}

fn first_day(month: Month) -> String {
    format!("{month}-01")
}

fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "integer",
        Kind::Long => "long",
        Kind::Number => "double",
        Kind::Bool => "boolean",
        Kind::Text | Kind::DictionaryText => "string",
        Kind::Instant => "timestamp",
        Kind::Day => "date",
        Kind::Texts | Kind::Row(_) | Kind::List(_) => {
            unreachable!("lists have their own tables")
        }
    }
}

#[cfg(test)]
mod tests {
    use obeya_server::store::random::uuid;

    use super::*;

    #[test]
    fn a_path_says_which_file_it_is() {
        let march: Month = "2026-03".parse().unwrap();
        for file in [FileKey::Table("boards"), FileKey::Month(12, march)] {
            let path = path(file, &uuid());
            assert_eq!(file_at("boards", &path), Some(file), "{path}");
        }
        assert_eq!(
            path(FileKey::Month(12, march), "0f3c"),
            "month=2026-03-01/12-0f3c.parquet"
        );
        for other in [
            "part-00000.snappy.orc",
            "part-00000-0f3c1c2d-9a4b-4c3d-8e2f-123456789abc-c000.snappy.parquet",
            "0-0f3c1c2d-9a4b-4c3d-8e2f-123456789abc-0.parquet",
            "month=2026-03-02/12-0f3c1c2d-9a4b-4c3d-8e2f-123456789abc.parquet",
            "month=2026-03-01/part-00001-0f3c1c2d-9a4b-4c3d-8e2f-123456789abc.parquet",
            "day=2026-03-01/12-0f3c1c2d-9a4b-4c3d-8e2f-123456789abc.parquet",
        ] {
            assert_eq!(file_at("datasource_values", other), None, "{other}");
        }
    }
}
