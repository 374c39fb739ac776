//! A sound plant has no finding. Then each kind of fault is made by hand, past the store, and found: on both
//! engines, and nothing else is.

use std::path::Path;
use std::sync::Arc;

use obeya_testkit::postgres::{Scratch, connect};
use rusqlite::Connection;

use super::check;
use obeya_store::audit::{self, Change, Diff, Origin};
use obeya_store::values::rollups;
use obeya_store::{Session, Store, StoreError, StoreOptions, attachments, search, testing};

/// The rows of a sound plant; the texts are indexed by [`made`].
const PLANT: &[&str] = &[
    "UPDATE stamps SET last = 1000 WHERE id = 1",
    "INSERT INTO users (id, user_name, display_name) VALUES ('u-1', 'kari', 'Kari Vik')",
    "INSERT INTO projects (id, name, project_number) VALUES (8, 'New line', 'P-8')",
    "INSERT INTO project_milestones (id, project_id, name) VALUES (81, 8, 'Start')",
    "INSERT INTO project_members (project_id, user_id, role) VALUES (8, 'u-1', 'Owner')",
    "INSERT INTO data_lists (id, name, last_modified) VALUES (9, 'Machines', 1000)",
    "INSERT INTO data_list_items (id, data_list_id, sort_order, identifier) VALUES (91, 9, 1, 'M-1')",
    "INSERT INTO areas (id, name, description) VALUES (1, 'Støperi', 'Casting'), (2, '', NULL)",
    "INSERT INTO groups (id, type, name, parent_id) VALUES (2, 'GENERAL', 'Plant', NULL), (1, 'GENERAL', 'Mechanics', 2)",
    "INSERT INTO boards (id, name, description, board_type, group_id) VALUES (7, 'Tavle', 'Tier 1', 'Weekly', 1)",
    "INSERT INTO incident_types (id, title) VALUES (3, 'Equipment failure'), (4, 'Environment')",
    "INSERT INTO type_categories (id, incident_type_id, parent_id, title) VALUES (32, 3, NULL, 'Hydraulics'), (31, 3, 32, 'Leak'), (41, 4, NULL, 'Spill')",
    "INSERT INTO type_consequences (id, incident_type_id, title) VALUES (34, 3, 'Downtime'), (44, 4, 'Cost')",
    "INSERT INTO type_causes (id, incident_type_id, title) VALUES (33, 3, 'Wear'), (43, 4, 'Rain')",
    "INSERT INTO type_custom_fields (id, incident_type_id, label, type) VALUES (61, 3, 'Machine', 'text'), (62, 4, 'River', 'text')",
    "INSERT INTO type_translations (incident_type_id, language, kind, item_id, title) VALUES (3, 'nb', 'type', 3, 'Utstyrsfeil'), (3, 'nb', 'category', 31, 'Lekkasje')",
    "INSERT INTO incidents (id, incident_type_id, area_id, reported_date, status, severity, title, text, incident_date, last_modified) VALUES
        (10, 3, 1, 1, 'New', 'High', 'Lekkasje på linje 2', 'Oil below the press', 20228, 998), (11, 4, NULL, 1, 'New', 'None', 'Spill', NULL, 20228, 999)",
    "INSERT INTO incident_categories (incident_id, category_id) VALUES (10, 31)",
    "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, registration_date) VALUES (10, 61, '3', 1)",
    "INSERT INTO incident_comments (id, incident_id, text, comment_date, parent_id, level) VALUES
        (101, 10, 'The seal is from the old batch 🏭', 1, NULL, 0), (100, 10, 'Takk', 2, 101, 1), (102, 11, 'ok', 2, NULL, 0)",
    "INSERT INTO improvements (id, status, archived_from, last_modified) VALUES (5, 'Archived', 'Planned', 1000), (6, 'Planned', NULL, 1)",
    "INSERT INTO tasks (id, parent_id, title, status, incident_id, last_modified) VALUES (70, NULL, 'Seal', 'NotStarted', 10, 1000),
        (71, 70, 'Oil', 'Completed', 10, 1)",
    "INSERT INTO task_comments (id, task_id, parent_id, level, text, comment_date) VALUES
        (201, 70, NULL, 0, 'The seal is ordered 🏭', 1), (200, 70, 201, 1, 'Takk', 2), (202, 71, NULL, 0, 'ok', 2)",
    "INSERT INTO attachments (id, task_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date) VALUES
        (90, 70, 'f-90', 'note', 'txt', 'text/plain', 2, '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4', 1)",
    "INSERT INTO datasources (id, title, value_count) VALUES (4, 'OEE', 2), (5, 'Scrap', 0)",
    "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES (4, 17, 1, 71.25, 900), (4, 18, 2, 70.0, 1000)",
    "INSERT INTO counters (name, last) VALUES ('datasource_values', 2)",
];

/// What is done by hand on each engine, and the findings it leads to. An empty text leaves an engine out.
struct Spoilt {
    sqlite: &'static str,
    postgres: &'static str,
    findings: &'static [&'static str],
}

/// The same statement on both engines.
const fn both(sql: &'static str, findings: &'static [&'static str]) -> Spoilt {
    Spoilt {
        sqlite: sql,
        postgres: sql,
        findings,
    }
}

#[rustfmt::skip]
const SPOILT: &[Spoilt] = &[
    both("UPDATE incidents SET area_id = 99 WHERE id = 10",
        &["incidents 10: area_id is 99, which areas does not have"]),
    both("INSERT INTO group_members (group_id, user_id) VALUES (1, 'nobody')",
        &["group_members (1, \"nobody\"): user_id is \"nobody\", which users does not have"]),
    both("INSERT INTO incident_categories (incident_id, category_id) VALUES (10, 41)",
        &["incident_categories (10, 41): the category is of type 4, the incident of type 3"]),
    both("INSERT INTO incident_consequences (incident_id, consequence_id) VALUES (10, 44)",
        &["incident_consequences (10, 44): the consequence is of type 4, the incident of type 3"]),
    both("INSERT INTO incident_causes (incident_id, cause_id) VALUES (10, 43)",
        &["incident_causes (10, 43): the cause is of type 4, the incident of type 3"]),
    both("INSERT INTO incident_custom_fields (incident_id, custom_field_id, registration_date) VALUES (10, 62, 1)",
        &["incident_custom_fields (10, 62): the field is of type 4, the incident of type 3"]),
    both("UPDATE type_categories SET parent_id = 41 WHERE id = 31",
        &["type_categories 31: its parent 41 is of type 4, and it is of type 3"]),
    both("UPDATE incident_comments SET parent_id = 102 WHERE id = 100",
        &["incident_comments 100: it answers comment 102 of incident 11, and is of incident 10"]),
    both("INSERT INTO type_translations (incident_type_id, language, kind, item_id) VALUES (3, 'nb', 'cause', 43), (3, 'nb', 'consequence', 9),
            (3, 'nb', 'custom_field', 9), (4, 'nb', 'category', 31), (4, 'nb', 'type', 3)",
        &["type_translations (3, \"nb\", \"cause\", 43): the type has no such part",
          "type_translations (3, \"nb\", \"consequence\", 9): the type has no such part",
          "type_translations (3, \"nb\", \"custom_field\", 9): the type has no such part",
          "type_translations (4, \"nb\", \"category\", 31): the type has no such part",
          "type_translations (4, \"nb\", \"type\", 3): the type has no such part"]),
    both("UPDATE groups SET parent_id = 1 WHERE id = 2",
        &["groups 1: its parents never end at a group without a parent", "groups 2: its parents never end at a group without a parent"]),
    both("UPDATE type_categories SET parent_id = 31 WHERE id = 31",
        &["type_categories 31: its parents never end at a category without a parent"]),
    both("UPDATE incident_comments SET parent_id = 100 WHERE id = 101",
        &["incident_comments 100: it answers itself through its parents", "incident_comments 101: it answers itself through its parents"]),
    both("UPDATE datasources SET value_count = value_count + 3",
        &["datasources 4: value_count is 5, and it has 2 values", "datasources 5: value_count is 3, and it has 0 values"]),
    // On PostgreSQL these are changed without triggers, which mark the day as stale.
    Spoilt { sqlite: "UPDATE value_rollups SET least = 1",
        postgres: "WITH days AS (UPDATE value_day_rollups SET is_stale = 1) UPDATE value_rollups SET least = 1",
        findings: &["value_rollups (4, 0): the rollup of this hour (1970-01-01T00:00:00Z) is not that of its values"] },
    // Their sum is beyond the doubles.
    both("UPDATE datasource_values SET value = 1.7e308",
        &["value_rollups (4, 0): the rollup of this hour (1970-01-01T00:00:00Z) is not that of its values"]),
    Spoilt { sqlite: "UPDATE value_rollups SET total = 'zz'", postgres: "WITH days AS (UPDATE value_day_rollups SET is_stale = 1) UPDATE value_rollups SET total = total + 1e-30",
        findings: &["value_rollups (4, 0): the rollup of this hour (1970-01-01T00:00:00Z) is not that of its values"] },
    Spoilt { sqlite: "DELETE FROM value_rollups",
        postgres: "WITH days AS (UPDATE value_day_rollups SET is_stale = 1) DELETE FROM value_rollups",
        findings: &["value_rollups (4, 0): the rollup of this hour (1970-01-01T00:00:00Z) is not that of its values"] },
    both("UPDATE value_day_rollups SET least = 1",
        &["value_day_rollups (4, 0): the rollup of this day (1970-01-01T00:00:00Z) is not that of its hours"]),
    both("DELETE FROM value_day_rollups",
        &["value_day_rollups (4, 0): the rollup of this day (1970-01-01T00:00:00Z) is not that of its hours"]),
    both("UPDATE datasource_values SET value = 70.5 WHERE id = 2",
        &["value_rollups (4, 0): the rollup of this hour (1970-01-01T00:00:00Z) is not that of its values"]),
    both("UPDATE counters SET last = 1", &["counters \"datasource_values\": the last id is 1, and there is a value with the id 2"]),
    Spoilt {
        sqlite: "UPDATE sqlite_sequence SET seq = 10 WHERE name = 'incidents'",
        postgres: "SELECT setval(pg_get_serial_sequence('incidents', 'id'), 10)",
        findings: &["incidents 11: the last id issued is 10, and there is a record with the id 11"],
    },
    both("UPDATE stamps SET last = 998",
        &["incidents 11: last_modified is 999, and the last stamp issued is 998",
          "improvements 5: last_modified is 1000, and the last stamp issued is 998",
          "tasks 70: last_modified is 1000, and the last stamp issued is 998",
          "data_lists 9: last_modified is 1000, and the last stamp issued is 998",
          "datasource_values (4, 18, 2): registration_date is 1000, and the last stamp issued is 998"]),
    both("UPDATE tasks SET incident_id = NULL WHERE id = 71",
        &["tasks 71: it is a part of task 70 of incident 10, and is of incident null"]),
    both("UPDATE tasks SET parent_id = 71 WHERE id = 70",
        &["tasks 70: its parents never end at a task without a parent", "tasks 71: its parents never end at a task without a parent"]),
    both("UPDATE tasks SET board_id = 99 WHERE id = 71", &["tasks 71: board_id is 99, which boards does not have"]),
    both("UPDATE task_comments SET task_id = 71 WHERE id = 200",
        &["task_comments 200: it answers comment 201 of task 70, and is of task 71"]),
    both("UPDATE task_comments SET parent_id = 200 WHERE id = 201",
        &["task_comments 200: it answers itself through its parents", "task_comments 201: it answers itself through its parents"]),
    both("UPDATE task_comments SET task_id = 99 WHERE id = 202", &["task_comments 202: task_id is 99, which tasks does not have"]),
    both("DELETE FROM task_comments_search WHERE rowid = 202", &["task_comments 202: task_comments_search has no entry for it"]),
    both("UPDATE attachments SET task_id = 99", &["attachments 90: task_id is 99, which tasks does not have"]),
    both("DELETE FROM attachment_contents", &["attachments 90: it has no content"]),
    both("UPDATE attachments SET file_size_in_bytes = 3", &["attachments 90: file_size_in_bytes is 3, and its content has 2 bytes"]),
    both("UPDATE attachments SET sha256 = 'f'", &["attachments 90: its sha256 is not that of its content"]),
    both("UPDATE projects SET project_number = NULL", &["projects 8: it has no number"]),
    both("UPDATE project_milestones SET project_id = 7", &["project_milestones 81: project_id is 7, which projects does not have"]),
    both("UPDATE data_list_items SET data_list_id = 7", &["data_list_items 91: data_list_id is 7, which data_lists does not have"]),
    Spoilt {
        sqlite: "UPDATE project_members SET role = 'Chief'",
        postgres: "",
        findings: &["project_members (8, \"u-1\"): role is \"Chief\", expected one of Member, Viewer, Owner"],
    },
    both("INSERT INTO datasource_elements (datasource_id, id, type, number) VALUES (4, 'shift', 'text', 2147483648)",
        &["datasource_elements (4, \"shift\"): its number 2147483648 is no int32"]),
    both("DELETE FROM stamps", &["stamps: there are 0 rows, expected the one with id 1"]),
    Spoilt {
        sqlite: "UPDATE incidents SET severity = 'Huge' WHERE id = 10",
        postgres: "",
        findings: &["incidents 10: severity is \"Huge\", expected one of None, Low, Medium, High"],
    },
    Spoilt {
        sqlite: "",
        postgres: "ALTER TABLE incidents DROP CONSTRAINT incidents_severity_check; UPDATE incidents SET severity = 'Huge' WHERE id = 10",
        findings: &["schema: * is not as version * (check incidents (severity): found none*",
            "incidents 10: severity is \"Huge\", expected one of None, Low, Medium, High"],
    },
    both("UPDATE improvements SET archived_from = 'Planned' WHERE id = 6", &["improvements 6: archived_from is \"Planned\", and it is not archived"]),
    both("UPDATE areas SET name = 'Foundry' WHERE id = 1", &["areas 1: its entry in areas_search is not that of its text"]),
    both("UPDATE areas SET description = 'Casting casting' WHERE id = 1", &["areas 1: its entry in areas_search is not that of its text"]),
    both("UPDATE boards SET description = NULL", &["boards 7: its entry in boards_search is not that of its text"]),
    both("UPDATE groups SET name = 'Plan' WHERE id = 2", &["groups 2: its entry in groups_search is not that of its text"]),
    both("UPDATE incident_types SET title = 'failure Equipment' WHERE id = 3",
        &["incident_types 3: its entry in incident_types_search is not that of its text"]),
    both("UPDATE incidents SET text = 'Oil' WHERE id = 10", &["incidents 10: its entry in incidents_search is not that of its text"]),
    both("UPDATE users SET display_name = 'Kari Lie'", &["users \"u-1\": its entry in users_search is not that of its text"]),
    both("DELETE FROM users_search", &["users \"u-1\": users_search has no entry for it"]),
    both("DELETE FROM user_numbers", &["users \"u-1\": users_search has no entry for it",
        "users *: users_search has an entry for it, and there is no such record"]),
    both("DELETE FROM areas_search WHERE rowid = 2", &["areas 2: areas_search has no entry for it"]),
    both("DELETE FROM comments_search WHERE rowid = 102", &["incident_comments 102: comments_search has no entry for it"]),
    both("INSERT INTO incidents_search (rowid, document) VALUES (12, ' gone ')",
        &["incidents 12: incidents_search has an entry for it, and there is no such record"]),
    Spoilt {
        sqlite: "INSERT INTO comments_parts (comments_parts, rowid, text) VALUES ('delete', 100, 'Takk')",
        postgres: "DELETE FROM comments_parts WHERE rowid = 100",
        findings: &["incident_comments 100: comments_parts has no entry for it"],
    },
    Spoilt {
        sqlite: "INSERT INTO comments_parts (rowid, text) VALUES (101, 'abcd'), (109, 'bcd')",
        postgres: "UPDATE comments_parts SET grams = '{abc,bcd}' WHERE rowid = 101; INSERT INTO comments_parts (rowid, grams) VALUES (109, '{bcd}')",
        findings: &["incident_comments 101: its entry in comments_parts is not that of its text",
            "incident_comments 109: comments_parts has an entry for it, and there is no such record"],
    },
    both("DROP INDEX incidents_by_area", &["schema: * is not as version * (index incidents_by_area: found none*"]),
    Spoilt {
        sqlite: "UPDATE obeya_migrations SET checksum = 'c0ffee' WHERE version = 3",
        // No other program opens such a database either.
        postgres: "",
        findings: &["schema: * with the checksum c0ffee, expected *"],
    },
    both("DELETE FROM audit_entries WHERE number = 2", &["audit: entry 2 is missing"]),
    Spoilt {
        sqlite: "",
        postgres: "UPDATE audit_entries SET operation = 'deleteArea' WHERE number = 2",
        findings: &["audit: entry 2 was changed, or the entry before it was changed or removed"],
    },
    Spoilt {
        sqlite: "DROP TRIGGER audit_entries_unchanged; UPDATE audit_entries SET operation = 'deleteArea' WHERE number = 2",
        postgres: "",
        findings: &["schema: * is not as version * (trigger audit_entries_unchanged*",
            "audit: entry 2 was changed, or the entry before it was changed or removed"],
    },
    Spoilt { sqlite: "UPDATE obeya_log_link SET link = x'00'", postgres: "", findings: &["obeya_log_link: its row holds no id of a commit"] },
    Spoilt { sqlite: "DELETE FROM obeya_log_link", postgres: "", findings: &["obeya_log_link: it has 0 rows, expected 1"] },
];

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_a_file_is_found_and_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let sound = folder.path().join("sound.db");
    made(&address(&sound)).await;
    assert_eq!(findings(&address(&sound)).await, [] as [&str; 0]);
    let file = folder.path().join("spoilt.db");
    for spoilt in SPOILT.iter().filter(|spoilt| !spoilt.sqlite.is_empty()) {
        std::fs::copy(&sound, &file).expect("a copy");
        by_hand(&file, spoilt.sqlite);
        assert_alike(
            spoilt.sqlite,
            &findings(&address(&file)).await,
            spoilt.findings,
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_a_server_is_found_and_no_other() {
    let plant = || Scratch::with_schema(async |url: String| made(&url).await);
    let sound = plant();
    assert_eq!(findings(sound.url()).await, [] as [&str; 0]);
    for spoilt in SPOILT.iter().filter(|spoilt| !spoilt.postgres.is_empty()) {
        let database = plant();
        let client = connect(database.url()).await;
        // Neither foreign keys nor triggers.
        let sql = format!(
            "SET session_replication_role = replica; {}",
            spoilt.postgres
        );
        client.batch_execute(&sql).await.expect(spoilt.postgres);
        assert_alike(
            spoilt.postgres,
            &findings(database.url()).await,
            spoilt.findings,
        );
    }
}

/// An index that lacks a row, and a table whose first page is overwritten.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_pages_are_found_and_the_rest_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let sound = folder.path().join("sound.db");
    made(&address(&sound)).await;
    by_hand(
        &sound,
        "UPDATE datasources SET value_count = 9 WHERE id = 5; PRAGMA journal_mode = DELETE",
    );
    let counted = "datasources 5: value_count is 9, and it has 0 values";
    let file = folder.path().join("spoilt.db");
    for (object, byte, said) in [
        (
            "boards_by_name",
            4,
            "file: wrong # of entries in index boards_by_name",
        ),
        ("users", 0, "file: *"),
    ] {
        std::fs::copy(&sound, &file).expect("a copy");
        let page: u32 = Connection::open(&file)
            .and_then(|open| {
                open.query_row(
                    "SELECT rootpage FROM sqlite_schema WHERE name = ?1",
                    [object],
                    |row| row.get(0),
                )
            })
            .expect("a page");
        let mut bytes = std::fs::read(&file).expect("a file");
        // The number of cells of the page, or its type.
        bytes[(page as usize - 1) * 8192 + byte] = 0;
        std::fs::write(&file, bytes).expect("written");
        let found = findings(&address(&file)).await;
        assert!(found.iter().any(|found| is_like(found, said)), "{found:#?}");
        assert!(found.iter().any(|found| found == counted), "{found:#?}");
    }
}

/// Values are changed while the schema has no index of them. SQLite's own words are in `pragma.c`.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_differs_from_the_values_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let sound = folder.path().join("sound.db");
    made(&address(&sound)).await;
    let file = folder.path().join("spoilt.db");
    for (behind_the_index, said) in [
        (
            "UPDATE datasource_values SET value = 71.5 WHERE id = 1",
            None,
        ),
        (
            "UPDATE datasource_values SET value_date = 16 WHERE id = 1",
            Some("file: row 1 missing from index datasource_values_by_id"),
        ),
        // All ids and all dates are the same.
        (
            "UPDATE datasource_values SET value_date = 35 - value_date WHERE value_date IN (17, 18)",
            Some("file: row 1 missing from index datasource_values_by_id"),
        ),
        (
            "DELETE FROM datasource_values WHERE id = 2",
            Some("file: wrong # of entries in index datasource_values_by_id"),
        ),
        (
            "INSERT INTO datasource_values (datasource_id, value_date, id, registration_date) VALUES (4, 19, 2, 1)",
            Some("file: row 3 missing from index datasource_values_by_id"),
        ),
        // Larger than any id of the service.
        (
            "UPDATE datasource_values SET id = 1152921504606846976 WHERE id = 2",
            Some("file: row 2 missing from index datasource_values_by_id"),
        ),
    ] {
        std::fs::copy(&sound, &file).expect("a copy");
        let hidden = Connection::open(&file).expect("a database");
        let found =
            "SELECT rootpage, sql FROM sqlite_schema WHERE name = 'datasource_values_by_id'";
        let (page, sql): (i64, String) = hidden
            .query_row(found, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("the index");
        hidden
            .execute_batch("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'datasource_values_by_id'")
            .expect("hidden");
        drop(hidden);
        by_hand(&file, behind_the_index);
        let shown = Connection::open(&file).expect("a database");
        shown
            .execute_batch("PRAGMA writable_schema = ON")
            .expect("allowed");
        let insert = "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
            VALUES ('index', 'datasource_values_by_id', 'datasource_values', ?1, ?2)";
        shown.execute(insert, (page, sql)).expect("shown");
        drop(shown);
        let found = findings(&address(&file)).await;
        let of_file: Vec<&String> = found.iter().filter(|it| it.starts_with("file: ")).collect();
        match said {
            None => assert!(of_file.is_empty(), "{found:#?}"),
            Some(said) => assert!(
                of_file.iter().any(|it| *it == said),
                "{behind_the_index}: {found:#?}"
            ),
        }
    }
}

/// Two cells of a leaf in each other's place: each row is there, and a search would not find it.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_out_of_order_are_found() {
    const PAGE: usize = 8192;
    let folder = tempfile::tempdir().expect("a folder");
    let sound = folder.path().join("sound.db");
    made(&address(&sound)).await;
    by_hand(
        &sound,
        "INSERT INTO users (id, user_name, display_name) VALUES ('u-2', 'tomas', 'Tomas'); PRAGMA journal_mode = DELETE",
    );
    let file = folder.path().join("spoilt.db");
    for tree in ["datasource_values", "datasource_values_by_id", "users"] {
        std::fs::copy(&sound, &file).expect("a copy");
        let page: u32 = Connection::open(&file)
            .and_then(|open| {
                let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
                open.query_row(sql, [tree], |row| row.get(0))
            })
            .expect("a page");
        let mut bytes = std::fs::read(&file).expect("a file");
        // The header of a leaf has 8 bytes, and then the places of its cells have 2 each.
        let leaf = &mut bytes[(page as usize - 1) * PAGE..][..PAGE];
        assert_eq!(leaf[0], 10, "a leaf of an index");
        let (first, second) = leaf[8..12].split_at_mut(2);
        first.swap_with_slice(second);
        std::fs::write(&file, bytes).expect("written");
        let found = findings(&address(&file)).await;
        assert!(
            found.iter().any(|found| found.starts_with("file: ")),
            "{tree}: {found:#?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_an_older_version_the_file_alone_is_checked_and_nothing_is_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("old.db");
    testing::make_old(&address(&file), 7, "UPDATE stamps SET last = -1;");
    let before = std::fs::read(&file).expect("a file");
    let found = findings(&address(&file)).await;
    assert_alike(
        "an old file",
        &found,
        &["schema: version 7 is older than this program's, *"],
    );
    assert!(std::fs::read(&file).expect("a file") == before);

    let database = Scratch::empty();
    let url = database.url().to_owned();
    tokio::task::spawn_blocking(move || testing::make_old(&url, 7, "UPDATE stamps SET last = -1"))
        .await
        .expect("made");
    let found = findings(database.url()).await;
    assert_alike(
        "an old database",
        &found,
        &["schema: version 7 is older than this program's, *"],
    );
}

/// More records than the comparison has buckets, some of which share one.
#[tokio::test(flavor = "multi_thread")]
async fn records_that_share_a_bucket_are_distinguished() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    made(&address(&file)).await;
    let ids = [1_000, 1_000 + 65_536, 1_000 + 2 * 65_536];
    let store = Store::open(&address(&file), &StoreOptions::default()).await;
    let store = store.expect("open");
    let add = store.write(move |session| {
        for id in ids {
            let sql = "INSERT INTO areas (id, name) VALUES (?1, 'Yard')";
            session.execute(sql, &[id.into()])?;
            search::put_area(session, id, "Yard", None)?;
        }
        Ok::<_, StoreError>(())
    });
    add.await.expect("written");
    store.close().await;
    assert_eq!(findings(&address(&file)).await, [] as [&str; 0]);
    // The same change twice: sums of values alone would hide neither, but an exclusive or would.
    by_hand(
        &file,
        "UPDATE areas SET name = 'Garden' WHERE id IN (1000, 132072)",
    );
    assert_eq!(
        findings(&address(&file)).await,
        [
            "areas 1000: its entry in areas_search is not that of its text",
            "areas 132072: its entry in areas_search is not that of its text",
        ]
    );
}

/// Makes the plant.
async fn made(url: &str) {
    let store = Store::open(url, &StoreOptions::default()).await;
    let store = store.expect("open");
    let done = store.write(|session| {
        for sql in PLANT {
            session.execute(sql, &[])?;
        }
        for number in 1..=3 {
            let diff = Diff::default().property("number", None, Some(&number));
            let change = Change::of("areas/1".to_owned(), diff);
            audit::append(session, number, &Origin::default(), "createArea", &change)?;
        }
        // printf hi | sha256sum
        attachments::put_content(session, 90, b"hi")?;
        indexed(session)
    });
    done.await.expect("written");
    // The day with the values is over.
    let refreshed = rollups::refresh(&store, 864_000_000_000).await;
    assert!(refreshed.expect("rolled up") > 0);
    store.close().await;
}

fn indexed(session: &mut dyn Session) -> Result<(), StoreError> {
    let kari = [Some("Kari Vik"), None, None, Some("kari"), None];
    search::put_user(session, "u-1", &kari)?;
    search::put_area(session, 1, "Støperi", Some("Casting"))?;
    search::put_area(session, 2, "", None)?;
    search::put_group(session, 1, Some("Mechanics"), None)?;
    search::put_group(session, 2, Some("Plant"), None)?;
    search::put_board(session, 7, Some("Tavle"), Some("Tier 1"))?;
    search::put_incident_type(session, 3, "Equipment failure", None)?;
    search::put_incident_type(session, 4, "Environment", None)?;
    search::put_incident(
        session,
        10,
        "Lekkasje på linje 2",
        Some("Oil below the press"),
    )?;
    search::put_incident(session, 11, "Spill", None)?;
    search::put_comment(session, 101, "The seal is from the old batch 🏭")?;
    search::put_comment(session, 100, "Takk")?;
    search::put_task(session, 70, "Seal", None)?;
    search::put_task(session, 71, "Oil", None)?;
    search::put_task_comment(session, 201, "The seal is ordered 🏭")?;
    search::put_task_comment(session, 200, "Takk")?;
    search::put_task_comment(session, 202, "ok")?;
    search::put_comment(session, 102, "ok")
}

fn address(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

/// Runs statements past the store, without foreign keys and conditions.
fn by_hand(file: &Path, sql: &str) {
    let connection = Connection::open(file).expect("a database");
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        .expect("set");
    connection.execute_batch(sql).expect(sql);
}

async fn findings(url: &str) -> Vec<String> {
    let report = check(url, Arc::new(())).await.expect("checked");
    report.findings.iter().map(ToString::to_string).collect()
}

fn assert_alike(spoilt: &str, found: &[String], expected: &[&str]) {
    let is_alike = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| is_like(found, expected));
    assert!(
        is_alike,
        "{spoilt}:\nfound {found:#?}\nexpected {expected:#?}"
    );
}

/// Whether a text has the parts between the stars of a pattern, in their order, and nothing before or after.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || pattern.ends_with('*')
}
