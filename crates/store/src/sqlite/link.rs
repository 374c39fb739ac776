//! Links each commit to the previous one, to check whether a database file and a write-ahead log (WAL) belong
//! together.
//!
//! SQLite applies a WAL to any file with its name. A file restored from a backup next to the WAL of the
//! previous file would become a mixture of both. So each commit writes a random id and the id of the previous
//! commit into a table of one row. The file alone shows its commit; the WAL shows at which commit it begins.
//! They belong together if both are the same ([`fits`]).

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _};

use super::checkpointer::CHECKPOINT_FRAMES;
use super::connection::SqliteConnection;
use super::errors::store_error;
use super::files;
use super::migrate;
use super::wal::Wal;
use crate::StoreError;
use crate::connect::Connection as _;

/// The prefix of every link, to find its page in a WAL without reading the schema.
const MAGIC: &[u8; 8] = b"obeyalnk";
/// One row. The first link has no commit before it.
const TABLE: &str = "CREATE TABLE obeya_log_link (id INTEGER PRIMARY KEY CHECK (id = 1), link BLOB NOT NULL) STRICT;
    INSERT INTO obeya_log_link (id, link) VALUES (1, CAST('obeyalnk' || zeroblob(8) || randomblob(8) AS BLOB));";
pub(super) const EXISTS: &str =
    "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'obeya_log_link')";
/// The id becomes the parent. `||` makes a text, whose bytes do not change.
pub(super) const ADVANCE: &str = "UPDATE obeya_log_link
    SET link = CAST(substr(link, 1, 8) || substr(link, 17, 8) || randomblob(8) AS BLOB) WHERE id = 1";
const READ: &str = "SELECT link, (SELECT rootpage FROM sqlite_schema WHERE name = 'obeya_log_link') FROM obeya_log_link";

/// The id of a commit.
pub(super) type Id = [u8; 8];

/// The parent of the first commit.
const NONE: Id = [0; 8];

/// What a commit writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    /// The id of the previous commit.
    pub(super) parent: Id,
    /// The id of this commit.
    pub(super) id: Id,
}

impl Link {
    fn of(bytes: &[u8]) -> Option<Link> {
        let ids = bytes.strip_prefix(MAGIC)?;
        let (parent, id) = ids.split_at_checked(8)?;
        Some(Link {
            parent: parent.try_into().ok()?,
            id: id.try_into().ok()?,
        })
    }
}

/// The link on a page, if it is the page of the table: a leaf of a table with one cell, whose record is an
/// integer key and a blob of 24 bytes (`fileformat2.html`, sections 1.6 and 2.1). No other table of ours has
/// such records.
pub(super) fn of_page(page: &[u8]) -> Option<Link> {
    const LEAF: u8 = 0x0d;
    /// Length of the record, key, length of its header, type of the key, a blob of 24 bytes.
    const CELL: [u8; 5] = [27, 1, 3, 0, 12 + 2 * 24];
    if page.first() != Some(&LEAF) || page.get(3..5)? != [0, 1] {
        return None;
    }
    let at = usize::from(u16::from_be_bytes(page.get(8..10)?.try_into().ok()?));
    let link = page.get(at..at + 5 + 24)?.strip_prefix(&CELL)?;
    Link::of(link)
}

/// Whether the database has the table.
pub(super) fn exists(database: &SqliteConnection) -> Result<bool, StoreError> {
    let found = database.connection.query_row(EXISTS, [], |row| row.get(0));
    found.map_err(store_error)
}

/// Writes the link of the current transaction; creates the table if it is missing.
pub(super) fn write(database: &SqliteConnection) -> Result<(), StoreError> {
    if exists(database)? {
        return advance(database);
    }
    let made = database.connection.execute_batch(TABLE);
    made.map_err(store_error)
}

/// Writes the link of the current transaction, which is about to be committed.
pub(super) fn advance(database: &SqliteConnection) -> Result<(), StoreError> {
    database.control(ADVANCE)
}

/// What is wrong with the link of a database that has the table; `None` if nothing is.
pub(super) fn fault(database: &SqliteConnection) -> Result<Option<String>, StoreError> {
    let rows = "SELECT count(*), max(link) FROM obeya_log_link";
    let read = database.connection.query_row(rows, [], |row| {
        let link = row.get_ref(1)?.as_blob().ok().and_then(Link::of);
        Ok((row.get::<_, i64>(0)?, link.is_some()))
    });
    Ok(match read.map_err(store_error)? {
        (1, true) => None,
        (1, false) => Some("its row holds no id of a commit".to_owned()),
        (rows, _) => Some(format!("it has {rows} rows, expected 1")),
    })
}

/// One step of [`STEPS`].
type Step = fn(&mut SqliteConnection) -> Result<(), StoreError>;

/// The steps of a process that has the database open alone. They give the file an id that no earlier or later
/// copy has: one commit is checkpointed into the file, the next one is only in the WAL.
///
/// A leftover WAL is applied to the file before another commit. So a process that is killed at any step
/// leaves a file at the beginning or the end of its WAL, as [`fits`] expects.
const STEPS: [Step; 4] = [checkpoint, commit, checkpoint, commit];

/// Runs [`STEPS`] on a file that no other process has open.
pub(super) fn renew(database: &mut SqliteConnection) -> Result<(), StoreError> {
    STEPS.iter().try_for_each(|step| step(database))
}

/// Applies the WAL to the file.
pub(super) fn checkpoint(database: &mut SqliteConnection) -> Result<(), StoreError> {
    // The checkpoint is partial while another program reads; the file then still has the id of a commit in
    // the WAL.
    let checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
    let done = database.connection.query_row(checkpoint, [], |_| Ok(()));
    done.map_err(store_error)
}

fn commit(database: &mut SqliteConnection) -> Result<(), StoreError> {
    database.begin_write()?;
    let advanced = advance(database);
    match advanced {
        Ok(()) => database.control("COMMIT"),
        Err(error) => database.roll_back().and(Err(error)),
    }
}

/// The state of a file without its WAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileState {
    /// A database of another program, or none.
    Foreign,
    /// A database without tables, such as a new one.
    Empty,
    /// A database of ours from before commits had links.
    Unlinked,
    /// The last commit in the file, and the page of its link.
    Commit(Id, u32),
    /// A database of ours that cannot be read: a checkpoint that changed the schema was interrupted.
    Unreadable,
}

/// Reads the file without its WAL. SQLite opens it, so locks of this process on it stay.
pub(super) fn file_state(file: &Path) -> Result<FileState, StoreError> {
    let opened = Connection::open_with_flags(files::immutable(file), files::IMMUTABLE);
    let connection = opened.map_err(store_error)?;
    // After an interrupted checkpoint the file may be shorter than the size in its header. SQLite reads it
    // only in this mode.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)
        .map_err(store_error)?;
    let application = connection.query_row("PRAGMA application_id", [], |row| row.get(0));
    match application {
        Ok(migrate::APPLICATION) => {}
        Ok(0) => {
            let tables =
                connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0));
            return Ok(match tables {
                Ok(0) => FileState::Empty,
                _ => FileState::Foreign,
            });
        }
        _ => return Ok(FileState::Foreign),
    }
    let has_table = connection.query_row(EXISTS, [], |row| row.get(0));
    if let Ok(false) = has_table {
        return Ok(FileState::Unlinked);
    }
    let read = connection.query_row(READ, [], |row| {
        let link = row.get_ref(0)?.as_blob().ok().and_then(Link::of);
        Ok(link.zip(row.get(1)?))
    });
    Ok(match read.optional() {
        Ok(Some(Some((link, page)))) => FileState::Commit(link.id, page),
        _ => FileState::Unreadable,
    })
}

/// Whether a WAL belongs to a file in this state; true if unknown.
///
/// While a WAL grows, the file is at the commit before its first one. A checkpoint moves it to a later one:
/// to the last one when the database is closed, and to any of them (readers may delay it) once the WAL is
/// long enough for a checkpoint.
pub(super) fn fits(state: FileState, log: &Wal) -> bool {
    let Some(((_, first), (_, last))) = log.links.first().zip(log.links.last()) else {
        // Written by another program or by a version without links: unknown.
        return true;
    };
    match state {
        FileState::Foreign => false,
        FileState::Unreadable => true,
        // The WAL creates the table.
        FileState::Empty | FileState::Unlinked => first.parent == NONE,
        FileState::Commit(id, page) => {
            let was_checkpointed = log.frames >= u64::from(CHECKPOINT_FRAMES);
            let is_at = |link: &Link| {
                let is_last = link.id == last.id;
                link.id == id && (is_last || was_checkpointed)
            };
            let mut links = log.links.iter();
            // A copy by VACUUM INTO has the same rows, but on other pages.
            links.any(|(on, link)| *on == page && (is_at(link) || first.parent == id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection;
    use super::*;
    use crate::StoreOptions;

    const PAGE: u32 = 40;

    /// A WAL with this number of frames and the commits 2, 3 and 4, after 1.
    fn log(frames: u64) -> Wal {
        let link = |n: u8| Link {
            parent: [n - 1; 8],
            id: [n; 8],
        };
        Wal {
            frames,
            links: (2..=4).map(|n| (PAGE, link(n))).collect(),
        }
    }

    #[test]
    fn a_file_fits_where_the_log_begins_or_a_checkpoint_took_it() {
        let at = |n: u8| FileState::Commit([n; 8], PAGE);
        let fitting = |frames| -> Vec<u8> {
            let log = log(frames);
            (0..=5).filter(|n| fits(at(*n), &log)).collect()
        };
        let checkpoint = u64::from(CHECKPOINT_FRAMES);
        assert_eq!(fitting(checkpoint - 1), [1, 4]);
        assert_eq!(fitting(checkpoint), [1, 2, 3, 4]);
    }

    /// A copy of the files that a killed process left, opened again.
    fn left(files: &Path) -> (tempfile::TempDir, SqliteConnection) {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["plant.db", "plant.db-wal"] {
            if files.join(name).exists() {
                std::fs::copy(files.join(name), folder.path().join(name)).expect("a copy");
            }
        }
        let options = StoreOptions::default();
        let path = folder.path().join("plant.db");
        let database = connection::open_writer(&path, &options, None).expect("opened");
        connection::prepare_writer(&database, &options).expect("prepared");
        (folder, database)
    }

    #[test]
    fn whoever_is_killed_while_opening_leaves_a_log_that_fits() {
        let empty = tempfile::tempdir().expect("a folder");
        let (first, mut database) = left(empty.path());
        migrate::run(&mut database, &first.path().join("plant.db")).expect("the tables");
        renew(&mut database).expect("begun");
        // Three in a row, each killed after some of the steps.
        for kills in 0..125_usize {
            let mut folders = vec![left(first.path())];
            for killed_after in [kills % 5, kills / 5 % 5, kills / 25] {
                let (folder, database) = folders.last_mut().expect("one");
                for step in &STEPS[..killed_after] {
                    step(database).expect("done");
                }
                let log = Wal::read(&folder.path().join("plant.db-wal")).expect("read");
                let copy = folder.path().join("alone.db");
                std::fs::copy(folder.path().join("plant.db"), &copy).expect("a copy");
                let state = file_state(&copy).expect("asked");
                assert!(fits(state, &log), "{kills}: {state:?}, {:?}", log.links);
                let next = left(folder.path());
                folders.push(next);
            }
        }
    }

    #[test]
    fn what_stands_on_another_page_is_another_file() {
        for n in 1..=4 {
            assert!(
                !fits(FileState::Commit([n; 8], PAGE + 1), &log(5000)),
                "{n}"
            );
        }
    }

    #[test]
    fn a_file_without_links_fits_only_the_log_that_made_the_table() {
        let mut log = log(10);
        for state in [FileState::Empty, FileState::Unlinked] {
            assert!(!fits(state, &log), "{state:?}");
        }
        log.links[0].1.parent = NONE;
        for state in [FileState::Empty, FileState::Unlinked] {
            assert!(fits(state, &log), "{state:?}");
        }
        assert!(!fits(FileState::Foreign, &log));
    }

    #[test]
    fn of_a_log_without_links_nothing_is_known() {
        let log = Wal {
            frames: 10,
            links: Vec::new(),
        };
        assert!(fits(FileState::Commit([1; 8], PAGE), &log));
    }
}
