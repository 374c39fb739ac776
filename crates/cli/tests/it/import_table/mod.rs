//! `obeya import-table`: rows of files as people keep them, into databases of both engines and through the
//! service.

mod database;
mod service;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{Done, run};

/// A file in a folder of its own.
struct Table {
    _folder: TempDir,
    path: PathBuf,
}

impl Table {
    fn new(name: &str, content: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        Self {
            _folder: folder,
            path,
        }
    }

    fn arguments<'a>(&'a self, resource: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let file = self.path.to_str().expect("UTF-8");
        [&["import-table", resource, file], more].concat()
    }

    /// Imports it into a database.
    fn import(&self, resource: &str, db: &str, more: &[&str]) -> Done {
        run(self.arguments(resource, &[more, &["--db", db]].concat()))
    }

    fn map(&self) -> PathBuf {
        let name = self
            .path
            .file_name()
            .expect("a name")
            .to_str()
            .expect("UTF-8");
        self.path.with_file_name(format!("{name}.map.toml"))
    }
}

/// The records of a database, as an export has them.
fn exported(db: &str, resource: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("plant");
    let path = target.to_str().expect("UTF-8");
    run(["export", path, "--db", db]).success();
    lines(&target.join(format!("{resource}.jsonl")))
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("an export");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The exported incidents that came from a table.
fn imported(db: &str) -> Vec<Value> {
    let mut incidents = exported(db, "incidents");
    incidents.retain(|incident| incident["id"].as_i64() > Some(1_205));
    incidents
}

/// Asserts that the text has each of these parts.
#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}
