//! Refused migrations: their messages, and that they leave nothing behind.

use obeya_server::migrate::{MigrateError, Side};
use obeya_server::store::StoreError;
use obeya_testkit::postgres::{Scratch, on, server};

use super::plant::{Folder, copy, differences, rows};
use crate::binary::{Done, run};
use crate::postgres::sql;
use crate::postgres::with_schema;

fn migrate(from: &str, to: &str) -> Done {
    run(["migrate", "--from", from, "--to", to])
}

/// Breaks the plant of a new folder past what the schema checks.
fn broken(change: &str) -> Folder {
    let folder = Folder::new();
    let source = folder.plant("a.db");
    let unchecked = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;";
    source.execute_batch(unchecked).expect("unchecked");
    source.execute_batch(change).expect(change);
    folder
}

#[test]
fn a_target_with_rows_is_left_as_it_is() {
    let folder = Folder::new();
    folder.plant("a.db");
    let target = folder.empty("b.db");
    target
        .execute_batch("INSERT INTO secrets (name, value) VALUES ('next-links', 'x')")
        .expect("a row");
    target
        .execute("VACUUM INTO ?1", [folder.file("before.db").to_str()])
        .expect("kept");
    let err = migrate(&folder.url("a.db"), &folder.url("b.db")).failure(1);
    assert_eq!(
        err,
        "error: the target is not empty: its table secrets has rows; expected a new database\n"
    );
    assert_eq!(
        differences(&folder.file("before.db"), &folder.file("b.db")),
        [""; 0]
    );

    let scratch = with_schema();
    sql(
        scratch.url(),
        &[
            "UPDATE stamps SET last = 1",
            "INSERT INTO areas (id, name) VALUES (1, 'A')",
        ],
    );
    let error = copy(&folder.url("a.db"), scratch.url()).expect_err("refused");
    assert!(
        matches!(error, MigrateError::NotEmpty { table: "areas" }),
        "{error}"
    );
}

#[test]
fn one_database_under_two_names_is_one() {
    let folder = Folder::new();
    folder.plant("a.db");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.file("a.db"), folder.file("b.db")).expect("a link");
    #[cfg(unix)]
    assert!(matches!(
        copy(&folder.url("a.db"), &folder.url("b.db")),
        Err(MigrateError::Same)
    ));
    let slashes = format!("sqlite://{}", folder.file("a.db").display());
    assert!(matches!(
        copy(&folder.url("a.db"), &slashes),
        Err(MigrateError::Same)
    ));
    let scratch = with_schema();
    let other = scratch.url().replace("postgres://", "postgresql://");
    assert!(matches!(
        copy(scratch.url(), &other),
        Err(MigrateError::Same)
    ));
}

#[test]
fn a_source_that_is_not_there_is_not_made() {
    let folder = Folder::new();
    let err = migrate(&folder.url("a.db"), &folder.url("b.db")).failure(1);
    assert_eq!(
        err,
        format!(
            "error: the source database failed\n  because: {} holds no database of this program\n",
            folder.file("a.db").display()
        )
    );
    assert!(!folder.file("a.db").exists() && !folder.file("b.db").exists());
    std::fs::write(folder.file("a.db"), "").expect("a file");
    migrate(&folder.url("a.db"), &folder.url("b.db")).failure(1);
    assert_eq!(std::fs::read(folder.file("a.db")).expect("a file"), b"");

    let nothing = on(&server(), "obeya_test_that_is_not_there");
    let err = migrate(&nothing, &folder.url("b.db")).failure(1);
    assert!(err.starts_with("error: the source database failed\n  because: "));
    assert!(err.contains("obeya_test_that_is_not_there"), "{err}");

    let other = Scratch::empty();
    sql(other.url(), &["CREATE TABLE of_others (id int)"]);
    let err = migrate(other.url(), &folder.url("b.db")).failure(1);
    assert!(
        err.ends_with(" holds no database of this program\n"),
        "{err}"
    );
    sql(
        other.url(),
        &[
            "DO $$ BEGIN ASSERT (SELECT count(*) = 1 FROM pg_tables WHERE schemaname = 'public'); END $$",
        ],
    );
    assert!(!folder.file("b.db").exists());
}

#[test]
fn a_source_that_holds_nothing_is_refused() {
    let folder = Folder::new();
    folder.empty("a.db");
    let err = migrate(&folder.url("a.db"), &folder.url("b.db")).failure(1);
    assert_eq!(err, "error: the source database is empty\n");
}

#[test]
fn a_row_that_refers_to_nothing_is_named() {
    let scratch = Scratch::empty();
    for (change, expected) in [
        (
            "UPDATE incidents SET area_id = 77 WHERE id = 11",
            "incidents 11 of the source refers in area_id to 77, which areas does not have",
        ),
        // This one is looked for at the end, when an engine does not say whose it is.
        (
            "UPDATE incident_comments SET parent_id = 78 WHERE id = 101",
            "incident_comments 101 of the source refers in parent_id to 78, which incident_comments does not have",
        ),
        (
            "DELETE FROM users WHERE id = 'ø'",
            "group_members (2, \"ø\") of the source refers in user_id to \"ø\", which users does not have",
        ),
    ] {
        let folder = broken(change);
        let from = folder.url("a.db");
        for to in [&folder.url("b.db"), scratch.url()] {
            let error = copy(&from, to).expect_err(change);
            assert!(matches!(error, MigrateError::Dangling { .. }), "{error:?}");
            assert_eq!(error.to_string(), expected);
        }
        assert_eq!(rows(&folder.connect("b.db")), 0);
    }
    // What was refused has left nothing behind.
    let folder = Folder::new();
    folder.plant("a.db");
    copy(&folder.url("a.db"), scratch.url()).expect("an empty target");
}

#[test]
fn a_row_that_breaks_a_rule_is_reported_with_the_rule() {
    let scratch = Scratch::empty();
    let folder = broken("UPDATE incidents SET severity = 'Extreme' WHERE id = 11");
    for (to, rule) in [
        (folder.url("b.db"), "severity IN ("),
        (scratch.url().to_owned(), "incidents_severity_check"),
    ] {
        let error = copy(&folder.url("a.db"), &to).expect_err("refused");
        let MigrateError::Refused {
            table: "incidents",
            first,
            last,
            source: StoreError::Constraint(text),
        } = &error
        else {
            panic!("{error:?}");
        };
        assert_eq!((first.as_str(), last.as_str()), ("10", "12"));
        assert!(text.contains(rule), "{text}");
    }
    assert_eq!(rows(&folder.connect("b.db")), 0);
}

#[test]
fn a_value_of_another_type_is_named() {
    // The one table of the schema whose columns take anything.
    let folder = broken("UPDATE clients SET name = x'00ff' WHERE id = 'c-2'");
    let error = copy(&folder.url("a.db"), &folder.url("b.db")).expect_err("refused");
    assert!(
        matches!(
            &error,
            MigrateError::Value { side: Side::Source, table: "clients", column: "name", key, .. } if key == "\"c-2\""
        ),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("expected a text, found bytes"),
        "{error}"
    );
    assert_eq!(rows(&folder.connect("b.db")), 0);
}

#[test]
fn a_text_that_an_engine_cannot_hold_is_named() {
    let folder = broken("UPDATE boards SET description = 'a' || char(0) || 'b' WHERE id = 8");
    let scratch = Scratch::empty();
    let error = copy(&folder.url("a.db"), scratch.url()).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "boards 8, column description, of the source: a text with the character U+0000, which PostgreSQL does not store"
    );
    copy(&folder.url("a.db"), &folder.url("b.db")).expect("SQLite holds it");
    assert_eq!(
        differences(&folder.file("a.db"), &folder.file("b.db")),
        [""; 0]
    );
}

#[test]
fn wrong_usage_exits_with_2_and_shows_no_password() {
    for arguments in [
        &["migrate", "--from", "sqlite:a.db"][..],
        &[
            "migrate",
            "--from",
            "postgress://me:hunter2@h/d",
            "--to",
            "sqlite:a.db",
        ],
        &["migrate", "--from", "sqlite:a.db", "--to", "me:hunter2@h"],
    ] {
        let err = run(arguments).failure(2);
        assert!(err.contains("--to") || err.contains("--from"), "{err}");
        assert!(err.contains("obeya migrate"), "{err}");
        assert!(!err.contains("hunter2"), "{err}");
    }
}

#[test]
fn a_server_that_is_not_there_is_reported_without_the_password() {
    let folder = Folder::new();
    folder.plant("a.db");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = taken.local_addr().expect("an address").port();
    drop(taken);
    let to = format!("postgres://me:hunter2@127.0.0.1:{port}/plant");
    let err = migrate(&folder.url("a.db"), &to).failure(1);
    assert!(
        err.starts_with("error: the target database failed\n  because: "),
        "{err}"
    );
    assert!(!err.contains("hunter2"), "{err}");
}
