//! The jobs of the writer, which share a transaction without savepoints until one fails after a change.

use std::iter;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use futures_util::future;

use super::scratch::{Scratch, one, options};
use crate::postgres::audit_entries;
use crate::postgres::connection::PostgresConnection;
use crate::writer::{Sharing, Writer};
use crate::{Session, StoreError, Value, audit};

const INSERT: &str = "INSERT INTO t (a) VALUES (?1)";
const COUNT: &str = "SELECT count(*) FROM t";
const FAULTY: &str = "SELECT 1 / (a - a) FROM t";

type Change = fn(&mut dyn Session) -> Result<(), StoreError>;
pub(super) type Job = Box<dyn Fn(&mut dyn Session) -> Result<i64, StoreError> + Send>;

/// What some jobs led to.
pub(super) struct Outcome {
    pub(super) answers: Vec<Result<i64, StoreError>>,
    /// How often all of them ran again.
    pub(super) repeated: u64,
    /// The numbers in the table, in their order.
    pub(super) rows: Vec<i64>,
    /// The audit log, which verifies.
    pub(super) entries: Vec<audit::Entry>,
}

impl Outcome {
    /// The answers; `None` for each refusal.
    pub(super) fn answers(&self) -> Vec<Option<i64>> {
        let answers = self.answers.iter().map(|answer| match answer {
            Ok(value) => Some(*value),
            Err(StoreError::Data(text)) if text == "refused" => None,
            Err(error) => panic!("{error:?}"),
        });
        answers.collect()
    }
}

/// Runs jobs that are all there when the first of them begins, over a table `t` with the number 0.
pub(super) fn at_once(jobs: Vec<(Job, Sharing)>) -> Outcome {
    at_once_after("", jobs)
}

/// The same after some more statements.
pub(super) fn at_once_after(setup: &str, jobs: Vec<(Job, Sharing)>) -> Outcome {
    let (scratch, postgres, mut connection) = Scratch::migrated();
    let table = "CREATE TABLE t (a bigint PRIMARY KEY); INSERT INTO t VALUES (0)";
    connection.control(table).unwrap();
    connection.control(setup).unwrap();
    let writer = Writer::start(Arc::new(postgres), connection, &options()).unwrap();
    let (go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    // It may run again: nothing is sent any more then.
    let gate: Job = Box::new(move |_| {
        let _ = held.lock().unwrap().recv();
        Ok(0)
    });
    let sent = iter::once((gate, Sharing::Plain)).chain(jobs);
    let answers = future::join_all(sent.map(|(work, sharing)| writer.run(work, sharing)));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    // Polled for the first time, they are sent one after the other; only then is the gate opened.
    let (mut answers, ()) = runtime.block_on(future::join(answers, async { drop(go) }));
    let repeated = writer.repeated();
    runtime.block_on(writer.stop());
    let mut reader = scratch.reader();
    let session: &mut dyn Session = &mut reader;
    let rows = session.all("SELECT a FROM t ORDER BY a", &[], |row| row.int(0));
    let mut entries = Vec::new();
    audit::read(session, &audit::Filter::default(), &mut |entry| {
        entries.push(entry);
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    assert_eq!(audit::verify(session, None).unwrap().fault, None);
    Outcome {
        answers: answers.split_off(1),
        repeated,
        rows: rows.unwrap().into_iter().flatten().collect(),
        entries,
    }
}

pub(super) fn refused() -> Result<i64, StoreError> {
    Err(StoreError::Data("refused".into()))
}

/// A job that adds a number and succeeds.
fn adds(number: i64) -> (Job, Sharing) {
    let job: Job = Box::new(move |session| {
        session.execute_deferred(INSERT, &[number.into()])?;
        Ok(number)
    });
    (job, Sharing::Plain)
}

fn plain(
    job: impl Fn(&mut dyn Session) -> Result<i64, StoreError> + Send + 'static,
) -> (Job, Sharing) {
    (Box::new(job), Sharing::Plain)
}

#[test]
fn a_refusal_before_any_change_repeats_nothing() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let outcome = at_once(vec![
        plain(move |session| {
            counted.fetch_add(1, Ordering::SeqCst);
            session.execute_deferred(INSERT, &[Value::Int(1)])?;
            Ok(1)
        }),
        plain(|session| {
            session.prefetch(COUNT, &[])?;
            session.first("SELECT a FROM t", &[], |_| Ok(()))?;
            refused()
        }),
        adds(3),
    ]);
    assert_eq!(outcome.answers(), [Some(1), None, Some(3)]);
    assert_eq!((outcome.repeated, outcome.rows), (0, vec![0, 1, 3]));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// Whichever way the change was sent.
#[test]
fn a_refusal_after_a_change_is_undone_alone() {
    let changes: [Change; 4] = [
        |session| session.execute(INSERT, &[Value::Int(2)]).map(drop),
        |session| session.execute_deferred(INSERT, &[Value::Int(2)]),
        |session| {
            let insert = "INSERT INTO t (a) VALUES (?1) RETURNING a";
            session
                .first(insert, &[Value::Int(2)], |_| Ok(()))
                .map(drop)
        },
        |session| session.append("t", &["a"], &[Value::Int(2)]),
    ];
    for change in changes {
        let outcome = at_once(vec![
            adds(1),
            plain(move |session| {
                change(session)?;
                refused()
            }),
            adds(3),
        ]);
        assert_eq!(outcome.answers(), [Some(1), None, Some(3)]);
        assert_eq!((outcome.repeated, outcome.rows), (1, vec![0, 1, 3]));
    }
}

/// The server refuses every statement after one that failed, whoever sent it, and the commit.
#[test]
fn a_statement_that_failed_unnoticed_harms_no_other_job() {
    let faulty = || {
        plain(|session| {
            session.prefetch(FAULTY, &[])?;
            refused()
        })
    };
    let outcome = at_once(vec![adds(1), faulty(), adds(3)]);
    assert_eq!(outcome.answers(), [Some(1), None, Some(3)]);
    assert_eq!((outcome.repeated, outcome.rows), (1, vec![0, 1, 3]));
    let last = at_once(vec![adds(1), faulty()]);
    assert_eq!(last.answers(), [Some(1), None]);
    assert_eq!((last.repeated, last.rows), (1, vec![0, 1]));
}

#[test]
fn a_query_that_was_not_used_answers_no_other_job() {
    for is_refused in [false, true] {
        let outcome = at_once(vec![
            plain(move |session| {
                session.prefetch(COUNT, &[])?;
                if is_refused { refused() } else { Ok(0) }
            }),
            plain(|session| {
                session.execute_deferred(INSERT, &[Value::Int(2)])?;
                let count = session.first(COUNT, &[], |row| row.int(0))?;
                Ok(count.flatten().unwrap_or_default())
            }),
        ]);
        assert_eq!(outcome.answers()[1], Some(2), "refused: {is_refused}");
        assert_eq!(outcome.repeated, 0);
    }
}

#[test]
fn work_that_is_checked_late_is_undone_without_repeating_others() {
    let late: Job = Box::new(|session| {
        session.execute_deferred(INSERT, &[Value::Int(2)])?;
        refused()
    });
    let outcome = at_once(vec![adds(1), (late, Sharing::Savepoint), adds(3)]);
    assert_eq!(outcome.answers(), [Some(1), None, Some(3)]);
    assert_eq!((outcome.repeated, outcome.rows), (0, vec![0, 1, 3]));
}

/// The savepoint that is rolled back may undo what the rows were read from.
#[test]
fn a_query_of_refused_work_that_is_checked_late_answers_no_other_job() {
    let late: Job = Box::new(|session| {
        session.execute_deferred(INSERT, &[Value::Int(2)])?;
        session.prefetch(COUNT, &[])?;
        refused()
    });
    let counts = plain(|session| {
        let count = session.first(COUNT, &[], |row| row.int(0))?;
        Ok(count.flatten().unwrap_or_default())
    });
    let outcome = at_once(vec![(late, Sharing::Savepoint), counts]);
    assert_eq!(outcome.answers(), [None, Some(1)]);
    assert_eq!((outcome.repeated, outcome.rows), (0, vec![0]));
}

/// A plan that was made while the table had one row must not read all of it once it has grown.
#[test]
fn a_write_looks_rows_up_by_an_index_though_the_table_had_few_when_it_was_analysed() {
    let (_scratch, _, mut writer) = Scratch::migrated();
    let entry = "INSERT INTO audit_entries (number, at, operation, hash) VALUES (1, 0, 'x', 'x')";
    writer.control(entry).unwrap();
    writer.control("VACUUM (ANALYZE) audit_entries").unwrap();
    let plan = |writer: &mut PostgresConnection, append: &str, binds: [Value<'_>; 10]| {
        let session: &mut dyn Session = writer;
        let lines = session.all(&format!("EXPLAIN {append}"), &binds, |row| row.string(0));
        lines
            .unwrap()
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("\n")
    };
    let one_entry = (&writer as &dyn Session)
        .capabilities()
        .append_audit_entry();
    let mut entry = [Value::Text("x"); 10];
    entry[0] = Value::Int(0);
    let several = (audit_entries::APPEND, [Value::Null; 10]);
    for (append, binds) in [(one_entry, entry), several] {
        let found = plan(&mut writer, append, binds);
        assert!(
            found.contains("Index Scan Backward using audit_entries_pkey"),
            "{found}"
        );
    }
    // An import reads whole tables, for which an index is slower.
    writer.control("BEGIN").unwrap();
    for statement in (&writer as &dyn Session).capabilities().before_bulk_load() {
        writer.control(statement).unwrap();
    }
    let found = plan(&mut writer, one_entry, entry);
    writer.control("ROLLBACK").unwrap();
    assert!(found.contains("Seq Scan on audit_entries"), "{found}");
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM audit_entries", &[]).unwrap(),
        Some(1)
    );
}
