//! Connections that read: opened when first needed, kept, and handed out one unit of work at a time.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::{self, Database, SqliteSession};
use crate::store::{StoreError, StoreOptions};

/// Readers that work of any size leaves to short work: were all of them out for as long as a statement may run, no look-up, no token and no sign of
/// readiness could be had.
const KEPT_FOR_SHORT: usize = 4;

/// The readers of one file.
pub(super) struct Pool {
    path: PathBuf,
    options: StoreOptions,
    idle: Mutex<Idle>,
    permits: Arc<Semaphore>,
    /// Stands before `permits` for work of any size.
    long: Arc<Semaphore>,
}

/// Readers at rest.
#[derive(Default)]
struct Idle {
    short: Vec<Database>,
    long: Vec<Database>,
}

impl Idle {
    /// Those for work of any size, or for short work. Kept apart, as long work would push what short work needs out of their caches.
    fn of(&mut self, long: bool) -> &mut Vec<Database> {
        if long {
            &mut self.long
        } else {
            &mut self.short
        }
    }
}

impl Pool {
    pub(super) fn new(path: PathBuf, options: StoreOptions) -> Self {
        let permits = Arc::new(Semaphore::new(options.readers));
        let long = options.readers.saturating_sub(KEPT_FOR_SHORT).max(1);
        let long = Arc::new(Semaphore::new(long));
        Pool {
            path,
            options,
            idle: Mutex::default(),
            permits,
            long,
        }
    }

    /// A reader for work of any size; waits while as many are out as may be at one time.
    pub(super) async fn lease_long(self: &Arc<Self>) -> Result<Lease, StoreError> {
        let long = permit(&self.long).await?;
        let permit = permit(&self.permits).await?;
        self.hand_out(permit, Some(long))
    }

    /// A reader of one's own until the lease is dropped, for short work; waits while all are out.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, StoreError> {
        let permit = permit(&self.permits).await?;
        self.hand_out(permit, None)
    }

    /// A reader for work of any size, if one may be had without waiting.
    pub(super) fn lease_idle(self: &Arc<Self>) -> Option<Lease> {
        let long = Arc::clone(&self.long).try_acquire_owned().ok()?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        self.hand_out(permit, Some(long)).ok()
    }

    /// How the readers are run.
    pub(super) fn options(&self) -> &StoreOptions {
        &self.options
    }

    fn hand_out(
        self: &Arc<Self>,
        permit: OwnedSemaphorePermit,
        long: Option<OwnedSemaphorePermit>,
    ) -> Result<Lease, StoreError> {
        // The last one given back comes first: its cache is warm, and the others' may leave memory.
        let idle = self.idle().of(long.is_some()).pop();
        let cache_kib = if long.is_some() {
            self.options.long_reader_cache_kib
        } else {
            self.options.reader_cache_kib
        };
        let database = match idle {
            Some(database) => database,
            None => connection::open_reader(&self.path, &self.options, cache_kib)?,
        };
        Ok(Lease {
            database: Some(database),
            pool: Arc::clone(self),
            _permit: permit,
            long,
        })
    }

    /// Hands out no more readers, and closes those at rest.
    pub(super) fn close(&self) {
        self.long.close();
        self.permits.close();
        *self.idle() = Idle::default();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Idle> {
        // Each list is whole after every push and pop, so a panic elsewhere leaves nothing to mend.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn permit(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, StoreError> {
    match Arc::clone(of).try_acquire_owned() {
        Ok(permit) => Ok(permit),
        Err(_) => Arc::clone(of)
            .acquire_owned()
            .await
            .map_err(|_| StoreError::Unavailable("the store is closed".into())),
    }
}

/// A reader on loan.
pub(super) struct Lease {
    /// `None` once the connection must not go back.
    database: Option<Database>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
    long: Option<OwnedSemaphorePermit>,
}

impl Lease {
    /// The face that units of work see.
    pub(super) fn session(&mut self) -> SqliteSession<'_> {
        self.database
            .as_mut()
            .expect("a lease holds its reader until `end` gives it up")
            .session()
    }

    /// Ends statements that turn out not to be brief, until [`Lease::take_time`].
    pub(super) fn be_brief(&self) {
        self.database
            .as_ref()
            .inspect(|database| database.be_brief());
    }

    /// Allows work of any size again; whether some was ended for being too long.
    pub(super) fn take_time(&self) -> bool {
        self.database.as_ref().is_some_and(Database::take_time)
    }

    /// Opens a snapshot.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        self.database
            .as_mut()
            .map_or(Ok(()), |database| database.run("BEGIN"))
    }

    /// Closes the snapshot. A reader that cannot do that is not used again.
    pub(super) fn end(&mut self) {
        if let Some(database) = &mut self.database
            && database.run("COMMIT").is_err()
        {
            self.database = None;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // A panic may have left a snapshot open, which would hold back the log for ever: close that connection.
        if std::thread::panicking() || self.pool.permits.is_closed() {
            return;
        }
        if let Some(database) = self.database.take() {
            self.pool.idle().of(self.long.is_some()).push(database);
        }
    }
}
