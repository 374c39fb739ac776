//! Comments have no stamps: of those that the copy has, the ones are read whose incidents changed, and that
//! is all that changed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::copy::{Copy, assert_same};
use super::lesser::{NO_PROMISE, lesser};
use super::plant::Plant;
use super::wire::{FIELDS, tables};
use crate::binary::done;

const SPOILT: &str = "nobody wrote this";

/// A comment of the plant on incident 1, as others than the plant would have it.
fn edited(text: &str) -> Value {
    json!({"id": 2, "incidentId": 1, "text": text, "commentDate": "2026-03-02T00:00:01Z", "commentedByUserId": "u-1"})
}

/// Makes a comment in a copy another, which stays so until it is read.
fn spoil(plant: &Plant, id: i32) {
    let copy = rusqlite::Connection::open(plant.file("copy.db")).expect("a database");
    let sql = "UPDATE comments SET text = ?2 WHERE id = ?1";
    assert_eq!(copy.execute(sql, (id, SPOILT)).expect("updated"), 1);
}

/// The texts of the comments of a copy.
async fn texts(copy: &Copy) -> BTreeMap<i64, String> {
    let rows = copy.rows("comments").await;
    let text = |row: &serde_json::Map<String, Value>| {
        let id = row["id"].as_i64().expect("an id");
        (id, row["text"].as_str().expect("a text").to_owned())
    };
    rows.iter().map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_are_read_where_their_incident_changed_and_nowhere_else() {
    let plant = Plant::new(10, 0);
    let client = plant.client();
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    plant.sync(&to, &[]).success();
    // On incidents 1 and 2.
    for id in [3, 4] {
        spoil(&plant, id);
    }
    let out = plant.sync(&to, &[]).success();
    assert!(out.contains("is up to date"), "{out}");
    let there = texts(&copy).await;
    assert_eq!([&there[&3], &there[&4]], [SPOILT, SPOILT], "nobody asked");

    plant.import_more("incident_comments.jsonl", &[edited("Seen again")]);
    let out = plant.sync(&to, &[]).success();
    assert!(out.contains("is up to date"), "{out}");
    let line = out.lines().find(|line| line.contains("│ comments "));
    let cells: Vec<&str> = line.expect("a line").split('┆').map(str::trim).collect();
    // The edited one, and the spoilt one beside it.
    assert_eq!(cells[1..5], ["14", "0", "2", "0"], "{out}");
    let there = texts(&copy).await;
    assert_eq!(there[&2], "Seen again");
    assert_eq!([&there[&3], &there[&4]], ["And so?", SPOILT]);

    plant.sync(&to, &["--full"]).success();
    let service = tables(&client, FIELDS).await;
    assert_same(&copy.tables().await, &service, &to);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_happens_to_comments_is_in_the_copy_after_the_next_run() {
    let plant = Plant::new(10, 0);
    let client = plant.client();
    let incidents = client.incidents();
    let copies = Copy::all(plant.folder.path());
    let check = async |what: &str| {
        let service = tables(&client, FIELDS).await;
        for copy in &copies {
            let to = copy.to();
            let out = plant.sync(&to, &[]).success();
            assert!(out.contains("is up to date"), "{out}");
            assert_same(&copy.tables().await, &service, &format!("{to}: {what}"));
        }
    };
    check("new").await;
    plant.import_more("incident_comments.jsonl", &[edited("Seen again")]);
    // A run without comments leaves to the next what comments there are to read.
    for copy in &copies {
        plant.sync(&copy.to(), &["--only", "incidents"]).success();
    }
    check("edited").await;
    let mut moved = edited("It was here");
    moved["id"] = json!(5);
    let new = json!({"id": 900, "incidentId": 3, "text": "A first one", "commentDate": "2026-03-02T00:00:01Z"});
    plant.import_more("incident_comments.jsonl", &[moved, new]);
    check("moved and new").await;
    let renamed =
        json!({"id": "u-1", "userName": "ingrid", "displayName": "Ingrid N.", "groups": [1, 4]});
    plant.import_more("users.jsonl", &[renamed]);
    check("by another name").await;
    incidents.delete(4).await.expect("deleted");
    check("in the trash").await;
    incidents.restore(4).await.expect("restored");
    incidents.delete(7).await.expect("deleted");
    check("one back and one gone").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_service_that_promises_nothing_all_comments_are_read() {
    let plant = Plant::new(10, 0);
    let proxy = lesser(&plant.serving.url, NO_PROMISE);
    let url = proxy.url();
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    let sync = || done(&mut plant.command_at(&url, &to, &[])).success();
    sync();
    spoil(&plant, 4);
    let out = sync();
    assert!(out.contains("is up to date"), "{out}");
    let service = tables(&plant.client(), FIELDS).await;
    assert_same(&copy.tables().await, &service, &to);
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_of_another_number_are_all_read() {
    let plant = Plant::new(10, 0);
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    plant.sync(&to, &[]).success();
    let spoilt = rusqlite::Connection::open(plant.file("copy.db")).expect("a database");
    assert_eq!(
        spoilt
            .execute("DELETE FROM comments WHERE id = 9", [])
            .expect("deleted"),
        1
    );
    drop(spoilt);
    plant.sync(&to, &[]).success();
    let service = tables(&plant.client(), FIELDS).await;
    assert_same(&copy.tables().await, &service, &to);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_an_incident_that_goes_the_comments_go_and_no_others_are_read() {
    let plant = Plant::new(10, 0);
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    plant.sync(&to, &[]).success();
    // On incident 2.
    spoil(&plant, 4);
    let client = plant.client();
    client.incidents().delete(1).await.expect("deleted");
    let out = plant.sync(&to, &[]).success();
    assert!(out.contains("is up to date"), "{out}");
    let there = texts(&copy).await;
    assert!(!there.contains_key(&2) && !there.contains_key(&3));
    assert_eq!(there[&4], SPOILT);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_incidents_were_read_anew_without_comments_all_comments_are() {
    let plant = Plant::new(10, 0);
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    plant.sync(&to, &[]).success();
    plant.import_more("incident_comments.jsonl", &[edited("Seen again")]);
    // Nobody knows any more which incidents changed.
    plant
        .sync(&to, &["--only", "incidents", "--full"])
        .success();
    plant.sync(&to, &[]).success();
    let service = tables(&plant.client(), FIELDS).await;
    assert_same(&copy.tables().await, &service, &to);
}
