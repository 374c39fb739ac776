//! The trash over HTTP: its list, its retention, and the format.

use obeya_model::Timestamp;
use serde_json::{Value, json};

use crate::reads_plant::{Incidents, Plant, ids};

const DELETED: &str = "2026-03-01T00:00:00Z";
const PATH: &str = "/v1/Incidents/trash";

async fn plant_at(now: &'static str) -> Plant {
    let deleted: Timestamp = DELETED.parse().expect("a timestamp");
    let now: jiff::Timestamp = now.parse().expect("a timestamp");
    Plant::with(Incidents::Deleted(deleted), |config| {
        config.clock = obeya_server::Clock::new(move || now);
    })
    .await
}

#[tokio::test]
async fn an_incident_is_listed_for_30_days() {
    // 30 days after 1 March is 31 March.
    let plant = plant_at("2026-03-30T23:59:59Z").await;
    let answer = plant.get(PATH).await.json();
    assert_eq!(
        (&answer["total"], &answer["page"], ids(&answer["values"])),
        (&json!(5), &json!(1), vec![1, 2, 3, 4, 5])
    );

    let plant = plant_at("2026-03-31T00:00:00Z").await;
    assert_eq!(
        plant.get(PATH).await.text(),
        r#"{"total":0,"page":1,"values":[]}"#
    );
}

#[tokio::test]
async fn only_deleted_incidents_are_in_the_trash() {
    let plant = Plant::new().await;
    assert_eq!(
        plant.get(PATH).await.text(),
        r#"{"total":0,"page":1,"values":[]}"#
    );
}

#[tokio::test]
async fn a_listed_incident_has_every_field_of_the_trash_form() {
    let plant = plant_at("2026-03-02T00:00:00Z").await;
    let answer = plant.get(&format!("{PATH}?$filter=id eq 1")).await.json();
    let expected = json!({
        "id": 1, "project": null, "incidentType": "Safety", "reportedByGroup": null, "reportedByUserId": "u3", "reportedBy": "Per",
        "reportedDate": "2024-01-01T06:00:00Z", "followUpGroup": "Production", "responsible": "ola", "responsibleDisplayName": "Ola",
        "lastModified": "2024-01-01T06:00:00Z", "numberOfComments": 3, "numberOfActions": 0, "numberOfAttachments": 0, "status": "New",
        "incidentTypeId": 1, "severity": "High", "reportedByGroupId": null, "followUpGroupId": 2, "responsibleUserId": "u2",
        "title": "Oil leak", "text": "Floor is slippery", "incidentDate": "2024-02-29", "resolvedDate": null,
        "dueDate": "2024-03-10T00:00:00Z", "evaluationStatus": null, "evaluationText": null, "isAnonymous": false, "areaId": 1,
        "projectId": null, "externalId": "c100",
    });
    assert_eq!(answer, json!({"total": 1, "page": 1, "values": [expected]}));
}

#[tokio::test]
async fn the_reporter_of_an_anonymous_incident_stays_hidden() {
    let plant = plant_at("2026-03-02T00:00:00Z").await;
    let values = plant.get(PATH).await.json()["values"].take();
    // Every incident was reported by u3; 2 and 4 are anonymous.
    let column = |field: &str| -> Vec<Value> {
        values
            .as_array()
            .into_iter()
            .flatten()
            .map(|incident| incident[field].clone())
            .collect()
    };
    assert_eq!(
        column("reportedByUserId"),
        [
            json!("u3"),
            json!(null),
            json!("u3"),
            json!(null),
            json!("u3")
        ]
    );
    assert_eq!(
        column("reportedBy"),
        [
            json!("Per"),
            json!(null),
            json!("Per"),
            json!(null),
            json!("Per")
        ]
    );
    for filter in ["reportedByUserId eq 'u3'", "contains(reportedBy,'e')"] {
        let answer = plant.get(&format!("{PATH}?$filter={filter}")).await.json();
        assert_eq!(
            (&answer["total"], ids(&answer["values"])),
            (&json!(3), vec![1, 3, 5]),
            "{filter}"
        );
    }
}

#[tokio::test]
async fn only_filter_is_offered() {
    let plant = plant_at("2026-03-02T00:00:00Z").await;
    plant
        .get(&format!("{PATH}?$filter=nosuch eq 1"))
        .await
        .is_problem(400, "odata.unknown_property");
    plant
        .get(&format!("{PATH}?$filter=id eq 1&$filter=id eq 2"))
        .await
        .is_problem(400, "odata.option");
    plant
        .get(&format!("{PATH}?$top=1"))
        .await
        .is_problem(400, "odata.option");
}

#[tokio::test]
async fn the_latest_deletion_comes_first() {
    let plant = plant_at("2026-03-02T00:00:00Z").await;
    // A tick later each, and two at once: then the id decides.
    plant
        .change(&[
            "UPDATE incidents SET deleted_date = deleted_date + 1 WHERE id = 2",
            "UPDATE incidents SET deleted_date = deleted_date + 2 WHERE id IN (4, 3)",
        ])
        .await;
    let answer = plant.get(PATH).await.json();
    assert_eq!(ids(&answer["values"]), [3, 4, 2, 1, 5]);
}
