//! GET /v2/incidents, /v2/incidents/{incidentId} and what is below it, /v2/incidents/types,
//! /v2/incidents/types/{incidentTypeId} and /v2/ping

use obeya_model::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{accepted, least_update, plant, with};
use crate::reads_plant::{Incidents, Plant, ids};
use crate::support::{Answer, sql};

const LIST: &str = "/v2/incidents";

/// Incident 1 of the fixture; every incident there was reported by u3.
fn first() -> Value {
    json!({
        "id": 1, "title": "Oil leak", "text": "Floor is slippery", "status": "New", "severity": "High", "typeId": 1,
        "incidentDate": "2024-02-29T00:00:00Z", "createdDate": "2024-01-01T06:00:00Z", "lastModified": "2024-01-01T06:00:00Z",
        "lastModifiedByUserId": null, "lastModifiedByUser": null, "latitude": null, "longitude": null, "accuracyInMeters": null,
        "dueDate": "2024-03-10T00:00:00Z", "statusModifiedDate": null, "statusNewDate": null, "statusInProgressDate": null,
        "statusImplementedDate": null, "statusRejectedDate": null, "archivedDate": null, "evaluationStatus": null, "evaluationText": null,
        "owner": "ola", "ownerDisplayName": "Ola", "ownerUserId": "u2", "createdByUserId": "u3",
        "createdByUser": "per", "createdByUserDisplayName": "Per", "groupId": null, "followUpGroupId": 2,
        "areaId": 1, "projectId": null, "externalId": "c100", "isAnonymous": false, "attachmentCount": 0, "actionListCount": 0,
    })
}

#[tokio::test]
async fn a_record_is_the_same_in_the_list_and_alone() {
    let plant = Plant::new().await;
    let list = plant.get(LIST).await.json();
    assert_eq!(ids(&list["value"]), [1, 2, 3, 4, 5]);
    assert_eq!(list["value"][0], first());
    for path in ["/v2/incidents/1", "/v2/Incidents(1)", "/v2/incidents(id=1)"] {
        assert_eq!(plant.get(path).await.json(), first(), "{path}");
    }
    plant
        .get("/v2/incidents/99")
        .await
        .is_problem(404, "not_found");
    plant
        .get("/v2/incidents/x")
        .await
        .is_problem(400, "path.invalid");
}

#[tokio::test]
async fn the_options_act_on_incidents() {
    let plant = Plant::new().await;
    let cases: [(&str, &[i64]); 17] = [
        ("$filter=status eq 'New'", &[1, 5]),
        ("$filter=severity eq 'Low'", &[2]),
        ("$filter=incidentDate ge 2024-07-15T00:00:00Z", &[3, 4, 5]),
        ("$filter=statusImplementedDate ne null", &[3, 4]),
        ("$filter=followUpGroup/id eq 2", &[1, 3]),
        (
            "$filter=type/title eq 'Safety' and typeId eq 1",
            &[1, 2, 3, 4, 5],
        ),
        ("$filter=type/title eq 'Quality'", &[]),
        ("$filter=comments/$count gt 2", &[1, 3]),
        ("$filter=owner eq 'ola'", &[1, 5]),
        ("$orderby=title desc", &[3, 1, 5, 2, 4]),
        ("$orderby=type/title,id desc", &[5, 4, 3, 2, 1]),
        ("$top=2&$skip=1", &[2, 3]),
        ("$search=oil", &[1, 3]),
        ("$search=\"oil leak\"", &[1]),
        ("$search=leak cleaned", &[1, 3]),
        ("$search=nothing", &[]),
        ("$top=0", &[]),
    ];
    for (query, expected) in cases {
        let answer = plant.get(&format!("{LIST}?{query}&$count=true")).await;
        let answer = answer.json();
        assert_eq!(ids(&answer["value"]), expected, "{query}: {answer:#}");
        if !query.contains("$top") {
            assert_eq!(answer["@odata.count"], expected.len(), "{query}");
        }
    }
    plant
        .get(&format!("{LIST}?$filter=nosuch eq 1"))
        .await
        .is_problem(400, "odata.unknown_property");
    plant
        .get(&format!("{LIST}?$filter=id eq 1&$search=oil"))
        .await
        .is_problem(400, "odata.search_with_filter");
}

#[tokio::test]
async fn what_hangs_on_an_incident_comes_with_expand() {
    let plant = Plant::new().await;
    let path = "/v2/incidents/1?$select=id&$expand=area($select=id),group,followUpGroup($select=id),type,comments($select=incidentId)";
    assert_eq!(
        plant.get(path).await.json(),
        json!({
            "id": 1, "area": {"id": 1}, "group": null, "followUpGroup": {"id": 2},
            "type": {"id": 1, "title": "Safety", "description": null},
            "comments": [{"incidentId": 1}, {"incidentId": 1}, {"incidentId": 1}],
        })
    );
    let path = format!("{LIST}?$select=id&$expand=comments/$count&$top=3");
    let counts = json!([
        {"id": 1, "comments@odata.count": 3}, {"id": 2, "comments@odata.count": 2}, {"id": 3, "comments@odata.count": 3}
    ]);
    assert_eq!(plant.get(&path).await.json()["value"], counts);
}

#[tokio::test]
async fn who_reported_an_anonymous_incident_is_null_to_every_option() {
    let plant = Plant::new().await;
    for (query, expected) in [
        ("$filter=createdByUserId eq 'u3'", vec![1, 3, 5]),
        ("$filter=createdByUserId ne null", vec![1, 3, 5]),
        ("$filter=createdByUserId eq null", vec![2, 4]),
        ("$filter=startswith(createdByUserId,'u')", vec![1, 3, 5]),
        ("$filter=length(createdByUserId) gt 0", vec![1, 3, 5]),
        ("$orderby=createdByUserId", vec![2, 4, 1, 3, 5]),
        ("$orderby=createdByUserId desc", vec![1, 3, 5, 2, 4]),
    ] {
        let answer = plant.get(&format!("{LIST}?{query}")).await.json();
        assert_eq!(ids(&answer["value"]), expected, "{query}");
    }
    let comments =
        "/v2/incidents/comments?$filter=incident/createdByUserId eq 'u3'&$select=incidentId";
    let answer = plant.get(comments).await.json();
    for comment in answer["value"].as_array().expect("comments") {
        assert_ne!(comment["incidentId"], 2, "{answer:#}");
    }
    assert_eq!(
        plant.get("/v2/incidents/2").await.json()["createdByUserId"],
        Value::Null
    );
}

/// Incidents 2 and 4 are anonymous. All were reported by u3 (per), from somewhere, and changed last by u2
/// (ola).
#[tokio::test]
async fn where_it_was_reported_and_who_changed_it_is_null_where_it_is_anonymous() {
    let plant = Plant::new().await;
    plant
        .change(&[
            "UPDATE incidents SET latitude = 59.5 + id, longitude = -9.25, accuracy_in_meters = 12.5 * id, last_modified_by_user_id = 'u2'",
        ])
        .await;
    let (named, nameless) = (&[1, 3, 5][..], &[2, 4][..]);
    for (name, value, condition) in [
        ("createdByUser", json!("per"), "eq 'per'"),
        ("createdByUserDisplayName", json!("Per"), "eq 'Per'"),
        ("lastModifiedByUserId", json!("u2"), "eq 'u2'"),
        ("lastModifiedByUser", json!("ola"), "eq 'ola'"),
        ("latitude", json!(60.5), "gt 0"),
        ("longitude", json!(-9.25), "lt 0.5"),
        ("accuracyInMeters", json!(12.5), "ge 12.5"),
    ] {
        for (query, expected) in [
            (format!("$filter={name} {condition}"), named.to_vec()),
            (format!("$filter={name} ne null"), named.to_vec()),
            (format!("$filter={name} eq null"), nameless.to_vec()),
            (format!("$orderby={name},id"), [nameless, named].concat()),
        ] {
            let answer = plant.get(&format!("{LIST}?{query}")).await.json();
            assert_eq!(ids(&answer["value"]), expected, "{query}");
        }
        for (id, expected) in [(1, &value), (2, &Value::Null)] {
            let alone = plant.get(&format!("{LIST}/{id}")).await.json();
            assert_eq!(alone[name], *expected, "{name} of {id}");
            let selected = plant.get(&format!("{LIST}/{id}?$select={name}")).await;
            assert_eq!(selected.json(), json!({name: expected}), "{name} of {id}");
        }
    }
    // Nor does v1 show any of it.
    let v1 = plant.get("/v1/Incidents/1").await;
    for part in ["59.5", "9.25", "latitude", "lastModifiedBy"] {
        assert!(!v1.text().contains(part), "{part}: {}", v1.text());
    }
}

/// A client is no user: after its write of any kind nobody is named as who changed the incident last. Its
/// place stays, until it stops being anonymous.
#[tokio::test]
async fn nobody_changed_an_incident_last_after_a_write_of_a_client() {
    let service = plant().await;
    let reset = async || {
        let written = service.store().write(|session| {
            let sql = "UPDATE incidents SET latitude = 59.5, last_modified_by_user_id = 'u-104'";
            session.execute(sql, &[]).map(drop)
        });
        let written: Result<(), obeya_server::store::StoreError> = written.await;
        written.expect("the row");
    };
    let responsible = json!({"followUpGroupId": 4, "responsibleUserId": "u-104"});
    for (method, path, body) in [
        (
            "PUT",
            "100",
            with(least_update(), &json!({"title": "Long crack"})),
        ),
        ("PUT", "100/status", json!({"status": "InProgress"})),
        ("PUT", "100/severity", json!({"severity": "High"})),
        ("PUT", "100/responsible", responsible),
        ("PUT", "100/externalId", json!("c77")),
        ("PUT", "100/categories", json!([{"id": 32}])),
        ("PUT", "100/causes", json!([{"id": 42}])),
        ("PUT", "100/consequences", json!([{"id": 52}])),
        ("PUT", "100/customfields/61", json!({"value": "M-1"})),
        ("PUT", "trash/102/restore", Value::Null),
    ] {
        reset().await;
        let incident = accepted(&service, method, &format!("/v1/Incidents/{path}"), &body).await;
        let by_v2 = service
            .get(&format!("/v2/incidents/{}", incident["id"]))
            .await
            .json();
        assert_eq!(by_v2["lastModifiedByUserId"], Value::Null, "{path}");
        assert_eq!(by_v2["latitude"], 59.5, "{path}");
        // The same again changes nothing, so the one who changed it last stays.
        reset().await;
        if path == "100/severity" {
            accepted(&service, method, &format!("/v1/Incidents/{path}"), &body).await;
            let by_v2 = service.get("/v2/incidents/100").await.json();
            assert_eq!(by_v2["lastModifiedByUserId"], "u-104");
        }
    }
    reset().await;
    let deleted = service.request(Method::DELETE, "/v1/Incidents/100");
    assert_eq!(Answer::of(deleted).await.status, 200);
    let sql = "SELECT count(*) FROM incidents WHERE id = 100 AND last_modified_by_user_id IS NULL";
    assert_eq!(sql::number(service.store(), sql).await, 1, "after DELETE");
    let open = with(
        least_update(),
        &json!({"isAnonymous": false, "title": "Theft"}),
    );
    accepted(&service, "PUT", "/v1/Incidents/101", &open).await;
    let by_v2 = service.get("/v2/incidents/101").await.json();
    for name in ["latitude", "lastModifiedByUserId", "createdByUserId"] {
        assert_eq!(by_v2[name], Value::Null, "{name}");
    }
}

#[tokio::test]
async fn an_incident_in_the_trash_is_reached_by_no_way() {
    let deleted: Timestamp = "2026-03-01T00:00:00Z".parse().expect("a timestamp");
    let plant = Plant::with(Incidents::Deleted(deleted), |_| ()).await;
    let list = plant.get(&format!("{LIST}?$count=true")).await.json();
    assert_eq!(list, json!({"@odata.count": 0, "value": []}));
    assert_eq!(plant.get("/v2/incidents/$count").await.text(), "0");
    let searched = plant.get(&format!("{LIST}?$search=oil")).await.json();
    assert_eq!(searched["value"], json!([]));
    for path in [
        "/v2/incidents/1",
        "/v2/incidents/1?$expand=comments",
        "/v2/incidents(1)/type",
        "/v2/incidents(1)/area",
        "/v2/incidents(1)/comments",
        "/v2/incidents/1/comments/$count",
        "/v2/incidents/1/comments/1",
        "/v2/incidents/1/types",
        "/v2/incidents/1/types/1",
        "/v2/comments(1)/incident",
    ] {
        let answer = plant.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn pages_follow_each_other() {
    let plant = Plant::new().await;
    let request = plant.service().request(Method::GET, LIST);
    let mut page = Answer::of(request.header("prefer", "odata.maxpagesize=2"))
        .await
        .json();
    let mut seen = ids(&page["value"]);
    while let Some(next) = page["@odata.nextLink"].as_str() {
        page = plant.get_url(next).await.json();
        seen.extend(ids(&page["value"]));
    }
    assert_eq!(seen, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn tools_find_incidents_and_types_by_their_sets() {
    let plant = Plant::new().await;
    for (path, text) in [
        ("/v2/incidents/$count", "5"),
        ("/v2/incidents/$count?$filter=status eq 'New'", "2"),
        ("/v2/incidents/1/comments/$count", "3"),
        ("/v2/incidentTypes/$count", "1"),
    ] {
        assert_eq!(plant.get(path).await.text(), text, "{path}");
    }
    let kind = json!({"id": 1, "title": "Safety", "description": null});
    for path in [
        "/v2/incidents(1)/type",
        "/v2/incidentTypes(1)",
        "/v2/incidents/types(1)",
    ] {
        assert_eq!(plant.get(path).await.json(), kind, "{path}");
    }
    for (path, context) in [
        ("/v2/incidents", "$metadata#incidents"),
        ("/v2/incidents/1", "$metadata#incidents/$entity"),
        ("/v2/incidents(1)/type", "$metadata#incidentTypes/$entity"),
        ("/v2/incidents/types", "$metadata#incidentTypes"),
        ("/v2/comments(1)/incident", "$metadata#incidents/$entity"),
        ("/v2/incidents(1)/comments", "$metadata#comments"),
        ("/v2/incidents/1/types", "$metadata#incidentTypes"),
        ("/v2/incidents/1/types/1", "$metadata#incidentTypes/$entity"),
    ] {
        let request = plant.service().request(Method::GET, path);
        let answer = request.header("accept", "application/json;odata.metadata=minimal");
        let answer = Answer::of(answer).await.json();
        let found = answer["@odata.context"].as_str().unwrap_or_default();
        assert!(
            found.ends_with(&format!("/v2/{context}")),
            "{path}: {found}"
        );
    }
}

#[tokio::test]
async fn types_are_listed_read_and_searched() {
    let plant = Plant::new().await;
    let kind = json!({"id": 1, "title": "Safety", "description": null});
    for query in [
        "",
        "?$search=safety",
        "?$filter=contains(title,'afe')",
        "?$expand=*",
    ] {
        for list in ["types", "1/types"] {
            let answer = plant.get(&format!("/v2/incidents/{list}{query}")).await;
            assert_eq!(answer.json()["value"], json!([kind]), "{list}{query}");
        }
    }
    for list in ["types", "1/types"] {
        let none = plant
            .get(&format!("/v2/incidents/{list}?$search=quality"))
            .await;
        assert_eq!(none.json()["value"], json!([]), "{list}");
    }
    assert_eq!(plant.get("/v2/incidents/types/1").await.json(), kind);
    let title = plant.get("/v2/incidents/types/1?$select=title").await;
    assert_eq!(title.json(), json!({"title": "Safety"}));
    plant
        .get("/v2/incidents/types/9")
        .await
        .is_problem(404, "not_found");
    plant
        .get("/v2/incidents/types/x")
        .await
        .is_problem(400, "path.invalid");
}

/// Every comment of the fixture is read below its own incident, and below no other.
#[tokio::test]
async fn a_comment_is_read_below_its_incident() {
    let plant = Plant::new().await;
    let all = plant.get("/v2/incidents/comments").await.json();
    let comments = all["value"].as_array().expect("comments");
    assert!(comments.len() > 5, "{all:#}");
    for comment in comments {
        for incident in 1..=5 {
            let path = format!("/v2/incidents/{incident}/comments/{}", comment["id"]);
            let answer = plant.get(&path).await;
            if comment["incidentId"] == incident {
                assert_eq!(answer.json(), *comment, "{path}");
            } else {
                answer.is_problem(404, "not_found");
                assert!(answer.text().contains("comment"), "{}", answer.text());
            }
        }
    }
    let (id, incident) = (&comments[0]["id"], &comments[0]["incidentId"]);
    let path = format!("/v2/incidents/{incident}/comments/{id}");
    let expanded = format!("{path}?$select=id&$expand=incident($select=id)&$filter=id eq -1");
    assert_eq!(
        plant.get(&expanded).await.json(),
        json!({"id": id, "incident": {"id": incident}})
    );
    let absent = plant.get(&format!("/v2/incidents/99/comments/{id}")).await;
    absent.is_problem(404, "not_found");
    assert!(absent.text().contains("incident"), "{}", absent.text());
    for (query, code) in [
        ("?$filter=nosuch eq 1", "odata.unknown_property"),
        ("?$top=-1", "odata.value"),
    ] {
        let answer = plant.get(&format!("{path}{query}")).await;
        answer.is_problem(400, code);
    }
    for path in ["/v2/incidents/x/comments/1", "/v2/incidents/1/comments/x"] {
        plant.get(path).await.is_problem(400, "path.invalid");
    }
    let tagged = plant.get(&path).await;
    let again = plant.service().request(Method::GET, &path);
    let again = again.header("if-none-match", tagged.header("etag"));
    assert_eq!(Answer::of(again).await.status, 304);
}

/// Incident 100 is of type 3, and types 3 and 6 exist.
#[tokio::test]
async fn an_incident_has_its_one_type() {
    let service = plant().await;
    let all = service.get("/v2/incidents/types").await.json();
    assert_eq!(ids(&all["value"]), [3, 6]);
    let kind = &all["value"][0];
    let title = kind["title"].as_str().expect("a title");
    let of = "/v2/incidents/100/types";
    for (query, expected) in [
        ("?$count=true".to_owned(), json!([kind])),
        ("?$expand=*&$orderby=title desc".to_owned(), json!([kind])),
        ("?$select=title".to_owned(), json!([{"title": title}])),
        (format!("?$filter=title eq '{title}'"), json!([kind])),
        ("?$filter=id ne 3".to_owned(), json!([])),
        ("?$skip=1".to_owned(), json!([])),
    ] {
        let list = service.get(&format!("{of}{query}")).await.json();
        assert_eq!(list["value"], expected, "{query}");
        if query == "?$count=true" {
            assert_eq!(list["@odata.count"], 1);
        }
    }
    assert_eq!(service.get(&format!("{of}/3")).await.json(), *kind);
    let selected = service.get(&format!("{of}/3?$select=title")).await;
    assert_eq!(selected.json(), json!({"title": title}));
    // The same record has the same tag wherever it is read.
    assert_eq!(
        service.get(&format!("{of}/3")).await.header("etag"),
        service.get("/v2/incidents/types/3").await.header("etag")
    );
    for (path, noun) in [
        ("/v2/incidents/100/types/6", "incident type"),
        ("/v2/incidents/999/types/3", "incident"),
        ("/v2/incidents/999/types", "incident"),
        // In the trash.
        ("/v2/incidents/102/types", "incident"),
        ("/v2/incidents/102/types/3", "incident"),
    ] {
        let answer = service.get(path).await;
        answer.is_problem(404, "not_found");
        let detail = answer.json()["detail"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(detail.contains(&format!("{noun} ")), "{path}: {detail}");
    }
    // The type changes with the incident.
    let body = with(least_update(), &json!({"incidentTypeId": 6}));
    accepted(&service, "PUT", "/v1/Incidents/100", &body).await;
    assert_eq!(
        ids(&service.get(of).await.json()["value"]),
        [6],
        "after the change"
    );
    service
        .get(&format!("{of}/3"))
        .await
        .is_problem(404, "not_found");
}

/// Records written by v1, as read by v2.
#[tokio::test]
async fn a_life_as_v2_tells_it() {
    let service = plant().await;
    let status = "/v1/Incidents/100/status";
    accepted(&service, "PUT", status, &json!({"status": "InProgress"})).await;
    service.clock.advance(60);
    let body = with(
        least_update(),
        &json!({"status": "Resolved", "evaluationStatus": "Medium", "evaluationText": "So far"}),
    );
    accepted(&service, "PUT", "/v1/Incidents/100", &body).await;
    let by_v2 = service.get("/v2/incidents/100").await.json();
    for (name, value) in [
        ("status", json!("Resolved")),
        ("statusInProgressDate", json!("2025-06-02T08:00:00Z")),
        ("statusModifiedDate", json!("2025-06-02T08:01:00Z")),
        ("statusImplementedDate", json!("2025-06-02T08:01:00Z")),
        ("statusRejectedDate", Value::Null),
        ("evaluationStatus", json!("Meh")),
        ("evaluationText", json!("So far")),
        ("lastModified", json!("2025-06-02T08:01:00Z")),
    ] {
        assert_eq!(by_v2[name], value, "{name}");
    }
    let found = service
        .get("/v2/incidents?$filter=evaluationStatus eq 'Meh'&$select=id")
        .await;
    assert_eq!(found.json()["value"], json!([{"id": 100}]));
}

#[tokio::test]
async fn a_ping_tells_the_services_time() {
    let service = plant().await;
    let now = "\"2025-06-02T08:00:00Z\"";
    for query in [
        "",
        "?$select=id&$expand=x($top=1)&$orderby=y desc&$count=true&$top=3&$skip=1",
        "?$filter=id gt 1",
        "?$search=oil",
        "?other=1",
    ] {
        let answer = service.get(&format!("/v2/ping{query}")).await;
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (200, now),
            "{query}"
        );
        assert_eq!(answer.header("odata-version"), "4.0");
    }
    service.clock.advance(1);
    assert_eq!(
        service.get("/V2/Ping").await.text(),
        "\"2025-06-02T08:00:01Z\""
    );
    for accept in [
        "application/json;odata.metadata=none;odata.streaming=false",
        "text/plain",
        "application/json",
        "text/json",
    ] {
        let request = service.request(Method::GET, "/v2/ping");
        let answer = Answer::of(request.header("accept", accept)).await;
        assert!(
            answer.header("content-type").starts_with(accept),
            "{accept}"
        );
    }
    for (query, code) in [
        ("$nosuch=1", "odata.option"),
        ("$top=1&$top=2", "odata.option"),
        ("$top=-1", "odata.value"),
        ("$filter=id eq", "odata.syntax"),
        ("$search=7", "odata.syntax"),
    ] {
        let answer = service.get(&format!("/v2/ping?{query}")).await;
        answer.is_problem(400, code);
    }
}

#[tokio::test]
async fn whoever_may_read_something_may_ping() {
    let service = plant().await;
    for scope in [
        "Boards.Read",
        "Data.ReadWrite",
        "UserManagement.Read",
        "public.api.read",
    ] {
        let token = service.token_for(&[scope]).await;
        let answer = service.get_as(Some(&token), "/v2/ping").await;
        assert_eq!(answer.status, 200, "{scope}");
    }
    let token = service.token_for(&["Tasks.Read", "public.api.write"]).await;
    let answer = service.get_as(Some(&token), "/v2/ping").await;
    answer.is_problem(403, "scope.missing");
    let answer = service.get_as(None, "/v2/ping").await;
    answer.is_problem(401, "token.missing");
}
