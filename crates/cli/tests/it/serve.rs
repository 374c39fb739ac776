//! `obeya serve`: the one line, the service behind it, and the way it stops.

use std::io::Read as _;

use obeya::Client;
use serde_json::Value;

use crate::binary::{database, run, run_unread};
use crate::serving::Serving;

fn credentials(db: &str) -> Value {
    let made = run([
        "client",
        "add",
        "test",
        "--db",
        db,
        "--scope",
        "Data.Read",
        "--json",
    ])
    .success();
    serde_json::from_str(&made).expect("JSON")
}

#[tokio::test]
async fn it_says_where_it_listens_and_answers_there() {
    let (folder, db) = database();
    let serving = Serving::start(&db, &[]);
    assert!(
        folder.path().join("plant.db").exists(),
        "the database is made, as --create says"
    );
    // Made while the service runs, by another process.
    let made = credentials(&db);
    let client = Client::builder()
        .base_url(&serving.url)
        .client_id(made["client_id"].as_str().expect("an id"))
        .client_secret(made["client_secret"].as_str().expect("a secret"))
        .build()
        .expect("a client");
    assert_eq!(client.areas().list().await.expect("areas").items, []);
}

#[cfg(unix)]
#[test]
fn a_signal_stops_it_in_order() {
    for signal in ["-TERM", "-INT"] {
        let (_folder, db) = database();
        let mut serving = Serving::start(&db, &["--log", "info", "--log-format", "json"]);
        let id = serving.child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args([signal, &id])
                .status()
                .expect("kill")
                .success()
        );
        assert_eq!(
            serving.child.wait().expect("ended").code(),
            Some(0),
            "{signal}"
        );
        let mut rest = String::new();
        serving.out.read_to_string(&mut rest).expect("the rest");
        assert_eq!(rest, "", "one line on stdout and no other");
        let mut log = String::new();
        serving
            .child
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut log)
            .expect("the log");
        assert!(!log.is_empty(), "the log is on stderr");
        for line in log.lines() {
            serde_json::from_str::<Value>(line).expect("each line of the log is JSON");
        }
    }
}

#[test]
fn a_database_that_is_missing_is_made_only_where_that_is_asked_for() {
    let (folder, db) = database();
    let file = folder.path().join("plant.db");
    let serve = [
        "serve",
        "--db",
        &db,
        "--listen",
        "127.0.0.1:0",
        "--log",
        "off",
    ];
    let err = run_unread(serve).failure(1);
    assert!(
        err.contains("there is no database") && err.contains("--create makes a new database"),
        "{err}"
    );
    assert!(!file.exists());
    // SQLite takes a file of no bytes for a new database.
    std::fs::write(&file, []).expect("a file");
    let err = run_unread(serve).failure(1);
    assert!(err.contains("holds no database of this program"), "{err}");
    assert_eq!(std::fs::metadata(&file).expect("the file").len(), 0);
    Serving::start(&db, &[]);
    Serving::start_existing(&db, &[]);
}

#[test]
fn an_address_that_is_taken_is_a_failure_with_its_cause() {
    let (_folder, db) = database();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = taken.local_addr().expect("an address").to_string();
    let done = run([
        "serve", "--create", "--db", &db, "--listen", &address, "--log", "off",
    ]);
    let err = done.failure(1);
    assert!(
        err.starts_with(&format!(
            "error: the service did not start\n  because: cannot listen on {address}\n  because: "
        )),
        "{err}"
    );
}

#[test]
fn a_service_whose_address_nobody_could_read_does_not_pretend_to_have_served() {
    let (_folder, db) = database();
    let arguments = ["serve", "--create", "--db", &db, "--listen", "127.0.0.1:0"];
    let err = run_unread(arguments).failure(1);
    assert!(
        err.contains("error: the address could not be printed"),
        "{err}"
    );
}
