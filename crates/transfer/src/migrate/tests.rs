//! The list of tables against the schema that each engine has.

use std::collections::BTreeMap;

use obeya_testkit::postgres::Scratch;

use super::session::lift_time_limits;
use super::tables::{SEQUENCED_TABLES, TABLES};
use obeya_store::table::{Column, ColumnType, Table};
use obeya_store::{Session, Store, StoreError, StoreOptions};

/// What is made from other tables, and so not copied.
const DERIVED: [&str; 13] = [
    "areas_search",
    "boards_search",
    "comments_parts",
    "comments_search",
    "groups_search",
    "incident_types_search",
    "tasks_search",
    "task_comments_search",
    "incidents_search",
    "user_numbers",
    "users_search",
    "value_day_rollups",
    "value_rollups",
];
/// The columns that say what the rollups have. In a copy they have their defaults: it has nothing yet.
const DERIVED_COLUMNS: [&str; 3] = ["days_rolled_up_until", "marked_counter", "rolled_up_until"];

/// A column of the list: its name, type, position in the primary key, and the table that it refers to. Only
/// key columns have an order: that of the lines in the declaration, and a column that was added later is at
/// the end of its table.
type Listed = (String, ColumnType, Option<usize>, Option<String>);

/// The catalogue query of each engine for its tables.
struct Catalogue {
    /// Names of tables.
    tables: &'static str,
    /// Of one: name, type and place in the primary key (0: none) of each column, in their order.
    columns: &'static str,
    /// Of one: the column, and the table whose `id` it holds.
    references: &'static str,
    /// Names of the tables that count their ids.
    counted: &'static str,
}

const SQLITE: Catalogue = Catalogue {
    tables: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
        AND name NOT LIKE 'obeya%'",
    columns: "SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid",
    references: "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1) WHERE \"to\" = 'id'",
    counted: "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'",
};

const POSTGRES: Catalogue = Catalogue {
    tables: "SELECT table_name::text FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'obeya%'",
    columns: "SELECT a.attname::text, format_type(a.atttypid, NULL),
            coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)::bigint
        FROM pg_attribute AS a LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary
        WHERE a.attrelid = (?1::text)::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    references: "SELECT a.attname::text, c.confrelid::regclass::text FROM pg_constraint AS c
        JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
        JOIN pg_attribute AS b ON b.attrelid = c.confrelid AND b.attnum = ANY (c.confkey)
        WHERE c.contype = 'f' AND c.conrelid = (?1::text)::regclass AND b.attname = 'id'",
    counted: "SELECT table_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'",
};

#[tokio::test]
async fn the_list_has_every_table_and_column_of_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("a.db").display());
    holds(&url, &SQLITE).await;
}

#[tokio::test]
async fn the_list_has_every_table_and_column_of_postgres() {
    let database = Scratch::empty();
    holds(database.url(), &POSTGRES).await;
    waits(database.url()).await;
}

#[test]
fn a_row_finds_what_it_refers_to() {
    for (place, table) in TABLES.iter().enumerate() {
        for column in table.columns {
            let Some(referred) = column.refers_to else {
                continue;
            };
            let there = &TABLES[..=place];
            assert!(
                there.iter().any(|table| table.name == referred),
                "{}.{} refers to {referred}, which comes later",
                table.name,
                column.name
            );
        }
    }
}

async fn holds(url: &str, catalogue: &'static Catalogue) {
    let store = Store::open(url, &StoreOptions::default())
        .await
        .expect("open");
    let (found, mut counted) = store
        .read(move |session| described(session, catalogue))
        .await
        .expect("read");
    store.close().await;
    let mut listed: BTreeMap<String, Vec<Listed>> = TABLES
        .iter()
        .map(|table| (table.name.to_owned(), columns(table)))
        .collect();
    for (table, found) in &found {
        assert_eq!(listed.remove(table).as_ref(), Some(found), "{table}");
    }
    assert!(listed.is_empty(), "no table of the schema: {listed:?}");
    counted.sort();
    let mut expected = SEQUENCED_TABLES.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(counted, expected);
}

/// A transaction that waits for the other side is not ended for it, and the connection is what it was
/// afterwards.
async fn waits(url: &str) {
    let store = Store::open(url, &StoreOptions::default())
        .await
        .expect("open");
    let limits = |session: &mut dyn Session| {
        let sql = "SELECT current_setting('idle_in_transaction_session_timeout') || current_setting('statement_timeout')";
        session.first(sql, &[], |row| row.string(0))
    };
    let before = store.write(move |session| limits(session)).await;
    let before = before.expect("read").flatten();
    let during = store
        .write(move |session| {
            lift_time_limits(session)?;
            limits(session)
        })
        .await;
    assert_eq!(during.expect("set").flatten().as_deref(), Some("00"));
    let after = store.write(move |session| limits(session)).await;
    assert_eq!(after.expect("read").flatten(), before);
    store.close().await;
}

fn columns(table: &Table) -> Vec<Listed> {
    let column = |(place, column): (usize, &Column)| {
        (
            column.name.to_owned(),
            column.column_type,
            (place < table.keys).then_some(place + 1),
            column.refers_to.map(str::to_owned),
        )
    };
    by_name(table.columns.iter().enumerate().map(column))
}

fn by_name(columns: impl Iterator<Item = Listed>) -> Vec<Listed> {
    let mut columns: Vec<Listed> = columns.collect();
    columns.sort_by(|one, other| one.0.cmp(&other.0));
    columns
}

type Described = (BTreeMap<String, Vec<Listed>>, Vec<String>);

fn described(session: &mut dyn Session, catalogue: &Catalogue) -> Result<Described, StoreError> {
    let mut tables = session.all(catalogue.tables, &[], |row| {
        Ok(row.string(0)?.expect("a name"))
    })?;
    tables.retain(|table| !DERIVED.contains(&table.as_str()));
    let mut found = BTreeMap::new();
    for table in tables {
        let binds = [table.as_str().into()];
        let references: BTreeMap<String, String> = session
            .all(catalogue.references, &binds, |row| {
                Ok((
                    row.string(0)?.expect("a column"),
                    row.string(1)?.expect("a table"),
                ))
            })?
            .into_iter()
            .collect();
        let columns = session.all(catalogue.columns, &binds, |row| {
            let name = row.string(0)?.expect("a name");
            let key = row.int(2)?.filter(|place| *place > 0);
            Ok((name, kind(row.text(1)?.expect("a type")), key))
        })?;
        let columns = columns
            .into_iter()
            .filter(|(name, ..)| !DERIVED_COLUMNS.contains(&name.as_str()));
        let columns = columns.map(|(name, kind, key)| {
            let referred = references.get(&name).cloned();
            (name, kind, key.map(|place| place as usize), referred)
        });
        found.insert(table, by_name(columns));
    }
    let counted = session.all(catalogue.counted, &[], |row| {
        Ok(row.string(0)?.expect("a name"))
    })?;
    Ok((found, counted))
}

fn kind(text: &str) -> ColumnType {
    match text {
        "INTEGER" | "bigint" => ColumnType::Int,
        "REAL" | "double precision" => ColumnType::Real,
        "TEXT" | "text" => ColumnType::Text,
        "BLOB" | "bytea" => ColumnType::Bytes,
        other => panic!("a column of type {other}, which a migration does not know"),
    }
}
