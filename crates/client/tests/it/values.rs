//! Values over HTTP to Arrow. The decoder has its own tests.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use axum::Router;
use axum::body::Body;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use obeya::{Client, Error};

use crate::support::{Counter, json, serve, with_token};

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
        ("listDatasourceValuesV1", "values[0].id")
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

/// A page of a service that speaks Arrow, with or without the headers that say what it is a page of.
fn arrow_page(number: i32, size: i32, total: i32, named: bool) -> Response {
    let from = (number - 1) * size;
    let rows = i32::max(0, size.min(total - from));
    let ids = Int32Array::from_iter_values(from..from + rows);
    let columns = obeya::value_schema()
        .fields()
        .iter()
        .map(|field| -> ArrayRef {
            let rows = usize::try_from(rows).unwrap();
            match field.name().as_str() {
                "id" => Arc::new(ids.clone()),
                "dataSourceId" => Arc::new(Int32Array::from_value(9, rows)),
                "value" => Arc::new(arrow_array::Float64Array::from_value(1.0, rows)),
                "valueDate" | "registrationDate" => Arc::new(
                    arrow_array::TimestampMicrosecondArray::from_value(0, rows)
                        .with_timezone("UTC"),
                ),
                _ => arrow_array::new_null_array(field.data_type(), rows),
            }
        })
        .collect();
    let batch = RecordBatch::try_new(obeya::value_schema(), columns).unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    let mut response = Response::new(Body::from(writer.into_inner().unwrap()));
    let headers = response.headers_mut();
    let kind = "Application/vnd.apache.arrow.stream; charset=binary";
    headers.insert("content-type", kind.parse().unwrap());
    if named {
        headers.insert("obeya-page-size", size.into());
        headers.insert("obeya-count", total.into());
    }
    response
}

/// The ids of all values of such a service, and the requests it received.
async fn pulled(
    answer: impl Fn(&str, i32, i32) -> Response + Clone + Send + Sync + 'static,
) -> (Vec<i32>, Vec<String>) {
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    let route = async move |headers: http::HeaderMap,
                            Query(query): Query<HashMap<String, String>>| {
        let accept = headers["accept"].to_str().unwrap().to_owned();
        let response = answer(
            &accept,
            query["page"].parse().unwrap(),
            query["pageSize"].parse().unwrap(),
        );
        log.lock().unwrap().push(accept);
        response
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(route));
    let client = with_token(&serve(routes).await).build().unwrap();
    let values = client.datasources().values(9).page_size(10).prefetch(2);
    let batches = values.to_arrow().await.unwrap();
    let ids = batches
        .iter()
        .flat_map(|batch| {
            batch
                .column(0)
                .as_primitive::<Int32Type>()
                .values()
                .to_vec()
        })
        .collect();
    let asked = asked.lock().unwrap().clone();
    (ids, asked)
}

const EITHER: &str = "application/vnd.apache.arrow.stream, application/json;q=0.9";

#[tokio::test]
async fn a_service_that_sends_arrow_is_read_as_such() {
    let (ids, asked) = pulled(|_, page, size| arrow_page(page, size, 35, true)).await;
    assert_eq!(ids, (0..35).collect::<Vec<_>>());
    assert_eq!(asked, [EITHER; 4]);
}

#[tokio::test]
async fn headers_that_got_lost_on_the_way_lose_no_values() {
    for total in [0, 9, 10, 35, 40] {
        let (ids, _) = pulled(move |_, page, size| arrow_page(page, size, total, false)).await;
        assert_eq!(ids, (0..total).collect::<Vec<_>>(), "{total}");
    }
}

#[tokio::test]
async fn a_service_that_refuses_whoever_names_arrow_is_asked_for_json() {
    let (ids, asked) = pulled(|accept, page, size| {
        if accept != "application/json" {
            return json(406, r#"{"code":"media_type.not_acceptable"}"#);
        }
        let rows: Vec<String> = ((page - 1) * size..i32::min(page * size, 25))
            .map(|id| {
                format!(
                    r#"{{"id":{id},"dataSourceId":9,"registrationDate":"2026-01-03T00:00:00Z","value":1,"valueDate":"2026-01-02T00:00:00Z"}}"#
                )
            })
            .collect();
        let rows = rows.join(",");
        json(200, format!(r#"{{"pageSize":{size},"pageNo":{page},"count":25,"values":[{rows}]}}"#))
    })
    .await;
    assert_eq!(ids, (0..25).collect::<Vec<_>>());
    // Once, and never again in this stream.
    assert_eq!(asked[..2], [EITHER, "application/json"]);
    assert_eq!(asked[2..], ["application/json"; 2]);
}

#[tokio::test]
async fn a_broken_arrow_page_is_a_decode_error() {
    let route = get(async || {
        let whole = arrow_page(1, 10, 10, true);
        let (head, body) = whole.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        let body = Body::from(bytes.slice(..bytes.len() - 9));
        Response::from_parts(head, body)
    });
    let routes = Router::new().route("/v1/Datasources/9/values", route);
    let client = with_token(&serve(routes).await).build().unwrap();
    let error = client.datasources().values(9).to_arrow().await.unwrap_err();
    assert!(matches!(error, Error::Decode { .. }), "{error:?}");
}

/// A service whose state is another from its third page on, and that says so or not, in Arrow or JSON.
async fn states(in_arrow: bool, names: bool) -> Client {
    let route = get(async move |Query(query): Query<HashMap<String, String>>| {
        let page: i32 = query["page"].parse().unwrap();
        let size: i32 = query["pageSize"].parse().unwrap();
        let mut response = if in_arrow {
            arrow_page(page, size, 40, true)
        } else {
            let rows: Vec<String> = ((page - 1) * size..page * size)
                .map(|id| {
                    format!(
                        r#"{{"id":{id},"dataSourceId":9,"registrationDate":"2026-01-03T00:00:00Z","value":1,"valueDate":"2026-01-02T00:00:00Z"}}"#
                    )
                })
                .collect();
            let rows = rows.join(",");
            json(
                200,
                format!(r#"{{"pageSize":{size},"pageNo":{page},"count":40,"values":[{rows}]}}"#),
            )
        };
        if names {
            let state = if page < 3 { "one" } else { "two" };
            let headers = response.headers_mut();
            headers.insert("obeya-state", state.parse().unwrap());
        }
        response
    });
    let routes = Router::new().route("/v1/Datasources/9/values", route);
    with_token(&serve(routes).await).build().unwrap()
}

#[tokio::test]
async fn each_page_has_the_state_that_it_shows() {
    let owned = |state: &str| Some(state.to_owned());
    let expected = [owned("one"), owned("two")];
    for (names, expected) in [(true, expected), (false, [const { None }; 2])] {
        for in_arrow in [false, true] {
            let client = states(in_arrow, names).await;
            let values = client.datasources().values(9).page_size(10);
            let first = values.arrow_pages().next().await.unwrap().unwrap();
            assert_eq!(first.state, expected[0], "arrow: {in_arrow}");
        }
        let client = states(false, names).await;
        let values = client.datasources().values(9).page_size(10);
        let third = values.clone().page_with_state(3).await.unwrap();
        assert_eq!(third.state, expected[1]);
        assert_eq!(third.page, values.clone().page(3).await.unwrap());
        let first = values.pages_with_position().next().await.unwrap().unwrap();
        assert_eq!(first.state, expected[0]);
    }
}

/// The server answers nothing but the first page before as many requests wait as can be ahead.
#[tokio::test]
async fn eight_pages_ahead_are_requested_side_by_side() {
    const PAGES: usize = 57;
    const AHEAD: usize = 8;
    let together = Arc::new(tokio::sync::Barrier::new(AHEAD));
    let rounds = Counter::default();
    let count = rounds.clone();
    let answer = async move |Query(query): Query<HashMap<String, String>>| {
        let page: usize = query["page"].parse().unwrap();
        if page == 1 || together.wait().await.is_leader() {
            count.next();
        }
        let body = format!(
            r#"{{"pageSize":1,"pageNo":{page},"count":{PAGES},"values":[{{"id":{page},"dataSourceId":9,
                "registrationDate":"2026-01-03T00:00:00Z","value":1,"valueDate":"2026-01-02T00:00:00Z"}}]}}"#
        );
        json(200, body)
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    let values = client.datasources().values(9).page_size(1).prefetch(AHEAD);
    assert_eq!(values.clone().stream().all().await.unwrap().len(), PAGES);
    let batches = values.arrow_stream().all().await.unwrap();
    assert_eq!(batches.len(), PAGES);
    // Each stream waits eight times, and one by one it would wait 57 times.
    assert_eq!(rounds.total(), 2 * (1 + (PAGES - 1) / AHEAD));
}
