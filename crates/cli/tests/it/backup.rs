//! `obeya backup`: what is in the file, who may read it, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya::model::{DatasourceValueInput, Timestamp};
use obeya_server::store::testing;
use obeya_testkit::postgres::Scratch;
use rusqlite::Connection;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::binary::{Done, database, kill_at_random, run, serve_existing};
use crate::credentials::import_plant;
use crate::migrate::plant::{Folder, differences};

/// The datasource of the specification's plant that values are added to.
const DATASOURCE: i32 = 13;

fn backup(target: &Path, db: &str, more: &[&str]) -> Done {
    let target = target.to_str().expect("UTF-8");
    run([&["backup", target, "--db", db][..], more].concat())
}

/// The names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

fn number(file: &Path, sql: &str) -> i64 {
    let connection = Connection::open(file).expect("a database");
    connection.query_row(sql, [], |row| row.get(0)).expect(sql)
}

#[test]
fn every_row_is_in_the_one_file_that_it_writes() {
    let folder = Folder::new();
    let source = folder.plant("a.db");
    let to = tempfile::tempdir().expect("a folder");
    let file = to.path().join("b.db");
    let out = backup(&file, &folder.url("a.db"), &["--json"]).success();
    // Nothing that a reader would have to take with it, and nothing that was on the way.
    assert_eq!(names(to.path()), ["b.db"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let bytes = fs::read(&file).expect("a file");
    assert_eq!(report["sha256"], format!("{:x}", Sha256::digest(&bytes)));
    assert_eq!(report["bytes"], bytes.len());
    assert_eq!(report["file"], file.to_str().expect("UTF-8"));
    assert_eq!(report["last_change"], "2025-06-02T08:00:00.0000003Z");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    drop(source);
    assert_eq!(differences(&folder.file("a.db"), &file), [""; 0]);
    let rows: i64 = report["rows"].as_i64().expect("a number");
    // Search indexes and the sequences of ids are no rows of their own.
    assert!(rows > 9_000, "{rows}");
    let version = "PRAGMA user_version";
    assert_eq!(
        number(&file, version),
        number(&folder.file("a.db"), version)
    );
}

/// Half-done batches, a torn snapshot or a lost answer would all show.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn beside_a_service_that_writes_it_holds_one_state_with_all_that_was_answered_before() {
    let (folder, db) = database();
    let plant = import_plant(&db);
    let serving = serve_existing(&db, &["--log", "off"]);
    let client = plant.client(&serving.url);
    client.authenticate().await.expect("a token");
    let count = "SELECT count(*) FROM datasource_values WHERE external_id = 'of a batch'";
    let over = Arc::new(AtomicBool::new(false));
    let answered = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let writing = {
        let (over, answered) = (Arc::clone(&over), Arc::clone(&answered));
        tokio::spawn(async move {
            let one = DatasourceValueInput {
                external_id: Some("of a batch".to_owned()),
                ..DatasourceValueInput::new(
                    1.5,
                    Timestamp::from_ticks(17_000_000_000_000_000).expect("in range"),
                )
            };
            let batch = vec![one; 7];
            while !over.load(Ordering::Relaxed) {
                let added = client.datasources().create_values(DATASOURCE, &batch).await;
                assert_eq!(added.expect("added"), 7);
                answered.fetch_add(7, Ordering::SeqCst);
            }
        })
    };
    let mut last = 0;
    for round in 0..5 {
        while answered.load(Ordering::SeqCst) == last {
            tokio::task::yield_now().await;
        }
        last = answered.load(Ordering::SeqCst);
        let file = folder.path().join(format!("{round}.db"));
        let (target, db) = (file.clone(), db.clone());
        let done = tokio::task::spawn_blocking(move || backup(&target, &db, &[])).await;
        done.expect("run").success();
        let found = number(&file, count).unsigned_abs();
        assert!(found >= last, "{found} of {last} answered values");
        assert_eq!(found % 7, 0, "a batch is there as a whole or not at all");
        assert_eq!(
            number(&file, "SELECT value_count FROM datasources WHERE id = 13"),
            number(
                &file,
                "SELECT count(*) FROM datasource_values WHERE datasource_id = 13"
            )
        );
        let url = format!("sqlite:{}", file.display());
        run(["check", "--db", &url]).success();
    }
    over.store(true, Ordering::Relaxed);
    writing.await.expect("written");
}

#[test]
fn a_file_is_replaced_only_where_that_is_asked_for_and_a_folder_gets_a_dated_one() {
    let (folder, db) = database();
    import_plant(&db);
    let file = folder.path().join("b.db");
    fs::write(&file, "mine").expect("a file");
    let err = backup(&file, &db, &[]).failure(1);
    assert!(
        err.contains("b.db exists already; --overwrite replaces it"),
        "{err}"
    );
    assert_eq!(fs::read(&file).expect("a file"), b"mine");
    backup(&file, &db, &["--overwrite"]).success();
    assert!(number(&file, "SELECT count(*) FROM incidents") > 0);

    let to = tempfile::tempdir().expect("a folder");
    let out = backup(to.path(), &db, &[]).success();
    let [name] = names(to.path()).try_into().expect("one file");
    let name: String = name;
    // obeya-2026-11-23T170301Z.db
    let shape = name.replace(|c: char| c.is_ascii_digit(), "0");
    assert_eq!(shape, "obeya-0000-00-00T000000Z.db");
    assert!(out.contains(&name), "{out}");
}

#[test]
fn the_database_itself_and_one_in_use_are_never_replaced() {
    let (folder, db) = database();
    import_plant(&db);
    let file = folder.path().join("plant.db");
    let before = fs::read(&file).expect("a file");
    let err = backup(&file, &db, &["--overwrite"]).failure(1);
    assert!(err.contains("is a database in use"), "{err}");
    assert!(fs::read(&file).expect("a file") == before);
    // Another one, with a service on it.
    let (_other, other) = database();
    import_plant(&other);
    let serving = serve_existing(&other, &["--log", "off"]);
    let path = PathBuf::from(other.strip_prefix("sqlite:").expect("a file"));
    let err = backup(&path, &db, &["--overwrite"]).failure(1);
    assert!(err.contains("is a database in use"), "{err}");
    drop(serving);
}

#[test]
fn what_is_no_database_is_refused_and_leaves_nothing() {
    let (folder, db) = database();
    let to = tempfile::tempdir().expect("a folder");
    let file = to.path().join("b.db");
    let err = backup(&file, &db, &[]).failure(1);
    assert!(err.contains("there is no database"), "{err}");
    let plant = folder.path().join("plant.db");
    for (bytes, said) in [
        (&b""[..], "holds no database of this program"),
        (b"not a database, whatever its name says, but longer than a header of one hundred bytes: that is how long it is.",
            "is not a SQLite database"),
    ] {
        fs::write(&plant, bytes).expect("a file");
        let err = backup(&file, &db, &[]).failure(1);
        assert!(err.contains(said), "{err}");
        assert_eq!(names(folder.path()), ["plant.db"]);
    }
    assert_eq!(names(to.path()), [""; 0]);
}

/// A damaged page is copied, and found when the copy is read back.
#[test]
fn no_backup_of_a_damaged_file_gets_a_name() {
    let (folder, db) = database();
    import_plant(&db);
    let plant = folder.path().join("plant.db");
    let page = number(
        &plant,
        "SELECT rootpage FROM sqlite_schema WHERE name = 'boards_by_name'",
    );
    // The log of the last command was written into the file when it ended.
    assert!(!folder.path().join("plant.db-wal").exists());
    let mut bytes = fs::read(&plant).expect("a file");
    bytes[(page as usize - 1) * 8192 + 4] = 0;
    fs::write(&plant, bytes).expect("written");
    let to = tempfile::tempdir().expect("a folder");
    let err = backup(&to.path().join("b.db"), &db, &[]).failure(1);
    assert!(
        err.contains("is damaged") && err.contains("boards_by_name"),
        "{err}"
    );
    assert_eq!(names(to.path()), [""; 0]);
}

/// The new program can make the backup before its own upgrade.
#[test]
fn a_database_of_an_older_version_is_copied_as_it_is() {
    let (folder, db) = database();
    let plant = folder.path().join("plant.db");
    testing::make_old(&db, 7, "INSERT INTO areas (id, name) VALUES (1, 'Yard');");
    let before = fs::read(&plant).expect("a file");
    let file = folder.path().join("b.db");
    let out = backup(&file, &db, &[]).success();
    assert!(
        out.contains("not compared: schema version 7 is older"),
        "{out}"
    );
    assert!(fs::read(&plant).expect("a file") == before);
    assert_eq!(number(&file, "PRAGMA user_version"), 7);
    assert_eq!(number(&file, "SELECT count(*) FROM areas"), 1);

    let plants = Folder::new();
    drop(plants.empty("new.db"));
    let newest = number(&plants.file("new.db"), "PRAGMA user_version");
    let database = Scratch::empty();
    testing::make_old(database.url(), 7, "SELECT 1");
    let err = backup(&folder.path().join("c.db"), database.url(), &[]).failure(1);
    let expected = format!("has schema version 7, expected {newest}");
    assert!(err.contains(&expected), "{err}");
}

#[test]
fn killed_at_any_moment_it_leaves_a_whole_backup_or_none() {
    let folder = Folder::new();
    folder.plant("a.db");
    let to = tempfile::tempdir().expect("a folder");
    let file = to.path().join("b.db");
    let arguments = [
        "backup",
        file.to_str().expect("UTF-8"),
        "--db",
        &folder.url("a.db"),
    ];
    kill_at_random(&arguments, || {
        if !file.exists() {
            return false;
        }
        assert_eq!(differences(&folder.file("a.db"), &file), [""; 0]);
        fs::remove_file(&file).expect("removed");
        true
    });
}

#[test]
fn of_a_server_it_is_the_same_file_and_goes_to_either_engine() {
    let folder = Folder::new();
    folder.plant("a.db");
    let scratch = Scratch::empty();
    crate::migrate::plant::copy(&folder.url("a.db"), scratch.url()).expect("copied");
    let to = tempfile::tempdir().expect("a folder");
    let file = to.path().join("b.db");
    let report = |out: &str| -> Value { serde_json::from_str(out).expect("JSON") };
    let written = report(&backup(&file, scratch.url(), &["--json"]).success());
    assert_eq!(names(to.path()), ["b.db"]);
    assert_eq!(differences(&folder.file("a.db"), &file), [""; 0]);

    let text = file.to_str().expect("UTF-8");
    let again = Scratch::empty();
    let restored = report(&run(["restore", text, "--db", again.url(), "--json"]).success());
    assert_eq!(restored["digest"], written["digest"]);
    crate::migrate::plant::copy(again.url(), &folder.url("c.db")).expect("copied");
    assert_eq!(
        differences(&folder.file("a.db"), &folder.file("c.db")),
        [""; 0]
    );
    run(["restore", text, "--db", &folder.url("d.db")]).success();
    assert_eq!(
        differences(&folder.file("a.db"), &folder.file("d.db")),
        [""; 0]
    );
    let of_file =
        report(&backup(&to.path().join("e.db"), &folder.url("a.db"), &["--json"]).success());
    assert_eq!(of_file["digest"], written["digest"]);
}
