//! POST /v1/Incidents

use serde_json::{Value, json};

use crate::incidents_plant::{NOW, accepted, fill, least, plant, refused, with};
use crate::support::Service;
use crate::support::sql::{self, with_words};

const PATH: &str = "/v1/Incidents";

#[tokio::test]
async fn a_full_body_is_answered_with_every_name_resolved() {
    let service = plant().await;
    let body = json!({
        "status": "Resolved", "incidentTypeId": 3, "severity": "High", "reportedByGroupId": 5, "followUpGroupId": 4, "responsibleUserId": "u-104",
        "title": "Housing cracked", "text": "Left flange", "incidentDate": "2025-06-01", "resolvedDate": "2025-06-02T07:30:00+02:00",
        "dueDate": "2025-07-01T00:00:00", "evaluationStatus": "Good", "evaluationText": "Holds", "isAnonymous": false, "areaId": 2, "projectId": 8,
        "externalId": "c100", "createdByUserId": "u-117",
        "consequences": [{"id": 52, "amount": 37.5, "unit": "h", "title": "ignored"}, {"id": 51}],
        "categories": [{"id": 31, "title": "ignored"}, {"id": 33}],
        "causes": [{"id": 41}, {"id": 42}],
        "customFields": [{"id": 62, "value": "Press 2"}, {"id": 61, "value": "M-20417"}],
    });
    let incident = accepted(&service, "POST", PATH, &body).await;
    let id = incident["id"].as_i64().expect("an id");
    assert!(id > 102, "a new id, not {id}");
    let expected = json!({
        "id": id, "project": "New line", "incidentType": "Quality deviation", "reportedByGroup": "Night shift", "reportedByUserId": "u-117",
        "reportedBy": "Tomas Berg", "reportedDate": NOW, "followUpGroup": "Assembly team", "responsible": "ingrid.solheim",
        "responsibleDisplayName": "Ingrid Solheim", "lastModified": NOW, "numberOfComments": 0, "numberOfActions": 0, "numberOfAttachments": 0,
        "consequences": [
            {"id": 51, "title": "Scrapped parts", "unit": "pcs", "amount": null},
            {"id": 52, "title": "Downtime", "unit": "min", "amount": 37.5},
        ],
        "categories": [{"id": 33, "title": "Severity"}, {"id": 31, "title": "Own process"}],
        "causes": [{"id": 42, "title": "Wrong setting"}, {"id": 41, "title": "Worn fixture"}],
        "customFields": [
            {"id": 61, "value": "M-20417", "dataListValue": null, "dataListId": null, "dataListName": null, "registrationDate": NOW,
             "label": "Order number", "type": "text"},
            {"id": 62, "value": "Press 2", "dataListValue": "Press 2", "dataListId": 9, "dataListName": "Machines", "registrationDate": NOW,
             "label": "Machine", "type": "list"},
        ],
        "status": "Resolved", "incidentTypeId": 3, "severity": "High", "reportedByGroupId": 5, "followUpGroupId": 4, "responsibleUserId": "u-104",
        "title": "Housing cracked", "text": "Left flange", "incidentDate": "2025-06-01", "resolvedDate": "2025-06-02T05:30:00Z",
        "dueDate": "2025-07-01T00:00:00Z", "evaluationStatus": "Good", "evaluationText": "Holds", "isAnonymous": false, "areaId": 2, "projectId": 8,
        "externalId": "c100",
    });
    assert_eq!(incident, expected);
}

/// `--never-store-reporter`: a client need not know of it, and no table has the user.
#[tokio::test]
async fn no_reporter_is_stored_where_the_installation_wants_none() {
    let service = Service::start_with(|config| config.never_store_reporter = true).await;
    service
        .store()
        .write(fill)
        .await
        .expect("the rows fit the schema");
    let stored = async || {
        let mut stored = String::new();
        for table in ["incidents", "answers", "audit_entries"] {
            let dumped = service
                .store()
                .read(move |session| sql::dump(session, table))
                .await;
            let dumped: String = dumped.expect("the table");
            stored += &dumped;
        }
        stored.matches("u-117").count() + stored.matches("Tomas").count()
    };
    let before = stored().await;
    let body = with(least(), &json!({"createdByUserId": "u-117"}));
    let incident = accepted(&service, "POST", PATH, &body).await;
    assert_eq!(
        (&incident["reportedBy"], &incident["reportedByUserId"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(incident["reportedDate"], NOW);
    let v2 = service
        .get(&format!("/v2/incidents/{}", incident["id"]))
        .await
        .json();
    for name in [
        "createdByUserId",
        "createdByUser",
        "createdByUserDisplayName",
    ] {
        assert_eq!(v2[name], Value::Null, "{name}");
    }
    assert_eq!(stored().await, before);
    let unknown = with(least(), &json!({"createdByUserId": "nobody"}));
    refused(&service, "POST", PATH, &unknown, 422, "reference.unknown").await;
}

#[tokio::test]
async fn the_least_body_makes_a_new_incident_with_nothing_else() {
    let service = plant().await;
    let incident = accepted(&service, "POST", PATH, &least()).await;
    assert_eq!(
        (
            &incident["status"],
            &incident["reportedDate"],
            &incident["isAnonymous"]
        ),
        (&json!("New"), &json!(NOW), &json!(false))
    );
    assert_eq!(
        incident["categories"],
        json!([{"id": 31, "title": "Own process"}])
    );
    for field in ["consequences", "causes", "customFields"] {
        assert_eq!(incident[field], json!([]), "{field}");
    }
    for field in [
        "reportedBy",
        "reportedByUserId",
        "resolvedDate",
        "dueDate",
        "responsible",
        "areaId",
        "project",
        "externalId",
        "evaluationStatus",
    ] {
        assert_eq!(incident.get(field), Some(&Value::Null), "{field}");
    }
}

#[tokio::test]
async fn nulls_are_empty_and_a_field_without_a_value_is_not_kept() {
    let service = plant().await;
    let nulls = json!({"text": null, "consequences": null, "causes": null, "customFields": [{"id": 61, "value": null}, {"id": 62}], "areaId": null});
    let incident = accepted(&service, "POST", PATH, &with(least(), &nulls)).await;
    assert_eq!(
        (&incident["customFields"], &incident["text"]),
        (&json!([]), &Value::Null)
    );
}

#[tokio::test]
async fn an_anonymous_incident_tells_nobody_who_reported_it() {
    let service = plant().await;
    let body = with(
        least(),
        &json!({"isAnonymous": true, "createdByUserId": "u-117"}),
    );
    let incident = accepted(&service, "POST", PATH, &body).await;
    assert_eq!(
        (&incident["reportedBy"], &incident["reportedByUserId"]),
        (&Value::Null, &Value::Null)
    );
    // A value that was retained for the trash must not reappear when the mark is removed.
    let path = format!("{PATH}/{}", incident["id"]);
    let shown = json!({"incidentTypeId": 3, "severity": "Low", "title": "Housing cracked", "incidentDate": "2025-06-01", "isAnonymous": false});
    let incident = accepted(&service, "PUT", &path, &shown).await;
    assert_eq!(
        (
            &incident["isAnonymous"],
            &incident["reportedBy"],
            &incident["reportedByUserId"]
        ),
        (&json!(false), &Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn a_new_incident_can_be_searched_for() {
    let service = plant().await;
    let body = with(least(), &json!({"text": "Sprekk på venstre FLENS"}));
    let incident = accepted(&service, "POST", PATH, &body).await;
    let words = ["housing", "pa", "flens"];
    let found = with_words(service.store(), "incidents_search", &words).await;
    assert_eq!(json!(found), json!([incident["id"]]));
}

#[tokio::test]
async fn ids_are_not_given_twice() {
    let service = plant().await;
    let first = accepted(&service, "POST", PATH, &least()).await["id"]
        .as_i64()
        .expect("an id");
    let removed = service.store().write(move |session| {
        session.execute("DELETE FROM incidents WHERE id = ?1", &[first.into()])
    });
    assert_eq!(removed.await.expect("a row"), 1);
    let second = accepted(&service, "POST", PATH, &least()).await["id"]
        .as_i64()
        .expect("an id");
    assert!(second > first, "{second} after {first}");
}

#[tokio::test]
async fn a_body_against_the_schema_is_refused() {
    let service = plant().await;
    let cases = [
        (json!({"title": ""}), "title"),
        (json!({"categories": []}), "categories"),
        (json!({"status": "Open"}), "status"),
        (json!({"severity": "low"}), "severity"),
        (json!({"evaluationStatus": "Meh"}), "evaluationStatus"),
        (json!({"incidentDate": "2025-13-01"}), "incidentDate"),
        (json!({"incidentDate": "2025-02-29"}), "incidentDate"),
        (json!({"dueDate": "tomorrow"}), "dueDate"),
        (json!({"title": null}), "title"),
        (json!({"status": null}), "status"),
        (json!({"isAnonymous": null}), "isAnonymous"),
        (json!({"incidentTypeId": "3"}), "incidentTypeId"),
        (
            json!({"incidentTypeId": 2_147_483_648_i64}),
            "incidentTypeId",
        ),
        (
            json!({"categories": [{"title": "Own process"}]}),
            "categories[0].id",
        ),
        (
            json!({"consequences": [{"id": 51, "amount": "14"}]}),
            "consequences[0].amount",
        ),
    ];
    for (fault, field) in cases {
        let problem = refused(
            &service,
            "POST",
            PATH,
            &with(least(), &fault),
            400,
            "body.invalid",
        )
        .await;
        let fields: Vec<_> = problem["errors"]
            .as_object()
            .expect("errors")
            .keys()
            .cloned()
            .collect();
        // A missing property is reported at the object that lacks it.
        assert!(
            fields
                .iter()
                .any(|found| found == field || field.starts_with(found.as_str())),
            "{fault}: {problem:#}"
        );
    }
    for required in [
        "incidentTypeId",
        "severity",
        "title",
        "incidentDate",
        "categories",
    ] {
        let mut body = least();
        body.as_object_mut().expect("an object").remove(required);
        let problem = refused(&service, "POST", PATH, &body, 400, "body.invalid").await;
        assert!(
            problem["errors"].to_string().contains(required),
            "{problem:#}"
        );
    }
}

#[tokio::test]
async fn every_fault_of_the_schema_is_reported_at_once() {
    let service = plant().await;
    let body = with(
        least(),
        &json!({"title": "", "status": "Open", "categories": []}),
    );
    let problem = refused(&service, "POST", PATH, &body, 400, "body.invalid").await;
    assert_eq!(
        problem["errors"],
        json!({
            "title": ["expected at least 1 character, found none"],
            "status": ["expected New, InProgress, Resolved or Rejected, found `Open`"],
            "categories": ["expected at least 1 category, found none"],
        })
    );
}

#[tokio::test]
async fn what_does_not_exist_is_named() {
    let service = plant().await;
    let cases = [
        (
            json!({"incidentTypeId": 99}),
            "incidentTypeId",
            "there is no incident type 99",
        ),
        (
            json!({"reportedByGroupId": 99}),
            "reportedByGroupId",
            "there is no group 99",
        ),
        (
            json!({"followUpGroupId": -1}),
            "followUpGroupId",
            "there is no group -1",
        ),
        (json!({"areaId": 99}), "areaId", "there is no area 99"),
        (
            json!({"projectId": 99}),
            "projectId",
            "there is no project 99",
        ),
        (
            json!({"createdByUserId": "u-x"}),
            "createdByUserId",
            "there is no user `u-x`",
        ),
        (
            json!({"followUpGroupId": 4, "responsibleUserId": "u-x"}),
            "responsibleUserId",
            "there is no user `u-x`",
        ),
        (
            json!({"categories": [{"id": 31}, {"id": 99}]}),
            "categories[1].id",
            "there is no category 99",
        ),
        (
            json!({"consequences": [{"id": 99}]}),
            "consequences[0].id",
            "there is no consequence 99",
        ),
        (
            json!({"causes": [{"id": 99}]}),
            "causes[0].id",
            "there is no cause 99",
        ),
        (
            json!({"customFields": [{"id": 99, "value": "x"}]}),
            "customFields[0].id",
            "there is no custom field 99",
        ),
    ];
    for (fault, field, text) in cases {
        let problem = refused(
            &service,
            "POST",
            PATH,
            &with(least(), &fault),
            422,
            "reference.unknown",
        )
        .await;
        assert_eq!(problem["errors"], json!({field: [text]}), "{fault}");
    }
}

#[tokio::test]
async fn what_belongs_to_another_type_is_refused() {
    let service = plant().await;
    let cases = [
        (
            json!({"categories": [{"id": 60}]}),
            "categories[0].id",
            "category 60 belongs to incident type 6, not to 3",
        ),
        (
            json!({"consequences": [{"id": 53}]}),
            "consequences[0].id",
            "consequence 53 belongs to incident type 6, not to 3",
        ),
        (
            json!({"causes": [{"id": 41}, {"id": 43}]}),
            "causes[1].id",
            "cause 43 belongs to incident type 6, not to 3",
        ),
        (
            json!({"customFields": [{"id": 63}]}),
            "customFields[0].id",
            "custom field 63 belongs to incident type 6, not to 3",
        ),
    ];
    for (fault, field, text) in cases {
        let problem = refused(
            &service,
            "POST",
            PATH,
            &with(least(), &fault),
            422,
            "reference.other_type",
        )
        .await;
        assert_eq!(problem["errors"], json!({field: [text]}), "{fault}");
    }
}

#[tokio::test]
async fn nothing_is_named_twice() {
    let service = plant().await;
    for list in ["categories", "consequences", "causes", "customFields"] {
        let id = match list {
            "categories" => 31,
            "consequences" => 51,
            "causes" => 41,
            _ => 61,
        };
        let body = with(least(), &json!({list: [{"id": id}, {"id": id}]}));
        let problem = refused(&service, "POST", PATH, &body, 422, "reference.duplicate").await;
        assert!(
            problem["errors"][format!("{list}[1].id")].is_array(),
            "{problem:#}"
        );
    }
}

#[tokio::test]
async fn the_responsible_user_is_a_member_of_the_follow_up_group() {
    let service = plant().await;
    let outside = with(
        least(),
        &json!({"followUpGroupId": 4, "responsibleUserId": "u-117"}),
    );
    let problem = refused(
        &service,
        "POST",
        PATH,
        &outside,
        422,
        "responsible.not_member",
    )
    .await;
    assert_eq!(
        problem["errors"],
        json!({"responsibleUserId": ["the responsible user is not a member of the follow-up group, or only views it"]})
    );
    let nowhere = with(least(), &json!({"responsibleUserId": "u-104"}));
    refused(
        &service,
        "POST",
        PATH,
        &nowhere,
        422,
        "responsible.not_member",
    )
    .await;
}

#[tokio::test]
async fn an_evaluation_waits_for_resolved() {
    let service = plant().await;
    let body = with(least(), &json!({"evaluationStatus": "Good"}));
    let problem = refused(&service, "POST", PATH, &body, 409, "incident.evaluation").await;
    assert_eq!(
        problem["detail"],
        "An incident can be evaluated once it is Resolved; this one is New."
    );
}

/// A database may index the id of another system, and an index entry has a maximum length. Random text,
/// because compressed text is shorter.
#[tokio::test]
async fn an_external_id_may_be_long() {
    let service = plant().await;
    let mut random = fastrand::Rng::with_seed(7);
    let long: String = (0..8000).map(|_| random.alphanumeric()).collect();
    let mut body = least();
    body["externalId"] = json!(long);
    let incident = accepted(&service, "POST", PATH, &body).await;
    assert_eq!(incident["externalId"], json!(long));
}
