//! Backup of a whole database to one SQLite file, and the examination of such a file.
//!
//! A database on SQLite is copied page by page from one snapshot, whatever the version of its schema; any
//! other is written to a new file by [`migrate`]. Either way the file is read back: SQLite must find no
//! fault in it, and its rows must have the digest that the rows of the snapshot have. Nothing here makes a
//! file durable or gives it its final name: the caller does.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::migrate::{
    Digest, MigrateError, Phase, Progress, Side, Sum, TABLES, count_rows, instant, last_stamp,
    lift_time_limits, migrate, sum,
};
use obeya_store::inspection::{Fault, Inspection, newest_schema_version, seal};
pub use obeya_store::inspection::{must_be_vacant, sqlite_file};
use obeya_store::{Session, StoreError};

/// Most faults in a message.
const MOST_NAMED: usize = 3;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackupReport {
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
    /// The version of its schema.
    pub schema_version: i64,
    /// Its rows; `None` if the schema is older than this program's, so that its tables are not known.
    pub contents: Option<Contents>,
    /// The latest stamp (`lastModified`) in it; `None` if no record was ever written.
    pub last_stamp: Option<jiff::Timestamp>,
}

/// The rows of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// How many there are in all tables.
    pub rows: u64,
    /// Their digest, which is the same on every engine.
    pub digest: Digest,
}

/// Why there is no backup, or why a file is none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The database cannot be opened or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rows cannot be read, or written to the file.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// The file cannot be read.
    #[error("{} cannot be read", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Its error.
        source: io::Error,
    },
    /// SQLite finds faults in the file.
    #[error("{} is damaged: {faults}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The first faults.
        faults: String,
    },
    /// The rows of the file are not those of the database.
    #[error("the backup differs from the database: {found}, expected {expected}")]
    Different {
        /// The contents of the file.
        found: Contents,
        /// The contents of the database.
        expected: Contents,
    },
    /// A database on a server has the schema of an earlier version.
    #[error(
        "the database has schema version {found}, expected {expected}: back it up with the program of its version, or with the tools of its server"
    )]
    OldSchema {
        /// The version of the database.
        found: i64,
        /// The version that this program knows.
        expected: i64,
    },
    /// The caller stopped it.
    #[error("stopped; nothing was written")]
    Stopped,
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows with the digest {}", self.rows, self.digest)
    }
}

/// Copies everything in the database at `from`, in one snapshot, to the new file `to`, and reads it back. A
/// service may run meanwhile. The file may be left behind by an error.
///
/// # Errors
/// [`BackupError`].
pub async fn backup(
    from: &str,
    to: &Path,
    progress: Arc<dyn Progress>,
) -> Result<BackupReport, BackupError> {
    let (url, file, watch) = (from.to_owned(), to.to_owned(), Arc::clone(&progress));
    let copied = blocking(move || copy(&url, &file, watch.as_ref())).await?;
    let expected = match copied {
        Copied::All(contents) => contents,
        Copied::Nothing => {
            let target = format!("sqlite:{}", to.display());
            let report = migrate(from, &target, Arc::clone(&progress)).await?;
            let file = to.to_owned();
            blocking(move || Ok(seal(&file)?)).await?;
            let sums = report.tables.iter();
            Some(Contents::of(
                sums.map(|table| (table.table, table.rows, table.digest)),
            ))
        }
    };
    let report = examine(to, progress).await?;
    match (report.contents, expected) {
        (Some(found), Some(expected)) if found != expected => {
            Err(BackupError::Different { found, expected })
        }
        _ => Ok(report),
    }
}

/// Reads a backup that no process uses, and returns what it holds.
///
/// # Errors
/// [`BackupError`]; [`BackupError::Damaged`] when SQLite finds a fault.
pub async fn examine(
    file: &Path,
    progress: Arc<dyn Progress>,
) -> Result<BackupReport, BackupError> {
    let file = file.to_owned();
    blocking(move || examine_file(&file, progress.as_ref())).await
}

enum Copied {
    /// The pages of a file, whose rows these are if its tables are known.
    All(Option<Contents>),
    /// The engine has no file.
    Nothing,
}

fn copy(url: &str, file: &Path, progress: &dyn Progress) -> Result<Copied, BackupError> {
    let mut database = Inspection::open(url)?;
    let mut copied = 0;
    let pages = database.copy_pages(file, &mut |done, all| {
        if copied == 0 {
            progress.begin(Phase::Copy, all);
        }
        progress.advance(done - copied);
        copied = done;
        progress.should_continue()
    })?;
    match pages {
        Some(true) => database
            .is_current()
            .then(|| contents(database.session(), Side::Source, progress))
            .transpose()
            .map(Copied::All),
        Some(false) => Err(BackupError::Stopped),
        None if database.is_current() => Ok(Copied::Nothing),
        None => Err(BackupError::OldSchema {
            found: database.schema_version(),
            expected: newest_schema_version(),
        }),
    }
}

fn examine_file(file: &Path, progress: &dyn Progress) -> Result<BackupReport, BackupError> {
    let (bytes, sha256) = sha256(file).map_err(|source| BackupError::Io {
        file: file.to_owned(),
        source,
    })?;
    let mut backup = Inspection::open_private(file)?;
    let faults = backup.faults_of_file()?;
    if !faults.is_empty() {
        let text = |fault: &Fault| match fault {
            Fault::File(text) | Fault::Schema(text) | Fault::Table(_, text) => text.clone(),
        };
        let texts: Vec<String> = faults.iter().take(MOST_NAMED).map(text).collect();
        return Err(BackupError::Damaged {
            file: file.to_owned(),
            faults: texts.join("; "),
        });
    }
    let contents = backup
        .is_current()
        .then(|| contents(backup.session(), Side::Target, progress))
        .transpose()?;
    Ok(BackupReport {
        bytes,
        sha256,
        schema_version: backup.schema_version(),
        contents,
        last_stamp: instant(last_stamp(backup.session())?),
    })
}

/// The contents of a database in its snapshot.
fn contents(
    session: &mut dyn Session,
    side: Side,
    progress: &dyn Progress,
) -> Result<Contents, BackupError> {
    lift_time_limits(session)?;
    progress.begin(Phase::Verify, count_rows(session, progress)?);
    let mut sums: Vec<(&str, u64, Digest)> = Vec::new();
    for table in TABLES {
        progress.table(table.name);
        let Sum { rows, digest } = sum(session, side, table, progress)?;
        sums.push((table.name, rows, digest));
    }
    Ok(Contents::of(sums.into_iter()))
}

impl Contents {
    fn of<'a>(tables: impl Iterator<Item = (&'a str, u64, Digest)> + Clone) -> Contents {
        Contents {
            rows: tables.clone().map(|(_, rows, _)| rows).sum(),
            digest: Digest::of_tables(tables),
        }
    }
}

/// Size and SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// The file cannot be read.
pub fn sha256(file: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(file)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok((bytes, format!("{:x}", hash.finalize()))),
            read => {
                hash.update(&piece[..read]);
                bytes += read as u64;
            }
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|failure| StoreError::Engine(Box::new(failure)))?
}
