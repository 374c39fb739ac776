//! Tests that hold together what several places say of a record: the specification, the entities, the tables and the checks of
//! the schema. Each failure names the file to edit.

mod words;

use crate::store::{Store, StoreOptions};

/// The statements that make the tables and views of a fresh SQLite database, by name. PostgreSQL's have the same columns and checks.
async fn catalogue() -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("plant.db").display());
    let store = Store::open(&url, &StoreOptions::default()).await.unwrap();
    let read = store.read(|session| {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL";
        session.all(sql, &[], |row| Ok((row.string(0)?, row.string(1)?)))
    });
    let rows = read.await.unwrap().into_iter();
    rows.map(|(name, sql)| (name.unwrap_or_default(), sql.unwrap_or_default()))
        .collect()
}
