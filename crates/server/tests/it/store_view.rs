//! What sessions see, told apart: a view is the same for as long as nothing is written, and another after any write.

use obeya_server::store::{Session, Store, StoreError, StoreOptions, View};

const ADD: &str = "INSERT INTO areas (name) VALUES ('Hall')";

async fn opened() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("plant.db").display());
    let store = Store::open(&url, &StoreOptions::default()).await;
    (folder, store.expect("a new store"))
}

/// What a reader sees, before and after it reads.
async fn view(store: &Store) -> View {
    let seen = store.read(|session| {
        let before = session.view()?;
        session.first("SELECT count(*) FROM areas", &[], |row| row.int(0))?;
        Ok::<_, StoreError>((before, session.view()?))
    });
    let (before, after) = seen.await.expect("views");
    assert_eq!(before, after);
    before.expect("a reader has a view")
}

#[tokio::test]
async fn a_view_stays_until_something_is_written_by_whomever() {
    let (folder, store) = opened().await;
    let first = view(&store).await;
    assert_eq!(view(&store).await, first);
    let added = store.write(|session| session.execute(ADD, &[])).await;
    added.expect("an area");
    let second = view(&store).await;
    assert_ne!(second, first);
    assert_eq!(view(&store).await, second);
    let other = rusqlite::Connection::open(folder.path().join("plant.db")).expect("a connection");
    other.execute(ADD, []).expect("an area");
    assert_ne!(view(&store).await, second);
}

#[tokio::test]
async fn who_sees_a_change_within_its_work_has_no_view() {
    let (_folder, store) = opened().await;
    let view = |session: &mut dyn Session| session.view();
    assert_eq!(store.write(view).await.expect("no view"), None);
    // Each of its statements sees what is there by then.
    assert_eq!(store.point(view).await.expect("no view"), None);
    assert!(store.brief(view).await.expect("a view").is_some());
}

#[tokio::test]
async fn readers_do_not_share_a_view() {
    let (_folder, store) = opened().await;
    let short = store.brief(|session| session.view()).await;
    let short = short.expect("a view").expect("a reader has a view");
    assert_ne!(view(&store).await.reader, short.reader);
}
