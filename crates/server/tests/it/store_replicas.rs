//! Several stores over one database, like replicas: each sees the writes of the others, and none blocks
//! another.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use obeya_server::store::incidents::purge;
use obeya_server::store::{Session, Store, StoreError, StoreOptions, stamp};
use obeya_server::{Clock, Config, Server};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::incidents_plant::plant;
use crate::store::{add_area, areas, opened};
use crate::support::sql::number;
use crate::support::{Database, START, Service};

/// Ten minutes in ticks: a possible difference between the clocks of two replicas.
const APART: i64 = 600 * 10_000_000;

/// A write that runs until it is released.
pub struct Held {
    end: std::sync::mpsc::Sender<()>,
    write: tokio::task::JoinHandle<Result<(), StoreError>>,
}

impl Held {
    /// Begins one.
    pub async fn by(store: &Store) -> Self {
        let (begin, mut begun) = mpsc::unbounded_channel();
        let (end, wait) = std::sync::mpsc::channel::<()>();
        let store = store.clone();
        let write = tokio::spawn(async move {
            let work = move |_: &mut dyn Session| {
                begin.send(()).expect("somebody waits");
                // Ends when the sender goes.
                let _ = wait.recv();
                Ok::<_, StoreError>(())
            };
            store.write(work).await
        });
        begun.recv().await.expect("begun");
        Held { end, write }
    }

    /// Lets it end.
    pub async fn end(self) {
        drop(self.end);
        self.write.await.expect("no panic").expect("written");
    }
}

fn impatient() -> StoreOptions {
    StoreOptions {
        busy_timeout: Duration::from_millis(10),
        ..StoreOptions::default()
    }
}

#[tokio::test]
async fn a_write_of_another_makes_writes_unavailable_and_reads_go_on() {
    let (database, other) = opened().await;
    let store = database.open_with(&impatient()).await;
    let held = Held::by(&other).await;
    let write = store.write(|session| add_area(session, 1, "held up")).await;
    assert!(
        matches!(write, Err(StoreError::Unavailable(_))),
        "{write:?}"
    );
    assert_eq!(areas(&store).await, 0);
    held.end().await;
    store
        .write(|session| add_area(session, 1, "at last"))
        .await
        .expect("the other has ended");
}

#[tokio::test]
async fn a_store_that_is_up_to_date_opens_while_another_writes() {
    let (database, other) = opened().await;
    let held = Held::by(&other).await;
    let store = database.open_with(&impatient()).await;
    assert_eq!(areas(&store).await, 0);
    held.end().await;
}

#[tokio::test]
async fn a_service_with_a_key_starts_while_another_writes() {
    let service = Service::start().await;
    let held = Held::by(service.store()).await;
    let mut config = Config::new(service.db());
    let start = jiff::Timestamp::from_second(START).expect("a time");
    config.clock = Clock::new(move || start);
    let second = Server::start(config).await;
    assert!(second.is_ok(), "{:?}", second.map(drop));
    held.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_that_start_at_once_make_the_schema_once() {
    let database = Arc::new(Database::empty());
    let mut starting = JoinSet::new();
    for _ in 0..5 {
        let database = Arc::clone(&database);
        starting.spawn(async move { database.open().await });
    }
    let stores = starting.join_all().await;
    // Each of them works, and there is one row where the schema writes one.
    for (id, store) in (1..).zip(&stores) {
        let added = store
            .write(move |session| add_area(session, id, "one of several"))
            .await;
        added.expect("an area");
        assert_eq!(number(store, "SELECT count(*) FROM stamps").await, 1);
    }
    assert_eq!(areas(&stores[0]).await, 5);
}

#[tokio::test]
async fn what_one_has_answered_another_reads() {
    let (database, first) = opened().await;
    let second = database.open().await;
    for id in 1..=50 {
        let (writer, reader) = if id % 2 == 0 {
            (&first, &second)
        } else {
            (&second, &first)
        };
        let added = writer
            .write(move |session| add_area(session, id, "a"))
            .await;
        added.expect("an area");
        assert_eq!(areas(reader).await, id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_two_count_up_at_once_is_counted_once_each() {
    let (database, first) = opened().await;
    let second = database.open().await;
    let added = first.write(|session| add_area(session, 1, "0")).await;
    added.expect("an area");
    let mut writes = JoinSet::new();
    for round in 0..100 {
        let store = [&first, &second][round % 2].clone();
        writes.spawn(async move {
            let work = |session: &mut dyn Session| {
                let count = session.first("SELECT name FROM areas WHERE id = 1", &[], |row| {
                    row.string(0)
                })?;
                let count: u32 = count.flatten().expect("a name").parse().expect("a number");
                let next = (count + 1).to_string();
                session.execute("UPDATE areas SET name = ?1 WHERE id = 1", &[(&next).into()])
            };
            store.write(work).await.expect("counted")
        });
    }
    writes.join_all().await;
    let count = first.read(|session| {
        session.first("SELECT name FROM areas WHERE id = 1", &[], |row| {
            row.string(0)
        })
    });
    let count: Result<_, StoreError> = count.await;
    assert_eq!(count.expect("a row").flatten().as_deref(), Some("100"));
}

/// A client that has read up to a stamp must not find an earlier one afterwards. The ids of the areas are the
/// stamps of their writers.
#[tokio::test(flavor = "multi_thread")]
async fn stamps_come_into_sight_in_their_order_whoever_gives_them() {
    let (database, first) = opened().await;
    let second = database.open().await;
    let third = database.open().await;
    let mut writes = JoinSet::new();
    for round in 0..300 {
        // The second's clock is behind.
        let (store, behind) = [(&first, 0), (&second, APART)][round % 2];
        let store = store.clone();
        writes.spawn(async move {
            let now = START * 10_000_000 + i64::try_from(round).expect("small") - behind;
            let work = move |session: &mut dyn Session| {
                let stamp = stamp::next(session, now, 0)?;
                add_area(session, stamp, "a").map(|_| stamp)
            };
            store.write(work).await.expect("a stamp")
        });
    }
    let mut seen: BTreeSet<i64> = BTreeSet::new();
    while seen.len() < 300 {
        let stamps = third
            .read(|session| session.all("SELECT id FROM areas ORDER BY id", &[], |row| row.int(0)));
        let stamps: Result<Vec<_>, StoreError> = stamps.await;
        let now: BTreeSet<i64> = stamps.expect("stamps").into_iter().flatten().collect();
        if let (Some(last), Some(new)) = (seen.last(), now.difference(&seen).next()) {
            assert!(new > last, "{new} came into sight after {last}");
        }
        seen = now;
    }
    let given: BTreeSet<i64> = writes.join_all().await.into_iter().collect();
    assert_eq!(given, seen, "no stamp was given twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trash_is_purged_once_by_whoever_comes_first() {
    let service = plant().await;
    let filled = service.store().write(|session| {
        session.execute(
            "WITH RECURSIVE n (i) AS (SELECT CAST(1000 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
             INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified, deleted_date)
             SELECT i, 3, 10, 'New', 'Low', 'Gone', 20000, 10, 10 FROM n",
            &[],
        )
    });
    assert_eq!(filled.await.expect("incidents"), 1000);
    let mut purges = JoinSet::new();
    for _ in 0..4 {
        let store = service.database.open().await;
        // When those are old enough, and 102 of the plant is not.
        purges.spawn(async move { purge(&store, 400 * 86_400 * 10_000_000).await });
    }
    let removed: u64 = purges
        .join_all()
        .await
        .into_iter()
        .map(|removed| removed.expect("a purge"))
        .sum();
    assert_eq!(removed, 1000);
    assert_eq!(
        number(service.store(), "SELECT count(*) FROM incidents").await,
        3
    );
}
