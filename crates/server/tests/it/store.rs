//! The store through its own face: group commit, savepoints, budgets, snapshots, and what it refuses to open.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use obeya_server::store::{Session, Store, StoreError, StoreOptions, Value, stamp};
use tempfile::TempDir;

fn address(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("plant.db").display())
}

async fn opened() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&address(&folder), &StoreOptions::default())
        .await
        .expect("a new store");
    (folder, store)
}

fn add_area(session: &mut dyn Session, id: i64, name: &str) -> Result<u64, StoreError> {
    session.execute(
        "INSERT INTO areas (id, name) VALUES (?1, ?2)",
        &[id.into(), name.into()],
    )
}

fn count_areas(session: &mut dyn Session) -> Result<i64, StoreError> {
    Ok(session
        .first("SELECT count(*) FROM areas", &[], |row| row.int(0))?
        .flatten()
        .unwrap_or_default())
}

async fn areas(store: &Store) -> i64 {
    store.read(count_areas).await.expect("a count")
}

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    let (folder, store) = opened().await;
    store
        .write(|session| add_area(session, 7, "Målestasjon"))
        .await
        .expect("an area");
    store.close().await;

    let store = Store::open(&address(&folder), &StoreOptions::default())
        .await
        .expect("the same store");
    let name = store
        .point(|session| {
            session.first("SELECT name FROM areas WHERE id = ?1", &[7.into()], |row| {
                row.string(0)
            })
        })
        .await;
    assert_eq!(
        name.expect("a row").flatten().as_deref(),
        Some("Målestasjon")
    );
}

#[tokio::test]
async fn values_keep_their_types_on_the_way_in_and_out() {
    let (_folder, store) = opened().await;
    let binds = || {
        [
            Value::Int(i64::MIN),
            Value::Real(-0.1),
            Value::Text("ø'\"%_\\"),
            Value::Null,
        ]
    };
    let row = store.read(move |session| {
        session.first("SELECT ?1, ?2, ?3, ?4", &binds(), |row| {
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
    let (_folder, store) = opened().await;
    let row = store
        .read(|session| session.first("SELECT ?1, ?2", &[1.into()], |row| row.int(1)))
        .await;
    assert!(matches!(row, Err(StoreError::Engine(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_are_all_kept_and_share_commits() {
    let (_folder, store) = opened().await;
    // The first job holds the writer until the others wait behind it, so that they must meet in later batches.
    let (go, held) = mpsc::channel::<()>();
    let gate = tokio::spawn({
        let store = store.clone();
        async move {
            store
                .write(move |session| held.recv().map_or(Ok(0), |()| add_area(session, 1, "a")))
                .await
        }
    });
    let writes: Vec<_> = (2..=200_i64)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(
                async move { store.write(move |session| add_area(session, id, "a")).await },
            )
        })
        .collect();
    while store.queued_writes() < 199 {
        tokio::task::yield_now().await;
    }
    let before = log_commits(&store).await;
    go.send(()).expect("the gate waits");
    gate.await.expect("no panic").expect("an area");
    for write in writes {
        write.await.expect("no panic").expect("an area");
    }
    assert_eq!(areas(&store).await, 200);
    // 200 jobs at 128 for each commit.
    assert_eq!(log_commits(&store).await - before, 2);
}

/// Commits so far, read from the write-ahead log itself: a frame that ends a commit holds the size of the database after it, any other holds 0.
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
async fn a_job_that_fails_undoes_its_own_changes_only() {
    let (_folder, store) = opened().await;
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
    let (_folder, store) = opened().await;
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
async fn a_read_that_panics_gives_an_error_and_the_next_one_works() {
    let (folder, _) = opened().await;
    let options = StoreOptions {
        readers: 1,
        ..StoreOptions::default()
    };
    let store = Store::open(&address(&folder), &options)
        .await
        .expect("a store");
    let read = store
        .read(|_| -> Result<(), StoreError> { panic!("on purpose") })
        .await;
    assert!(matches!(read, Err(StoreError::Engine(_))));
    assert_eq!(areas(&store).await, 0);
}

#[tokio::test]
async fn a_write_nobody_waits_for_is_not_begun() {
    let (_folder, store) = opened().await;
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
    let (_folder, store) = opened().await;
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
    let (_folder, store) = opened().await;
    assert!(
        store
            .read(|session| add_area(session, 1, "no"))
            .await
            .is_err()
    );
    assert!(
        store
            .point(|session| add_area(session, 1, "no"))
            .await
            .is_err()
    );
    assert_eq!(areas(&store).await, 0);
}

#[tokio::test]
async fn an_endless_statement_times_out_and_the_connection_is_good_again() {
    let (folder, _) = opened().await;
    let options = StoreOptions {
        readers: 1,
        statement_budget: Duration::from_millis(30),
        ..StoreOptions::default()
    };
    let store = Store::open(&address(&folder), &options)
        .await
        .expect("a store");
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
async fn a_function_that_goes_over_long_texts_is_work_too() {
    let (folder, _) = opened().await;
    let options = StoreOptions {
        statement_budget: Duration::ZERO,
        ..StoreOptions::default()
    };
    let store = Store::open(&address(&folder), &options)
        .await
        .expect("a store");
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

#[tokio::test]
async fn stamps_only_grow_whatever_the_clock_says() {
    let (_folder, store) = opened().await;
    let stamps = store.write(|session| {
        // The clock goes on, stands still, and is set back; one record carries a stamp of the future; the others go on as before.
        let asked = [(100, 0), (100, 0), (40, 0), (40, 500), (300, 0), (600, 0)];
        asked
            .into_iter()
            .map(|(now, floor)| stamp::next(session, now, floor))
            .collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(
        stamps.await.expect("stamps"),
        [100, 101, 102, 501, 300, 600]
    );
}

#[tokio::test]
async fn a_broken_reference_is_refused() {
    let (_folder, store) = opened().await;
    let orphan = store.write(|session| {
        session.execute(
            "INSERT INTO group_members (group_id, user_id) VALUES (1, 'nobody')",
            &[],
        )
    });
    assert!(matches!(orphan.await, Err(StoreError::Constraint(_))));
}

async fn refusal(url: &str) -> String {
    match Store::open(url, &StoreOptions::default()).await {
        Err(StoreError::Schema(text)) => text,
        Err(other) => panic!("refused with {other:?}"),
        Ok(_) => panic!("{url} was opened"),
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let content = "This is a shopping list, not a database.\n".repeat(40);
    std::fs::write(folder.path().join("plant.db"), &content).expect("a file");
    let text = refusal(&address(&folder)).await;
    assert!(
        text.ends_with("plant.db is not a SQLite database"),
        "{text}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("plant.db")).expect("the file"),
        content
    );
}

fn with_sqlite(file: &Path, sql: &str) {
    rusqlite::Connection::open(file)
        .expect("a connection")
        .execute_batch(sql)
        .expect("a batch");
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let (folder, store) = opened().await;
    store.close().await;
    with_sqlite(
        &folder.path().join("plant.db"),
        "PRAGMA user_version = 4711",
    );
    let text = refusal(&address(&folder)).await;
    assert!(
        text.contains("has schema version 4711, and this program knows versions up to "),
        "{text}"
    );
}

#[tokio::test]
async fn the_database_of_another_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    with_sqlite(&file, "CREATE TABLE recipes (name TEXT)");
    let before = std::fs::read(&file).expect("a file");
    let text = refusal(&address(&folder)).await;
    assert!(
        text.ends_with("plant.db is a database of another program"),
        "{text}"
    );
    assert_eq!(std::fs::read(&file).expect("a file"), before);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        1
    );
}

#[tokio::test]
async fn what_was_answered_survives_a_crash() {
    let (folder, store) = opened().await;
    for id in 1..=3 {
        store
            .write(move |session| add_area(session, id, "a"))
            .await
            .expect("an area");
    }
    // What a crash at this moment would leave behind: the file and its log, without a word to the store.
    let crashed = tempfile::tempdir().expect("a folder");
    for name in ["plant.db", "plant.db-wal"] {
        std::fs::copy(folder.path().join(name), crashed.path().join(name)).expect("a copy");
    }
    let recovered = Store::open(&address(&crashed), &StoreOptions::default())
        .await
        .expect("the same store");
    assert_eq!(areas(&recovered).await, 3);
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!(
        "sqlite:{}",
        folder.path().join("no/such/folder/plant.db").display()
    );
    match Store::open(&url, &StoreOptions::default()).await {
        Err(StoreError::Unavailable(text)) => {
            assert!(text.contains("no/such/folder/plant.db"), "{text}");
        }
        other => panic!("{:?}", other.map(drop)),
    }
}

#[tokio::test]
async fn a_closed_store_takes_no_work() {
    let (_folder, store) = opened().await;
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
async fn a_file_of_version_1_is_brought_up_to_date_and_keeps_its_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    with_sqlite(
        &file,
        include_str!("../../src/store/schema/0001_domain.sql"),
    );
    with_sqlite(
        &file,
        "INSERT INTO areas (id, name) VALUES (7, 'Press hall'); PRAGMA application_id = 0x4F626579; PRAGMA user_version = 1",
    );
    let store = Store::open(&address(&folder), &StoreOptions::default())
        .await
        .expect("an older store");
    let clients = store
        .read(|session| session.first("SELECT count(*) FROM clients", &[], |row| row.int(0)))
        .await;
    assert_eq!(clients.expect("the tables of version 2"), Some(Some(0)));
    assert_eq!(areas(&store).await, 1);
}

#[tokio::test]
async fn a_lock_of_another_process_makes_writes_unavailable_and_reads_go_on() {
    let (folder, first) = opened().await;
    // Its end would hold the file for a moment.
    first.close().await;
    let options = StoreOptions {
        busy_timeout: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let store = Store::open(&address(&folder), &options)
        .await
        .expect("a store");
    let other = rusqlite::Connection::open(folder.path().join("plant.db")).expect("a connection");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let write = store.write(|session| add_area(session, 1, "held up")).await;
    assert!(
        matches!(write, Err(StoreError::Unavailable(_))),
        "{write:?}"
    );
    assert_eq!(areas(&store).await, 0);
    other.execute_batch("ROLLBACK").expect("no lock");
    store
        .write(|session| add_area(session, 1, "at last"))
        .await
        .expect("the lock is gone");
}

#[tokio::test]
async fn a_function_that_refuses_a_value_is_told_from_a_failure() {
    let (_folder, store) = opened().await;
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
        matches!(&refused, Err(StoreError::Data(text)) if text.ends_with("division by zero")),
        "{refused:?}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_its_owners_alone_and_one_that_exists_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |file: &Path| {
        let metadata = std::fs::metadata(file).expect("a file");
        metadata.permissions().mode() & 0o777
    };
    let (folder, store) = opened().await;
    store
        .write(|session| add_area(session, 1, "a"))
        .await
        .expect("written");
    for name in ["plant.db", "plant.db-wal", "plant.db-shm"] {
        assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
    }
    store.close().await;

    let file = folder.path().join("plant.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    Store::open(&address(&folder), &StoreOptions::default())
        .await
        .expect("the same store");
    assert_eq!(mode(&file), 0o640);
}

#[tokio::test]
async fn a_store_that_is_up_to_date_opens_while_another_process_writes() {
    let (folder, store) = opened().await;
    store.close().await;
    let other = rusqlite::Connection::open(folder.path().join("plant.db")).expect("a connection");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let options = StoreOptions {
        busy_timeout: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let store = Store::open(&address(&folder), &options)
        .await
        .expect("opened in spite of the lock");
    assert_eq!(areas(&store).await, 0);
}

#[tokio::test]
async fn a_service_with_a_key_starts_while_another_process_writes() {
    let service = crate::support::Service::start().await;
    let db = service.db();
    let file = db.strip_prefix("sqlite:").expect("the address of a file");
    let other = rusqlite::Connection::open(file).expect("a connection");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let mut config = obeya_server::Config::new(db.clone());
    let start = jiff::Timestamp::from_second(crate::support::START).expect("a time");
    config.clock = obeya_server::Clock::new(move || start);
    let second = obeya_server::Server::start(config).await;
    assert!(second.is_ok(), "{:?}", second.map(drop));
}

/// On one thread, so that both reads have asked for a reader before the look-up does.
#[tokio::test]
async fn a_look_up_finds_a_reader_while_every_long_read_that_may_run_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions {
        readers: 2,
        ..StoreOptions::default()
    };
    let store = Store::open(&address(&folder), &options)
        .await
        .expect("a store");
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
    let found = tokio::time::timeout(Duration::from_secs(5), store.point(count_areas)).await;
    assert_eq!(found.ok().and_then(Result::ok), Some(0));
    for (go, read) in held {
        drop(go);
        read.await.expect("no panic").expect("a count");
    }
}
