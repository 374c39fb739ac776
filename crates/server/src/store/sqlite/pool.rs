//! Connections that read: opened when first needed, kept, and handed out one unit of work at a time.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::{self, Database, SqliteSession};
use crate::store::{StoreError, StoreOptions};

/// The readers of one file.
pub(super) struct Pool {
    path: PathBuf,
    options: StoreOptions,
    idle: Mutex<Vec<Database>>,
    permits: Arc<Semaphore>,
}

impl Pool {
    pub(super) fn new(path: PathBuf, options: StoreOptions) -> Self {
        let permits = Arc::new(Semaphore::new(options.readers));
        Pool {
            path,
            options,
            idle: Mutex::new(Vec::new()),
            permits,
        }
    }

    /// A reader of one's own until the lease is dropped; waits while all are out.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, StoreError> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => Arc::clone(&self.permits)
                .acquire_owned()
                .await
                .map_err(|_| StoreError::Unavailable("the store is closed".into()))?,
        };
        // The last one given back comes first: its cache is warm, and the others' may leave memory.
        let idle = self.idle().pop();
        let database = match idle {
            Some(database) => database,
            None => connection::open_reader(&self.path, &self.options)?,
        };
        Ok(Lease {
            database: Some(database),
            pool: Arc::clone(self),
            _permit: permit,
        })
    }

    /// Hands out no more readers, and closes those at rest.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle().clear();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Database>> {
        // The list is whole after every push and pop, so a panic elsewhere leaves nothing to mend.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader on loan.
pub(super) struct Lease {
    /// `None` once the connection must not go back.
    database: Option<Database>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
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
            .as_ref()
            .map_or(Ok(()), |database| database.control("BEGIN"))
    }

    /// Closes the snapshot. A reader that cannot do that is not used again.
    pub(super) fn end(&mut self) {
        if let Some(database) = &self.database
            && database.control("COMMIT").is_err()
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
            self.pool.idle().push(database);
        }
    }
}
