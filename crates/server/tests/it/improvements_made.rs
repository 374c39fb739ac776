//! POST /v1/Improvements and DELETE /v1/Improvements/{improvementId}

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{NOW, accepted, everything, plant, refused, with};
use crate::support::{Answer, Service};

const LIST: &str = "/v1/Improvements";

/// The body with only the required properties.
fn least() -> Value {
    json!({"title": "Light above station 5", "suggestedByUserId": "u-117"})
}

async fn delete(service: &Service, path: &str) -> Answer {
    Answer::of(service.request(Method::DELETE, path)).await
}

#[tokio::test]
async fn the_least_body_makes_a_suggestion_of_now() {
    let service = plant().await;
    let made = accepted(&service, "POST", LIST, &least()).await;
    let expected = json!({
        "id": 320, "status": "Suggested", "priorityStatus": "NotPrioritized", "groupId": null, "group": null, "text": null,
        "title": "Light above station 5", "categoryId": null, "category": null, "projectId": null, "project": null, "lastModified": NOW,
        "lastModifiedByUserId": null, "suggestedByUserId": "u-117", "suggestedBy": "Tomas Berg", "suggestionDate": NOW, "dueDate": null,
        "plannedDate": null, "inProgressDate": null, "implementedDate": null, "evaluatedDate": null, "archivedDate": null,
        "responsibleUserId": null, "responsibleUser": null, "responsibleDisplayName": null, "attachmentCount": 0, "actionListCount": 0,
        "commentCount": 0, "likeCount": 0, "externalId": null, "costOfInvestment": null, "gainOfInvestment": null, "costOfInvestmentHours": null,
        "gainOfInvestmentHours": null, "estimatedCostOfInvestment": null, "estimatedGainOfInvestment": null,
        "estimatedCostOfInvestmentHours": null, "estimatedGainOfInvestmentHours": null, "evaluationStatus": null, "evaluationText": null,
    });
    assert_eq!(made, expected);
}

#[tokio::test]
async fn every_property_of_the_body_is_kept() {
    let service = plant().await;
    let body = json!({
        "title": "Third clamp", "suggestedByUserId": "u-104", "status": "InProgress", "priorityStatus": "LowEffortHighEffect", "groupId": 5,
        "text": "At station 4", "categoryId": 12, "projectId": 8, "dueDate": "2025-09-01T00:00:00Z", "responsibleUserId": "u-117", "externalId": "i-9",
        "costOfInvestment": 1.5, "gainOfInvestment": 2.5, "costOfInvestmentHours": 3.5, "gainOfInvestmentHours": 4.5, "estimatedCostOfInvestment": 5.5,
        "estimatedGainOfInvestment": 6.5, "estimatedCostOfInvestmentHours": 7.5, "estimatedGainOfInvestmentHours": 8.5, "evaluationStatus": "Bad",
        "evaluationText": "Too early",
    });
    let made = accepted(&service, "POST", LIST, &body).await;
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(&made[field], value, "{field}");
    }
    // As it is read back by a write that changes nothing.
    service.clock.advance(60);
    let path = format!("{LIST}/{}", made["id"]);
    let read = accepted(&service, "PUT", &path, &json!({})).await;
    assert_eq!(read["lastModified"], NOW);
    assert_eq!(read, made);
    // What may be empty may be null.
    let nulls: Value = body
        .as_object()
        .expect("an object")
        .keys()
        .filter(|field| {
            !["title", "suggestedByUserId", "status", "priorityStatus"].contains(&field.as_str())
        })
        .map(|field| (field.clone(), Value::Null))
        .collect();
    let made = accepted(&service, "POST", LIST, &with(nulls.clone(), &least())).await;
    for field in nulls.as_object().expect("an object").keys() {
        assert_eq!(made[field], Value::Null, "{field}");
    }
}

#[tokio::test]
async fn the_stage_it_is_made_in_has_its_date_beside_the_suggestion() {
    let service = plant().await;
    for (status, date) in [
        ("Suggested", "suggestionDate"),
        ("Planned", "plannedDate"),
        ("InProgress", "inProgressDate"),
        ("Implemented", "implementedDate"),
        ("Evaluated", "evaluatedDate"),
        ("Archived", "archivedDate"),
        ("Open", "suggestionDate"),
    ] {
        let body = with(least(), &json!({"status": status}));
        let made = accepted(&service, "POST", LIST, &body).await;
        assert_eq!(made["status"], status);
        let dated: Vec<&str> = [
            "suggestionDate",
            "plannedDate",
            "inProgressDate",
            "implementedDate",
            "evaluatedDate",
            "archivedDate",
        ]
        .into_iter()
        .filter(|name| made[*name] == NOW)
        .collect();
        let mut expected = vec!["suggestionDate"];
        expected.extend(Some(date).filter(|date| *date != "suggestionDate"));
        assert_eq!(dated, expected, "{status}");
    }
    let body = with(least(), &json!({"status": "Activated"}));
    let problem = refused(&service, "POST", LIST, &body, 409, "improvement.transition").await;
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(
        detail.contains("Suggested cannot become Activated"),
        "{detail}"
    );
}

#[tokio::test]
async fn each_wrong_body_is_refused_and_its_field_named() {
    let service = plant().await;
    let long = "x".repeat(101);
    for (more, field) in [
        (json!({"title": null}), "title"),
        (json!({"title": long}), "title"),
        (json!({"suggestedByUserId": null}), "suggestedByUserId"),
        (json!({"status": null}), "status"),
        (json!({"status": "Done"}), "status"),
        (json!({"priorityStatus": null}), "priorityStatus"),
        (json!({"priorityStatus": "Urgent"}), "priorityStatus"),
        (json!({"evaluationStatus": "Fine"}), "evaluationStatus"),
        (json!({"groupId": "4"}), "groupId"),
        (json!({"dueDate": "tomorrow"}), "dueDate"),
        (json!({"costOfInvestment": "1"}), "costOfInvestment"),
    ] {
        let body = with(least(), &more);
        let problem = refused(&service, "POST", LIST, &body, 400, "body.invalid").await;
        assert!(problem["errors"][field].is_array(), "{more}: {problem:#}");
    }
    for missing in ["title", "suggestedByUserId"] {
        let mut body = least();
        body.as_object_mut().expect("an object").remove(missing);
        let problem = refused(&service, "POST", LIST, &body, 400, "body.invalid").await;
        assert!(problem.to_string().contains(missing), "{problem:#}");
    }
    for (field, value) in [
        ("groupId", json!(99)),
        ("categoryId", json!(99)),
        ("projectId", json!(99)),
        ("suggestedByUserId", json!("u-999")),
        ("responsibleUserId", json!("u-999")),
    ] {
        let body = with(least(), &json!({field: value}));
        let problem = refused(&service, "POST", LIST, &body, 422, "reference.unknown").await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
}

/// A client that reads everything after the last stamp it saw must miss no record.
#[tokio::test]
async fn each_has_a_stamp_of_its_own_though_the_clock_stands() {
    let service = plant().await;
    for stamp in [NOW, "2025-06-02T08:00:00.0000001Z"] {
        let made = accepted(&service, "POST", LIST, &least()).await;
        assert_eq!(made["lastModified"], stamp);
    }
}

#[tokio::test]
async fn a_title_may_have_a_hundred_characters_and_none() {
    let service = plant().await;
    for title in [String::new(), "ø".repeat(100)] {
        let body = with(least(), &json!({"title": title}));
        assert_eq!(
            accepted(&service, "POST", LIST, &body).await["title"],
            title
        );
    }
}

#[tokio::test]
async fn a_deleted_improvement_is_gone_for_good_and_so_is_its_id() {
    let service = plant().await;
    let made = accepted(&service, "POST", LIST, &least()).await;
    let id = made["id"].as_i64().expect("an id");
    let path = format!("{LIST}/{id}");
    let answer = delete(&service, &path).await;
    assert_eq!((answer.status, answer.text().as_str()), (200, ""));
    refused(&service, "PUT", &path, &json!({}), 404, "not_found").await;
    delete(&service, &path).await.is_problem(404, "not_found");
    let next = accepted(&service, "POST", LIST, &least()).await;
    assert_eq!(next["id"], id + 1);
}

#[tokio::test]
async fn only_that_one_is_deleted() {
    let service = plant().await;
    let before = everything(&service).await;
    for (path, status, code) in [
        ("/v1/Improvements/999", 404, "not_found"),
        ("/v1/Improvements/x", 400, "path.invalid"),
    ] {
        delete(&service, path).await.is_problem(status, code);
    }
    assert_eq!(everything(&service).await, before);
    assert_eq!(delete(&service, "/v1/Improvements/318").await.status, 200);
    let kept: String = before
        .lines()
        .filter(|line| !line.starts_with("improvements: Int(318)"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(everything(&service).await, kept);
}

#[tokio::test]
async fn incidents_scopes_let_nobody_write_improvements() {
    let service = plant().await;
    let scopes = [
        "Incidents.ReadWrite",
        "Improvements.Read",
        "public.api.read",
    ];
    let token = service.token_for(&scopes).await;
    for (method, path) in [
        (Method::POST, LIST),
        (Method::DELETE, "/v1/Improvements/317"),
    ] {
        let request = service.http.request(method, service.url(path));
        let answer = Answer::of(request.bearer_auth(&token).json(&least())).await;
        answer.is_problem(403, "scope.missing");
    }
    let token = service.token_for(&["Improvements.ReadWrite"]).await;
    let request = service.http.delete(service.url("/v1/Improvements/317"));
    let answer = Answer::of(request.bearer_auth(&token)).await;
    assert_eq!(answer.status, 200);
}
