//! Streams of the SDK over numbered pages, while the list changes: every value that exists throughout appears
//! exactly once.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use obeya::model::{DatasourceValue, DatasourceValueInput, Timestamp};
use obeya::{Client, Paged, Values};

use crate::support::Service;
use crate::values_written::plant;

const DATASOURCE: i32 = 1;

/// The item type of a stream.
#[derive(Clone, Copy, Debug)]
enum Form {
    Values,
    Pages,
    Batches,
    ArrowPages,
}

const FORMS: [Form; 4] = [Form::Values, Form::Pages, Form::Batches, Form::ArrowPages];

/// A stream of ids, a page or a value at a time.
enum Stream {
    Values(Paged<DatasourceValue>),
    Pages(Paged<obeya::model::DatasourceValuePage>),
    Batches(Paged<arrow_array::RecordBatch>),
    ArrowPages(Paged<obeya::ArrowPage>),
}

impl Stream {
    fn of(values: Values, form: Form) -> Self {
        match form {
            Form::Values => Self::Values(values.stream()),
            Form::Pages => Self::Pages(values.pages()),
            Form::Batches => Self::Batches(values.arrow_stream()),
            Form::ArrowPages => Self::ArrowPages(values.arrow_pages()),
        }
    }

    async fn next(&mut self) -> Option<Vec<i32>> {
        let of_batch = |batch: arrow_array::RecordBatch| {
            let ids = batch["id"].as_primitive::<Int32Type>();
            ids.values().to_vec()
        };
        Some(match self {
            Self::Values(values) => vec![values.next().await?.expect("a value").id],
            Self::Pages(pages) => {
                let page = pages.next().await?.expect("a page");
                page.values.iter().map(|value| value.id).collect()
            }
            Self::Batches(batches) => of_batch(batches.next().await?.expect("a batch")),
            Self::ArrowPages(pages) => of_batch(pages.next().await?.expect("a page").batch),
        })
    }

    async fn rest(&mut self, ids: &mut Vec<i32>) {
        while let Some(some) = self.next().await {
            ids.extend(some);
        }
    }
}

fn sdk(service: &Service) -> Client {
    Client::builder()
        .base_url(service.running.base_url())
        .token(service.token())
        .build()
        .expect("a client")
}

/// The instant this many steps of 25 hours after the beginning of 2025: some in each month.
fn at(step: i64) -> Timestamp {
    let start: Timestamp = "2025-01-01T00:00:00Z".parse().expect("an instant");
    Timestamp::from_ticks(start.ticks() + step * 25 * 36_000_000_000).expect("in range")
}

fn input(step: i64) -> DatasourceValueInput {
    DatasourceValueInput {
        dimension: Some(if step % 3 == 0 { "A" } else { "B" }.to_owned()),
        ..DatasourceValueInput::new(step as f64, at(step))
    }
}

/// All values of the datasource by date and id, read in one page.
async fn all(client: &Client) -> Vec<DatasourceValue> {
    let values = client.datasources().values(DATASOURCE);
    let page = values.page_size(10_000).page(1).await.expect("a page");
    page.values
}

async fn add(client: &Client, steps: &[i64]) -> Vec<DatasourceValue> {
    let values: Vec<_> = steps.iter().map(|step| input(*step)).collect();
    let datasources = client.datasources();
    let added = datasources.create_values(DATASOURCE, &values).await;
    added.expect("added");
    all(client).await
}

#[tokio::test]
async fn a_value_deleted_behind_a_stream_takes_no_other_along() {
    for form in FORMS {
        for prefetch in [1, 8] {
            for order in [None, Some("valueDate desc"), Some("value")] {
                let service = plant().await;
                let client = sdk(&service);
                let there = add(&client, &(0..23).collect::<Vec<_>>()).await;
                let mut expected: Vec<i32> = there.iter().map(|value| value.id).collect();
                if order == Some("valueDate desc") {
                    expected.reverse();
                }
                let values = client.datasources().values(DATASOURCE);
                let mut values = values.page_size(5).prefetch(prefetch);
                if let Some(order) = order {
                    values = values.orderby(order);
                }
                let mut stream = Stream::of(values, form);
                let mut ids = stream.next().await.expect("some");
                let deleted = client.datasources().delete_value(DATASOURCE, ids[0]).await;
                deleted.expect("deleted");
                stream.rest(&mut ids).await;
                assert_eq!(ids, expected, "{form:?} {order:?}, {prefetch} ahead");
            }
        }
    }
}

#[tokio::test]
async fn a_value_added_behind_a_stream_brings_no_other_twice() {
    for form in FORMS {
        for order in [None, Some("value")] {
            let service = plant().await;
            let client = sdk(&service);
            let there = add(&client, &(1..24).collect::<Vec<_>>()).await;
            let expected: Vec<i32> = there.iter().map(|value| value.id).collect();
            let mut values = client.datasources().values(DATASOURCE).page_size(5);
            if let Some(order) = order {
                values = values.orderby(order);
            }
            let mut stream = Stream::of(values, form);
            let mut ids = stream.next().await.expect("some");
            add(&client, &[0]).await;
            stream.rest(&mut ids).await;
            // With another order the new value appears when everything is read again.
            ids.retain(|id| expected.contains(id));
            assert_eq!(ids, expected, "{form:?} {order:?}");
        }
    }
}

/// The options of a stream besides its format.
#[derive(Clone, Copy, Debug)]
struct Question {
    order: Option<&'static str>,
    bounded: bool,
    filter: Option<&'static str>,
    prefetch: usize,
}

const STEPS: i64 = 14;

impl Question {
    fn any(rng: &mut fastrand::Rng) -> Self {
        let orders = [
            None,
            Some("valueDate,id"),
            Some("valueDate desc"),
            Some("value desc"),
            Some("dimension,value"),
        ];
        Self {
            order: orders[rng.usize(..orders.len())],
            bounded: rng.bool(),
            filter: [None, Some("dimension eq 'A'"), Some("valueDate lt now()")][rng.usize(..3)],
            prefetch: if rng.bool() { 1 } else { 8 },
        }
    }

    fn ask(self, client: &Client) -> Values {
        let mut values = client.datasources().values(DATASOURCE);
        values = values.prefetch(self.prefetch);
        if let Some(order) = self.order {
            values = values.orderby(order);
        }
        if self.bounded {
            values = values.from(at(1)).to(at(STEPS - 2));
        }
        match self.filter {
            Some(filter) => values.filter(filter),
            None => values,
        }
    }
}

/// Adds, deletes or moves a value, and returns the id of one that no longer exists.
async fn change(client: &Client, rng: &mut fastrand::Rng) -> Option<i32> {
    let datasources = client.datasources();
    let there = all(client).await;
    let any = there.get(rng.usize(..there.len().max(1)))?.id;
    let step = rng.i64(0..STEPS);
    match rng.u8(0..4) {
        0 => {
            let deleted = datasources.delete_value(DATASOURCE, any).await;
            deleted.expect("deleted");
            Some(any)
        }
        1 => {
            let value = input(step);
            let moved = datasources.update_value(DATASOURCE, any, &value).await;
            moved.expect("moved");
            Some(any)
        }
        _ => {
            let added = datasources.create_value(DATASOURCE, &input(step)).await;
            added.expect("added");
            None
        }
    }
}

async fn changing(service: &Service, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let client = sdk(service);
    let question = Question::any(&mut rng);
    let form = FORMS[rng.usize(..FORMS.len())];
    // The values of earlier rounds go: each reading of the list again would pass over them.
    let earlier: Vec<i32> = all(&client).await.iter().map(|value| value.id).collect();
    let deleted = client
        .datasources()
        .delete_values(DATASOURCE, &earlier)
        .await;
    deleted.expect("deleted");
    let steps: Vec<i64> = (0..60).map(|_| rng.i64(0..STEPS)).collect();
    add(&client, &steps).await;
    let expected = question.ask(&client).page_size(10_000).page(1).await;
    let expected: Vec<i32> = expected
        .expect("a page")
        .values
        .iter()
        .map(|value| value.id)
        .collect();
    let mut gone = BTreeSet::new();
    let mut ids = Vec::new();
    let mut stream = Stream::of(question.ask(&client).page_size(rng.i32(1..9)), form);
    while let Some(some) = stream.next().await {
        ids.extend(some);
        if rng.u8(0..3) > 0 {
            gone.extend(change(&client, &mut rng).await);
        }
    }
    let stood = |ids: &[i32]| -> Vec<i32> {
        let stood = ids.iter().copied();
        stood
            .filter(|id| expected.contains(id) && !gone.contains(id))
            .collect()
    };
    let (mut found, mut wanted) = (stood(&ids), stood(&expected));
    if question
        .order
        .is_some_and(|order| order.contains("value") && !order.contains("valueDate"))
    {
        // With another order, the values that are read again come after those before.
        found.sort_unstable();
        wanted.sort_unstable();
    }
    assert_eq!(found, wanted, "seed {seed}: {question:?} {form:?}");
}

#[tokio::test]
async fn whatever_changes_each_value_that_stands_comes_once() {
    let service = plant().await;
    for seed in obeya_testkit::seeds(12) {
        changing(&service, seed).await;
    }
}
