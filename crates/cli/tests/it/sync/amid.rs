//! One change at the worst moment of a run, on its way through a proxy. Small pages make such moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya::model::{DatasourceValue, DatasourceValueInput, IncidentSeverity};
use obeya::{Client, Result};
use obeya_testkit::Proxy;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};
use crate::binary::done;

const SMALL: [&str; 2] = ["--page-size", "2"];

/// A service behind a proxy, and a change that is made once, at the moment of a run.
struct Amid<'a> {
    plant: &'a Plant,
    copy: &'a Copy,
    proxy: Proxy,
    is_armed: Arc<AtomicBool>,
    is_made: Arc<AtomicBool>,
}

impl<'a> Amid<'a> {
    /// `change` happens before the first request of [`Amid::run`] at which `is_moment` holds.
    fn new(
        plant: &'a Plant,
        copy: &'a Copy,
        mut is_moment: impl FnMut(&str) -> bool + Send + 'static,
        change: impl AsyncFnOnce() -> Result<()> + Send + 'static,
    ) -> Self {
        let (is_armed, is_made) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (armed, made) = (Arc::clone(&is_armed), Arc::clone(&is_made));
        let (runtime, mut change) = (Handle::current(), Some(change));
        let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
            let line = line
                .replace("%24", "$")
                .replace('+', " ")
                .replace("%20", " ");
            if armed.load(Ordering::Relaxed)
                && change.is_some()
                && is_moment(&line)
                && let Some(change) = change.take()
            {
                runtime.block_on(change()).expect("changed");
                made.store(true, Ordering::Relaxed);
            }
            None
        });
        Amid {
            plant,
            copy,
            proxy,
            is_armed,
            is_made,
        }
    }

    /// The same for an update of a value of datasource 12.
    fn update(
        plant: &'a Plant,
        copy: &'a Copy,
        is_moment: impl FnMut(&str) -> bool + Send + 'static,
        id: i32,
        value: DatasourceValueInput,
    ) -> Self {
        let client = plant.client();
        Self::new(plant, copy, is_moment, async move || {
            let values = client.datasources();
            values.update_value(12, id, &value).await.map(drop)
        })
    }

    /// A run with small pages.
    fn sync(&self) -> String {
        self.sync_only(&[])
    }

    /// The same of some tables.
    fn sync_only(&self, only: &[&str]) -> String {
        let to = self.copy.to();
        let mut command = self.plant.command_at(&self.proxy.url(), &to, &SMALL);
        done(command.args(only)).success()
    }

    /// A run with small pages in which the moment must come. Then the copy must be what the service has, and
    /// the run must say so.
    async fn run(self) {
        self.is_armed.store(true, Ordering::Relaxed);
        let (out, to) = (self.sync(), self.copy.to());
        assert!(
            self.is_made.load(Ordering::Relaxed),
            "{to}: the moment never came"
        );
        assert!(out.contains("is up to date"), "{out}");
        let service = tables(&self.plant.client(), FIELDS).await;
        assert_same(&self.copy.tables().await, &service, &to);
    }
}

/// A severity for each copy, another one than before.
const SEVERITIES: [IncidentSeverity; 4] = [
    IncidentSeverity::High,
    IncidentSeverity::Low,
    IncidentSeverity::High,
    IncidentSeverity::Low,
];

fn improvement(id: i32) -> Value {
    json!({"id": id, "status": "Suggested", "title": "Another", "lastModified": "2026-03-02T00:00:00Z", "suggestedByUserId": "u-1"})
}

async fn first_value(client: &Client) -> DatasourceValue {
    let page = client.datasources().values(12).page(1).await.expect("read");
    page.values.into_iter().next().expect("a value")
}

/// What was read already changes: the mark from which changes are asked for is of before the first page.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_changes_while_all_are_read_is_in_the_copy() {
    let plant = Plant::new(4, 60);
    for copy in Copy::all(plant.folder.path()) {
        let old = first_value(&plant.client()).await;
        let changed = DatasourceValueInput::new(old.value + 1.0, old.value_date);
        let is_second = |line: &str| line.contains("/12/values?") && line.contains("page=2");
        let amid = Amid::update(&plant, &copy, is_second, old.id, changed);
        amid.run().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incident_that_changes_while_all_are_read_is_in_the_copy() {
    let plant = Plant::new(12, 0);
    for (copy, severity) in Copy::all(plant.folder.path()).into_iter().zip(SEVERITIES) {
        let client = plant.client();
        let is_second = |line: &str| line.contains("/v1/Incidents?") && line.contains("id gt 2");
        let amid = Amid::new(&plant, &copy, is_second, async move || {
            client.incidents().set_severity(1, severity).await.map(drop)
        });
        amid.run().await;
    }
}

/// The second time its date is another one. In the table it is one row.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_moves_on_within_the_month_being_read_is_there_once() {
    let plant = Plant::new(4, 60);
    for (copy, hour) in Copy::all(plant.folder.path()).into_iter().zip(1..) {
        let old = first_value(&plant.client()).await;
        let later = format!("2025-01-31T{hour:02}:00:00Z");
        let moved = DatasourceValueInput::new(old.value, later.parse().expect("an instant"));
        let is_second = |line: &str| line.contains("/12/values?") && line.contains("page=2");
        let amid = Amid::update(&plant, &copy, is_second, old.id, moved);
        amid.run().await;
    }
}

/// The newest value is asked for once more after the changes. A change before that answer changes no count.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_changes_before_the_proof_is_in_the_copy() {
    let plant = Plant::new(4, 60);
    for copy in Copy::all(plant.folder.path()) {
        let old = first_value(&plant.client()).await;
        let changed = DatasourceValueInput::new(old.value + 1.0, old.value_date);
        let mut has_read_changes = false;
        let proves = move |line: &str| {
            let is_of_12 = line.contains("/12/values?");
            let proves = has_read_changes && is_of_12 && line.contains("registrationDate desc");
            has_read_changes |= is_of_12 && line.contains("registrationDate gt");
            proves
        };
        let amid = Amid::update(&plant, &copy, proves, old.id, changed);
        amid.sync();
        let added = DatasourceValueInput::new(1.0, old.value_date);
        let datasources = plant.client().datasources();
        datasources.create_value(12, &added).await.expect("created");
        amid.run().await;
    }
}

/// The same for records: the newest stamp counts, and not the number alone.
#[tokio::test(flavor = "multi_thread")]
async fn an_incident_that_changes_before_the_proof_is_in_the_copy() {
    let plant = Plant::new(12, 0);
    for (copy, severity) in Copy::all(plant.folder.path()).into_iter().zip(SEVERITIES) {
        let client = plant.client();
        let mut has_read_changes = false;
        let proves = move |line: &str| {
            let is_list = line.contains("/v1/Incidents?");
            let proves = has_read_changes && is_list && line.contains("lastModified desc");
            has_read_changes |= is_list && line.contains("lastModified gt");
            proves
        };
        let amid = Amid::new(&plant, &copy, proves, async move || {
            client.incidents().set_severity(1, severity).await.map(drop)
        });
        amid.run().await;
    }
}

/// The mark from which incidents are followed is of before the first comment was read.
#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_changes_while_all_are_read_is_in_the_copy() {
    let plant = Arc::new(Plant::new(8, 0));
    for (copy, place) in Copy::all(plant.folder.path()).into_iter().zip(1..) {
        // The proxy's thread may end after the test, so it owns no plant.
        let writer = Arc::downgrade(&plant);
        let is_second =
            |line: &str| line.contains("/v2/incidents/comments?") && line.contains("skiptoken");
        let amid = Amid::new(&plant, &copy, is_second, async move || {
            let plant = writer.upgrade().expect("the test is running");
            plant.edit_comment(place);
            Ok(())
        });
        amid.run().await;
    }
}

/// The number of values is asked for before and after the changes; the first one is not that of the copy.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_deleted_before_changes_are_read_is_not_in_the_copy() {
    let plant = Plant::new(4, 60);
    for copy in Copy::all(plant.folder.path()) {
        let client = plant.client();
        let old = first_value(&client).await;
        let reads_changes = |line: &str| line.contains("registrationDate gt");
        let amid = Amid::new(&plant, &copy, reads_changes, async move || {
            client.datasources().delete_value(12, old.id).await
        });
        amid.sync();
        let added = DatasourceValueInput::new(1.0, old.value_date);
        let datasources = plant.client().datasources();
        datasources.create_value(12, &added).await.expect("created");
        amid.run().await;
    }
}

/// More than a page of values that an import stamped together, of which none is new: no count shows them.
#[tokio::test(flavor = "multi_thread")]
async fn changed_values_of_one_stamp_on_several_pages_are_all_in_the_copy() {
    let plant = Plant::new(4, 60);
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        plant.sync(&copy.to(), &[]).success();
    }
    let changed: Vec<Value> = (1..=40)
        .map(|id| {
            json!({"id": id, "dataSourceId": if id % 5 == 0 { 14 } else { 12 }, "value": 0.5,
                "valueDate": format!("2025-01-{:02}T00:00:00Z", 1 + id % 28), "registrationDate": "2026-03-02T00:00:00Z"})
        })
        .collect();
    plant.import_more("datasource_values.jsonl", &changed);
    let client = plant.client();
    let of_one_stamp = client.datasources().values(12);
    let of_one_stamp = of_one_stamp
        .filter("value eq 0.5")
        .page(1)
        .await
        .expect("read")
        .values;
    let stamp = of_one_stamp[0].registration_date;
    assert!(
        of_one_stamp.len() == 32
            && of_one_stamp
                .iter()
                .all(|value| value.registration_date == stamp)
    );
    let service = tables(&client, FIELDS).await;
    for copy in &copies {
        let to = copy.to();
        let out = plant.sync(&to, &SMALL).success();
        assert!(out.contains("is up to date"), "{out}");
        assert_same(&copy.tables().await, &service, &to);
    }
}

/// Deleted improvements are found by counting. One that comes meanwhile pushes another off the page of a
/// range of ids, and that one is not deleted.
#[tokio::test(flavor = "multi_thread")]
async fn an_improvement_that_comes_while_deleted_ones_are_searched_hides_no_other() {
    for place in 0..4 {
        let plant = Arc::new(Plant::new(12, 0));
        let copy = Copy::all(plant.folder.path()).swap_remove(place);
        let delete = async |ids: [i32; 2]| {
            let client = plant.client();
            for id in ids {
                client.improvements().delete(id).await.expect("deleted");
            }
        };
        // The proxy's thread may end after the test, so it owns no plant.
        let writer = Arc::downgrade(&plant);
        let searches = |line: &str| line.contains("id ge 2");
        let amid = Amid::new(&plant, &copy, searches, async move || {
            let plant = writer.upgrade().expect("the test is running");
            plant.import_more("improvements.jsonl", &[improvement(3)]);
            Ok(())
        });
        delete([1, 3]).await;
        amid.sync();
        // The copy has 2, 4, 5 and 6.
        delete([5, 6]).await;
        amid.run().await;
    }
}

/// After the search the number is asked for once more.
#[tokio::test(flavor = "multi_thread")]
async fn an_improvement_deleted_while_deleted_ones_are_searched_is_not_in_the_copy() {
    let plant = Plant::new(40, 0);
    for (copy, id) in Copy::all(plant.folder.path()).into_iter().zip([1, 2, 3, 4]) {
        let client = plant.client();
        // The range with the largest ids is counted first.
        let mut ranges = 0;
        let is_later = move |line: &str| {
            ranges += usize::from(line.contains("id ge "));
            ranges == 3
        };
        let amid = Amid::new(&plant, &copy, is_later, async move || {
            client.improvements().delete(20 - id).await
        });
        amid.sync();
        let improvements = plant.client().improvements();
        improvements.delete(id).await.expect("deleted");
        amid.run().await;
    }
}

/// The trash lists one; another goes before the total is asked for again.
#[tokio::test(flavor = "multi_thread")]
async fn an_incident_deleted_after_the_trash_was_read_is_not_in_the_copy() {
    let plant = Plant::new(12, 0);
    for (copy, id) in Copy::all(plant.folder.path()).into_iter().zip([1, 2, 3, 4]) {
        let client = plant.client();
        let mut trash_was_read = false;
        let is_after = move |line: &str| {
            let is_after = trash_was_read && line.contains("/v1/Incidents?");
            trash_was_read |= line.contains("/trash");
            is_after
        };
        let amid = Amid::new(&plant, &copy, is_after, async move || {
            client.incidents().delete(10 - id).await
        });
        amid.sync();
        let incidents = plant.client().incidents();
        incidents.delete(id).await.expect("deleted");
        amid.run().await;
    }
}

/// The same without comments, for whose sake incidents are asked for once more anyway.
#[tokio::test(flavor = "multi_thread")]
async fn an_incident_deleted_after_the_trash_was_read_is_not_in_a_copy_without_comments() {
    let plant = Plant::new(12, 0);
    let only = ["--only", "incidents"];
    for (copy, id) in Copy::all(plant.folder.path()).into_iter().zip([1, 2, 3, 4]) {
        let client = plant.client();
        let mut trash_was_read = false;
        let is_after = move |line: &str| {
            let is_after = trash_was_read && line.contains("/v1/Incidents?");
            trash_was_read |= line.contains("/trash");
            is_after
        };
        let amid = Amid::new(&plant, &copy, is_after, async move || {
            client.incidents().delete(10 - id).await
        });
        amid.sync_only(&only);
        let incidents = plant.client().incidents();
        incidents.delete(id).await.expect("deleted");
        amid.is_armed.store(true, Ordering::Relaxed);
        let out = amid.sync_only(&only);
        let to = copy.to();
        assert!(amid.is_made.load(Ordering::Relaxed), "{to}: never");
        assert!(out.contains("is up to date"), "{out}");
        let rows = copy.rows("incidents").await;
        let is_gone = |row: &serde_json::Map<String, Value>| {
            row["id"] == json!(id) || row["id"] == json!(10 - id)
        };
        assert!(!rows.iter().any(is_gone), "{to}");
    }
}
