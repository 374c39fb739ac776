//! Views of sessions: equal views have equal rows. Unequal views imply nothing, and a server may report none.

use std::collections::HashMap;

use obeya_server::store::{Session, StoreError};

use crate::store::opened;

const ADD: &str = "INSERT INTO areas (id, name) SELECT coalesce(max(id), 0) + 1, 'Hall' FROM areas";

#[tokio::test]
async fn equal_views_have_equal_rows_whoever_writes() {
    let (database, store) = opened().await;
    let other = database.open().await;
    let mut seen = HashMap::new();
    for round in 0..60 {
        let read = store.read(|session| {
            let before = session.view()?;
            let count = "SELECT count(*) FROM areas";
            let count = session.first(count, &[], |row| row.int(0))?;
            Ok::<_, StoreError>((before, count, session.view()?))
        });
        let (before, count, after) = read.await.expect("a count");
        assert_eq!(before, after, "within one snapshot");
        if let Some(view) = before {
            let known = seen.entry((view.reader, view.version)).or_insert(count);
            assert_eq!(*known, count, "{view:?}");
        }
        if let Some(writer) = [None, Some(&store), Some(&other)][round % 3] {
            let added = writer.write(|session| session.execute(ADD, &[])).await;
            added.expect("an area");
        }
    }
}

#[tokio::test]
async fn who_sees_a_change_within_its_work_has_no_view() {
    let (_database, store) = opened().await;
    let view = |session: &mut dyn Session| session.view();
    assert_eq!(store.write(view).await.expect("no view"), None);
}
