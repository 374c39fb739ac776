//! Values over HTTP into Arrow. How a page is decoded is tested beside the decoder.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use obeya::{Client, Error};

use crate::support::{json, serve, with_token};

/// A datasource of `total` values, numbered from 0; `broken` is the page that doesn't fit, if any.
async fn datasource(total: i32, broken: Option<i32>) -> Client {
    let answer = async move |Query(query): Query<HashMap<String, String>>| {
        let size: i32 = query["pageSize"].parse().unwrap();
        let page: i32 = query["page"].parse().unwrap();
        let from = (page - 1) * size;
        let rows: Vec<String> = (from.min(total)..(from + size).min(total))
            .map(|id| {
                let id = if broken == Some(page) { format!("\"{id}\"") } else { id.to_string() };
                format!(
                    r#"{{"id":{id},"dataSourceId":9,"registrationDate":"2026-01-03T00:00:00Z","value":{id},
                        "valueDate":"2026-01-02T00:00:00Z"}}"#
                )
            })
            .collect();
        json(
            200,
            format!(
                r#"{{"pageSize":{size},"pageNo":{page},"count":{total},"values":[{}]}}"#,
                rows.join(",")
            ),
        )
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    with_token(&serve(routes).await).build().unwrap()
}

#[tokio::test]
async fn every_value_comes_once_and_in_order() {
    // Pages of 2,500 rows are large enough to be decoded on another thread.
    let client = datasource(12_345, None).await;
    let batches = client
        .datasources()
        .values(9)
        .page_size(2_500)
        .to_arrow()
        .await
        .unwrap();
    assert_eq!(batches.len(), 5);
    let mut next = 0.0;
    for batch in &batches {
        assert_eq!(batch.schema(), obeya::value_schema());
        for value in batch
            .column_by_name("value")
            .unwrap()
            .as_primitive::<Float64Type>()
            .values()
        {
            assert_eq!(*value, next);
            next += 1.0;
        }
    }
    assert_eq!(next, 12_345.0);
}

#[tokio::test]
async fn nothing_is_one_batch_without_rows() {
    let client = datasource(0, None).await;
    let batches = client.datasources().values(9).to_arrow().await.unwrap();
    assert_eq!((batches.len(), batches[0].num_rows()), (1, 0));
}

#[tokio::test]
async fn a_page_that_does_not_fit_ends_the_stream_with_its_place() {
    let client = datasource(10, Some(2)).await;
    let mut stream = client.datasources().values(9).page_size(4).arrow_stream();
    assert_eq!(stream.next().await.unwrap().unwrap().num_rows(), 4);
    let error = stream.next().await.unwrap().unwrap_err();
    let Error::Decode {
        operation, path, ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(
        (*operation, path.as_str()),
        ("listDatasourceValues", "values[0].id")
    );
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_refusal_comes_as_a_problem() {
    let refuse = get(async || json(403, r#"{"code":"scope.missing"}"#));
    let routes = Router::new().route("/v1/Datasources/9/values", refuse);
    let client = with_token(&serve(routes).await).build().unwrap();
    let error = client.datasources().values(9).to_arrow().await.unwrap_err();
    assert_eq!(
        (error.status(), error.code()),
        (Some(403), Some("scope.missing"))
    );
}
