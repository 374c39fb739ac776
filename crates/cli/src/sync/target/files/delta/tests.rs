//! Copies in a store that is memory: what their logs say, after failed and after concurrent runs.

use std::sync::Arc;

use object_store::memory::InMemory;
use serde_json::{Value, json};

use super::actions::{Action, Add};
use super::lease::Lease;
use super::objects::Put;
use super::*;
use crate::sync::month::Month;
use crate::sync::row::{CellValue, GroupRows, TableGroup};
use crate::sync::state::{Series, Source, State, Watermark};
use crate::sync::target::{Scope, Target as _};

/// A store that outlives the targets of a test.
fn store() -> Objects {
    Objects::new(Arc::new(InMemory::new()))
}

fn open(objects: &Objects) -> Result<DeltaTarget> {
    open_with(objects, 1, false)
}

/// A store, and a copy in it that has a state and no rows.
fn new_copy() -> (Objects, DeltaTarget) {
    let objects = store();
    let mut target = open(&objects).unwrap();
    target.save(&state()).unwrap();
    (objects, target)
}

fn open_with(objects: &Objects, retention_hours: u32, is_full: bool) -> Result<DeltaTarget> {
    let options = Options {
        retention_hours,
        is_full,
    };
    // Each with local files of its own: tests run side by side.
    DeltaTarget::open_objects(objects.clone(), &uuid(), options)
}

/// The content of the lease.
fn lease(objects: &Objects) -> Value {
    let (_, content) = objects.get(LEASE).unwrap().unwrap();
    serde_json::from_slice(&content).unwrap()
}

fn state() -> State {
    let (url, client_id) = (String::new(), String::new());
    State::new(Source { url, client_id })
}

/// One that knows of values of datasource 12.
fn with_datasource() -> State {
    let mut state = state();
    let series = Series {
        watermark: Watermark::START,
        next_month: None,
        newest: None,
    };
    state.values.insert(12, series);
    state
}

/// Replaces the values of March 2026 of datasource 12 by these.
fn replace(target: &mut DeltaTarget, ids: std::ops::Range<i32>) {
    let group = schema::values();
    let date = |id| {
        format!("2026-03-02T06:{id:02}:00.1234567Z")
            .parse()
            .unwrap()
    };
    let cell = |name: &str, id| match name {
        "id" => CellValue::Int(id),
        "datasource_id" => CellValue::Int(12),
        "value_date" | "registration_date" => CellValue::Instant(date(id)),
        _ => CellValue::Null,
    };
    let row = |id| group.main.names().map(|name| cell(name, id)).collect();
    let month = Month::of(date(0));
    target.begin(Scope::Month(&group, 12, month)).unwrap();
    target
        .push(GroupRows(vec![ids.map(row).collect()]))
        .unwrap();
    target.finish(&with_datasource()).unwrap();
}

/// The actions of a commit of the values.
fn commit(objects: &Objects, version: u64) -> Option<Vec<Value>> {
    let path = format!("datasource_values/_delta_log/{version:020}.json");
    let (_, lines) = objects.get(&path).unwrap()?;
    let lines = lines.split(|byte| *byte == b'\n');
    let filled = lines.filter(|line| !line.is_empty());
    Some(
        filled
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect(),
    )
}

fn parquet_files(objects: &Objects) -> Vec<String> {
    let found = objects.list("datasource_values").unwrap().into_iter();
    let paths = found.map(|object| object.location.to_string());
    let mut paths: Vec<String> = paths
        .filter(|path| path.ends_with(".parquet") && !path.contains("_delta_log"))
        .collect();
    paths.sort();
    paths
}

fn count(target: &mut DeltaTarget) -> Option<u64> {
    target.count(&schema::values(), 12).unwrap()
}

/// Expected values are those of the protocol, section "Actions".
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_describes_the_table_and_replaces_the_file() {
    let (objects, mut target) = new_copy();
    replace(&mut target, 1..4);
    assert_eq!(
        commit(&objects, 0),
        None,
        "not visible until it is committed"
    );
    target.commit_with_state(&with_datasource()).unwrap();
    let actions = commit(&objects, 0).unwrap();
    let engine = concat!("obeya/", env!("CARGO_PKG_VERSION"));
    assert_eq!(actions[0]["commitInfo"]["engineInfo"], engine);
    assert_eq!(
        actions[1]["protocol"],
        json!({"minReaderVersion": 1, "minWriterVersion": 2})
    );
    let metadata = &actions[2]["metaData"];
    assert_eq!(metadata["partitionColumns"], json!(["month"]));
    assert_eq!(
        metadata["format"],
        json!({"provider": "parquet", "options": {}})
    );
    let columns: Value = serde_json::from_str(metadata["schemaString"].as_str().unwrap()).unwrap();
    let fields = columns["fields"].as_array().unwrap();
    let types = fields
        .iter()
        .map(|field| format!("{} {}", field["name"], field["type"]));
    let types = types.collect::<Vec<_>>().join(", ").replace('"', "");
    for expected in [
        "id integer",
        "value double",
        "value_date timestamp",
        "dimension string",
        "month date",
    ] {
        assert!(types.contains(expected), "{types}");
    }
    let add = &actions[3]["add"];
    let first = add["path"].as_str().unwrap().to_owned();
    assert_eq!(add["partitionValues"], json!({"month": "2026-03-01"}));
    let stats: Value = serde_json::from_str(add["stats"].as_str().unwrap()).unwrap();
    assert_eq!(
        stats,
        json!({"numRecords": 3,
            "minValues": {"datasource_id": 12, "value_date": "2026-03-02T06:01:00.123456Z"},
            "maxValues": {"datasource_id": 12, "value_date": "2026-03-02T06:03:00.123456Z"}})
    );
    let size = objects
        .get(&format!("datasource_values/{first}"))
        .unwrap()
        .unwrap()
        .1
        .len();
    assert_eq!(add["size"], size);

    replace(&mut target, 1..6);
    target.commit_with_state(&with_datasource()).unwrap();
    let actions = commit(&objects, 1).unwrap();
    assert_eq!(actions.len(), 3);
    assert_eq!(actions[1]["remove"]["path"], first);
    assert_ne!(actions[2]["add"]["path"], first);
    assert_eq!(
        parquet_files(&objects).len(),
        2,
        "readers of version 0 need the old one"
    );
    // The same rows once more, as after `--full`.
    replace(&mut target, 1..6);
    target.commit_with_state(&with_datasource()).unwrap();
    assert_eq!(commit(&objects, 2), None);
    // Nobody knows a file that was replaced before its commit.
    replace(&mut target, 1..7);
    replace(&mut target, 1..8);
    target.commit_with_state(&with_datasource()).unwrap();
    assert_eq!(commit(&objects, 2).unwrap().len(), 3);
    assert_eq!(parquet_files(&objects).len(), 3);
    // Nothing changed, so nothing is committed.
    target.end(&with_datasource()).unwrap();
    assert_eq!(commit(&objects, 3), None);
    assert_eq!(count(&mut open(&objects).unwrap()), Some(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_failed_before_its_commit_changed_nothing() {
    let (objects, mut target) = new_copy();
    replace(&mut target, 1..4);
    target.commit_with_state(&with_datasource()).unwrap();
    replace(&mut target, 1..6);
    target.storage.uploads.wait(&objects).unwrap();
    drop(target);
    let mut target = open(&objects).unwrap();
    assert_eq!(count(&mut target), Some(3));
    // What was uploaded may be of a run that is still there.
    target.end(&with_datasource()).unwrap();
    assert_eq!(parquet_files(&objects).len(), 2);
    let handover = &lease(&objects)["handover"];
    assert_eq!(
        handover["uncommitted"], true,
        "a later run has to remove it"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_without_its_state_is_known_to_the_next_run() {
    let objects = store();
    let mut target = open(&objects).unwrap();
    target.commit_with_state(&with_datasource()).unwrap();
    replace(&mut target, 1..4);
    target.storage.commit().unwrap();
    drop(target);
    assert_eq!(count(&mut open(&objects).unwrap()), Some(3));
}

/// Nobody would ask whether the service still has it.
#[tokio::test(flavor = "multi_thread")]
async fn values_of_a_datasource_that_the_state_does_not_know_are_removed() {
    let (objects, mut target) = new_copy();
    replace(&mut target, 1..4);
    target.storage.commit().unwrap();
    drop(target);
    let mut target = open(&objects).unwrap();
    assert_eq!(count(&mut target), Some(0));
    target.end(&state()).unwrap();
    // Version 1 keeps the failed run from committing.
    assert_eq!(commit(&objects, 1).unwrap().len(), 1);
    assert_eq!(commit(&objects, 2).unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_without_a_state_are_refused() {
    let (objects, mut target) = new_copy();
    replace(&mut target, 1..4);
    target.end(&with_datasource()).unwrap();
    drop(target);
    objects.remove(vec![STATE.to_owned()]).unwrap();
    let error = open(&objects).err().expect("refused").to_string();
    assert!(error.contains("but no _obeya/sync-state.json"), "{error}");
}

/// It took the next version of each table from the earlier run, which changed nothing since.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_takes_over_keeps_the_earlier_one_from_committing() {
    let objects = store();
    let mut late = open(&objects).unwrap();
    late.save(&state()).unwrap();
    replace(&mut late, 1..4);
    late.commit_with_state(&with_datasource()).unwrap();
    replace(&mut late, 1..6);
    objects.remove(vec![LEASE.to_owned()]).unwrap();
    let mut other = open(&objects).unwrap();
    other.storage.fence().unwrap();
    let error = late.storage.commit().unwrap_err();
    assert!(
        error.to_string().contains("another sync is writing it"),
        "{error}"
    );
    assert_eq!(count(&mut other), Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_is_missing_is_not_written_again() {
    let (objects, mut target) = new_copy();
    for last in 2..5 {
        replace(&mut target, 1..last);
        target.commit_with_state(&with_datasource()).unwrap();
    }
    target.end(&with_datasource()).unwrap();
    drop(target);
    let path = "datasource_values/_delta_log/00000000000000000001.json";
    objects.remove(vec![path.to_owned()]).unwrap();
    let error = format!("{:#}", open(&objects).err().expect("refused"));
    assert!(error.contains(&format!("{path} does not exist")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_lost_is_not_another_run() {
    let objects = store();
    objects.put("a", b"of this run".to_vec()).unwrap();
    let written = |content| matches!(objects.put_once("a", content, None), Ok(Put::Written(_)));
    assert!(written(b"of this run"));
    assert!(!written(b"of another"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_is_refused_until_the_first_one_ends() {
    let (objects, mut target) = new_copy();
    let error = open(&objects).err().expect("refused");
    assert!(
        error.to_string().starts_with("another sync is writing it"),
        "{error}"
    );
    target.end(&with_datasource()).unwrap();
    drop(target);
    assert_eq!(lease(&objects)["held"], false);
    open(&objects).unwrap();
}

/// A process may be stopped for longer than its lease lasts, and then go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_lost_its_lease_writes_nothing() {
    let objects = store();
    let mut late = open(&objects).unwrap();
    late.save(&state()).unwrap();
    replace(&mut late, 1..4);
    objects.remove(vec![LEASE.to_owned()]).unwrap();
    let mut other = open(&objects).unwrap();
    replace(&mut other, 1..6);
    other.commit_with_state(&with_datasource()).unwrap();
    let error = late.commit_with_state(&with_datasource()).unwrap_err();
    assert!(
        error.to_string().contains("another sync is writing it"),
        "{error}"
    );
    other.end(&with_datasource()).unwrap();
    drop(late);
    let mut target = open(&objects).unwrap();
    assert_eq!(count(&mut target), Some(5));
    assert_eq!(commit(&objects, 1), None);
    // The same for the state.
    target.commit_with_state(&with_datasource()).unwrap();
    objects.put(STATE, b"{}".to_vec()).unwrap();
    let error = target.commit_with_state(&with_datasource()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has written _obeya/sync-state.json"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_given_back_to_nobody_elses_loss() {
    let objects = store();
    let late = Lease::take(&objects).unwrap();
    objects.remove(vec![LEASE.to_owned()]).unwrap();
    let _other = Lease::take(&objects).unwrap();
    late.release(Handover::default()).unwrap_err();
    assert_eq!(lease(&objects)["held"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_sums_up_ten_commits_and_replaced_files_expire() {
    let objects = store();
    let mut target = open_with(&objects, 0, false).unwrap();
    target.save(&state()).unwrap();
    for last in 2..14 {
        replace(&mut target, 1..last);
        target.commit_with_state(&with_datasource()).unwrap();
    }
    assert_eq!(parquet_files(&objects).len(), 12);
    // Times have milliseconds, and a file expires after the one in which it was replaced.
    let replaced = now();
    while now() <= replaced {}
    target.end(&with_datasource()).unwrap();
    drop(target);
    assert_eq!(parquet_files(&objects).len(), 1);
    let checkpoint = "datasource_values/_delta_log/00000000000000000010.checkpoint.parquet";
    assert!(objects.get(checkpoint).unwrap().is_some());
    assert!(
        commit(&objects, 0).is_some(),
        "what preceded it was needed a moment ago"
    );
    let mut target = open_with(&objects, 0, false).unwrap();
    target.end(&with_datasource()).unwrap();
    drop(target);
    for version in 0..10 {
        assert_eq!(commit(&objects, version), None, "{version}");
    }
    assert!(commit(&objects, 10).is_some() && commit(&objects, 11).is_some());
    let mut target = open(&objects).unwrap();
    assert_eq!(count(&mut target), Some(12));
    // Otherwise each checkpoint would repeat all files that ever were.
    let log = target.storage.log_of(schema::VALUES).unwrap();
    assert_eq!(log.removed.len(), 0);
    replace(&mut target, 1..20);
    target.commit_with_state(&with_datasource()).unwrap();
    assert_eq!(count(&mut target), Some(19));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_another_program_changed_is_refused() {
    let (objects, mut target) = new_copy();
    replace(&mut target, 1..4);
    target.end(&with_datasource()).unwrap();
    drop(target);
    let optimized = Add {
        path: "month=2026-03-01/part-00000-0f3c.c000.snappy.parquet".to_owned(),
        partition_values: BTreeMap::new(),
        size: 1,
        modification_time: 0,
        data_change: false,
        stats: String::new(),
    };
    let commit = actions::to_lines(&[Action::Add(optimized)]);
    let path = "datasource_values/_delta_log/00000000000000000001.json";
    assert!(matches!(
        objects.put_if(path, commit, None).unwrap(),
        Put::Written(_)
    ));
    let error = format!("{:#}", open(&objects).err().expect("refused"));
    assert!(
        error.contains("the log of datasource_values cannot be continued"),
        "{error}"
    );
    assert!(
        error.contains("part-00000-0f3c.c000.snappy.parquet of another program"),
        "{error}"
    );
}

/// Its log still says that it is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_somebody_removed_is_an_error_until_everything_is_read_again() {
    let (objects, mut target) = new_copy();
    replace(&mut target, 1..4);
    target.end(&with_datasource()).unwrap();
    drop(target);
    objects.remove(parquet_files(&objects)).unwrap();
    let month = FileKey::Month(12, "2026-03".parse().unwrap());
    let mut target = open(&objects).unwrap();
    let error = target.storage.readable(month).unwrap_err().to_string();
    assert!(
        error.contains("is missing, expected all files of its table; run with --full"),
        "{error}"
    );
    drop(target);
    let mut target = open_with(&objects, 1, true).unwrap();
    replace(&mut target, 1..4);
    target.end(&with_datasource()).unwrap();
    assert_eq!(parquet_files(&objects).len(), 1);
}

/// The empty table of a copy that has no boards is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_rows_has_a_description() {
    let (objects, mut target) = new_copy();
    let boards = TableGroup::single(Table::of(
        "boards",
        1,
        None,
        <obeya::model::Board as obeya::tables::Tabular>::columns(),
    ));
    target.begin(Scope::All(&boards)).unwrap();
    target.finish(&state()).unwrap();
    assert!(
        objects
            .get("boards/_delta_log/00000000000000000000.json")
            .unwrap()
            .is_some()
    );
    // If somebody removed its file, that is written again although no row differs.
    target.end(&state()).unwrap();
    drop(target);
    let found = objects.list("boards").unwrap().into_iter();
    let files = found.map(|object| object.location.to_string());
    let files: Vec<String> = files.filter(|path| path.ends_with(".parquet")).collect();
    assert_eq!(files.len(), 1);
    objects.remove(files).unwrap();
    let mut target = open_with(&objects, 1, true).unwrap();
    target.begin(Scope::All(&boards)).unwrap();
    target.finish(&state()).unwrap();
    target.end(&state()).unwrap();
    drop(target);
    let mut target = open(&objects).unwrap();
    assert!(
        target
            .storage
            .readable(FileKey::Table("boards"))
            .unwrap()
            .is_some()
    );
}
