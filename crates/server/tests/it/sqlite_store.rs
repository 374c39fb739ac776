//! Behaviour of the store on SQLite only: group commit as its log shows it, and the budget for the work of
//! functions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use obeya_server::store::{Session, Store, StoreError, StoreOptions, View};
use tokio::task::JoinSet;

use crate::reads_plant::Plant;
use crate::store::{Waiting, add_area, areas, opened, opened_with};
use crate::store_shared::{End, Gate, add, check};
use crate::support::Database;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_are_all_kept_and_share_commits() {
    let (_database, store) = opened().await;
    let writes = Waiting::behind_a_gate(&store, add_area).await;
    let before = log_commits(&store).await;
    for outcome in writes.outcomes().await {
        outcome.expect("an area");
    }
    assert_eq!(areas(&store).await, 200);
    // The gate's own, as no job waited when it began, and 199 jobs at 128 for each commit.
    assert_eq!(log_commits(&store).await - before, 1 + 2);
}

/// How often a write runs that shares its commit with another one behind it.
async fn runs_before(end: End) -> usize {
    let (_database, store) = opened().await;
    let mut gate = Gate::close(&store).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let counted = move |session: &mut dyn Session, id: i64| {
        count.fetch_add(1, Ordering::SeqCst);
        add(session, id, End::Well)
    };
    gate.send(counted, false).await;
    gate.send_all(&[end]).await;
    check(&store, &gate.open().await).await;
    runs.load(Ordering::SeqCst)
}

#[tokio::test]
async fn writes_run_again_only_when_something_is_to_be_undone() {
    assert_eq!(runs_before(End::Well).await, 1);
    assert_eq!(runs_before(End::Refused).await, 1);
    assert_eq!(runs_before(End::Fails).await, 2);
}

/// As the engine itself does where a disk is full.
#[tokio::test]
async fn one_over_which_the_engine_ends_the_transaction_takes_no_other_with_it() {
    fn ending(session: &mut dyn Session, id: i64) -> Result<i64, StoreError> {
        add_area(session, id, "gone")?;
        let sql = "INSERT OR ROLLBACK INTO areas (id, name) VALUES (?1, 'gone')";
        session.execute(sql, &[id.into()]).map(|_| 0)
    }
    let (_database, store) = opened().await;
    let mut gate = Gate::close(&store).await;
    gate.send_all(&[End::Well]).await;
    gate.send(ending, false).await;
    gate.send_all(&[End::Well, End::Fails]).await;
    gate.send(ending, true).await;
    // A job that does not notice it must not report success.
    let careless = |session: &mut dyn Session, id: i64| Ok(ending(session, id).unwrap_or(id));
    gate.send(careless, false).await;
    gate.send_all(&[End::Well]).await;
    let answers = gate.open().await;
    let of = |id: usize| answers[id - 1].as_ref();
    assert!(
        matches!(of(3), Err(StoreError::Constraint(_)))
            && matches!(of(6), Err(StoreError::Constraint(_)))
            && matches!(of(7), Err(StoreError::Unavailable(text)) if text.contains("by the engine")),
        "{answers:?}"
    );
    assert!(
        [1, 2, 4, 8].into_iter().all(|id| of(id).is_ok()),
        "{answers:?}"
    );
    check(&store, &answers).await;
}

/// Commits so far, read from the write-ahead log: a frame that ends a commit has the size of the database
/// after it, any other has 0.
async fn log_commits(store: &Store) -> usize {
    let file = store
        .read(|session| {
            session.first("SELECT file FROM pragma_database_list", &[], |row| {
                row.string(0)
            })
        })
        .await
        .expect("a row")
        .flatten()
        .expect("a file");
    let log = std::fs::read(format!("{file}-wal")).expect("a log");
    let word = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().expect("four bytes"));
    let (page, salt) = (word(8) as usize, &log[16..24]);
    (0..)
        .map(|frame| 32 + frame * (24 + page))
        .take_while(|&at| at + 24 + page <= log.len())
        .filter(|&at| log[at + 8..at + 16] == *salt && word(at + 4) != 0)
        .count()
}

#[tokio::test]
async fn a_function_that_goes_over_long_texts_is_work_too() {
    let options = StoreOptions {
        statement_budget: Duration::ZERO,
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    // A few steps of the engine, which would not look at the clock for their sake.
    let matches = async |text: String| {
        let pattern = "SELECT odata_matches(?1, '[ab]*a[ab]{9}c', '')";
        let read = store.read(move |session| {
            let binds = [(&text).into()];
            session.first(pattern, &binds, |row| row.int(0))
        });
        read.await
    };
    assert!(matches!(matches("ab".into()).await, Ok(Some(Some(0)))));
    let long = matches("ab".repeat(1_000)).await;
    assert!(matches!(long, Err(StoreError::Timeout)), "{long:?}");
}

/// A list starts on the thread of the request; long work must not stay there.
#[tokio::test]
async fn long_reads_are_begun_again_aside() {
    let service = crate::support::Service::start().await;
    for (rows, runs) in [(10, 1), (1_000_000, 2)] {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&begun);
        let work = move |session: &mut dyn Session| {
            count.fetch_add(1, Ordering::SeqCst);
            let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) SELECT count(*) FROM n";
            session.first(sql, &[rows.into()], |row| row.int(0))
        };
        let counted: Result<_, StoreError> = service.store().read_inline(work).await;
        assert_eq!(counted.expect("a count"), Some(Some(rows)));
        assert_eq!(begun.load(Ordering::SeqCst), runs, "{rows}");
    }
}

/// The view of a reader.
async fn view(store: &Store) -> View {
    let seen = store.read(|session| session.view());
    seen.await.expect("a view").expect("a reader has a view")
}

#[tokio::test]
async fn a_view_stays_until_something_is_written_by_whomever() {
    let (database, store) = opened().await;
    let first = view(&store).await;
    assert_eq!(view(&store).await, first);
    let added = store.write(|session| add_area(session, 1, "a")).await;
    added.expect("an area");
    let second = view(&store).await;
    assert_ne!(second, first);
    assert_eq!(view(&store).await, second);
    let other = database.open().await;
    let added = other.write(|session| add_area(session, 2, "a")).await;
    added.expect("an area");
    assert_ne!(view(&store).await, second);
}

/// A change counter is of one connection.
#[tokio::test]
async fn readers_do_not_share_a_view() {
    let (_database, store) = opened().await;
    let short = store.read_inline(|session| session.view()).await;
    let short = short.expect("a view").expect("a reader has a view");
    assert_ne!(view(&store).await.reader, short.reader);
}

#[tokio::test]
async fn a_query_that_is_too_large_for_the_database_is_refused_as_such() {
    let plant = Plant::new().await;
    // Each term joins further tables, and an engine has a limit for them.
    let terms: Vec<String> = (0..24)
        .map(|depth| format!("{}incident/area/name eq 'a'", "parent/".repeat(depth)))
        .collect();
    let answer = plant
        .get(&format!("/v2/comments?$filter={}", terms.join(" or ")))
        .await;
    let problem = answer.is_problem(400, "odata.limit");
    let detail = problem["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("64 tables"), "{detail}");
}

/// The first one creates the log of the file, and the others wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_is_opened_by_several_at_once() {
    for _ in 0..30 {
        let database = Arc::new(Database::new());
        let mut opening = JoinSet::new();
        for _ in 0..4 {
            let database = Arc::clone(&database);
            opening.spawn(async move { database.open().await });
        }
        for store in opening.join_all().await {
            assert_eq!(areas(&store).await, 0);
        }
    }
}
