//! `obeya restore`: into an empty place, and never under a service.

use std::fs;
use std::path::{Path, PathBuf};

use obeya_testkit::postgres::Scratch;
use tempfile::TempDir;

use crate::backup::names;
use crate::binary::{Done, database, run, serve_existing};
use crate::credentials::{Credentials, get, import_plant};

/// A plant, a backup of it, and a place for another one.
struct Drill {
    credentials: Credentials,
    backup: PathBuf,
    _folder: TempDir,
    place: TempDir,
}

impl Drill {
    fn new() -> Drill {
        let (folder, db) = database();
        let credentials = import_plant(&db);
        let backup = folder.path().join("backup.db");
        let text = backup.to_str().expect("UTF-8");
        run(["backup", text, "--db", &db]).success();
        Drill {
            credentials,
            backup,
            _folder: folder,
            place: tempfile::tempdir().expect("a folder"),
        }
    }

    fn file(&self) -> PathBuf {
        self.place.path().join("plant.db")
    }

    fn db(&self) -> String {
        format!("sqlite:{}", self.file().display())
    }

    fn restore(&self) -> Done {
        restore(&self.backup, &self.db())
    }
}

fn restore(backup: &Path, db: &str) -> Done {
    run(["restore", backup.to_str().expect("UTF-8"), "--db", db])
}

#[test]
fn clients_and_tokens_are_those_of_the_backup_and_the_output_says_what_is_not() {
    let drill = Drill::new();
    let before = fs::read(&drill.backup).expect("a file");
    let out = drill.restore().success();
    for said in [
        "`LastModifiedFrom`",
        "`obeya client list`",
        "`rotate-secret`",
        "`obeya keys retire`",
        "`obeya erase-user`",
        "`obeya audit --verify`",
        "last change  2",
    ] {
        assert!(out.contains(said), "{said} is missing in {out}");
    }
    assert_eq!(names(drill.place.path()), ["plant.db"]);
    assert!(fs::read(drill.file()).expect("a file") == before);
    let serving = serve_existing(&drill.db(), &["--log", "off"]);
    let token = drill.credentials.token(&serving.url);
    let areas = get(&serving.url, &token, "/v2/areas", "");
    assert!(!areas["value"].as_array().expect("areas").is_empty());
    assert!(
        fs::read(&drill.backup).expect("a file") == before,
        "only read"
    );
}

#[test]
fn a_place_that_is_not_empty_stays_as_it_is() {
    for there in [
        "plant.db",
        "plant.db-wal",
        "plant.db-shm",
        "plant.db-journal",
    ] {
        let drill = Drill::new();
        fs::write(drill.place.path().join(there), "").expect("a file");
        let err = drill.restore().failure(1);
        assert!(err.contains(&format!("{there} is there already")), "{err}");
        assert_eq!(names(drill.place.path()), [there]);
    }
    let drill = Drill::new();
    let scratch = Scratch::empty();
    // A service ran here once.
    drop(crate::binary::serve_new(scratch.url(), &["--log", "off"]));
    let err = restore(&drill.backup, scratch.url()).failure(1);
    assert!(err.contains("the target is not empty"), "{err}");
}

/// All that is left of the database is the lock of the process that uses it.
#[cfg(unix)]
#[test]
fn a_service_whose_files_were_moved_away_is_noticed() {
    let drill = Drill::new();
    drill.restore().success();
    let serving = serve_existing(&drill.db(), &["--log", "off"]);
    for name in ["plant.db", "plant.db-wal", "plant.db-shm"] {
        fs::remove_file(drill.place.path().join(name)).expect("removed");
    }
    let err = drill.restore().failure(1);
    assert!(err.contains("a process still uses the database"), "{err}");
    assert_eq!(names(drill.place.path()), ["plant.db-lock"]);
    drop(serving);
    drill.restore().success();
}

#[test]
fn what_is_no_whole_backup_is_refused_and_leaves_nothing() {
    let drill = Drill::new();
    let whole = fs::read(&drill.backup).expect("a file");
    let page = {
        let connection = rusqlite::Connection::open(&drill.backup).expect("a database");
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'boards_by_name'";
        let page: u32 = connection
            .query_row(sql, [], |row| row.get(0))
            .expect("a page");
        page as usize
    };
    let mut damaged = whole.clone();
    damaged[(page - 1) * 8192 + 4] = 0;
    for (bytes, said) in [
        (&damaged[..], "boards_by_name"),
        (&whole[..whole.len() / 2], "because: "),
        (b"{}", "because: "),
    ] {
        fs::write(&drill.backup, bytes).expect("written");
        let err = drill.restore().failure(1);
        assert!(
            err.contains("backup.db cannot be restored") && err.contains(said),
            "{err}"
        );
        assert_eq!(names(drill.place.path()), [""; 0]);
    }
    // A database in use: the file alone is not all of it.
    let (_folder, db) = database();
    import_plant(&db);
    let serving = serve_existing(&db, &["--log", "off"]);
    let file = db.strip_prefix("sqlite:").expect("a file");
    let err = restore(Path::new(file), &drill.db()).failure(1);
    assert!(err.contains("has a log beside it"), "{err}");
    assert_eq!(names(drill.place.path()), [""; 0]);
    drop(serving);
}

/// A log that became long may have been written into the file up to any of its commits. So it would fit a
/// copy from its middle, and make of it what came later; a backup has a commit of its own.
#[cfg(unix)]
#[test]
fn a_backup_from_the_middle_of_a_log_is_not_mixed_with_it() {
    let (folder, db) = database();
    import_plant(&db);
    let [file, backup, large] =
        ["plant.db", "backup.db", "large"].map(|name| folder.path().join(name));
    let serving = serve_existing(&db, &["--log", "off"]);
    run(["backup", backup.to_str().expect("UTF-8"), "--db", &db]).success();
    fs::create_dir(&large).expect("a folder");
    let area = |id: i32| {
        format!(
            "{{\"id\":{id},\"name\":\"a\",\"description\":\"{}\"}}\n",
            "x".repeat(1 << 20)
        )
    };
    let areas: String = (901..911).map(area).collect();
    fs::write(large.join("areas.jsonl"), areas).expect("written");
    run(["import", large.to_str().expect("UTF-8"), "--db", &db]).success();
    drop(serving);
    let log = fs::metadata(folder.path().join("plant.db-wal")).expect("a log");
    assert!(log.len() > 8192 * 1000, "{}", log.len());
    fs::copy(&backup, &file).expect("a copy");
    let err = run(["client", "list", "--db", &db]).failure(1);
    assert!(err.contains("is not the file that the log"), "{err}");
}
