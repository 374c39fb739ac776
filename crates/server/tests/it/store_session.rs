//! The contract of a session on every engine: values, rows, bulk inserts, deferred errors, and which part of
//! a batch an error undoes.

use std::ops::ControlFlow;

use obeya_server::store::{Session, Store, StoreError, StoreOptions, Value};

use crate::store::{Waiting, add_area, areas, opened, opened_with};
use crate::support::sql::number;

/// A bigint, a double and a text, each of which may be null.
const PUT: &str = "INSERT INTO improvements (id, status, like_count, cost_of_investment, text, last_modified) VALUES (?1, 'Open', ?2, ?3, ?4, 0)";
const GET: &str = "SELECT like_count, cost_of_investment, text FROM improvements ORDER BY id";

type Stored = (Option<i64>, Option<u64>, Option<String>);

/// Writes the values into a row each, and reads them back; doubles by their bits.
async fn round_trip(store: &Store, rows: &'static [(i64, f64, &'static str)]) -> Vec<Stored> {
    let written = store.write(move |session| {
        for (id, (number, real, text)) in (1_i64..).zip(rows) {
            let binds = [id.into(), (*number).into(), (*real).into(), (*text).into()];
            session.execute(PUT, &binds)?;
        }
        Ok::<_, StoreError>(())
    });
    written.await.expect("written");
    let read = store.read(|session| {
        session.all(GET, &[], |row| {
            Ok((row.int(0)?, row.real(1)?.map(f64::to_bits), row.string(2)?))
        })
    });
    let read: Result<_, StoreError> = read.await;
    read.expect("rows")
}

#[tokio::test]
async fn values_come_back_as_they_were_put_in() {
    const ROWS: &[(i64, f64, &str)] = &[
        (i64::MIN, 0.0, ""),
        (
            i64::MAX,
            f64::MIN_POSITIVE,
            "?1 $1 'quoted' \"twice\" -- no comment",
        ),
        (-1, 5e-324, "line\nand\ttab, \\ and \u{1}"),
        (0, f64::MAX, "Målestasjon 😀 \u{10ffff} \u{feff}"),
        (1 << 31, 0.1 + 0.2, "\u{e5} and a\u{30a}"),
        (1 << 53 | 1, 9_007_199_254_740_993.0, "  spaces  "),
    ];
    let (_database, store) = opened().await;
    let expected: Vec<Stored> = ROWS
        .iter()
        .map(|(number, real, text)| {
            (
                Some(*number),
                Some(real.to_bits()),
                Some((*text).to_owned()),
            )
        })
        .collect();
    assert_eq!(round_trip(&store, ROWS).await, expected);
}

/// SQLite stores whole numbers in a column of doubles as integers, which loses the sign of a zero; answers
/// must not depend on the engine.
#[tokio::test]
async fn zero_has_no_sign() {
    let (_database, store) = opened().await;
    let rows = round_trip(&store, &[(1, -0.0, "a")]).await;
    assert_eq!(rows, [(Some(1), Some(0), Some("a".to_owned()))]);
}

#[tokio::test]
async fn what_is_no_number_is_null_and_infinity_stays() {
    let (_database, store) = opened().await;
    let rows = round_trip(
        &store,
        &[
            (1, f64::NAN, "a"),
            (2, f64::INFINITY, "b"),
            (3, f64::NEG_INFINITY, "c"),
        ],
    )
    .await;
    let reals: Vec<_> = rows.iter().map(|(_, real, _)| *real).collect();
    assert_eq!(
        reals,
        [
            None,
            Some(f64::INFINITY.to_bits()),
            Some(f64::NEG_INFINITY.to_bits())
        ]
    );
}

/// One statement's text, with values of other types each time.
#[tokio::test]
async fn a_statement_takes_other_kinds_of_values_the_next_time() {
    let (_database, store) = opened().await;
    let written = store.write(|session| {
        let values = [Value::Int(5), Value::Null, Value::Real(2.5), Value::Int(-7)];
        for (id, value) in (1_i64..).zip(values) {
            session.execute(PUT, &[id.into(), 0.into(), value, Value::Null])?;
        }
        session.all(GET, &[], |row| {
            Ok((row.real(1)?, row.value(2)? == Value::Null))
        })
    });
    let written: Result<_, StoreError> = written.await;
    assert_eq!(
        written.expect("rows"),
        [
            (Some(5.0), true),
            (None, true),
            (Some(2.5), true),
            (Some(-7.0), true)
        ]
    );
}

#[tokio::test]
async fn texts_are_ordered_by_their_code_points() {
    let (_database, store) = opened().await;
    // Ordered by code point.
    let names = [
        "", " ", "10", "9", "A", "Z", "_", "a", "aa", "z", "~", "Å", "å", "\u{ffee}", "😀",
    ];
    let sorted = store.write(move |session| {
        for (id, name) in (1_i64..).zip(names.iter().rev()) {
            add_area(session, id, name)?;
        }
        session.all("SELECT name FROM areas ORDER BY name", &[], |row| {
            row.string(0)
        })
    });
    let sorted: Result<Vec<_>, StoreError> = sorted.await;
    let sorted: Vec<String> = sorted.expect("names").into_iter().flatten().collect();
    assert_eq!(sorted, names);
}

/// The numbers from 1 to `?1`.
const NUMBERS: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) SELECT i FROM n";

/// Takes three rows of many, then something else on the same session.
fn three_and_on(session: &mut dyn Session) -> Result<(Vec<i64>, Option<i64>), StoreError> {
    let mut seen = Vec::new();
    session.query(NUMBERS, &[20_000.into()], &mut |row| {
        seen.extend(row.int(0)?);
        Ok(if seen.len() == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    let after = session.first(NUMBERS, &[1.into()], |row| row.int(0))?;
    Ok((seen, after.flatten()))
}

#[tokio::test]
async fn who_has_seen_enough_rows_gets_no_more_and_the_session_goes_on() {
    let options = StoreOptions {
        readers: 1,
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    for _ in 0..3 {
        let read = store.read(three_and_on).await;
        assert_eq!(read.expect("rows"), (vec![1, 2, 3], Some(1)));
        let written = store.write(three_and_on).await;
        assert_eq!(written.expect("rows"), (vec![1, 2, 3], Some(1)));
    }
}

#[tokio::test]
async fn a_fault_of_who_takes_the_rows_ends_the_statement_and_nothing_else() {
    let options = StoreOptions {
        readers: 1,
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    let stops = |session: &mut dyn Session| {
        session.query(NUMBERS, &[20_000.into()], &mut |row| match row.int(0)? {
            Some(100) => Err(StoreError::Data("enough".into())),
            _ => Ok(ControlFlow::Continue(())),
        })
    };
    let is_reported = |outcome: Result<(), StoreError>| matches!(outcome, Err(StoreError::Data(text)) if text == "enough");
    assert!(is_reported(store.read(stops).await));
    assert!(is_reported(store.write(stops).await));
    assert_eq!(areas(&store).await, 0);
    let added = store.write(|session| add_area(session, 1, "a")).await;
    added.expect("the writer goes on");
}

#[tokio::test]
async fn a_statement_says_how_many_rows_it_changed() {
    let (_database, store) = opened().await;
    let changed = store.write(|session| {
        for id in 1..=5 {
            add_area(session, id, "a")?;
        }
        let mut counts = Vec::new();
        for sql in [
            "UPDATE areas SET name = 'b' WHERE id <= 3",
            "UPDATE areas SET name = 'b' WHERE id > 5",
            "INSERT INTO areas (id, name) VALUES (5, 'c'), (6, 'c') ON CONFLICT (id) DO NOTHING",
            "DELETE FROM areas",
        ] {
            counts.push(session.execute(sql, &[])?);
        }
        Ok::<_, StoreError>(counts)
    });
    assert_eq!(changed.await.expect("counts"), [3, 0, 1, 6]);
}

#[tokio::test]
async fn many_rows_are_appended_at_once() {
    let (_database, store) = opened().await;
    let appended = store.write(|session| {
        let names: Vec<String> = (0..20_000).map(|at| format!("Area\t{at}\\N\n")).collect();
        let rows: Vec<Value<'_>> = (1_i64..)
            .zip(&names)
            .flat_map(|(id, name)| {
                let description = (id % 2 == 0).then_some("");
                [id.into(), name.into(), description.into()]
            })
            .collect();
        session.append("areas", &["id", "name", "description"], &rows)?;
        session.append("areas", &["id", "name", "description"], &[])
    });
    appended.await.expect("rows");
    assert_eq!(areas(&store).await, 20_000);
    for (sql, expected) in [
        ("SELECT count(*) FROM areas WHERE description = ''", 10_000),
        (
            "SELECT count(*) FROM areas WHERE description IS NULL",
            10_000,
        ),
        ("SELECT count(DISTINCT name) FROM areas", 20_000),
        (
            "SELECT sum(length(name)) FROM areas",
            10 * 9 + 90 * 10 + 900 * 11 + 9_000 * 12 + 10_000 * 13,
        ),
        (
            "SELECT count(*) FROM areas WHERE id = 12346 AND name = 'Area\t12345\\N\n'",
            1,
        ),
    ] {
        let sql = sql.replace("sum(length(name))", "CAST(sum(length(name)) AS bigint)");
        assert_eq!(number(&store, &sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn numbers_are_appended_as_they_are() {
    let (_database, store) = opened().await;
    let read = store.write(|session| {
        let numbers = [
            (i64::MIN, Value::Real(-0.0)),
            (-1, Value::Real(5e-324)),
            (0, Value::Real(f64::MAX)),
            (i64::MAX, Value::Real(0.1 + 0.2)),
            // A whole number and a fraction, in a column of doubles.
            (1, Value::Int(3)),
            (2, Value::Real(f64::NAN)),
        ];
        let rows: Vec<Value<'_>> = (1_i64..)
            .zip(numbers)
            .flat_map(|(id, (number, real))| {
                [id.into(), "Open".into(), number.into(), real, 0.into()]
            })
            .collect();
        let columns = [
            "id",
            "status",
            "like_count",
            "cost_of_investment",
            "last_modified",
        ];
        session.append("improvements", &columns, &rows)?;
        session.all(GET, &[], |row| {
            Ok((row.int(0)?, row.real(1)?.map(f64::to_bits)))
        })
    });
    let read: Result<Vec<_>, StoreError> = read.await;
    assert_eq!(
        read.expect("rows"),
        [
            (Some(i64::MIN), Some(0)),
            (Some(-1), Some(1)),
            (Some(0), Some(f64::MAX.to_bits())),
            (Some(i64::MAX), Some((0.1_f64 + 0.2).to_bits())),
            (Some(1), Some(3.0_f64.to_bits())),
            (Some(2), None),
        ]
    );
}

#[tokio::test]
async fn rows_that_break_a_rule_undo_their_job() {
    let (_database, store) = opened().await;
    let appended = store.write(|session| {
        add_area(session, 500, "before")?;
        let rows: Vec<Value<'_>> = (1..=1000_i64)
            .flat_map(|id| [Value::Int(id), Value::Text("a")])
            .collect();
        session.append("areas", &["id", "name"], &rows)
    });
    let appended = appended.await;
    assert!(
        matches!(appended, Err(StoreError::Constraint(_))),
        "{appended:?}"
    );
    assert_eq!(areas(&store).await, 0);
    let added = store.write(|session| add_area(session, 1, "a")).await;
    added.expect("the writer goes on");
}

fn send_area(session: &mut dyn Session, id: i64) -> Result<(), StoreError> {
    session.execute_deferred(
        "INSERT INTO areas (id, name) VALUES (?1, 'sent')",
        &[id.into()],
    )
}

#[tokio::test]
async fn what_is_sent_is_done_in_its_order_and_seen_by_what_follows() {
    let (_database, store) = opened().await;
    let counts = store.write(|session| {
        for id in 1..=500 {
            send_area(session, id)?;
        }
        session.execute_deferred("DELETE FROM areas WHERE id > 400", &[])?;
        session.execute_deferred("UPDATE areas SET name = 'kept' WHERE id <= 10", &[])?;
        let kept = "SELECT count(*) FROM areas WHERE name = 'kept'";
        let kept = session.first(kept, &[], |row| row.int(0))?;
        send_area(session, 1000)?;
        let deleted = session.execute("DELETE FROM areas WHERE name = 'kept'", &[])?;
        Ok::<_, StoreError>((kept.flatten(), deleted))
    });
    assert_eq!(counts.await.expect("counts"), (Some(10), 10));
    assert_eq!(areas(&store).await, 391);
}

/// The last statement of a job is deferred: its error is still reported, and undoes the job.
#[tokio::test]
async fn a_fault_that_is_reported_late_undoes_its_job() {
    let (_database, store) = opened().await;
    let sent = store.write(|session| {
        for id in 1..=100 {
            send_area(session, id)?;
        }
        send_area(session, 50)
    });
    let sent = sent.await;
    assert!(matches!(sent, Err(StoreError::Constraint(_))), "{sent:?}");
    assert_eq!(areas(&store).await, 0);
    let orphan = store.write(|session| {
        let sql = "INSERT INTO group_members (group_id, user_id) VALUES (1, 'nobody')";
        session.execute_deferred(sql, &[])
    });
    let orphan = orphan.await;
    assert!(
        matches!(orphan, Err(StoreError::Constraint(_))),
        "{orphan:?}"
    );
}

/// Every tenth job fails at once, every tenth late, and every tenth panics; they share commits with the
/// others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_in_a_batch_leave_its_other_jobs() {
    let (_database, store) = opened().await;
    let first = store.write(|session| add_area(session, 0, "taken")).await;
    first.expect("an area");
    let work = |session: &mut dyn Session, id: i64, name: &str| {
        add_area(session, id, name)?;
        match id % 10 {
            1 => add_area(session, 0, "at once"),
            2 => send_area(session, 0).map(|()| 1),
            3 => panic!("on purpose"),
            _ => Ok(1),
        }
    };
    let outcomes = Waiting::behind_a_gate(&store, work).await.outcomes().await;
    for (id, outcome) in (1_i64..).zip(outcomes) {
        match id % 10 {
            1 | 2 => assert!(
                matches!(outcome, Err(StoreError::Constraint(_))),
                "{id}: {outcome:?}"
            ),
            3 => assert!(
                matches!(outcome, Err(StoreError::Engine(_))),
                "{id}: {outcome:?}"
            ),
            _ => assert!(matches!(outcome, Ok(1)), "{id}: {outcome:?}"),
        }
    }
    let kept = "SELECT count(*) FROM areas WHERE id > 0 AND id % 10 NOT IN (1, 2, 3)";
    assert_eq!(number(&store, kept).await, 140);
    assert_eq!(areas(&store).await, 141);
}
