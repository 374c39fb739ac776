//! `top` of the numbered lists of v1: which pages are requested, and what of them is yielded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use obeya::{BoardTasks, Client, Values};

use crate::support::{json, serve, with_token};

/// The pages that were requested, by number and size, in the order of their numbers.
#[derive(Clone, Default)]
pub struct Asked(Arc<Mutex<Vec<(usize, usize)>>>);

impl Asked {
    pub fn take(&self) -> Vec<(usize, usize)> {
        let mut pages = std::mem::take(&mut *self.0.lock().unwrap());
        pages.sort_unstable();
        pages
    }
}

/// The ids of a page out of ids from 1 on.
fn ids_of(number: usize, size: usize, total: usize) -> Vec<usize> {
    let start = (number - 1) * size;
    (start.min(total) + 1..=(start + size).min(total)).collect()
}

async fn plant() -> (Client, Asked) {
    let (url, asked) = plant_at().await;
    (with_token(&url).build().unwrap(), asked)
}

/// A datasource and a board with 100 records each. They count all of them, and name no state.
pub async fn plant_at() -> (String, Asked) {
    let asked = Asked::default();
    let log = asked.clone();
    let values = async move |Query(query): Query<HashMap<String, String>>| {
        let (number, size) = (
            query["page"].parse().unwrap(),
            query["pageSize"].parse().unwrap(),
        );
        log.0.lock().unwrap().push((number, size));
        let values = ids_of(number, size, 100).into_iter().map(|id| {
            let date = format!("2026-01-01T00:{:02}:{:02}Z", id / 60, id % 60);
            serde_json::json!({
                "id": id, "dataSourceId": 9, "registrationDate": date, "value": 0.5, "valueDate": date
            })
        });
        let values: Vec<serde_json::Value> = values.collect();
        let body = serde_json::json!({
            "pageSize": size, "pageNo": number, "count": 100, "values": values
        });
        json(200, body.to_string())
    };
    let spec: serde_json::Value =
        serde_json::from_str(include_str!("../../../../spec/generated/openapi.json")).unwrap();
    let example = spec["components"]["schemas"]["TaskInfo"]["example"].clone();
    let log = asked.clone();
    let tasks = async move |Query(query): Query<HashMap<String, String>>| {
        let number = query.get("Page").map_or(1, |page| page.parse().unwrap());
        let size = query["Count"].parse().unwrap();
        log.0.lock().unwrap().push((number, size));
        let tasks = ids_of(number, size, 100).into_iter().map(|id| {
            let mut task = example.clone();
            task["id"] = id.into();
            task
        });
        let tasks: Vec<serde_json::Value> = tasks.collect();
        let body = serde_json::json!({ "total": 100, "page": number, "values": tasks });
        json(200, body.to_string())
    };
    let routes = Router::new()
        .route("/v1/Datasources/9/values", get(values))
        .route("/v1/Boards/7/tasks", get(tasks));
    (serve(routes).await, asked)
}

async fn ids_of_values(values: Values) -> Vec<i32> {
    let all = values.stream().all().await.unwrap();
    all.iter().map(|value| value.id).collect()
}

async fn ids_of_tasks(tasks: BoardTasks) -> Vec<i32> {
    let all = tasks.stream().all().await.unwrap();
    all.iter().map(|task| task.id).collect()
}

/// A limit, the pages that are requested with their sizes, and how many records are yielded.
type Expected = (u32, Vec<(usize, usize)>, i32);

/// With pages of ten.
fn expected() -> Vec<Expected> {
    let pages = |last: usize, size: usize| (1..=last).map(|page| (page, size)).collect();
    vec![
        // A page of no records cannot be requested.
        (0, pages(1, 1), 0),
        (3, pages(1, 3), 3),
        (10, pages(1, 10), 10),
        // Two pages of six instead of ten and ten: the numbers of pages fit one size only.
        (11, pages(2, 6), 11),
        (25, pages(3, 9), 25),
        (30, pages(3, 10), 30),
        (100, pages(10, 10), 100),
        (1_000, pages(10, 10), 100),
    ]
}

#[tokio::test]
async fn a_stream_of_values_requests_no_page_beyond_its_limit() {
    let (client, asked) = plant().await;
    for (top, pages, count) in expected() {
        for prefetch in [1, 4, 16] {
            let values = client
                .datasources()
                .values(9)
                .page_size(10)
                .prefetch(prefetch);
            let found = ids_of_values(values.clone().top(top)).await;
            assert_eq!(found, (1..=count).collect::<Vec<_>>(), "top {top}");
            assert_eq!(asked.take(), pages, "top {top}, {prefetch} ahead");
            // In an order that has no cursor.
            let found = ids_of_values(values.orderby("id").top(top)).await;
            assert_eq!(found, (1..=count).collect::<Vec<_>>(), "top {top}");
            assert_eq!(asked.take(), pages, "top {top}, {prefetch} ahead");
        }
    }
}

#[cfg(feature = "arrow")]
#[tokio::test]
async fn nor_does_one_of_batches() {
    let (client, asked) = plant().await;
    for (top, pages, count) in expected() {
        let values = client.datasources().values(9).page_size(10).top(top);
        let batches = values.to_arrow().await.unwrap();
        let rows: usize = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
        assert_eq!(rows, usize::try_from(count).unwrap(), "top {top}");
        // The columns are known where there is no record.
        assert_eq!(batches[0].schema(), obeya::value_schema());
        assert_eq!(asked.take(), pages, "top {top}");
    }
}

#[tokio::test]
async fn nor_does_one_of_tasks() {
    let (client, asked) = plant().await;
    for (top, pages, count) in expected() {
        let found = ids_of_tasks(client.boards().tasks(7).page_size(10).top(top)).await;
        assert_eq!(found, (1..=count).collect::<Vec<_>>(), "top {top}");
        assert_eq!(asked.take(), pages, "top {top}");
    }
}

#[tokio::test]
async fn a_single_page_has_what_is_within_the_limit() {
    let (client, asked) = plant().await;
    for (page, top, size, count) in [
        (1, 25, 10, 10),
        (2, 25, 10, 10),
        (3, 25, 10, 5),
        (4, 25, 10, 0),
        (1, 4, 4, 4),
        (1, 0, 1, 0),
    ] {
        let number = usize::try_from(page).unwrap();
        let values = client.datasources().values(9).page_size(10).top(top);
        let found = values.page(page).await.unwrap();
        assert_eq!(
            (found.values.len(), found.count),
            (count, 100),
            "page {page}"
        );
        assert_eq!(asked.take(), [(number, size)]);
        let tasks = client.boards().tasks(7).page_size(10).top(top);
        let found = tasks.page(page).await.unwrap();
        assert_eq!(
            (found.values.len(), found.total),
            (count, 100),
            "page {page}"
        );
        assert_eq!(asked.take(), [(number, size)]);
    }
}
