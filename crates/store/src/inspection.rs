//! One session over a database as it is, for a backup and for a check: nothing is created, migrated or
//! written. A service may run on the database meanwhile.

use std::path::Path;
use std::time::Duration;

use super::connect::Inspect;
pub use super::connect::{Fault, PagesCopied};
use super::{Session, StoreError, StoreOptions, postgres, schema, sqlite};

/// How long one statement may run: it reads a whole table. PostgreSQL counts milliseconds in 31 bits.
const STATEMENT: Duration = Duration::from_secs(7 * 86_400);

/// A database in one snapshot. Its methods block.
pub struct Inspection {
    database: Box<dyn Inspect>,
    version: i64,
}

impl Inspection {
    /// Opens the database at `url`, and the snapshot.
    ///
    /// # Errors
    /// As [`Store::open`](super::Store::open); a database without tables is refused.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let (database, version): (Box<dyn Inspect>, i64) = if postgres::is_postgres(url) {
            let (database, version) = postgres::inspection::Inspected::open(url, &options())?;
            (Box::new(database), version)
        } else {
            let file = sqlite::file_of(url)?;
            let (database, version) = sqlite::inspection::Inspected::open(file, &options())?;
            (Box::new(database), version)
        };
        Ok(Inspection { database, version })
    }

    /// The same for work that needs the tables of this program: another version of the schema is refused.
    ///
    /// # Errors
    /// As [`Inspection::open`]; [`StoreError::Schema`] names the version found and the one expected.
    pub fn open_current(url: &str) -> Result<Self, StoreError> {
        let database = Self::open(url)?;
        if database.is_current() {
            return Ok(database);
        }
        Err(StoreError::Schema(format!(
            "the database has schema version {}, expected {}: this command does not upgrade it. Use the program \
             of its version, or start a service of this version first",
            database.schema_version(),
            newest_schema_version()
        )))
    }

    /// Opens a SQLite file that no process uses, such as a backup. Leaves no file beside it.
    ///
    /// # Errors
    /// As [`Inspection::open`]; a file with a log is refused, as it is not complete.
    pub fn open_private(file: &Path) -> Result<Self, StoreError> {
        let file = file.to_owned();
        let (database, version) = sqlite::inspection::Inspected::open_private(file, &options())?;
        Ok(Inspection {
            database: Box::new(database),
            version,
        })
    }

    /// The version of its schema.
    pub fn schema_version(&self) -> i64 {
        self.version
    }

    /// Whether the schema is that of this program, so that its tables are known.
    pub fn is_current(&self) -> bool {
        self.version == newest_schema_version()
    }

    /// The session.
    pub fn session(&mut self) -> &mut dyn Session {
        self.database.session()
    }

    /// Copies all pages of a SQLite database to a new file; `None` on an engine without a file. `Some(false)`
    /// when `progress` stopped it.
    ///
    /// # Errors
    /// The file exists or cannot be written, or the engine fails.
    pub fn copy_pages(
        &self,
        target: &Path,
        progress: &mut PagesCopied<'_>,
    ) -> Result<Option<bool>, StoreError> {
        self.database.copy_pages(target, progress)
    }

    /// The faults of the file, if there is one.
    ///
    /// # Errors
    /// The engine fails.
    pub fn faults_of_file(&mut self) -> Result<Vec<Fault>, StoreError> {
        self.database.faults_of_file()
    }

    /// The faults of the file and of the schema.
    ///
    /// # Errors
    /// The engine fails.
    pub fn faults(&mut self) -> Result<Vec<Fault>, StoreError> {
        self.database.faults()
    }
}

/// The version of the schema that this program makes.
pub fn newest_schema_version() -> i64 {
    schema::SQLITE.len() as i64
}

/// Checks that a SQLite database may be put at `path`: there is no file, no log, and no process that uses
/// one.
///
/// # Errors
/// [`StoreError::Mismatch`] says what is there.
pub fn must_be_vacant(path: &Path) -> Result<(), StoreError> {
    sqlite::must_be_vacant(path)
}

/// Makes a SQLite file that no process uses any more a backup like those of [`Inspection::copy_pages`].
///
/// # Errors
/// The engine fails.
pub fn seal(file: &Path) -> Result<(), StoreError> {
    sqlite::seal_backup(file)
}

/// The file that the address of a SQLite database names; `None` for another engine.
///
/// # Errors
/// [`StoreError::Schema`] when it names none.
pub fn sqlite_file(url: &str) -> Result<Option<std::path::PathBuf>, StoreError> {
    if postgres::is_postgres(url) {
        return Ok(None);
    }
    sqlite::file_of(url).map(Some)
}

fn options() -> StoreOptions {
    StoreOptions {
        make_tables: false,
        statement_budget: STATEMENT,
        ..StoreOptions::default()
    }
}
