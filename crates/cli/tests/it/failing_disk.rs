//! The service on a disk that refuses to be written: writes and `/readyz` answer 503 and name no file, reads
//! go on, and the service recovers without help.

use std::path::Path;
use std::time::{Duration, Instant};

use obeya_server::store::{Store, StoreOptions};
use obeya_testkit::Serving;
use obeya_testkit::disk::{Disk, Fault, Operation};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::binary::{obeya, run};
use crate::credentials::{ALL, Credentials};

/// For what the service notices by itself, every two seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service with one datasource on a disk of its own.
struct Plant {
    disk: Disk,
    url: String,
    credentials: Credentials,
    token: String,
    db: String,
    serving: Option<Serving>,
    folder: TempDir,
    agent: ureq::Agent,
}

impl Plant {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let plant = folder.path().join("import");
        std::fs::create_dir(&plant).expect("made");
        crate::import::write_lines(&plant, "datasources.jsonl", [r#"{"id":1}"#]);
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("made");
        let db = format!("sqlite:{}", data.join("plant.db").display());
        run(["import", plant.to_str().expect("UTF-8"), "--db", &db]).success();
        let credentials = Credentials::add(&db, &ALL);
        let disk = Disk::new(&data);
        let mut plant = Plant {
            disk,
            url: String::new(),
            credentials,
            token: String::new(),
            db,
            serving: None,
            folder,
            agent: ureq::Agent::config_builder()
                .http_status_as_error(false)
                .build()
                .into(),
        };
        plant.start();
        plant
    }

    fn start(&mut self) {
        let mut command = obeya();
        self.disk.hold(&mut command);
        // The log is not read, and a full pipe would block the service.
        let serving = Serving::start(command, &self.db, &["--log", "off"]);
        self.url.clone_from(&serving.url);
        self.token = self.credentials.token(&self.url);
        self.serving = Some(serving);
    }

    /// SIGKILL.
    fn kill(&mut self) {
        self.serving = None;
    }

    /// The status and body of an answer; a 503 always has `Retry-After`.
    fn answer(&self, path: &str, body: Option<&Value>) -> (u16, String) {
        let (url, authorization) = (
            format!("{}{path}", self.url),
            format!("Bearer {}", self.token),
        );
        let answer = match body {
            Some(body) => self
                .agent
                .post(url)
                .header("authorization", authorization)
                .header("content-type", "application/json")
                .send(body.to_string()),
            None => self
                .agent
                .get(url)
                .header("authorization", authorization)
                .call(),
        };
        let mut answer = answer.expect("an answer");
        let status = answer.status().as_u16();
        if status == 503 {
            assert_eq!(answer.headers()["retry-after"], "1");
        }
        (status, answer.body_mut().read_to_string().expect("text"))
    }

    /// Adds a value with this text; the status of the answer.
    fn add(&self, text: &str) -> u16 {
        let value = json!({"value": 1.0, "valueDate": "2026-01-01T00:00:00Z", "description": text});
        self.answer("/v1/Datasources/1/values", Some(&value)).0
    }

    fn values(&self) -> usize {
        let (status, text) = self.answer("/v1/Datasources/1/values?pageSize=1000", None);
        assert_eq!(status, 200, "{text}");
        let list: Value = serde_json::from_str(&text).expect("JSON");
        list["values"].as_array().expect("values").len()
    }

    #[track_caller]
    fn is_not_ready(&self, class: &str) {
        let (status, text) = self.answer("/readyz", None);
        assert_eq!(status, 503, "{text}");
        let body: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            body["detail"],
            format!("The database takes no writes: {class}. Reads still work.")
        );
        let (_, metrics) = self.answer("/metrics", None);
        let failed = format!("obeya_store_failed_commits_total{{cause=\"{class}\"}} ");
        let count = metrics.lines().find_map(|line| line.strip_prefix(&failed));
        assert!(count.is_some_and(|count| count != "0"), "{metrics}");
        assert!(
            metrics.contains("obeya_store_takes_writes 0\n"),
            "{metrics}"
        );
    }

    fn becomes_ready(&self) {
        let begun = Instant::now();
        while self.answer("/readyz", None).0 != 200 {
            assert!(begun.elapsed() < PATIENCE, "the service recovers");
        }
    }

    /// The values in the database, which SQLite finds no fault with.
    fn stored(&self) -> i64 {
        let file = self.folder.path().join("data/plant.db");
        count(&file)
    }
}

fn count(file: &Path) -> i64 {
    let url = format!("sqlite:{}", file.display());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        // As the service does, so that a log that a kill left is taken over.
        let store = Store::open(&url, &StoreOptions::default()).await;
        store.expect("opened").close().await;
    });
    let connection = rusqlite::Connection::open(file).expect("a database");
    let one =
        |sql: &str| connection.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
    let found = one("PRAGMA integrity_check").expect("checked");
    assert_eq!(found, rusqlite::types::Value::Text("ok".into()));
    match one("SELECT count(*) FROM datasource_values").expect("counted") {
        rusqlite::types::Value::Integer(count) => count,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_full_disk_keeps_the_service_unready_until_there_is_space_for_more_than_a_probe() {
    let plant = Plant::new();
    let mut accepted = 0;
    plant.disk.set(Fault::Full);
    // The log has some space that was used before.
    let refused = loop {
        match plant.add("more") {
            200 => accepted += 1,
            status => break status,
        }
    };
    assert_eq!(refused, 503);
    plant.is_not_ready("disk_full");
    // A probe of one page fits into what the refused write left. It must not count.
    let probes = || {
        let operations = plant.disk.operations();
        let made = operations.iter().filter(|operation| {
            matches!(operation, Operation::Create { path, .. } if path.ends_with("-space"))
        });
        made.count()
    };
    let begun = Instant::now();
    while probes() < 3 {
        plant.is_not_ready("disk_full");
        assert!(begun.elapsed() < PATIENCE, "the service probes");
    }
    assert_eq!(plant.values(), accepted);
    plant.disk.set(Fault::None);
    plant.becomes_ready();
    assert_eq!(plant.add("more"), 200);
    assert_eq!(plant.values(), accepted + 1);
}

#[test]
fn a_write_whose_flush_fails_is_refused_and_does_not_come_back_after_a_kill() {
    let mut plant = Plant::new();
    assert_eq!(plant.add("first"), 200);
    plant.disk.set(Fault::Flush);
    for _ in 0..3 {
        assert_eq!(plant.add("refused"), 503);
        plant.is_not_ready("disk_failure");
    }
    assert_eq!(plant.values(), 1, "reads go on");
    plant.kill();
    plant.disk.set(Fault::None);
    assert_eq!(plant.stored(), 1, "nothing was changed");

    plant.start();
    plant.disk.set(Fault::Flush);
    assert_eq!(plant.add("refused"), 503);
    plant.disk.set(Fault::None);
    plant.becomes_ready();
    assert_eq!(plant.add("second"), 200);
    plant.kill();
    assert_eq!(plant.stored(), 2);
}

#[test]
fn a_read_only_file_is_served_and_reported_as_read_only() {
    let mut plant = Plant::new();
    assert_eq!(plant.add("first"), 200);
    // With a log, which its last reader would remove.
    plant.kill();
    let file = plant.folder.path().join("data/plant.db");
    let mode = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&file, mode).expect("a mode");
    };
    mode(0o400);
    plant.disk.set(Fault::Modes);
    plant.start();
    let begun = Instant::now();
    while plant.answer("/readyz", None).0 == 200 {
        assert!(begun.elapsed() < PATIENCE, "noticed without a write");
    }
    plant.is_not_ready("read_only");
    assert_eq!(plant.add("refused"), 503);
    assert_eq!(plant.values(), 1);
    mode(0o600);
    plant.becomes_ready();
    assert_eq!(plant.add("second"), 200);
    assert_eq!(plant.values(), 2);
}
