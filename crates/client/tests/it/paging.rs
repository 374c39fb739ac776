//! Lists over next links, and values over numbered pages.

use std::collections::HashMap;

use axum::Router;
use axum::extract::Query;
use axum::http::HeaderMap;
use axum::routing::get;
use obeya::Error;

use crate::support::{Counter, json, serve, with_token};

/// `GET /v2/areas` in three pages, linked by relative and absolute addresses.
async fn linked() -> String {
    let answer = async |Query(query): Query<HashMap<String, String>>, headers: HeaderMap| {
        assert_eq!(headers["authorization"], "Bearer fixed");
        let host = headers["host"].to_str().unwrap();
        match query.get("$skiptoken").map(String::as_str) {
            None => {
                assert_eq!(query["$filter"], "name ne 'a b&c'");
                assert_eq!(query["$count"], "true");
                json(
                    200,
                    format!(
                        r#"{{"value":[{{"id":1}},{{"id":2}}],"@odata.count":5,
                        "@odata.nextLink":"http://{host}/v2/areas?$skiptoken=2"}}"#
                    ),
                )
            }
            Some("2") => json(
                200,
                r#"{"value":[{"id":3},{"id":4}],"@odata.nextLink":"/v2/areas?$skiptoken=4"}"#,
            ),
            Some(_) => json(200, r#"{"value":[{"id":5}]}"#),
        }
    };
    serve(Router::new().route("/v2/areas", get(answer))).await
}

#[tokio::test]
async fn a_stream_follows_next_links_to_the_end() {
    let client = with_token(&linked().await).build().unwrap();
    let list = || client.areas().list().filter("name ne 'a b&c'").count(true);
    let first = list().await.unwrap();
    assert_eq!((first.items.len(), first.count), (2, Some(5)));
    let ids: Vec<_> = list()
        .stream()
        .all()
        .await
        .unwrap()
        .into_iter()
        .map(|area| area.id)
        .collect();
    assert_eq!(ids, [1, 2, 3, 4, 5].map(Some));
    assert_eq!(list().pages().all().await.unwrap().len(), 3);
}

/// Also those that a link leads to, and whatever is recorded inside.
#[tokio::test]
async fn the_response_of_a_list_is_that_of_its_last_page() {
    let client = with_token(&linked().await).build().unwrap();
    let read = |client: obeya::Client| async move {
        let list = client.areas().list().filter("name ne 'a b&c'").count(true);
        list.stream().all().await
    };
    let last = r#"{"value":[{"id":5}]}"#;
    let answer = client.with_response(read).await.unwrap();
    assert_eq!(answer.value.len(), 5);
    assert_eq!(answer.response.unwrap().body(), last);

    let outer = |client: obeya::Client| async move { client.tagged(read).await };
    let answer = client.with_response(outer).await.unwrap();
    assert_eq!((answer.value.value.len(), answer.value.tag), (5, None));
    assert_eq!(answer.response.unwrap().body(), last);

    // A client that is made of one that is recorded is recorded too.
    let recorder = obeya::Recorder::default();
    assert!(recorder.last().is_none());
    let patient = client.recording(&recorder).max_retries(5);
    read(patient).await.unwrap();
    assert_eq!(recorder.last().unwrap().body(), last);
    assert!(!format!("{recorder:?}").contains("application/json"));
}

#[tokio::test]
async fn a_next_link_of_another_origin_gets_no_token() {
    let stranger = Counter::default();
    let count = stranger.clone();
    let trap = get(async move || {
        count.next();
        json(200, r#"{"value":[]}"#)
    });
    let elsewhere = serve(Router::new().route("/v2/areas", trap)).await;
    let body = format!(r#"{{"value":[{{"id":1}}],"@odata.nextLink":"{elsewhere}/v2/areas"}}"#);
    let routes = Router::new().route("/v2/areas", get(async move || json(200, body)));
    let client = with_token(&serve(routes).await).build().unwrap();
    let error = client.areas().list().stream().all().await.unwrap_err();
    assert!(matches!(error, Error::NextLink { .. }), "{error:?}");
    assert_eq!(stranger.total(), 0);
}

#[tokio::test]
async fn a_record_whose_expanded_list_ends_early_is_refused() {
    let cut = r#"{"id":1,"boards":[],"boards@odata.nextLink":"/v2/groups(1)/boards"}"#;
    let page = format!(r#"{{"value":[{cut}]}}"#);
    let routes = Router::new()
        .route("/v2/groups/1", get(async move || json(200, cut.to_owned())))
        .route("/v2/groups", get(async move || json(200, page)));
    let client = with_token(&serve(routes).await).build().unwrap();
    let of_record = client.groups().get(1).expand("boards").await.unwrap_err();
    let list = client.groups().list().expand("boards");
    let of_list = list.stream().all().await.unwrap_err();
    for error in [of_record, of_list] {
        assert!(matches!(error, Error::NextLink { .. }), "{error:?}");
        assert!(error.to_string().contains("`boards`"), "{error}");
    }
}

#[tokio::test]
async fn values_come_page_by_page_in_order() {
    let answer = async |Query(query): Query<HashMap<String, String>>| {
        assert_eq!(query["pageSize"], "2");
        assert_eq!(query["from"], "2026-01-01T00:00:00Z");
        let page: i32 = query["page"].parse().unwrap();
        let values: Vec<String> = (page * 2 - 1..=(page * 2).min(5))
            .map(|id| {
                format!(
                    r#"{{"id":{id},"dataSourceId":9,"registrationDate":"2026-01-02T00:00:00Z","areaId":null,
                    "assetId":null,"projectId":null,"value":0.5,"description":null,"dimension":null,
                    "dimension2":null,"dimension3":null,"dimension4":null,
                    "valueDate":"2026-01-02T00:00:00Z","externalId":null}}"#
                )
            })
            .collect();
        json(
            200,
            format!(
                r#"{{"pageSize":2,"pageNo":{page},"count":5,"values":[{}]}}"#,
                values.join(",")
            ),
        )
    };
    let url = serve(Router::new().route("/v1/Datasources/9/values", get(answer))).await;
    let client = with_token(&url).build().unwrap();
    let from: obeya::model::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let request = client.datasources().values(9).from(from).page_size(2);
    let ids: Vec<i32> = request
        .clone()
        .stream()
        .all()
        .await
        .unwrap()
        .into_iter()
        .map(|value| value.id)
        .collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert_eq!(request.page(2).await.unwrap().page_no, 2);
}

/// A page of improvements with these ids out of so many, each as the specification shows one.
fn improvements(ids: &[i32], total: usize, page: &str) -> axum::response::Response {
    let spec: serde_json::Value =
        serde_json::from_str(include_str!("../../../../spec/generated/openapi.json")).unwrap();
    let values: Vec<serde_json::Value> = ids
        .iter()
        .map(|id| {
            let mut one = spec["components"]["schemas"]["Improvement"]["example"].clone();
            one["id"] = (*id).into();
            one
        })
        .collect();
    let page: i32 = page.parse().unwrap();
    let body = serde_json::json!({ "total": total, "page": page, "values": values });
    json(200, body.to_string())
}

/// The queries that were sent, each with its parameters in order.
type Asked = std::sync::Arc<std::sync::Mutex<Vec<Vec<(String, String)>>>>;

/// `GET /v1/Improvements` with ids 1 to 5, as a server answers that knows `$filter` of one form and pages.
async fn numbered(asked: &Asked) -> String {
    let asked = asked.clone();
    let answer = async move |Query(query): Query<HashMap<String, String>>| {
        let mut parameters: Vec<(String, String)> = query.clone().into_iter().collect();
        parameters.sort();
        asked.lock().unwrap().push(parameters);
        let after: i32 = query
            .get("$filter")
            .and_then(|filter| filter.rsplit("id gt ").next()?.parse().ok())
            .unwrap_or(0);
        let mut ids: Vec<i32> = (after + 1..=5).collect();
        if query.contains_key("$orderby") {
            ids.reverse();
        }
        let size: usize = query["pageSize"].parse().unwrap();
        let page = query.get("page").map_or("1", String::as_str);
        let number: usize = page.parse().unwrap();
        let start = ((number - 1) * size).min(ids.len());
        let end = (start + size).min(ids.len());
        improvements(&ids[start..end], ids.len(), page)
    };
    serve(Router::new().route("/v1/Improvements", get(answer))).await
}

async fn streamed(records: obeya::Records<obeya::model::Improvement>) -> Vec<i32> {
    let all = records.stream().all().await.unwrap();
    all.iter().map(|improvement| improvement.id).collect()
}

#[tokio::test]
async fn records_are_asked_for_by_the_last_id_and_in_an_order_by_page() {
    let asked = Asked::default();
    let client = with_token(&numbered(&asked).await).build().unwrap();
    let sent = |parameters: &[&[(&str, &str)]]| {
        let expected: Vec<Vec<(String, String)>> = parameters
            .iter()
            .map(|one| {
                let mut one: Vec<_> = one
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect();
                if one.iter().all(|(name, _)| name != "pageSize") {
                    one.push(("pageSize".to_owned(), "2".to_owned()));
                }
                one.sort();
                one
            })
            .collect();
        assert_eq!(std::mem::take(&mut *asked.lock().unwrap()), expected);
    };
    let list = || client.improvements().list().page_size(2);

    assert_eq!(streamed(list().page(7)).await, [1, 2, 3, 4, 5]);
    sent(&[&[], &[("$filter", "id gt 2")], &[("$filter", "id gt 4")]]);

    let since: obeya::model::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let narrowed = list().filter("id ne 0 or id ne 9").modified_from(since);
    assert_eq!(streamed(narrowed).await, [1, 2, 3, 4, 5]);
    let (own, from) = (
        "id ne 0 or id ne 9",
        ("LastModifiedFrom", "2026-01-01T00:00:00Z"),
    );
    sent(&[
        &[("$filter", own), from],
        &[("$filter", "(id ne 0 or id ne 9) and id gt 2"), from],
        &[("$filter", "(id ne 0 or id ne 9) and id gt 4"), from],
    ]);

    assert_eq!(streamed(list().orderby("id desc")).await, [5, 4, 3, 2, 1]);
    let order = ("$orderby", "id desc");
    let last_change = [("$orderby", "lastModified desc,id desc"), ("pageSize", "1")];
    sent(&[
        &last_change,
        &[order, ("page", "1")],
        &[order, ("page", "2")],
        &[order, ("page", "3")],
        &last_change,
    ]);

    // A page that holds all that is left is the last: no further one is asked for.
    let few = list().filter("id gt 3");
    assert_eq!(streamed(few).await, [4, 5]);
    sent(&[&[("$filter", "id gt 3")]]);
    let page = list().page(2).await.unwrap();
    assert_eq!((page.total, page.page, page.values.len()), (5, 2, 2));
    asked.lock().unwrap().clear();

    // With a limit, the last page is no larger than needed where each request begins a list of its own.
    assert_eq!(streamed(list().top(3)).await, [1, 2, 3]);
    sent(&[&[], &[("$filter", "id gt 2"), ("pageSize", "1")]]);
    assert_eq!(streamed(list().top(0)).await, [0; 0]);
    sent(&[&[("pageSize", "1")]]);
    assert_eq!(streamed(list().top(9)).await, [1, 2, 3, 4, 5]);
    sent(&[&[], &[("$filter", "id gt 2")], &[("$filter", "id gt 4")]]);
    // A single page needs no version.
    assert_eq!(streamed(list().orderby("id desc").top(2)).await, [5, 4]);
    sent(&[&[order, ("page", "1")]]);
    assert_eq!(streamed(list().orderby("id desc").top(3)).await, [5, 4, 3]);
    sent(&[
        &last_change,
        &[order, ("page", "1")],
        &[order, ("page", "2")],
    ]);
    let page = list().top(3).page(2).await.unwrap();
    assert_eq!((page.total, page.values.len()), (5, 1));
}
