//! Streams of v1 records in an order of the caller's, from a list that changes while it is read.
//!
//! The server of these tests is a list in memory that does what the interface says of pages. It never names a
//! state, as no service does for these lists.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use obeya::model::Improvement;
use obeya::{Client, Records};

use crate::support::{Counter, json, serve, with_token};

/// An improvement.
#[derive(Clone, Copy, Debug)]
struct Row {
    id: i32,
    /// The number in its title, by which the tests order.
    rank: i32,
    /// The number of its last change.
    stamp: i64,
}

/// What happens to the rows before a request for a page is answered, which is the n-th.
type Change = Box<dyn FnMut(usize, &mut Vec<Row>) + Send>;

const VERSION: &str = "lastModified desc,id desc";

fn page(rows: &[Row], query: &HashMap<String, String>, example: &serde_json::Value) -> Response {
    let after = query.get("$filter").map_or(0, |filter| {
        let after = filter.strip_prefix("id gt ").unwrap();
        after.parse().unwrap()
    });
    let mut rows: Vec<Row> = rows.iter().copied().filter(|row| row.id > after).collect();
    match query.get("$orderby").map(String::as_str) {
        None => rows.sort_by_key(|row| row.id),
        Some("title") => rows.sort_by_key(|row| (row.rank, row.id)),
        Some(VERSION) => rows.sort_by_key(|row| (-row.stamp, -row.id)),
        Some(other) => panic!("{other}"),
    }
    let size: usize = query["pageSize"].parse().unwrap();
    let number: usize = query.get("page").map_or(1, |page| page.parse().unwrap());
    let shown = rows.chunks(size).nth(number - 1).unwrap_or_default();
    let values: Vec<serde_json::Value> = shown
        .iter()
        .map(|row| {
            let mut one = example.clone();
            one["id"] = row.id.into();
            one["title"] = format!("{:04}", row.rank).into();
            let stamp = format!("2026-01-01T00:00:00.{:07}Z", row.stamp);
            one["lastModified"] = stamp.into();
            one
        })
        .collect();
    let body = serde_json::json!({ "total": rows.len(), "page": number, "values": values });
    json(200, body.to_string())
}

/// A list of so many improvements, and how often it was asked for a page.
async fn improvements(count: i32, change: Change) -> (Client, Counter) {
    let spec: serde_json::Value =
        serde_json::from_str(include_str!("../../../../spec/generated/openapi.json")).unwrap();
    let example = spec["components"]["schemas"]["Improvement"]["example"].clone();
    // Ranks in another order than ids.
    let rows = (1..=count).map(|id| Row {
        id,
        rank: id * 37 % 101,
        stamp: id.into(),
    });
    let rows = Arc::new(Mutex::new((rows.collect::<Vec<Row>>(), change)));
    let asked = Counter::default();
    let count = asked.clone();
    let answer = async move |Query(query): Query<HashMap<String, String>>| {
        let (rows, change) = &mut *rows.lock().unwrap();
        change(count.next(), rows);
        page(rows, &query, &example)
    };
    let routes = Router::new().route("/v1/Improvements", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    (client, asked)
}

async fn ids(list: Records<Improvement>) -> Vec<i32> {
    let all = list.stream().all().await.unwrap();
    all.iter().map(|improvement| improvement.id).collect()
}

fn by_title(client: &Client) -> Records<Improvement> {
    client.improvements().list().page_size(5).orderby("title")
}

/// The first of the order goes and another comes to its end: the total stays, and each page moves.
#[tokio::test]
async fn one_that_goes_and_one_that_comes_hide_no_other() {
    // Each is the last of two requests for the version, three of which pages are between.
    for before in 3..=5 {
        let change = move |asked: usize, rows: &mut Vec<Row>| {
            if asked == before {
                rows.sort_by_key(|row| row.rank);
                rows.remove(0);
                rows.push(Row {
                    id: 1_000,
                    rank: 9_000,
                    stamp: 500,
                });
            }
        };
        let (client, asked) = improvements(20, Box::new(change)).await;
        let found = ids(by_title(&client)).await;
        let stood: BTreeSet<i32> = found.iter().copied().collect();
        assert!((1..=20).all(|id| stood.contains(&id)), "{found:?}");
        assert_eq!(stood.len(), found.len(), "{found:?}");
        // Four pages and the version around them; then four by id, and one that is empty.
        assert!(asked.total() <= 11, "{}", asked.total());
    }
}

/// One comes before the first page, is replaced by another between two pages, and that one is gone after the
/// last page. Each page has the same total, and the version is the same before and after.
#[tokio::test]
async fn those_that_come_and_go_between_two_versions_hide_no_other() {
    // The version is the first request, and there are five pages of 21 records.
    for replaced in 3..=6 {
        let change = move |asked: usize, rows: &mut Vec<Row>| {
            let row = |id, rank| Row {
                id,
                rank,
                stamp: 500 + i64::from(id),
            };
            if asked == 2 {
                rows.push(row(1_000, -1));
            } else if asked == replaced {
                rows.retain(|row| row.id != 1_000);
                rows.push(row(1_001, 9_000));
            } else if asked == 7 {
                rows.retain(|row| row.id < 1_000);
            }
        };
        let (client, _) = improvements(20, Box::new(change)).await;
        let found = ids(by_title(&client)).await;
        let stood: BTreeSet<i32> = found.iter().copied().filter(|id| *id < 1_000).collect();
        assert_eq!(stood, (1..=20).collect(), "{replaced}");
    }
}

/// A record whose title changes moves in the order, and one that is only touched does not.
#[tokio::test]
async fn whatever_changes_each_record_that_stands_comes_once() {
    for seed in obeya_testkit::seeds(24) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let calm = rng.usize(1..6);
        let page_size = rng.i32(2..12);
        let mut stamp = 100;
        let change = move |_: usize, rows: &mut Vec<Row>| {
            if rng.usize(..calm) > 0 {
                return;
            }
            for _ in 0..rng.usize(1..4) {
                stamp += 1;
                let rank = rng.i32(0..101);
                let passing = rows.iter().position(|row| row.id >= 1_000);
                match (rng.u8(0..4), passing) {
                    (0, Some(place)) => drop(rows.swap_remove(place)),
                    (1, _) => {
                        let place = rng.usize(..rows.len());
                        rows[place].stamp = stamp;
                        if rng.bool() {
                            rows[place].rank = rank;
                        }
                    }
                    _ => {
                        let id = 900 + i32::try_from(stamp).unwrap();
                        rows.push(Row { id, rank, stamp });
                        // The total stays as it is, most often.
                        if let Some(place) = passing {
                            rows.swap_remove(place);
                        }
                    }
                }
            }
        };
        let (client, _) = improvements(40, Box::new(change)).await;
        let found = ids(by_title(&client).page_size(page_size)).await;
        let stood: BTreeSet<i32> = found.iter().copied().filter(|id| *id < 1_000).collect();
        assert_eq!(stood, (1..=40).collect(), "seed {seed}");
        let different: BTreeSet<i32> = found.iter().copied().collect();
        assert_eq!(different.len(), found.len(), "seed {seed}");
    }
}

#[tokio::test]
async fn where_nothing_changes_each_page_is_asked_for_once_and_the_version_twice() {
    for (count, expected) in [(0, 2), (5, 2), (6, 4), (20, 6)] {
        let (client, asked) = improvements(count, Box::new(|_, _| ())).await;
        let found = ids(by_title(&client)).await;
        assert!(found.len() == usize::try_from(count).unwrap());
        assert_eq!(asked.total(), expected, "{count} records");
        // In the order of ids there is nothing to compare.
        for list in [
            by_title(&client).orderby("id"),
            client.improvements().list().page_size(5),
        ] {
            let before = asked.total();
            assert_eq!(ids(list).await, (1..=count).collect::<Vec<_>>());
            assert_eq!(
                asked.total() - before,
                usize::try_from(count).unwrap().div_ceil(5).max(1)
            );
        }
    }
}

/// In the order of ids each request begins a list of its own: its page may be smaller, but never larger.
#[tokio::test]
async fn a_limit_in_the_order_of_ids_takes_pages_of_at_most_the_size_that_was_set() {
    let (client, asked) = improvements(20, Box::new(|_, _| ())).await;
    for (top, pages) in [(0, 1), (4, 1), (5, 1), (6, 2), (12, 3), (60, 4)] {
        let before = asked.total();
        let list = client.improvements().list().page_size(5).top(top);
        let count = i32::try_from(top).unwrap().min(20);
        assert_eq!(
            ids(list).await,
            (1..=count).collect::<Vec<_>>(),
            "top {top}"
        );
        assert_eq!(asked.total() - before, pages, "top {top}");
    }
}

/// As many as a page has are of one moment: no change can come between two pages.
#[tokio::test]
async fn a_limit_within_a_page_gives_the_first_of_the_order_at_one_moment() {
    for seed in obeya_testkit::seeds(12) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let top = rng.usize(1..=5);
        let moments = Arc::new(Mutex::new(Vec::new()));
        let log = moments.clone();
        let change = move |_: usize, rows: &mut Vec<Row>| {
            rows.iter_mut().for_each(|row| row.rank = rng.i32(0..101));
            rows.sort_by_key(|row| (row.rank, row.id));
            let first: Vec<i32> = rows.iter().take(top).map(|row| row.id).collect();
            log.lock().unwrap().push(first);
        };
        let (client, _) = improvements(40, Box::new(change)).await;
        let list = by_title(&client).top(u32::try_from(top).unwrap());
        let found = ids(list).await;
        assert_eq!(*moments.lock().unwrap(), [found], "seed {seed}");
    }
}

/// A limit over several pages of a list that changes between them: so many records, each once, or all that
/// stand.
#[tokio::test]
async fn a_limit_holds_while_the_list_changes() {
    for seed in obeya_testkit::seeds(12) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (top, page_size) = (rng.u32(1..60), rng.i32(2..12));
        let mut stamp = 100;
        let change = move |_: usize, rows: &mut Vec<Row>| {
            stamp += 1;
            // One that stands moves, and another goes or comes.
            let place = rng.usize(..rows.len());
            rows[place].rank = rng.i32(0..101);
            rows[place].stamp = stamp;
            match rows.iter().position(|row| row.id >= 1_000) {
                Some(place) => drop(rows.swap_remove(place)),
                None => rows.push(Row {
                    id: 900 + i32::try_from(stamp).unwrap(),
                    rank: rng.i32(0..101),
                    stamp,
                }),
            }
        };
        let (client, _) = improvements(40, Box::new(change)).await;
        for list in [by_title(&client), client.improvements().list()] {
            let found = ids(list.page_size(page_size).top(top)).await;
            let top = usize::try_from(top).unwrap();
            assert!(found.len() <= top, "seed {seed}");
            let stands = |id: &i32| found.contains(id);
            assert!(
                found.len() == top || (1..=40).all(|id| stands(&id)),
                "seed {seed}"
            );
            let different: BTreeSet<i32> = found.iter().copied().collect();
            assert_eq!(different.len(), found.len(), "seed {seed}");
        }
    }
}
