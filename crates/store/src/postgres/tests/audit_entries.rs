//! The audit entries of the jobs of one commit, which are written together.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::jobs::{Job, Outcome, at_once, at_once_after, refused};
use crate::audit::{Change, Filter, Origin};
use crate::writer::Sharing;
use crate::{Session, StoreError, Value, audit, erasure};

const INSERT: &str = "INSERT INTO t (a) VALUES (?1)";
const USER: &str =
    "INSERT INTO users (id, user_name, display_name) VALUES ('u-7', 'abeck', 'A. Beck')";

/// Appends an entry whose operation tells the number.
fn append(session: &mut dyn Session, number: i64, text: &str) -> Result<(), StoreError> {
    let origin = Origin {
        // NULL in some entries.
        client_id: (number % 2 == 0).then(|| format!("client {number}")),
        ..Origin::default()
    };
    let change = Change::many(format!("t/{number}"), &BTreeMap::from([("after", text)]));
    audit::append(
        session,
        number * 10,
        &origin,
        &format!("op{number}"),
        &change,
    )
}

/// A job that adds a number with its entry.
fn writes(number: i64, text: &'static str) -> (Job, Sharing) {
    let job: Job = Box::new(move |session| {
        session.execute_deferred(INSERT, &[number.into()])?;
        append(session, number, text)?;
        Ok(number)
    });
    (job, Sharing::Plain)
}

/// The same, refused afterwards.
fn is_refused(number: i64, sharing: Sharing) -> (Job, Sharing) {
    let (work, _) = writes(number, "refused");
    let job: Job = Box::new(move |session| {
        work(session)?;
        refused()
    });
    (job, sharing)
}

/// The operations of the log, with the number of each entry.
fn operations(outcome: &Outcome) -> Vec<(i64, &str)> {
    let entries = outcome.entries.iter();
    entries
        .map(|entry| (entry.number, entry.operation.as_str()))
        .collect()
}

/// Erases the user.
fn erases(sharing: Sharing, keep: bool) -> (Job, Sharing) {
    let job: Job = Box::new(move |session| {
        let erased = erasure::erase(session, "u-7", false, 99)?;
        if keep {
            Ok(erased.map_or(0, |counts| counts["auditTexts"].cast_signed()))
        } else {
            refused()
        }
    });
    (job, sharing)
}

#[test]
fn a_commit_has_the_entries_of_its_accepted_jobs_in_their_order() {
    for sharing in [Sharing::Plain, Sharing::Savepoint] {
        let outcome = at_once(vec![
            writes(1, "é \" \\ {,} NULL"),
            writes(2, "b"),
            is_refused(3, sharing),
            writes(4, ""),
            writes(5, "e"),
        ]);
        let answers = [Some(1), Some(2), None, Some(4), Some(5)];
        assert_eq!(outcome.answers(), answers);
        assert_eq!(outcome.rows, [0, 1, 2, 4, 5]);
        let expected = [(1, "op1"), (2, "op2"), (3, "op4"), (4, "op5")];
        assert_eq!(operations(&outcome), expected, "{sharing:?}");
        assert_eq!(outcome.repeated, u64::from(sharing == Sharing::Plain));
        let first = &outcome.entries[0];
        assert_eq!((first.at, &first.origin), (10, &Origin::default()));
        assert_eq!(first.record.as_deref(), Some("t/1"));
        let change = first.change.as_deref();
        assert_eq!(change, Some(r#"{"after":"é \" \\ {,} NULL"}"#));
        let client = outcome.entries[1].origin.client_id.as_deref();
        assert_eq!(client, Some("client 2"));
    }
}

#[test]
fn an_entry_alone_is_a_change_to_undo() {
    let refused_entry: Job = Box::new(|session| {
        append(session, 2, "b")?;
        refused()
    });
    let outcome = at_once(vec![
        writes(1, "a"),
        (refused_entry, Sharing::Plain),
        writes(3, "c"),
    ]);
    assert_eq!(outcome.answers(), [Some(1), None, Some(3)]);
    assert_eq!(operations(&outcome), [(1, "op1"), (2, "op3")]);
}

#[test]
fn a_write_sees_the_entries_of_its_commit_so_far() {
    let reads: Job = Box::new(|session| {
        let mut count = 0;
        audit::read(session, &Filter::default(), &mut |_| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        append(session, 7, "read")?;
        Ok(count)
    });
    let outcome = at_once(vec![
        writes(1, "a"),
        writes(2, "b"),
        (reads, Sharing::Plain),
        writes(4, "d"),
    ]);
    assert_eq!(outcome.answers(), [Some(1), Some(2), Some(2), Some(4)]);
    let expected = [(1, "op1"), (2, "op2"), (3, "op7"), (4, "op4")];
    assert_eq!(operations(&outcome), expected);
}

#[test]
fn an_erasure_finds_the_entries_of_its_own_commit() {
    for sharing in [Sharing::Plain, Sharing::Savepoint, Sharing::Isolated] {
        let jobs = vec![writes(1, "u-7"), writes(2, "b"), erases(sharing, true)];
        let outcome = at_once_after(USER, jobs);
        assert_eq!(outcome.answers(), [Some(1), Some(2), Some(1)]);
        let expected = [(1, "op1"), (2, "op2"), (3, erasure::ERASE)];
        assert_eq!(operations(&outcome), expected);
        let has_text: Vec<_> = outcome.entries.iter().map(|e| e.change.is_some()).collect();
        assert_eq!(has_text, [false, true, true], "{sharing:?}");
    }
}

/// The entries of the jobs before it were written after its savepoint.
#[test]
fn an_erasure_that_is_undone_takes_no_entries_of_other_jobs_with_it() {
    for sharing in [Sharing::Plain, Sharing::Savepoint] {
        let outcome = at_once_after(
            USER,
            vec![
                writes(1, "u-7"),
                writes(2, "b"),
                erases(sharing, false),
                writes(4, "d"),
            ],
        );
        assert_eq!(outcome.answers(), [Some(1), Some(2), None, Some(4)]);
        let expected = [(1, "op1"), (2, "op2"), (3, "op4")];
        assert_eq!(operations(&outcome), expected, "{sharing:?}");
        assert!(outcome.entries.iter().all(|entry| entry.change.is_some()));
    }
}

#[test]
fn a_commit_whose_entries_cannot_be_written_fails() {
    let forbid = "ALTER TABLE audit_entries ADD CHECK (operation <> 'op2')";
    for jobs in [vec![2], vec![1, 2, 3]] {
        let writes = jobs.iter().map(|number| writes(*number, "x")).collect();
        let outcome = at_once_after(forbid, writes);
        for answer in &outcome.answers {
            assert!(
                matches!(answer, Err(StoreError::Constraint(_))),
                "{answer:?}"
            );
        }
        assert_eq!(
            (outcome.rows.as_slice(), outcome.entries.len()),
            (&[0][..], 0)
        );
    }
}

/// The table may also be named to the fastest way of adding rows.
#[test]
fn rows_that_are_appended_to_the_log_come_after_the_entries_before_them() {
    let copies: Job = Box::new(|session| {
        let columns = ["number", "at", "operation", "hash"];
        let row = [Value::Int(3), Value::Int(0), "copied".into(), "x".into()];
        session.append("audit_entries", &columns, &row)?;
        let last = "SELECT max(number) FROM audit_entries";
        let last = session.first(last, &[], |row| row.int(0))?;
        session.execute("DELETE FROM audit_entries WHERE number = 3", &[])?;
        Ok(last.flatten().unwrap_or_default())
    });
    let outcome = at_once(vec![
        writes(1, "a"),
        writes(2, "b"),
        (copies, Sharing::Plain),
    ]);
    assert_eq!(outcome.answers(), [Some(1), Some(2), Some(3)]);
    assert_eq!(operations(&outcome), [(1, "op1"), (2, "op2")]);
}

/// Some are written before and some with the commit.
#[test]
fn large_entries_have_the_same_order() {
    let text: &'static str = "x".repeat(100 << 10).leak();
    let jobs = [Sharing::Plain, Sharing::Savepoint].map(|sharing| {
        let mut jobs: Vec<_> = (1..=7).map(|number| writes(number, text)).collect();
        jobs.insert(4, is_refused(8, sharing));
        for (_, of_job) in jobs.iter_mut().step_by(3) {
            *of_job = sharing;
        }
        jobs
    });
    for jobs in jobs {
        let outcome = at_once(jobs);
        let expected = [1, 2, 3, 4, 5, 6, 7].map(|number| format!("op{number}"));
        let found: Vec<_> = operations(&outcome).into_iter().map(|(_, op)| op).collect();
        assert_eq!(found, expected);
        assert_eq!(outcome.rows, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
