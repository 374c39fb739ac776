//! An interrupted migration leaves the target empty and the source unchanged; the next one completes.

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use obeya_server::migrate::{MigrateError, Phase, Progress, Side, migrate, verify};
use obeya_server::store::StoreError;
use obeya_testkit::postgres::connect;

use super::plant::{Folder, copy, differences, rows};
use crate::binary::{kill_at_random, obeya};
use crate::postgres::{EMPTY, block_on, number_after_kill, sql, until, with_schema};

/// The plant with some more values, so that there is a half-way.
fn plant() -> Folder {
    let folder = Folder::new();
    let source = folder.plant("a.db");
    source
        .execute_batch(
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                SELECT 5, i, 10000 + i, i / 3.0, i FROM n",
        )
        .expect("values");
    source
        .execute("VACUUM INTO ?1", [folder.file("before.db").to_str()])
        .expect("kept");
    folder
}

/// Kills migrations of the plant; `look` returns whether the target has everything, and empties it.
fn kill(folder: &Folder, to: &str, mut look: impl FnMut() -> bool) {
    let from = folder.url("a.db");
    kill_at_random(&["migrate", "--from", &from, "--to", to], || {
        let complete = look();
        assert_eq!(
            differences(&folder.file("a.db"), &folder.file("before.db")),
            [""; 0],
            "the source"
        );
        complete
    });
}

#[test]
fn killed_at_any_moment_it_leaves_everything_or_nothing() {
    let folder = plant();
    kill(&folder, &folder.url("b.db"), || {
        let file = folder.file("b.db");
        let complete = file.exists() && has_rows(&file);
        if complete {
            assert_eq!(differences(&folder.file("a.db"), &file), [""; 0]);
            for name in ["b.db", "b.db-wal", "b.db-shm"] {
                // The companions go with the last connection, unless it was killed.
                let _ = std::fs::remove_file(folder.file(name));
            }
        }
        complete
    });
}

/// Whether a file has rows; before its schema is there, it has none.
fn has_rows(file: &Path) -> bool {
    let connection = rusqlite::Connection::open(file).expect("a database");
    rows(&connection) > 0
}

#[test]
fn killed_at_any_moment_it_leaves_everything_or_nothing_on_postgres() {
    let folder = plant();
    let from = folder.url("a.db");
    let scratch = with_schema();
    kill(&folder, scratch.url(), || {
        let rows = "SELECT (SELECT count(*) FROM clients) + (SELECT count(*) FROM areas) + (SELECT count(*) FROM datasource_values)";
        let complete = number_after_kill(scratch.url(), rows) > 0;
        if complete {
            let compared = block_on(verify(&from, scratch.url(), Arc::new(()))).expect("compared");
            assert_eq!(compared.differences, []);
            sql(scratch.url(), &[EMPTY]);
        }
        complete
    });
}

/// Requests to stop at a table.
struct Stopping {
    at: (Phase, &'static str),
    phase: Mutex<Phase>,
    is_there: AtomicBool,
}

impl Progress for Stopping {
    fn begin(&self, phase: Phase, _: u64) {
        *self.phase.lock().expect("whole") = phase;
    }

    fn table(&self, name: &str) {
        if (*self.phase.lock().expect("whole"), name) == self.at {
            self.is_there.store(true, Ordering::Relaxed);
        }
    }

    fn should_continue(&self) -> bool {
        !self.is_there.load(Ordering::Relaxed)
    }
}

#[test]
fn a_stopped_migration_keeps_nothing() {
    let folder = Folder::new();
    folder.plant("a.db");
    let (from, to) = (folder.url("a.db"), folder.url("b.db"));
    for at in [
        (Phase::Copy, "clients"),
        (Phase::Copy, "datasource_values"),
        (Phase::Verify, "clients"),
        (Phase::Verify, "stamps"),
    ] {
        let progress = Arc::new(Stopping {
            at,
            phase: Mutex::new(Phase::Copy),
            is_there: AtomicBool::new(false),
        });
        let error = block_on(migrate(&from, &to, progress)).expect_err("stopped");
        assert!(matches!(error, MigrateError::Stopped), "{at:?}: {error:?}");
        assert_eq!(rows(&folder.connect("b.db")), 0, "{at:?}");
    }
    copy(&from, &to).expect("an empty target");
}

/// Ends every connection to a server when the largest table is begun.
struct Cutting {
    url: String,
    is_done: AtomicBool,
}

impl Progress for Cutting {
    fn table(&self, name: &str) {
        if name != "datasource_values" || self.is_done.swap(true, Ordering::Relaxed) {
            return;
        }
        let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        // The thread of a migration may not wait for another runtime.
        std::thread::scope(|scope| drop(scope.spawn(|| sql(&self.url, &[all])).join()));
    }
}

#[test]
fn a_connection_that_is_lost_ends_it_and_nothing_is_kept() {
    let folder = plant();
    let from = folder.url("a.db");
    let scratch = with_schema();
    let cut = |url: &str| {
        Arc::new(Cutting {
            url: url.to_owned(),
            is_done: AtomicBool::new(false),
        })
    };
    let error = block_on(migrate(&from, scratch.url(), cut(scratch.url()))).expect_err("cut");
    assert!(
        matches!(
            error,
            MigrateError::Store {
                side: Side::Target,
                source: StoreError::Unavailable(_),
                ..
            }
        ),
        "{error:?}"
    );
    copy(&from, scratch.url()).expect("an empty target");

    let to = folder.url("b.db");
    let error = block_on(migrate(scratch.url(), &to, cut(scratch.url()))).expect_err("cut");
    assert!(
        matches!(
            error,
            MigrateError::Store {
                side: Side::Source,
                source: StoreError::Unavailable(_),
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(rows(&folder.connect("b.db")), 0);
}

/// Stopped while it waits for a lock, so that it is certainly running.
#[cfg(unix)]
#[test]
fn a_signal_ends_it_in_order() {
    let folder = plant();
    let from = folder.url("a.db");
    let scratch = with_schema();
    for signal in ["-INT", "-TERM"] {
        let child = block_on(async {
            let client = connect(scratch.url()).await;
            let hold = "BEGIN; SELECT last FROM stamps FOR UPDATE";
            client.batch_execute(hold).await.expect("held");
            let child = obeya()
                .args(["migrate", "--from", &from, "--to", scratch.url()])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("started");
            let looking = connect(scratch.url()).await;
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
            until(&looking, waiting, 1).await;
            crate::binary::signal(&child, signal);
            client.batch_execute("ROLLBACK").await.expect("let go");
            child
        });
        let done = child.wait_with_output().expect("ended");
        assert_eq!(
            String::from_utf8(done.stderr).expect("UTF-8"),
            "error: stopped; the target is unchanged\n"
        );
        assert_eq!(done.status.code(), Some(1), "{signal}");
    }
    let report = copy(&from, scratch.url()).expect("an empty target");
    assert_eq!(report.differences, []);
}
