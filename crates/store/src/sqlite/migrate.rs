//! Migrates the schema of a file to the newest version, in one transaction.
//!
//! The version is SQLite's `user_version`; `application_id` distinguishes our files from those of other
//! programs.

use std::path::Path;

use super::catalogue;
use super::connection::SqliteConnection;
use super::errors::store_error;
use super::link;
use crate::schema::{self, SQLITE, applied, complete};
use crate::{Session, StoreError};

/// "Obey" as the four bytes of `application_id`.
pub(super) const APPLICATION: i32 = 0x4F62_6579;
/// The applied migration files; see [`applied`].
const APPLIED: &str = "CREATE TABLE IF NOT EXISTS obeya_migrations
    (version INTEGER PRIMARY KEY, file TEXT NOT NULL, checksum TEXT NOT NULL) STRICT";

/// Checks that the file belongs to this program or is empty, and is not newer than this program. Only reads;
/// returns whether it is empty.
///
/// # Errors
/// [`StoreError::Schema`] when it is not.
pub(super) fn check(database: &mut SqliteConnection, path: &Path) -> Result<bool, StoreError> {
    // In one transaction, as another process may be migrating the file.
    database.control("BEGIN")?;
    let found = compare(database, path);
    let end = database.control("ROLLBACK");
    let found = found?;
    end.map(|()| found.version == 0)
}

/// Applies the missing versions.
///
/// # Errors
/// Those of [`check`], and errors of the engine.
pub(super) fn run(database: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    // This check takes no lock, so that a process can start while an import has the write lock.
    if look(database, path)?.is_up_to_date() && link::exists(database)? {
        return Ok(());
    }
    database.lift_budget(true);
    let ran = apply_in_transaction(database, path);
    database.lift_budget(false);
    ran
}

fn apply_in_transaction(database: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    // Another process may have migrated the file meanwhile.
    database.control("BEGIN IMMEDIATE")?;
    let applied = apply(database, path).and_then(|()| link::write(database));
    let end = database.control(if applied.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    });
    applied.and(end)
}

fn apply(database: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let found = compare(database, path)?;
    if found.is_up_to_date() {
        return Ok(());
    }
    for (version, migration) in (1..).zip(SQLITE) {
        if version > found.version {
            let ran = database.connection.execute_batch(migration.sql);
            ran.map_err(store_error)?;
        }
    }
    complete(database, found.version.into(), known().into())?;
    database.control(APPLIED)?;
    applied::record(database, SQLITE)?;
    let mark = format!(
        "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {};",
        known()
    );
    let marked = database.connection.execute_batch(&mark);
    marked.map_err(store_error)
}

/// Returns how the schema of a file differs from what its version has: one text, or none.
///
/// # Errors
/// The engine fails.
pub(super) fn differences(
    database: &mut SqliteConnection,
    path: &Path,
) -> Result<Option<String>, StoreError> {
    let place = path.display().to_string();
    let version = match look(database, path) {
        Ok(found) => found.version,
        Err(StoreError::Schema(text)) => return Ok(Some(text)),
        Err(other) => return Err(other),
    };
    let catalogue = catalogue::read(database)?;
    let dialect = database.dialect();
    match schema::catalogue::compare(&catalogue, dialect, version.into(), &place) {
        Err(StoreError::Schema(text)) => Ok(Some(text)),
        compared => compared.map(|()| None),
    }
}

/// The state of a file.
struct Found {
    /// 0 when it is empty.
    version: i32,
    /// Whether the applied migration files are recorded.
    is_recorded: bool,
}

impl Found {
    fn is_up_to_date(&self) -> bool {
        self.version == known() && self.is_recorded
    }
}

/// Reads the version of a file, and compares its checksums with the files of this program.
fn look(database: &mut SqliteConnection, path: &Path) -> Result<Found, StoreError> {
    let version = version(database, path)?;
    let session: &mut dyn Session = database;
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let table = session.first(sql, &[applied::TABLE.into()], |_| Ok(()))?;
    let place = path.display().to_string();
    Ok(Found {
        version,
        is_recorded: table.is_some() && applied::verify(session, SQLITE, version.into(), &place)?,
    })
}

/// The same, and compares a file of an earlier build, which stored no checksums, with the catalogue of its
/// version. Runs in a transaction.
fn compare(database: &mut SqliteConnection, path: &Path) -> Result<Found, StoreError> {
    let found = look(database, path)?;
    if found.version > 0 && !found.is_recorded {
        let catalogue = catalogue::read(database)?;
        let place = path.display().to_string();
        schema::catalogue::compare(&catalogue, database.dialect(), found.version.into(), &place)?;
    }
    Ok(found)
}

/// Creates a file with the first `version` versions of the schema, and runs `rows`.
pub(crate) fn make_old(path: &Path, version: usize, rows: &str) {
    let old = rusqlite::Connection::open(path).expect("a file");
    for migration in &SQLITE[..version] {
        old.execute_batch(migration.sql).expect("a schema");
    }
    let marks =
        format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version}; {rows}");
    old.execute_batch(&marks).expect("rows");
}

/// The objects of a file.
#[cfg(test)]
pub(crate) fn catalogue_of(path: &Path) -> schema::catalogue::Catalogue {
    use super::connection::open_writer;
    let options = crate::StoreOptions::default();
    let mut database = open_writer(path, &options, None).expect("a file");
    catalogue::read(&mut database).expect("a catalogue")
}

/// The newest version this program knows.
pub(super) fn known() -> i32 {
    i32::try_from(SQLITE.len()).unwrap_or(i32::MAX)
}

/// The version of the file; 0 when it is empty.
pub(super) fn version(database: &SqliteConnection, path: &Path) -> Result<i32, StoreError> {
    // In one statement, because another process may be setting up the file.
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
    use crate::sqlite::connection::{open_writer, prepare_writer};
    use crate::{Store, StoreOptions};

    /// The last version without a search index of types.
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

    /// More than are read at once, with keys that are numbers and keys that are texts.
    #[tokio::test]
    async fn all_records_are_found_by_their_words_however_many_there_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.db");
        let numbers =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 401)";
        let rows = format!(
            "INSERT INTO incident_types (id, title) {numbers} SELECT i, 'Valve ' || i FROM n;
            INSERT INTO users (id, user_name, display_name) {numbers} SELECT 'u' || i, 'u' || i, 'Åse ' || i FROM n;"
        );
        make_old(&path, BEFORE, &rows);

        let url = format!("sqlite:{}", path.display());
        let store = Store::open(&url, &StoreOptions::default()).await;
        let store = store.expect("brought up to date");
        let found = store.read(|session| {
            let mut found = Vec::new();
            for (index, word) in [("incident_types_search", "valve"), ("users_search", "ase")] {
                let sql = format!("SELECT count(*) FROM {index} WHERE {index} MATCH ?1");
                found.extend(session.first(&sql, &[word.into()], |row| row.int(0))?);
            }
            Ok::<_, StoreError>(found)
        });
        assert_eq!(found.await.expect("counts"), [Some(401), Some(401)]);
    }

    fn open(path: &Path) -> Result<(), StoreError> {
        crate::sqlite::Sqlite::open(path.to_owned(), &StoreOptions::default()).map(drop)
    }

    fn refusal(path: &Path) -> String {
        match open(path) {
            Err(StoreError::Schema(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    fn recorded(path: &Path) -> Vec<(i64, String)> {
        let file = rusqlite::Connection::open(path).expect("a file");
        let sql = "SELECT version, checksum FROM obeya_migrations ORDER BY version";
        let mut statement = file.prepare(sql).expect("the table");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    }

    fn checksums() -> Vec<(i64, String)> {
        (1..)
            .zip(SQLITE.iter().map(schema::Migration::checksum))
            .collect()
    }

    #[test]
    fn a_file_of_an_earlier_build_is_given_its_checksums() {
        let added = "CREATE INDEX mine ON boards (description);
            CREATE VIEW my_view AS SELECT id FROM boards;
            CREATE TABLE my_table (id INTEGER PRIMARY KEY, board_id INTEGER REFERENCES boards (id));
            ALTER TABLE boards ADD COLUMN mine TEXT;
            CREATE TRIGGER my_trigger AFTER INSERT ON boards BEGIN DELETE FROM my_table; END; ANALYZE;";
        for version in 1..=SQLITE.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("old.db");
            make_old(&path, version, added);
            thread::scope(|scope| {
                let starts: Vec<_> = (0..3).map(|_| scope.spawn(|| open(&path))).collect();
                for start in starts {
                    start.join().expect("a start").expect("opened");
                }
            });
            assert_eq!(recorded(&path), checksums(), "from {version}");
        }
    }

    #[test]
    fn a_file_of_an_earlier_build_that_was_changed_is_refused_and_left_as_it_is() {
        for (version, change, named) in [
            (
                10,
                "DROP INDEX incidents_by_area",
                "index incidents_by_area: found none, expected `incidents (area_id, id)`",
            ),
            (
                7,
                "DROP INDEX boards_by_name; CREATE INDEX boards_by_name ON boards (name DESC)",
                "index boards_by_name: found `boards (name desc, id)`, expected `boards (name, id)`",
            ),
            (
                4,
                "DROP TRIGGER comments_parts_delete",
                "trigger comments_parts_delete: found none",
            ),
            (
                1,
                "ALTER TABLE boards RENAME COLUMN description TO words",
                "column boards.description: found none, expected `text`",
            ),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("old.db");
            make_old(&path, version, &format!("{change};"));
            let before = std::fs::read(&path).expect("a file");
            let text = refusal(&path);
            assert!(text.contains(named), "{text}");
            let says = format!("old.db is not as version {version} of the schema made it");
            assert!(text.contains(&says), "{text}");
            assert!(std::fs::read(&path).expect("a file") == before, "{change}");
        }
    }

    #[test]
    fn another_file_than_the_one_that_was_applied_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new.db");
        open(&path).expect("made");
        assert_eq!(recorded(&path), checksums());
        let file = rusqlite::Connection::open(&path).expect("a file");
        let change = "UPDATE obeya_migrations SET checksum = 'c0ffee' WHERE version = 3";
        file.execute(change, []).expect("a change");
        let says = format!(
            "0003_secrets.sql with the checksum c0ffee, expected 0003_secrets.sql with {}",
            SQLITE[2].checksum()
        );
        let text = refusal(&path);
        assert!(text.contains(&says), "{text}");
    }

    /// Sets the flag on drop, also if the test panics: otherwise the scope would wait for its threads
    /// forever.
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
