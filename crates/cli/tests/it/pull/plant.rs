//! A service with the plant of the specification, and as many values as a test wants.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use obeya_testkit::Serving;
use obeya_testkit::postgres::Scratch;
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{Done, database, done, obeya, run, serve_new};
use crate::credentials::{Credentials, PLANT, get};
use crate::postgres::sql;

/// The datasource that [`Plant::with_values`] fills.
pub const DATASOURCE: &str = "13";

/// A running service.
pub struct Plant {
    folder: TempDir,
    pub serving: Serving,
    credentials: Credentials,
    /// Where it is on PostgreSQL.
    _scratch: Option<Scratch>,
}

impl Plant {
    pub fn new() -> Self {
        Self::with_values(0)
    }

    /// With this many values of one datasource: some at the same instant, some less than a microsecond apart,
    /// unordered ids, every kind of text.
    pub fn with_values(values: u32) -> Self {
        Self::over(None, values)
    }

    /// The same plant on each engine.
    pub fn on_each(values: u32) -> [Self; 2] {
        [None, Some(Scratch::empty())].map(|scratch| Self::over(scratch, values))
    }

    fn over(scratch: Option<Scratch>, values: u32) -> Self {
        let (folder, file) = database();
        let db = scratch
            .as_ref()
            .map_or(file, |scratch| scratch.url().to_owned());
        run(["import", PLANT, "--db", &db]).success();
        match &scratch {
            _ if values == 0 => {}
            None => {
                let database = Connection::open(folder.path().join("plant.db")).expect("open");
                insert(&database, 0, values, 1_000_000);
            }
            Some(scratch) => {
                let insertion = change(&insertion(0, values, 1_000_000));
                sql(scratch.url(), &["BEGIN", &insertion]);
            }
        }
        let scopes = [
            "Data.ReadWrite",
            "UserManagement.Read",
            "Incidents.Read",
            "Improvements.Read",
            "Boards.Read",
            "Projects.Read",
            "Tasks.Read",
        ];
        let credentials = Credentials::add(&db, &scopes);
        // The log is not read, and a full pipe would block the service.
        let serving = serve_new(&db, &["--log", "error"]);
        Self {
            folder,
            serving,
            credentials,
            _scratch: scratch,
        }
    }

    /// A file in a folder of this test.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The database, past the service.
    pub fn database(&self) -> Connection {
        Connection::open(self.file("plant.db")).expect("open")
    }

    /// `obeya pull` with these arguments, as a client of the service.
    pub fn pull(&self, arguments: &[&str]) -> Command {
        let mut command = obeya();
        command
            .arg("pull")
            .args(arguments)
            .env("OBEYA_BASE_URL", &self.serving.url)
            .env("OBEYA_CLIENT_ID", &self.credentials.id)
            .env("OBEYA_CLIENT_SECRET", &self.credentials.secret)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a pull to completion.
    pub fn run(&self, arguments: &[&str]) -> Done {
        done(&mut self.pull(arguments))
    }

    /// Pulls into a file, which must be the only one left.
    #[track_caller]
    pub fn pulled(&self, arguments: &[&str], name: &str) -> PathBuf {
        let file = self.file(name);
        let path = file.to_str().expect("UTF-8");
        let out = self.run(&[arguments, &["-o", path]].concat()).success();
        assert!(out.contains(" rows in "), "{out}");
        assert!(!beside(&file, ".part").exists(), "{name}");
        assert!(!beside(&file, ".part.json").exists(), "{name}");
        file
    }

    /// All records of a list, as the service answers them in JSON.
    pub fn records(&self, path: &str) -> Vec<Value> {
        let mut records = Vec::new();
        for page in 1.. {
            let (path, key) = match path.split_once("/v2/") {
                Some(_) => (path.to_owned(), "value"),
                None => (format!("{path}?pageSize=10000&page={page}"), "values"),
            };
            let answer = self.get(&path);
            if let Some(all) = answer.as_array() {
                return all.clone();
            }
            let some = answer[key].as_array().expect("an array").clone();
            let is_last = key == "value" || some.len() < 10_000;
            records.extend(some);
            if is_last {
                break;
            }
        }
        records
    }

    pub fn values(&self) -> Vec<Value> {
        self.records(&format!("/v1/Datasources/{DATASOURCE}/values"))
    }

    pub fn get(&self, path: &str) -> Value {
        let url = &self.serving.url;
        get(url, &self.credentials.token(url), path, "")
    }
}

/// Inserts values number `from` to `to`. Numbers go up with the date, ids do not.
pub fn insert(database: &Connection, from: u32, to: u32, first_id: u32) {
    changed(database, &insertion(from, to, first_id));
}

/// The statement for it, in SQL of both engines.
fn insertion(from: u32, to: u32, first_id: u32) -> String {
    format!(
        "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, area_id, asset_id, project_id,
            description, dimension, dimension2, dimension3, dimension4, external_id)
        WITH RECURSIVE n (i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {to})
        SELECT {DATASOURCE}, 17000000000000000 + (i / 5) * 6000000000 + (i % 3) * 3, {first_id} + (i * 7919) % 10000019,
            (i % 1000) / 7.0 - 3.5, 17000000000000000 + i * 7, nullif(i % 5, 0), nullif(i % 7, 0), NULL,
            CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'to linjer\nher' ELSE 'måling ' || i END,
            CASE i % 4 WHEN 0 THEN 'Night' WHEN 1 THEN 'Day' WHEN 2 THEN 'say \"x\", y' END,
            CASE i % 3 WHEN 0 THEN '東京' WHEN 1 THEN ' led' END, 'L' || (i % 40), NULL, 'x-' || i FROM n"
    )
}

/// Changes values as the service does: in one transaction, with their count and the change counter.
pub fn changed(database: &Connection, sql: &str) {
    database
        .busy_timeout(Duration::from_secs(10))
        .expect("a time to wait");
    database
        .execute_batch(&format!("BEGIN IMMEDIATE; {}", change(sql)))
        .expect("changed values");
}

/// The rest of the transaction.
fn change(sql: &str) -> String {
    format!(
        "{sql};
        UPDATE datasources SET value_count = (SELECT count(*) FROM datasource_values WHERE datasource_id = {DATASOURCE}),
            change_counter = change_counter + 1 WHERE id = {DATASOURCE};
        COMMIT;"
    )
}

/// The path of a file with a suffix.
pub fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
