//! Checkpoints of the write-ahead log (WAL): by the commits of the writer, or on a thread beside it.
//!
//! A reader that holds its snapshot stops checkpoints, and the WAL grows. The first commit after the end of
//! that reader would copy all of it into the database file, and every write would wait for that. So commits
//! copy short backlogs only, and the thread copies long ones. It never checkpoints a WAL of fewer than
//! [`CHECKPOINT_FRAMES`] frames, because [`super::link::fits`] depends on that.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, OpenFlags};

use super::errors::store_error;
use super::files::OpenFiles;
use crate::StoreError;

/// From this number of frames in the WAL on, a commit is followed by a checkpoint. It is SQLite's default,
/// set explicitly because [`super::link::fits`] depends on it.
pub(super) const CHECKPOINT_FRAMES: u32 = 1000;
/// Most frames that a commit checkpoints itself; at 8 KiB each they take some 20 ms.
const FRAMES_OF_COMMIT: u32 = 2 * CHECKPOINT_FRAMES;

/// The thread for long backlogs. Dropping it ends the thread and its connection.
pub(super) struct Checkpointer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the writer's commits and the thread share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    thread: ThreadState,
    /// Frames in the WAL after the last commit.
    frames: u32,
    /// Frames of the WAL that are in the database file, as far as known.
    checkpointed: u32,
    /// The thread is slower than the writer: the next commit checkpoints, however much it is.
    falls_behind: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ThreadState {
    #[default]
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
        let shared = Arc::new(Shared {
            state: Mutex::default(),
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

    /// Frames in the WAL after the last commit.
    pub(super) fn frames(&self) -> u32 {
        self.shared.state().frames
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
        let mut connection = None;
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
            let mut state = self.state();
            match ran {
                Ok(Some(progress)) => state.note(progress),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "no checkpoint beside the writer"),
            }
            if state.thread == ThreadState::Requested {
                state.thread = ThreadState::Idle;
            }
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
    /// Who checkpoints after a commit that leaves this number of frames in the WAL.
    fn decide(&mut self, frames: u32) -> Checkpoint {
        if frames < self.frames {
            // The commit began the WAL again, as all of it was in the file.
            self.checkpointed = 0;
            self.falls_behind = false;
        }
        self.frames = frames;
        let backlog = frames.saturating_sub(self.checkpointed);
        if frames < CHECKPOINT_FRAMES || self.thread == ThreadState::Requested {
            Checkpoint::Nobody
        } else if backlog <= FRAMES_OF_COMMIT
            || self.thread == ThreadState::Ended
            || std::mem::take(&mut self.falls_behind)
        {
            Checkpoint::Commit
        } else {
            self.thread = ThreadState::Requested;
            Checkpoint::Thread
        }
    }

    /// Notes what the thread did.
    fn note(&mut self, progress: Progress) {
        self.checkpointed = progress.after;
        let done = progress.after.saturating_sub(progress.before);
        // Without progress a reader stops the checkpoint, and a commit could do no more.
        self.falls_behind = done > 0 && self.frames.saturating_sub(progress.after) > done / 2;
    }
}

/// Frames in the database file before a checkpoint and after it.
struct Progress {
    before: u32,
    after: u32,
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
    let (frames, before) = wal_checkpoint(connection, "NOOP")?;
    if frames < CHECKPOINT_FRAMES {
        return Ok(None);
    }
    let (_, after) = wal_checkpoint(connection, "PASSIVE")?;
    Ok(Some(Progress { before, after }))
}

/// A connection that only checkpoints.
fn open(files: &OpenFiles) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(files.main_path(), flags).map_err(store_error)?;
    // The path may refer to another file by now, into which nothing must be written.
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

/// Runs a checkpoint; returns the frames in the WAL, and those of them in the database file.
fn wal_checkpoint(connection: &Connection, mode: &str) -> Result<(u32, u32), StoreError> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let mut statement = connection.prepare_cached(&sql).map_err(store_error)?;
    let frames = statement.query_row([], |row| Ok((row.get(1)?, row.get(2)?)));
    let (frames, done): (i64, i64) = frames.map_err(store_error)?;
    // -1 where there is no WAL.
    let frame_count = |frames| u32::try_from(frames).unwrap_or(0);
    Ok((frame_count(frames), frame_count(done)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::files::Files;
    use super::*;

    const LONG: u32 = FRAMES_OF_COMMIT + 1;

    #[test]
    fn commits_checkpoint_short_backlogs_and_the_thread_long_ones() {
        let mut state = State::default();
        let mut decided = |frames| state.decide(frames);
        assert_eq!(decided(CHECKPOINT_FRAMES - 1), Checkpoint::Nobody);
        assert_eq!(decided(CHECKPOINT_FRAMES), Checkpoint::Commit);
        assert_eq!(decided(FRAMES_OF_COMMIT), Checkpoint::Commit);
        assert_eq!(decided(LONG), Checkpoint::Thread);
        assert_eq!(decided(LONG + 1), Checkpoint::Nobody, "the thread is at it");
        state.thread = ThreadState::Idle;
        state.checkpointed = LONG;
        assert_eq!(state.decide(LONG + FRAMES_OF_COMMIT), Checkpoint::Commit);
        assert_eq!(state.decide(2 * LONG), Checkpoint::Thread);
        state.thread = ThreadState::Ended;
        assert_eq!(state.decide(3 * LONG), Checkpoint::Commit);
    }

    #[test]
    fn a_log_that_began_again_has_nothing_in_the_file() {
        let mut state = State {
            frames: 5000,
            checkpointed: 5000,
            ..State::default()
        };
        assert_eq!(state.decide(3), Checkpoint::Nobody);
        assert_eq!(state.decide(LONG), Checkpoint::Thread);
    }

    #[test]
    fn a_commit_checkpoints_where_the_thread_falls_behind() {
        for (after, frames, expected) in [
            // A reader stops the checkpoint: a commit could not do it either.
            (1000, 50_000, Checkpoint::Thread),
            // Of 10,000 frames it did all, while the writer added less than half as many.
            (11_000, 16_000, Checkpoint::Thread),
            (11_000, 16_001, Checkpoint::Commit),
        ] {
            let mut state = State {
                frames,
                ..State::default()
            };
            let before = 1000;
            state.note(Progress { before, after });
            assert_eq!(state.decide(frames), expected, "{after} of {frames}");
            state.thread = ThreadState::Idle;
            assert_eq!(state.decide(frames), Checkpoint::Thread, "once only");
        }
    }

    #[test]
    fn what_a_reader_held_back_is_checkpointed_beside_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plant.db");
        let mut writer = Connection::open(&path).unwrap();
        let setup = "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)";
        writer.execute_batch(setup).unwrap();
        let files = Arc::new(OpenFiles::at(&Files::of(&path)).unwrap());
        let checkpointer = Checkpointer::start(&mut writer, files).unwrap();
        let reader = Connection::open(&path).unwrap();
        let read = "BEGIN; SELECT count(*) FROM t";
        reader.execute_batch(read).unwrap();
        let mut held = 0;
        while held < 2 * LONG {
            let rows =
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                INSERT INTO t SELECT randomblob(3000) FROM n";
            writer.execute_batch(rows).unwrap();
            held = wal_checkpoint(&writer, "NOOP").unwrap().0;
        }
        assert!(wal_checkpoint(&writer, "NOOP").unwrap().1 < CHECKPOINT_FRAMES);
        reader.execute_batch("COMMIT").unwrap();
        let give_up = Instant::now() + Duration::from_secs(60);
        while wal_checkpoint(&writer, "NOOP").unwrap().1 < held {
            assert!(Instant::now() < give_up, "the thread checkpoints nothing");
            writer.execute_batch("INSERT INTO t VALUES (2)").unwrap();
        }
        drop(checkpointer);
    }
}
