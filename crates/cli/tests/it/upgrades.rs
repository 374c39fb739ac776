//! Databases, exports, clients and tokens of earlier builds, as those builds made them (`tests/upgrades`):
//! each opens, is migrated and answers what its own build answered, also if the migration was killed.

mod old_clients;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use obeya_testkit::Serving;
use obeya_testkit::postgres::{Scratch, connect};
use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::binary::{database, kill_at_random, obeya, run, serve_existing};
use crate::credentials::{Credentials, get};
use crate::postgres::{block_on, number_after_kill, sql, until};

const BUILDS: [&str; 5] = ["3109361", "361c08d", "8e78d6a", "f2b1944", "bb63f81"];
/// The build whose schema is the oldest, and its version.
const OLDEST: (&str, i64) = (BUILDS[0], 4);
/// The service of each build had these names, which its tokens have.
const NAMES: [&str; 6] = [
    "--base-url",
    "http://plant.example",
    "--auth-url",
    "http://plant.example",
    "--log",
    "off",
];
/// The newest version of the schema: there is a file for each.
const MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/src/schema/sqlite");

/// A file of a build; `None` if the build had none.
fn unpacked(build: &str, name: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrades");
    let file = fs::File::open(folder.join(build).join(format!("{name}.gz"))).ok()?;
    let mut bytes = Vec::new();
    let mut unpacked = flate2::read::GzDecoder::new(file);
    unpacked.read_to_end(&mut bytes).expect("gzip");
    Some(bytes)
}

fn json<T: serde::de::DeserializeOwned>(build: &str, name: &str) -> Option<T> {
    let bytes = unpacked(build, name)?;
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}

/// Puts the SQLite database of a build into a folder, in place of any that is there.
fn put(build: &str, folder: &Path) -> PathBuf {
    for suffix in ["-wal", "-shm", "-lock"] {
        let _ = fs::remove_file(folder.join(format!("plant.db{suffix}")));
    }
    for name in ["plant.db", "plant.db-wal"] {
        if let Some(bytes) = unpacked(build, name) {
            fs::write(folder.join(name), bytes).expect("written");
        }
    }
    folder.join("plant.db")
}

fn newest() -> i64 {
    fs::read_dir(MIGRATIONS).expect("a folder").count() as i64
}

fn number(file: &Path, sql: &str) -> i64 {
    let connection = Connection::open(file).expect("a database");
    connection.query_row(sql, [], |row| row.get(0)).expect(sql)
}

/// The client of a build, its token, and what the build answered.
struct Answered {
    credentials: Credentials,
    token: String,
    answers: Map<String, Value>,
}

impl Answered {
    fn of(build: &str, engine: &str) -> Answered {
        let facts: Value = json(build, &format!("{engine}.json")).expect("facts");
        let text = |name: &str| facts[name].as_str().expect("a text").to_owned();
        Answered {
            credentials: Credentials {
                id: text("client_id"),
                secret: text("client_secret"),
            },
            token: text("token"),
            answers: facts["answers"].as_object().expect("answers").clone(),
        }
    }

    /// The service answers the same, to the token of then and to a new one of the client of then.
    fn compare(&self, build: &str, serving: &Serving) {
        let new = self.credentials.token(&serving.url);
        assert!(self.answers.len() >= 12, "{build}");
        for token in [&self.token, &new] {
            self.compare_as(build, serving, token);
        }
    }

    fn compare_as(&self, build: &str, serving: &Serving, token: &str) {
        for (path, then) in &self.answers {
            let now = get(&serving.url, token, path, "");
            let mut differences = Vec::new();
            compare(path, &with_keys(then.clone()), &now, &mut differences);
            assert_eq!(differences, [""; 0], "{build}");
        }
    }
}

/// The answer with the text that was the `id` of an element as its `key`: the one change of a type that
/// `spec/DECISIONS.md`, section 9, lists.
fn with_keys(mut answer: Value) -> Value {
    let elements = answer.get_mut("elements").and_then(Value::as_array_mut);
    for element in elements.into_iter().flatten() {
        if let Some(id) = element["id"].as_str() {
            element["key"] = id.into();
            element.as_object_mut().expect("an element").remove("id");
        }
    }
    answer
}

/// Collects what an answer of then has and the one of now has not. Properties may have come since.
fn compare(place: &str, then: &Value, now: &Value, differences: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (name, then) in then {
                let now = now.get(name).unwrap_or(&Value::Null);
                compare(&format!("{place} {name}"), then, now, differences);
            }
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            for (n, (then, now)) in then.iter().zip(now).enumerate() {
                compare(&format!("{place} {n}"), then, now, differences);
            }
        }
        (then, now) if then == now => {}
        (then, now) => differences.push(format!("{place}: then {then}, now {now}")),
    }
}

/// Rows that are in one of two files and not in the other, in the columns that the older one has. What is
/// derived, and what a migration changes on purpose, is left out.
fn differences(then: &Path, now: &Path) -> Vec<String> {
    let connection = Connection::open(then).expect("a database");
    connection
        .execute("ATTACH ?1 AS now", [now.to_str().expect("UTF-8")])
        .expect("attached");
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).expect("prepared");
        let rows = statement.query_map([], |row| row.get(0)).expect("run");
        rows.map(|row| row.expect("a text")).collect()
    };
    let tables = texts(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
            AND name NOT LIKE 'obeya%' AND name NOT IN ('answers', 'stamps')",
    );
    assert!(tables.len() > 25, "{tables:?}");
    let mut found = Vec::new();
    for table in tables {
        let columns = texts(&format!("SELECT name FROM pragma_table_info('{table}')")).join(", ");
        for (one, other) in [("main", "now"), ("now", "main")] {
            let sql = format!(
                "SELECT count(*) FROM (SELECT {columns} FROM {one}.{table} EXCEPT SELECT {columns} FROM {other}.{table})"
            );
            let rows: i64 = connection
                .query_row(&sql, [], |row| row.get(0))
                .expect("counted");
            if rows > 0 {
                found.push(format!("{rows} rows of {table} only in {one}"));
            }
        }
    }
    found
}

#[test]
fn a_file_of_each_build_is_upgraded_and_answers_what_it_answered() {
    for build in BUILDS {
        let (folder, db) = database();
        let file = put(build, folder.path());
        let (before, _) = database();
        let then = put(build, before.path());
        // Before a service, which removes what is old, has it.
        run(["client", "list", "--db", &db]).success();
        assert_eq!(number(&file, "PRAGMA user_version"), newest());
        assert_eq!(differences(&then, &file), [""; 0], "{build}");
        run(["check", "--db", &db]).success();
        let serving = serve_existing(&db, &NAMES);
        Answered::of(build, "sqlite").compare(build, &serving);
    }
}

#[test]
fn a_server_of_each_build_is_upgraded_and_answers_what_it_answered() {
    for build in BUILDS {
        let database = loaded(build);
        let db = database.url();
        run(["client", "list", "--db", db]).success();
        run(["check", "--db", db]).success();
        let serving = serve_existing(db, &NAMES);
        Answered::of(build, "postgres").compare(build, &serving);
    }
}

#[test]
fn an_export_of_each_build_is_imported_and_answers_what_it_answered() {
    let mut imported = 0;
    for build in BUILDS {
        let Some(files) = json::<BTreeMap<String, String>>(build, "export.json") else {
            continue;
        };
        imported += 1;
        let (folder, db) = database();
        let export = folder.path().join("export");
        fs::create_dir(&export).expect("a folder");
        for (name, text) in files {
            fs::write(export.join(name), text).expect("written");
        }
        run(["import", export.to_str().expect("UTF-8"), "--db", &db]).success();
        run(["check", "--db", &db]).success();
        let credentials = Credentials::add(&db, &["public.api.read", "public.api.write"]);
        let serving = serve_existing(&db, &NAMES);
        // An export has no clients.
        let token = credentials.token(&serving.url);
        Answered::of(build, "sqlite").compare_as(build, &serving, &token);
    }
    assert_eq!(imported, 4);
}

/// The database of a build on the server of the tests.
fn loaded(build: &str) -> Scratch {
    let database = Scratch::empty();
    let dump = unpacked(build, "plant.sql").expect("a dump");
    sql(database.url(), &[&String::from_utf8(dump).expect("UTF-8")]);
    database
}

/// Many types, whose words are indexed on the way, so that most kills come in the middle.
#[test]
fn a_migration_of_a_file_that_is_killed_at_any_moment_changed_nothing_and_starts_again() {
    let (folder, db) = database();
    let (large, _) = database();
    let (build, old) = OLDEST;
    let then = put(build, large.path());
    let many = "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 4100)
        INSERT INTO incident_types (id, title, description) SELECT i, 'Type ' || i, 'Words that are indexed: ' || i FROM n";
    Connection::open(&then)
        .expect("a database")
        .execute_batch(many)
        .expect("types");
    let begin = || {
        let file = put(build, folder.path());
        fs::copy(&then, &file).expect("a copy");
        file
    };
    let file = begin();
    let upgrade = ["client", "list", "--db", &db];
    kill_at_random(&upgrade, || {
        let version = number(&file, "PRAGMA user_version");
        let is_done = version == newest();
        if !is_done {
            assert_eq!(version, old);
            assert_eq!(
                number(
                    &file,
                    "SELECT count(*) FROM sqlite_schema WHERE name = 'answers'"
                ),
                0
            );
            run(upgrade).success();
        }
        assert_eq!(number(&file, "PRAGMA user_version"), newest());
        assert_eq!(differences(&then, &file), [""; 0]);
        run(["check", "--db", &db]).success();
        begin();
        is_done
    });
}

/// Another transaction holds it up after three of its files; then it is killed.
#[test]
fn a_migration_of_a_server_that_is_killed_in_the_middle_changed_nothing_and_starts_again() {
    let (build, old) = OLDEST;
    let database = loaded(build);
    let db = database.url();
    let mut upgrade = obeya();
    upgrade
        .args(["client", "list", "--db", db])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    block_on(async {
        let holder = connect(db).await;
        let hold = "BEGIN; LOCK TABLE incidents IN ACCESS SHARE MODE";
        holder.batch_execute(hold).await.expect("held");
        let mut upgrading = upgrade.spawn().expect("started");
        let looker = connect(db).await;
        let waiting =
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'incidents'::regclass";
        until(&looker, waiting, 1).await;
        upgrading.kill().expect("killed");
        upgrading.wait().expect("ended");
        holder.batch_execute("COMMIT").await.expect("let go");
    });
    let version = "SELECT version::bigint FROM obeya_schema";
    assert_eq!(number_after_kill(db, version), old);
    let tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'answers'";
    assert_eq!(number_after_kill(db, tables), 0);
    run(["client", "list", "--db", db]).success();
    assert_eq!(number_after_kill(db, version), newest());
    run(["check", "--db", db]).success();
    let serving = serve_existing(db, &NAMES);
    Answered::of(build, "postgres").compare(build, &serving);
}
