//! What only the store on PostgreSQL does.

use obeya_server::store::{Session, StoreError};

use crate::store::{Waiting, areas, opened};
use crate::support::sql::number;

/// Writes down which transaction the area came by. Each job's own part has a number of its own, which is why the row's does not do.
fn add_area_with_transaction(
    session: &mut dyn Session,
    id: i64,
    _: &str,
) -> Result<u64, StoreError> {
    let sql = "INSERT INTO areas (id, name) VALUES (?1, CAST(pg_current_xact_id() AS text))";
    session.execute(sql, &[id.into()])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_are_all_kept_and_share_commits() {
    let (_database, store) = opened().await;
    let writes = Waiting::behind_a_gate(&store, add_area_with_transaction).await;
    for outcome in writes.outcomes().await {
        outcome.expect("an area");
    }
    assert_eq!(areas(&store).await, 200);
    // 200 jobs at 60 for each commit.
    let commits = "SELECT count(DISTINCT name) FROM areas";
    assert_eq!(number(&store, commits).await, 4);
}
