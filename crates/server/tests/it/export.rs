//! Export: importing it makes the same records, and the same records export the same bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya_server::export::{ExportError, ExportOptions, Progress, export_dir};
use obeya_server::import::{ImportOptions, OnConflict, import_dir};
use obeya_server::store::Dialect;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::export_plant::Plant;
use crate::import_folder::{Folder, Target};
use crate::incidents_plant::{fill, plant};
use crate::support::{Database, sql};

/// Every table of records except datasources and their elements, of which some columns are compared.
const TABLES: [&str; 32] = [
    "stamps",
    "counters",
    "users",
    "projects",
    "project_milestones",
    "project_members",
    "areas",
    "groups",
    "group_members",
    "boards",
    "board_lines",
    "data_lists",
    "data_list_items",
    "incident_types",
    "type_categories",
    "type_consequences",
    "type_causes",
    "type_custom_fields",
    "type_translations",
    "incidents",
    "incident_categories",
    "incident_consequences",
    "incident_causes",
    "incident_custom_fields",
    "incident_comments",
    "improvement_categories",
    "improvements",
    "tasks",
    "task_comments",
    "attachments",
    "attachment_contents",
    "datasource_values",
];

/// All rows of a database's records, as text.
async fn rows(database: &Database) -> String {
    let store = database.open().await;
    let read = store.read(|session| {
        let mut rows = String::new();
        for table in TABLES {
            rows += &sql::dump(session, table)?;
        }
        // The order is what counts, and the counter of changes is the store's own.
        rows += &format!("{:?}", session.all("SELECT id, title, description, object_source, unit_of_time, primary_input_source, value_count FROM datasources ORDER BY id",
            &[], |row| (0..7).map(|at| Ok(format!("{:?}", row.value(at)?))).collect::<Result<Vec<_>, _>>())?);
        rows += &format!("{:?}", session.all("SELECT datasource_id, id, number, label, type, is_mandatory, source_column, data_list_id FROM datasource_elements ORDER BY datasource_id, sort_order",
            &[], |row| (0..8).map(|at| Ok(format!("{:?}", row.value(at)?))).collect::<Result<Vec<_>, _>>())?);
        Ok::<_, obeya_server::store::StoreError>(rows)
    });
    let rows = read.await.expect("rows");
    store.close().await;
    // A zero has no sign, because not every engine stores it.
    rows.replace("Real(-0.0)", "Real(0.0)")
}

struct Exports(TempDir);

impl Exports {
    fn new() -> Self {
        Exports(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The bytes of an export.
    async fn of(
        &self,
        name: &str,
        database: &Database,
        options: ExportOptions,
    ) -> BTreeMap<String, String> {
        let folder = self.path(name);
        let report = export_dir(&folder, database.url(), options, Arc::new(())).await;
        let report = report.expect("exported");
        let bytes = files(&folder);
        for file in &report.files {
            assert_eq!(file.bytes, bytes[&file.file].len() as u64);
            assert_eq!(file.records, bytes[&file.file].lines().count() as u64);
        }
        let contents = bytes.keys().filter(|name| name.starts_with("attachments/"));
        let attached = bytes["attachments.jsonl"].lines().count();
        assert_eq!(contents.count(), attached);
        let all = report.files.len() + attached;
        assert_eq!(all, bytes.len(), "nothing else is in it");
        bytes
    }

    async fn import(&self, name: &str, database: &Database) {
        let options = ImportOptions::default();
        let done = import_dir(&self.path(name), database.url(), options, Arc::new(())).await;
        done.expect("an import takes what was exported");
    }

    /// What lies in the folder.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect()
    }
}

/// The files of the folder, and the contents in it with a character for each byte.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_str().expect("UTF-8");
        if !path.is_dir() {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            files.insert(name.to_owned(), text);
            continue;
        }
        for content in std::fs::read_dir(&path).expect("a folder") {
            let path = content.expect("an entry").path();
            let file = path.file_name().expect("a name").to_str().expect("UTF-8");
            let bytes = std::fs::read(&path).expect("read");
            let text = bytes.into_iter().map(char::from).collect();
            files.insert(format!("{name}/{file}"), text);
        }
    }
    files
}

const ALL: ExportOptions = ExportOptions {
    with_reporters: true,
};

/// Exports, imports into a new database on each engine the binary may use, and exports again: the same rows,
/// and the same bytes.
async fn goes_round(database: &Database, seed: u64) {
    let exports = Exports::new();
    let all = exports.of("all", database, ALL).await;
    let by_default = exports
        .of("default", database, ExportOptions::default())
        .await;
    let before = rows(database).await;
    // A binary about SQLite alone has no server.
    let engines = match crate::ENGINE {
        Dialect::Postgres => vec![Dialect::Postgres, Dialect::Sqlite],
        _ => vec![Dialect::Sqlite],
    };
    for engine in engines {
        let copy = Database::on(engine);
        exports.import("all", &copy).await;
        // Not `assert_eq!`, which would print megabytes.
        let after = rows(&copy).await;
        let apart = before.lines().zip(after.lines()).find(|(a, b)| a != b);
        assert!(before == after, "seed {seed}, {engine:?}: {apart:?}");
        let again = exports.of(&format!("again {engine:?}"), &copy, ALL).await;
        assert!(again == all, "seed {seed}, {engine:?}");

        let copy = Database::on(engine);
        exports.import("default", &copy).await;
        let again = exports
            .of(&format!("default again {engine:?}"), &copy, ALL)
            .await;
        assert!(again == by_default, "seed {seed}, {engine:?}");
    }
}

#[tokio::test]
async fn a_plant_made_up_at_random_goes_round() {
    let rounds = if obeya_testkit::is_long() { 200 } else { 3 };
    for seed in obeya_testkit::seeds(rounds) {
        let target = Target::new();
        let made = Plant::write(seed, 40)
            .import(target.db(), OnConflict::Fail)
            .await;
        made.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        goes_round(&target.database, seed).await;
    }
}

#[tokio::test]
async fn more_than_is_read_at_a_time_goes_round() {
    let target = Target::new();
    Plant::write(1, 1_400)
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    goes_round(&target.database, 1).await;
}

#[tokio::test]
async fn the_plants_of_the_tests_and_of_the_contract_go_round() {
    let target = Target::new();
    let store = target.database.open().await;
    store.write(fill).await.expect("the rows fit the schema");
    // What came in by hand was given no stamp, and an import knows of those that it brings.
    let raise = "UPDATE stamps SET last = 10 WHERE id = 1";
    let raised = store
        .write(move |session| session.execute(raise, &[]))
        .await;
    raised.expect("raised");
    store.close().await;
    goes_round(&target.database, 0).await;

    let target = Target::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/plant");
    import_dir(&folder, target.db(), ImportOptions::default(), Arc::new(()))
        .await
        .expect("imported");
    goes_round(&target.database, 0).await;
    let target = Target::new();
    assert_eq!(target.rows().await, 0);
    goes_round(&target.database, 0).await;
}

#[tokio::test]
async fn what_was_made_through_the_service_goes_round() {
    let service = plant().await;
    let least = |title: &str, more: &[(&str, Value)]| {
        let mut body = crate::incidents_plant::least();
        body["title"] = title.into();
        for (name, value) in more {
            body[name] = value.clone();
        }
        body
    };
    // An incident that begins resolved was never new.
    let resolved = least("Done", &[("status", json!("Resolved"))]);
    assert_eq!(service.post("/v1/Incidents", &resolved).await.status, 200);
    for (path, body) in [
        ("/v1/Improvements/319", json!({"status": "Archived"})),
        ("/v1/Improvements/317", json!({"status": "Archived"})),
        (
            "/v1/Incidents/100/consequences",
            json!([{"id": 52, "amount": 0.1}]),
        ),
    ] {
        let answer = service.put(path, &body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    goes_round(&service.database, 0).await;

    // An open one that was archived goes back to where it was, in the copy as well.
    let exports = Exports::new();
    let files = exports.of("all", &service.database, ALL).await;
    let improvements: Vec<Value> = files["improvements.jsonl"]
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let archived_from: Vec<_> = improvements
        .iter()
        .map(|line| (line["id"].clone(), line.get("archivedFrom").cloned()))
        .collect();
    assert_eq!(
        archived_from,
        [
            (json!(317), Some(json!("Planned"))),
            (json!(318), Some(json!(null))),
            (json!(319), Some(json!("Open"))),
        ]
    );
}

#[tokio::test]
async fn who_reported_an_anonymous_incident_is_exported_only_when_asked_for() {
    let target = Target::new();
    let folder = Folder::empty();
    folder.write(
        "users.jsonl",
        r#"{"id":"u-secret","userName":"a","displayName":"b"}"#,
    );
    folder.write("incident_types.jsonl", r#"{"id":1,"title":"Leak"}"#);
    folder.write(
        "incidents.jsonl",
        r#"{"id":1,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","isAnonymous":true,"reportedByUserId":"u-secret","reportedBy":"Somebody"}
{"id":2,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","reportedByUserId":"u-secret","reportedBy":"Somebody"}
{"id":3,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","isAnonymous":true,"latitude":59.66875,"longitude":9.64625,"accuracyInMeters":12.5,"lastModifiedByUserId":"u-secret"}
{"id":4,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","latitude":59.66875,"longitude":9.64625,"accuracyInMeters":12.5,"lastModifiedByUserId":"u-secret"}"#,
    );
    folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let exports = Exports::new();
    let by_default = exports
        .of("default", &target.database, ExportOptions::default())
        .await;
    let all = exports.of("all", &target.database, ALL).await;
    let names = |files: &BTreeMap<String, String>| {
        let lines = files["incidents.jsonl"].lines();
        lines
            .map(|line| {
                let telling = ["u-secret", "Somebody", "59.66875", "9.64625", "12.5"];
                telling.iter().filter(|part| line.contains(**part)).count()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&by_default), [0, 2, 0, 4]);
    assert_eq!(names(&all), [2, 2, 4, 4]);
}

#[tokio::test]
async fn what_is_of_the_service_alone_stays() {
    let service = plant().await;
    let client = service
        .running
        .add_client("exported?", &["Data.Read"])
        .await
        .expect("a client");
    let exports = Exports::new();
    let files = exports.of("all", &service.database, ALL).await;
    let text: String = files.into_values().collect();
    for secret in [
        &client.client_id,
        &client.client_secret,
        "exported?",
        "hmac-sha256",
    ] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn no_id_and_no_stamp_is_given_twice_after_an_export_and_an_import() {
    let target = Target::new();
    let store = target.database.open().await;
    store.write(fill).await.expect("the rows fit the schema");
    let end = store.write(|session| {
        for sql in [
            "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
                VALUES (5000, 3, 1, 'New', 'None', 't', 1, 1)",
            "INSERT INTO improvements (id, status, last_modified) VALUES (6000, 'Open', 1)",
            "DELETE FROM incidents WHERE id = 5000",
            "DELETE FROM improvements WHERE id = 6000",
            "UPDATE stamps SET last = 17500000000000003",
            "INSERT INTO counters (name, last) VALUES ('datasource_values', 7000)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, obeya_server::store::StoreError>(())
    });
    end.await.expect("ended");
    store.close().await;
    let exports = Exports::new();
    let files = exports.of("all", &target.database, ALL).await;
    assert_eq!(
        files["store.jsonl"],
        "{\"lastStamp\":\"2025-06-15T15:06:40.0000003Z\",\"lastIncidentId\":5000,\"lastImprovementId\":6000,\"lastValueId\":7000}\n"
    );

    let copy = Target::new();
    exports.import("all", &copy.database).await;
    let store = copy.database.open().await;
    let next = store.write(|session| {
        let incident = "INSERT INTO incidents (incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
            VALUES (3, 1, 'New', 'None', 't', 1, 1) RETURNING id";
        let improvement = "INSERT INTO improvements (status, last_modified) VALUES ('Open', 1) RETURNING id";
        let incident = session.first(incident, &[], |row| row.int(0))?;
        let improvement = session.first(improvement, &[], |row| row.int(0))?;
        let stamp = obeya_server::store::stamp::next(session, 1, 0)?;
        Ok::<_, obeya_server::store::StoreError>((incident.flatten(), improvement.flatten(), stamp))
    });
    assert_eq!(
        next.await.expect("given"),
        (Some(5001), Some(6001), 17_500_000_000_000_004)
    );
    let values = "SELECT last FROM counters WHERE name = 'datasource_values'";
    assert_eq!(sql::number(&store, values).await, 7000);
    store.close().await;
}

#[tokio::test]
async fn a_place_that_is_taken_is_refused_and_left_as_it_is() {
    let target = Target::new();
    target.rows().await;
    let exports = Exports::new();
    std::fs::create_dir(exports.path("full")).expect("made");
    std::fs::write(exports.path("full").join("areas.jsonl"), "mine").expect("written");
    std::fs::write(exports.path("file"), "mine").expect("written");
    for (name, found) in [("full", "not empty"), ("file", "no folder")] {
        let path = exports.path(name);
        let refused = export_dir(&path, target.db(), ALL, Arc::new(())).await;
        assert_eq!(
            refused.expect_err("taken").to_string(),
            format!(
                "{} already exists and is {found}; expected a name that is free, or an empty folder",
                path.display()
            )
        );
    }
    let path = exports.path("no/such");
    let refused = export_dir(&path, target.db(), ALL, Arc::new(())).await;
    let refused = refused.expect_err("nothing to stand in");
    assert_eq!(
        refused.to_string(),
        format!("{} cannot be written", path.display())
    );
    let mut names = exports.names();
    names.sort();
    assert_eq!(names, ["file", "full"]);
    assert_eq!(files(&exports.path("full"))["areas.jsonl"], "mine");

    // An empty one is filled.
    std::fs::create_dir(exports.path("empty")).expect("made");
    let bytes = exports.of("empty", &target.database, ALL).await;
    assert_eq!(bytes["store.jsonl"], "{}\n");
    assert_eq!(bytes.values().filter(|bytes| bytes.is_empty()).count(), 16);
}

/// Stops the export when it reaches a file.
struct Stopping(AtomicBool);

impl Progress for Stopping {
    fn file(&self, name: &str) {
        if name == "improvements.jsonl" {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn should_continue(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_stopped_or_failed_export_leaves_nothing() {
    let service = plant().await;
    let exports = Exports::new();
    let stopping = Arc::new(Stopping(AtomicBool::new(false)));
    let stopped = export_dir(&exports.path("a"), service.db(), ALL, stopping).await;
    assert!(matches!(stopped, Err(ExportError::Stopped)), "{stopped:?}");
    assert_eq!(exports.names(), [""; 0]);

    let spoil = service.store().write(|session| {
        session.execute("INSERT INTO datasources (id) VALUES (1)", &[])?;
        let sql = "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES (1, 1, 77, NULL, 1)";
        session.execute(sql, &[])
    });
    let spoil: Result<_, obeya_server::store::StoreError> = spoil.await;
    spoil.expect("a value that is none");
    let failed = export_dir(&exports.path("a"), service.db(), ALL, Arc::new(())).await;
    assert_eq!(
        failed.expect_err("not to be imported").to_string(),
        "datasource_values.jsonl, record 77: found no number, expected a finite one"
    );
    assert_eq!(exports.names(), [""; 0]);
}

#[tokio::test]
async fn what_is_written_meanwhile_is_in_it_as_a_whole_or_not_at_all() {
    let service = plant().await;
    let exports = Exports::new();
    // The service answers a write while the export is between two files: the snapshot is older.
    struct Writing {
        db: String,
        is_done: AtomicBool,
    }
    impl Progress for Writing {
        fn file(&self, name: &str) {
            if name != "incidents.jsonl" || self.is_done.swap(true, Ordering::Relaxed) {
                return;
            }
            let folder = Folder::empty();
            folder.write(
                "incidents.jsonl",
                r#"{"id":1,"incidentTypeId":3,"title":"t","incidentDate":"2025-01-01"}"#,
            );
            folder.write(
                "incident_comments.jsonl",
                r#"{"id":9,"incidentId":1,"text":"t","commentDate":"2025-01-01T00:00:00Z"}"#,
            );
            // The thread of an export may not wait for another runtime.
            std::thread::scope(|scope| {
                let work = || {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .build();
                    let runtime = runtime.expect("a runtime");
                    runtime
                        .block_on(folder.import(&self.db, OnConflict::Fail))
                        .expect("imported");
                };
                scope.spawn(work).join().expect("no panic");
            });
        }
    }
    let writing = Arc::new(Writing {
        db: service.db().to_owned(),
        is_done: AtomicBool::new(false),
    });
    let before = exports.of("before", &service.database, ALL).await;
    export_dir(&exports.path("meanwhile"), service.db(), ALL, writing)
        .await
        .expect("exported");
    assert!(files(&exports.path("meanwhile")) == before);
    let after = exports.of("after", &service.database, ALL).await;
    assert!(after != before);
}
