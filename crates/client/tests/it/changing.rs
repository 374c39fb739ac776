//! Streams of values from a datasource that changes while they are read, as often as with every request.
//!
//! The server of these tests is a list in memory that does what the interface says of pages. That the real
//! service does is tested with the service.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use obeya::model::Timestamp;
use obeya::{Client, Error, Values};

use crate::support::{Counter, json, serve, with_token};

/// A value: when it is dated, in minutes, and its id.
type Row = (i64, i32);

/// What happens to the rows before a request is answered, which is the n-th.
type Change = Box<dyn FnMut(usize, &mut Vec<Row>) + Send>;

/// How a page tells what it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tells {
    State,
    CountOfAll,
    CountOfPage,
}

fn at(minutes: i64) -> Timestamp {
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    Timestamp::from_ticks(start.ticks() + minutes * 600_000_000).unwrap()
}

fn page(rows: &[Row], query: &HashMap<String, String>, tells: Tells, version: usize) -> Response {
    let bound = |name: &str| {
        query
            .get(name)
            .map(|text| text.parse::<Timestamp>().unwrap())
    };
    let (from, to) = (bound("from"), bound("to"));
    let after: Option<i32> = query
        .get("$filter")
        .map(|filter| filter.strip_prefix("id gt ").unwrap().parse().unwrap());
    let mut matching: Vec<Row> = rows
        .iter()
        .copied()
        .filter(|(minutes, id)| {
            from.is_none_or(|from| at(*minutes) > from)
                && to.is_none_or(|to| at(*minutes) < to)
                && after.is_none_or(|after| *id > after)
        })
        .collect();
    match query.get("$orderby").map(String::as_str) {
        None | Some("valueDate" | "valueDate,id") => matching.sort_unstable(),
        Some("valueDate desc") => matching.sort_unstable_by_key(|(date, id)| (-date, *id)),
        Some("id") => matching.sort_unstable_by_key(|(_, id)| *id),
        Some("id desc") => matching.sort_unstable_by_key(|(_, id)| -id),
        Some(other) => panic!("{other}"),
    }
    let size: usize = query["pageSize"].parse().unwrap();
    let number: usize = query["page"].parse().unwrap();
    let start = ((number - 1) * size).min(matching.len());
    let shown = &matching[start..(start + size).min(matching.len())];
    let values: Vec<String> = shown
        .iter()
        .map(|(minutes, id)| {
            let date = at(*minutes);
            format!(
                r#"{{"id":{id},"dataSourceId":9,"registrationDate":"{date}","value":1,"valueDate":"{date}"}}"#
            )
        })
        .collect();
    let count = match tells {
        Tells::CountOfPage => shown.len(),
        Tells::State | Tells::CountOfAll => matching.len(),
    };
    let values = values.join(",");
    let body =
        format!(r#"{{"pageSize":{size},"pageNo":{number},"count":{count},"values":[{values}]}}"#);
    let mut response = json(200, body);
    if tells == Tells::State {
        let state = format!("s{version}").parse().unwrap();
        response.headers_mut().insert("obeya-state", state);
    }
    response
}

/// A datasource of these rows, and how often it was asked.
async fn datasource(rows: Vec<Row>, tells: Tells, change: Change) -> (Client, Counter) {
    let kept = Arc::new(Mutex::new((rows, change, 0)));
    let asked = Counter::default();
    let count = asked.clone();
    let answer = async move |Query(query): Query<HashMap<String, String>>| {
        let (rows, change, version) = &mut *kept.lock().unwrap();
        let before = rows.clone();
        change(count.next(), rows);
        *version += usize::from(before != *rows);
        page(rows, &query, tells, *version)
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    (client, asked)
}

fn values(client: &Client) -> Values {
    client.datasources().values(9).page_size(3)
}

async fn ids(values: Values) -> Result<Vec<i32>, Error> {
    let all = values.stream().all().await?;
    Ok(all.iter().map(|value| value.id).collect())
}

/// The same, in the other encoding.
#[cfg(feature = "arrow")]
async fn ids_in_arrow(values: Values) -> Result<Vec<i32>, Error> {
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::Int32Type;
    let all = values.arrow_stream().all().await?;
    let ids = all
        .iter()
        .flat_map(|batch| batch["id"].as_primitive::<Int32Type>().values());
    Ok(ids.copied().collect())
}

#[cfg(not(feature = "arrow"))]
use ids as ids_in_arrow;

/// 60 values, of which seven at a time share a minute, more than a page holds.
fn many() -> Vec<Row> {
    (1..=60).map(|id| (i64::from(id) / 7, id)).collect()
}

/// A request in this order, and the ids of [`many`] by date in its direction.
fn in_order(request: Values, order: Option<&str>) -> (Values, Vec<i32>) {
    let mut expected = many();
    let request = match order {
        None => {
            expected.sort_unstable();
            request
        }
        Some(order) => {
            expected.sort_unstable_by_key(|(date, id)| (-date, *id));
            request.orderby(order)
        }
    };
    (request, expected.into_iter().map(|(_, id)| id).collect())
}

/// With every request one value of another id goes and another comes, anywhere, so that the count stays.
fn restless(seed: u64) -> Change {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut next = 1_000;
    Box::new(move |_, rows| {
        let passing: Vec<usize> = (0..rows.len())
            .filter(|row| rows[*row].1 >= 1_000)
            .collect();
        if let Some(row) = passing.get(rng.usize(..passing.len().max(1))) {
            rows.swap_remove(*row);
        }
        next += 1;
        rows.push((rng.i64(0..9), next));
    })
}

#[tokio::test]
async fn a_datasource_that_changes_with_every_request_is_read_to_its_end() {
    let seed = obeya_testkit::seed();
    for (order, in_arrow) in [
        (None, false),
        (None, true),
        (Some("valueDate desc"), false),
        (Some("valueDate desc"), true),
    ] {
        for prefetch in [1, 8] {
            let mut rows = many();
            rows.extend([(2, 1_000), (5, 999_999)]);
            let (client, asked) = datasource(rows, Tells::State, restless(seed)).await;
            let (request, expected) = in_order(values(&client).prefetch(prefetch), order);
            let found = match in_arrow {
                true => ids_in_arrow(request).await.unwrap(),
                false => ids(request).await.unwrap(),
            };
            let stood: Vec<i32> = found.iter().copied().filter(|id| *id < 1_000).collect();
            let what = format!("seed {seed}, {order:?}, {prefetch} ahead, Arrow: {in_arrow}");
            assert_eq!(stood, expected, "{what}");
            let different: BTreeSet<i32> = found.iter().copied().collect();
            assert_eq!(different.len(), found.len(), "{what}");
            // 21 pages if nothing changed; each is asked for again once or twice, and fetched ahead in vain
            // at first.
            assert!(asked.total() < 130, "{what}: {} requests", asked.total());
        }
    }
}

#[tokio::test]
async fn without_a_state_the_count_tells_that_something_went() {
    for tells in [Tells::State, Tells::CountOfAll] {
        let change = |asked: usize, rows: &mut Vec<Row>| {
            if asked == 3 {
                rows.retain(|(_, id)| *id > 4);
            }
        };
        let (client, _) = datasource(many(), tells, Box::new(change)).await;
        let found = ids(values(&client).prefetch(1)).await.unwrap();
        assert_eq!(found, (1..=60).collect::<Vec<_>>(), "{tells:?}");
    }
}

/// What comes before the pages that were read moves their last value to the next one.
#[tokio::test]
async fn without_a_state_the_count_tells_that_something_came() {
    for tells in [Tells::State, Tells::CountOfAll] {
        let change = |asked: usize, rows: &mut Vec<Row>| {
            if asked == 3 {
                rows.push((0, 100));
            }
        };
        let (client, _) = datasource(many(), tells, Box::new(change)).await;
        let found = ids(values(&client).orderby("id desc").prefetch(1)).await;
        let mut found = found.unwrap();
        found.retain(|id| *id != 100);
        assert_eq!(found, (1..=60).rev().collect::<Vec<_>>(), "{tells:?}");
    }
}

#[tokio::test]
async fn where_nothing_changes_each_page_is_asked_for_once() {
    for (tells, prefetch, order) in [
        (Tells::State, 1, None),
        (Tells::State, 8, Some("id desc")),
        (Tells::CountOfAll, 8, None),
        // Its last page counts less than the others.
        (Tells::CountOfPage, 1, None),
        (Tells::CountOfPage, 1, Some("id desc")),
    ] {
        let rows = many().split_off(2);
        let (client, asked) = datasource(rows, tells, Box::new(|_, _| ())).await;
        let mut request = values(&client).prefetch(prefetch);
        if let Some(order) = order {
            request = request.orderby(order);
        }
        assert_eq!(ids(request).await.unwrap().len(), 58);
        assert_eq!(asked.total(), 20, "{tells:?} {order:?}");
    }
}

#[tokio::test]
async fn in_an_order_of_the_callers_what_came_before_is_left_out() {
    let change = |asked: usize, rows: &mut Vec<Row>| {
        if asked == 3 {
            rows.retain(|(_, id)| *id < 58);
        }
    };
    let (client, _) = datasource(many(), Tells::State, Box::new(change)).await;
    let found = ids(values(&client).orderby("id desc").prefetch(1)).await;
    assert_eq!(found.unwrap(), (1..=60).rev().collect::<Vec<_>>());
}

/// No pass over such an order gets further than a page, so that the rest comes by id.
#[tokio::test]
async fn in_an_order_of_the_callers_constant_change_loses_and_doubles_nothing() {
    let seed = obeya_testkit::seed();
    for prefetch in [1, 8] {
        let (client, asked) = datasource(many(), Tells::State, restless(seed)).await;
        let found = ids(values(&client).orderby("id desc").prefetch(prefetch)).await;
        let found = found.unwrap();
        let stood: BTreeSet<i32> = found.iter().copied().filter(|id| *id < 1_000).collect();
        assert_eq!(stood, (1..=60).collect(), "seed {seed}");
        let different: BTreeSet<i32> = found.iter().copied().collect();
        assert_eq!(different.len(), found.len(), "seed {seed}");
        assert!(asked.total() < 100, "{}", asked.total());
    }
}

/// As a service that ignores conditions sends the same page for good.
#[tokio::test]
async fn ids_that_come_again_end_with_an_error() {
    let asked = Counter::default();
    let count = asked.clone();
    let answer = async move |Query(mut query): Query<HashMap<String, String>>| {
        query.remove("$filter");
        page(&many(), &query, Tells::State, count.next())
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    let error = ids(values(&client).orderby("id desc").prefetch(1)).await;
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error:?}");
    assert!(error.is_retryable());
    assert!(asked.total() < 40, "{}", asked.total());
}

/// What a condition with `now()` matches changes without a change of the datasource: each page is asked for
/// by the last value.
#[tokio::test]
async fn a_condition_that_asks_for_the_time_fits_no_page_to_another() {
    let pages = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&pages);
    let answer = async move |Query(mut query): Query<HashMap<String, String>>| {
        log.lock()
            .unwrap()
            .push((query["page"].clone(), query.get("from").cloned()));
        query.remove("$filter");
        let rows: Vec<Row> = (1..=7).map(|id| (i64::from(id), id)).collect();
        page(&rows, &query, Tells::State, 0)
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    let request = values(&client).filter("valueDate lt now()").prefetch(4);
    let found = ids(request).await;
    assert_eq!(found.unwrap(), (1..=7).collect::<Vec<_>>());
    let from = |text: &str| ("1".to_owned(), Some(text.to_owned()));
    let expected = [
        ("1".to_owned(), None),
        from("2026-01-01T00:02:59.9999999Z"),
        from("2026-01-01T00:04:59.9999999Z"),
        from("2026-01-01T00:06:59.9999999Z"),
    ];
    assert_eq!(*pages.lock().unwrap(), expected);
}

/// With a condition that asks for the time, no state tells that a page was missed: the rest comes by id.
#[tokio::test]
async fn a_condition_that_asks_for_the_time_loses_nothing_in_an_order_of_the_callers() {
    let asked = Counter::default();
    let answer = async move |Query(mut query): Query<HashMap<String, String>>| {
        let filter = query.remove("$filter").unwrap();
        if let Some((_, after)) = filter.rsplit_once(" and ") {
            query.insert("$filter".to_owned(), after.to_owned());
        }
        // From the third request on the condition matches the last three no more, and three others.
        let first = if asked.next() < 3 { 4 } else { 1 };
        let rows: Vec<Row> = (first..first + 12).map(|id| (i64::from(id), id)).collect();
        page(&rows, &query, Tells::State, 0)
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    let request = values(&client)
        .filter("valueDate lt now()")
        .orderby("id desc")
        .prefetch(1);
    let found = ids(request).await.unwrap();
    let stood: BTreeSet<i32> = found.iter().copied().collect();
    assert_eq!(stood, (1..=15).collect());
    assert_eq!(found.len(), 15);
}

/// Values of one date on several pages too, in each order of dates, in both encodings, by another process.
/// The service would refuse a period that ends before it begins.
#[tokio::test]
async fn after_the_end_of_its_period_a_stream_requests_nothing() {
    let (client, asked) = datasource(many(), Tells::State, Box::new(|_, _| ())).await;
    let mut pages = values(&client).pages_with_position();
    let mut last = None;
    while let Some(page) = pages.next().await {
        last = page.unwrap().position;
    }
    let before = asked.total();
    let request = values(&client).after(last.unwrap()).to(at(5));
    assert_eq!(ids(request).await.unwrap(), [0; 0]);
    assert_eq!(asked.total(), before);
}

#[tokio::test]
async fn a_stream_continues_after_the_position_of_another() {
    let mut rng = obeya_testkit::rng();
    for (order, in_arrow) in [
        ("valueDate", false),
        ("valueDate,id", true),
        ("valueDate desc", false),
        ("valueDate desc", true),
    ] {
        for _ in 0..4 {
            let (client, _) = datasource(many(), Tells::State, restless(rng.u64(..))).await;
            let (mut found, mut position) = (Vec::new(), None);
            loop {
                let mut request = values(&client).orderby(order).prefetch(rng.usize(1..4));
                if let Some(text) = position.take() {
                    let text: String = text;
                    request = request.after(serde_json::from_str(&text).unwrap());
                }
                let used = rng.usize(1..4);
                let ended = in_pages(request, in_arrow, used, &mut found, &mut position).await;
                if ended {
                    break;
                }
            }
            let mut expected = many();
            match order {
                "valueDate desc" => expected.sort_unstable_by_key(|(date, id)| (-date, *id)),
                _ => expected.sort_unstable(),
            }
            let expected: Vec<i32> = expected.iter().map(|(_, id)| *id).collect();
            let stood: Vec<i32> = found.iter().copied().filter(|id| *id < 1_000).collect();
            assert_eq!(stood, expected, "{order}, Arrow: {in_arrow}");
        }
    }
}

/// Reads so many pages of a stream, and notes the position after each as a text. Returns whether it ended.
async fn in_pages(
    request: Values,
    in_arrow: bool,
    used: usize,
    found: &mut Vec<i32>,
    position: &mut Option<String>,
) -> bool {
    #[cfg(feature = "arrow")]
    if in_arrow {
        use arrow_array::cast::AsArray as _;
        use arrow_array::types::Int32Type;
        let mut pages = request.arrow_pages();
        for _ in 0..used {
            let Some(page) = pages.next().await else {
                return true;
            };
            let page = page.unwrap();
            found.extend(page.batch["id"].as_primitive::<Int32Type>().values());
            *position = Some(serde_json::to_string(&page.position.unwrap()).unwrap());
        }
        return false;
    }
    let _ = in_arrow;
    let mut pages = request.pages_with_position();
    for _ in 0..used {
        let Some(page) = pages.next().await else {
            return true;
        };
        let page = page.unwrap();
        found.extend(page.page.values.iter().map(|value| value.id));
        *position = Some(serde_json::to_string(&page.position.unwrap()).unwrap());
    }
    false
}

/// Resume states of `obeya pull` have had it so since before there were positions here.
#[tokio::test]
async fn a_position_is_stored_as_a_date_and_ids() {
    let rows = vec![(0, 1), (1, 3), (1, 9), (2, 4)];
    let (client, _) = datasource(rows, Tells::State, Box::new(|_, _| ())).await;
    let mut pages = values(&client).pages_with_position();
    let page = pages.next().await.unwrap().unwrap();
    let stored = serde_json::to_string(&page.position).unwrap();
    assert_eq!(stored, r#"{"date":"2026-01-01T00:01:00Z","ids":[3,9]}"#);
    // The ids may stand in any order.
    let position = serde_json::from_str(r#"{"date":"2026-01-01T00:01:00Z","ids":[9,3]}"#).unwrap();
    assert_eq!(ids(values(&client).after(position)).await.unwrap(), [4]);
}

#[tokio::test]
async fn where_the_order_is_not_that_of_dates_there_is_no_position() {
    let (client, _) = datasource(many(), Tells::State, Box::new(|_, _| ())).await;
    let mut pages = values(&client).orderby("id desc").pages_with_position();
    assert_eq!(pages.next().await.unwrap().unwrap().position, None);
    let mut pages = values(&client).pages_with_position();
    let position = pages.next().await.unwrap().unwrap().position.unwrap();
    let refused = ids(values(&client).orderby("id").after(position.clone())).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, Error::Request { .. }), "{refused:?}");

    // A service that does not keep to the order: its values come, until one of them could be missed.
    let answer = async move |Query(mut query): Query<HashMap<String, String>>| {
        query.insert("$orderby".to_owned(), "id desc".to_owned());
        page(&many(), &query, Tells::State, 0)
    };
    let routes = Router::new().route("/v1/Datasources/9/values", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    let mut pages = values(&client).page_size(10).pages_with_position();
    let page = pages.next().await.unwrap().unwrap();
    assert_eq!((page.page.values.len(), page.position), (10, None));
    let error = ids(values(&client).after(position)).await.unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error:?}");
}

/// How many of the first values stand, and what else comes, changes with every request; the limit does not.
#[tokio::test]
async fn a_limit_holds_while_the_datasource_changes() {
    for seed in obeya_testkit::seeds(12) {
        let mut rng = fastrand::Rng::with_seed(seed);
        for (order, in_arrow) in [
            (None, false),
            (None, true),
            (Some("valueDate desc"), false),
            (Some("id desc"), false),
            (Some("id desc"), true),
        ] {
            let (top, prefetch) = (rng.u32(1..55), rng.usize(1..8));
            let (client, _) = datasource(many(), Tells::State, restless(rng.u64(..))).await;
            let request = values(&client).prefetch(prefetch).top(top);
            let (request, expected) = in_order(request, order);
            let found = match in_arrow {
                true => ids_in_arrow(request).await.unwrap(),
                false => ids(request).await.unwrap(),
            };
            let what = format!("seed {seed}, top {top}, {order:?}, Arrow: {in_arrow}");
            assert_eq!(found.len(), usize::try_from(top).unwrap(), "{what}");
            let different: BTreeSet<i32> = found.iter().copied().collect();
            assert_eq!(different.len(), found.len(), "{what}");
            // By date, none that stands is left out on the way.
            let stood: Vec<i32> = found.into_iter().filter(|id| *id < 1_000).collect();
            if order != Some("id desc") {
                assert_eq!(stood, expected[..stood.len()], "{what}");
            }
        }
    }
}

/// A position is after the last value that was yielded, though the page had more.
#[tokio::test]
async fn a_stream_continues_where_a_limit_ended_another() {
    for (top, prefetch) in [(1, 1), (4, 1), (8, 4), (59, 8)] {
        let (client, _) = datasource(many(), Tells::State, Box::new(|_, _| ())).await;
        let first = values(&client).prefetch(prefetch).top(top);
        let pages = first.pages_with_position().all().await.unwrap();
        let position = pages.last().unwrap().position.clone().unwrap();
        let mut found: Vec<i32> = pages
            .iter()
            .flat_map(|page| page.page.values.iter().map(|value| value.id))
            .collect();
        assert_eq!(found.len(), usize::try_from(top).unwrap());
        // The rest up to another limit, which counts anew.
        let rest = values(&client).prefetch(prefetch).after(position);
        found.extend(ids(rest.clone().top(1)).await.unwrap());
        assert_eq!(
            found,
            (1..=i32::try_from(top).unwrap() + 1).collect::<Vec<_>>()
        );
        let rest = ids(rest).await.unwrap();
        assert_eq!(
            rest,
            (i32::try_from(top).unwrap() + 1..=60).collect::<Vec<_>>()
        );
    }
}
