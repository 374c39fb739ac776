//! The audit log: which entry each write appends, and what it never contains.

use std::ops::ControlFlow;

use obeya_server::store::audit::{Entry, Filter, Verified, read, verify};
use obeya_server::store::{Store, StoreError};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::etags::send;
use crate::incidents_plant::{fill, least, least_update, plant, with};
use crate::support::{Service, sql};
use crate::values_written;

/// The entries that apply, oldest first.
pub async fn entries(store: &Store, filter: Filter) -> Vec<Entry> {
    let found = store.read(move |session| {
        let mut entries = Vec::new();
        read(session, &filter, &mut |entry| {
            entries.push(entry);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok::<_, StoreError>(entries)
    });
    found.await.expect("entries")
}

/// The entries of requests.
async fn of_requests(service: &Service) -> Vec<Entry> {
    let all = entries(service.store(), Filter::default()).await;
    let is_request = |entry: &Entry| entry.origin.client_id.is_some();
    all.into_iter().filter(is_request).collect()
}

/// The verified log.
pub async fn verified(store: &Store, noted: Option<(i64, String)>) -> Verified {
    let verified = store.read(move |session| verify(session, noted.as_ref()));
    let verified: Result<_, StoreError> = verified.await;
    verified.expect("the log is read")
}

pub fn change(entry: &Entry) -> Value {
    serde_json::from_str(entry.change.as_deref().expect("a text")).expect("JSON")
}

/// SHA-256 in hexadecimal.
fn sha256(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

/// An operation: the request, and the record and the change of its entry.
struct Write {
    operation: &'static str,
    request: (Method, &'static str),
    body: Value,
    record: &'static str,
    change: Value,
}

/// Every operation that changes a record of incidents and improvements, each after those before it.
fn writes() -> Vec<Write> {
    let write = |operation, method, path, body, record, change| Write {
        operation,
        request: (method, path),
        body,
        record,
        change,
    };
    let (put, post, delete) = (Method::PUT, Method::POST, Method::DELETE);
    vec![
        write(
            "createIncident",
            post.clone(),
            "/v1/Incidents",
            with(
                least(),
                &json!({"createdByUserId": "u-104", "areaId": 2, "causes": [{"id": 41}], "consequences": [{"id": 51, "amount": 2.5}],
                    "customFields": [{"id": 61, "value": "A-1"}]}),
            ),
            "incidents/103",
            json!({"after": {"incidentTypeId": 3, "title": "Housing cracked", "incidentDate": "2025-06-01", "status": "New", "severity": "Medium",
                "areaId": 2, "reportedDate": "2025-06-02T08:00:00Z", "isAnonymous": false, "statusModifiedDate": "2025-06-02T08:00:00Z",
                "statusNewDate": "2025-06-02T08:00:00Z", "categories": [31], "consequences": [[51, 2.5]], "causes": [41],
                "customFields": [[61, "A-1"]]}}),
        ),
        write(
            "updateIncident",
            put.clone(),
            "/v1/Incidents/100",
            with(
                least_update(),
                &json!({"title": "Cracked", "isAnonymous": true, "dueDate": null}),
            ),
            "incidents/100",
            json!({"before": {"title": "Crack", "incidentDate": "2024-10-04", "dueDate": "1970-01-01T00:00:00.000007Z", "isAnonymous": false},
                "after": {"title": "Cracked", "incidentDate": "2024-10-04", "dueDate": null, "isAnonymous": true}}),
        ),
        write(
            "updateIncidentStatus",
            put.clone(),
            "/v1/Incidents/100/status",
            json!({"status": "InProgress"}),
            "incidents/100",
            json!({"before": {"status": "New", "statusModifiedDate": null, "statusInProgressDate": null},
                "after": {"status": "InProgress", "statusModifiedDate": "2025-06-02T08:00:00Z", "statusInProgressDate": "2025-06-02T08:00:00Z"}}),
        ),
        write(
            "updateIncidentSeverity",
            put.clone(),
            "/v1/Incidents/100/severity",
            json!({"severity": "High"}),
            "incidents/100",
            json!({"before": {"severity": "Low"}, "after": {"severity": "High"}}),
        ),
        write(
            "updateIncidentResponsible",
            put.clone(),
            "/v1/Incidents/100/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
            "incidents/100",
            json!({"before": {"followUpGroupId": null, "responsibleUserId": null},
                "after": {"followUpGroupId": 4, "responsibleUserId": "u-104"}}),
        ),
        write(
            "updateIncidentExternalId",
            put.clone(),
            "/v1/Incidents/100/externalId",
            json!("c8"),
            "incidents/100",
            json!({"before": {"externalId": "c7"}, "after": {"externalId": "c8"}}),
        ),
        write(
            "updateIncidentCategories",
            put.clone(),
            "/v1/Incidents/100/categories",
            json!([{"id": 33}, {"id": 32}]),
            "incidents/100",
            json!({"before": {"categories": [31]}, "after": {"categories": [32, 33]}}),
        ),
        write(
            "updateIncidentConsequences",
            put.clone(),
            "/v1/Incidents/100/consequences",
            json!([{"id": 52, "amount": 5}]),
            "incidents/100",
            json!({"before": {"consequences": [[51, 14.0]]}, "after": {"consequences": [[52, 5.0]]}}),
        ),
        write(
            "updateIncidentCauses",
            put.clone(),
            "/v1/Incidents/100/causes",
            json!([]),
            "incidents/100",
            json!({"before": {"causes": [41]}, "after": {"causes": []}}),
        ),
        write(
            "updateIncidentCustomField",
            put.clone(),
            "/v1/Incidents/100/customfields/61",
            json!({"value": "B-2"}),
            "incidents/100",
            json!({"before": {"customFields": [[61, null]]}, "after": {"customFields": [[61, "B-2"]]}}),
        ),
        // Another type has other parts: those of the old one go.
        write(
            "updateIncident",
            put.clone(),
            "/v1/Incidents/100",
            json!({"incidentTypeId": 6, "severity": "High", "title": "Cracked", "incidentDate": "2024-10-04"}),
            "incidents/100",
            json!({"before": {"incidentTypeId": 3, "categories": [32, 33], "consequences": [[52, 5.0]], "customFields": [[61, "B-2"]]},
                "after": {"incidentTypeId": 6, "categories": [], "consequences": [], "customFields": []}}),
        ),
        write(
            "deleteIncident",
            delete.clone(),
            "/v1/Incidents/100",
            Value::Null,
            "incidents/100",
            json!({"before": {"deletedDate": null}, "after": {"deletedDate": "2025-06-02T08:00:00Z"}}),
        ),
        write(
            "restoreIncident",
            put.clone(),
            "/v1/Incidents/trash/100/restore",
            Value::Null,
            "incidents/100",
            json!({"before": {"deletedDate": "2025-06-02T08:00:00Z"}, "after": {"deletedDate": null}}),
        ),
        write(
            "createImprovement",
            post,
            "/v1/Improvements",
            json!({"title": "Light", "suggestedByUserId": "u-117", "costOfInvestment": 1.5}),
            "improvements/320",
            json!({"after": {"status": "Suggested", "priorityStatus": "NotPrioritized", "title": "Light", "suggestedByUserId": "u-117",
                "suggestionDate": "2025-06-02T08:00:00Z", "costOfInvestment": 1.5}}),
        ),
        write(
            "updateImprovement",
            put,
            "/v1/Improvements/320",
            json!({"title": "More light"}),
            "improvements/320",
            json!({"before": {"title": "Light"}, "after": {"title": "More light"}}),
        ),
        write(
            "deleteImprovement",
            delete,
            "/v1/Improvements/318",
            Value::Null,
            "improvements/318",
            json!({"before": {"status": "Archived", "priorityStatus": "NotPrioritized", "title": "Old idea",
                "suggestionDate": "2025-05-23T11:33:20Z", "attachmentCount": 0, "actionListCount": 0, "commentCount": 0, "likeCount": 0}}),
        ),
    ]
}

#[tokio::test]
async fn each_write_appends_one_entry_with_its_change() {
    let service = plant().await;
    for (at, write) in writes().into_iter().enumerate() {
        let (method, path) = write.request;
        // Of the client's ids those that cannot name a person.
        let (given, stored) = match at % 2 {
            0 => {
                let random = "0196fdc4-4f0e-7a2b-9c3d-2b1a0f9e8d7c";
                (random, Some(random))
            }
            _ => ("tomas.berg-42", None),
        };
        let headers = [("x-request-id", given)];
        let body = (!write.body.is_null()).then_some(&write.body);
        let answer = send(&service, (method, path), &headers, body).await;
        assert_eq!(answer.status, 200, "{}: {}", write.operation, answer.text());
        let entries = of_requests(&service).await;
        assert_eq!(entries.len(), at + 1, "{}", write.operation);
        let entry = &entries[at];
        assert_eq!(entry.operation, write.operation);
        assert_eq!(entry.record.as_deref(), Some(write.record));
        assert_eq!(entry.at, crate::support::START * 10_000_000);
        assert_eq!(entry.origin.request_id.as_deref(), stored);
        assert_eq!(entry.origin.address.as_deref(), Some("127.0.0.1"));
        assert_eq!(change(entry), expected(write.change), "{}", write.operation);
    }
    assert_eq!(verified(service.store(), None).await.fault, None);
}

/// What is the same on both sides is no change: it stands in the lists above only to be read.
fn expected(mut change: Value) -> Value {
    let (before, after) = (change["before"].clone(), change["after"].clone());
    for (name, value) in before.as_object().into_iter().flatten() {
        if after.get(name) == Some(value) {
            for side in ["before", "after"] {
                change[side].as_object_mut().expect("a side").remove(name);
            }
        }
    }
    change
}

#[tokio::test]
async fn a_write_of_values_appends_one_entry_whatever_their_number() {
    let service = values_written::plant().await;
    let values = "/v1/Datasources/1/values";
    let batch = r#"[{"value":1,"valueDate":"2025-01-01T00:00:00Z"},{"value":2,"valueDate":"2025-01-02T00:00:00Z"}]"#;
    let ids = "[1,2,2,99]";
    let period = format!("{values}/batchReplace?from=2025-01-01T00:00:00Z&to=2025-01-31T00:00:00Z");
    let single = |value: f64, text: &str| {
        json!({"value": value, "valueDate": "2025-01-05T00:00:00Z", "description": text})
            .to_string()
    };
    let requests = [
        (
            (Method::POST, values.to_owned()),
            single(1.5, "first"),
            "createDatasourceValue",
            "datasources/1/values/1",
            json!({"after": {"valueDate": "2025-01-05T00:00:00Z", "value": 1.5, "description": "first"}}),
        ),
        (
            (Method::PUT, format!("{values}/1")),
            single(2.5, "first"),
            "updateDatasourceValue",
            "datasources/1/values/1",
            json!({"before": {"value": 1.5}, "after": {"value": 2.5}}),
        ),
        (
            (Method::DELETE, format!("{values}/1")),
            String::new(),
            "deleteDatasourceValue",
            "datasources/1/values/1",
            json!({"before": {"valueDate": "2025-01-05T00:00:00Z", "value": 2.5, "description": "first"}}),
        ),
        (
            (Method::POST, format!("{values}/batch")),
            batch.to_owned(),
            "createDatasourceValues",
            "datasources/1/values",
            json!({"count": 2, "sha256": sha256(batch)}),
        ),
        (
            (Method::PUT, period),
            batch.to_owned(),
            "replaceDatasourceValues",
            "datasources/1/values",
            json!({"count": 2, "deleted": 2, "from": "2025-01-01T00:00:00Z", "to": "2025-01-31T00:00:00Z", "sha256": sha256(batch)}),
        ),
        (
            (Method::DELETE, format!("{values}/batch")),
            "[4,5,5,99]".to_owned(),
            "deleteDatasourceValues",
            "datasources/1/values",
            json!({"count": 2, "sha256": sha256("[4,5,5,99]")}),
        ),
        // Nothing is deleted: no entry.
        (
            (Method::DELETE, format!("{values}/batch")),
            ids.to_owned(),
            "deleteDatasourceValues",
            "datasources/1/values",
            Value::Null,
        ),
    ];
    let mut appended = 0;
    for ((method, path), body, operation, record, expected) in requests {
        let request = service.request(method, &path);
        let request = request
            .header("content-type", "application/json")
            .body(body);
        let answer = crate::support::Answer::of(request).await;
        assert_eq!(answer.status, 200, "{operation}: {}", answer.text());
        appended += usize::from(!expected.is_null());
        let entries = of_requests(&service).await;
        assert_eq!(entries.len(), appended, "{operation}");
        let entry = entries.last().expect("an entry");
        if !expected.is_null() {
            assert_eq!(
                (entry.operation.as_str(), entry.record.as_deref()),
                (operation, Some(record))
            );
            assert_eq!(change(entry), expected, "{operation}");
        }
    }
    assert_eq!(verified(service.store(), None).await.fault, None);
}

#[tokio::test]
async fn a_write_that_changes_nothing_appends_no_entry() {
    let service = plant().await;
    let first = [("idempotency-key", "order-17")];
    let (path, body) = ("/v1/Incidents", least());
    let made = send(&service, (Method::POST, path), &first, Some(&body)).await;
    assert_eq!(made.status, 200);
    let before = entries(service.store(), Filter::default()).await;
    // Repeated, with the same request and another one.
    let again = send(&service, (Method::POST, path), &first, Some(&body)).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    let other = with(least(), &json!({"title": "Another"}));
    let refused = send(&service, (Method::POST, path), &first, Some(&other)).await;
    refused.is_problem(422, "idempotency.mismatch");
    // Refused: by its body, by a reference, by a rule that looks at the record, by a condition, by its
    // absence.
    for (path, body, status) in [
        ("100", json!({"title": ""}), 400),
        ("100", with(least_update(), &json!({"areaId": 9})), 422),
        (
            "100/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-117"}),
            422,
        ),
        ("999/severity", json!({"severity": "High"}), 404),
    ] {
        let refused = service.put(&format!("/v1/Incidents/{path}"), &body).await;
        assert_eq!(refused.status, status, "{path}: {}", refused.text());
    }
    let stale = [("if-match", "\"0000000000000000000000\"")];
    let path = "/v1/Incidents/100/severity";
    let refused = send(
        &service,
        (Method::PUT, path),
        &stale,
        Some(&json!({"severity": "High"})),
    )
    .await;
    refused.is_problem(412, "precondition.failed");
    // As it is already.
    for (path, body) in [
        ("/v1/Incidents/100/severity", json!({"severity": "Low"})),
        ("/v1/Incidents/100/externalId", json!("c7")),
        ("/v1/Incidents/100/categories", json!([{"id": 31}])),
        ("/v1/Improvements/317", json!({})),
    ] {
        let same = service.put(path, &body).await;
        assert_eq!(same.status, 200, "{path}: {}", same.text());
    }
    assert_eq!(entries(service.store(), Filter::default()).await, before);
}

#[tokio::test]
async fn clients_keys_and_the_purge_append_entries_without_a_client() {
    let service = plant().await;
    let client = service.running.add_client("erp", &["Data.Read"]).await;
    let id = client.expect("a client").client_id;
    for _ in 0..2 {
        // The second time it is revoked already.
        service.running.revoke_client(&id).await.expect("revoked");
    }
    service.running.rotate_keys().await.expect("rotated");
    let deleted = 17_488_000_000_000_000;
    let purged =
        obeya_server::store::incidents::purge(service.store(), deleted + 30 * 86_400 * 10_000_000);
    assert_eq!(purged.await.expect("purged"), 1);
    let entries = entries(service.store(), Filter::default()).await;
    let operations: Vec<_> = entries
        .iter()
        .map(|entry| entry.operation.as_str())
        .collect();
    // A key and the client of the test come first.
    assert_eq!(
        operations,
        [
            "createKey",
            "addClient",
            "addClient",
            "revokeClient",
            "rotateKeys",
            "purgeIncidents"
        ]
    );
    assert!(entries.iter().all(|entry| entry.origin.client_id.is_none()));
    let path = format!("clients/{id}");
    assert_eq!(entries[2].record.as_ref(), Some(&path));
    assert_eq!(
        change(&entries[2]),
        json!({"after": {"name": "erp", "scopes": "Data.Read"}})
    );
    assert_eq!(entries[3].record.as_ref(), Some(&path));
    assert_eq!(change(&entries[5]), json!({"count": 1}));
    // No secret and no key.
    let text = service
        .store()
        .read(|session| sql::dump(session, "audit_entries"))
        .await;
    let text: String = text.expect("the table");
    assert!(!text.contains("secret") && !text.contains("hmac"), "{text}");
}

#[tokio::test]
async fn entries_are_found_by_time_client_and_record() {
    let service = plant().await;
    let severity = json!({"severity": "High"});
    service.put("/v1/Incidents/100/severity", &severity).await;
    service.clock.advance(60);
    service.put("/v1/Incidents/101/severity", &severity).await;
    service
        .put("/v1/Improvements/317", &json!({"title": "Third clamp"}))
        .await;
    let found = async |filter: Filter| {
        let entries = entries(service.store(), filter).await;
        let records = entries
            .into_iter()
            .map(|entry| entry.record.unwrap_or_default());
        records.collect::<Vec<_>>()
    };
    let record = |record: &str| Filter {
        record: Some(record.to_owned()),
        ..Filter::default()
    };
    assert_eq!(found(record("incidents/100")).await, ["incidents/100"]);
    assert_eq!(found(record("incidents/10")).await, [""; 0]);
    assert_eq!(
        found(record("incidents")).await,
        ["incidents/100", "incidents/101"]
    );
    let mut filter = Filter {
        since: Some((crate::support::START + 60) * 10_000_000),
        ..Filter::default()
    };
    assert_eq!(
        found(filter.clone()).await,
        ["incidents/101", "improvements/317"]
    );
    let by = of_requests(&service).await[0].origin.client_id.clone();
    filter.record = Some("improvements".to_owned());
    filter.client_id.clone_from(&by);
    assert_eq!(found(filter.clone()).await, ["improvements/317"]);
    filter.client_id = Some("another".to_owned());
    assert_eq!(found(filter).await, [""; 0]);
}

/// The chain as the documentation describes it, computed here.
#[tokio::test]
async fn the_hash_of_an_entry_is_what_the_documentation_says() {
    let service = plant().await;
    service
        .put("/v1/Incidents/100/severity", &json!({"severity": "High"}))
        .await;
    let mut previous = String::new();
    for (number, entry) in (1..).zip(entries(service.store(), Filter::default()).await) {
        let digest = sha256(&(entry.salt.expect("a salt") + &entry.change.expect("a text")));
        let origin = &entry.origin;
        let hashed = json!([
            entry.at,
            origin.client_id,
            origin.address,
            entry.operation,
            entry.record,
            origin.request_id,
            digest
        ]);
        assert_eq!(entry.number, number);
        assert_eq!(
            entry.hash,
            sha256(&(previous + &sha256(&hashed.to_string())))
        );
        previous = entry.hash;
    }
}

/// Random incidents with reporters, and every operation on them: nothing that tells a reporter is stored in
/// the log, neither for open incidents nor for anonymous ones.
#[tokio::test]
async fn no_entry_tells_who_reported() {
    const REPORTER: [&str; 3] = ["u-zorn", "zeno.zorn@plant.example", "Zeno Zorn"];
    let mut random = obeya_testkit::rng();
    let service = Service::start().await;
    let filled = service.store().write(|session| {
        fill(session)?;
        let sql = "INSERT INTO users (id, user_name, display_name) VALUES (?1, ?2, ?3)";
        session.execute(sql, &REPORTER.map(Into::into))?;
        let sql = "UPDATE incidents SET reported_by_user_id = ?1, reported_by = ?2, last_modified_by_user_id = ?1,
            latitude = 59.66875, longitude = 9.64625, accuracy_in_meters = 12.5";
        session.execute(sql, &[REPORTER[0].into(), REPORTER[2].into()])
    });
    let filled: Result<_, StoreError> = filled.await;
    assert_eq!(filled.expect("rows"), 3);
    let mut ids = vec![100, 101];
    let mut changed = 0;
    for _ in 0..60 {
        let id = ids[random.usize(..ids.len())];
        let path = format!("/v1/Incidents/{id}");
        let severity = ["None", "Low", "Medium", "High"][random.usize(..4)];
        let anonymous = random.bool();
        let more = json!({"isAnonymous": anonymous, "severity": severity, "text": format!("No. {}", random.u32(..))});
        let answer = match random.u8(..9) {
            0 | 1 => {
                let body = with(
                    with(least(), &more),
                    &json!({"createdByUserId": REPORTER[0]}),
                );
                let made = service.post("/v1/Incidents", &body).await;
                ids.extend(made.json()["id"].as_i64());
                made
            }
            2 => service.put(&path, &with(least_update(), &more)).await,
            3 => {
                service
                    .put(&format!("{path}/severity"), &json!({"severity": severity}))
                    .await
            }
            4 => {
                service
                    .put(
                        &format!("{path}/categories"),
                        &json!([{"id": 31 + random.i32(..3)}]),
                    )
                    .await
            }
            5 => {
                service
                    .put(
                        &format!("{path}/customfields/61"),
                        &json!({"value": severity}),
                    )
                    .await
            }
            6 => {
                service
                    .put(&format!("{path}/status"), &json!({"status": "InProgress"}))
                    .await
            }
            7 => send(&service, (Method::DELETE, &path), &[], None).await,
            _ => {
                service
                    .put(&format!("/v1/Incidents/trash/{id}/restore"), &Value::Null)
                    .await
            }
        };
        changed += u64::from(answer.status == 200);
    }
    assert!(changed > 10, "{changed}");
    let text = service
        .store()
        .read(|session| sql::dump(session, "audit_entries"))
        .await;
    let text: String = text.expect("the table");
    // What was written is there, so a leak would be seen.
    assert!(
        text.contains("createIncident") && text.contains("No. "),
        "{text}"
    );
    for part in REPORTER
        .iter()
        .chain(&["reportedBy\\\"", "reportedByUserId", "createdBy", "zorn"])
        .chain(&[
            "lastModifiedBy",
            "latitude",
            "longitude",
            "accuracyInMeters",
        ])
    {
        assert!(!text.contains(part), "{part}: {text}");
    }
}
