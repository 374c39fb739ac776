//! The service refuses a request in the midst of a run: what was not read then is read by the next run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya::model::DatasourceValueInput;
use obeya_testkit::{Answer, Proxy};
use serde_json::{Value, json};

use super::between::{FAILED, FORBIDDEN};
use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};
use crate::binary::{Done, done};

const COMMENTS: &str = "/v2/incidents/comments?";

/// A service that refuses some requests of some runs.
struct Refusing {
    plant: Plant,
    proxy: Proxy,
    is_armed: Arc<AtomicBool>,
}

impl Refusing {
    fn new(
        plant: Plant,
        answer: Answer,
        mut is_refused: impl FnMut(&str) -> bool + Send + 'static,
    ) -> Self {
        let is_armed = Arc::<AtomicBool>::default();
        let armed = Arc::clone(&is_armed);
        let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
            let line = line.replace('+', " ").replace("%20", " ");
            (armed.load(Ordering::Relaxed) && is_refused(&line)).then_some(answer)
        });
        Refusing {
            plant,
            proxy,
            is_armed,
        }
    }

    /// A run with small pages in which these requests are refused.
    fn refused(&self, copy: &Copy, more: &[&str]) -> Done {
        self.sync(copy, more, true)
    }

    /// A run with small pages in which none is refused, after which the copy is what the service has.
    async fn completes(&self, copy: &Copy) {
        let to = copy.to();
        let out = self.sync(copy, &[], false).success();
        assert!(out.contains("is up to date"), "{to}: {out}");
        let service = tables(&self.plant.client(), FIELDS).await;
        assert_same(&copy.tables().await, &service, &to);
    }

    fn sync(&self, copy: &Copy, more: &[&str], is_armed: bool) -> Done {
        self.is_armed.store(is_armed, Ordering::Relaxed);
        let mut command = self.plant.command_at(&self.proxy.url(), &copy.to(), more);
        done(command.args(["--page-size", "2"]))
    }

    fn copies(&self) -> Vec<Copy> {
        Copy::all(self.plant.folder.path())
    }
}

/// Fails unless the report says of this table alone that it may not be read.
#[track_caller]
fn only_left_out(out: &str, table: &str) {
    let lines = out.lines().filter(|line| line.contains("may not be read"));
    let lines: Vec<&str> = lines.collect();
    let is_it = |line: &&str| line.contains(&format!("│ {table} "));
    assert!(lines.len() == 1 && lines.iter().all(is_it), "{out}");
}

/// A comment changes, a run with these arguments may not read the comments, and the next one completes them.
async fn comments_are_completed(refusing: &Refusing, arguments: &[&str]) {
    for (copy, place) in refusing.copies().into_iter().zip(1..) {
        refusing.completes(&copy).await;
        refusing.plant.edit_comment(place);
        let out = refusing.refused(&copy, arguments).success();
        only_left_out(&out, "comments");
        refusing.completes(&copy).await;
    }
}

/// Then nobody knows which comments the copy has: the number alone does not show what was edited.
#[tokio::test(flavor = "multi_thread")]
async fn comments_are_all_read_again_after_a_right_that_went_amid_all_of_them() {
    let is_second = |line: &str| line.contains(COMMENTS) && line.contains("skiptoken");
    let refusing = Refusing::new(Plant::new(8, 0), FORBIDDEN, is_second);
    comments_are_completed(&refusing, &["--full"]).await;
}

/// The copy has the incident's new stamp by then, so only the note that its comments are stale is left.
#[tokio::test(flavor = "multi_thread")]
async fn comments_of_a_changed_incident_are_read_after_a_right_that_went_before_them() {
    let is_of_some = |line: &str| line.contains(COMMENTS) && line.contains("incidentId in");
    let refusing = Refusing::new(Plant::new(8, 0), FORBIDDEN, is_of_some);
    comments_are_completed(&refusing, &[]).await;
}

/// A group has another name. Records that were not read meanwhile may still have the old one.
#[tokio::test(flavor = "multi_thread")]
async fn records_that_could_not_be_read_anew_for_a_name_are_read_anew_later() {
    let is_improvement = |line: &str| line.contains("/v1/Improvements?");
    let refusing = Refusing::new(Plant::new(8, 0), FORBIDDEN, is_improvement);
    let plant = &refusing.plant;
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    refusing.completes(&copy).await;
    // Only reading everything anew replaces this.
    let spoilt = rusqlite::Connection::open(plant.file("copy.db")).expect("a database");
    let sql = "UPDATE improvements SET title = 'spoilt' WHERE id = 1";
    assert_eq!(spoilt.execute(sql, []).expect("updated"), 1);
    drop(spoilt);
    // No record names this group, and none gets a stamp.
    let renamed = json!({"id": 1, "type": "BUSINESSUNIT", "name": "Sørvik"});
    plant.import_more("groups.jsonl", &[renamed]);
    let out = refusing.refused(&copy, &[]).success();
    only_left_out(&out, "improvements");
    refusing.completes(&copy).await;
}

/// The second page of changes is refused. A folder has not written the first one either.
#[tokio::test(flavor = "multi_thread")]
async fn changed_values_are_in_the_copy_after_a_right_that_went_amid_them() {
    let mut pages = 0;
    let is_second = move |line: &str| {
        let is_changes = line.contains("/12/values?") && line.contains("registrationDate gt");
        pages += u32::from(is_changes);
        is_changes && pages.is_multiple_of(2)
    };
    let refusing = Refusing::new(Plant::new(2, 60), FORBIDDEN, is_second);
    for (copy, place) in refusing.copies().into_iter().zip(1..) {
        refusing.completes(&copy).await;
        // One of each month, each at the date that it has: no count changes, and no month is read again for
        // the sake of another value.
        let plant = &refusing.plant;
        let values = plant.client().datasources().values(12);
        let mut months = BTreeMap::new();
        for value in values.page_size(100).page(1).await.expect("read").values {
            let date = value.value_date.to_string();
            let month = date[..7].to_owned();
            let changed =
                json!({"id": value.id, "dataSourceId": 12, "value": place, "valueDate": date});
            months.insert(month, changed);
        }
        assert!(months.len() > 4, "{months:?}");
        let changed: Vec<Value> = months.into_values().collect();
        plant.import_more("datasource_values.jsonl", &changed);
        let out = refusing.refused(&copy, &[]).success();
        only_left_out(&out, "values");
        refusing.completes(&copy).await;
    }
}

/// What the copy has of such a month is uncertain until it is read. Here the month is empty by now, and the
/// other ones have as many values as the service.
#[tokio::test(flavor = "multi_thread")]
async fn months_that_could_not_be_read_again_are_read_again_later() {
    // Neither the newest value nor changes, nor the number of a month.
    let reads_month = |line: &str| {
        let is_page = line.contains("/12/values?") && line.contains("pageSize=2");
        is_page && !line.contains("registrationDate")
    };
    let refusing = Refusing::new(Plant::new(2, 60), FAILED, reads_month);
    let datasources = refusing.plant.client().datasources();
    for copy in refusing.copies() {
        let alone = "2030-01-01T00:00:00Z".parse().expect("an instant");
        let alone = DatasourceValueInput::new(1.0, alone);
        let alone = datasources.create_value(12, &alone).await.expect("created");
        refusing.completes(&copy).await;
        let deleted = datasources.delete_value(12, alone.id).await;
        deleted.expect("deleted");
        refusing.refused(&copy, &[]).failure(1);
        refusing.completes(&copy).await;
    }
}

/// The next run continues with the month that was not complete: here one whose only value is at its very
/// beginning, which no count of the months that the copy has would bring back.
#[tokio::test(flavor = "multi_thread")]
async fn a_first_read_that_broke_off_goes_on_with_the_month_it_was_at() {
    let is_third = |line: &str| line.contains("/13/values?") && line.contains("page=3");
    let refusing = Refusing::new(Plant::new(2, 0), FAILED, is_third);
    let values = [
        "2025-01-10T00:00:00Z",
        "2025-01-11T00:00:00Z",
        "2025-01-12T00:00:00Z",
        "2025-02-01T00:00:00Z",
        "2025-03-10T00:00:00Z",
        "2025-03-11T00:00:00Z",
        "2025-03-12T00:00:00Z",
    ];
    let values =
        values.map(|date| DatasourceValueInput::new(1.0, date.parse().expect("an instant")));
    let datasources = refusing.plant.client().datasources();
    let created = datasources.create_values(13, &values).await;
    created.expect("created");
    for copy in refusing.copies() {
        refusing.refused(&copy, &[]).failure(1);
        refusing.completes(&copy).await;
    }
}
