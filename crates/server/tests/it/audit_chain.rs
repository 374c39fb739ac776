//! The chain of the audit log: every change of it by another way is found.

use std::sync::Arc;

use obeya_server::store::audit::{
    Entry, Fault, FaultKind, Filter, Verified, expire, expire_some, verify,
};
use obeya_server::store::{Dialect, Session, Store, StoreError};
use serde_json::json;
use tokio::task::JoinSet;

use crate::audit::{entries, verified};
use crate::incidents_plant::plant;
use crate::support::{START, Service};

/// A service with ten entries more than those of its start, which are two.
async fn written() -> Service {
    let service = plant().await;
    for round in 0..10 {
        service.clock.advance(60);
        let body = json!(format!("c{round}9"));
        let path = format!("/v1/Incidents/{}/externalId", 100 + round % 2);
        assert_eq!(service.put(&path, &body).await.status, 200);
    }
    assert_eq!(verified(service.store(), None).await.entries, 12);
    service
}

/// How a log with changes is left: as it was before them.
#[derive(Debug)]
struct Undone(Result<Verified, StoreError>);

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Undone(Err(error))
    }
}

/// The log after these statements, verified in their transaction, which is then undone.
async fn after(
    store: &Store,
    statements: &[&str],
    noted: Option<(i64, String)>,
) -> Result<Verified, StoreError> {
    let statements: Vec<String> = statements.iter().map(|sql| (*sql).to_owned()).collect();
    let work = move |session: &mut dyn Session| {
        for sql in &statements {
            session.execute(sql, &[])?;
        }
        Err::<(), _>(Undone(verify(session, noted.as_ref())))
    };
    store.write(work).await.expect_err("it is undone").0
}

/// The first fault after these statements by somebody with all rights on the database.
async fn fault(store: &Store, statements: &[&str], noted: Option<(i64, String)>) -> Option<Fault> {
    let drop = match store.dialect() {
        Dialect::Postgres => "DROP TRIGGER audit_entries_unchanged ON audit_entries",
        _ => "DROP TRIGGER audit_entries_unchanged",
    };
    let verified = after(store, &[&[drop], statements].concat(), noted).await;
    verified.expect("the log is read").fault
}

#[tokio::test]
async fn no_statement_changes_an_entry() {
    let service = written().await;
    let update = async |set: &str| {
        let sql = format!("UPDATE audit_entries SET {set} WHERE number = 5");
        after(service.store(), &[&sql], None).await
    };
    for set in [
        "at = 1",
        "client_id = NULL",
        "change = '{}'",
        "digest = 'x'",
        "hash = 'x'",
        "number = 77",
        "record = 'incidents/1'",
        "operation = 'x', change = NULL, salt = NULL",
    ] {
        assert!(update(set).await.is_err(), "{set}");
    }
    // Except that its text is erased, which the chain does not notice.
    let verified = update("change = NULL, salt = NULL").await.expect("erased");
    assert_eq!((verified.fault, verified.erased), (None, 1));
}

#[tokio::test]
async fn what_was_changed_is_found_at_its_first_entry() {
    use FaultKind::{Hash, Missing, Text};
    let service = written().await;
    for (statement, number, kind) in [
        (
            "UPDATE audit_entries SET at = at + 1 WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET client_id = 'x' WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET client_id = NULL WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET address = '10.0.0.1' WHERE number = 12",
            12,
            Hash,
        ),
        (
            "UPDATE audit_entries SET operation = 'x' WHERE number = 1",
            1,
            Hash,
        ),
        (
            "UPDATE audit_entries SET record = 'x' WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET request_id = 'x' WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET digest = 'x', change = NULL, salt = NULL WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET hash = 'x' WHERE number = 5",
            5,
            Hash,
        ),
        (
            "UPDATE audit_entries SET change = '{}' WHERE number = 5",
            5,
            Text,
        ),
        (
            "UPDATE audit_entries SET salt = NULL WHERE number = 5",
            5,
            Text,
        ),
        ("DELETE FROM audit_entries WHERE number = 5", 5, Missing),
        (
            "DELETE FROM audit_entries WHERE number IN (1, 2, 3)",
            3,
            Missing,
        ),
        (
            "INSERT INTO audit_entries (number, at, operation, hash) VALUES (13, 1, 'x', 'x')",
            13,
            Hash,
        ),
    ] {
        let found = fault(service.store(), &[statement], None).await;
        assert_eq!(found, Some(Fault { number, kind }), "{statement}");
    }
    assert_eq!(verified(service.store(), None).await.fault, None);
}

#[tokio::test]
async fn entries_in_another_order_are_found() {
    let service = written().await;
    let swap = [
        "UPDATE audit_entries SET number = 1000 WHERE number = 5",
        "UPDATE audit_entries SET number = 5 WHERE number = 6",
        "UPDATE audit_entries SET number = 6 WHERE number = 1000",
    ];
    let kind = FaultKind::Hash;
    let found = fault(service.store(), &swap, None).await;
    assert_eq!(found, Some(Fault { number: 5, kind }));
}

/// That the end was removed, or the whole chain computed anew, is seen only by who noted an entry before.
#[tokio::test]
async fn a_noted_entry_shows_what_the_chain_cannot() {
    let service = written().await;
    let store = service.store();
    let noted = verified(store, None).await.last;
    assert_eq!(verified(store, noted.clone()).await.fault, None);
    let other = noted
        .clone()
        .map(|(number, _)| (number - 1, "x".to_owned()));
    let (number, kind) = (11, FaultKind::Other);
    assert_eq!(
        verified(store, other).await.fault,
        Some(Fault { number, kind })
    );
    let cut = ["DELETE FROM audit_entries WHERE number > 10"];
    assert_eq!(fault(store, &cut, None).await, None);
    let kind = FaultKind::Missing;
    assert_eq!(
        fault(store, &cut, noted).await,
        Some(Fault { number, kind })
    );
}

#[tokio::test]
async fn retention_removes_the_oldest_and_leaves_an_anchor() {
    let service = written().await;
    let minutes = |minutes: i64| (START + 60 * minutes) * 10_000_000;
    let now = minutes(10);
    let before = entries(service.store(), Filter::default()).await;
    // Entries 1 and 2 are of the start, entry 2 + n of minute n.
    assert_eq!(
        expire(service.store(), minutes(0), now).await.expect("run"),
        0
    );
    let some = service
        .store()
        .write(move |session| expire_some(session, minutes(4), now, 2));
    let some: Result<_, StoreError> = some.await;
    assert_eq!(some.expect("run"), 2);
    assert_eq!(
        expire(service.store(), minutes(4), now).await.expect("run"),
        3
    );
    let remaining = entries(service.store(), Filter::default()).await;
    let numbers: Vec<i64> = remaining.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, (6..=14).collect::<Vec<_>>());
    let checked = verified(service.store(), None).await;
    assert_eq!(
        (checked.fault, checked.first, checked.entries),
        (None, Some(6), 9)
    );
    // The log goes on.
    assert_eq!(
        service
            .put("/v1/Incidents/100/externalId", &json!("c5"))
            .await
            .status,
        200
    );
    assert_eq!(verified(service.store(), None).await.fault, None);
    for (statement, kind) in [
        (
            "DELETE FROM audit_entries WHERE number = 6",
            FaultKind::Missing,
        ),
        (
            "UPDATE audit_entries SET record = 'x' WHERE number = 6",
            FaultKind::Hash,
        ),
    ] {
        let found = fault(service.store(), &[statement], None).await;
        assert_eq!(found, Some(Fault { number: 6, kind }), "{statement}");
    }
    // Only the log itself can say what was removed.
    let erase =
        "UPDATE audit_entries SET change = NULL, salt = NULL WHERE operation = 'expireAudit'";
    let (number, kind) = (5, FaultKind::Missing);
    let found = fault(service.store(), &[erase], None).await;
    assert_eq!(found, Some(Fault { number, kind }));
    // A noted entry that retention removed: only the last one can be compared.
    let noted = |number: i64| {
        let found = before.iter().find(|entry: &&Entry| entry.number == number);
        (number, found.expect("an entry").hash.clone())
    };
    let other = (5, noted(4).1);
    for (noted, expected) in [
        (noted(6), None),
        (noted(5), None),
        (other, Some((5, FaultKind::Other))),
        (noted(4), Some((4, FaultKind::Expired))),
    ] {
        let found = verified(service.store(), Some(noted.clone())).await.fault;
        let expected = expected.map(|(number, kind)| Fault { number, kind });
        assert_eq!(found, expected, "{noted:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_services_that_write_at_once_make_one_chain() {
    let first = plant().await;
    let second = Service::start_on(Arc::clone(&first.database), |_| {}).await;
    let services = [Arc::new(first), Arc::new(second)];
    let before = verified(services[0].store(), None).await.entries;
    let mut writes = JoinSet::new();
    for round in 0..120 {
        let service = Arc::clone(&services[round % 2]);
        writes.spawn(async move {
            let path = format!("/v1/Incidents/{}/externalId", 100 + round % 4 / 2);
            let answer = service.put(&path, &json!(format!("x{round}"))).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        });
    }
    writes.join_all().await;
    for service in &services {
        let verified = verified(service.store(), None).await;
        assert_eq!((verified.fault, verified.entries), (None, before + 120));
    }
}
