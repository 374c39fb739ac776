//! GET /v2/improvements and /v2/improvements/{improvementId}

use serde_json::{Value, json};

use crate::incidents_plant::{accepted, plant};
use crate::support::Service;

const LIST: &str = "/v2/improvements";

/// The improvement 317 of the plant.
fn second_clamp() -> Value {
    json!({
        "id": 317, "status": "Planned", "priorityStatus": "NotPrioritized", "groupId": 4, "text": null, "title": "Second clamp",
        "categoryId": null, "category": null, "projectId": null, "project": null, "lastModified": "1970-01-01T00:00:00.000001Z",
        "lastModifiedByUserId": "u-117", "suggestedByUserId": "u-117", "suggestedBy": "Tomas Berg",
        "suggestionDate": "2025-05-23T11:33:20Z", "dueDate": "1970-01-01T00:00:00.000007Z", "plannedDate": "2025-05-24T15:20:00Z",
        "inProgressDate": null, "implementedDate": null, "evaluatedDate": null, "archivedDate": null,
        "responsibleUserId": null, "responsibleUser": null, "responsibleDisplayName": null, "attachmentCount": 0, "actionListCount": 0,
        "commentCount": 0, "likeCount": 5, "externalId": null, "costOfInvestment": 4200.0, "gainOfInvestment": null, "costOfInvestmentHours": null,
        "gainOfInvestmentHours": null, "estimatedCostOfInvestment": null, "estimatedGainOfInvestment": null, "estimatedCostOfInvestmentHours": null,
        "estimatedGainOfInvestmentHours": null, "evaluationStatus": null, "evaluationText": null,
    })
}

/// The plant, with a responsible user, a category and amounts.
async fn assigned() -> Service {
    let service = plant().await;
    for (id, body) in [
        (
            317,
            json!({"responsibleUserId": "u-104", "categoryId": 12, "gainOfInvestment": 0.5}),
        ),
        (318, json!({"groupId": 4, "costOfInvestment": 0.25})),
        (319, json!({"groupId": 5, "gainOfInvestment": 0.25})),
    ] {
        accepted(&service, "PUT", &format!("/v1/Improvements/{id}"), &body).await;
    }
    service
}

async fn value(service: &Service, path: &str) -> Value {
    let answer = service.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()["value"].take()
}

#[tokio::test]
async fn a_record_is_the_same_in_the_list_and_alone() {
    let service = plant().await;
    let list = value(&service, LIST).await;
    assert_eq!(list[0], second_clamp());
    let ids: Vec<&Value> = list
        .as_array()
        .expect("records")
        .iter()
        .map(|record| &record["id"])
        .collect();
    assert_eq!(ids, [317, 318, 319]);
    for path in [
        "/v2/improvements/317",
        "/v2/Improvements(317)",
        "/v2/improvements(id=317)",
    ] {
        assert_eq!(service.get(path).await.json(), second_clamp(), "{path}");
    }
    let missing = service.get("/v2/improvements/99").await;
    missing.is_problem(404, "not_found");
    let malformed = service.get("/v2/improvements/x").await;
    malformed.is_problem(400, "path.invalid");
    let searched = service.get("/v2/improvements?$search=clamp").await;
    searched.is_problem(400, "odata.option");
}

#[tokio::test]
async fn the_options_act_on_improvements() {
    let service = assigned().await;
    let cases: [(&str, &[i64]); 7] = [
        ("$filter=status eq 'Planned'", &[317]),
        ("$filter=group/name eq 'Assembly team'", &[317, 318]),
        (
            "$filter=responsible/displayName eq 'Ingrid Solheim'",
            &[317],
        ),
        ("$filter=category eq 'Quality'", &[317]),
        ("$filter=plannedDate eq null", &[318, 319]),
        ("$filter=contains(title,'clamp')", &[317]),
        ("$orderby=group/name desc,id desc&$top=2", &[319, 318]),
    ];
    for (options, expected) in cases {
        let list = value(&service, &format!("{LIST}?$select=id&{options}")).await;
        let expected: Vec<Value> = expected.iter().map(|id| json!({"id": id})).collect();
        assert_eq!(list, json!(expected), "{options}");
    }
    let expanded =
        "/v2/improvements/317?$select=id&$expand=group($select=name),responsible($select=userName)";
    assert_eq!(
        service.get(expanded).await.json(),
        json!({"id": 317, "group": {"name": "Assembly team"}, "responsible": {"userName": "ingrid.solheim"}})
    );
}

#[tokio::test]
async fn improvements_are_grouped_in_the_service() {
    let service = assigned().await;
    let by_group = "/v2/improvements?$apply=groupby((group/name),aggregate($count as n,gainOfInvestment with sum as gain,costOfInvestment with sum as cost))";
    assert_eq!(
        value(&service, by_group).await,
        json!([
            {"group": {"name": "Assembly team"}, "n": 2, "gain": 0.5, "cost": 4200.25},
            {"group": {"name": "Night shift"}, "n": 1, "gain": 0.25, "cost": null},
        ])
    );
    let all = "/v2/improvements?$apply=aggregate(gainOfInvestment with sum as gain)";
    assert_eq!(value(&service, all).await, json!([{"gain": 0.75}]));
    let by_month = "/v2/improvements?$apply=filter(suggestionDate ne null)/compute(bin(suggestionDate,'month','UTC') as m)/groupby((m,status),aggregate($count as n))";
    assert_eq!(
        value(&service, by_month).await,
        json!([
            {"m": "2025-05-01T00:00:00Z", "status": "Archived", "n": 1},
            {"m": "2025-05-01T00:00:00Z", "status": "Planned", "n": 1},
        ])
    );
}

#[tokio::test]
async fn other_families_see_id_and_display_name_alone() {
    let service = assigned().await;
    let token = service.token_for(&["Improvements.Read"]).await;
    let path = "/v2/improvements/317?$select=id&$expand=responsible";
    let seen = service.get_as(Some(&token), path).await.json();
    assert_eq!(
        seen["responsible"],
        json!({"id": "u-104", "userName": null, "email": null, "firstName": null, "lastName": null, "displayName": "Ingrid Solheim",
            "externalId": null, "type": null, "businessUnitId": null})
    );
    let hidden = "/v2/improvements?$filter=responsible/userName eq 'ingrid.solheim'";
    let hidden = service.get_as(Some(&token), hidden).await.json();
    assert_eq!(hidden["value"], json!([]));
}
