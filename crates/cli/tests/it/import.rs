//! `obeya import`: the summary, the exit code, and the message of a fault.

use std::fmt::Display;
use std::path::Path;

use crate::binary::{database, run};

fn folder(areas: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("areas.jsonl"), areas).expect("written");
    folder
}

/// Writes a file of the import format, one line for each record.
pub fn write_lines(folder: &Path, file: &str, lines: impl IntoIterator<Item = impl Display>) {
    let lines: Vec<String> = lines.into_iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.join(file), lines.concat()).expect("written");
}

fn import(folder: &Path, db: &str, more: &[&str]) -> crate::binary::Done {
    let folder = folder.to_str().expect("UTF-8");
    run(["import", folder, "--db", db].iter().chain(more))
}

#[test]
fn what_was_imported_is_summed_up_in_a_table() {
    let (_dir, db) = database();
    let plant = folder("{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}\n");
    let done = import(plant.path(), &db, &[]);
    let out = done.success();
    assert!(
        out.contains("│ areas.jsonl ┆    2 ┆   2 ┆        0 ┆       0 │"),
        "{out}"
    );
    assert!(out.contains("2 records in "), "{out}");
    assert_eq!(done.err(), "", "no bar where there is no terminal");

    let out = import(plant.path(), &db, &["--on-conflict", "skip"]).success();
    assert!(
        out.contains("│ areas.jsonl ┆    2 ┆   0 ┆        0 ┆       2 │"),
        "{out}"
    );
    let out = import(plant.path(), &db, &["--on-conflict", "replace"]).success();
    assert!(
        out.contains("│ areas.jsonl ┆    2 ┆   0 ┆        2 ┆       0 │"),
        "{out}"
    );
}

#[test]
fn a_fault_is_one_sentence_and_exit_code_1() {
    let (_dir, db) = database();
    let plant = folder("{\"id\":1,\"name\":\"A\"}\n{\"id\":2}\n");
    let err = import(plant.path(), &db, &[]).failure(1);
    assert_eq!(
        err,
        "error: areas.jsonl, line 2, field name: found nothing, expected a value\n"
    );
}

#[test]
fn a_folder_that_is_not_there_is_reported_with_its_cause() {
    let (_dir, db) = database();
    let err = import(Path::new("surely/not/there"), &db, &[]).failure(1);
    assert!(
        err.starts_with("error: the folder surely/not/there cannot be read\n  because: "),
        "{err}"
    );
}
