//! The store through its public API, on every engine: storage, rollback, snapshots, budgets and bounds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use obeya_server::store::{Session, Store, StoreError, StoreOptions, Value, stamp};

use crate::support::Database;

/// A new database, and a store on it.
pub async fn opened() -> (Database, Store) {
    opened_with(&StoreOptions::default()).await
}

/// The same, to be run in this way.
pub async fn opened_with(options: &StoreOptions) -> (Database, Store) {
    let database = Database::new();
    let store = database.open_with(options).await;
    (database, store)
}

pub fn add_area(session: &mut dyn Session, id: i64, name: &str) -> Result<u64, StoreError> {
    session.execute(
        "INSERT INTO areas (id, name) VALUES (?1, ?2)",
        &[id.into(), name.into()],
    )
}

pub fn count_areas(session: &mut dyn Session) -> Result<i64, StoreError> {
    Ok(session
        .first("SELECT count(*) FROM areas", &[], |row| row.int(0))?
        .flatten()
        .unwrap_or_default())
}

pub async fn areas(store: &Store) -> i64 {
    store.read(count_areas).await.expect("a count")
}

/// The number of writes that meet in [`Waiting`], including the one that blocks the others.
const AT_ONCE: i64 = 200;

/// Writes that wait behind one that has begun, so that they must meet in later batches.
pub struct Waiting {
    go: mpsc::Sender<()>,
    writes: Vec<tokio::task::JoinHandle<Result<u64, StoreError>>>,
}

impl Waiting {
    /// Sends them, each with an id and a name; `add` writes a row for it.
    pub async fn behind_a_gate(
        store: &Store,
        add: fn(&mut dyn Session, i64, &str) -> Result<u64, StoreError>,
    ) -> Self {
        let (go, held) = mpsc::channel::<()>();
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let gate = store.clone();
        let gate = tokio::spawn(async move {
            // A job may run again: the gate is passed once.
            let held = Mutex::new(Some(held));
            let work = move |session: &mut dyn Session| {
                if let Some(held) = held.lock().expect("no panic within").take() {
                    begin.send(()).expect("somebody waits");
                    held.recv().expect("it is opened");
                }
                add(session, 1, "a")
            };
            gate.write(work).await
        });
        // Before any other is sent, which might come first.
        begun.recv().await.expect("begun");
        let mut writes = vec![gate];
        for id in 2..=AT_ONCE {
            let store = store.clone();
            writes.push(tokio::spawn(async move {
                store.write(move |session| add(session, id, "a")).await
            }));
        }
        while store.queued_writes() < writes.len() - 1 {
            tokio::task::yield_now().await;
        }
        Waiting { go, writes }
    }

    /// Releases them; returns the results from id 1 on.
    pub async fn outcomes(self) -> Vec<Result<u64, StoreError>> {
        self.go.send(()).expect("the gate waits");
        let mut outcomes = Vec::new();
        for write in self.writes {
            outcomes.push(write.await.expect("no panic"));
        }
        outcomes
    }
}

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    let (database, store) = opened().await;
    store
        .write(|session| add_area(session, 7, "Målestasjon"))
        .await
        .expect("an area");
    store.close().await;

    let store = database.open().await;
    let name = "SELECT name FROM areas WHERE id = ?1";
    let name = store.point(name, 7.into(), |row| row.string(0)).await;
    assert_eq!(
        name.expect("a row").flatten().as_deref(),
        Some("Målestasjon")
    );
}

#[tokio::test]
async fn values_keep_their_types_on_the_way_in_and_out() {
    let (_database, store) = opened().await;
    let binds = || {
        [
            Value::Int(i64::MIN),
            Value::Real(-0.1),
            Value::Text("ø'\"%_\\"),
            Value::Null,
        ]
    };
    let row = store.read(move |session| {
        session.first("SELECT CAST(?1 AS bigint), CAST(?2 AS double precision), CAST(?3 AS text), CAST(?4 AS bigint)", &binds(), |row| {
            Ok((row.int(0)?, row.real(1)?, row.string(2)?, row.int(3)?))
        })
    });
    let row: Result<_, StoreError> = row.await;
    assert_eq!(
        row.expect("a row"),
        Some((
            Some(i64::MIN),
            Some(-0.1),
            Some("ø'\"%_\\".to_owned()),
            None
        ))
    );
}

#[tokio::test]
async fn a_missing_value_is_an_error_and_not_null() {
    let (_database, store) = opened().await;
    let row = store
        .read(|session| {
            session.first(
                "SELECT CAST(?1 AS bigint), CAST(?2 AS bigint)",
                &[1.into()],
                |row| row.int(1),
            )
        })
        .await;
    assert!(matches!(row, Err(StoreError::Engine(_))));
}

#[tokio::test]
async fn a_job_that_fails_undoes_its_own_changes_only() {
    let (_database, store) = opened().await;
    let failing = store.write(|session| {
        add_area(session, 1, "kept back")?;
        add_area(session, 1, "the same id")
    });
    let (failed, kept) = tokio::join!(failing, store.write(|session| add_area(session, 2, "kept")));
    assert!(
        matches!(failed, Err(StoreError::Constraint(_))),
        "{failed:?}"
    );
    kept.expect("an area");
    assert_eq!(areas(&store).await, 1);
}

#[tokio::test]
async fn a_job_that_panics_undoes_its_changes_and_the_writer_lives_on() {
    let (_database, store) = opened().await;
    let panicking = store.write(|session| -> Result<(), StoreError> {
        add_area(session, 1, "gone")?;
        panic!("on purpose");
    });
    assert!(matches!(panicking.await, Err(StoreError::Engine(_))));
    store
        .write(|session| add_area(session, 2, "kept"))
        .await
        .expect("the writer takes the next job");
    assert_eq!(areas(&store).await, 1);
}

#[tokio::test]
async fn of_jobs_that_share_a_commit_those_that_fail_leave_nothing_and_the_others_everything() {
    fn add(session: &mut dyn Session, id: i64, name: &str) -> Result<u64, StoreError> {
        let refused = StoreError::Unavailable("on purpose".into());
        match id % 8 {
            // Before it changed anything, and after it.
            2 => Err(refused),
            3 => add_area(session, id, name).and(Err(refused)),
            5 => {
                add_area(session, id, name)?;
                add_area(session, id, name)
            }
            6 => {
                add_area(session, id, name)?;
                panic!("on purpose")
            }
            _ => add_area(session, id, name),
        }
    }
    let (_database, store) = opened().await;
    let outcomes = Waiting::behind_a_gate(&store, add).await.outcomes().await;
    for (id, outcome) in (1..).zip(&outcomes) {
        match id % 8 {
            2 | 3 => assert!(matches!(outcome, Err(StoreError::Unavailable(_))), "{id}"),
            5 => assert!(matches!(outcome, Err(StoreError::Constraint(_))), "{id}"),
            6 => assert!(matches!(outcome, Err(StoreError::Engine(_))), "{id}"),
            _ => assert_eq!(*outcome.as_ref().expect("written"), 1, "{id}"),
        }
    }
    let ids = store
        .read(|session| session.all("SELECT id FROM areas ORDER BY id", &[], |row| row.int(0)));
    let ids: Result<_, StoreError> = ids.await;
    let written: Vec<_> = (1..=AT_ONCE)
        .filter(|id| ![2, 3, 5, 6].contains(&(id % 8)))
        .collect();
    assert_eq!(
        ids.expect("ids").into_iter().flatten().collect::<Vec<_>>(),
        written
    );
}

#[tokio::test]
async fn a_read_that_panics_gives_an_error_and_the_next_one_works() {
    let options = StoreOptions {
        readers: 1,
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    let read = store
        .read(|_| -> Result<(), StoreError> { panic!("on purpose") })
        .await;
    assert!(matches!(read, Err(StoreError::Engine(_))));
    assert_eq!(areas(&store).await, 0);
}

#[tokio::test]
async fn a_write_nobody_waits_for_is_not_begun() {
    let (_database, store) = opened().await;
    let (go, held) = mpsc::channel::<()>();
    let begun = Arc::new(AtomicUsize::new(0));
    let gate = tokio::spawn({
        let store = store.clone();
        async move {
            store
                .write(move |_| held.recv().map_err(|_| StoreError::Timeout))
                .await
        }
    });
    // The gate is sent first.
    tokio::task::yield_now().await;
    let count = Arc::clone(&begun);
    let given_up = tokio::time::timeout(Duration::ZERO, {
        store.write(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok::<_, StoreError>(())
        })
    });
    assert!(given_up.await.is_err());
    go.send(()).expect("the gate waits");
    gate.await.expect("no panic").expect("no error");
    store
        .write(|_| Ok::<_, StoreError>(()))
        .await
        .expect("a later write");
    assert_eq!(begun.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_read_sees_one_snapshot() {
    let (_database, store) = opened().await;
    let (writer, handle) = (store.clone(), tokio::runtime::Handle::current());
    let counts = store.read(move |session| {
        let before = count_areas(session)?;
        handle.block_on(writer.write(|session| add_area(session, 1, "meanwhile")))?;
        Ok::<_, StoreError>((before, count_areas(session)?))
    });
    assert_eq!(counts.await.expect("two counts"), (0, 0));
    assert_eq!(areas(&store).await, 1);
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let (_database, store) = opened().await;
    assert!(
        store
            .read(|session| add_area(session, 1, "no"))
            .await
            .is_err()
    );
    // Also without a reader, once it is asked again.
    for _ in 0..10 {
        let add = "INSERT INTO areas (id, name) VALUES (?1, 'no') RETURNING id";
        let added = store.point(add, 1.into(), |row| row.int(0)).await;
        assert!(added.is_err());
    }
    assert_eq!(areas(&store).await, 0);
}

#[tokio::test]
async fn an_endless_statement_times_out_and_the_connection_is_good_again() {
    let options = StoreOptions {
        readers: 1,
        statement_budget: Duration::from_millis(30),
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let read = store
        .read(move |session| session.first(endless, &[], |row| row.int(0)))
        .await;
    assert!(matches!(read, Err(StoreError::Timeout)), "{read:?}");
    let write = store
        .write(move |session| session.first(endless, &[], |row| row.int(0)))
        .await;
    assert!(matches!(write, Err(StoreError::Timeout)), "{write:?}");
    assert_eq!(areas(&store).await, 0);
}

#[tokio::test]
async fn stamps_only_grow_whatever_the_clock_says() {
    let (_database, store) = opened().await;
    let stamps = store.write(|session| {
        // The clock advances, stops, and is set back; one record has a stamp from elsewhere: stamps increase
        // in all cases.
        let asked = [(100, 0), (100, 0), (40, 0), (40, 500), (300, 0), (600, 0)];
        asked
            .into_iter()
            .map(|(now, floor)| stamp::next(session, now, floor))
            .collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(
        stamps.await.expect("stamps"),
        [100, 101, 102, 501, 502, 600]
    );
}

#[tokio::test]
async fn a_broken_reference_is_refused() {
    let (_database, store) = opened().await;
    let orphan = store.write(|session| {
        session.execute(
            "INSERT INTO group_members (group_id, user_id) VALUES (1, 'nobody')",
            &[],
        )
    });
    assert!(matches!(orphan.await, Err(StoreError::Constraint(_))));
}

#[tokio::test]
async fn a_closed_store_takes_no_work() {
    let (_database, store) = opened().await;
    store.close().await;
    assert!(matches!(
        store.write(|session| add_area(session, 1, "late")).await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(matches!(
        store.read(count_areas).await,
        Err(StoreError::Unavailable(_))
    ));
}

#[tokio::test]
async fn a_function_that_refuses_a_value_is_distinguished_from_a_failure() {
    let (_database, store) = opened().await;
    let divided = |by: i64| {
        store.read(move |session| {
            session.first("SELECT odata_int_div(7, ?1)", &[by.into()], |row| {
                row.int(0)
            })
        })
    };
    assert_eq!(divided(2).await.expect("a number"), Some(Some(3)));
    let refused = divided(0).await;
    assert!(
        matches!(&refused, Err(StoreError::Data(text)) if text.ends_with("division by zero in at least one row")),
        "{refused:?}"
    );
}

/// One statement that does not end, or ever more of them: either way the work runs again, with a permit for
/// long work.
#[tokio::test]
async fn brief_work_that_turns_out_long_begins_again_as_long_work() {
    // Two of them for long work.
    let options = StoreOptions {
        readers: 6,
        reader_wait: Duration::from_millis(50),
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    // Alone, PostgreSQL has no limit.
    let other = Held::all(&store, 1).await;
    fn one_endless(session: &mut dyn Session) -> Result<i64, StoreError> {
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
        session.first(endless, &[], |row| row.int(0)).map(|_| 1)
    }
    fn ever_more(session: &mut dyn Session) -> Result<i64, StoreError> {
        loop {
            count_areas(session)?;
        }
    }
    let runs = Arc::new(AtomicUsize::new(0));
    let brief = |first: fn(&mut dyn Session) -> Result<i64, StoreError>| {
        let runs = Arc::clone(&runs);
        runs.store(0, Ordering::SeqCst);
        store.read_inline(move |session| match runs.fetch_add(1, Ordering::SeqCst) {
            0 => first(session),
            _ => count_areas(session),
        })
    };
    for first in [one_endless, ever_more] {
        assert_eq!(brief(first).await.expect("a count"), 0);
        assert_eq!(runs.load(Ordering::SeqCst), 2);
    }
    assert_eq!(brief(count_areas).await.expect("a count"), 0);
    assert_eq!(runs.load(Ordering::SeqCst), 1);

    // While all permits for long work are in use, it waits for one of them and occupies no other.
    let held = Held::all(&store, 1).await;
    let waited = brief(one_endless).await;
    assert!(
        matches!(waited, Err(StoreError::Unavailable(_))),
        "{waited:?}"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(brief(count_areas).await.expect("a count"), 0);
    held.release().await;
    other.release().await;
}

/// Reads of any size that run until they are released.
pub struct Held(Vec<(mpsc::Sender<()>, tokio::task::JoinHandle<()>)>);

impl Held {
    /// This many reads, all of which have begun.
    pub async fn all(store: &Store, reads: usize) -> Self {
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let mut held = Vec::new();
        for _ in 0..reads {
            let (go, wait) = mpsc::channel::<()>();
            let (store, begin) = (store.clone(), begin.clone());
            let read = tokio::spawn(async move {
                let work = move |session: &mut dyn Session| {
                    begin.send(()).expect("somebody waits");
                    // Ends when the sender goes.
                    let _ = wait.recv();
                    count_areas(session)
                };
                store.read(work).await.expect("a count");
            });
            held.push((go, read));
            begun.recv().await.expect("begun");
        }
        Self(held)
    }

    /// Lets them end.
    pub async fn release(self) {
        for (go, read) in self.0 {
            drop(go);
            read.await.expect("no panic");
        }
    }
}

/// On one thread, so that both reads have requested a reader before the look-up does.
#[tokio::test]
async fn a_look_up_finds_a_reader_while_every_long_read_that_may_run_does() {
    let options = StoreOptions {
        readers: 2,
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    let (begin, begun) = mpsc::channel::<()>();
    let mut held = Vec::new();
    for _ in 0..2 {
        let (go, wait) = mpsc::channel::<()>();
        let (store, begin) = (store.clone(), begin.clone());
        let read = tokio::spawn(async move {
            let work = move |session: &mut dyn Session| {
                // Only the first is waited for.
                let _ = begin.send(());
                // Ends when the sender goes.
                let _ = wait.recv();
                count_areas(session)
            };
            store.read(work).await
        });
        held.push((go, read));
    }
    tokio::task::spawn_blocking(move || begun.recv().expect("begun"))
        .await
        .expect("begun");
    let count = "SELECT count(*) FROM areas WHERE id >= ?1";
    let look_up = store.point(count, 0.into(), |row| row.int(0));
    let found = tokio::time::timeout(Duration::from_secs(5), look_up).await;
    let count = found.expect("in time").expect("a count");
    assert_eq!(count.flatten(), Some(0));
    for (go, read) in held {
        drop(go);
        read.await.expect("no panic").expect("a count");
    }
}

/// Takes hours on every engine.
const ENDLESS: &str =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000)
    SELECT count(*) FROM c AS x, c AS y WHERE x.n + y.n < 0";

#[tokio::test]
async fn a_read_whose_caller_has_gone_is_stopped() {
    // One reader is for long work.
    let options = StoreOptions {
        readers: 5,
        reader_wait: Duration::from_secs(60),
        statement_budget: Duration::from_secs(120),
        ..StoreOptions::default()
    };
    let (_database, store) = opened_with(&options).await;
    for _ in 0..3 {
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let reads = store.clone();
        let read = tokio::spawn(async move {
            let work = move |session: &mut dyn Session| {
                begin.send(()).expect("somebody waits");
                session.first(ENDLESS, &[], |row| row.int(0))
            };
            reads.read(work).await
        });
        begun.recv().await.expect("begun");
        read.abort();
        assert!(read.await.is_err_and(|error| error.is_cancelled()));
        // It waits for the reader.
        let count = store.read(count_areas).await;
        assert_eq!(count.expect("a reader that is free again"), 0);
    }
}
