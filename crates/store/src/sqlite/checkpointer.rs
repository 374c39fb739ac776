//! Checkpoints of the write-ahead log (WAL): by the commits of the writer, or on a thread beside it.
//!
//! A reader that holds its snapshot stops checkpoints, and the WAL grows. The first commit after the end of
//! that reader would copy all of it into the database file, and every write would wait for that. So commits
//! copy short backlogs only, and the thread copies long ones. Neither begins to copy a WAL of fewer than
//! [`CHECKPOINT_FRAMES`] frames, because [`super::link::fits`] depends on that.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, OpenFlags};

use super::errors::store_error;
use super::files::OpenFiles;
use super::log_limit;
use crate::StoreError;

/// From this number of frames in the WAL on, a commit is followed by a checkpoint. It is SQLite's default,
/// set explicitly because [`super::link::fits`] depends on it.
pub(super) const CHECKPOINT_FRAMES: u32 = 1000;
/// Most frames that a commit checkpoints itself: 16 MiB of pages.
const FRAMES_OF_COMMIT: u32 = 2 * CHECKPOINT_FRAMES;

/// The thread for long backlogs. Dropping it waits for a running checkpoint, and ends the thread and its
/// connection.
pub(super) struct Checkpointer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the writer's commits and the thread share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    thread: ThreadState,
    /// Size of a page, in bytes.
    page_bytes: u32,
    /// Frames in the WAL after the last commit.
    frames: u32,
    /// Frames of the WAL that are in the database file, as far as known.
    checkpointed: u32,
    /// The thread failed, or is slower than the writer: the next commit checkpoints, however much it is.
    is_up_to_commit: bool,
    /// The size that the WAL should keep when it begins again, in bytes ([`super::log_limit`]).
    log_limit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadState {
    Idle,
    /// A checkpoint was requested, and may be running.
    Requested,
    /// The thread has ended, or is to end.
    Ended,
}

/// Who checkpoints after a commit.
#[derive(Debug, PartialEq, Eq)]
enum Checkpoint {
    Nobody,
    Commit,
    Thread,
}

impl Checkpointer {
    /// Starts the thread, and replaces the automatic checkpoints of the connection that writes to the files.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the thread does not start.
    pub(super) fn start(
        writer: &mut Connection,
        files: Arc<OpenFiles>,
    ) -> Result<Checkpointer, StoreError> {
        let page_bytes = writer.pragma_query_value(None, "page_size", |row| row.get(0));
        let shared = Arc::new(Shared {
            state: Mutex::new(State::new(page_bytes.map_err(store_error)?)),
            changed: Condvar::new(),
        });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("obeya-checkpointer".into())
            .spawn(move || of_thread.run(&files))
            .map_err(|error| {
                StoreError::Unavailable(format!("the checkpoint thread did not start: {error}"))
            })?;
        let checkpointer = Checkpointer {
            shared: Arc::clone(&shared),
            thread: Some(thread),
        };
        let after_commit = move |wal: &mut Wal, frames| {
            shared.after_commit(wal, u32::try_from(frames).unwrap_or(0));
            Ok(())
        };
        writer.wal_hook(Some(after_commit)).map_err(store_error)?;
        Ok(checkpointer)
    }

    /// The size that the WAL should keep when it begins again, in bytes.
    pub(super) fn log_limit(&self) -> u64 {
        self.shared.state().log_limit
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.shared.state().thread = ThreadState::Ended;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread is in the log; nothing is left to end.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Any state is one that the thread or a commit may leave, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checkpoints after a commit, or wakes the thread. A failure is no failure of the commit: the next
    /// commit tries again, as with SQLite's automatic checkpoints.
    fn after_commit(&self, wal: &mut Wal, frames: u32) {
        let decided = self.state().decide(frames);
        match decided {
            Checkpoint::Nobody => {}
            Checkpoint::Thread => self.changed.notify_all(),
            Checkpoint::Commit => match wal.checkpoint_v2(CheckpointMode::PASSIVE) {
                Ok((_, done)) => self.state().checkpointed = u32::try_from(done).unwrap_or(0),
                Err(error) => tracing::debug!(%error, "no checkpoint after a commit"),
            },
        }
    }

    /// The thread.
    fn run(&self, files: &OpenFiles) {
        let _ended = EndOnDrop(self);
        let (mut connection, mut has_failed) = (None, false);
        loop {
            let requested = self
                .changed
                .wait_while(self.state(), |state| state.thread == ThreadState::Idle)
                .unwrap_or_else(PoisonError::into_inner);
            if requested.thread == ThreadState::Ended {
                return;
            }
            drop(requested);
            let ran = checkpoint(&mut connection, files);
            if let Err(error) = &ran
                && !has_failed
            {
                tracing::warn!(%error, "the log could not be checkpointed beside the writer");
            }
            has_failed = ran.is_err();
            self.state().finish(ran);
        }
    }
}

/// Leaves checkpoints to the commits when the thread ends, also by a panic.
struct EndOnDrop<'s>(&'s Shared);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.state().thread = ThreadState::Ended;
    }
}

impl State {
    fn new(page_bytes: u32) -> State {
        State {
            thread: ThreadState::Idle,
            page_bytes,
            frames: 0,
            checkpointed: 0,
            is_up_to_commit: false,
            log_limit: log_limit::LEAST,
        }
    }

    /// Who checkpoints after a commit that leaves this number of frames in the WAL.
    fn decide(&mut self, frames: u32) -> Checkpoint {
        let began_again = frames < self.frames;
        if began_again {
            // All of it was in the file.
            self.checkpointed = 0;
            self.is_up_to_commit = false;
        }
        self.frames = frames;
        self.log_limit =
            log_limit::after_commit(self.log_limit, frames, self.page_bytes, began_again);
        let backlog = frames.saturating_sub(self.checkpointed);
        if frames < CHECKPOINT_FRAMES || self.thread == ThreadState::Requested {
            Checkpoint::Nobody
        } else if backlog <= FRAMES_OF_COMMIT
            || self.thread == ThreadState::Ended
            || std::mem::take(&mut self.is_up_to_commit)
        {
            Checkpoint::Commit
        } else {
            self.thread = ThreadState::Requested;
            Checkpoint::Thread
        }
    }

    /// Notes what the thread did.
    fn finish(&mut self, ran: Result<Option<Progress>, StoreError>) {
        match ran {
            Ok(Some(progress)) => {
                self.checkpointed = progress.after;
                let (done, left) = (
                    progress.after.saturating_sub(progress.before),
                    self.frames.saturating_sub(progress.after),
                );
                // Where a reader stopped it, a commit could do no more.
                self.is_up_to_commit = !progress.was_stopped && left > done / 2;
            }
            Ok(None) => {}
            Err(_) => self.is_up_to_commit = true,
        }
        if self.thread == ThreadState::Requested {
            self.thread = ThreadState::Idle;
        }
    }
}

/// What a checkpoint of the thread did.
struct Progress {
    /// Frames in the database file before it and after it.
    before: u32,
    after: u32,
    /// A reader still needed the file as it is.
    was_stopped: bool,
}

/// Checkpoints the WAL if it is long enough. Opens the connection if there is none.
fn checkpoint(
    slot: &mut Option<Connection>,
    files: &OpenFiles,
) -> Result<Option<Progress>, StoreError> {
    let connection = match slot {
        Some(connection) => connection,
        None => slot.insert(open(files)?),
    };
    files.check()?;
    // Another process may have copied all of the WAL and begun it again meanwhile.
    let Some((frames, before)) = wal_checkpoint(connection, "NOOP")? else {
        return Ok(None);
    };
    if frames < CHECKPOINT_FRAMES || before == frames {
        return Ok(None);
    }
    let passed = wal_checkpoint(connection, "PASSIVE")?;
    Ok(passed.map(|(frames, after)| Progress {
        before,
        after,
        was_stopped: after < frames,
    }))
}

/// A connection that only checkpoints.
fn open(files: &OpenFiles) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(files.main_path(), flags).map_err(store_error)?;
    // Checked before the first statement, which would use the log whatever file has the path now.
    files.check()?;
    // The path may refer to another file when it closes, into which nothing must be written.
    let option = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection
        .set_db_config(option, true)
        .map_err(store_error)?;
    // The log is flushed before the file is written, and the file before the log may begin again.
    connection
        .execute_batch("PRAGMA synchronous = FULL")
        .map_err(store_error)?;
    Ok(connection)
}

/// Runs a checkpoint; returns the frames in the WAL, and those of them in the database file. `None` if
/// another connection is at it, or without a WAL. SQLite knows the mode NOOP from 3.51 on.
fn wal_checkpoint(connection: &Connection, mode: &str) -> Result<Option<(u32, u32)>, StoreError> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let mut statement = connection.prepare_cached(&sql).map_err(store_error)?;
    let counts = statement.query_row([], |row| Ok((row.get(1)?, row.get(2)?)));
    // Both are -1 then.
    let (frames, done): (i64, i64) = counts.map_err(store_error)?;
    Ok(u32::try_from(frames).ok().zip(u32::try_from(done).ok()))
}

#[cfg(test)]
mod tests;
