//! `obeya check`: its output, its exit code, and that it can run beside a service. What it finds is tested
//! where it is decided.

use std::fs;

use obeya_testkit::postgres::Scratch;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::binary::{database, run, serve_existing};
use crate::credentials::import_plant;
use crate::postgres::sql;

const SPOIL: &str = "UPDATE datasources SET value_count = value_count + 1 WHERE id = 12";

#[test]
fn a_plant_is_sound_whoever_looks() {
    let (_folder, db) = database();
    import_plant(&db);
    let scratch = Scratch::empty();
    import_plant(scratch.url());
    for db in [&db, scratch.url()] {
        let alone = run(["check", "--db", db]).success();
        assert!(alone.ends_with(": nothing is wrong\n"), "{alone}");
        let serving = serve_existing(db, &["--log", "off"]);
        run(["check", "--db", db]).success();
        drop(serving);
        // The log of a killed service belongs to the plant.
        run(["check", "--db", db]).success();
    }
}

#[test]
fn a_finding_is_named_with_its_table_and_id_and_the_exit_code_is_1() {
    let (folder, db) = database();
    import_plant(&db);
    let plant = Connection::open(folder.path().join("plant.db")).expect("a database");
    plant.execute_batch(SPOIL).expect("spoilt");
    drop(plant);
    let scratch = Scratch::empty();
    import_plant(scratch.url());
    sql(scratch.url(), &[SPOIL]);
    for db in [db.as_str(), scratch.url()] {
        let done = run(["check", "--db", db]);
        assert_eq!(done.code(), Some(1));
        let first = done.out().lines().next().map(str::to_owned);
        let first = first.expect("a line");
        assert!(
            first.starts_with("datasources 12: value_count is "),
            "{first}"
        );
        assert!(
            done.err().starts_with("error: 1 finding in "),
            "{}",
            done.err()
        );
        let done = run(["check", "--db", db, "--json"]);
        assert_eq!(done.code(), Some(1));
        let report: Value = serde_json::from_str(&done.out()).expect("JSON");
        let found = &report["findings"][0];
        assert_eq!(
            [&found["rule"], &found["table"], &found["key"]],
            [&json!("count"), &json!("datasources"), &json!("12")]
        );
    }
}

#[test]
fn it_writes_nothing() {
    let (folder, db) = database();
    import_plant(&db);
    let file = folder.path().join("plant.db");
    let before = fs::read(&file).expect("a file");
    run(["check", "--db", &db]).success();
    assert!(fs::read(&file).expect("a file") == before);
}

/// Rollups that somebody changed by hand.
#[test]
fn wrong_rollups_are_dropped_if_that_is_asked_for() {
    let spoil = "UPDATE datasources SET marked_counter = change_counter;
        INSERT INTO value_rollups (datasource_id, hour, row_count) VALUES (12, 0, 5)";
    let (folder, db) = database();
    import_plant(&db);
    let plant = Connection::open(folder.path().join("plant.db")).expect("a database");
    plant.execute_batch(spoil).expect("spoilt");
    drop(plant);
    let scratch = Scratch::empty();
    import_plant(scratch.url());
    sql(scratch.url(), &[spoil]);
    for db in [db.as_str(), scratch.url()] {
        let wrong = "value_rollups (12, 0): the rollup of this hour (1970-01-01T00:00:00Z) is not that of its values\n";
        let done = run(["check", "--db", db]);
        assert_eq!(done.code(), Some(1));
        assert!(done.out().starts_with(wrong), "{}", done.out());
        let done = run(["check", "--db", db, "--drop-rollups"]);
        assert_eq!(done.code(), Some(1));
        let said = "dropped the rollups of these datasources, which a service makes again: 12\n";
        assert!(done.err().starts_with(said), "{}", done.err());
        run(["check", "--db", db]).success();
    }
}
