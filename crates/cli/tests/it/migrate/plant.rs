//! A database with rows in every table, and a comparison of two files that is SQLite's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use obeya_server::migrate::{MigrateError, MigrateReport, migrate};
use obeya_server::store::{Store, StoreOptions};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::postgres::block_on;

/// A folder with databases.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn url(&self, name: &str) -> String {
        format!("sqlite:{}", self.file(name).display())
    }

    /// A database with the schema and nothing in it.
    pub fn empty(&self, name: &str) -> Connection {
        open(&self.url(name));
        self.connect(name)
    }

    /// A database with rows in every table.
    pub fn plant(&self, name: &str) -> Connection {
        let connection = self.empty(name);
        connection
            .execute_batch(include_str!("plant.sql"))
            .expect("rows");
        connection
    }

    pub fn connect(&self, name: &str) -> Connection {
        Connection::open(self.file(name)).expect("a database")
    }
}

/// Makes the schema, if there is none.
pub fn open(url: &str) {
    block_on(async {
        let store = Store::open(url, &StoreOptions::default()).await;
        store.expect("open").close().await;
    });
}

/// Migrates in this process, without progress reports.
pub fn copy(from: &str, to: &str) -> Result<MigrateReport, MigrateError> {
    block_on(migrate(from, to, Arc::new(())))
}

/// Every table of our own, in a file, but for the numbers of users, which a copy makes of their ids.
pub fn tables(connection: &Connection) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_schema%' AND name NOT LIKE 'obeya%'
        AND name <> 'user_numbers' ORDER BY name";
    let mut statement = connection.prepare(sql).expect("prepared");
    let names = statement.query_map([], |row| row.get(0)).expect("run");
    names.map(|name| name.expect("a name")).collect()
}

/// Rows that are in one of two files and not in the other, the counters of ids included.
pub fn differences(a: &Path, b: &Path) -> Vec<String> {
    let connection = Connection::open(a).expect("a database");
    connection
        .execute("ATTACH ?1 AS b", [b.to_str().expect("UTF-8")])
        .expect("attached");
    let mut found = Vec::new();
    for table in tables(&connection) {
        for (one, other) in [("main", "b"), ("b", "main")] {
            let sql = format!(
                "SELECT count(*) FROM (SELECT * FROM {one}.{table} EXCEPT SELECT * FROM {other}.{table})"
            );
            let rows: i64 = connection
                .query_row(&sql, [], |row| row.get(0))
                .expect("counted");
            if rows > 0 {
                found.push(format!("{rows} rows of {table} only in {one}"));
            }
        }
    }
    found
}

/// Rows in a file, but for those that are always there.
pub fn rows(connection: &Connection) -> i64 {
    let tables = tables(connection);
    let counts = tables.iter().map(|table| {
        let condition = if table == "stamps" {
            " WHERE last <> 0"
        } else {
            ""
        };
        let sql = format!("SELECT count(*) FROM {table}{condition}");
        connection
            .query_row(&sql, [], |row| row.get::<_, i64>(0))
            .expect("counted")
    });
    counts.sum()
}
