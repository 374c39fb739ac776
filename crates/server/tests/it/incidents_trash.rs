//! DELETE /v1/Incidents/{id} and PUT /v1/Incidents/trash/{id}/restore: into the trash and back, with nothing
//! lost on the way.

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{accepted, everything, least_update, plant, refused, with};
use crate::support::sql::with_words;
use crate::support::{ALL, Answer, Service};

const PATH: &str = "/v1/Incidents/100";
const RESTORE: &str = "/v1/Incidents/trash/100/restore";

/// The retention of the trash, in seconds.
const THIRTY_DAYS: i64 = 30 * 86_400;

async fn delete(service: &Service, path: &str) -> Answer {
    Answer::of(service.request(Method::DELETE, path)).await
}

async fn restore(service: &Service, path: &str) -> Answer {
    Answer::of(service.request(Method::PUT, path)).await
}

/// A request this many seconds later, with a token of that time.
async fn later(service: &Service, seconds: i64, method: Method, path: &str) -> Answer {
    service.clock.advance(seconds);
    let token = service.token_for(&ALL).await;
    let request = service.http.request(method, service.url(path));
    Answer::of(request.bearer_auth(&token)).await
}

/// The tables without stamps and the marks of deletion.
async fn unstamped(service: &Service) -> String {
    let text = everything(service).await;
    let mut kept = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        if line.starts_with("stamps:") {
            continue;
        }
        if line.starts_with("incidents:") {
            // last_modified and deleted_date; after them are the place and who changed it last.
            let mut columns: Vec<&str> = line.split(", ").collect();
            columns.drain(columns.len() - 6..columns.len() - 4);
            line = columns.join(", ");
        }
        kept.push_str(&line);
        kept.push('\n');
    }
    kept
}

/// An incident with something of everything that can hang on one.
async fn filled() -> Service {
    let service = plant().await;
    let body = with(
        least_update(),
        &json!({
            "text": "Left flange", "followUpGroupId": 4, "responsibleUserId": "u-104", "areaId": 2, "projectId": 8,
            "status": "Resolved", "evaluationStatus": "Good", "evaluationText": "Held",
        }),
    );
    accepted(&service, "PUT", PATH, &body).await;
    let changed = service.store().write(|session| {
        for sql in [
            "UPDATE incidents SET number_of_actions = 3, number_of_attachments = 2 WHERE id = 100",
            "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, registration_date) VALUES (100, 61, 'M-1', 50)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, obeya_server::store::StoreError>(())
    });
    changed.await.expect("the rows fit the schema");
    service.clock.advance(60);
    service
}

#[tokio::test]
async fn a_restored_incident_is_what_it_was_field_by_field() {
    let service = filled().await;
    let record = accepted(&service, "PUT", &format!("{PATH}/externalId"), &json!("c7")).await;
    let comments = "/v2/incidents/comments?$expand=incident,parent";
    let second = "/v2/incidents/100?$expand=comments,type";
    let by_v2 = service.get(second).await.text();
    let (listed, rows) = (
        service.get(comments).await.text(),
        unstamped(&service).await,
    );
    assert!(listed.contains("Known"), "{listed}");

    service.clock.advance(60);
    let answer = delete(&service, PATH).await;
    assert_eq!((answer.status, answer.text().as_str()), (200, ""));
    assert_eq!(answer.header("content-type"), "");

    service.clock.advance(60);
    let answer = restore(&service, RESTORE).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut restored = answer.json();
    assert_eq!(restored["lastModified"], "2025-06-02T08:03:00Z");
    restored["lastModified"] = record["lastModified"].clone();
    assert_eq!(restored, record);
    // The numbers of comments, actions and attachments among them.
    assert_eq!(
        [
            &record["numberOfComments"],
            &record["numberOfActions"],
            &record["numberOfAttachments"]
        ],
        [&json!(2), &json!(3), &json!(2)]
    );

    assert_eq!(unstamped(&service).await, rows);
    let stamp = record["lastModified"].as_str().expect("a timestamp");
    let after = service.get(comments).await.text();
    assert_eq!(after.replace("2025-06-02T08:03:00Z", stamp), listed);
    let after = service.get(second).await.text();
    assert_eq!(after.replace("2025-06-02T08:03:00Z", stamp), by_v2);
    for (index, word, ids) in [
        ("incidents_search", "flange", vec![100]),
        ("comments_search", "known", vec![2]),
    ] {
        assert_eq!(
            with_words(service.store(), index, &[word]).await,
            ids,
            "{word}"
        );
    }
    assert_eq!(
        service
            .get("/v2/incidents/comments?$search=known")
            .await
            .json()["value"][0]["id"],
        2
    );
}

#[tokio::test]
async fn the_trash_shows_the_incident_as_it_was_deleted() {
    let service = filled().await;
    let record = accepted(&service, "PUT", &format!("{PATH}/externalId"), &json!("c7")).await;
    service.clock.advance(60);
    delete(&service, PATH).await;
    let listed = service
        .get("/v1/Incidents/trash?$filter=id eq 100")
        .await
        .json();
    assert_eq!(listed["total"], 1);
    let shown = listed["values"][0].as_object().expect("an incident");
    for (name, value) in shown {
        let expected = match name.as_str() {
            "lastModified" => &json!("2025-06-02T08:02:00Z"),
            other => &record[other],
        };
        assert_eq!(value, expected, "{name}");
    }
    assert!(shown.len() > 25, "{listed:#}");
}

#[tokio::test]
async fn a_deleted_incident_is_found_nowhere_else() {
    let service = plant().await;
    delete(&service, PATH).await;
    for path in [
        "/v1/Incidents/100",
        "/v2/incidents/100",
        "/v2/incidents/100/comments",
        "/v2/incidents/comments/1",
        "/v2/comments(1)/incident",
    ] {
        service.get(path).await.is_problem(404, "not_found");
    }
    for list in [
        "/v2/incidents/comments",
        "/v2/incidents/comments?$search=known",
        "/v2/incidents/comments?$filter=incidentId eq 100",
        "/v2/incidents?$filter=id eq 100",
        "/v2/incidents?$search=crack",
    ] {
        assert_eq!(service.get(list).await.json()["value"], json!([]), "{list}");
    }
    for (path, body) in [
        (PATH.to_owned(), least_update()),
        (format!("{PATH}/causes"), json!([{"id": 41}])),
        (format!("{PATH}/consequences"), json!([])),
        (format!("{PATH}/externalId"), json!("c8")),
    ] {
        refused(&service, "PUT", &path, &body, 404, "not_found").await;
    }
}

#[tokio::test]
async fn each_step_has_a_stamp_of_its_own() {
    let service = plant().await;
    // The clock is stopped; stamps still increase.
    let mut last = stamp(&service).await;
    for _ in 0..3 {
        assert_eq!(delete(&service, PATH).await.status, 200);
        let deleted = stamp(&service).await;
        assert_eq!(restore(&service, RESTORE).await.status, 200);
        let restored = stamp(&service).await;
        assert!(
            last < deleted && deleted < restored,
            "{last} {deleted} {restored}"
        );
        last = restored;
    }
}

async fn stamp(service: &Service) -> i64 {
    crate::support::sql::number(
        service.store(),
        "SELECT last_modified FROM incidents WHERE id = 100",
    )
    .await
}

#[tokio::test]
async fn what_is_not_there_is_neither_deleted_nor_restored() {
    let service = plant().await;
    let before = everything(&service).await;
    // Unknown, and in the trash already.
    for path in ["/v1/Incidents/999", "/v1/Incidents/102"] {
        let problem = delete(&service, path).await.is_problem(404, "not_found");
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|text| text.starts_with("There is no incident ")),
            "{problem:#}"
        );
    }
    // Unknown, and not deleted.
    for path in [
        "/v1/Incidents/trash/999/restore",
        "/v1/Incidents/trash/100/restore",
    ] {
        let problem = restore(&service, path).await.is_problem(404, "not_found");
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|text| text.starts_with("There is no deleted incident ")),
            "{problem:#}"
        );
    }
    delete(&service, "/v1/Incidents/x")
        .await
        .is_problem(400, "path.invalid");
    restore(&service, "/v1/Incidents/trash/x/restore")
        .await
        .is_problem(400, "path.invalid");
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn an_incident_can_be_restored_for_30_days() {
    let service = plant().await;
    delete(&service, PATH).await;
    let restored = later(&service, THIRTY_DAYS - 1, Method::PUT, RESTORE).await;
    assert_eq!(restored.status, 200);

    let deleted = later(&service, 0, Method::DELETE, PATH).await;
    assert_eq!(deleted.status, 200);
    // Whether it has been purged by now or not.
    let gone = later(&service, THIRTY_DAYS, Method::PUT, RESTORE).await;
    gone.is_problem(404, "not_found");
}

#[tokio::test]
async fn deleting_again_counts_the_30_days_anew() {
    let service = plant().await;
    delete(&service, PATH).await;
    restore(&service, RESTORE).await;
    later(&service, THIRTY_DAYS, Method::DELETE, PATH).await;
    let trash = "/v1/Incidents/trash";
    let listed = later(&service, THIRTY_DAYS - 1, Method::GET, trash).await;
    let listed = listed.json();
    assert_eq!(listed["values"][0]["id"], 100, "{listed:#}");
}

#[tokio::test]
async fn the_reporter_of_an_anonymous_incident_stays_hidden_on_the_way() {
    let service = plant().await;
    assert_eq!(delete(&service, "/v1/Incidents/101").await.status, 200);
    let listed = service
        .get("/v1/Incidents/trash?$filter=id eq 101")
        .await
        .json();
    let restored = restore(&service, "/v1/Incidents/trash/101/restore").await;
    for record in [&listed["values"][0], &restored.json()] {
        assert_eq!(record["isAnonymous"], true);
        assert_eq!(
            (&record["reportedBy"], &record["reportedByUserId"]),
            (&Value::Null, &Value::Null)
        );
    }
}

#[tokio::test]
async fn reading_alone_lets_nobody_delete_or_restore() {
    let service = plant().await;
    let reader = service
        .token_for(&["Incidents.Read", "public.api.read"])
        .await;
    for (method, path) in [(Method::DELETE, PATH), (Method::PUT, RESTORE)] {
        let request = service.http.request(method, service.url(path));
        let answer = Answer::of(request.bearer_auth(&reader)).await;
        answer.is_problem(403, "scope.missing");
    }
    let writer = service.token_for(&["Incidents.ReadWrite"]).await;
    let request = service.http.delete(service.url(PATH)).bearer_auth(&writer);
    assert_eq!(Answer::of(request).await.status, 200);
}
