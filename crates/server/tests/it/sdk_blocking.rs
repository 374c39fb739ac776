//! The blocking client of the SDK on the real service: its calls, iterators and edits do what the
//! asynchronous ones do, in any thread that no runtime runs in.

use obeya::blocking::Client;
use obeya::model::{IncidentSeverity, IncidentUpdate};
use obeya::{ClientBuilder, Error};
use tokio::runtime::Runtime;

use crate::incidents_plant::plant;
use crate::support::Service;

/// A service on a runtime of its own.
struct Plant {
    runtime: Runtime,
    /// `None` after its end.
    service: Option<Service>,
}

impl Plant {
    fn start() -> Self {
        let runtime = Runtime::new().expect("threads");
        let service = Some(runtime.block_on(plant()));
        Self { runtime, service }
    }

    fn settings(&self) -> ClientBuilder {
        let service = self.service.as_ref().expect("it runs");
        obeya::Client::builder()
            .base_url(service.running.base_url())
            .token(service.token())
    }

    fn client(&self) -> Client {
        Client::build(self.settings()).expect("a client")
    }
}

impl Drop for Plant {
    fn drop(&mut self) {
        // The service ends within its runtime.
        let _entered = self.runtime.enter();
        drop(self.service.take());
    }
}

#[test]
fn it_reads_what_the_asynchronous_client_reads() {
    let plant = Plant::start();
    let client = plant.client();
    let other = plant.settings().build().expect("a client");

    let found = client.incidents().get(100).expect("an incident");
    assert_eq!(
        found,
        plant
            .runtime
            .block_on(other.incidents().get(100))
            .expect("the same")
    );
    let rows = client
        .incidents()
        .list_v2()
        .filter("id eq 100")
        .aggregate(obeya::fields::count("n"));
    assert_eq!(
        rows.send::<serde_json::Value>().expect("a row").items,
        [serde_json::json!({"n": 1})]
    );
    let list = client.incidents().list().filter("id ge 100").page_size(1);
    let all = list.clone().stream().all().expect("incidents");
    let expected = other.incidents().list().filter("id ge 100").stream().all();
    assert_eq!(all, plant.runtime.block_on(expected).expect("the same"));
    assert!(all.len() > 1, "{} incidents", all.len());
    // An iterator has them one by one, and ends.
    let mut some = list.clone().top(1).stream();
    assert_eq!(some.next().expect("one").expect("an incident"), all[0]);
    assert!(some.next().is_none() && some.next().is_none());
    let page = list.send().expect("a page");
    assert_eq!(
        (page.values.len(), page.total),
        (1, i32::try_from(all.len()).expect("few"))
    );
    let groups = client
        .groups()
        .list()
        .orderby("id desc")
        .count(true)
        .send()
        .expect("groups");
    assert_eq!(groups.count, i64::try_from(groups.items.len()).ok());
    let batches = client
        .incidents()
        .list()
        .arrow_stream()
        .all()
        .expect("batches");
    let total = client.incidents().list().send().expect("a page").total;
    let rows: usize = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
    assert_eq!(rows, usize::try_from(total).expect("a number"));
    client.ping().expect("the time");

    let error = client.incidents().get(999_999).expect_err("none");
    assert!(error.is_not_found(), "{error:?}");
    let mut none = client.incidents().list().filter("nonsense").stream();
    assert_eq!(
        none.next()
            .expect("an error")
            .expect_err("refused")
            .status(),
        Some(400)
    );
    assert!(none.next().is_none());
}

#[test]
fn it_writes_with_tags_and_edits() {
    let plant = Plant::start();
    let client = plant.client();
    let found = client
        .tagged(|client| client.incidents().get(100))
        .expect("found");
    let changed = client
        .incidents()
        .edit(&found.value)
        .title("Edited")
        .send()
        .expect("edited");
    assert_eq!(changed.title, "Edited");
    let again = client.incidents().get(100).expect("read");
    assert_eq!(again, changed);
    let stale = IncidentUpdate::new(
        found.value.incident_type_id,
        IncidentSeverity::Low,
        "Stale",
        found.value.incident_date,
    );
    let tag = found.tag.expect("a tag");
    let late = client.if_match(tag).incidents().update(100, &stale);
    assert!(late.expect_err("too late").is_precondition_failed());
    let answer = client
        .with_response(|client| client.incidents().get(100))
        .expect("read");
    let response = answer.response.expect("a response");
    assert_eq!(response.status(), 200);
    assert!(response.headers().contains_key("x-request-id"));
    let body: serde_json::Value = serde_json::from_slice(response.body()).expect("JSON");
    assert_eq!(body["title"], answer.value.title.as_str());
    let answer = client
        .with_response(|client| client.ping())
        .expect("the time");
    let shown = format!("{answer:?}");
    assert!(
        shown.contains("200") && !shown.contains("x-request-id"),
        "{shown}"
    );
}

#[test]
fn threads_share_it() {
    let plant = Plant::start();
    let client = plant.client();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let client = client.clone();
            scope.spawn(move || {
                for _ in 0..5 {
                    assert_eq!(client.incidents().get(100).expect("an incident").id, 100);
                }
            });
        }
    });
}

/// Where waiting would stop a runtime, nothing waits and nothing panics.
#[test]
fn within_a_runtime_it_is_an_error() {
    let plant = Plant::start();
    let client = plant.client();
    plant.runtime.block_on(async {
        let error = client.ping().expect_err("within a runtime");
        assert!(matches!(error, Error::InsideRuntime), "{error:?}");
        assert_eq!((error.operation(), error.is_retryable()), (None, false));
        let mut list = client.groups().list().stream();
        let first = list.next().expect("an error");
        assert!(matches!(first, Err(Error::InsideRuntime)));
        assert!(list.next().is_none());
        // It is made, cloned and dropped here all the same, with its runtime.
        let made = plant.client();
        drop(made.clone());
        drop(made);
    });
    client.ping().expect("outside");
}
