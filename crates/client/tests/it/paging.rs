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
