//! `obeya client`.

use serde_json::Value;

use crate::binary::{database, run, run_unread};

#[test]
fn a_client_is_made_listed_and_revoked() {
    let (_folder, db) = database();
    let arguments = [
        "client",
        "add",
        "Line 3 øst",
        "--db",
        &db,
        "--scope",
        "Data.Read",
        "--scope",
        "Boards.Read",
        "--json",
    ];
    let made: Value = serde_json::from_str(&run(arguments).success()).expect("JSON");
    let id = made["client_id"].as_str().expect("an id");
    assert!(
        made["client_secret"]
            .as_str()
            .is_some_and(|secret| secret.len() >= 32),
        "{made}"
    );
    assert_eq!(made["name"], "Line 3 øst");

    let listed: Value =
        serde_json::from_str(&run(["client", "list", "--db", &db, "--json"]).success())
            .expect("JSON");
    assert_eq!(listed[0]["client_id"], id);
    assert_eq!(listed[0]["revoked_at"], Value::Null);
    assert_eq!(listed[0]["client_secret"], Value::Null, "it is shown once");

    assert_eq!(
        run(["client", "revoke", id, "--db", &db]).success(),
        format!("revoked {id}\n")
    );
    let listed: Value =
        serde_json::from_str(&run(["client", "list", "--db", &db, "--json"]).success())
            .expect("JSON");
    assert!(listed[0]["revoked_at"].is_string());
}

#[test]
fn for_people_the_secret_stands_on_a_line_and_the_list_is_a_table() {
    let (_folder, db) = database();
    let out = run(["client", "add", "x", "--db", &db, "--scope", "Data.Read"]).success();
    let secret = out
        .lines()
        .find_map(|line| line.strip_prefix("client_secret  "))
        .expect("a secret");
    let table = run(["client", "list", "--db", &db]).success();
    assert!(table.contains("┆ x ") && !table.contains(secret), "{table}");
}

#[test]
fn a_client_that_is_not_there_or_a_database_that_is_not_is_a_failure() {
    let (folder, db) = database();
    let err = run(["client", "list", "--db", &db]).failure(1);
    assert!(err.starts_with("error: there is no database "), "{err}");
    assert!(
        !folder.path().join("plant.db").exists(),
        "looking made a database"
    );

    run(["client", "add", "x", "--db", &db, "--scope", "Data.Read"]).success();
    let err = run(["client", "revoke", "nobody", "--db", &db]).failure(1);
    assert_eq!(
        err,
        "error: the client was not revoked\n  because: there is no client `nobody`\n"
    );
}

#[test]
fn a_secret_that_nobody_could_read_is_a_failure_and_a_list_that_nobody_reads_is_none() {
    let (_folder, db) = database();
    for form in [&["--json"][..], &[]] {
        let add = ["client", "add", "x", "--db", &db, "--scope", "Data.Read"];
        let err = run_unread(add.iter().chain(form)).failure(1);
        assert!(err.contains("its secret could not be printed"), "{err}");
    }
    run_unread(["client", "list", "--db", &db]).success();
}

#[test]
fn a_file_that_is_no_database_is_a_failure() {
    let (folder, db) = database();
    std::fs::write(
        folder.path().join("plant.db"),
        "This is a shopping list, long enough to be taken for the head of a file.".repeat(20),
    )
    .expect("written");
    let err = run(["client", "list", "--db", &db]).failure(1);
    assert!(
        err.starts_with("error: the clients cannot be listed\n  because: "),
        "{err}"
    );
}
