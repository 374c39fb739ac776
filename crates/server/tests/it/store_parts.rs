//! The index of the parts of comments' texts: whoever writes comments, it holds what they say and nothing else.

use std::fmt::Write as _;

use obeya_server::import::OnConflict;
use obeya_server::store::{Store, StoreOptions};

use crate::import_folder::{Folder, Target};

const COMMENTS: &str = "
    INSERT INTO incident_types (id, title) VALUES (3, 'Failure');
    INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
        VALUES (1, 3, 0, 'New', 'Low', 'Crack', 0, 0), (2, 3, 0, 'New', 'Low', 'Leak', 0, 0);
    INSERT INTO incident_comments (id, incident_id, text, comment_date, parent_id)
        VALUES (10, 1, 'Bearing worn', 0, NULL), (11, 1, 'Bearing replaced', 0, 10), (12, 2, 'Seal leaking', 0, NULL);";

/// The comments that the index gives for a part of three characters.
async fn found(store: &Store, part: &str) -> Vec<i64> {
    let part = format!("\"{part}\"");
    let rows = store.read(move |session| {
        let sql = "SELECT rowid FROM comments_parts WHERE comments_parts MATCH ?1 ORDER BY rowid";
        session.all(sql, &[(&part).into()], |row| row.int(0))
    });
    rows.await.expect("rows").into_iter().flatten().collect()
}

/// Fails when the index holds another text of some comment than its table.
async fn check(store: &Store) {
    let checked = store.write(|session| {
        let sql = "INSERT INTO comments_parts (comments_parts, rank) VALUES ('integrity-check', 1)";
        session.execute(sql, &[])
    });
    checked.await.expect("the index and the comments agree");
}

/// A store made by a program that knew no such index, with comments in it.
async fn older() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    let connection = rusqlite::Connection::open(&file).expect("a connection");
    for sql in [
        include_str!("../../src/store/schema/0001_domain.sql"),
        COMMENTS,
        "PRAGMA application_id = 0x4F626579; PRAGMA user_version = 1",
    ] {
        connection.execute_batch(sql).expect("SQL");
    }
    drop(connection);
    let url = format!("sqlite:{}", file.display());
    let store = Store::open(&url, &StoreOptions::default()).await;
    (folder, store.expect("an older store"))
}

#[tokio::test]
async fn comments_of_an_older_store_are_found() {
    let (_folder, store) = older().await;
    assert_eq!(found(&store, "Bea").await, [10, 11]);
    assert_eq!(found(&store, "aki").await, [12]);
    assert!(found(&store, "bea").await.is_empty());
    check(&store).await;
}

#[tokio::test]
async fn the_index_follows_every_change() {
    let (_folder, store) = older().await;
    for (sql, bearings, seals) in [
        ("UPDATE incident_comments SET text = 'Seal worn' WHERE id = 10", &[11][..], &[10, 12][..]),
        ("UPDATE incident_comments SET level = 1 WHERE id = 10", &[11], &[10, 12]),
        (
            "INSERT INTO incident_comments (id, incident_id, text, comment_date) VALUES (11, 1, 'Sealed', 0), (9, 2, 'Bearing', 0)
             ON CONFLICT (id) DO UPDATE SET text = excluded.text",
            &[9],
            &[10, 11, 12],
        ),
        ("DELETE FROM incident_comments WHERE id = 12", &[9], &[10, 11]),
        // Its comments go along, replies with what they answer.
        ("DELETE FROM incidents WHERE id = 1", &[9], &[]),
    ] {
        let changed = store.write(move |session| session.execute(sql, &[]));
        changed.await.expect("a change");
        assert_eq!(found(&store, "Bea").await, bearings, "{sql}");
        assert_eq!(found(&store, "Sea").await, seals, "{sql}");
        check(&store).await;
    }
}

#[tokio::test]
async fn many_imported_comments_leave_each_index_in_one_piece() {
    let folder = Folder::plant();
    let mut lines = String::new();
    for id in 1000..11_000 {
        let text = format!(
            "Bearing {} of press {} replaced and noted",
            id * 7919,
            id % 97
        );
        writeln!(
            lines,
            r#"{{"id":{id},"incidentId":10,"text":"{text}","commentDate":"2025-05-20T08:00:00Z"}}"#
        )
        .expect("a string takes all");
    }
    folder.write("incident_comments.jsonl", lines);
    let target = Target::new();
    let report = folder.import(&target.db, OnConflict::default()).await;
    report.expect("the folder is right");
    let store = Store::open(&target.db, &StoreOptions::default()).await;
    let store = store.expect("the store");
    for index in ["comments_search_idx", "comments_parts_idx"] {
        let pieces = store.read(move |session| {
            let sql = format!("SELECT count(DISTINCT segid) FROM {index}");
            session.first(&sql, &[], |row| row.int(0))
        });
        assert_eq!(pieces.await.expect("a count"), Some(Some(1)), "{index}");
    }
    check(&store).await;
}
