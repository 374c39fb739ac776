//! `obeya audit`: what it shows, exports and verifies.

use std::fs;
use std::path::Path;

use obeya_server::store::testing;
use obeya_testkit::postgres::Scratch;
use serde_json::{Value, json};

use crate::binary::{added_client, database, run, run_unread};
use crate::import::write_lines;

/// A database with five entries: a client, its revocation, and three imports.
fn written() -> (tempfile::TempDir, String, String) {
    let (folder, db) = database();
    let client = added_client(&db);
    let id = client["client_id"].as_str().expect("an id").to_owned();
    run(["client", "revoke", &id, "--db", &db]).success();
    for areas in [1, 2, 3] {
        let plant = tempfile::tempdir().expect("a folder");
        let lines = (1..=areas).map(|id| json!({"id": id, "name": format!("Area {id}")}));
        write_lines(plant.path(), "areas.jsonl", lines);
        let import = [
            "import",
            plant.path().to_str().expect("UTF-8"),
            "--db",
            &db,
            "--on-conflict",
            "skip",
        ];
        run(import).success();
    }
    (folder, db, id)
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn file(db: &str) -> &Path {
    Path::new(db.strip_prefix("sqlite:").expect("a file"))
}

#[test]
fn entries_are_shown_to_people_and_as_json_lines() {
    let (_folder, db, id) = written();
    let entries = lines(&run(["audit", "--db", &db, "--json"]).success());
    let operations: Vec<_> = entries.iter().map(|entry| &entry["operation"]).collect();
    assert_eq!(
        operations,
        ["addClient", "revokeClient", "import", "import", "import"]
    );
    assert_eq!(entries[0]["record"], format!("clients/{id}"));
    assert_eq!(entries[0]["change"]["after"]["name"], "erp");
    assert_eq!(
        entries[4]["change"],
        json!({"files": {"areas.jsonl": {"inserted": 1, "replaced": 0}}})
    );
    let of_client = [
        "audit",
        "--db",
        &db,
        "--json",
        "--record",
        "clients",
        "--since",
        "2020-01-01",
    ];
    assert_eq!(lines(&run(of_client).success()).len(), 2);
    assert_eq!(
        run(["audit", "--db", &db, "--json", "--client", "nobody"]).success(),
        ""
    );
    let table = run(["audit", "--db", &db]).success();
    let row = table.lines().nth(2).expect("a row");
    assert!(row.starts_with("       2  20"), "{row}");
    let revoked =
        format!("revokeClient                clients/{id}  {{\"before\":{{\"revoked\":false}}");
    assert!(row.contains(&revoked), "{row}");
    assert_eq!(run_unread(["audit", "--db", &db]).code(), Some(0));
}

#[test]
fn an_export_is_a_file_for_its_owner_alone() {
    let (folder, db, _) = written();
    let file = folder.path().join("audit.jsonl");
    let export = ["audit", "--db", &db, "-o", file.to_str().expect("UTF-8")];
    let out = run(export).success();
    assert!(out.starts_with("5 entries in "), "{out}");
    let text = fs::read_to_string(&file).expect("a file");
    assert_eq!(text, run(["audit", "--db", &db, "--json"]).success());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_log_that_was_changed_by_another_way_is_a_failure() {
    let (_folder, db, _) = written();
    let verify = ["audit", "--db", &db, "--verify"];
    let out = run(verify).success();
    assert!(
        out.contains("entries        5, from 1 to 5; 0 with"),
        "{out}"
    );
    let head = out
        .lines()
        .find_map(|line| line.strip_prefix("last entry     "));
    let head = head.expect("a head").to_owned();
    let with_head = ["audit", "--db", &db, "--verify", "--head", &head];
    run(with_head).success();

    let tamper = |sql: &str| {
        let database = rusqlite::Connection::open(file(&db)).expect("open");
        let drop = "DROP TRIGGER IF EXISTS audit_entries_unchanged;";
        database
            .execute_batch(&format!("{drop} {sql}"))
            .expect("changed");
    };
    tamper("DELETE FROM audit_entries WHERE number = 5");
    run(verify).success();
    assert_eq!(
        run(with_head).failure(1),
        "error: the audit log was changed by another way: entry 5 is missing\n"
    );
    tamper("UPDATE audit_entries SET change = replace(change, 'erp', 'abc') WHERE number = 1");
    assert_eq!(
        run(verify).failure(1),
        "error: the audit log was changed by another way: entry 1 has another text than was recorded\n"
    );
    let err = run(["audit", "--db", &db, "--verify", "--head", "5:abc"]).failure(2);
    assert!(err.contains("NUMBER:HASH"), "{err}");
}

/// A service of that version may be using it: reading must not upgrade it.
#[test]
fn a_database_of_an_older_version_is_refused_and_stays_as_it_is() {
    let (folder, db) = database();
    let output = folder.path().join("audit.jsonl");
    testing::make_old(&db, 7, "SELECT 1");
    let before = fs::read(file(&db)).expect("a file");
    let commands: [&[&str]; 5] = [
        &["audit", "--json"],
        &["audit", "--verify"],
        &["audit", "--refused"],
        &["audit", "-o", output.to_str().expect("UTF-8")],
        &["erase-user", "u-1", "--dry-run"],
    ];
    let refused = |command: &[&str], db: &str| {
        let err = run(command.iter().chain(&["--db", db])).failure(1);
        let expected = "the database has schema version 7, expected ";
        assert!(err.contains(expected), "{command:?}: {err}");
    };
    for command in commands {
        refused(command, &db);
    }
    assert!(fs::read(file(&db)).expect("a file") == before);
    let server = Scratch::empty();
    testing::make_old(server.url(), 7, "SELECT 1");
    for command in commands {
        // Each would be answered if one before it had upgraded the database.
        refused(command, server.url());
    }
}
