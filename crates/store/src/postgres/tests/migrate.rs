//! Migrations by concurrent processes and by users with few privileges.

use std::time::Duration;

use super::catalogue::old;
use super::scratch::{Scratch, admin, connect, one, options, terminate, until};
use crate::StoreError;
use crate::connect::{Connect as _, Connection as _, Work};
use crate::postgres::Postgres;
use crate::postgres::server::Role;

/// The last version whose words were not folded.
const BEFORE_TERMS: usize = 21;

const TABLES: &str = "SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace \
    WHERE n.nspname = current_schema() AND c.relkind = 'r'";

fn refusal(url: &str) -> String {
    match Postgres::open(url, &options()) {
        Err(StoreError::Schema(text)) => text,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[test]
fn several_that_start_at_once_all_find_the_schema() {
    let scratch = Scratch::new();
    // The strictest isolation level that a server may have as its default.
    let url = format!(
        "{}%20-c%20default_transaction_isolation%3Dserializable",
        scratch.url
    );
    std::thread::scope(|scope| {
        let starts: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| Postgres::open(&url, &options()).map(drop)))
            .collect();
        for start in starts {
            start.join().unwrap().unwrap();
        }
    });
    let mut writer = scratch.writer();
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM obeya_functions", &[]).unwrap(),
        Some(1)
    );
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM stamps", &[]).unwrap(),
        Some(1)
    );
}

/// Starts, and ends the server process of that when this query has it.
fn end_a_start(scratch: &Scratch, waiting: &str) {
    std::thread::scope(|scope| {
        let started = scope.spawn(|| Postgres::open(&scratch.url, &options()).map(drop));
        let mut look = scratch.writer();
        let mut process = None;
        until(|| {
            process = one(&mut look, waiting, &[]).unwrap();
            process.is_some()
        });
        terminate(process.unwrap());
        let ended = started.join().unwrap();
        assert!(
            matches!(ended, Err(StoreError::Unavailable(_))),
            "{ended:?}"
        );
    });
}

#[test]
fn a_start_that_was_ended_half_way_leaves_nothing_behind() {
    let scratch = Scratch::new();
    // A lock that the migration waits for, so that it can be interrupted there.
    let mut first = scratch.writer();
    first
        .control("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('obeya ' || current_schema(), 7382611))")
        .unwrap();
    let waiting = "SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'advisory' AND pid IN \
        (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
         AND objid = (hashtextextended('obeya ' || current_schema(), 7382611) & 4294967295)::oid)";
    end_a_start(&scratch, waiting);
    assert_eq!(one(&mut first, TABLES, &[]).unwrap(), Some(0));
    first.control("ROLLBACK").unwrap();
    Postgres::open(&scratch.url, &options()).unwrap();
}

/// The table of users is read last, so the other indexes are filled when it is held.
#[test]
fn a_start_that_was_ended_while_it_indexed_leaves_the_old_words_and_the_next_one_indexes_all() {
    let (scratch, mut holder) = old(BEFORE_TERMS);
    holder
        .control(
            "INSERT INTO areas (id, name) VALUES (7, 'Størst');
            INSERT INTO areas_search (rowid, document) VALUES (7, ' størst ');
            INSERT INTO users (id, user_name, display_name) VALUES ('u-1', 'åse', 'Åse Lie')",
        )
        .unwrap();
    holder
        .control("BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
        .unwrap();
    let waiting =
        "SELECT max(pid) FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass";
    end_a_start(&scratch, waiting);
    holder.control("ROLLBACK").unwrap();
    let version = "SELECT version FROM obeya_schema";
    assert_eq!(
        one(&mut holder, version, &[]).unwrap(),
        Some(BEFORE_TERMS as i64)
    );
    let old_word = "SELECT rowid FROM areas_search WHERE words @> ARRAY['størst']";
    assert_eq!(one(&mut holder, old_word, &[]).unwrap(), Some(7));

    Postgres::open(&scratch.url, &options()).unwrap();
    let area = "SELECT rowid FROM areas_search WHERE words @@ CAST('stor:*' AS tsquery)";
    assert_eq!(one(&mut holder, area, &[]).unwrap(), Some(7));
    let user = "SELECT count(*) FROM users_search AS s JOIN user_numbers AS n ON n.number = s.rowid \
        WHERE n.user_id = 'u-1' AND s.words @@ CAST('ase & lie' AS tsquery)";
    assert_eq!(one(&mut holder, user, &[]).unwrap(), Some(1));
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let (scratch, _, mut writer) = Scratch::migrated();
    writer
        .control("UPDATE obeya_schema SET version = 99")
        .unwrap();
    let text = refusal(&scratch.url);
    assert!(
        text.contains("has schema version 99, and this program knows versions up to"),
        "{text}"
    );
    assert!(text.ends_with("use a newer program"), "{text}");
    assert_eq!(
        one(&mut writer, "SELECT version FROM obeya_schema", &[]).unwrap(),
        Some(99)
    );
}

#[test]
fn tables_of_another_program_are_refused_where_they_have_our_names() {
    let scratch = Scratch::new();
    let mut writer = scratch.writer();
    writer.control("CREATE TABLE boards (x text)").unwrap();
    let text = refusal(&scratch.url);
    assert!(
        text.contains("a table `boards` of another program"),
        "{text}"
    );
    assert_eq!(one(&mut writer, TABLES, &[]).unwrap(), Some(1));
    writer
        .control("ALTER TABLE boards RENAME TO sailboats")
        .unwrap();
    Postgres::open(&scratch.url, &options()).unwrap();
}

#[test]
fn functions_of_another_build_are_made_anew_and_those_of_a_known_one_are_left() {
    let (scratch, _, mut writer) = Scratch::migrated();
    let broken = "CREATE OR REPLACE FUNCTION odata_lower(text) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$";
    let is_broken = "SELECT (odata_lower('A') = 'x')::int";
    // As a newer program does, whose functions have a newer recorded version.
    writer.control("DROP FUNCTION odata_lower(text)").unwrap();
    writer.control(broken).unwrap();
    Postgres::open(&scratch.url, &options()).unwrap();
    assert_eq!(one(&mut writer, is_broken, &[]).unwrap(), Some(1));
    // As an older program leaves them.
    writer
        .control("UPDATE obeya_functions SET digest = 'another'; DROP FUNCTION odata_lower(text)")
        .unwrap();
    Postgres::open(&scratch.url, &options()).unwrap();
    assert_eq!(one(&mut writer, is_broken, &[]).unwrap(), Some(0));
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM obeya_functions", &[]).unwrap(),
        Some(2)
    );
}

#[test]
fn a_schema_that_is_not_there_is_reported() {
    let scratch = Scratch::new();
    let text = refusal(&scratch.url.replace(&scratch.name, "nowhere"));
    assert!(text.contains("no schema to work in"), "{text}");
}

#[test]
fn a_user_that_only_reads_can_start_on_what_is_up_to_date() {
    let (scratch, _, mut owner) = Scratch::migrated();
    let role = format!("{}_reader", scratch.name);
    admin(&format!("CREATE ROLE {role} LOGIN PASSWORD 'pw'"));
    owner
        .control(&format!(
            "GRANT USAGE ON SCHEMA {0} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO {role}",
            scratch.name
        ))
        .unwrap();
    let authority = scratch.url.find("://").unwrap() + 3;
    let host = scratch.url.find('@').unwrap();
    let url = format!(
        "{}{role}:pw{}",
        &scratch.url[..authority],
        &scratch.url[host..]
    );

    let (postgres, mut writer) = Postgres::open(&url, &options()).unwrap();
    let mut reader = postgres.reader(Work::Point).unwrap();
    assert_eq!(
        one(&mut reader, "SELECT count(*) FROM boards", &[]).unwrap(),
        Some(0)
    );
    let refused = writer.begin_write();
    assert!(
        matches!(&refused, Err(StoreError::Unavailable(text)) if text.contains("lacks a right") && text.contains("stamps")),
        "{refused:?}"
    );
    assert!(!writer.is_lost() && !writer.is_in_transaction());
    assert!(!writer.take_conflict());

    owner
        .control("UPDATE obeya_functions SET digest = 'another'")
        .unwrap();
    let text = refusal(&url);
    assert!(
        text.contains("is not up to date for this program"),
        "{text}"
    );
    owner
        .control("DROP TABLE obeya_schema, obeya_functions CASCADE")
        .unwrap();
    let text = refusal(&url);
    assert!(text.contains("another program"), "{text}");
    drop((owner, postgres, writer, reader));
    admin(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn migrations_take_longer_than_a_statement_may() {
    let scratch = Scratch::new();
    let options = crate::StoreOptions {
        statement_budget: Duration::from_millis(4),
        busy_timeout: Duration::from_millis(4),
        ..options()
    };
    // The checks before a migration have the statement timeout; the migration itself has none.
    until(|| match Postgres::open(&scratch.url, &options) {
        Ok(_) => true,
        Err(StoreError::Timeout) => false,
        Err(other) => panic!("{other:?}"),
    });
    let mut writer = connect(&scratch.url, Role::Writer, &super::scratch::options()).unwrap();
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM stamps", &[]).unwrap(),
        Some(1)
    );
}
