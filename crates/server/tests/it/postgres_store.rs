//! Behaviour of the store on PostgreSQL only.

use std::time::Duration;

use obeya_server::store::{Session, StoreError};

use crate::store::{Waiting, areas, opened};
use crate::support::Service;
use crate::support::sql::number;

/// Records the transaction that wrote the area. Each job is a subtransaction with its own number, so the
/// number in the row is not enough.
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
    // The gate's own, as no job waited when it began, and 199 jobs at 60 for each commit.
    let commits = "SELECT count(DISTINCT name) FROM areas";
    assert_eq!(number(&store, commits).await, 1 + 4);
}

/// The reader of a list of v1 waits between two statements, in an open transaction.
#[tokio::test]
async fn the_server_ends_no_reader_that_waits_as_long_as_a_client_may_take() {
    let request = Duration::from_secs(120);
    let service = Service::start_with(|config| config.limits.request = request).await;
    let setting = "SELECT CAST(extract(epoch FROM CAST(current_setting('idle_in_transaction_session_timeout') AS interval)) AS bigint)";
    let allowed = number(service.store(), setting).await;
    assert!(allowed > 120, "{allowed} s");
}
