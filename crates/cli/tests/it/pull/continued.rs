//! Lists that broke off are continued after the last record that is on disk, as values are.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya_testkit::Proxy;
use serde_json::{Value, json};

use super::plant::{DATASOURCE, Plant, beside};
use crate::binary::done;
use crate::sync::between::FAILED;

/// The first lines of a text, and the id in the last of them.
fn first(text: &str, lines: usize) -> (String, Value) {
    let lines: Vec<&str> = text.split_inclusive('\n').take(lines).collect();
    let last: Value = serde_json::from_str(lines.last().expect("a line")).expect("JSON");
    (lines.concat(), last["id"].clone())
}

/// Leaves the first record of a list and the state of a pull that has got so far; the file, and what it is to
/// become.
fn broken_off(plant: &Plant, what: &str, records: &str, top: Option<u32>) -> (PathBuf, String) {
    let top_given = top.map(|top| top.to_string());
    let limit = top_given.iter().flat_map(|top| ["--top", top]);
    let arguments: Vec<&str> = [what].into_iter().chain(limit).collect();
    let whole = plant.pulled(&arguments, &format!("{what}.whole.ndjson"));
    let whole = fs::read_to_string(whole).expect("read");
    let (some, last) = first(&whole, 1);
    let file = plant.file(&format!("{what}.ndjson"));
    fs::write(beside(&file, ".part"), &some).expect("written");
    let mut query = json!({
        "service": plant.serving.url, "records": records, "condition": null, "order": null, "format": "ndjson",
    });
    if let Some(top) = top {
        query["top"] = json!(top);
    }
    let state = json!({
        "version": 1, "rows": 1, "after": {"id": last}, "isComplete": false, "written": some.len(), "query": query,
    });
    fs::write(beside(&file, ".part.json"), state.to_string()).expect("written");
    (file, whole)
}

/// The next pull makes it whole; its summary.
#[track_caller]
fn goes_on(plant: &Plant, what: &str, (file, whole): &(PathBuf, String), more: &[&str]) -> String {
    let arguments = [&[what, "-o", file.to_str().expect("UTF-8")], more].concat();
    let out = plant.run(&arguments).success();
    assert_eq!(fs::read_to_string(file).expect("read"), *whole, "{what}");
    assert!(!beside(file, ".part").exists() && !beside(file, ".part.json").exists());
    out
}

/// Of every kind of list: by pages of links, of numbers, and whole; of users the ids are texts.
#[test]
fn a_list_goes_on_after_its_last_record() {
    let plant = Plant::new();
    for (what, records) in [
        ("areas", "areas"),
        ("comments", "comments"),
        ("tasks", "tasks"),
        ("users", "users"),
        ("incidents", "incidents"),
        ("improvements", "improvements"),
        ("data-lists", "dataLists"),
        ("projects", "projects"),
    ] {
        let broken = broken_off(&plant, what, records, None);
        let out = goes_on(&plant, what, &broken, &[]);
        assert!(out.contains(" of them now, in "), "{what}: {out}");
    }
}

/// Nothing is asked for then, since to a service a limit of nothing could be none.
#[test]
fn a_list_that_has_reached_its_limit_is_brought_to_its_end_without_a_service() {
    let mut plant = Plant::new();
    let lists = [
        ("areas", "areas"),
        ("incidents", "incidents"),
        ("data-lists", "dataLists"),
    ];
    let broken = lists.map(|(what, records)| broken_off(&plant, what, records, Some(1)));
    plant.serving.child.kill().expect("killed");
    for ((what, _), broken) in lists.into_iter().zip(&broken) {
        let out = goes_on(&plant, what, broken, &["--top", "1"]);
        assert!(out.starts_with("1 rows in "), "{what}: {out}");
    }
}

/// A service that fails, while it shall, at the second page of these.
fn failing(plant: &Plant, list: &'static str, page: &'static str) -> (Proxy, Arc<AtomicBool>) {
    let is_failing = Arc::new(AtomicBool::new(true));
    let fails = Arc::clone(&is_failing);
    let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
        let is_it = line.contains(list) && line.contains(page);
        (is_it && fails.load(Ordering::Relaxed)).then_some(FAILED)
    });
    (proxy, is_failing)
}

#[test]
fn a_list_whose_second_page_failed_goes_on_after_the_first() {
    let plant = Plant::new();
    // Two pages and two pieces, and a part of a third.
    let sql = "INSERT INTO areas (id, name) WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 3345)
        SELECT i, 'Area ' || i FROM n";
    plant.database().execute(sql, []).expect("inserted");
    let whole = plant.pulled(&["areas"], "whole.ndjson");
    let whole = fs::read_to_string(whole).expect("read");
    let (proxy, is_failing) = failing(&plant, "/v2/areas?", "skiptoken");
    let file = plant.file("broken.ndjson");
    let mut pull = plant.pull(&["areas", "-o", file.to_str().expect("UTF-8")]);
    let pull = pull.env("OBEYA_BASE_URL", proxy.url());

    let err = done(pull).failure(1);
    assert!(
        err.contains("the pull broke off; 1\u{2009}000 rows are saved"),
        "{err}"
    );
    let (some, last) = first(&whole, 1_000);
    let part = fs::read_to_string(beside(&file, ".part")).expect("read");
    assert!(part == some, "other rows than the first ones");
    let state = fs::read(beside(&file, ".part.json")).expect("read");
    let state: Value = serde_json::from_slice(&state).expect("a state");
    assert_eq!(state["after"], json!({ "id": last }));

    is_failing.store(false, Ordering::Relaxed);
    done(pull).success();
    let found = fs::read_to_string(&file).expect("read");
    assert!(found == whole, "other rows than in one go");
}

/// Such an order has no place to go on from: rows that were kept would come twice.
#[test]
fn of_a_pull_in_an_order_of_its_own_nothing_is_kept() {
    let plant = Plant::with_values(1_000);
    let (proxy, is_failing) = failing(&plant, "/values?", "page=3");
    for ending in ["ndjson", "parquet"] {
        let arguments = [
            "values",
            DATASOURCE,
            "--page-size",
            "100",
            "--order-by",
            "id desc",
        ];
        let whole = plant.pulled(&arguments, &format!("whole.{ending}"));
        let file = plant.file(&format!("broken.{ending}"));
        let path = file.to_str().expect("UTF-8");
        let mut pull = plant.pull(&[&arguments[..], &["-o", path]].concat());
        let pull = pull.env("OBEYA_BASE_URL", proxy.url());
        is_failing.store(true, Ordering::Relaxed);
        let err = done(pull).failure(1);
        assert!(!err.contains("saved"), "{err}");
        assert!(!beside(&file, ".part").exists(), "{ending}");
        is_failing.store(false, Ordering::Relaxed);
        done(pull).success();
        assert!(
            super::read::content(&file) == super::read::content(&whole),
            "{ending}"
        );
    }
}
