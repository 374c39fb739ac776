//! The commands of `docs/backup.md`, run as they are written there: in the order of the document, by a shell,
//! with the service as the only thing that the test starts and stops itself.

use std::path::Path;
use std::process::Command;

use obeya_testkit::Serving;
use rusqlite::Connection;

use crate::binary::{done, obeya, run, serve_existing, signal};
use crate::credentials::{Credentials, get, import_plant};

const DOCUMENT: &str = include_str!("../../../../docs/backup.md");
/// The folders of the document.
const FOLDERS: [&str; 2] = ["/var/lib/obeya", "/backups"];

/// The commands of the document.
fn commands() -> Vec<&'static str> {
    let blocks = DOCUMENT.split("```console\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().expect("a block"));
    let commands = blocks.flat_map(str::lines);
    commands
        .map(|line| line.strip_prefix("$ ").expect("a command"))
        .collect()
}

/// Runs a command in a shell that finds the binary.
fn shell(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_obeya"));
    let folder = binary.parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let mut shell = Command::new("sh");
    // Without the variables of the tests' environment.
    for (name, value) in obeya().get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
        .env("PATH", format!("{}:{path}", folder.display()))
        .args(["-c", command]);
    done(&mut shell).success()
}

fn stopped(mut serving: Serving) {
    signal(&serving.child, "-TERM");
    assert!(serving.child.wait().expect("ended").success());
}

#[cfg(unix)]
#[test]
fn the_drill_of_the_document_brings_back_the_plant_of_the_backup() {
    let root = tempfile::tempdir().expect("a folder");
    let root = root.path().to_str().expect("UTF-8");
    let here = |text: &str| {
        FOLDERS.iter().fold(text.to_owned(), |text, folder| {
            text.replace(folder, &format!("{root}{folder}"))
        })
    };
    for folder in FOLDERS {
        std::fs::create_dir_all(here(folder)).expect("a folder");
    }
    let db = here("sqlite:/var/lib/obeya/plant.db");
    let plant = import_plant(&db);
    let start = || serve_existing(&db, &["--log", "off"]);
    let mut serving = Some(start());
    let mut ran = 0;
    for command in commands() {
        ran += 1;
        match command {
            "systemctl stop obeya" => {
                // What the operator goes back from: a service that lost its data.
                Credentials::add(&db, &["Data.Read"]);
                stopped(serving.take().expect("a service"));
                let file = here("/var/lib/obeya/plant.db");
                let lost = Connection::open(file).expect("a database");
                lost.execute_batch("DELETE FROM datasource_values")
                    .expect("lost");
            }
            "systemctl start obeya" => serving = Some(start()),
            command => {
                shell(&here(command));
            }
        }
    }
    assert_eq!(ran, 9, "the commands of the document");
    let serving = serving.expect("a service");
    let token = plant.token(&serving.url);
    let values = get(&serving.url, &token, "/v1/Datasources/12/values", "");
    // Those of the specification's plant.
    assert_eq!(values["count"], 2, "{values}");
    let clients = run(["client", "list", "--db", &db, "--json"]).success();
    let clients: serde_json::Value = serde_json::from_str(&clients).expect("JSON");
    assert_eq!(
        clients.as_array().map(Vec::len),
        Some(1),
        "those of the backup"
    );
}
