//! Bound values, result rows, and the state after a statement.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use obeya_odata::functions::ScalarError;

use super::scratch::{Scratch, connect, one, options};
use crate::caller::caller;
use crate::connect::Connection as _;
use crate::postgres::server::Role;
use crate::{Session, StoreError, StoreOptions, Value, WriteFault};

#[test]
fn values_go_in_and_come_out_as_they_are() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let sql = "SELECT ?1::text, ?2::bigint, ?3::double precision, ?4::text, 7, 'nan'::float8, sum(?2::bigint), true";
    let binds = [
        Value::Null,
        Value::Int(i64::MIN),
        Value::Real(-0.5),
        Value::Text("Åpent"),
    ];
    let mut seen = 0;
    reader
        .query(sql, &binds, &mut |row| {
            assert_eq!(
                (row.int(0)?, row.real(0)?, row.text(0)?),
                (None, None, None)
            );
            assert_eq!(row.int(1)?, Some(i64::MIN));
            assert_eq!(row.real(2)?, Some(-0.5));
            assert_eq!(row.text(3)?, Some("Åpent"));
            assert_eq!((row.int(4)?, row.real(4)?), (Some(7), Some(7.0)));
            assert_eq!(row.real(5)?, None, "SQLite has no such number");
            assert_eq!(row.int(6)?, Some(i64::MIN), "a sum of integers");
            assert_eq!(row.int(7)?, Some(1));
            assert_eq!(row.value(0)?, Value::Null);
            assert_eq!(row.value(1)?, Value::Int(i64::MIN));
            assert_eq!(row.value(2)?, Value::Real(-0.5));
            assert_eq!(row.value(3)?, Value::Text("Åpent"));
            assert!(row.int(2).is_err() && row.int(3).is_err() && row.text(1).is_err());
            assert!(row.int(8).is_err() && row.int(usize::MAX).is_err());
            seen += 1;
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(seen, 1);
}

#[test]
fn numbers_with_a_point_and_integers_of_other_widths_fit_or_are_refused() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let session: &mut dyn Session = &mut reader;
    for (text, real) in [
        ("0", 0.0),
        ("-12345.0625", -12345.0625),
        ("0.00001", 0.00001),
        ("100000000", 1e8),
        ("120000.5", 120_000.5),
    ] {
        let sql = format!("SELECT {text}::numeric");
        let found = session.first(&sql, &[], |row| row.real(0)).unwrap();
        assert_eq!(found, Some(Some(real)), "{text}");
    }
    for value in [0, 1, -1, 9_999, 10_000, i64::MAX, i64::MIN] {
        let found = session.first(
            "SELECT ?1::numeric, ?1::numeric::text",
            &[value.into()],
            |row| Ok((row.int(0)?, row.string(1)?)),
        );
        assert_eq!(found.unwrap(), Some((Some(value), Some(value.to_string()))));
    }
    assert!(one(&mut reader, "SELECT ?1::int", &[Value::Int(1 << 31)]).is_err());
    assert!(one(&mut reader, "SELECT ?1::int", &[Value::Text("1")]).is_err());
    assert!(
        one(&mut reader, "SELECT ?1::int", &[]).is_err(),
        "a value is missing"
    );
    assert_eq!(
        one(&mut reader, "SELECT ?1::int", &[Value::Int(3)]).unwrap(),
        Some(3)
    );
}

#[test]
fn rows_that_nobody_wants_any_more_leave_nothing_to_the_next_statement() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    for rows in [1, 10, 1_000, 100_000] {
        let mut seen = 0;
        let sql = "SELECT n, repeat('x', 100) FROM generate_series(1, ?1::bigint) AS n";
        reader
            .query(sql, &[rows.into()], &mut |_| {
                seen += 1;
                Ok(ControlFlow::Break(()))
            })
            .unwrap();
        assert_eq!(seen, 1);
        assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
    }
}

#[test]
fn an_answer_without_an_end_is_stopped_when_nobody_wants_it() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let begun = Instant::now();
    // Some hundred seconds' worth of rows.
    let sql = "SELECT repeat('x', 1000), generate_series(1, 100000000)";
    reader
        .query(sql, &[], &mut |_| Ok(ControlFlow::Break(())))
        .unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
    let failed = reader.query(sql, &[], &mut |_| Err(StoreError::Data("enough".into())));
    assert!(matches!(failed, Err(StoreError::Data(text)) if text == "enough"));
    assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
}

#[test]
fn a_panic_of_the_callback_leaves_nothing_to_the_next_statement() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        reader.query(
            "SELECT n FROM generate_series(1, 1000) AS n",
            &[],
            &mut |_| panic!("a callback"),
        )
    }));
    assert!(caught.is_err());
    assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
}

#[test]
fn a_statement_ends_with_its_time() {
    let scratch = Scratch::new();
    let options = StoreOptions {
        statement_budget: Duration::from_millis(50),
        ..options()
    };
    let mut reader = connect(&scratch.url, Role::Reader, &options).unwrap();
    let ended = one(&mut reader, "SELECT 1 FROM pg_sleep(60)", &[]);
    assert!(matches!(ended, Err(StoreError::Timeout)));
    assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
}

#[test]
fn a_connection_that_takes_over_has_the_caller_of_the_lost_one() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let (waits, caller) = caller();
    reader.set_caller(Some(caller));
    reader.link.end("for the test".into());
    drop(waits);
    let stopped = one(&mut reader, "SELECT 1 FROM pg_sleep(1)", &[]);
    assert!(matches!(stopped, Err(StoreError::Timeout)), "{stopped:?}");
}

/// Each counted connection makes what is cached of the views before it stale.
#[test]
fn a_connection_that_only_looks_is_not_counted() {
    let scratch = Scratch::new();
    let options = StoreOptions {
        server_check: Duration::ZERO,
        ..options()
    };
    let mut poll = connect(&scratch.url, Role::Poll, &options).unwrap();
    for _ in 0..2 {
        assert_eq!(one(&mut poll, "SELECT 5", &[]).unwrap(), Some(5));
        assert_eq!(poll.server.opened(), 1);
    }
}

#[test]
fn more_statements_than_are_kept_can_be_used_in_turn() {
    let scratch = Scratch::new();
    let options = StoreOptions {
        cached_statements: 1,
        ..options()
    };
    let mut reader = connect(&scratch.url, Role::Reader, &options).unwrap();
    for round in 0..3 {
        for number in 0..10 {
            let sql = format!("SELECT {number} + ?1::bigint");
            let found = one(&mut reader, &sql, &[round.into()]).unwrap();
            assert_eq!(found, Some(number + i64::from(round)));
        }
    }
    let numbers = [101, 102, 103, 104, 101];
    for number in numbers {
        one(&mut reader, &format!("SELECT {number}"), &[]).unwrap();
    }
    // Four are cached, including this one; the least recently used one was evicted.
    let sum = "SELECT sum(right(statement, 3)::bigint) FROM pg_prepared_statements WHERE statement LIKE 'SELECT 1__'";
    assert_eq!(one(&mut reader, sum, &[]).unwrap(), Some(101 + 103 + 104));
}

#[test]
fn a_long_statement_is_not_cached() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let cached = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT 7%'";
    for (spaces, expected) in [(100_000, 0), (90_000, 1)] {
        let sql = format!("SELECT 7{}", " ".repeat(spaces));
        for _ in 0..2 {
            assert_eq!(one(&mut reader, &sql, &[]).unwrap(), Some(7));
        }
        assert_eq!(one(&mut reader, cached, &[]).unwrap(), Some(expected));
    }
}

#[test]
fn a_statement_whose_table_was_changed_meanwhile_is_prepared_anew() {
    let scratch = Scratch::new();
    let (mut reader, mut writer) = (scratch.reader(), scratch.writer());
    writer
        .control("CREATE TABLE t (a bigint); INSERT INTO t VALUES (4)")
        .unwrap();
    assert_eq!(one(&mut reader, "SELECT * FROM t", &[]).unwrap(), Some(4));
    writer.control("ALTER TABLE t ADD b bigint").unwrap();
    assert_eq!(one(&mut reader, "SELECT * FROM t", &[]).unwrap(), Some(4));
}

#[test]
fn what_reads_cannot_write() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let refused = reader.execute("CREATE TABLE t (a bigint)", &[]);
    assert!(matches!(refused, Err(StoreError::NotWritable(_, text)) if text.contains("read-only")));
}

#[test]
fn rows_are_appended_as_their_columns_types_want_them() {
    let scratch = Scratch::new();
    let mut writer = scratch.writer();
    writer
        .control("CREATE TABLE t (a bigint NOT NULL, b double precision, c text COLLATE \"C\", d bigint DEFAULT 9)")
        .unwrap();
    let mut values = Vec::new();
    for number in 0..5_000_i64 {
        // A whole number for a column of doubles, as the callers bind it.
        values.extend([
            Value::Int(number),
            Value::Int(number * 2),
            Value::Text("a\tb\\N\n"),
        ]);
    }
    writer.append("t", &["a", "b", "c"], &values).unwrap();
    let sql = "SELECT count(*) FROM t WHERE b = a * 2 AND c = ?1 AND d = 9";
    let found = one(&mut writer, sql, &[Value::Text("a\tb\\N\n")]).unwrap();
    assert_eq!(found, Some(5_000));
    let refused = writer.append("t", &["a"], &[Value::Int(1), Value::Null]);
    assert!(matches!(refused, Err(StoreError::Constraint(_))));
    let refused = writer.append("t", &["a"], &[Value::Text("1")]);
    assert!(matches!(refused, Err(StoreError::Engine(_))));
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM t", &[]).unwrap(),
        Some(5_000)
    );
}

#[test]
fn what_the_server_says_is_sorted_by_its_code() {
    let scratch = Scratch::new();
    let mut writer = scratch.writer();
    let mut raised = |code: &str| {
        let raise =
            format!("DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '{code}'; END $$");
        writer.execute(&raise, &[]).unwrap_err()
    };
    for code in [
        "53200", "53300", "57P03", "08006", "58000", "42501", "55P03", "40001",
    ] {
        let error = raised(code);
        assert!(
            matches!(&error, StoreError::Unavailable(text) if text.contains("as asked")),
            "{code}: {error:?}"
        );
    }
    for (code, expected) in [
        ("53100", WriteFault::DiskFull),
        ("58030", WriteFault::DiskFailure),
        ("25006", WriteFault::Standby),
    ] {
        let error = raised(code);
        assert!(
            matches!(&error, StoreError::NotWritable(fault, text) if *fault == expected && text.contains("as asked")),
            "{code}: {error:?}"
        );
    }
    for code in ["23505", "23503", "23514", "23502"] {
        assert!(matches!(raised(code), StoreError::Constraint(_)), "{code}");
    }
    for code in ["54000", "54001", "54011"] {
        assert!(matches!(raised(code), StoreError::Limit(_)), "{code}");
    }
    for code in ["42P01", "3F000"] {
        assert!(matches!(raised(code), StoreError::Schema(_)), "{code}");
    }
    for code in ["42601", "XX000", "P0001", "0A000"] {
        assert!(matches!(raised(code), StoreError::Engine(_)), "{code}");
    }
    assert!(matches!(raised("57014"), StoreError::Timeout));
    // The same messages as those of SQLite.
    for (code, fault) in [
        ("22012", ScalarError::DivisionByZero),
        ("22003", ScalarError::OutOfRange),
        ("22011", ScalarError::NegativeLength),
    ] {
        assert!(
            matches!(raised(code), StoreError::Data(text) if text == fault.to_string()),
            "{code}"
        );
    }
    assert!(writer.take_conflict(), "40001 was among them");
}

#[test]
fn a_commit_is_on_disk_whatever_the_server_does_for_others() {
    let scratch = Scratch::new();
    let setting = "SELECT (current_setting('synchronous_commit') = ?1)::int";
    for (theirs, ours) in [
        ("off", "on"),
        ("on", "on"),
        ("remote_apply", "remote_apply"),
    ] {
        let url = format!("{}%20-c%20synchronous_commit%3D{theirs}", scratch.url);
        let mut writer = connect(&url, Role::Writer, &options()).unwrap();
        assert_eq!(
            one(&mut writer, setting, &[ours.into()]).unwrap(),
            Some(1),
            "{theirs}"
        );
    }
}

#[test]
fn whoever_vanished_is_noticed_by_the_server_within_a_minute() {
    let scratch = Scratch::new();
    let mut writer = scratch.writer();
    let setting = "SELECT extract(epoch FROM current_setting(?1)::interval)::bigint";
    for name in ["tcp_keepalives_idle", "idle_in_transaction_session_timeout"] {
        let seconds = one(&mut writer, setting, &[name.into()]).unwrap();
        assert!((1..=60).contains(&seconds.unwrap()), "{name}: {seconds:?}");
    }
}
