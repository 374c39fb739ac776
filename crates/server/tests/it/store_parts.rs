//! The trigram index of comments' texts: it matches the texts after every kind of write.

use std::fmt::Write as _;

use obeya_server::import::OnConflict;
use obeya_server::store::{Dialect, Session, Store, StoreError};

use crate::import_folder::{Folder, Target};
use crate::store::opened;
use crate::support::sql::number;

/// Two incidents, and three comments of which one answers another.
pub const COMMENTS: [&str; 3] = [
    "INSERT INTO incident_types (id, title) VALUES (3, 'Failure')",
    "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
        VALUES (1, 3, 0, 'New', 'Low', 'Crack', 0, 0), (2, 3, 0, 'New', 'Low', 'Leak', 0, 0)",
    "INSERT INTO incident_comments (id, incident_id, text, comment_date, parent_id)
        VALUES (10, 1, 'Bearing worn', 0, NULL), (11, 1, 'Bearing replaced', 0, 10), (12, 2, 'Seal leaking', 0, NULL)",
];

/// The comments that the index has for three characters.
pub async fn found(store: &Store, part: &str) -> Vec<i64> {
    let (sql, part) = match store.dialect() {
        Dialect::Postgres => (
            "SELECT rowid FROM comments_parts WHERE grams @> ARRAY[CAST(?1 AS text)] ORDER BY rowid",
            part.to_owned(),
        ),
        _ => (
            "SELECT rowid FROM comments_parts WHERE comments_parts MATCH ?1 ORDER BY rowid",
            format!("\"{part}\""),
        ),
    };
    let rows = store.read(move |session| session.all(sql, &[(&part).into()], |row| row.int(0)));
    let rows: Result<_, StoreError> = rows.await;
    rows.expect("rows").into_iter().flatten().collect()
}

/// Fails if the index has another text of a comment than the table.
pub async fn check(store: &Store) {
    if store.dialect() == Dialect::Postgres {
        let differing = "SELECT count(*) FROM incident_comments AS c FULL JOIN comments_parts AS p ON p.rowid = c.id
            WHERE c.id IS NULL OR p.rowid IS NULL OR p.grams <> odata_grams(c.text)";
        assert_eq!(number(store, differing).await, 0);
        return;
    }
    let checked = store.write(|session| {
        let sql = "INSERT INTO comments_parts (comments_parts, rank) VALUES ('integrity-check', 1)";
        session.execute(sql, &[])
    });
    checked.await.expect("the index and the comments agree");
}

fn write(session: &mut dyn Session) -> Result<(), StoreError> {
    for sql in COMMENTS {
        session.execute(sql, &[])?;
    }
    Ok(())
}

#[tokio::test]
async fn the_index_follows_every_change() {
    let (_database, store) = opened().await;
    store.write(write).await.expect("the comments");
    assert_eq!(found(&store, "Bea").await, [10, 11]);
    assert_eq!(found(&store, "aki").await, [12]);
    assert!(found(&store, "bea").await.is_empty());
    check(&store).await;
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
        // Its comments are deleted too, including replies.
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
    let report = folder.import(target.db(), OnConflict::default()).await;
    report.expect("the folder is right");
    let store = target.database.open().await;
    if store.dialect() == Dialect::Sqlite {
        for index in ["comments_search_idx", "comments_parts_idx"] {
            let pieces = format!("SELECT count(DISTINCT segid) FROM {index}");
            assert_eq!(number(&store, &pieces).await, 1, "{index}");
        }
    } else {
        let known = "SELECT count(*) FROM pg_class WHERE relname IN ('incident_comments', 'comments_parts', 'comments_search') AND reltuples >= 10000";
        assert_eq!(number(&store, known).await, 3, "tables the planner knows");
        for index in ["comments_search_by_word", "comments_parts_by_gram"] {
            let sql = format!("SELECT gin_clean_pending_list('{index}')");
            let unsorted = store.write(move |session| session.first(&sql, &[], |row| row.int(0)));
            let unsorted: Result<_, StoreError> = unsorted.await;
            assert_eq!(unsorted.expect("a number"), Some(Some(0)), "{index}");
        }
    }
    check(&store).await;
}
