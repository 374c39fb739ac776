//! `obeya client`.

use serde_json::{Value, json};

use crate::binary::{added_client, database, run, run_unread};

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
fn a_client_can_be_restricted_from_the_beginning() {
    let (_folder, db) = database();
    let add = |grant: &str| {
        let scope = ["--scope", "Data.Read"];
        let only = ["--only", grant, "--only", "area=3"];
        run([&["client", "add", "x", "--db", &db][..], &scope, &only].concat())
    };
    let refused = add("line=3").failure(2);
    assert!(refused.contains("such as area=3"), "{refused}");
    add("datasource=12").success();
    assert_eq!(listed(&db)["only"], json!(["area=3", "datasource=12"]));
}

/// The first client of a list.
fn listed(db: &str) -> Value {
    let list = run(["client", "list", "--db", db, "--json"]).success();
    serde_json::from_str::<Value>(&list).expect("JSON")[0].take()
}

#[test]
fn a_client_is_changed_setting_by_setting() {
    let (_folder, db) = database();
    let made = added_client(&db);
    let id = made["client_id"].as_str().expect("an id");
    let set = |options: &[&str]| {
        let arguments = [&["client", "set", id, "--db", &db], options].concat();
        assert_eq!(run(arguments).success(), format!("changed {id}\n"));
        listed(&db)
    };
    let mut expected = listed(&db);
    for (options, changes) in [
        (
            &["--scope", "Boards.Read", "--scope", "Data.ReadWrite"][..],
            json!({"scopes": ["Boards.Read", "Data.ReadWrite"]}),
        ),
        (
            &["--expires", "2030-01-01T00:00:00Z", "--rate", "100/60"],
            json!({"expires_at": "2030-01-01T00:00:00Z", "rate": "100/60"}),
        ),
        (
            &["--allow-from", "10.1.2.3", "--allow-from", "2001:db8::/32"],
            json!({"networks": ["10.1.2.3/32", "2001:db8::/32"]}),
        ),
        (
            &[
                "--only",
                "datasource=12",
                "--only",
                "area=3",
                "--only",
                "area=3",
            ],
            json!({"only": ["area=3", "datasource=12"]}),
        ),
        (
            &[
                "--expires",
                "never",
                "--rate",
                "none",
                "--allow-from",
                "any",
                "--only",
                "none",
            ],
            json!({"expires_at": null, "rate": null, "networks": [], "only": []}),
        ),
    ] {
        for (setting, value) in changes.as_object().expect("an object") {
            assert_ne!(expected[setting], *value, "{setting}");
            expected[setting] = value.clone();
        }
        assert_eq!(set(options), expected, "{options:?}");
    }
    let table = run(["client", "list", "--db", &db]).success();
    assert!(
        table.contains("Networks") && table.contains("Rate") && table.contains("Only"),
        "{table}"
    );
}

#[test]
fn a_secret_is_rotated() {
    let (_folder, db) = database();
    let made = added_client(&db);
    let id = made["client_id"].as_str().expect("an id");
    let rotate = |options: &[&str]| -> Value {
        let arguments = [
            &["client", "rotate-secret", id, "--db", &db, "--json"],
            options,
        ]
        .concat();
        serde_json::from_str(&run(arguments).success()).expect("JSON")
    };
    let rotated = rotate(&[]);
    assert_ne!(rotated["client_secret"], made["client_secret"]);
    for member in ["client_id", "name", "scopes"] {
        assert_eq!(rotated[member], made[member]);
    }
    // 24 hours, unless it is said.
    let hours = || {
        let end = listed(&db)["previous_secret_expires_at"]
            .as_str()?
            .to_owned();
        let end: jiff::Timestamp = end.parse().expect("an instant");
        Some((end.as_second() - jiff::Timestamp::now().as_second() + 60) / 3600)
    };
    assert_eq!(hours(), Some(24));
    rotate(&["--overlap", "3h"]);
    assert_eq!(hours(), Some(3));
    rotate(&["--overlap", "0s"]);
    assert_eq!(hours(), None);
    let err = run_unread(["client", "rotate-secret", id, "--db", &db]).failure(1);
    assert!(
        err.contains("has a new secret, but it could not be printed"),
        "{err}"
    );
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
