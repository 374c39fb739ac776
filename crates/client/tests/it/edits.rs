//! Edits: what is sent, and what becomes of changes that others make at the same time.
//!
//! The server of these tests has one incident, one value and one task, with tags as the interface says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::Response;
use obeya::model::{
    DatasourceValue, IncidentSeverity, IncidentStatus, IncidentUpdate, IncidentV1, Patch, TaskInfo,
};
use obeya::{Client, Error, IncidentChanges, Tag};
use serde_json::{Value, json};

use crate::support::{Clock, Counter, json as answer, serve, watched, with_token};

/// What others do before the n-th request that has a condition.
type Others = Box<dyn FnMut(usize, &mut Value) + Send>;

struct Record {
    record: Value,
    /// `GET`, and `PUT` with its end of path, body and status.
    log: Vec<String>,
    conditions: usize,
    others: Others,
    has_tags: bool,
    /// The answers by idempotency key.
    carried_out: HashMap<String, String>,
}

type Service = Arc<Mutex<Record>>;

fn incident() -> Value {
    json!({
        "id": 7, "project": null, "incidentType": "Quality", "reportedByGroup": null,
        "reportedByUserId": null, "reportedBy": null, "reportedDate": "2026-03-02T06:12:00Z",
        "followUpGroup": null, "responsible": null, "responsibleDisplayName": null,
        "lastModified": "2026-03-05T09:00:00Z", "numberOfComments": 0, "numberOfActions": 0,
        "numberOfAttachments": 0, "consequences": [], "categories": [], "causes": [],
        "customFields": [], "status": "New", "incidentTypeId": 3, "severity": "Low",
        "reportedByGroupId": null, "followUpGroupId": null, "responsibleUserId": null,
        "title": "Housing cracked", "text": "Oil", "incidentDate": "2026-03-02",
        "resolvedDate": null, "dueDate": "2026-04-01T00:00:00Z", "evaluationStatus": null,
        "evaluationText": null, "isAnonymous": false, "areaId": 2, "projectId": null,
        "externalId": null,
    })
}

pub fn value() -> Value {
    json!({
        "id": 5, "dataSourceId": 9, "registrationDate": "2026-03-02T06:12:00Z", "areaId": 2,
        "assetId": null, "projectId": null, "value": 88.4, "description": null,
        "dimension": "late", "dimension2": null, "dimension3": null, "dimension4": null,
        "valueDate": "2026-03-02T22:00:00Z", "externalId": null,
    })
}

fn tag(record: &Value) -> String {
    format!(
        "\"{}\"",
        record.to_string().len() + digest(&record.to_string())
    )
}

fn digest(text: &str) -> usize {
    text.bytes().fold(7, |sum: usize, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    })
}

async fn handle(State(service): State<Service>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 10_000).await.unwrap();
    let header = |name: &str| {
        let value = parts.headers.get(name)?.to_str().unwrap();
        Some(value.to_owned())
    };
    let path = parts.uri.path().to_owned();
    let mut service = service.lock().unwrap();
    let service = &mut *service;
    let condition = header("if-match");
    if condition.is_some() {
        service.conditions += 1;
        (service.others)(service.conditions, &mut service.record);
    }
    let end = path.rsplit('/').next().unwrap();
    let is_list = path.ends_with("/values");
    let (status, text) = if parts.method == "GET" {
        service.log.push(format!("GET {end}"));
        let page = json!({"pageSize": 1, "pageNo": 1, "count": 1, "values": [service.record]});
        let shown = if is_list { &page } else { &service.record };
        (200, shown.to_string())
    } else {
        let body: Value = serde_json::from_slice(&body).unwrap();
        let key = header("idempotency-key").unwrap();
        let met = !service.has_tags
            || condition
                .is_none_or(|condition| condition == "*" || condition == tag(&service.record));
        let sent = body.to_string();
        let status = match (service.carried_out.get(&key), met) {
            (Some(first), _) if *first == sent => 200,
            (Some(_), _) => 422,
            (None, false) => 412,
            (None, true) => {
                service.carried_out.insert(key, sent);
                match body {
                    Value::Object(properties) => {
                        for (name, value) in properties {
                            let is_emptied = value.is_null() && service.record[&name].is_array();
                            service.record[name] = if is_emptied { json!([]) } else { value };
                        }
                    }
                    single => service.record[end] = single,
                }
                200
            }
        };
        service.log.push(format!("PUT {end} {status}"));
        (status, service.record.to_string())
    };
    let mut response = answer(status, text);
    if service.has_tags && !is_list {
        let tag = tag(&service.record).parse().unwrap();
        response.headers_mut().insert("etag", tag);
    }
    response
}

async fn service(record: Value, others: Others) -> (Client, Service) {
    let service = Arc::new(Mutex::new(Record {
        record,
        log: Vec::new(),
        conditions: 0,
        others,
        has_tags: true,
        carried_out: HashMap::new(),
    }));
    let routes = Router::new()
        .fallback(handle)
        .with_state(Arc::clone(&service));
    (with_token(&serve(routes).await).build().unwrap(), service)
}

fn nobody() -> Others {
    Box::new(|_, _| ())
}

fn log(service: &Service) -> Vec<String> {
    std::mem::take(&mut service.lock().unwrap().log)
}

/// Anna reads an incident, Bob changes another property, then Anna hers.
#[tokio::test]
async fn changes_of_two_in_different_properties_both_survive() {
    for by_id in [false, true] {
        let (client, service) = service(incident(), nobody()).await;
        let seen = client.incidents().get(7).await.unwrap();
        service.lock().unwrap().record["title"] = json!("Two people hurt");
        service.lock().unwrap().record["severity"] = json!("High");
        let edit = match by_id {
            true => client.incidents().edit(7),
            false => client.incidents().edit(&seen),
        };
        let due_date = Patch::Null;
        let now = edit.text("Replaced.").due_date(due_date).await.unwrap();
        assert_eq!(now.text.as_deref(), Some("Replaced."));
        assert_eq!(
            (now.title.as_str(), now.due_date),
            ("Two people hurt", None)
        );
        assert_eq!(now.severity, IncidentSeverity::High);
        assert_eq!(log(&service), ["GET 7", "GET 7", "PUT 7 200"]);
    }
}

#[tokio::test]
async fn a_change_of_two_in_one_property_is_a_conflict_with_both_versions() {
    let (client, service) = service(incident(), nobody()).await;
    let seen = client.incidents().get(7).await.unwrap();
    service.lock().unwrap().record["text"] = json!("Two people hurt.");
    let error = client
        .incidents()
        .edit(&seen)
        .text("Replaced.")
        .area_id(4)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "updateIncident: others have changed what was to be changed: text; nothing was written"
    );
    assert!(error.conflict::<TaskInfo>().is_none());
    let conflict = error.conflict::<IncidentV1>().unwrap();
    assert_eq!(conflict.properties, ["text"]);
    assert_eq!(conflict.seen, seen);
    assert_eq!(conflict.theirs.text.as_deref(), Some("Two people hurt."));
    assert_eq!(
        (conflict.mine.text.as_deref(), conflict.mine.area_id),
        (Some("Replaced."), Some(4))
    );
    assert_eq!(log(&service), ["GET 7", "GET 7"]);

    // Who insists edits the other version, or overwrites.
    let insisted = client.incidents().edit(&conflict.theirs).text("Replaced.");
    assert_eq!(insisted.await.unwrap().text.as_deref(), Some("Replaced."));
    let overwritten = client.incidents().edit(&seen).text("Again.").overwrite();
    assert_eq!(overwritten.await.unwrap().text.as_deref(), Some("Again."));
    let any = client.if_match(Tag::new("*"));
    let changes = IncidentChanges {
        text: Patch::Null,
        ..IncidentChanges::default()
    };
    let emptied = any.incidents().edit(&seen).changes(changes);
    assert_eq!(emptied.await.unwrap().text, None);
}

/// Each adds one to the value that both have read: the sum of both is not what either wrote.
#[tokio::test]
async fn the_same_change_by_two_is_a_conflict() {
    let (client, _) = service(value(), nobody()).await;
    let seen: DatasourceValue = serde_json::from_value(value()).unwrap();
    let add = || {
        client
            .datasources()
            .edit_value(9, &seen)
            .value(seen.value + 1.0)
    };
    assert_eq!(add().await.unwrap().value, 89.4);
    let error = add().await.unwrap_err();
    let conflict = error.conflict::<DatasourceValue>().unwrap();
    assert_eq!((conflict.mine.value, conflict.theirs.value), (89.4, 89.4));
}

/// Between the read and the write of an edit by id others set what it sets.
#[tokio::test]
async fn the_same_change_by_others_meanwhile_is_a_conflict() {
    let others = |conditions: usize, record: &mut Value| {
        if conditions == 1 {
            record["text"] = json!("Replaced.");
        }
    };
    let (client, service) = service(incident(), Box::new(others)).await;
    let error = client
        .incidents()
        .edit(7)
        .text("Replaced.")
        .await
        .unwrap_err();
    assert!(error.conflict::<IncidentV1>().is_some(), "{error:?}");
    assert_eq!(log(&service), ["GET 7", "PUT 7 412", "GET 7"]);
}

#[tokio::test]
async fn a_repeat_of_a_value_under_a_key_is_answered_and_no_conflict() {
    let (client, service) = service(value(), nobody()).await;
    let seen: DatasourceValue = serde_json::from_value(value()).unwrap();
    let client = client.idempotency_key("meter-5");
    for sent in [
        &["GET values", "PUT 5 412", "GET values", "PUT 5 200"][..],
        &["GET values", "PUT 5 200"],
    ] {
        let edit = client.datasources().edit_value(9, &seen).value(90.0);
        assert_eq!(edit.await.unwrap().value, 90.0);
        assert_eq!(log(&service), sent);
    }
    // Another write of the same value under another key is a change of others.
    let other = client.idempotency_key("meter-6");
    let error = other.datasources().edit_value(9, &seen).value(90.0).await;
    let error = error.unwrap_err();
    assert!(error.conflict::<DatasourceValue>().is_some(), "{error:?}");
}

/// The answer to a PUT is lost, and the service knows no keys: its 412 to the next attempt may be about the
/// change itself.
#[tokio::test]
async fn an_own_change_whose_answer_was_lost_is_no_conflict() {
    let puts = Counter::default();
    let count = puts.clone();
    let changed = move |record: &Mutex<Value>| {
        record.lock().unwrap()["text"] = json!("Replaced.");
    };
    let record = Arc::new(Mutex::new(incident()));
    let handle = async move |request: Request| {
        if request.method() == Method::GET {
            return answer(200, record.lock().unwrap().to_string());
        }
        match count.next() {
            1 => {
                changed(&record);
                answer(502, "")
            }
            2 => answer(412, ""),
            _ => answer(200, record.lock().unwrap().to_string()),
        }
    };
    let url = serve(Router::new().fallback(handle)).await;
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let client = builder.build().unwrap();
    let edit = tokio::spawn(client.incidents().edit(7).text("Replaced.").send());
    while let Some((_, status)) = tries.recv().await {
        if status == Some(502) {
            clock.advance(Duration::from_secs(8)).await;
            break;
        }
    }
    let now = edit.await.unwrap().unwrap();
    assert_eq!(now.text.as_deref(), Some("Replaced."));
    assert_eq!(puts.total(), 3);
}

/// Others are faster twice: first in another property, then in the same.
#[tokio::test]
async fn a_change_between_the_read_and_the_write_is_seen() {
    let others = |conditions: usize, record: &mut Value| match conditions {
        1 => record["title"] = json!("Two people hurt"),
        2 => record["severity"] = json!("High"),
        _ => (),
    };
    let (client, service_) = service(incident(), Box::new(others)).await;
    let now = client.incidents().edit(7).text("Replaced.").await.unwrap();
    assert_eq!(
        (now.title.as_str(), now.text.as_deref()),
        ("Two people hurt", Some("Replaced."))
    );
    assert_eq!(now.severity, IncidentSeverity::High);
    let (read, refused) = ("GET 7", "PUT 7 412");
    assert_eq!(
        log(&service_),
        [read, refused, read, refused, read, "PUT 7 200"]
    );

    let others = |_: usize, record: &mut Value| record["text"] = json!("Two people hurt.");
    let (client, service_) = service(incident(), Box::new(others)).await;
    let error = client
        .incidents()
        .edit(7)
        .text("Replaced.")
        .await
        .unwrap_err();
    let conflict = error.conflict::<IncidentV1>().unwrap();
    assert_eq!(conflict.seen.text.as_deref(), Some("Oil"));
    assert_eq!(conflict.theirs.text.as_deref(), Some("Two people hurt."));
    assert_eq!(log(&service_), [read, refused, read]);
}

#[tokio::test]
async fn a_record_that_never_rests_is_given_up() {
    let others = |n: usize, record: &mut Value| record["title"] = json!(format!("Title {n}"));
    let (client, service) = service(incident(), Box::new(others)).await;
    let error = client
        .incidents()
        .edit(7)
        .text("Replaced.")
        .await
        .unwrap_err();
    assert!(error.is_precondition_failed(), "{error}");
    assert!(matches!(&error, Error::Api { tag: Some(_), .. }));
    assert_eq!(log(&service), [["GET 7", "PUT 7 412"]; 5].concat());
}

#[tokio::test]
async fn what_has_an_operation_of_its_own_is_sent_without_a_read() {
    let (client, service) = service(incident(), nobody()).await;
    let incidents = client.incidents();
    let seen = incidents.get(7).await.unwrap();
    incidents
        .edit(&seen)
        .status(IncidentStatus::InProgress)
        .await
        .unwrap();
    incidents
        .edit(7)
        .severity(IncidentSeverity::High)
        .await
        .unwrap();
    incidents.edit(7).external_id("c9").await.unwrap();
    incidents.edit(7).external_id(Patch::Null).await.unwrap();
    // So is what needs nothing of the record.
    let whole = IncidentUpdate::from(&seen);
    let edit = incidents.edit(7).incident_type_id(whole.incident_type_id);
    let edit = edit.severity(whole.severity).title(whole.title);
    edit.incident_date(whole.incident_date).await.unwrap();
    let sent = [
        "GET 7",
        "PUT status 200",
        "PUT severity 200",
        "PUT externalId 200",
    ];
    assert_eq!(log(&service)[..4], sent);
    assert_eq!(service.lock().unwrap().record["externalId"], Value::Null);
    // Without a change there is nothing to send.
    assert_eq!(incidents.edit(7).await.unwrap().id, 7);
    assert_eq!(log(&service), ["GET 7"]);
}

#[tokio::test]
async fn a_condition_of_the_callers_decides_alone() {
    let (client, service) = service(incident(), nobody()).await;
    let read = |client: Client| async move { client.incidents().get(7).await };
    let found = client.tagged(read).await.unwrap();
    service.lock().unwrap().record["title"] = json!("Two people hurt");
    let late = client.if_match(found.tag.unwrap());
    let error = late.incidents().edit(&found.value).text("Replaced.").await;
    assert!(error.unwrap_err().is_precondition_failed());
    assert_eq!(log(&service), ["GET 7", "GET 7", "PUT 7 412"]);
}

#[tokio::test]
async fn a_repeat_under_a_key_is_answered_and_no_conflict() {
    let (client, service) = service(incident(), nobody()).await;
    let seen = client.incidents().get(7).await.unwrap();
    let keyed = client.idempotency_key("text-7");
    let edit = || keyed.incidents().edit(&seen).text("Replaced.");
    edit().await.unwrap();
    client
        .incidents()
        .edit(7)
        .text("Replaced again.")
        .await
        .unwrap();
    assert_eq!(
        edit().await.unwrap().text.as_deref(),
        Some("Replaced again.")
    );
    // Another edit in conflict is not carried out under its key either.
    let other = client.idempotency_key("other").incidents().edit(&seen);
    assert!(
        other
            .text("Other.")
            .await
            .unwrap_err()
            .conflict::<IncidentV1>()
            .is_some()
    );
    assert_eq!(service.lock().unwrap().record["text"], "Replaced again.");
}

/// A value is written as a whole, and read in a page, which has no tag of the value: the first refusal has
/// it.
#[tokio::test]
async fn a_value_keeps_what_is_not_set() {
    let (client, service_) = service(value(), nobody()).await;
    let edit = client.datasources().edit_value(9, 5).value(90.0);
    let now = edit.await.unwrap();
    assert_eq!(
        (now.value, now.dimension.as_deref(), now.area_id),
        (90.0, Some("late"), Some(2))
    );
    let [read, refused] = ["GET values", "PUT 5 412"];
    assert_eq!(log(&service_), [read, refused, read, "PUT 5 200"]);

    let others = |_: usize, record: &mut Value| record["value"] = json!(91.5);
    let (client, service_) = service(value(), Box::new(others)).await;
    let seen: DatasourceValue = serde_json::from_value(value()).unwrap();
    let edit = client.datasources().edit_value(9, &seen).value(90.0);
    let error = edit.await.unwrap_err();
    let conflict = error.conflict::<DatasourceValue>().unwrap();
    assert_eq!((conflict.seen.value, conflict.theirs.value), (88.4, 91.5));
    assert_eq!(log(&service_), [read, refused, read]);
}

#[tokio::test]
async fn a_service_without_tags_is_written_to_after_one_read() {
    for (record, sent) in [
        (incident(), ["GET 7", "PUT 7 200"]),
        (value(), ["GET values", "PUT 5 200"]),
    ] {
        let (client, service) = service(record, nobody()).await;
        service.lock().unwrap().has_tags = false;
        if sent[0] == "GET 7" {
            client.incidents().edit(7).text("Replaced.").await.unwrap();
        } else {
            client
                .datasources()
                .edit_value(9, 5)
                .value(90.0)
                .await
                .unwrap();
        }
        assert_eq!(log(&service), sent);
    }
}

/// A list that is emptied by `null` is not null in the versions of a conflict.
#[tokio::test]
async fn a_list_that_is_emptied_is_a_conflict_like_any_other() {
    let spec: Value =
        serde_json::from_str(include_str!("../../../../spec/generated/openapi.json")).unwrap();
    let mut task = spec["components"]["schemas"]["TaskInfo"]["example"].clone();
    task["tags"] = json!(["a"]);
    let (client, service) = service(task.clone(), nobody()).await;
    let seen: TaskInfo = serde_json::from_value(task).unwrap();
    service.lock().unwrap().record["tags"] = json!(["b"]);
    let error = client
        .tasks()
        .edit(&seen)
        .tags(Patch::Null)
        .await
        .unwrap_err();
    let conflict = error.conflict::<TaskInfo>().unwrap();
    assert_eq!(conflict.properties, ["tags"]);
    assert!(conflict.mine.tags.is_empty());
    let edit = client.tasks().edit(&conflict.theirs).tags(Patch::Null);
    assert!(edit.await.unwrap().tags.is_empty());
}

/// Each request takes 5 s, and the record never rests: ten requests would take 50.
#[tokio::test]
async fn the_deadline_covers_all_requests_of_an_edit() {
    let clock = Clock::stop();
    let asked = Arc::new(tokio::sync::Notify::new());
    let arrived = Arc::clone(&asked);
    let slow = async move |request: Request| {
        let answered = tokio::time::sleep(Duration::from_secs(5));
        arrived.notify_one();
        answered.await;
        match *request.method() {
            Method::GET => answer(200, incident().to_string()),
            _ => answer(412, ""),
        }
    };
    let url = serve(Router::new().fallback(slow)).await;
    let limit = Duration::from_secs(12);
    let client = with_token(&url).timeout(limit).build().unwrap();
    let edit = tokio::spawn(client.incidents().edit(7).title("x").send());
    for _ in 0..3 {
        asked.notified().await;
        // Timers count whole milliseconds.
        clock.advance(Duration::from_millis(5_001)).await;
    }
    let error = edit.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::Timeout { after, .. } if after == limit),
        "{error:?}"
    );
}
