//! Prefetched queries.

use super::scratch::{Scratch, one};
use crate::connect::Connection as _;
use crate::postgres::connection::PostgresConnection;
use crate::{Session as _, StoreError, Value};

const COUNT: &str = "SELECT count(*) FROM t";
const FIND: &str = "SELECT a FROM t WHERE a = ?1";

/// A part of a transaction, over a table with the numbers 1 and 2.
fn in_part() -> (Scratch, PostgresConnection) {
    let (scratch, _, mut writer) = Scratch::migrated();
    writer
        .control("CREATE TABLE t (a bigint PRIMARY KEY)")
        .unwrap();
    writer.begin_write().unwrap();
    writer.begin_savepoint().unwrap();
    insert(&mut writer, 1);
    insert(&mut writer, 2);
    (scratch, writer)
}

fn insert(database: &mut PostgresConnection, number: i64) {
    let sql = "INSERT INTO t (a) VALUES (?1)";
    database.execute(sql, &[number.into()]).unwrap();
}

fn count(database: &mut PostgresConnection) -> Option<i64> {
    one(database, COUNT, &[]).unwrap()
}

#[test]
fn what_is_prefetched_is_answered_as_of_then_and_once() {
    let (_scratch, mut writer) = in_part();
    writer.prefetch(COUNT, &[]).unwrap();
    insert(&mut writer, 3);
    assert_eq!(count(&mut writer), Some(2));
    assert_eq!(count(&mut writer), Some(3));
}

#[test]
fn nothing_prefetched_is_waited_for() {
    let (_scratch, mut writer) = in_part();
    // Prepared first, because preparing waits for the server once per connection.
    assert_eq!(one(&mut writer, FIND, &[Value::Int(1)]).unwrap(), Some(1));
    for number in [2, 1, 7] {
        writer.prefetch(FIND, &[Value::Int(number)]).unwrap();
        assert!(writer.link.is_outstanding());
    }
    // Queried in another order, and with values that were not prefetched.
    for (number, found) in [(7, None), (1, Some(1)), (3, None), (2, Some(2))] {
        let asked = one(&mut writer, FIND, &[Value::Int(number)]).unwrap();
        assert_eq!(asked, found, "{number}");
        assert!(!writer.link.is_outstanding());
    }
}

#[test]
fn what_fails_is_reported_when_it_is_asked_for_and_undone_with_its_part() {
    let (_scratch, mut writer) = in_part();
    writer.end_savepoint(true).unwrap();
    writer.begin_savepoint().unwrap();
    insert(&mut writer, 3);
    assert_eq!(count(&mut writer), Some(3));
    let faulty = "SELECT ?1::bigint / (a - 1) FROM t";
    writer.prefetch(faulty, &[Value::Int(1)]).unwrap();
    writer.prefetch(COUNT, &[]).unwrap();
    let failed = one(&mut writer, faulty, &[Value::Int(1)]);
    assert!(matches!(failed, Err(StoreError::Data(_))), "{failed:?}");
    writer.end_savepoint(false).unwrap();
    writer.begin_savepoint().unwrap();
    assert_eq!(count(&mut writer), Some(2));
    writer.end_savepoint(true).unwrap();
    writer.commit().unwrap();
}

#[test]
fn what_nobody_asked_for_is_no_answer_to_the_next_part() {
    let (_scratch, mut writer) = in_part();
    writer.prefetch(COUNT, &[]).unwrap();
    writer.end_savepoint(true).unwrap();
    writer.begin_savepoint().unwrap();
    insert(&mut writer, 3);
    assert_eq!(count(&mut writer), Some(3));
    writer.prefetch(COUNT, &[]).unwrap();
    writer.end_savepoint(true).unwrap();
    writer.commit().unwrap();
    writer.begin_write().unwrap();
    insert(&mut writer, 4);
    assert_eq!(count(&mut writer), Some(4));
}

#[test]
fn a_read_prefetches_nothing() {
    let (scratch, mut writer) = in_part();
    writer.end_savepoint(true).unwrap();
    writer.commit().unwrap();
    let mut reader = scratch.reader();
    reader.begin_read().unwrap();
    reader.prefetch(COUNT, &[]).unwrap();
    assert!(!reader.link.is_outstanding());
    assert_eq!(count(&mut reader), Some(2));
}
