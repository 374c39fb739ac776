//! What is compared: a target must hold what it was given before it keeps it; with `--verify-only` nothing
//! else is done.

use obeya_testkit::postgres::Scratch;
use rusqlite::Connection;

use super::plant::{Folder, copy, rows};
use crate::binary::{Done, run};
use crate::postgres::sql;
use crate::postgres::with_schema;

fn migrate(from: &str, to: &str) -> Done {
    run(["migrate", "--from", from, "--to", to])
}

fn verify(from: &str, to: &str) -> Done {
    run(["migrate", "--from", from, "--to", to, "--verify-only"])
}

#[test]
fn equal_databases_are_said_to_be() {
    let folder = Folder::new();
    folder.plant("a.db");
    let scratch = Scratch::empty();
    let copied = migrate(&folder.url("a.db"), scratch.url()).success();
    let compared = verify(&folder.url("a.db"), scratch.url()).success();
    let of = |text: &str| {
        let line = text.lines().find(|line| line.contains("datasource_values"));
        let (start, _) = line.expect("a line").rsplit_once('┆').expect("columns");
        start.to_owned()
    };
    assert_eq!(of(&copied), of(&compared), "the same rows and digest");
    assert!(of(&copied).contains("┆ 5\u{2009}003 ┆"), "{copied}");
    assert!(copied.contains(" rows copied in "), "{copied}");
    assert!(compared.contains(" rows compared in "), "{compared}");
    assert!(
        compared.contains("; the last change of the source: 2025-06-02T08:00:00.0000003Z\n"),
        "{compared}"
    );
}

#[test]
fn the_first_difference_of_each_table_is_reported_and_the_code_is_1() {
    let folder = Folder::new();
    folder.plant("a.db");
    copy(&folder.url("a.db"), &folder.url("b.db")).expect("copied");
    let target = folder.connect("b.db");
    target
        .execute_batch(
            "UPDATE areas SET description = NULL WHERE id = 3;
             INSERT INTO projects (id, name) VALUES (0, 'zero');
             DELETE FROM datasource_values WHERE id >= 4998;
             UPDATE secrets SET value = 'hunter2';
             UPDATE sqlite_sequence SET seq = 4 WHERE name = 'improvements';
             UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'incidents';",
        )
        .expect("changed");
    let done = verify(&folder.url("a.db"), &folder.url("b.db"));
    assert_eq!(done.code(), Some(1));
    assert!(
        done.out().contains("datasource_values"),
        "the table is shown all the same"
    );
    assert_eq!(
        done.err(),
        "error: the databases are not the same: secrets \"other\" differs in value; projects 0 is in the target alone; \
         areas 3 differs in description; datasource_values (4, 179928000000000, 4998) is in the source alone; \
         the last id of improvements is 6 in the source and 4 in the target\n"
    );
}

#[test]
fn a_database_that_is_not_there_is_not_made() {
    let folder = Folder::new();
    folder.plant("a.db");
    let err = verify(&folder.url("a.db"), &folder.url("b.db")).failure(1);
    assert!(err.starts_with("error: the target database failed\n  because: "));
    assert!(
        err.contains("b.db holds no database of this program"),
        "{err}"
    );
    assert!(!folder.file("b.db").exists());
}

/// A target that changes what it is given.
fn changing(folder: &Folder, trigger: &str) -> Connection {
    let target = folder.empty("b.db");
    target.execute_batch(trigger).expect("a trigger");
    target
}

#[test]
fn a_target_that_does_not_hold_what_it_was_given_keeps_nothing() {
    for (change, expected) in [
        (
            "UPDATE areas SET description = 'other' WHERE id = new.id",
            "areas 3 differs in description",
        ),
        // By a space.
        (
            "UPDATE areas SET name = ' ' WHERE id = new.id",
            "areas 3 differs in name",
        ),
        (
            "DELETE FROM areas WHERE id = new.id",
            "areas 3 is in the source alone",
        ),
        (
            "INSERT INTO areas (id, name) VALUES (-1, 'more')",
            "areas -1 is in the target alone",
        ),
        (
            "INSERT INTO projects (id, name) VALUES (2, 'more')",
            "projects 2 is in the target alone",
        ),
    ] {
        let folder = Folder::new();
        folder.plant("a.db");
        let trigger =
            format!("CREATE TRIGGER t AFTER INSERT ON areas WHEN new.id = 3 BEGIN {change}; END");
        let target = changing(&folder, &trigger);
        let err = migrate(&folder.url("a.db"), &folder.url("b.db")).failure(1);
        assert_eq!(
            err,
            format!("error: the target differs from the data written to it: {expected}\n")
        );
        assert_eq!(rows(&target), 0, "{change}");
    }
}

#[test]
fn a_postgres_that_does_not_hold_what_it_was_given_keeps_nothing() {
    let folder = Folder::new();
    folder.plant("a.db");
    let scratch = with_schema();
    sql(
        scratch.url(),
        &[
            // A rounding that is off by the last bit.
            "CREATE FUNCTION off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                new.value := new.value + 1.2e-13;
                RETURN new;
            END $$",
            "CREATE TRIGGER off BEFORE INSERT ON datasource_values FOR EACH ROW WHEN (new.id = 4999) EXECUTE FUNCTION off()",
        ],
    );
    let error = copy(&folder.url("a.db"), scratch.url()).expect_err("refused");
    assert!(
        error
            .to_string()
            .ends_with("datasource_values (4, 179964000000000, 4999) differs in value"),
        "{error}"
    );
    sql(scratch.url(), &["DROP TRIGGER off ON datasource_values"]);
    copy(&folder.url("a.db"), scratch.url()).expect("an empty target");
}
