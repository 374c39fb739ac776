//! A file that was restored from a backup, or is gone, and the log that the former one left: nothing is
//! mixed, and nothing is deleted.
//!
//! The state after a kill is a copy of the files while the store is open: the store writes nothing in the
//! background.

use std::path::{Path, PathBuf};

use obeya_server::store::{LeftoverWal, Store, StoreError, StoreOptions};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::store::{add_area, areas};
use crate::support::Service;

/// A folder with the files of a database, as a killed process left them.
struct Left {
    folder: TempDir,
}

impl Left {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn main(&self) -> PathBuf {
        self.path("plant.db")
    }

    fn wal(&self) -> PathBuf {
        self.path("plant.db-wal")
    }

    /// What lies in `folder` now.
    fn of(folder: &Path) -> Left {
        let left = Left {
            folder: tempfile::tempdir().expect("a folder"),
        };
        for name in ["plant.db", "plant.db-wal", "plant.db-lock"] {
            let from = folder.join(name);
            if from.exists() {
                std::fs::copy(from, left.path(name)).expect("a copy");
            }
        }
        left
    }

    /// The database in one file without a log, page by page as SQLite's backup makes it.
    fn one_file(self) -> Left {
        let connection = Connection::open(self.main()).expect("a database");
        connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .expect("a checkpoint");
        drop(connection);
        assert!(!self.wal().exists(), "the last connection deletes the log");
        self
    }

    async fn open(&self, leftover_wal: LeftoverWal) -> Result<Store, StoreError> {
        let options = StoreOptions {
            leftover_wal,
            ..StoreOptions::default()
        };
        let url = format!("sqlite:{}", self.main().display());
        Store::open(&url, &options).await
    }

    async fn refusal(&self) -> String {
        let before = (
            std::fs::read(self.main()).ok(),
            std::fs::read(self.wal()).ok(),
        );
        let text = match self.open(LeftoverWal::Check).await {
            Err(StoreError::Mismatch(text)) => text,
            Err(other) => panic!("refused with {other:?}"),
            Ok(_) => panic!("opened"),
        };
        let after = (
            std::fs::read(self.main()).ok(),
            std::fs::read(self.wal()).ok(),
        );
        assert!(before == after, "a refusal changes nothing");
        text
    }

    /// The number of areas, in a database that SQLite finds no fault with.
    async fn areas(&self, leftover_wal: LeftoverWal) -> i64 {
        let store = self.open(leftover_wal).await.expect("opened");
        let counted = areas(&store).await;
        store.close().await;
        let connection = Connection::open(self.main()).expect("a database");
        let found: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("checked");
        assert_eq!(found, "ok");
        counted
    }
}

/// A database in use.
struct Plant {
    folder: TempDir,
    store: Store,
}

impl Plant {
    async fn new() -> Plant {
        let folder = tempfile::tempdir().expect("a folder");
        let store = opened(folder.path()).await;
        Plant { folder, store }
    }

    /// Adds an area with a text of this many bytes.
    async fn add(&self, id: i64, bytes: usize) {
        let name = "a".repeat(bytes);
        let added = self
            .store
            .write(move |session| add_area(session, id, &name))
            .await;
        added.expect("an area");
    }

    /// Makes the log longer than it is when a checkpoint follows. 9 MB are more than 1,000 pages of 8,192
    /// bytes.
    async fn fill(&self, ids: std::ops::Range<i64>) {
        for id in ids {
            self.add(id, 3 << 20).await;
        }
    }

    fn left(&self) -> Left {
        Left::of(self.folder.path())
    }

    /// The same database after the store was closed and opened again.
    async fn reopened(self) -> Plant {
        let Plant { folder, store } = self;
        store.close().await;
        drop(store);
        let store = opened(folder.path()).await;
        Plant { folder, store }
    }
}

async fn opened(folder: &Path) -> Store {
    let url = format!("sqlite:{}", folder.join("plant.db").display());
    Store::open(&url, &StoreOptions::default())
        .await
        .expect("a store")
}

/// Replaces the file by the backup, next to the existing log.
fn put_back(backup: &Left, left: &Left) {
    std::fs::copy(backup.main(), left.main()).expect("a copy");
}

#[tokio::test]
async fn what_a_kill_leaves_is_taken_over_wherever_it_is_copied() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    assert_eq!(plant.left().areas(LeftoverWal::Check).await, 1);
    let without_lock = plant.left();
    std::fs::remove_file(without_lock.path("plant.db-lock")).expect("deleted");
    assert_eq!(without_lock.areas(LeftoverWal::Check).await, 1);
    // Past a checkpoint, after which the log begins anew.
    plant.fill(2..6).await;
    plant.add(6, 10).await;
    assert_eq!(plant.left().areas(LeftoverWal::Check).await, 6);
}

#[tokio::test]
async fn a_backup_from_before_the_log_began_is_not_mixed_with_it() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let stopped = {
        let backup = plant.left().one_file();
        let plant = plant.reopened().await;
        plant.add(2, 10).await;
        (backup, plant)
    };
    let (backup, plant) = stopped;
    let left = plant.left();
    put_back(&backup, &left);
    let text = left.refusal().await;
    for said in [
        "plant.db is not the file",
        "--discard-wal",
        "--keep-wal",
        "found commit ",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }

    assert_eq!(left.areas(LeftoverWal::Discard).await, 1);
    let aside = left.path("plant.db-wal-discarded-1");
    assert_eq!(
        std::fs::read(aside).expect("the log, set aside"),
        std::fs::read(plant.left().wal()).expect("the log")
    );
}

#[tokio::test]
async fn a_backup_of_the_running_database_is_not_mixed_with_the_log_either() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let backup = plant.left().one_file();
    plant.add(2, 10).await;
    let left = plant.left();
    put_back(&backup, &left);
    left.refusal().await;
    // On request it is applied: the log belongs to a file with these pages.
    assert_eq!(left.areas(LeftoverWal::Apply).await, 2);
    // The log began anew since the backup.
    plant.fill(3..7).await;
    plant.add(7, 10).await;
    let left = plant.left();
    put_back(&backup, &left);
    left.refusal().await;
    assert_eq!(left.areas(LeftoverWal::Discard).await, 1);
}

/// The rows are the same and on other pages.
#[tokio::test]
async fn a_copy_by_vacuum_is_not_mixed_with_a_log_that_names_its_commit() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let backup = Left {
        folder: tempfile::tempdir().expect("a folder"),
    };
    let from = Connection::open(plant.folder.path().join("plant.db")).expect("a database");
    let to = backup.main();
    from.execute("VACUUM INTO ?1", [to.to_str().expect("UTF-8")])
        .expect("a copy");
    // A reader prevents the log from starting over, so that it names the copy's commit and is long enough for
    // a checkpoint.
    from.execute_batch("BEGIN; SELECT count(*) FROM areas")
        .expect("a snapshot");
    plant.fill(2..6).await;
    let left = plant.left();
    assert_eq!(left.areas(LeftoverWal::Check).await, 5);
    let left = plant.left();
    put_back(&backup, &left);
    left.refusal().await;
    assert_eq!(left.areas(LeftoverWal::Discard).await, 1);
}

#[tokio::test]
async fn a_checkpoint_that_was_broken_off_is_no_reason_to_refuse() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let left = plant.left();
    let grown = Plant::of_left(&left).await;
    grown.fill(2..4).await;
    let killed = grown.left();
    // The first page is written back first; its size field has a size that the file does not have yet.
    let whole = grown.left().one_file();
    let page = std::fs::read(whole.main()).expect("a file");
    let mut torn = std::fs::read(killed.main()).expect("a file");
    assert!(torn.len() < page.len());
    torn[..8192].copy_from_slice(&page[..8192]);
    std::fs::write(killed.main(), torn).expect("written");
    assert_eq!(killed.areas(LeftoverWal::Check).await, 3);
}

#[tokio::test]
async fn a_log_whose_file_is_gone_is_not_deleted() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    for empty in [false, true] {
        let left = plant.left();
        std::fs::remove_file(left.main()).expect("removed");
        if empty {
            std::fs::write(left.main(), []).expect("a file of no bytes");
        }
        let text = left.refusal().await;
        assert!(text.contains("plant.db is missing, but its log"), "{text}");
        assert!(matches!(
            left.open(LeftoverWal::Apply).await,
            Err(StoreError::Mismatch(_))
        ));
        assert_eq!(left.areas(LeftoverWal::Discard).await, 0);
        assert!(left.path("plant.db-wal-discarded-1").exists());
    }
}

#[tokio::test]
async fn a_file_of_an_older_version_is_taken_over_with_its_log_and_gets_links() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let old = plant.left().one_file();
    let from = Connection::open(old.main()).expect("a database");
    // As a version without links leaves it.
    from.execute_batch(
        "DROP TABLE obeya_log_link; PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO areas (id, name) VALUES (2, 'b')",
    )
    .expect("written");
    std::fs::remove_file(old.path("plant.db-lock")).expect("deleted");
    let killed = Left::of(old.folder.path());
    drop(from);
    assert!(killed.wal().metadata().expect("a log").len() > 0);

    let plant = Plant::of_left(&killed).await;
    assert_eq!(areas(&plant.store).await, 2);
    // From its first start on it can be distinguished from a backup.
    plant.add(3, 10).await;
    let left = plant.left();
    put_back(&old.one_file(), &left);
    left.refusal().await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_not_mixed_with_a_log() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let left = plant.left();
    std::fs::write(left.main(), "no database ".repeat(2000)).expect("written");
    left.refusal().await;
}

impl Plant {
    /// Continues with the files that were left, in their folder.
    async fn of_left(left: &Left) -> Plant {
        let folder = Left::of(left.folder.path()).folder;
        let store = opened(folder.path()).await;
        Plant { folder, store }
    }
}

#[tokio::test]
async fn several_open_one_database_at_a_time() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let other = opened(plant.folder.path()).await;
    let added = other.write(|session| add_area(session, 2, "b")).await;
    added.expect("written by the other");
    other.close().await;
    plant.add(3, 10).await;
    let mut opening = tokio::task::JoinSet::new();
    let left = plant.left();
    let folder = std::sync::Arc::new(left.folder);
    for _ in 0..8 {
        let folder = std::sync::Arc::clone(&folder);
        opening.spawn(async move {
            let store = opened(folder.path()).await;
            areas(&store).await
        });
    }
    assert_eq!(opening.join_all().await, [3; 8]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_replaced_or_removed_in_use_is_not_written_and_not_made_anew() {
    let service = Service::start().await;
    let file = service
        .db()
        .strip_prefix("sqlite:")
        .expect("a file")
        .to_owned();
    let moved = format!("{file}.moved");
    let group = serde_json::json!({"value": 1.0, "valueDate": "2026-01-01T00:00:00Z"});
    let source = service.store().write(|session| {
        session.execute("INSERT INTO datasources (id, title) VALUES (1, 'OEE')", &[])
    });
    source
        .await
        .map_err(|error: StoreError| error)
        .expect("a datasource");
    let write = || service.post("/v1/Datasources/1/values", &group);
    assert_eq!(write().await.status, 200);
    let there = || Path::new(&file).exists();

    for replaced in [false, true] {
        std::fs::rename(&file, &moved).expect("moved away");
        if replaced {
            std::fs::copy(&moved, &file).expect("another file");
        }
        service.get("/readyz").await.is_problem(503, "unavailable");
        write().await.is_problem(503, "unavailable");
        let error = service
            .store()
            .check_files()
            .expect_err("reported")
            .to_string();
        let said = if replaced {
            "was replaced by another one"
        } else {
            "was removed or renamed"
        };
        assert!(error.contains(said), "{error}");
        // A further reader never opens the other file.
        let mut reads = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let store = service.store().clone();
            reads.spawn(async move {
                let read = store.read(|session| {
                    session.first("SELECT count(*) FROM datasource_values", &[], |row| {
                        row.int(0)
                    })
                });
                matches!(
                    read.await,
                    Ok(Some(Some(1))) | Err(StoreError::Unavailable(_))
                )
            });
        }
        assert!(reads.join_all().await.into_iter().all(|right| right));
        assert_eq!(there(), replaced, "no file is made");
        std::fs::rename(&moved, &file).expect("moved back");
        assert_eq!(service.get("/readyz").await.status, 200);
    }
    assert_eq!(write().await.status, 200);
    service.running.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_is_removed_in_use_is_put_back_and_not_written_into_another_file() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let backup = plant.left().one_file();
    plant.add(2, 10).await;
    let remove_log = |folder: &Path| {
        for name in ["plant.db-wal", "plant.db-shm"] {
            std::fs::remove_file(folder.join(name)).expect("removed");
        }
    };

    // The file is the right one: nothing that was answered is lost.
    let Plant { folder, store } = plant;
    remove_log(folder.path());
    let refused = store.write(|session| add_area(session, 3, "lost")).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))));
    store.close().await;
    assert_eq!(Left::of(folder.path()).areas(LeftoverWal::Check).await, 2);

    // A backup was copied over it: it is left unchanged, and the next start does not mix the two.
    let store = opened(folder.path()).await;
    let added = store.write(|session| add_area(session, 4, "more")).await;
    added.expect("an area");
    remove_log(folder.path());
    let file = folder.path().join("plant.db");
    std::fs::copy(backup.main(), &file).expect("put in its place");
    store.close().await;
    assert!(std::fs::read(&file).expect("read") == std::fs::read(backup.main()).expect("read"));
    let left = Left::of(folder.path());
    let text = left.refusal().await;
    assert!(text.contains("is not the file that the log"), "{text}");
    assert_eq!(left.areas(LeftoverWal::Discard).await, 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_does_not_join_a_service_whose_file_was_replaced() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let backup = plant.left().one_file();
    let file = plant.folder.path().join("plant.db");
    std::fs::rename(backup.main(), &file).expect("put in its place");
    let url = format!("sqlite:{}", file.display());
    for leftover_wal in [LeftoverWal::Check, LeftoverWal::Apply, LeftoverWal::Discard] {
        let options = StoreOptions {
            leftover_wal,
            ..StoreOptions::default()
        };
        match Store::open(&url, &options).await {
            Err(StoreError::Mismatch(text)) => {
                assert!(text.contains("another process uses the database"), "{text}");
            }
            other => panic!("{:?}", other.map(drop)),
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_the_file_is_as_good_as_the_file() {
    let plant = Plant::new().await;
    plant.add(1, 10).await;
    let beside = tempfile::tempdir().expect("a folder");
    let link = beside.path().join("link.db");
    std::os::unix::fs::symlink(plant.folder.path().join("plant.db"), &link).expect("a link");
    let url = format!("sqlite:{}", link.display());
    let store = Store::open(&url, &StoreOptions::default())
        .await
        .expect("opened");
    assert_eq!(areas(&store).await, 1);
    store.check_files().expect("in their place");
    store.close().await;
    let names: Vec<_> = std::fs::read_dir(beside.path())
        .expect("a folder")
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
}
