//! Imports and exports that are killed at any moment: everything or nothing, and the next one works.

use std::path::Path;

use tempfile::TempDir;

use crate::binary::{kill_at_random, run};
use crate::export::files;
use crate::import::write_lines;
use crate::postgres::{EMPTY, number_after_kill, sql, with_schema};

/// Records of each kind that a line is made of here.
const AREAS: i64 = 300;
const INCIDENTS: i64 = 800;
const VALUES: i64 = 6_000;

struct Folder(TempDir);

impl Folder {
    /// With a folder to import, `plant`.
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        std::fs::create_dir(folder.0.path().join("plant")).expect("made");
        let plant = folder.0.path().join("plant");
        let areas = (1..=AREAS).map(|id| format!(r#"{{"id":{id},"name":"Area {id}"}}"#));
        write_lines(&plant, "areas.jsonl", areas);
        write_lines(
            &plant,
            "incident_types.jsonl",
            [r#"{"id":1,"title":"Leak"}"#],
        );
        let incidents = (1..=INCIDENTS).map(|id| {
            format!(
                r#"{{"id":{id},"incidentTypeId":1,"title":"No. {id}","incidentDate":"2025-01-01"}}"#
            )
        });
        write_lines(&plant, "incidents.jsonl", incidents);
        let attachments = [1, 2].map(|id| {
            format!(
                r#"{{"id":{id},"incidentId":{id},"name":"n","fileExtension":"txt","createdDate":"2025-01-01T00:00:00Z"}}"#
            )
        });
        write_lines(&plant, "attachments.jsonl", attachments);
        std::fs::create_dir(plant.join("attachments")).expect("made");
        for id in [1, 2] {
            let path = plant.join(format!("attachments/{id}.txt"));
            std::fs::write(path, "long ".repeat(100_000)).expect("written");
        }
        write_lines(&plant, "datasources.jsonl", [r#"{"id":1}"#]);
        let values = (1..=VALUES).map(|id| {
            format!(
                r#"{{"id":{id},"dataSourceId":1,"value":{id},"valueDate":"2025-01-01T00:00:00Z"}}"#
            )
        });
        write_lines(&plant, "datasource_values.jsonl", values);
        folder
    }

    fn path(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    }
}

/// The rows of the plant in a database.
const ROWS: &str = "SELECT (SELECT count(*) FROM areas) + (SELECT count(*) FROM incidents) + (SELECT count(*) FROM datasource_values)";

#[test]
fn an_import_that_is_killed_leaves_everything_or_nothing() {
    let folder = Folder::new();
    let file = folder.path("b.db");
    let (plant, db) = (folder.path("plant"), format!("sqlite:{file}"));
    kill_at_random(&["import", &plant, "--db", &db], || {
        if !Path::new(&file).exists() {
            return false;
        }
        let connection = rusqlite::Connection::open(&file).expect("a database");
        // Before the schema is there, it has no rows.
        let rows = connection
            .query_row(ROWS, [], |row| row.get(0))
            .unwrap_or(0);
        if rows == 0 {
            return false;
        }
        assert_eq!(rows, AREAS + INCIDENTS + VALUES);
        let look = |sql: &str| {
            let found: String = connection.query_row(sql, [], |row| row.get(0)).expect(sql);
            found
        };
        assert_eq!(look("PRAGMA integrity_check"), "ok");
        let counted = "SELECT CAST(value_count AS TEXT) FROM datasources";
        assert_eq!(look(counted), VALUES.to_string());
        drop(connection);
        for name in ["b.db", "b.db-wal", "b.db-shm"] {
            // The companions go with the last connection, unless it was killed.
            let _ = std::fs::remove_file(folder.path(name));
        }
        true
    });
}

#[test]
fn an_import_into_postgres_that_is_killed_leaves_everything_or_nothing() {
    let folder = Folder::new();
    let scratch = with_schema();
    let plant = folder.path("plant");
    kill_at_random(&["import", &plant, "--db", scratch.url()], || {
        let rows = number_after_kill(scratch.url(), ROWS);
        if rows == 0 {
            return false;
        }
        assert_eq!(rows, AREAS + INCIDENTS + VALUES);
        sql(scratch.url(), &[EMPTY]);
        true
    });
}

#[test]
fn an_export_that_is_killed_leaves_a_whole_folder_or_none() {
    let folder = Folder::new();
    let (plant, db) = (
        folder.path("plant"),
        format!("sqlite:{}", folder.path("a.db")),
    );
    run(["import", &plant, "--db", &db]).success();
    let reference = folder.path("reference");
    run(["export", &reference, "--db", &db]).success();
    let reference = files(Path::new(&reference));
    assert_eq!(reference.len(), 19);

    let target = folder.path("target");
    kill_at_random(&["export", &target, "--db", &db], || {
        let is_whole = Path::new(&target).exists();
        if is_whole {
            assert!(files(Path::new(&target)) == reference, "half a folder");
            std::fs::remove_dir_all(&target).expect("removed");
        }
        // What else lies beside it says what it is.
        let names = std::fs::read_dir(folder.0.path()).expect("a folder");
        for name in names {
            let name = name.expect("an entry").file_name();
            let name = name.to_str().expect("UTF-8");
            let is_ours = ["plant", "reference"].contains(&name) || name.starts_with("a.db");
            assert!(is_ours || name.starts_with(".target.export-"), "{name}");
        }
        is_whole
    });
}
