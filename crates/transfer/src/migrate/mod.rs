//! Copies a whole database into another one, on any engine: in one transaction, which is committed only if
//! both compare equal.
//!
//! The source is read in one snapshot by one thread, the target written by another, with a few batches of
//! rows between them: the memory this takes does not depend on what is copied. Ids, stamps, keys and secrets
//! are copied, so tokens and next links stay valid and no id is issued twice. Search indexes are derived from
//! other columns and are rebuilt. This module does not depend on the meaning of a table.

mod compare;
mod digest;
mod error;
mod progress;
mod report;
mod rows;
mod session;
mod source;
mod tables;
mod target;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use digest::Digest;
pub use error::{Difference, MigrateError, Side};
pub use progress::{Phase, Progress};
pub use report::{MigrateReport, TableReport};

pub(crate) use compare::sum;
pub(crate) use digest::Sum;
use obeya_store::{Store, StoreError, StoreOptions};
pub(crate) use rows::key;
pub(crate) use session::lift_time_limits;
use source::{SourceClient, SourceServer};
pub(crate) use source::{count_rows, instant, last_stamp};
pub(crate) use tables::{SEQUENCED_TABLES, TABLES};
use target::Ended;

/// How long a transaction waits while another process writes to the target.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// How long one statement may run: it returns a whole table, and waits for the other side meanwhile.
/// PostgreSQL counts milliseconds in 31 bits.
const STATEMENT: Duration = Duration::from_secs(7 * 86_400);

/// Copies everything in the database at `from` into the one at `to`, which must be empty and is created if it
/// is missing, and compares the two.
///
/// A source of an older version is migrated first, as by every other command; otherwise it is only read. A
/// service may run on it meanwhile, but what it stores after the snapshot ([`MigrateReport::last_stamp`]) is
/// not copied: better stop the service before.
///
/// # Errors
/// [`MigrateError`]; the target is then empty, except possibly for [`StoreError::Uncertain`].
pub async fn migrate(
    from: &str,
    to: &str,
    progress: Arc<dyn Progress>,
) -> Result<MigrateReport, MigrateError> {
    let (source, target) = open(from, to, true).await?;
    let migrated = copy(&source, &target, progress).await;
    let migrated = match migrated {
        Err(error) if error.is_constraint() => Err(explained(&source, error).await),
        other => other,
    };
    source.close().await;
    target.close().await;
    migrated
}

/// Compares everything in two databases; [`MigrateReport::differences`] says where they differ. Changes
/// no data, but migrates the schema of older databases.
///
/// # Errors
/// [`MigrateError`] when one of them cannot be read.
pub async fn verify(
    from: &str,
    to: &str,
    progress: Arc<dyn Progress>,
) -> Result<MigrateReport, MigrateError> {
    let (source, target) = open(from, to, false).await?;
    let (client, reading) = sides(&source, &progress);
    let comparing = target.read(move |session| compare::all(session, &client, progress.as_ref()));
    let compared = outcome(tokio::join!(reading, comparing));
    source.close().await;
    target.close().await;
    compared
}

async fn copy(
    source: &Store,
    target: &Store,
    progress: Arc<dyn Progress>,
) -> Result<MigrateReport, MigrateError> {
    let (client, reading) = sides(source, &progress);
    // The work may run again after a conflict with another transaction; the source cannot.
    let client = Cell::new(Some(client));
    let writing = target.write_isolated(move |session| {
        let client = client.take().ok_or_else(|| {
            StoreError::Unavailable("a conflict with another transaction; try again".into())
        })?;
        target::fill(session, &client, progress.as_ref())
    });
    outcome(tokio::join!(reading, writing))
}

/// The channel to the source, and the task that reads it, which ends when the channel is dropped.
fn sides(
    source: &Store,
    progress: &Arc<dyn Progress>,
) -> (
    SourceClient,
    impl Future<Output = Result<(), source::Ended>> + use<>,
) {
    let (client, server): (SourceClient, SourceServer) = source::channel();
    let (source, progress) = (source.clone(), Arc::clone(progress));
    let reading = async move {
        source
            .read(move |session| source::serve(session, &server, progress.as_ref()))
            .await
    };
    (client, reading)
}

/// The result of both sides. A side that ended because of the other has no error of its own.
fn outcome(
    (source, target): (Result<(), source::Ended>, Result<MigrateReport, Ended>),
) -> Result<MigrateReport, MigrateError> {
    match (source, target) {
        (_, Ok(report)) => Ok(report),
        (_, Err(Ended::Of(error))) | (Err(source::Ended(error)), Err(Ended::Disconnected)) => {
            Err(error)
        }
        (Ok(()), Err(Ended::Disconnected)) => Err(MigrateError::Stopped),
    }
}

/// An engine that checks references at the end does not name the row, so the rows of the source are searched.
async fn explained(source: &Store, error: MigrateError) -> MigrateError {
    match source.read(source::dangling).await {
        Ok(Some(found)) => found,
        Ok(None) | Err(_) => error,
    }
}

/// Opens both databases, which must be different; creates the target if allowed.
async fn open(from: &str, to: &str, makes_target: bool) -> Result<(Store, Store), MigrateError> {
    if let (Some(from), Some(to)) = (file(from), file(to))
        && is_same(&from, &to)
    {
        return Err(MigrateError::Same);
    }
    let options = StoreOptions {
        writer_cache_kib: 128 << 10,
        statement_budget: STATEMENT,
        busy_timeout: LOCK_WAIT,
        make_tables: false,
        ..StoreOptions::default()
    };
    let source = Store::open(from, &options)
        .await
        .map_err(|error| MigrateError::store(Side::Source, error))?;
    let options = StoreOptions {
        make_tables: makes_target,
        ..options
    };
    let target = match Store::open(to, &options).await {
        Ok(target) => target,
        Err(error) => {
            source.close().await;
            return Err(MigrateError::store(Side::Target, error));
        }
    };
    let identities = (
        source.read(session::identity).await,
        target.read(session::identity).await,
    );
    let is_same = match identities {
        (Ok(source), Ok(target)) => Ok(source.is_some() && source == target),
        (Err(error), _) => Err(MigrateError::store(Side::Source, error)),
        (_, Err(error)) => Err(MigrateError::store(Side::Target, error)),
    };
    match is_same {
        Ok(false) => Ok((source, target)),
        other => {
            source.close().await;
            target.close().await;
            Err(other.err().unwrap_or(MigrateError::Same))
        }
    }
}

/// The file of an address, if it names one.
fn file(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("sqlite:")?;
    Some(PathBuf::from(rest.strip_prefix("//").unwrap_or(rest)))
}

/// Whether two names lead to one file.
#[cfg(unix)]
fn is_same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let node = |path: &Path| std::fs::metadata(path).map(|file| (file.dev(), file.ino()));
    matches!((node(a), node(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether two names lead to one file.
#[cfg(not(unix))]
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
