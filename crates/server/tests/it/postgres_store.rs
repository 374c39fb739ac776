//! Behaviour of the store on PostgreSQL only.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use obeya_server::store::{Session, StoreError};

use crate::store::{Held, Waiting, areas, opened};
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

/// A limit would only make the read of somebody who is alone begin again.
#[tokio::test]
async fn brief_work_has_no_limit_while_no_long_work_runs() {
    let (_database, store) = opened().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let read = || {
        let runs = Arc::clone(&runs);
        runs.store(0, Ordering::SeqCst);
        store.read_inline(move |session: &mut dyn Session| {
            runs.fetch_add(1, Ordering::SeqCst);
            // More than 100 ms.
            let sql = "SELECT count(*) FROM generate_series(1, 2000000) AS i WHERE i % 7 < 7";
            session.first(sql, &[], |row| row.int(0))
        })
    };
    let counted: Result<_, StoreError> = read().await;
    assert_eq!(counted.expect("a count"), Some(Some(2_000_000)));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let held = Held::all(&store, 1).await;
    let counted: Result<_, StoreError> = read().await;
    assert_eq!(counted.expect("a count"), Some(Some(2_000_000)));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    held.release().await;
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
