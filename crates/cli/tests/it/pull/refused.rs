//! Refused pulls: their messages, and that they leave nothing behind.

use std::path::Path;

use obeya_testkit::UnknownWord;

use super::plant::{DATASOURCE, Plant, beside};
use crate::binary::{done, obeya};

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    let mut names: Vec<String> = names.filter(|name| !name.starts_with("plant.db")).collect();
    names.sort();
    names
}

#[test]
fn what_the_service_refuses_is_reported_in_its_words() {
    let plant = Plant::new();
    for (arguments, expected) in [
        (
            &["values", DATASOURCE, "--where", "dimension eq"][..],
            "(odata.syntax)",
        ),
        (
            &["values", DATASOURCE, "--where", "colour eq 'red'"],
            "(odata.unknown_property)",
        ),
        (
            &["values", DATASOURCE, "--order-by", "colour"],
            "(odata.unknown_property)",
        ),
        (&["values", "4711"], "(not_found)"),
        (
            &[
                "values",
                DATASOURCE,
                "--from",
                "2026-02-01",
                "--to",
                "2026-01-01",
            ],
            "(query.invalid)",
        ),
        (
            &["areas", "--where", "colour eq 'red'"],
            "(odata.unknown_property)",
        ),
        (
            &["incidents", "--where", "colour eq 'red'"],
            "(odata.unknown_property)",
        ),
    ] {
        for ending in ["csv", "parquet"] {
            let file = plant.file(&format!("out.{ending}"));
            let path = file.to_str().expect("UTF-8");
            let err = plant.run(&[arguments, &["-o", path]].concat()).failure(1);
            assert!(
                err.starts_with("error: list") && err.contains(expected),
                "{arguments:?}: {err}"
            );
            assert_eq!(
                names(file.parent().expect("a folder")),
                [""; 0],
                "{arguments:?}"
            );
        }
        let err = plant
            .run(&[arguments, &["--format", "ndjson"]].concat())
            .failure(1);
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn faults_of_the_credentials_and_the_url_are_distinguished() {
    let plant = Plant::new();
    let refused = |name: &str, value: Option<&str>, more: &[&str]| {
        let mut command = plant.pull(&[&["areas"], more].concat());
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
        let ended = done(&mut command);
        (ended.code().expect("a code"), ended.err())
    };
    let (code, err) = refused("OBEYA_CLIENT_SECRET", Some("hunter2"), &[]);
    assert!(
        code == 1 && err.starts_with("error: no access token: invalid_client"),
        "{err}"
    );
    assert!(!err.contains("hunter2"), "{err}");
    let (code, err) = refused("OBEYA_CLIENT_SECRET", None, &[]);
    assert!(
        code == 1
            && err.contains(
                "expected it in OBEYA_CLIENT_SECRET or in the file that --secret-file names"
            ),
        "{err}"
    );
    let (code, err) = refused("X", None, &["--secret-file", "not/there"]);
    assert!(
        code == 1
            && err.starts_with("error: the secret cannot be read from not/there\n  because: "),
        "{err}"
    );
    let (code, err) = refused("OBEYA_BASE_URL", Some("nonsense"), &[]);
    assert!(code == 1 && err.starts_with("error: base_url: "), "{err}");
    // Nobody listens there: it is this machine's discard port.
    let (code, err) = refused("OBEYA_BASE_URL", Some("http://127.0.0.1:9"), &[]);
    assert!(code == 1 && err.contains("no connection"), "{err}");
    let (code, err) = refused("OBEYA_BASE_URL", None, &[]);
    assert!(code == 2 && err.contains("--url <URL>"), "{err}");
    let (code, err) = refused("OBEYA_CLIENT_ID", None, &[]);
    assert!(code == 2 && err.contains("--client-id <ID>"), "{err}");

    let file = plant.file("secret");
    std::fs::write(&file, "hunter2\n").expect("written");
    let (code, err) = refused("X", None, &["--secret-file", file.to_str().expect("UTF-8")]);
    assert!(
        code == 1 && err.contains("invalid_client"),
        "the file goes before the variable: {err}"
    );
}

#[test]
fn wrong_usage_exits_with_2() {
    let plant = Plant::new();
    for (arguments, expected) in [
        (
            &["areas", "-o", "areas.xls"][..],
            "expected one that ends in .csv",
        ),
        (&["areas", "-o", "areas"], "expected one that ends in .csv"),
        (&["areas", "--format", "parquet"], "expected -o FILE"),
        (&["areas", "--xlsx"], "expected -o FILE"),
        (
            &["areas", "--xlsx", "--format", "csv"],
            "cannot be used with",
        ),
        (
            &["areas", "--guard-formulas", "--format", "ndjson"],
            "expected it with CSV",
        ),
        (
            &["areas", "--format", "ods"],
            "[possible values: csv, ndjson, parquet, arrow, xlsx]",
        ),
        (&["values", "twelve"], "twelve"),
        (
            &["values", "12", "--from", "2026-02-30"],
            "expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02",
        ),
        (
            &["values", "12", "--page-size", "0"],
            "0 is not in 1..=10000",
        ),
        (&["values", "12", "--secret", "hunter2"], "--secret"),
        (&["areas", "--from", "2026-01-01"], "--from"),
        (&["people"], "people"),
    ] {
        let err = plant.run(arguments).failure(2);
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
    assert!(
        !obeya()
            .args(["pull", "--help"])
            .output()
            .expect("started")
            .stdout
            .is_empty()
    );
}

#[test]
fn a_place_that_cannot_be_written_is_reported() {
    let plant = Plant::new();
    for name in ["not/there/areas.csv", "not/there/areas.parquet"] {
        let file = plant.file(name);
        let err = plant
            .run(&["areas", "-o", file.to_str().expect("UTF-8")])
            .failure(1);
        assert!(
            err.starts_with(&format!("error: {}.part", file.display()))
                && err.contains("  because: "),
            "{err}"
        );
    }
    let folder = plant.file("areas.csv");
    std::fs::create_dir(&folder).expect("made");
    let err = plant
        .run(&["areas", "-o", folder.to_str().expect("UTF-8")])
        .failure(1);
    assert!(err.starts_with("error: found a folder at "), "{err}");
}

#[test]
fn what_is_not_its_own_is_not_overwritten() {
    let plant = Plant::new();
    let file = plant.file("areas.csv");
    let path = file.to_str().expect("UTF-8");
    let (part, state) = (beside(&file, ".part"), beside(&file, ".part.json"));
    std::fs::write(&part, "mine").expect("written");
    let err = plant.run(&["areas", "-o", path]).failure(1);
    assert!(
        err.contains("which is not from an interrupted pull"),
        "{err}"
    );
    assert_eq!(std::fs::read_to_string(&part).expect("read"), "mine");

    std::fs::write(&state, "{}").expect("written");
    let err = plant.run(&["areas", "-o", path]).failure(1);
    assert!(err.contains("found no valid state of a pull in "), "{err}");
    assert_eq!(std::fs::read_to_string(&part).expect("read"), "mine");
    plant.run(&["areas", "--restart", "-o", path]).success();
    assert!(file.exists() && !part.exists() && !state.exists());
}

/// Nothing is sent: nobody listens at the address.
#[test]
fn a_word_that_is_no_member_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.csv");
    let mut tried = 0;
    for unknown in UnknownWord::all() {
        let list = match unknown.record {
            "Board" => "boards",
            "GroupV2" => "groups",
            "IncidentV1" => "incidents",
            "Improvement" => "improvements",
            "Task" => "tasks",
            "UserV2" => "users",
            // No list of `pull`.
            "IncidentV2" | "ImprovementV2" | "TrashedIncident" | "BoardSummary" | "GroupV1" => {
                continue;
            }
            other => panic!("{other} is new: say which list has it"),
        };
        let mut command = obeya();
        command
            .args(["pull", list, "--where", &unknown.condition(), "-o"])
            .arg(&file)
            .env("OBEYA_BASE_URL", "http://127.0.0.1:9")
            .env("OBEYA_CLIENT_ID", "plant")
            .env("OBEYA_CLIENT_SECRET", "hunter2");
        let err = done(&mut command).failure(2);
        let expected = format!("error: --where: {}\n", unknown.refusal());
        assert!(err.starts_with(&expected), "{list}: {err}");
        tried += 1;
    }
    assert_eq!(tried, 10);
    assert_eq!(names(folder.path()), [""; 0]);
}

/// Words of other lists, and of linked records.
#[test]
fn a_word_of_a_linked_record_is_checked_too() {
    for (list, condition, expected) in [
        (
            "comments",
            "incident/status eq 'new'",
            "did you mean `New`?",
        ),
        (
            "boards",
            "group/type in ('GENERAL','general')",
            "did you mean `GENERAL`?",
        ),
        (
            "groups",
            "boards/any(b:b/boardType eq 'weekly')",
            "did you mean `Weekly`?",
        ),
    ] {
        let mut command = obeya();
        command
            .args(["pull", list, "--where", condition])
            .env("OBEYA_BASE_URL", "http://127.0.0.1:9")
            .env("OBEYA_CLIENT_ID", "plant")
            .env("OBEYA_CLIENT_SECRET", "hunter2");
        let err = done(&mut command).failure(2);
        assert!(err.contains(expected), "{list}: {err}");
    }
}
