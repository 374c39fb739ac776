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
use crate::support::{ALL, Answer, Service};

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

/// The rows of a table that a condition holds for.
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
async fn the_answer_is_the_first_one_whatever_became_of_the_record() {
    let service = plant().await;
    let first = create(&service, "k", &least()).await;
    let path = format!("{INCIDENTS}/{}", first.json()["id"]);
    assert_eq!(service.put(&path, &least_update()).await.status, 200);
    assert_eq!(create(&service, "k", &least()).await.body, first.body);

    // Once more, where the work itself would be refused by now.
    let headers = [("idempotency-key", "k")];
    let delete = async || send(&service, (Method::DELETE, path.as_str()), &headers, None).await;
    assert!(!is_replayed(&delete().await));
    assert!(is_replayed(&delete().await));
    let keyless = send(&service, (Method::DELETE, &path), &[], None).await;
    keyless.is_problem(404, "not_found");
    assert_eq!(create(&service, "k", &least()).await.body, first.body);
}

/// What a client that lost its connection sends again would fail by its own first try, were it not for the key.
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
    // A body is compared by its bytes: the same thing in other words is another request.
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
    // A token is good for both if both say who issued it by one name.
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
