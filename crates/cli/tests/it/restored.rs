//! A backup restored next to the log of a killed service, or under a running one: an operator's commands, on
//! real processes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

use obeya_server::admin;
use obeya_testkit::Serving;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::binary::{database, run, run_unread, serve_existing, signal};

/// A plant whose states differ in their clients.
struct Plant {
    folder: TempDir,
    db: String,
}

impl Plant {
    /// With the client `first`.
    fn new() -> Plant {
        let (folder, db) = database();
        let plant = Plant { folder, db };
        plant.add("first");
        plant
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("plant.db")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn add(&self, name: &str) {
        let scope = admin::SCOPES[0];
        run(["client", "add", name, "--db", &self.db, "--scope", scope]).success();
    }

    /// The names of the clients, as the command lists them.
    fn clients(&self) -> Vec<String> {
        let listed = run(["client", "list", "--db", &self.db, "--json"]).success();
        let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
        let listed = listed.as_array().expect("an array").iter();
        let name = |client: &serde_json::Value| client["name"].as_str().map(str::to_owned);
        listed.map(|client| name(client).expect("a name")).collect()
    }

    fn serve(&self) -> Serving {
        serve_existing(&self.db, &["--log", "off"])
    }

    /// A backup of the database in use, page by page as `.backup` of SQLite's shell makes it.
    fn backup(&self) -> PathBuf {
        let copy = self.path("backup.db");
        for (from, to) in [("plant.db", "backup.db"), ("plant.db-wal", "backup.db-wal")] {
            fs::copy(self.path(from), self.path(to)).expect("a copy");
        }
        let connection = Connection::open(&copy).expect("a database");
        connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .expect("a checkpoint");
        copy
    }

    /// Every command refuses, and leaves all as it is.
    fn is_refused(&self) {
        let state = || ["plant.db", "plant.db-wal"].map(|name| fs::read(self.path(name)).ok());
        let before = state();
        let out = self.path("out");
        let out = out.to_str().expect("UTF-8");
        let scope = admin::SCOPES[0];
        for command in [
            // Nobody reads its address, so a service that starts after all ends at once.
            &["serve", "--listen", "127.0.0.1:0", "--log", "off"][..],
            &["client", "list"],
            &["client", "add", "x", "--scope", scope],
            &["export", out],
        ] {
            let err = run_unread(command.iter().chain(&["--db", &self.db])).failure(1);
            for said in [
                "plant.db is not the file that the log",
                "--discard-wal",
                "--keep-wal",
            ] {
                assert!(err.contains(said), "{command:?}: {err}");
            }
        }
        assert!(before == state());
    }

    /// The file is sound, and what a service serves of it.
    fn served(&self, more: &[&str]) -> Vec<String> {
        drop(serve_existing(
            &self.db,
            &[&["--log", "off"], more].concat(),
        ));
        let connection = Connection::open(self.file()).expect("a database");
        let found: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("checked");
        assert_eq!(found, "ok");
        drop(connection);
        self.clients()
    }
}

#[test]
fn what_a_killed_service_leaves_is_taken_over() {
    let plant = Plant::new();
    let serving = plant.serve();
    plant.add("second");
    drop(serving);
    assert_eq!(plant.served(&[]), ["first", "second"]);
}

#[test]
fn a_backup_copied_over_the_file_of_a_killed_service_is_refused() {
    // From before the service started, and of the running service.
    for cold in [true, false] {
        let plant = Plant::new();
        let serving = if cold {
            fs::copy(plant.file(), plant.path("backup.db")).expect("a copy");
            plant.serve()
        } else {
            let serving = plant.serve();
            plant.backup();
            serving
        };
        plant.add("second");
        drop(serving);
        fs::copy(plant.path("backup.db"), plant.file()).expect("a copy");
        plant.is_refused();
        assert_eq!(plant.served(&["--discard-wal"]), ["first"]);
        assert!(plant.path("plant.db-wal-discarded-1").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_backup_moved_to_the_file_of_a_killed_service_is_refused() {
    let plant = Plant::new();
    let serving = plant.serve();
    // The same bytes: only the file is another one.
    fs::copy(plant.file(), plant.path("backup.db")).expect("a copy");
    plant.add("second");
    drop(serving);
    fs::rename(plant.path("backup.db"), plant.file()).expect("moved");
    plant.is_refused();
    assert_eq!(plant.served(&["--keep-wal"]), ["first", "second"]);
}

#[test]
fn a_log_that_a_killed_service_left_may_be_taken_away_by_hand() {
    let plant = Plant::new();
    let serving = plant.serve();
    let backup = plant.backup();
    plant.add("second");
    drop(serving);
    for name in ["plant.db-wal", "plant.db-shm"] {
        fs::remove_file(plant.path(name)).expect("removed");
    }
    fs::rename(backup, plant.file()).expect("moved");
    assert_eq!(plant.served(&[]), ["first"]);
}

#[test]
fn a_cold_copy_of_all_files_is_served_elsewhere() {
    let plant = Plant::new();
    let serving = plant.serve();
    plant.add("second");
    drop(serving);
    let (folder, db) = database();
    for entry in fs::read_dir(plant.folder.path()).expect("a folder") {
        let from = entry.expect("an entry").path();
        let name = from.file_name().expect("a name");
        fs::copy(&from, folder.path().join(name)).expect("a copy");
    }
    assert_eq!(Plant { folder, db }.served(&[]), ["first", "second"]);
}

#[cfg(unix)]
#[test]
fn a_file_replaced_under_a_running_service_is_reported_in_its_log() {
    for replaced in [true, false] {
        let plant = Plant::new();
        let mut serving = serve_existing(&plant.db, &["--log", "error"]);
        let backup = plant.backup();
        plant.add("second");
        if replaced {
            fs::rename(backup, plant.file()).expect("moved");
        } else {
            fs::remove_file(plant.file()).expect("removed");
        }
        // Nobody asks the service for anything until it says so by itself.
        let log = serving.child.stderr.take().expect("piped");
        let mut log = BufReader::new(log);
        let mut line = String::new();
        log.read_line(&mut line).expect("a line");
        let said = if replaced {
            "was replaced by another one"
        } else {
            "was removed or renamed"
        };
        for said in [said, "Stop the service"] {
            assert!(line.contains(said), "{line}");
        }
        let ready = ready(&serving);
        assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
        let list = run(["client", "list", "--db", &plant.db]).failure(1);
        assert!(
            list.contains(if replaced {
                "another process uses"
            } else {
                "no database"
            }),
            "{list}"
        );

        // Its log stays, as SQLite does not delete that of a file that was moved.
        signal(&serving.child, "-TERM");
        let mut rest = String::new();
        log.read_to_string(&mut rest).expect("the rest");
        assert_eq!(
            serving.child.wait().expect("ended").code(),
            Some(0),
            "{rest}"
        );
        assert_eq!(plant.file().exists(), replaced, "no file is made");
        if replaced {
            plant.is_refused();
            assert_eq!(plant.served(&["--discard-wal"]), ["first"]);
        } else {
            let serve = [
                "serve",
                "--create",
                "--db",
                &plant.db,
                "--listen",
                "127.0.0.1:0",
            ];
            let err = run_unread(serve).failure(1);
            assert!(err.contains("plant.db is missing, but its log"), "{err}");
            assert!(!plant.file().exists() && plant.path("plant.db-wal").exists());
        }
    }
}

/// The answer of `/readyz`.
#[cfg(unix)]
fn ready(serving: &Serving) -> String {
    use std::io::Write as _;
    let address = serving.url.strip_prefix("http://").expect("an address");
    let mut stream = std::net::TcpStream::connect(address).expect("connected");
    let request = "GET /readyz HTTP/1.1\r\nHost: plant\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}
