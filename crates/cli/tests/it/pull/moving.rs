//! Values are inserted and deleted while a pull runs or is interrupted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use obeya::model::Timestamp;
use serde_json::Value;

use super::plant::{DATASOURCE, Plant, beside, changed, insert};
use super::read;
use crate::binary::done;

const VALUES: u32 = 20_000;

fn micros(value: &Value) -> i64 {
    let instant: Timestamp = serde_json::from_value(value.clone()).expect("an instant");
    instant.ticks().div_euclid(10)
}

#[test]
fn what_changed_while_it_was_broken_off_neither_doubles_nor_hides_a_value() {
    let plant = Plant::with_values(VALUES);
    let old = plant.values();
    let file = plant.file("values.ndjson");
    let path = file.to_str().expect("UTF-8");
    let arguments = ["values", DATASOURCE, "--page-size", "101", "-o", path];
    let state = || -> Option<Value> {
        let text = std::fs::read(beside(&file, ".part.json")).ok()?;
        Some(serde_json::from_slice(&text).expect("a state"))
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut child = plant.pull(&arguments).spawn().expect("started");
    while state().is_none_or(|state| state["rows"] == 0) {
        assert!(child.try_wait().expect("waited").is_none(), "done too soon");
        assert!(Instant::now() < deadline, "nothing is ever kept");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    let state = state().expect("a state");

    let database = plant.database();
    insert(&database, 0, 700, 20_000_000);
    insert(&database, VALUES - 500, VALUES + 700, 40_000_000);
    let thirteenth = "DELETE FROM datasource_values WHERE datasource_id = 13 AND id % 13 = 0";
    changed(&database, thirteenth);
    done(&mut plant.pull(&arguments)).success();

    let rows = usize::try_from(state["rows"].as_u64().expect("a number")).expect("small");
    let after = &state["after"]["date"];
    let place = micros(&after["date"]);
    let seen = after["ids"].as_array().expect("ids");
    let comes_next = |value: &&Value| {
        let date = micros(&value["valueDate"]);
        date > place || (date == place && !seen.contains(&value["id"]))
    };
    let new = plant.values();
    let expected: Vec<&Value> = old[..rows]
        .iter()
        .chain(new.iter().filter(comes_next))
        .collect();
    let found = read::lines(&std::fs::read_to_string(&file).expect("read"));
    assert!(rows > 0 && rows < old.len(), "{rows}");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
}

#[test]
fn what_changes_on_the_way_neither_doubles_nor_hides_a_value() {
    let plant = Plant::with_values(VALUES);
    let old: Vec<i64> = plant
        .values()
        .iter()
        .map(|value| value["id"].as_i64().expect("an id"))
        .collect();
    for ending in ["ndjson", "parquet"] {
        let file = plant.file(&format!("values.{ending}"));
        let is_done = AtomicBool::new(false);
        let changes = std::thread::scope(|scope| {
            let writing = scope.spawn(|| {
                let database = plant.database();
                let mut changes = 0;
                while !is_done.load(Ordering::Relaxed) {
                    // Before all others, so that every page after them moves, there and back.
                    insert(&database, 0, 150, 20_000_000);
                    std::thread::sleep(Duration::from_millis(15));
                    changed(
                        &database,
                        "DELETE FROM datasource_values WHERE id >= 20000000",
                    );
                    std::thread::sleep(Duration::from_millis(15));
                    changes += 1;
                }
                changes
            });
            let path = file.to_str().expect("UTF-8");
            let ended = plant.run(&["values", DATASOURCE, "--page-size", "200", "-o", path]);
            is_done.store(true, Ordering::Relaxed);
            let changes = writing.join().expect("written");
            ended.success();
            changes
        });
        let found = match ending {
            "parquet" => read::objects(&read::parquet(&file)),
            _ => read::lines(&std::fs::read_to_string(&file).expect("read")),
        };
        let mut times: BTreeMap<i64, u32> = BTreeMap::new();
        for value in &found {
            *times
                .entry(value["id"].as_i64().expect("an id"))
                .or_default() += 1;
        }
        println!("{ending}: {} rows, {changes} changes", found.len());
        assert!(changes > 2, "{changes}");
        assert!(times.values().all(|times| *times == 1), "{ending}: twice");
        assert!(
            old.iter().all(|id| times.contains_key(id)),
            "{ending}: hidden"
        );
    }
}
