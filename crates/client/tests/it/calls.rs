//! Each operation sends what it should: method, path, query and body.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use obeya::model::{
    CauseInput, ConsequenceInput, ImprovementUpdate, IncidentSeverity, IncidentUpdate, Patch,
};
use obeya::{Client, call};

use crate::support::{json, serve, with_token};

type Seen = Arc<Mutex<Vec<String>>>;

/// A client of a server that notes each request and refuses it.
async fn noted() -> (Client, Seen) {
    let seen = Seen::default();
    let note = async |State(seen): State<Seen>, request: Request| {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 10_000).await.unwrap();
        let body = std::str::from_utf8(&body).unwrap();
        seen.lock().unwrap().push(
            format!("{} {} {body}", parts.method, parts.uri)
                .trim_end()
                .to_owned(),
        );
        json(404, "")
    };
    let url = serve(Router::new().fallback(note).with_state(seen.clone())).await;
    (with_token(&url).build().unwrap(), seen)
}

#[tokio::test]
async fn any_operation_is_called_by_its_parameters() {
    let (client, seen) = noted().await;
    let filtered = call::ListCommentsOfIncidentV2 {
        filter: Some("id gt 7"),
        ..call::ListCommentsOfIncidentV2::new(4711)
    };
    let error = client.call(&filtered).await.unwrap_err();
    assert_eq!(error.operation(), Some("listCommentsOfIncidentV2"));
    assert!(error.is_not_found());
    let new = ImprovementUpdate::default();
    client
        .call(&call::UpdateImprovement::new(3, &new))
        .await
        .unwrap_err();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "GET /v2/incidents/4711/comments?%24filter=id+gt+7",
            "PUT /v1/Improvements/3 {}",
        ]
    );
}

#[tokio::test]
async fn reads() {
    let (client, seen) = noted().await;
    let api = &client;
    api.areas()
        .list()
        .top(2)
        .skip(1)
        .select("id,name")
        .search("line \"2\"")
        .await
        .unwrap_err();
    api.areas().get(-1).await.unwrap_err();
    api.boards()
        .list()
        .orderby("name desc")
        .expand("group")
        .count(false)
        .await
        .unwrap_err();
    api.boards().get(2).expand("group").await.unwrap_err();
    api.boards().detail(3).await.unwrap_err();
    api.boards().list_v1().await.unwrap_err();
    api.boards()
        .list_v1()
        .filter("isPublic")
        .orderby("name desc")
        .await
        .unwrap_err();
    api.groups().list().filter("name eq 'Å'").await.unwrap_err();
    api.groups().get(4).await.unwrap_err();
    api.comments().list().await.unwrap_err();
    api.comments().of_incident(5).top(1).await.unwrap_err();
    api.comments().get(6).select("text").await.unwrap_err();
    api.incidents()
        .type_detail(7)
        .language("nb")
        .await
        .unwrap_err();
    api.incidents()
        .trash()
        .filter("severity eq 'Low'")
        .await
        .unwrap_err();
    api.datasources()
        .values(8)
        .orderby("valueDate desc")
        .page(1)
        .await
        .unwrap_err();
    let expected = [
        "GET /v2/areas?%24search=line+%222%22&%24select=id%2Cname&%24skip=1&%24top=2",
        "GET /v2/areas/-1",
        "GET /v2/boards?%24count=false&%24expand=group&%24orderby=name+desc",
        "GET /v2/boards/2?%24expand=group",
        "GET /v1/Boards/3",
        "GET /v1/Boards",
        "GET /v1/Boards?%24filter=isPublic&%24orderby=name+desc",
        "GET /v2/groups?%24filter=name+eq+%27%C3%85%27",
        "GET /v2/groups/4",
        "GET /v2/incidents/comments",
        "GET /v2/incidents/5/comments?%24top=1",
        "GET /v2/incidents/comments/6?%24select=text",
        "GET /v1/Incidents/types/7?language=nb",
        "GET /v1/Incidents/trash?%24filter=severity+eq+%27Low%27",
        "GET /v1/Datasources/8/values?%24orderby=valueDate+desc&page=1",
    ];
    let seen: Vec<String> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|line| sorted(line))
        .collect();
    assert_eq!(seen, expected);
}

/// The request line with its query in a fixed order.
fn sorted(line: &str) -> String {
    let Some((path, query)) = line.split_once('?') else {
        return line.to_owned();
    };
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.sort_unstable();
    format!("{path}?{}", parts.join("&"))
}

#[tokio::test]
async fn writes() {
    let (client, seen) = noted().await;
    let incidents = client.incidents();
    let update = IncidentUpdate {
        text: Patch::Null,
        ..IncidentUpdate::new(
            3,
            IncidentSeverity::High,
            "Leak",
            "2026-03-02".parse().unwrap(),
        )
    };
    incidents.update(1, &update).await.unwrap_err();
    let consequence = ConsequenceInput {
        amount: Some(2.5),
        ..ConsequenceInput::new(4)
    };
    incidents
        .set_consequences(1, &[consequence])
        .await
        .unwrap_err();
    incidents
        .set_causes(1, &[CauseInput::new(5)])
        .await
        .unwrap_err();
    incidents.set_causes(1, &[]).await.unwrap_err();
    incidents.set_external_id(1, "c\"100").await.unwrap_err();
    incidents.set_external_id(1, None).await.unwrap_err();
    let update = ImprovementUpdate {
        title: Patch::Value("5S".to_owned()),
        ..Default::default()
    };
    client.improvements().update(2, &update).await.unwrap_err();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            r#"PUT /v1/Incidents/1 {"incidentTypeId":3,"severity":"High","title":"Leak","text":null,"incidentDate":"2026-03-02"}"#,
            r#"PUT /v1/Incidents/1/consequences [{"id":4,"amount":2.5}]"#,
            r#"PUT /v1/Incidents/1/causes [{"id":5}]"#,
            "PUT /v1/Incidents/1/causes []",
            r#"PUT /v1/Incidents/1/externalId "c\"100""#,
            "PUT /v1/Incidents/1/externalId null",
            r#"PUT /v1/Improvements/2 {"title":"5S"}"#,
        ]
    );
}
