//! Snapshots, the writer lock, savepoints, and errors of pipelined statements.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use obeya_testkit::postgres::{Cluster, Shutdown};

use super::scratch::{PASSWORD, Scratch, connect, one, options, process, until, url};
use crate::connect::{Connect as _, Connection as _, Work};
use crate::postgres::Postgres;
use crate::postgres::connection::PostgresConnection;
use crate::postgres::server::Role;
use crate::{Session as _, StoreError, StoreOptions, Value, View};

const COUNT: &str = "SELECT count(*) FROM t";
const INSERT: &str = "INSERT INTO t (a) VALUES (?1)";

/// The program's schema, and a table for the test.
fn with_table() -> (Scratch, PostgresConnection) {
    let (scratch, _, mut writer) = Scratch::migrated();
    writer
        .control("CREATE TABLE t (a bigint PRIMARY KEY)")
        .unwrap();
    (scratch, writer)
}

fn insert(database: &mut PostgresConnection, number: i64) -> Result<u64, StoreError> {
    database.execute(INSERT, &[number.into()])
}

#[test]
fn a_snapshot_sees_what_was_when_it_first_looked() {
    let (scratch, mut writer) = with_table();
    let mut reader = scratch.reader();
    reader.begin_read().unwrap();
    assert_eq!(one(&mut reader, COUNT, &[]).unwrap(), Some(0));
    insert(&mut writer, 1).unwrap();
    assert_eq!(one(&mut reader, COUNT, &[]).unwrap(), Some(0));
    reader.end_read().unwrap();
    assert_eq!(one(&mut reader, COUNT, &[]).unwrap(), Some(1));
}

#[test]
fn the_server_hears_of_the_end_of_a_snapshot_at_once() {
    let (scratch, mut writer) = with_table();
    let mut reader = scratch.reader();
    let number = process(&mut reader);
    reader.begin_read().unwrap();
    one(&mut reader, COUNT, &[]).unwrap();
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = ?1 AND state = 'idle'";
    assert_eq!(one(&mut writer, sql, &[number.into()]).unwrap(), Some(0));
    reader.end_read().unwrap();
    until(|| one(&mut writer, sql, &[number.into()]).unwrap() == Some(1));
}

#[test]
fn what_is_committed_stays_and_what_is_rolled_back_does_not() {
    let (scratch, mut writer) = with_table();
    let mut reader = scratch.reader();
    writer.begin_write().unwrap();
    assert!(writer.is_in_transaction());
    insert(&mut writer, 1).unwrap();
    assert_eq!(one(&mut reader, COUNT, &[]).unwrap(), Some(0));
    writer.commit().unwrap();
    assert!(!writer.is_in_transaction());
    assert_eq!(one(&mut reader, COUNT, &[]).unwrap(), Some(1));
    writer.begin_write().unwrap();
    insert(&mut writer, 2).unwrap();
    writer.roll_back().unwrap();
    assert_eq!(one(&mut reader, COUNT, &[]).unwrap(), Some(1));
}

#[test]
fn a_part_that_failed_is_undone_alone() {
    let (_scratch, mut writer) = with_table();
    writer.begin_write().unwrap();
    for (number, keep) in [(1, true), (2, false), (3, true)] {
        writer.begin_savepoint().unwrap();
        insert(&mut writer, number).unwrap();
        if number == 2 {
            let again = insert(&mut writer, 1);
            assert!(matches!(again, Err(StoreError::Constraint(_))));
        }
        writer.end_savepoint(keep).unwrap();
    }
    writer.commit().unwrap();
    assert_eq!(
        one(&mut writer, "SELECT sum(a) FROM t", &[]).unwrap(),
        Some(4)
    );
}

#[test]
fn what_is_sent_is_done_in_order_and_its_error_is_reported_before_anything_is_kept() {
    let (_scratch, mut writer) = with_table();
    writer.begin_write().unwrap();
    writer.begin_savepoint().unwrap();
    // More than the most outstanding answers.
    for number in 0..1_000_i64 {
        writer.execute_deferred(INSERT, &[number.into()]).unwrap();
    }
    writer
        .execute_deferred("UPDATE t SET a = a + ?1", &[Value::Int(10_000)])
        .unwrap();
    assert_eq!(
        one(&mut writer, "SELECT min(a) FROM t", &[]).unwrap(),
        Some(10_000)
    );
    writer.await_pending().unwrap();
    writer.end_savepoint(true).unwrap();

    writer.begin_savepoint().unwrap();
    writer.execute_deferred(INSERT, &[Value::Int(1)]).unwrap();
    writer.execute_deferred(INSERT, &[Value::Int(1)]).unwrap();
    assert!(matches!(
        writer.await_pending(),
        Err(StoreError::Constraint(_))
    ));
    writer.end_savepoint(false).unwrap();

    writer.begin_savepoint().unwrap();
    writer.execute_deferred(INSERT, &[Value::Int(2)]).unwrap();
    writer.execute_deferred(INSERT, &[Value::Int(2)]).unwrap();
    let answer = one(&mut writer, COUNT, &[]);
    assert!(
        matches!(answer, Err(StoreError::Constraint(_))),
        "not that the transaction had failed"
    );
    assert!(
        writer.await_pending().is_err(),
        "the part can only be undone"
    );
    writer.end_savepoint(false).unwrap();
    writer.commit().unwrap();
    assert_eq!(one(&mut writer, COUNT, &[]).unwrap(), Some(1_000));
}

#[test]
fn an_error_that_was_not_reported_is_reported_by_the_commit_which_keeps_nothing() {
    let (_scratch, mut writer) = with_table();
    writer.begin_write().unwrap();
    writer.execute_deferred(INSERT, &[Value::Int(1)]).unwrap();
    writer.execute_deferred(INSERT, &[Value::Int(1)]).unwrap();
    assert!(matches!(writer.commit(), Err(StoreError::Constraint(_))));
    assert!(!writer.is_in_transaction() && !writer.is_lost());
    assert_eq!(one(&mut writer, COUNT, &[]).unwrap(), Some(0));
    // The server would also answer this commit without an error.
    writer.begin_write().unwrap();
    insert(&mut writer, 1).unwrap();
    assert!(insert(&mut writer, 1).is_err());
    assert!(writer.commit().is_err());
    assert_eq!(one(&mut writer, COUNT, &[]).unwrap(), Some(0));
}

#[test]
fn a_constraint_that_is_looked_at_last_fails_the_commit() {
    let (_scratch, mut writer) = with_table();
    writer
        .control("CREATE TABLE u (a bigint REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        .unwrap();
    writer.begin_write().unwrap();
    writer
        .execute("INSERT INTO u VALUES (?1)", &[Value::Int(9)])
        .unwrap();
    assert!(matches!(writer.commit(), Err(StoreError::Constraint(_))));
    assert!(!writer.is_in_transaction());
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM u", &[]).unwrap(),
        Some(0)
    );
}

#[test]
fn writers_take_turns_and_one_that_waits_in_vain_says_so() {
    let (scratch, mut first) = with_table();
    let options = StoreOptions {
        busy_timeout: Duration::from_millis(100),
        ..options()
    };
    let mut second = connect(&scratch.url, Role::Writer, &options).unwrap();
    first.begin_write().unwrap();
    insert(&mut first, 1).unwrap();
    let begun = Instant::now();
    let waited = second.begin_write();
    assert!(
        matches!(waited, Err(StoreError::Unavailable(_))),
        "{waited:?}"
    );
    assert!(begun.elapsed() >= Duration::from_millis(100));
    assert!(!second.is_in_transaction() && !second.is_lost());
    first.commit().unwrap();
    second.begin_write().unwrap();
    assert_eq!(one(&mut second, COUNT, &[]).unwrap(), Some(1));
    second.commit().unwrap();
}

#[test]
fn a_conflict_is_distinguished_from_other_failures() {
    let (scratch, mut first) = with_table();
    let mut second = scratch.writer();
    first.control("INSERT INTO t VALUES (1), (2)").unwrap();
    let change = "UPDATE t SET a = a WHERE a = ?1";
    // A deadlock, of which the server ends one side. Without the writer lock, which would prevent it.
    first.control("BEGIN").unwrap();
    second.control("BEGIN").unwrap();
    first.execute(change, &[Value::Int(1)]).unwrap();
    second.execute(change, &[Value::Int(2)]).unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.execute(change, &[Value::Int(1)]).is_err());
        let one = first.execute(change, &[Value::Int(2)]).is_err();
        // Releases the locks that `second` may wait for.
        first.control("ROLLBACK").unwrap();
        assert!(other.join().unwrap() != one);
    });
    assert!(first.take_conflict() != second.take_conflict());
    assert!(
        !first.take_conflict() && !second.take_conflict(),
        "asked once"
    );
    second.control("ROLLBACK").unwrap();
    assert!(insert(&mut first, 1).is_err());
    assert!(!first.take_conflict());
}

#[test]
fn equal_views_are_equal_data() {
    // On a separate server without other writers, because a view covers the whole server.
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&["autovacuum=off"]);
    let (postgres, mut writer) = Postgres::open(&url(&cluster, ""), &options()).unwrap();
    writer
        .control("CREATE TABLE t (a bigint PRIMARY KEY)")
        .unwrap();
    let mut reader = postgres.reader(Work::Long).unwrap();
    let look = |reader: &mut PostgresConnection| {
        reader.begin_read().unwrap();
        let view = reader.view().unwrap();
        let count = one(reader, COUNT, &[]).unwrap();
        reader.end_read().unwrap();
        (view, count.unwrap())
    };
    let each = reader.view().unwrap();
    assert_eq!(each, None, "each statement sees a state of its own");
    let mut other = postgres.reader(Work::Long).unwrap();
    let mut before = look(&mut reader);
    assert!(before.0.is_some());
    for number in 1..10 {
        insert(&mut writer, number).unwrap();
        let after = look(&mut reader);
        assert_eq!(after.1, number);
        assert_ne!(after.0, before.0);
        assert_eq!(look(&mut reader), after);
        assert_eq!(look(&mut other), after, "on whichever connection");
        before = after;
    }
    // A view does not include uncommitted changes. While an earlier transaction runs, there is no view.
    writer.begin_write().unwrap();
    insert(&mut writer, 100).unwrap();
    assert_eq!(look(&mut reader), before);
    let mut second = postgres.writer().unwrap();
    insert(&mut second, 101).unwrap();
    assert_eq!(look(&mut reader), (None, before.1 + 1));
    writer.commit().unwrap();
    let kept = look(&mut reader);
    assert_eq!(kept.1, before.1 + 2);
    assert!(kept.0.is_some() && kept.0 != before.0);

    // After a lost connection, the address may belong to another server.
    let ended = process(&mut reader);
    let end = "SELECT pg_terminate_backend(?1, 10000)::int";
    assert_eq!(one(&mut writer, end, &[ended.into()]).unwrap(), Some(1));
    let renewed = look(&mut reader);
    assert_eq!(renewed.1, kept.1);
    let version = |look: (Option<View>, i64)| look.0.map(|view| view.version);
    assert_eq!(version(renewed), version(kept));
    assert_ne!(renewed.0, kept.0);

    // A restarted server counts as another one, also for a new connection.
    cluster.stop(Shutdown::Fast);
    cluster.start(&["autovacuum=off"]);
    let mut other = postgres.reader(Work::Long).unwrap();
    let elsewhere = look(&mut other);
    assert_eq!(elsewhere.1, kept.1);
    assert_ne!(elsewhere.0.unwrap().reader, renewed.0.unwrap().reader);
}

#[test]
fn no_view_from_before_a_crash_is_seen_again_after_it() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&["autovacuum=off"]);
    let (postgres, mut writer) = Postgres::open(&url(&cluster, ""), &options()).unwrap();
    let victim = process(&mut writer).to_string();
    // First, so that the engine has not noticed a lost connection before.
    let mut watcher = postgres.writer().unwrap();
    let mut kept = postgres.reader(Work::Long).unwrap();
    let started = "SELECT extract(epoch FROM pg_postmaster_start_time())::bigint";
    let look = |reader: &mut PostgresConnection| {
        reader.begin_read().unwrap();
        let view = reader.view().unwrap();
        reader.end_read().unwrap();
        view.expect("nobody writes")
    };
    let server = one(&mut kept, started, &[]).unwrap();
    let before = look(&mut kept);
    // The server ends all its processes and recovers; its start time does not change.
    let killed = std::process::Command::new("kill")
        .args(["-9", &victim])
        .status();
    assert!(killed.unwrap().success());
    until(|| one(&mut watcher, "SELECT 5", &[]).is_err());
    // Not through the reader's connection, which would notice that it was lost.
    let mut opened = None;
    until(|| {
        opened = postgres.reader(Work::Long).ok();
        opened.is_some()
    });
    let mut opened = opened.unwrap();
    assert_eq!(one(&mut opened, started, &[]).unwrap(), server);
    let after = look(&mut opened);
    assert_ne!(after.reader, before.reader);
    // A connection that is replaced during the read also counts.
    assert_ne!(look(&mut kept).reader, before.reader);
    assert_ne!(look(&mut kept).reader, after.reader);
}

#[test]
fn the_engine_gives_connections_that_read_and_that_write() {
    let (_scratch, postgres, writer) = Scratch::migrated();
    drop(writer);
    let mut reader = postgres.reader(Work::Point).unwrap();
    reader.begin_read().unwrap();
    reader
        .query("SELECT last FROM stamps", &[], &mut |_| {
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    reader.end_read().unwrap();
    let mut writer = postgres.writer().unwrap();
    writer.begin_write().unwrap();
    writer.commit().unwrap();
}

#[test]
fn a_commit_of_which_the_server_says_that_it_does_not_know_is_uncertain() {
    for code in ["40003", "08007"] {
        let (_scratch, mut writer) = with_table();
        let raise = format!(
            "CREATE FUNCTION unknown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '{code}'; END $$; \
             CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION unknown()"
        );
        writer.control(&raise).unwrap();
        writer.begin_write().unwrap();
        insert(&mut writer, 1).unwrap();
        let committed = writer.commit();
        assert!(
            matches!(&committed, Err(StoreError::Uncertain(text)) if text.contains("lost")),
            "{code}: {committed:?}"
        );
    }
}

#[test]
fn a_statement_of_the_writer_that_became_stale_is_prepared_anew_when_its_jobs_run_again() {
    let (scratch, mut writer) = with_table();
    let look = "SELECT * FROM t";
    one(&mut writer, look, &[]).unwrap();
    scratch
        .writer()
        .control("ALTER TABLE t ALTER a TYPE int")
        .unwrap();
    writer.begin_write().unwrap();
    writer.begin_savepoint().unwrap();
    // It is not awaited, so its text is unknown when it fails.
    writer.prefetch(look, &[]).unwrap();
    assert!(writer.await_pending().is_err());
    writer.end_savepoint(false).unwrap();
    assert!(writer.take_conflict());
    writer.roll_back().unwrap();
    writer.begin_write().unwrap();
    writer.prefetch(look, &[]).unwrap();
    writer.await_pending().unwrap();
    writer.roll_back().unwrap();
}

#[test]
fn a_writer_stops_nothing_as_that_could_meet_its_next_statement() {
    let (_scratch, mut writer) = with_table();
    writer.begin_write().unwrap();
    let many = "SELECT repeat('x', 1000) FROM generate_series(1, 100000)";
    let refused = writer.query(many, &[], &mut |_| Err(StoreError::Data("enough".into())));
    assert!(matches!(refused, Err(StoreError::Data(_))));
    assert_eq!(insert(&mut writer, 1).unwrap(), 1);
    writer.commit().unwrap();
}
