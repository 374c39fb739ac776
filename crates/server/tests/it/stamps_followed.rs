//! A client that follows the stamps sees every change under concurrent writes: no commit becomes visible with
//! an earlier stamp than one already seen.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use obeya_model::Timestamp;
use obeya_server::import::OnConflict;
use obeya_server::store::Store;
use serde_json::json;
use tokio::task::JoinSet;

use crate::import_folder::Folder;
use crate::incidents_plant::plant;
use crate::support::{Answer, Service};

/// What carries a stamp, and in which column.
const STAMPED: [(&str, &str); 3] = [
    ("incidents", "last_modified"),
    ("improvements", "last_modified"),
    ("datasource_values", "registration_date"),
];

/// How long they write.
fn period() -> Duration {
    Duration::from_secs(if obeya_testkit::is_long() { 60 } else { 2 })
}

/// The ids and stamps of what has a later stamp than this one, in the order of the stamps.
async fn changed(store: &Store, stamped: (&str, &str), after: i64) -> Vec<(i64, i64)> {
    let (table, column) = stamped;
    let sql = format!("SELECT id, {column} FROM {table} WHERE {column} > ?1 ORDER BY {column}, id");
    let read = store.read(move |session| {
        session.all(&sql, &[after.into()], |row| {
            Ok((row.int(0)?.unwrap_or(-1), row.int(1)?.unwrap_or(-1)))
        })
    });
    read.await.expect("read")
}

/// Follows a table until the end, and once more then; the latest stamp it saw of each record.
async fn follow(
    store: Store,
    stamped: (&'static str, &'static str),
    end: Arc<AtomicBool>,
) -> BTreeMap<i64, i64> {
    let mut seen = BTreeMap::new();
    let mut high = i64::MIN;
    loop {
        let is_last = end.load(Ordering::SeqCst);
        for (id, stamp) in changed(&store, stamped, high).await {
            if let Some(earlier) = seen.insert(id, stamp) {
                assert!(
                    stamp > earlier,
                    "{} {id}: {earlier}, then {stamp}",
                    stamped.0
                );
            }
            high = high.max(stamp);
        }
        if is_last {
            return seen;
        }
    }
}

/// Creates and changes records until the end; returns how many changes were answered.
async fn write(service: Arc<Service>, end: Arc<AtomicBool>) -> u64 {
    let report = json!({"incidentTypeId": 3, "title": "Drip", "severity": "Low", "incidentDate": "2025-06-02", "isAnonymous": false,
        "categories": [{"id": 31}]});
    let mut changes = 0;
    while !end.load(Ordering::SeqCst) {
        let made = service.post("/v1/Incidents", &report).await;
        assert_eq!(made.status, 200, "{}", made.text());
        let id = made.json()["id"].clone();
        let puts: [(String, serde_json::Value); 4] = [
            (format!("/v1/Incidents/{id}/externalId"), json!("a")),
            (
                "/v1/Incidents/100/externalId".into(),
                json!(format!("c{id}")),
            ),
            (format!("/v1/Incidents/{id}/causes"), json!([{"id": 41}])),
            (
                "/v1/Improvements/317".into(),
                json!({"text": format!("t{id}")}),
            ),
        ];
        for (path, body) in puts {
            let answer: Answer = service.put(&path, &body).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        }
        changes += 5;
    }
    changes
}

/// Imports one folder after another until the end, each with records from before, from now and from a little
/// later.
async fn import(db: String, end: Arc<AtomicBool>) -> u64 {
    let mut imports = 0;
    while !end.load(Ordering::SeqCst) {
        let now = Timestamp::now().ticks();
        let folder = Folder::empty();
        let (mut incidents, mut improvements, mut values) =
            (String::new(), String::new(), String::new());
        for (n, milliseconds) in (0..).zip([-86_400_000, -10, -1, 0, 1, 30]) {
            let id = 10_000 + imports * 10 + n;
            let at = Timestamp::from_ticks(now + milliseconds * 10_000).expect("in range");
            incidents += &format!(
                "{{\"id\":{id},\"incidentTypeId\":3,\"title\":\"t\",\"incidentDate\":\"2025-01-01\",\"lastModified\":\"{at}\"}}\n"
            );
            improvements += &format!("{{\"id\":{id},\"lastModified\":\"{at}\"}}\n");
            values += &format!(
                "{{\"id\":{id},\"dataSourceId\":1,\"value\":1,\"valueDate\":\"2025-01-01T00:00:00Z\",\"registrationDate\":\"{at}\"}}\n"
            );
        }
        // The same one again and again: replaced.
        incidents += "{\"id\":9000,\"incidentTypeId\":3,\"title\":\"t\",\"incidentDate\":\"2025-01-01\",\"lastModified\":\"2025-01-01T00:00:00Z\"}\n";
        folder.write("incidents.jsonl", incidents);
        folder.write("improvements.jsonl", improvements);
        folder.write("datasources.jsonl", r#"{"id":1}"#);
        folder.write("datasource_values.jsonl", values);
        folder
            .import(&db, OnConflict::Replace)
            .await
            .expect("imported");
        imports += 1;
    }
    u64::try_from(imports).expect("counted up")
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_while_two_services_write_and_folders_are_imported() {
    let first = plant().await;
    let second = Service::start_on(Arc::clone(&first.database), |_| {}).await;
    // The clocks of two machines are never the same.
    second.clock.advance(90);
    let services = [Arc::new(first), Arc::new(second)];
    let store = services[0].store().clone();
    let [writing, following] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));

    let readers: Vec<_> = STAMPED
        .map(|stamped| tokio::spawn(follow(store.clone(), stamped, Arc::clone(&following))))
        .into();
    let mut writers = JoinSet::new();
    for service in [&services[0], &services[0], &services[1], &services[1]] {
        writers.spawn(write(Arc::clone(service), Arc::clone(&writing)));
    }
    let imports = tokio::spawn(import(services[0].db().to_owned(), Arc::clone(&writing)));
    let deadline = Instant::now() + period();
    while Instant::now() < deadline && !imports.is_finished() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    writing.store(true, Ordering::SeqCst);
    let changes: u64 = writers.join_all().await.into_iter().sum();
    let imports = imports.await.expect("no import failed");
    following.store(true, Ordering::SeqCst);

    for (stamped, reader) in STAMPED.into_iter().zip(readers) {
        let seen = reader.await.expect("the stamps of each record went up");
        let there: BTreeMap<_, _> = changed(&store, stamped, i64::MIN)
            .await
            .into_iter()
            .collect();
        assert_eq!(
            seen, there,
            "{}: what was seen at last is what is there",
            stamped.0
        );
    }
    println!("{changes} changes and {imports} imports were followed");
    assert!(
        changes > 20 && imports > 1,
        "{changes} changes, {imports} imports"
    );
}
