//! Who checkpoints, and that the thread does it for real files.

use std::time::{Duration, Instant};

use super::*;
use crate::sqlite::files::Files;

const LONG: u32 = FRAMES_OF_COMMIT + 1;

#[test]
fn commits_checkpoint_short_backlogs_and_the_thread_long_ones() {
    let mut state = State::new(8192);
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
        ..State::new(8192)
    };
    assert_eq!(state.decide(3), Checkpoint::Nobody);
    assert_eq!(state.decide(LONG), Checkpoint::Thread);
}

#[test]
fn a_commit_checkpoints_where_the_thread_falls_behind_or_fails() {
    let progress = |after, was_stopped| {
        let before = 1000;
        Ok(Some(Progress {
            before,
            after,
            was_stopped,
        }))
    };
    let failed = || Err(StoreError::Unavailable(String::new()));
    for (ran, frames, expected) in [
        // A reader stops the checkpoint: a commit could do no more.
        (progress(1000, true), 50_000, Checkpoint::Thread),
        (progress(11_000, true), 50_000, Checkpoint::Thread),
        // It copied 10,000 frames, and the writer added half as many meanwhile.
        (progress(11_000, false), 16_000, Checkpoint::Thread),
        (progress(11_000, false), 16_001, Checkpoint::Commit),
        (failed(), 16_001, Checkpoint::Commit),
    ] {
        let mut state = State {
            frames,
            ..State::new(8192)
        };
        state.finish(ran);
        assert_eq!(state.decide(frames), expected, "{frames}");
        state.thread = ThreadState::Idle;
        assert_eq!(state.decide(frames), Checkpoint::Thread, "once only");
    }
}

/// A database with a table, the connection that writes to it, and its files.
fn database(folder: &tempfile::TempDir) -> (Connection, Arc<OpenFiles>) {
    let path = folder.path().join("plant.db");
    let writer = Connection::open(&path).unwrap();
    let setup = "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)";
    writer.execute_batch(setup).unwrap();
    let files = OpenFiles::at(&Files::of(&path)).unwrap();
    (writer, Arc::new(files))
}

/// Frames in the WAL, and those of them in the file.
fn counts(connection: &Connection) -> (u32, u32) {
    wal_checkpoint(connection, "NOOP").unwrap().unwrap()
}

/// Writes until the WAL has this number of frames.
fn grow(writer: &Connection, frames: u32) {
    while counts(writer).0 < frames {
        let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO t SELECT randomblob(3000) FROM n";
        writer.execute_batch(rows).unwrap();
    }
}

/// Writes until this number of frames is in the file.
fn wait_for(writer: &Connection, frames: u32) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while counts(writer).1 < frames {
        assert!(Instant::now() < give_up, "nothing is checkpointed");
        writer.execute_batch("INSERT INTO t VALUES (2)").unwrap();
    }
}

/// Lets a reader hold back a long log, and waits until it is in the file after its end.
fn hold_back(mut writer: Connection, files: Arc<OpenFiles>, reader: &Connection) {
    let checkpointer = Checkpointer::start(&mut writer, files).unwrap();
    reader.execute_batch("BEGIN; SELECT x FROM t").unwrap();
    grow(&writer, 2 * LONG);
    let (frames, done) = counts(&writer);
    assert!(done < CHECKPOINT_FRAMES);
    reader.execute_batch("COMMIT").unwrap();
    wait_for(&writer, frames);
    drop(checkpointer);
}

#[test]
fn what_a_reader_held_back_is_checkpointed_beside_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, files) = database(&folder);
    let reader = Connection::open(files.main_path()).unwrap();
    hold_back(writer, files, &reader);
}

#[test]
fn commits_checkpoint_where_the_thread_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, files) = database(&folder);
    let reader = Connection::open(files.main_path()).unwrap();
    reader.execute_batch("SELECT x FROM t").unwrap();
    std::fs::rename(files.main_path(), folder.path().join("aside")).unwrap();
    hold_back(writer, files, &reader);
}

#[test]
fn no_log_is_copied_into_a_file_that_had_the_path_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, files) = database(&folder);
    writer
        .execute_batch("PRAGMA wal_autocheckpoint = 0")
        .unwrap();
    grow(&writer, CHECKPOINT_FRAMES);
    let [path, aside, other] = ["plant.db", "aside", "other"].map(|it| folder.path().join(it));
    Connection::open(&other)
        .unwrap()
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE u (x)")
        .unwrap();
    let before = std::fs::read(&other).unwrap();
    std::fs::rename(&path, &aside).unwrap();
    std::fs::rename(&other, &path).unwrap();
    let mut connection = None;
    assert!(checkpoint(&mut connection, &files).is_err());
    std::fs::rename(&path, &other).unwrap();
    std::fs::rename(&aside, &path).unwrap();
    checkpoint(&mut connection, &files).unwrap();
    let (frames, done) = counts(&writer);
    assert_eq!(frames, done, "all of it is in the file that it belongs to");
    assert_eq!(std::fs::read(&other).unwrap(), before);
}
