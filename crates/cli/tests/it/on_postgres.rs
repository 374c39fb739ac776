//! The commands on PostgreSQL: the address decides, and nothing else is another.

use obeya_testkit::postgres::{Scratch, on, server};
use serde_json::Value;

use crate::binary::{run, run_unread, serve_existing, serve_new};
use crate::credentials::Credentials;
use crate::postgres::number_after_kill;

#[tokio::test(flavor = "multi_thread")]
async fn clients_an_import_and_the_service_work_over_one_database() {
    let database = Scratch::empty();
    let db = database.url();
    let folder = tempfile::tempdir().expect("a folder");
    let areas = "{\"id\":1,\"name\":\"Støperi\"}\n{\"id\":2,\"name\":\"Assembly\"}\n";
    std::fs::write(folder.path().join("areas.jsonl"), areas).expect("written");
    let plant = folder.path().to_str().expect("UTF-8");
    let out = run(["import", plant, "--db", db]).success();
    assert!(
        out.contains("│ areas.jsonl ┆    2 ┆   2 ┆        0 ┆       0 │"),
        "{out}"
    );
    let again = run(["import", plant, "--db", db]).failure(1);
    assert!(again.contains("areas.jsonl, line 1, field id"), "{again}");

    let serving = serve_new(db, &[]);
    // Made while the service runs, by another process.
    let credentials = Credentials::add(db, &["Data.Read"]);
    let client = credentials.client(&serving.url);
    let names: Vec<String> = client
        .areas()
        .list()
        .await
        .expect("areas")
        .items
        .into_iter()
        .filter_map(|area| area.name)
        .collect();
    assert_eq!(names, ["Støperi", "Assembly"]);
    let id = credentials.id;
    assert_eq!(
        run(["client", "revoke", &id, "--db", db]).success(),
        format!("revoked {id}\n")
    );
    let listed = run(["client", "list", "--db", db, "--json"]).success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert!(listed[0]["revoked_at"].is_string(), "{listed}");
}

#[test]
fn a_database_that_is_not_there_is_a_failure_that_names_it() {
    let missing = on(&server(), "obeya_nowhere");
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0", "--log", "off"][..],
        &["client", "list"],
    ] {
        let err = run(arguments.iter().chain(&["--db", &missing])).failure(1);
        assert!(err.contains("\"obeya_nowhere\" does not exist"), "{err}");
    }
}

/// An empty database is a wrong address, or one whose restore is not done.
#[test]
fn an_empty_database_is_served_only_where_that_is_asked_for() {
    let database = Scratch::empty();
    let db = database.url();
    let serve = [
        "serve",
        "--db",
        db,
        "--listen",
        "127.0.0.1:0",
        "--log",
        "off",
    ];
    let err = run_unread(serve).failure(1);
    for said in [
        "--create creates a new database",
        "holds no database of this program",
    ] {
        assert!(err.contains(said), "{err}");
    }
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(number_after_kill(db, tables), 0);
    drop(serve_new(db, &[]));
    drop(serve_existing(db, &[]));
}

#[test]
fn the_demo_does_its_main_job_there() {
    let database = Scratch::empty();
    let out = run(["demo", "--db", database.url()]).success();
    for expected in [
        "52\u{2009}416 of the plant's 101\u{2009}608 values, 6 pages",
        "All of it in ",
    ] {
        assert!(out.contains(expected), "{expected} is missing in\n{out}");
    }
}
