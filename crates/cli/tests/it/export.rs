//! `obeya export`: the summary, the exit code, and that nothing gets lost on the way round.

use std::collections::BTreeMap;
use std::path::Path;

use crate::binary::{database, run};
use crate::credentials::PLANT;

/// The files of a folder.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_str().expect("UTF-8");
        if path.is_dir() {
            let inside = files(&path).into_iter();
            found.extend(inside.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            found.insert(name.to_owned(), std::fs::read(&path).expect("read"));
        }
    }
    found
}

#[test]
fn the_plant_of_the_demo_goes_round() {
    let (folder, db) = database();
    run(["demo", "--db", &db]).success();
    let path = |name: &str| {
        let path = folder.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    };
    let (first, second) = (path("first"), path("second"));
    let copy = format!("sqlite:{}", path("copy.db"));
    run(["export", &first, "--db", &db, "--with-reporters"]).success();
    run(["import", &first, "--db", &copy]).success();
    run(["export", &second, "--db", &copy, "--with-reporters"]).success();
    let (first, second) = (files(Path::new(&first)), files(Path::new(&second)));
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        second.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &first {
        // Not `assert_eq!`, which would print megabytes.
        assert!(second[name] == *bytes, "{name}");
    }
    let values = first["datasource_values.jsonl"].iter();
    assert_eq!(values.filter(|byte| **byte == b'\n').count(), 101_608);
}

#[test]
fn what_was_exported_is_summed_up_in_a_table() {
    let (folder, db) = database();
    run(["import", PLANT, "--db", &db]).success();
    let target = folder.path().join("exported");
    let target = target.to_str().expect("UTF-8");
    let done = run(["export", target, "--db", &db]);
    let out = done.success();
    assert_eq!(done.err(), "", "no bar where there is no terminal");
    // The plant's lines: 4 groups; the store has its line, and the list and the category of the plant have
    // theirs.
    for expected in [
        "│ groups.jsonl                 ┆       4 ┆",
        "│ data_lists.jsonl             ┆       1 ┆",
        "│ store.jsonl                  ┆       1 ┆",
    ] {
        assert!(out.contains(expected), "{expected}\n{out}");
    }
    assert!(out.contains("37 records in "), "{out}");
    assert!(
        out.contains("; the last change: 2026-03-09T06:00:00Z"),
        "the improvement's, the latest of the plant\n{out}"
    );

    let err = run(["export", target, "--db", &db]).failure(1);
    assert_eq!(
        err,
        format!(
            "error: {target} already exists and is not empty; expected a name that is free, or an empty folder\n"
        )
    );
}

#[test]
fn who_reported_is_left_out_unless_it_is_asked_for() {
    let (folder, db) = database();
    let plant = folder.path().join("plant");
    std::fs::create_dir(&plant).expect("made");
    for (file, line) in [
        ("incident_types.jsonl", r#"{"id":1,"title":"Leak"}"#),
        (
            "incidents.jsonl",
            r#"{"id":1,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","isAnonymous":true,"reportedBy":"Somebody"}"#,
        ),
    ] {
        std::fs::write(plant.join(file), line).expect("written");
    }
    run(["import", plant.to_str().expect("UTF-8"), "--db", &db]).success();
    for (option, is_included) in [(None, false), (Some("--with-reporters"), true)] {
        let target = folder.path().join(format!("reporters {is_included}"));
        let target = target.to_str().expect("UTF-8");
        let arguments = ["export", target, "--db", &db];
        run(arguments.into_iter().chain(option)).success();
        let lines = std::fs::read_to_string(Path::new(target).join("incidents.jsonl"));
        assert_eq!(lines.expect("read").contains("Somebody"), is_included);
    }
}

#[test]
fn a_database_that_is_not_there_is_reported_and_no_folder_is_made() {
    let (folder, db) = database();
    let target = folder.path().join("exported");
    let err = run(["export", target.to_str().expect("UTF-8"), "--db", &db]).failure(1);
    assert!(err.starts_with("error: there is no database "), "{err}");
    assert!(!target.exists());
    let err = run(["export", "--db", &db]).failure(2);
    assert!(err.contains("<DIR>"), "{err}");
}
