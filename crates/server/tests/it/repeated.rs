//! Requests that are sent again under one `Idempotency-Key`.

use std::sync::Arc;
use std::time::Duration;

use obeya_server::Config;
use obeya_server::store::StoreError;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::etags::send;
use crate::incidents_plant::{everything, fill, least, least_update, plant, with};
use crate::support::sql::dump;
use crate::support::{ALL, Answer, Service};
use crate::values_written;

const INCIDENTS: &str = "/v1/Incidents";
const DAY: i64 = 86_400;

/// The service on the plant, with other settings.
async fn plant_with(change: impl FnOnce(&mut Config)) -> Service {
    let service = Service::start_with(change).await;
    let filled = service.store().write(fill).await;
    filled.expect("the rows fit the schema");
    service
}

async fn create(service: &Service, key: &str, body: &Value) -> Answer {
    let headers = [("idempotency-key", key)];
    send(service, (Method::POST, INCIDENTS), &headers, Some(body)).await
}

fn titled(title: &str) -> Value {
    with(least(), &json!({"title": title}))
}

fn is_replayed(answer: &Answer) -> bool {
    assert_eq!(answer.status, 200, "{}", answer.text());
    match answer.header("idempotency-replayed") {
        "" => false,
        "true" => true,
        other => panic!("{other}"),
    }
}

/// The rows of a table that meet a condition.
async fn count(service: &Service, of: &'static str) -> i64 {
    let counted = service.store().read(move |session| {
        session.first(&format!("SELECT count(*) FROM {of}"), &[], |row| row.int(0))
    });
    let counted: Result<_, StoreError> = counted.await;
    counted.expect("counted").flatten().expect("a number")
}

#[tokio::test]
async fn the_same_request_again_gets_the_same_answer_and_changes_nothing() {
    let service = plant().await;
    let first = create(&service, "order-17", &least()).await;
    assert!(!is_replayed(&first));
    let after = everything(&service).await;
    service.clock.advance(3600);
    for key in ["order-17", "\"order-17\""] {
        let again = create(&service, key, &least()).await;
        assert!(is_replayed(&again), "{key}");
        assert_eq!(again.body, first.body);
        for header in ["etag", "content-type"] {
            assert_eq!(again.header(header), first.header(header), "{header}");
            assert_ne!(again.header(header), "", "{header}");
        }
    }
    assert_eq!(everything(&service).await, after);
    // Another key is another request.
    let other = create(&service, "order-18", &least()).await;
    assert!(!is_replayed(&other));
    assert_ne!(other.json()["id"], first.json()["id"]);
}

#[tokio::test]
async fn the_answer_is_the_record_as_it_is_by_then() {
    let service = plant().await;
    let first = create(&service, "k", &least()).await;
    let path = format!("{INCIDENTS}/{}", first.json()["id"]);
    assert_eq!(service.put(&path, &least_update()).await.status, 200);
    let again = create(&service, "k", &least()).await;
    assert!(is_replayed(&again));
    let read = service.get(&path).await;
    assert_ne!(read.body, first.body);
    assert_eq!(again.text(), read.text());
    assert_eq!(again.header("etag"), read.header("etag"));

    // Once more, where the work itself would be refused by now.
    let headers = [("idempotency-key", "k")];
    let delete = async || send(&service, (Method::DELETE, path.as_str()), &headers, None).await;
    assert!(!is_replayed(&delete().await));
    assert!(is_replayed(&delete().await));
    let keyless = send(&service, (Method::DELETE, &path), &[], None).await;
    keyless.is_problem(404, "not_found");
    // There is no record any more to answer with, and none is made instead.
    let incidents = count(&service, "incidents").await;
    let gone = create(&service, "k", &least()).await;
    gone.is_problem(404, "not_found");
    assert_eq!(gone.header("idempotency-replayed"), "true");
    assert_eq!(count(&service, "incidents").await, incidents);
}

/// An answer from before an incident became anonymous must not be repeated afterwards.
#[tokio::test]
async fn a_repeated_request_does_not_tell_who_reported_in_confidence() {
    let service = plant().await;
    let body = with(least(), &json!({"createdByUserId": "u-104"}));
    let first = create(&service, "k", &body).await;
    assert_eq!(first.json()["reportedBy"], "Ingrid Solheim");
    let path = format!("{INCIDENTS}/{}", first.json()["id"]);
    let hidden = with(least_update(), &json!({"isAnonymous": true}));
    assert_eq!(service.put(&path, &hidden).await.status, 200);
    let again = create(&service, "k", &body).await;
    assert!(is_replayed(&again));
    for name in ["reportedBy", "reportedByUserId"] {
        assert_eq!(again.json()[name], Value::Null, "{name}");
    }
    assert!(!again.text().contains("Ingrid"), "{}", again.text());
}

/// A key takes the same space for every write.
#[tokio::test]
async fn nothing_of_a_record_is_kept_with_its_key() {
    let service = plant().await;
    let text = "Sixteen letters ".repeat(50_000);
    let body = with(least_update(), &json!({"text": text}));
    let path = "/v1/Incidents/100";
    let headers = [("idempotency-key", "k")];
    let put = async || send(&service, (Method::PUT, path), &headers, Some(&body)).await;
    assert!(!is_replayed(&put().await));
    let again = put().await;
    assert!(is_replayed(&again));
    assert_eq!(again.json()["text"], text.as_str());
    let kept = service.store().read(|session| dump(session, "answers"));
    let kept: Result<_, StoreError> = kept.await;
    let kept = kept.expect("the rows");
    assert!(kept.contains("updateIncident"), "{kept}");
    assert!(kept.len() < 1_000, "{} bytes", kept.len());
}

/// During an upgrade of several processes, those of the last version still store whole records.
#[tokio::test]
async fn what_the_last_version_stored_is_no_copy_to_answer_with() {
    let service = plant().await;
    let first = create(&service, "k", &least()).await;
    let body = first.text();
    let as_before = service.store().write(move |session| {
        let sql = "UPDATE answers SET record_id = NULL, body = ?1";
        session.execute(sql, &[(&body).into()])
    });
    let as_before: Result<_, StoreError> = as_before.await;
    assert_eq!(as_before.expect("updated"), 1);
    let path = format!("{INCIDENTS}/{}", first.json()["id"]);
    let changed = service.put(&path, &least_update()).await;
    let again = create(&service, "k", &least()).await;
    assert!(is_replayed(&again));
    assert_eq!(again.text(), changed.text());
}

#[tokio::test]
async fn figures_are_answered_again_as_they_were() {
    let service = values_written::plant().await;
    let path = "/v1/Datasources/1/values/batch";
    let values = json!([
        values_written::value(1, "2025-06-01T06:00:00Z"),
        values_written::value(2, "2025-06-01T06:00:00Z")
    ]);
    let headers = [("idempotency-key", "k")];
    let add = async || send(&service, (Method::POST, path), &headers, Some(&values)).await;
    assert!(!is_replayed(&add().await));
    let ids = json!([1, 2, 3]);
    let take = async || send(&service, (Method::DELETE, path), &headers, Some(&ids)).await;
    assert_eq!(take().await.text(), "2");
    let again = (add().await, take().await);
    assert!(is_replayed(&again.0) && is_replayed(&again.1));
    assert_eq!(again.0.json(), json!({"total": 2}));
    assert_eq!(again.1.text(), "2");
    assert_eq!(count(&service, "datasource_values").await, 0);
}

/// 64 KiB of a body are digested at a time: what comes after them counts as well.
#[tokio::test]
async fn bodies_that_differ_only_far_from_their_beginning_are_two_requests() {
    let service = plant().await;
    let long = |last: &str| {
        with(
            least(),
            &json!({"text": format!("{}{last}", "x".repeat(200_000))}),
        )
    };
    assert!(!is_replayed(&create(&service, "k", &long("a")).await));
    create(&service, "k", &long("b"))
        .await
        .is_problem(422, "idempotency.mismatch");
    assert!(is_replayed(&create(&service, "k", &long("a")).await));
}

/// Three keys a day, the first of them used 100 s before the last.
#[tokio::test]
async fn a_client_with_too_many_keys_waits_until_the_oldest_expires() {
    let service = plant_with(|config| {
        config.limits.idempotency_keys = 3;
        config.token_lifetime *= 7;
    })
    .await;
    for key in ["a", "b", "c"] {
        assert!(!is_replayed(&create(&service, key, &titled(key)).await));
        service.clock.advance(50);
    }
    let before = everything(&service).await;
    let refused = create(&service, "d", &least()).await;
    refused.is_problem(429, "idempotency.quota");
    assert_eq!(refused.header("retry-after"), (DAY - 150).to_string());
    assert_eq!(everything(&service).await, before);
    assert_eq!(count(&service, "answers").await, 3);

    // Known keys do not count again, and a request without a key needs no quota.
    assert!(is_replayed(&create(&service, "a", &titled("a")).await));
    create(&service, "a", &least())
        .await
        .is_problem(422, "idempotency.mismatch");
    assert_eq!(service.post(INCIDENTS, &least()).await.status, 200);
    // Nor do the keys of others count.
    let token = service.token_for(&ALL).await;
    let request = service.http.post(service.url(INCIDENTS));
    let request = request.bearer_auth(token).header("idempotency-key", "d");
    assert!(!is_replayed(&Answer::of(request.json(&least())).await));

    service.clock.advance(DAY - 151);
    create(&service, "d", &least())
        .await
        .is_problem(429, "idempotency.quota");
    service.clock.advance(1);
    assert!(!is_replayed(&create(&service, "d", &least()).await));
    let refused = create(&service, "e", &least()).await;
    refused.is_problem(429, "idempotency.quota");
    assert_eq!(refused.header("retry-after"), "50");
    // An expired key that is used again is a new one.
    service.clock.advance(50);
    assert!(!is_replayed(&create(&service, "a", &least()).await));
    create(&service, "e", &least())
        .await
        .is_problem(429, "idempotency.quota");
}

/// Without the key, the retry of a client that lost its connection would fail because of its own first
/// attempt.
#[tokio::test]
async fn a_conditional_write_may_be_repeated() {
    let service = plant().await;
    let path = "/v1/Incidents/100";
    let read = service.get(path).await;
    let headers = [("if-match", read.header("etag")), ("idempotency-key", "k")];
    let body = with(least_update(), &json!({"title": "Bigger"}));
    let write = async || send(&service, (Method::PUT, path), &headers, Some(&body)).await;
    let first = write().await;
    assert!(!is_replayed(&first));
    let again = write().await;
    assert!(is_replayed(&again));
    assert_eq!(again.body, first.body);
}

#[tokio::test]
async fn a_key_belongs_to_one_request_of_one_client_and_one_operation() {
    let service = plant().await;
    let first = create(&service, "k", &least()).await;
    assert!(!is_replayed(&first));
    let before = everything(&service).await;
    let other = create(&service, "k", &titled("Another")).await;
    other.is_problem(422, "idempotency.mismatch");
    // A body is compared by its bytes: the same content in another notation is another request.
    let headers = [("idempotency-key", "k")];
    let asked = (Method::POST, "/v1/Incidents?x=1");
    let elsewhere = send(&service, asked, &headers, Some(&least())).await;
    elsewhere.is_problem(422, "idempotency.mismatch");
    assert_eq!(everything(&service).await, before);
    let asked = (Method::POST, "/v1/incidents");
    assert!(is_replayed(
        &send(&service, asked, &headers, Some(&least())).await
    ));

    let token = service.token_for(&ALL).await;
    let request = service.http.post(service.url(INCIDENTS));
    let request = request.bearer_auth(token).header("idempotency-key", "k");
    let theirs = Answer::of(request.json(&least())).await;
    assert!(!is_replayed(&theirs));
    assert_ne!(theirs.json()["id"], first.json()["id"]);

    let put = async |id: i32, title: &str| {
        let path = format!("{INCIDENTS}/{id}");
        let body = with(least_update(), &json!({"title": title}));
        send(&service, (Method::PUT, &path), &headers, Some(&body)).await
    };
    assert!(!is_replayed(&put(100, "a").await));
    assert!(is_replayed(&put(100, "a").await));
    put(101, "a").await.is_problem(422, "idempotency.mismatch");
    put(100, "b").await.is_problem(422, "idempotency.mismatch");
}

#[tokio::test]
async fn what_is_refused_may_be_mended_under_its_key() {
    let service = plant().await;
    let unknown = with(least(), &json!({"areaId": 99}));
    for _ in 0..2 {
        create(&service, "k", &unknown)
            .await
            .is_problem(422, "reference.unknown");
    }
    create(&service, "k", &json!({}))
        .await
        .is_problem(400, "body.invalid");
    assert_eq!(count(&service, "answers").await, 0);
    assert!(!is_replayed(&create(&service, "k", &least()).await));
    assert!(is_replayed(&create(&service, "k", &least()).await));
}

/// The purge never comes in this test: age alone decides.
#[tokio::test]
async fn after_a_day_a_key_is_new_purged_or_not() {
    // The token has to live as long as the test.
    let service = plant_with(|config| config.token_lifetime *= 7).await;
    let first = create(&service, "k", &least()).await;
    service.clock.advance(DAY - 1);
    assert!(is_replayed(&create(&service, "k", &least()).await));
    service.clock.advance(1);
    let second = create(&service, "k", &titled("Next day")).await;
    assert!(!is_replayed(&second));
    assert_ne!(second.json()["id"], first.json()["id"]);
    assert_eq!(count(&service, "answers").await, 1);
    // Its own day begins with it.
    service.clock.advance(DAY - 1);
    assert!(is_replayed(
        &create(&service, "k", &titled("Next day")).await
    ));
}

#[tokio::test]
async fn old_answers_are_removed_on_their_own() {
    let service = plant_with(|config| config.limits.purge = Duration::from_millis(10)).await;
    create(&service, "old", &least()).await;
    service.clock.advance(DAY / 2);
    create(&service, "young", &least()).await;
    assert_eq!(count(&service, "answers").await, 2);
    service.clock.advance(DAY / 2);
    let removed = async { while count(&service, "answers").await != 1 {} };
    tokio::time::timeout(Duration::from_secs(10), removed)
        .await
        .expect("removed");
    assert!(is_replayed(&create(&service, "young", &least()).await));
}

/// Of many at once, over two services on one database, one is done and all get its answer.
#[tokio::test]
async fn requests_at_once_under_one_key_are_one() {
    const ROUNDS: usize = 10;
    // A token is valid for both if both have the same issuer.
    let named = |config: &mut Config| config.auth_url = Some("http://plant.example".to_owned());
    let one = Arc::new(plant_with(named).await);
    let two = Arc::new(Service::start_on(Arc::clone(&one.database), named).await);
    // The same client at both: a key is a client's own.
    let token = one.token().to_owned();
    let incidents = count(&one, "incidents").await;
    for round in 0..ROUNDS {
        let mut tries = JoinSet::new();
        for at in 0..8 {
            let service = Arc::clone(if at % 2 == 0 { &one } else { &two });
            let request = service.http.post(service.url(INCIDENTS));
            let request = request.bearer_auth(&token).json(&least());
            let request = request.header("idempotency-key", format!("round-{round}"));
            tries.spawn(Answer::of(request));
        }
        let answers = tries.join_all().await;
        let bodies: Vec<_> = answers.iter().map(Answer::text).collect();
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
        let first = answers.iter().filter(|answer| !is_replayed(answer));
        assert_eq!(first.count(), 1);
    }
    let made = count(&one, "incidents").await - incidents;
    assert_eq!(made, i64::try_from(ROUNDS).expect("a few"));
}

#[tokio::test]
async fn a_key_that_is_none_is_named() {
    let service = plant().await;
    let before = everything(&service).await;
    for (odd, complaint) in [
        (
            "a b",
            "expected visible ASCII characters, plain or as a string in double quotes, found `a b`",
        ),
        ("", "expected 1 to 255 characters, found 0"),
    ] {
        let refused = create(&service, odd, &least()).await;
        let problem = refused.is_problem(400, "header.invalid");
        assert_eq!(problem["errors"]["Idempotency-Key"], json!([complaint]));
    }
    let headers = [("idempotency-key", "a"), ("idempotency-key", "b")];
    let twice = send(
        &service,
        (Method::POST, INCIDENTS),
        &headers,
        Some(&least()),
    )
    .await;
    let problem = twice.is_problem(400, "header.invalid");
    assert_eq!(
        problem["errors"]["Idempotency-Key"],
        json!(["it is given more than once"])
    );
    assert_eq!(everything(&service).await, before);
}
