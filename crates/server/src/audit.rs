//! The audit log of a database, for the command line: its entries, its verification, and the counts of
//! refused tokens. Nothing here writes or upgrades the database: an older service may be using it.

use std::io;
use std::ops::ControlFlow;

pub use obeya_store::audit::{Entry, Fault, FaultKind, Filter, Verified};
use obeya_store::audit::{read, verify};
use obeya_store::inspection::Inspection;
pub use obeya_store::refused_tokens::Refused;
use obeya_store::{Session, StoreError, refused_tokens};

/// Ticks of 100 ns in a minute.
const TICKS_PER_MINUTE: i64 = 60 * 10_000_000;

/// Why the log could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// An error of the database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entries could not be written to their destination.
    #[error("the entries could not be written")]
    Output(#[from] io::Error),
}

/// Calls `each` with the entries of the database at `db` that apply, oldest first, and with `out`, which it
/// returns at the end.
///
/// # Errors
/// The database or `each` fails.
pub async fn entries<W: Send + 'static>(
    db: &str,
    filter: Filter,
    mut out: W,
    each: fn(&mut W, &Entry) -> io::Result<()>,
) -> Result<W, AuditError> {
    with_session(db, move |session| {
        let mut failure = None;
        read(session, &filter, &mut |entry| {
            if let Err(error) = each(&mut out, &entry) {
                failure = Some(error);
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        failure.map_or(Ok(out), |error| Err(error.into()))
    })
    .await
}

/// Verifies the chain of the database at `db`. `noted` is the number and the hash of an entry, as an earlier
/// run returned it.
///
/// # Errors
/// The database fails. A fault of the chain is no error.
pub async fn verify_chain(db: &str, noted: Option<(i64, String)>) -> Result<Verified, AuditError> {
    with_session(db, move |session| Ok(verify(session, noted.as_ref())?)).await
}

/// The counts of refused tokens of the database at `db` from an instant (ticks) on, oldest first.
///
/// # Errors
/// The database fails.
pub async fn refused(db: &str, since: i64) -> Result<Vec<Refused>, AuditError> {
    let minute = since.div_euclid(TICKS_PER_MINUTE);
    with_session(db, move |session| {
        Ok(refused_tokens::list(session, minute)?)
    })
    .await
}

async fn with_session<T: Send + 'static>(
    db: &str,
    work: impl FnOnce(&mut dyn Session) -> Result<T, AuditError> + Send + 'static,
) -> Result<T, AuditError> {
    let db = db.to_owned();
    let done = tokio::task::spawn_blocking(move || {
        let mut database = Inspection::open_current(&db)?;
        work(database.session())
    });
    done.await
        .map_err(|failure| StoreError::Engine(Box::new(failure)))?
}
