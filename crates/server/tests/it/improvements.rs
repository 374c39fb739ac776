//! PUT /v1/Improvements/{improvementId}

use serde_json::{Value, json};

use crate::incidents_plant::{NOW, accepted, plant, refused};

const PATH: &str = "/v1/Improvements/317";

#[tokio::test]
async fn a_body_with_one_property_changes_it_and_the_stamp() {
    let service = plant().await;
    let improvement = accepted(&service, "PUT", PATH, &json!({"title": "Third clamp"})).await;
    let expected = json!({
        "id": 317, "status": "Planned", "priorityStatus": "NotPrioritized", "groupId": 4, "group": "Assembly team", "text": null, "title": "Third clamp",
        "categoryId": null, "category": null, "projectId": null, "project": null, "lastModified": NOW, "lastModifiedByUserId": null,
        "suggestedByUserId": "u-117", "suggestedBy": "Tomas Berg", "suggestionDate": "2025-05-23T11:33:20Z", "dueDate": "1970-01-01T00:00:00.000007Z",
        "plannedDate": "2025-05-24T15:20:00Z", "inProgressDate": null, "implementedDate": null, "evaluatedDate": null, "archivedDate": null,
        "responsibleUserId": null, "responsibleUser": null, "responsibleDisplayName": null, "attachmentCount": 0, "actionListCount": 0,
        "commentCount": 0, "likeCount": 5, "externalId": null, "costOfInvestment": 4200.0, "gainOfInvestment": null, "costOfInvestmentHours": null,
        "gainOfInvestmentHours": null, "estimatedCostOfInvestment": null, "estimatedGainOfInvestment": null, "estimatedCostOfInvestmentHours": null,
        "estimatedGainOfInvestmentHours": null, "evaluationStatus": null, "evaluationText": null,
    });
    assert_eq!(improvement, expected);
}

#[tokio::test]
async fn every_property_can_be_set_and_emptied() {
    let service = plant().await;
    let body = json!({
        "title": "Third clamp", "suggestedByUserId": "u-104", "status": "InProgress", "priorityStatus": "LowEffortHighEffect", "groupId": 5,
        "text": "At station 4", "categoryId": 12, "projectId": 8, "dueDate": "2025-09-01T00:00:00", "responsibleUserId": "u-117", "externalId": "i-9",
        "costOfInvestment": 1.5, "gainOfInvestment": 2.5, "costOfInvestmentHours": 3.5, "gainOfInvestmentHours": 4.5, "estimatedCostOfInvestment": 5.5,
        "estimatedGainOfInvestment": 6.5, "estimatedCostOfInvestmentHours": 7.5, "estimatedGainOfInvestmentHours": 8.5, "evaluationStatus": "Bad",
        "evaluationText": "Too early",
    });
    let improvement = accepted(&service, "PUT", PATH, &body).await;
    for (field, value) in body.as_object().expect("an object") {
        let expected = if field == "dueDate" {
            &json!("2025-09-01T00:00:00Z")
        } else {
            value
        };
        assert_eq!(&improvement[field], expected, "{field}");
    }
    let names = [
        "group",
        "category",
        "project",
        "suggestedBy",
        "responsibleUser",
        "responsibleDisplayName",
        "inProgressDate",
    ];
    let values = [
        "Night shift",
        "Quality",
        "New line",
        "Ingrid Solheim",
        "tomas.berg",
        "Tomas Berg",
        NOW,
    ];
    for (name, value) in names.iter().zip(values) {
        assert_eq!(improvement[name], value, "{name}");
    }

    // Every property that may be empty, emptied.
    let kept = ["status", "priorityStatus"];
    let nulls: Value = body
        .as_object()
        .expect("an object")
        .keys()
        .filter(|field| !kept.contains(&field.as_str()))
        .map(|field| (field.clone(), Value::Null))
        .collect();
    let improvement = accepted(&service, "PUT", PATH, &nulls).await;
    for field in nulls.as_object().expect("an object").keys() {
        assert_eq!(improvement[field], Value::Null, "{field}");
    }
    assert_eq!(
        (
            &improvement["status"],
            &improvement["priorityStatus"],
            &improvement["suggestedBy"]
        ),
        (
            &json!("InProgress"),
            &json!("LowEffortHighEffect"),
            &Value::Null
        )
    );
}

#[tokio::test]
async fn stages_write_their_dates_and_going_back_empties_the_later_ones() {
    let service = plant().await;
    service.clock.advance(60);
    let implemented = accepted(&service, "PUT", PATH, &json!({"status": "Implemented"})).await;
    assert_eq!(
        (
            &implemented["inProgressDate"],
            &implemented["implementedDate"]
        ),
        (&Value::Null, &json!("2025-06-02T08:01:00Z"))
    );
    let back = accepted(&service, "PUT", PATH, &json!({"status": "Planned"})).await;
    assert_eq!(
        (&back["plannedDate"], &back["implementedDate"]),
        (&json!("2025-05-24T15:20:00Z"), &Value::Null)
    );
}

#[tokio::test]
async fn archived_and_brought_back_to_its_stage() {
    let service = plant().await;
    let archived = accepted(&service, "PUT", PATH, &json!({"status": "Archived"})).await;
    assert_eq!(
        (&archived["status"], &archived["archivedDate"]),
        (&json!("Archived"), &json!(NOW))
    );
    refused(
        &service,
        "PUT",
        PATH,
        &json!({"status": "Planned"}),
        409,
        "improvement.transition",
    )
    .await;
    let back = accepted(&service, "PUT", PATH, &json!({"status": "Activated"})).await;
    assert_eq!(
        (&back["status"], &back["archivedDate"], &back["plannedDate"]),
        (
            &json!("Planned"),
            &Value::Null,
            &json!("2025-05-24T15:20:00Z")
        )
    );
    // No date implies this one: it must have been stored.
    let open = "/v1/Improvements/319";
    accepted(&service, "PUT", open, &json!({"status": "Archived"})).await;
    let back = accepted(&service, "PUT", open, &json!({"status": "Activated"})).await;
    assert_eq!(
        (&back["status"], &back["suggestionDate"]),
        (&json!("Open"), &Value::Null)
    );
    // Imported as archived: the last stage that has a date.
    let imported = accepted(
        &service,
        "PUT",
        "/v1/Improvements/318",
        &json!({"status": "Activated"}),
    )
    .await;
    assert_eq!(imported["status"], "Suggested");
}

#[tokio::test]
async fn what_may_not_follow_is_refused() {
    let service = plant().await;
    let problem = refused(
        &service,
        "PUT",
        PATH,
        &json!({"status": "Activated", "title": "x"}),
        409,
        "improvement.transition",
    )
    .await;
    assert_eq!(
        problem["detail"],
        "An improvement that is Planned cannot become Activated. From Planned it may become Suggested, InProgress, Implemented, Evaluated or Archived."
    );
    refused(
        &service,
        "PUT",
        PATH,
        &json!({"status": "Open"}),
        409,
        "improvement.transition",
    )
    .await;
    refused(
        &service,
        "PUT",
        "/v1/Improvements/319",
        &json!({"status": "Planned"}),
        409,
        "improvement.transition",
    )
    .await;
    assert_eq!(
        accepted(
            &service,
            "PUT",
            "/v1/Improvements/319",
            &json!({"status": "Suggested"})
        )
        .await["suggestionDate"],
        NOW
    );
}

/// DECISIONS.md, section 4: 409 before 422.
#[tokio::test]
async fn what_may_not_follow_is_reported_before_what_does_not_exist() {
    let service = plant().await;
    let body = json!({"status": "Activated", "groupId": 99});
    refused(&service, "PUT", PATH, &body, 409, "improvement.transition").await;
    let body = json!({"status": "InProgress", "groupId": 99});
    refused(&service, "PUT", PATH, &body, 422, "reference.unknown").await;
}

#[tokio::test]
async fn what_breaks_the_schema_is_refused() {
    let service = plant().await;
    let cases = [
        (json!({"title": "x".repeat(101)}), "title"),
        (json!({"status": "Done"}), "status"),
        (json!({"priorityStatus": "High"}), "priorityStatus"),
        (json!({"evaluationStatus": "Smile"}), "evaluationStatus"),
        (json!({"status": null}), "status"),
        (json!({"priorityStatus": null}), "priorityStatus"),
        (json!({"groupId": "4"}), "groupId"),
        (json!({"costOfInvestment": "1"}), "costOfInvestment"),
        (json!({"dueDate": "2025-13-01T00:00:00Z"}), "dueDate"),
    ];
    for (body, field) in cases {
        let problem = refused(&service, "PUT", PATH, &body, 400, "body.invalid").await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
    let title = "ø".repeat(100);
    assert_eq!(
        accepted(&service, "PUT", PATH, &json!({"title": title})).await["title"],
        title.as_str()
    );
    assert_eq!(
        accepted(&service, "PUT", PATH, &json!({"title": ""})).await["title"],
        ""
    );
}

#[tokio::test]
async fn what_does_not_exist_is_named() {
    let service = plant().await;
    for field in ["groupId", "categoryId", "projectId"] {
        let problem = refused(
            &service,
            "PUT",
            PATH,
            &json!({field: 99}),
            422,
            "reference.unknown",
        )
        .await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
    for field in ["suggestedByUserId", "responsibleUserId"] {
        let problem = refused(
            &service,
            "PUT",
            PATH,
            &json!({field: "u-x"}),
            422,
            "reference.unknown",
        )
        .await;
        assert_eq!(
            problem["errors"],
            json!({field: ["there is no user `u-x`"]})
        );
    }
    refused(
        &service,
        "PUT",
        "/v1/Improvements/99",
        &json!({}),
        404,
        "not_found",
    )
    .await;
    refused(
        &service,
        "PUT",
        "/v1/Improvements/x",
        &json!({}),
        400,
        "path.invalid",
    )
    .await;
}
