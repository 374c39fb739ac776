//! What arrives: every row, every id that must not be given again, every token and every link.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use obeya_server::migrate::{Phase, Progress, migrate};
use obeya_testkit::postgres::Scratch;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::plant::{Folder, copy, differences};
use crate::binary::serve_new;
use crate::credentials::{ALL, Credentials, get};
use crate::postgres::{block_on, sql, with_schema};

#[test]
fn every_row_of_every_table_arrives() {
    let folder = Folder::new();
    folder.plant("a.db");
    let report = copy(&folder.url("a.db"), &folder.url("b.db")).expect("copied");
    for table in &report.tables {
        assert!(table.rows > 0, "the plant has nothing in {}", table.table);
    }
    assert_eq!(
        differences(&folder.file("a.db"), &folder.file("b.db")),
        [""; 0]
    );
    assert_eq!(
        report.last_stamp.map(|stamp| stamp.to_string()).as_deref(),
        Some("2025-06-02T08:00:00.0000003Z")
    );
}

#[test]
fn every_row_of_every_table_arrives_on_postgres_and_back() {
    let folder = Folder::new();
    folder.plant("a.db");
    let scratch = Scratch::empty();
    let there = copy(&folder.url("a.db"), scratch.url()).expect("copied");
    let back = copy(scratch.url(), &folder.url("b.db")).expect("copied");
    assert_eq!(
        differences(&folder.file("a.db"), &folder.file("b.db")),
        [""; 0]
    );
    let digests = |report: &obeya_server::migrate::MigrateReport| -> BTreeMap<_, _> {
        let tables = report.tables.iter();
        tables
            .map(|table| (table.table, (table.rows, table.digest.to_string())))
            .collect()
    };
    assert_eq!(digests(&there), digests(&back));
}

#[test]
fn from_postgres_to_postgres_a_number_that_is_none_arrives_as_nothing() {
    let (source, target) = (with_schema(), Scratch::empty());
    sql(
        source.url(),
        &[
            "INSERT INTO improvements (id, status, last_modified, cost_of_investment, gain_of_investment)
                VALUES (1, 'Open', 0, 'NaN', '-0')",
        ],
    );
    copy(source.url(), target.url()).expect("copied");
    sql(
        target.url(),
        &["DO $$ BEGIN
            ASSERT (SELECT cost_of_investment IS NULL AND gain_of_investment::text = '0' FROM improvements WHERE id = 1);
        END $$"],
    );
}

/// Adds a row to the source when a table is begun that comes before it.
struct Writer {
    source: Mutex<Connection>,
    rows: Mutex<Vec<(Phase, u64, u64)>>,
}

impl Progress for Writer {
    fn begin(&self, phase: Phase, rows: u64) {
        self.rows.lock().expect("whole").push((phase, rows, 0));
    }

    fn table(&self, name: &str) {
        if name == "users" {
            let sql = "INSERT INTO areas (id, name) VALUES (abs(random() % 1000000) + 10, 'late')";
            let source = self.source.lock().expect("whole");
            source.execute(sql, []).expect("written");
        }
    }

    fn advance(&self, rows: u64) {
        let mut all = self.rows.lock().expect("whole");
        let (_, _, done) = all.last_mut().expect("begun");
        *done += rows;
    }
}

#[test]
fn what_the_source_is_given_meanwhile_is_not_copied_and_does_no_harm() {
    let folder = Folder::new();
    let source = folder.plant("a.db");
    source
        .execute("VACUUM INTO ?1", [folder.file("before.db").to_str()])
        .expect("kept");
    let writer = Arc::new(Writer {
        source: Mutex::new(source),
        rows: Mutex::default(),
    });
    let (from, to) = (folder.url("a.db"), folder.url("b.db"));
    let report = block_on(migrate(&from, &to, writer.clone())).expect("copied");
    assert_eq!(
        differences(&folder.file("before.db"), &folder.file("b.db")),
        [""; 0]
    );
    // Both phases came to their ends, and said so.
    let total: u64 = report.tables.iter().map(|table| table.rows).sum();
    assert_eq!(
        *writer.rows.lock().expect("whole"),
        [(Phase::Copy, total, total), (Phase::Verify, total, total)]
    );
    let added = "SELECT count(*) FROM areas WHERE name = 'late'";
    let added: i64 = writer
        .source
        .lock()
        .expect("whole")
        .query_row(added, [], |row| row.get(0))
        .expect("counted");
    assert_eq!(added, 2);
}

#[test]
fn a_service_goes_on_where_the_old_one_stopped() {
    goes_on("sqlite", &Folder::new().url("b.db"));
}

#[test]
fn a_service_goes_on_where_the_old_one_stopped_on_postgres() {
    goes_on("postgres", Scratch::empty().url());
}

/// The `Prefer` header for a page of one record.
const PAGE_OF_ONE: &str = "odata.maxpagesize=1";

const BASE: [&str; 4] = ["--base-url", "http://plant.example", "--log", "off"];

fn goes_on(engine: &str, to: &str) {
    let folder = Folder::new();
    let source = folder.plant("a.db");
    // The last id that was given belongs to an incident that is gone for good.
    source
        .execute_batch("UPDATE sqlite_sequence SET seq = 900 WHERE name = 'incidents'")
        .expect("written");
    drop(source);
    let from = folder.url("a.db");
    let credentials = Credentials::add(&from, &ALL);

    let old = serve_new(&from, &BASE);
    let token = credentials.token(&old.url);
    let page = get(
        &old.url,
        &token,
        "/v2/areas?$orderby=name%20desc&$top=2",
        "",
    );
    let page_of_one = get(
        &old.url,
        &token,
        "/v2/areas?$orderby=name%20desc&$select=id",
        PAGE_OF_ONE,
    );
    let link = page_of_one["@odata.nextLink"]
        .as_str()
        .expect("a link")
        .to_owned();
    drop(old);
    copy(&from, to).expect("copied");

    let new = serve_new(to, &BASE);
    assert_eq!(
        get(
            &new.url,
            &token,
            "/v2/areas?$orderby=name%20desc&$top=2",
            ""
        ),
        page,
        "{engine}"
    );
    // Støperi comes first, Assembly after it.
    let next = get(
        &new.url,
        &token,
        link.strip_prefix("http://plant.example").expect("our base"),
        PAGE_OF_ONE,
    );
    assert_eq!(next["value"], json!([{"id": 2}]), "{engine}");
    let found = get(&new.url, &token, "/v2/areas?$search=SHAKE&$select=id", "");
    assert_eq!(found["value"], json!([{"id": 1}]), "words are made anew");
    let found = get(
        &new.url,
        &token,
        "/v2/incidents/comments?$filter=contains(text,%27old%20batch%27)&$select=id",
        "",
    );
    assert_eq!(found["value"], json!([{"id": 101}]), "parts are made anew");
    let incident = json!({
        "incidentTypeId": 4, "severity": "Low", "title": "After", "incidentDate": "2025-06-01", "categories": [{"id": 41}]
    });
    let answer = ureq::post(format!("{}/v1/Incidents", new.url))
        .header("Authorization", format!("Bearer {token}"))
        .header("Content-Type", "application/json")
        .send(incident.to_string())
        .expect("made");
    let made: Value = serde_json::from_reader(answer.into_body().into_reader()).expect("JSON");
    assert_eq!(made["id"], 901, "{engine}");
}
