//! The blocking client: each method waits for the asynchronous one, and never within a runtime.

use obeya::Error;
use obeya::blocking::Client;
use tokio::runtime::Runtime;

use crate::limits::{Asked, plant_at};
use crate::support::{found, json, serve, with_token};

/// A client, and the runtime that the server of the test runs on.
fn served() -> (Client, Runtime, Asked) {
    let runtime = Runtime::new().unwrap();
    let (url, asked) = runtime.block_on(plant_at());
    let client = Client::build(with_token(&url)).unwrap();
    (client, runtime, asked)
}

#[test]
fn a_list_is_an_iterator_and_its_pages_are_fetched_ahead() {
    let (client, _runtime, asked) = served();
    let values = client.datasources().values(9).page_size(10).prefetch(4);
    let ids: Vec<i32> = values
        .clone()
        .stream()
        .map(|value| value.unwrap().id)
        .collect();
    assert_eq!(ids, (1..=100).collect::<Vec<_>>());
    assert_eq!(
        asked.take(),
        (1..=10).map(|page| (page, 10)).collect::<Vec<_>>()
    );
    // No further than it is read, and what is dropped stops.
    let mut few = values.clone().prefetch(1).stream();
    assert_eq!(few.next().unwrap().unwrap().id, 1);
    drop(few);
    assert_eq!(asked.take(), [(1, 10)]);
    let mut limited = values.clone().top(2).stream();
    assert_eq!(limited.by_ref().count(), 2);
    assert!(limited.next().is_none());
    assert_eq!(values.page(3).unwrap().values[0].id, 21);
    let tasks = client
        .boards()
        .tasks(7)
        .page_size(50)
        .pages()
        .all()
        .unwrap();
    assert_eq!(tasks.len(), 2);
    #[cfg(feature = "arrow")]
    {
        let batches = client.datasources().values(9).to_arrow().unwrap();
        assert_eq!(batches[0].num_rows(), 100);
    }
}

#[test]
fn an_iterator_ends_after_an_error() {
    let (client, _runtime, _) = served();
    let mut values = client.datasources().values(404).stream();
    assert!(values.next().unwrap().unwrap_err().is_not_found());
    assert!(values.next().is_none());
    let error = client.datasources().values(404).stream().all().unwrap_err();
    assert!(error.is_not_found());
}

#[test]
fn a_response_comes_with_its_value() {
    let (client, _runtime, _) = served();
    let read = |client: Client| client.datasources().values(9).page_size(2).page(1);
    let answer = client.with_response(read).unwrap();
    let response = answer.response.as_ref().unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(
        body["values"].as_array().unwrap().len(),
        answer.value.values.len()
    );
    assert!(!format!("{answer:?}").contains("application/json"));
    let nothing = client.with_response(|_| Ok(())).unwrap();
    assert!(nothing.response.is_none());
}

#[test]
fn what_has_a_known_tag_is_not_read_again() {
    let runtime = Runtime::new().unwrap();
    let answer = async |headers: http::HeaderMap| {
        let known = headers
            .get("if-none-match")
            .is_some_and(|tag| tag == "\"7\"");
        let mut response = if known { json(304, "") } else { found() };
        let tag = http::HeaderValue::from_static("\"7\"");
        response.headers_mut().insert("etag", tag);
        response
    };
    let routes = axum::Router::new().route("/v2/areas/1", axum::routing::get(answer));
    let url = runtime.block_on(serve(routes));
    let client = Client::build(with_token(&url)).unwrap();
    let read = |client: Client| client.areas().get(1).send();
    let first = client.tagged_unless(None, read).unwrap().unwrap();
    assert_eq!(first.value.id, Some(1));
    assert!(
        client
            .tagged_unless(first.tag.as_ref(), read)
            .unwrap()
            .is_none()
    );
}

#[test]
fn threads_share_it() {
    let (client, _runtime, _) = served();
    std::thread::scope(|scope| {
        for page in 1..=8 {
            let values = client.datasources().values(9).page_size(10);
            scope.spawn(move || assert_eq!(values.page(page).unwrap().page_no, page));
        }
    });
}

/// Where waiting would stop a runtime, nothing waits and nothing panics.
#[test]
fn within_a_runtime_it_is_an_error() {
    let (client, runtime, asked) = served();
    let url = client.base_url().to_owned();
    runtime.block_on(async {
        let error = client.ping().unwrap_err();
        assert!(matches!(error, Error::InsideRuntime), "{error:?}");
        assert_eq!((error.operation(), error.is_retryable()), (None, false));
        let mut values = client.datasources().values(9).stream();
        assert!(matches!(values.next(), Some(Err(Error::InsideRuntime))));
        assert!(values.next().is_none());
        // It is made, cloned and dropped here all the same, with its runtime.
        let made = Client::build(with_token(&url)).unwrap();
        drop(made.clone());
        drop(made);
    });
    assert_eq!(asked.take(), []);
    assert_eq!(
        client
            .datasources()
            .values(9)
            .top(1)
            .stream()
            .all()
            .unwrap()
            .len(),
        1
    );
}
