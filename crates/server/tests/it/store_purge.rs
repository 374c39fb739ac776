//! The purge of the trash.

use obeya_server::store::incidents::{purge, purge_some};

use crate::incidents_plant::plant;
use crate::support::sql::{number, with_words};

/// When incident 102 of the plant was deleted, in ticks.
const DELETED: i64 = 17_488_000_000_000_000;
const THIRTY_DAYS: i64 = 30 * 24 * 3600 * 10_000_000;

#[tokio::test]
async fn an_incident_is_removed_after_30_days_and_not_before() {
    let service = plant().await;
    let store = service.store();
    assert_eq!(
        purge(store, DELETED + THIRTY_DAYS - 1)
            .await
            .expect("a purge"),
        0
    );
    assert_eq!(
        purge(store, DELETED + THIRTY_DAYS).await.expect("a purge"),
        1
    );
    assert_eq!(
        number(store, "SELECT count(*) FROM incidents WHERE id = 102").await,
        0
    );
    assert_eq!(
        number(
            store,
            "SELECT count(*) FROM incident_categories WHERE incident_id = 102"
        )
        .await,
        0
    );
    let found = async |index, word| with_words(store, index, &[word]).await;
    assert!(found("incidents_search", "gone").await.is_empty());
    // Those in use stay at any age.
    assert_eq!(number(store, "SELECT count(*) FROM incidents").await, 2);
    assert_eq!(found("incidents_search", "crack").await, [100]);
    assert_eq!(found("incidents_search", "theft").await, [101]);
}

#[tokio::test]
async fn comments_go_with_their_incident() {
    let service = plant().await;
    let store = service.store();
    let deleted = store.write(|session| {
        session.execute("UPDATE incidents SET deleted_date = 1 WHERE id = 100", &[])
    });
    deleted.await.expect("a row");
    assert_eq!(purge(store, 1 + THIRTY_DAYS).await.expect("a purge"), 1);
    assert_eq!(
        number(store, "SELECT count(*) FROM incident_comments").await,
        0
    );
    for word in ["seen", "known"] {
        let found = with_words(store, "comments_search", &[word]).await;
        assert!(found.is_empty(), "{word}");
    }
}

#[tokio::test]
async fn one_turn_takes_the_oldest_up_to_its_limit() {
    let service = plant().await;
    let store = service.store();
    let deleted = store.write(|session| {
        session.execute(
            "UPDATE incidents SET deleted_date = 1000 - id WHERE id IN (100, 101)",
            &[],
        )
    });
    deleted.await.expect("two rows");
    let removed = store
        .write(|session| purge_some(session, i64::MAX, 2))
        .await;
    assert_eq!(removed.expect("a turn"), 2);
    assert_eq!(number(store, "SELECT id FROM incidents").await, 102);
}
