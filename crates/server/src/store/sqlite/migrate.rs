//! The schema's versions: a file is brought from the one it has to the newest, in one transaction, or left as it was.
//!
//! The version is SQLite's `user_version`; `application_id` tells our files from those of other programs.

use std::path::Path;

use super::connection::Database;
use super::errors::store_error;
use super::link;
use crate::store::StoreError;
use crate::store::schema::{MIGRATIONS, complete};

/// "Obey" as the four bytes of `application_id`.
pub(super) const APPLICATION: i32 = 0x4F62_6579;

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
    if version(database, path)? == known() && link::exists(database)? {
        return Ok(());
    }
    database.without_budget();
    // Another process may be doing the same: whoever comes second finds the work done.
    database.control("BEGIN IMMEDIATE")?;
    let applied = apply(database, path).and_then(|()| link::write(database));
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
    complete(database, found.into(), known().into())?;
    let mark = format!(
        "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {};",
        known()
    );
    let marked = database.connection.execute_batch(&mark);
    marked.map_err(store_error)
}

/// Makes a file as the schema's first versions have it, and puts rows in.
#[cfg(test)]
pub(in crate::store) fn make_old(path: &Path, version: usize, rows: &str) {
    let old = rusqlite::Connection::open(path).expect("a file");
    for migration in &MIGRATIONS[..version] {
        old.execute_batch(migration).expect("a schema");
    }
    let marks =
        format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version}; {rows}");
    old.execute_batch(&marks).expect("rows");
}

/// The newest version this program knows.
fn known() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// The version of the file; 0 when it is empty.
fn version(database: &Database, path: &Path) -> Result<i32, StoreError> {
    // One statement sees one state: another process may be setting the file up.
    let marks = database.connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
            (SELECT count(*) FROM sqlite_schema),
            (SELECT user_version FROM pragma_user_version)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    );
    let (application, tables, found): (i32, i32, i32) =
        marks.map_err(|error| match store_error(error) {
            StoreError::Schema(_) => {
                StoreError::Schema(format!("{} is not a SQLite database", path.display()))
            }
            other => other,
        })?;
    if application != APPLICATION && (application != 0 || tables != 0) {
        return Err(StoreError::Schema(format!(
            "{} is a database of another program",
            path.display()
        )));
    }
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
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::store::sqlite::connection::{open_writer, prepare_writer};
    use crate::store::{Store, StoreOptions};

    /// The version before types were searched.
    const BEFORE: usize = 8;

    #[tokio::test]
    async fn types_from_before_they_were_searched_are_found_by_their_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.db");
        let types = "INSERT INTO incident_types (id, title, description) VALUES
            (3, 'Quality deviation', 'Not as it should be'), (6, 'Near miss', NULL);";
        make_old(&path, BEFORE, types);

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

    /// Tells that nothing comes any more, also where a test fails: a scope waits for its threads before it says why.
    struct Over<'a>(&'a AtomicBool);

    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_looks_while_another_sets_the_file_up_sees_it_empty_or_ready() {
        let options = StoreOptions::default();
        for _ in 0..20 {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("new.db");
            let mut writer = open_writer(&path, &options, None).expect("a file");
            prepare_writer(&writer, &options).expect("a log");
            let looker = open_writer(&path, &options, None).expect("the same file");
            let is_over = AtomicBool::new(false);
            thread::scope(|scope| {
                let looking = scope.spawn(|| {
                    let looker = looker;
                    let look = || version(&looker, &path).expect("empty or ready");
                    while look() != known() {
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                });
                let over = Over(&is_over);
                run(&mut writer, &path).expect("a schema");
                drop(over);
                looking.join().expect("a look that ends");
            });
        }
    }
}
