//! The schema's versions: a file is brought from the one it has to the newest, in one transaction, or left as it was.
//!
//! The version is SQLite's `user_version`; `application_id` tells our files from those of other programs.

use std::path::Path;

use super::connection::Database;
use super::errors::store_error;
use crate::store::StoreError;
use crate::store::schema::{MIGRATIONS, complete};

/// "Obey" as the four bytes of `application_id`.
const APPLICATION: i32 = 0x4F62_6579;

/// Makes sure that the file is one that this program may write to: ours, or empty, and not newer. Only reads; whether it is empty.
///
/// # Errors
/// [`StoreError::Schema`] when it is not.
pub(super) fn check(database: &Database, path: &Path) -> Result<bool, StoreError> {
    version(database, path).map(|version| version == 0)
}

/// Applies what is missing.
///
/// # Errors
/// As [`check`], and what the engine says.
pub(super) fn run(database: &mut Database, path: &Path) -> Result<(), StoreError> {
    // A look takes no lock: the service starts, and a command reads, while an import holds the one for writing.
    if version(database, path)? == known() {
        return Ok(());
    }
    database.without_budget();
    // Another process may be doing the same: whoever comes second finds the work done.
    database.control("BEGIN IMMEDIATE")?;
    let applied = apply(database, path);
    let end = database.control(if applied.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    });
    applied.and(end)
}

fn apply(database: &mut Database, path: &Path) -> Result<(), StoreError> {
    let found = version(database, path)?;
    if found == known() {
        return Ok(());
    }
    for (version, migration) in (1..).zip(MIGRATIONS) {
        if version > found {
            let ran = database.connection.execute_batch(migration);
            ran.map_err(store_error)?;
        }
    }
    complete(database, found.into())?;
    let mark = format!(
        "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {};",
        known()
    );
    let marked = database.connection.execute_batch(&mark);
    marked.map_err(store_error)
}

/// The newest version this program knows.
fn known() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// The version of the file; 0 when it is empty.
fn version(database: &Database, path: &Path) -> Result<i32, StoreError> {
    let number = |sql: &str| {
        let number = database
            .connection
            .query_row(sql, [], |row| row.get::<_, i32>(0));
        number.map_err(|error| match store_error(error) {
            StoreError::Schema(_) => {
                StoreError::Schema(format!("{} is not a SQLite database", path.display()))
            }
            other => other,
        })
    };
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_master")?;
    if application != APPLICATION && (application != 0 || tables != 0) {
        return Err(StoreError::Schema(format!(
            "{} is a database of another program",
            path.display()
        )));
    }
    let found = number("PRAGMA user_version")?;
    if found > known() {
        return Err(StoreError::Schema(format!(
            "{} has schema version {found}, and this program knows versions up to {}: use a newer program",
            path.display(),
            known()
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, StoreOptions};

    /// The version before types were searched.
    const BEFORE: usize = 8;

    #[tokio::test]
    async fn types_from_before_they_were_searched_are_found_by_their_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.db");
        let old = rusqlite::Connection::open(&path).expect("a file");
        for migration in &MIGRATIONS[..BEFORE] {
            old.execute_batch(migration).expect("a schema");
        }
        let marks = format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {BEFORE};
            INSERT INTO incident_types (id, title, description) VALUES (3, 'Quality deviation', 'Not as it should be'), (6, 'Near miss', NULL);"
        );
        old.execute_batch(&marks).expect("types");
        drop(old);

        let url = format!("sqlite:{}", path.display());
        let store = Store::open(&url, &StoreOptions::default()).await;
        let store = store.expect("brought up to date");
        let found = store.read(|session| {
            let sql = "SELECT rowid FROM incident_types_search WHERE incident_types_search MATCH ?1 ORDER BY rowid";
            let mut found = Vec::new();
            for word in ["deviation", "should", "miss"] {
                found.extend(session.all(sql, &[word.into()], |row| row.int(0))?);
            }
            Ok::<_, StoreError>(found)
        });
        let found = found.await.expect("rows");
        assert_eq!(found, [Some(3), Some(3), Some(6)]);
    }
}
