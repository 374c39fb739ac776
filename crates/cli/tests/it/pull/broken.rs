//! An interrupted pull saves its rows, and the same command resumes it with the same result. Signals make it
//! stop where a test wants it.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::plant::{DATASOURCE, Plant, beside};
use super::read::content;
use crate::binary::{done, signal};

const VALUES: u32 = 15_000;
/// Pages and row groups so small that there is much to be broken off.
const ARGUMENTS: [&str; 6] = [
    "values",
    DATASOURCE,
    "--page-size",
    "250",
    "--row-group",
    "1500",
];

/// More than the time between two commits of a pull.
const COMMIT_INTERVAL: Duration = Duration::from_millis(250);

/// How often a pull is killed: searching longer finds rarer moments.
fn rounds() -> usize {
    if obeya_testkit::is_long() { 200 } else { 20 }
}

fn pull(plant: &Plant, file: &Path) -> Command {
    plant.pull(&[&ARGUMENTS[..], &["-o", file.to_str().expect("UTF-8")]].concat())
}

/// The state that a pull left behind.
fn state(file: &Path) -> Option<Value> {
    let text = std::fs::read(beside(file, ".part.json")).ok()?;
    Some(serde_json::from_slice(&text).expect("a whole state"))
}

fn kept(file: &Path) -> u64 {
    state(file).map_or(0, |state| state["rows"].as_u64().expect("a number"))
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_rows() {
    let plant = Plant::with_values(VALUES);
    for ending in ["csv", "ndjson", "arrow", "parquet"] {
        let file = plant.file(&format!("whole.{ending}"));
        let begun = Instant::now();
        done(&mut pull(&plant, &file)).success();
        // How long one takes depends on who else is on the machine, so it is found out again and again.
        let mut whole = begun.elapsed();
        let expected = content(&file);

        let file = plant.file(&format!("broken.{ending}"));
        let (mut went_on, mut complete) = (0, 0);
        for round in 0..rounds() / 4 {
            // Where a pull keeps something only shortly before its end, a moment by chance may never come
            // after that.
            if round == 0 {
                let mut child = half_way(&plant, &file, || pull(&plant, &file));
                child.kill().expect("killed");
                child.wait().expect("ended");
            }
            let mut random = obeya_testkit::rng();
            for _ in 0..if round == 0 { 0 } else { 3 } {
                let before = kept(&file);
                let mut child = pull(&plant, &file).spawn().expect("started");
                std::thread::sleep(whole.mul_f64(random.f64()));
                child.kill().expect("killed");
                child.wait().expect("ended");
                if file.exists() {
                    assert!(
                        content(&file) == expected,
                        "{ending}: half a file took its name"
                    );
                    complete += 1;
                    whole = whole.mul_f64(0.7);
                    break;
                }
                assert!(kept(&file) >= before, "{ending}: it fell back");
                whole = whole.mul_f64(1.1);
            }
            went_on += usize::from(kept(&file) > 0);
            let summary = done(&mut pull(&plant, &file)).success();
            assert!(summary.starts_with("15\u{2009}000 rows in "), "{summary}");
            assert!(content(&file) == expected, "{ending}: other rows");
            assert!(
                !beside(&file, ".part").exists() && state(&file).is_none(),
                "{ending}"
            );
            std::fs::remove_file(&file).expect("removed");
        }
        println!("{ending}: {went_on} went on half-way, {complete} were done before their end");
        assert!(went_on > 0, "{ending}: none was killed half-way");
    }
}

/// A frozen pull (SIGSTOP) that has committed some of its rows, but not all.
fn half_way(plant: &Plant, file: &Path, pull: impl Fn() -> Command) -> Child {
    let service = &plant.serving.child;
    let deadline = Instant::now() + Duration::from_secs(60);
    let is_in_time = || assert!(Instant::now() < deadline, "nothing is ever kept");
    loop {
        let mut child = pull().spawn().expect("started");
        while state(file).is_none() {
            is_in_time();
            std::thread::sleep(Duration::from_millis(1));
        }
        // A pull commits at the first piece after its interval. A quick one would have ended before that, so
        // the service lets it wait.
        signal(service, "-STOP");
        std::thread::sleep(COMMIT_INTERVAL);
        signal(service, "-CONT");
        while child.try_wait().expect("waited").is_none() {
            if kept(file) > 0 {
                signal(&child, "-STOP");
                if state(file).is_some_and(|state| state["isComplete"] == false) {
                    return child;
                }
                signal(&child, "-CONT");
                break;
            }
            is_in_time();
            std::thread::sleep(Duration::from_millis(1));
        }
        // It was quicker than this; once more.
        assert!(child.wait().expect("ended").success());
        std::fs::remove_file(file).expect("removed");
    }
}

#[test]
fn a_signal_ends_it_in_order_and_keeps_all_that_came() {
    let plant = Plant::with_values(VALUES);
    for (name, ending) in [("-INT", "parquet"), ("-TERM", "csv")] {
        let whole = plant.file(&format!("whole.{ending}"));
        done(&mut pull(&plant, &whole)).success();
        let file = plant.file(&format!("broken.{ending}"));
        let child = half_way(&plant, &file, || pull(&plant, &file));
        signal(&child, name);
        signal(&child, "-CONT");
        let ended = child.wait_with_output().expect("ended");
        let err = String::from_utf8(ended.stderr).expect("UTF-8");
        assert_eq!(ended.status.code(), Some(1), "{err}");
        assert!(
            err.starts_with("error: the pull broke off; ")
                && err.ends_with(
                    " rows are saved, and the same command continues after them\n  because: stopped\n"
                ),
            "{err}"
        );
        let there = kept(&file);
        assert!(there > 0);
        let summary = done(&mut pull(&plant, &file)).success();
        assert!(summary.contains(" of them now, in "), "{summary}");
        assert!(content(&file) == content(&whole), "{ending}");
    }
}

/// What an interrupted pull saved counts towards its limit.
#[test]
fn a_limit_is_of_the_whole_file() {
    let plant = Plant::with_values(VALUES);
    for ending in ["csv", "parquet"] {
        let limited = |file: &Path| {
            let mut command = pull(&plant, file);
            command.args(["--top", "14321"]);
            command
        };
        let whole = plant.file(&format!("whole.{ending}"));
        let summary = done(&mut limited(&whole)).success();
        assert!(summary.starts_with("14\u{2009}321 rows in "), "{summary}");
        let file = plant.file(&format!("broken.{ending}"));
        let mut child = half_way(&plant, &file, || limited(&file));
        child.kill().expect("killed");
        child.wait().expect("ended");
        // Another limit is another query.
        done(&mut pull(&plant, &file)).failure(1);
        let summary = done(&mut limited(&file)).success();
        assert!(summary.starts_with("14\u{2009}321 rows in "), "{summary}");
        assert!(content(&file) == content(&whole), "{ending}");
    }
}

#[test]
fn a_service_that_is_gone_for_good_is_reported_with_what_is_kept() {
    let mut plant = Plant::with_values(VALUES);
    let file = plant.file("broken.csv");
    let child = half_way(&plant, &file, || pull(&plant, &file));
    plant.serving.child.kill().expect("killed");
    signal(&child, "-CONT");
    let ended = child.wait_with_output().expect("ended");
    let err = String::from_utf8(ended.stderr).expect("UTF-8");
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(
        err.starts_with("error: the pull broke off; ")
            && err.contains("because: listDatasourceValuesV1: "),
        "{err}"
    );
    assert!(kept(&file) > 0);
    assert_eq!(
        beside(&file, ".part").metadata().expect("a file").len(),
        state(&file).expect("a state")["written"]
            .as_u64()
            .expect("a number")
    );
}

/// A file may be smaller here than a segment. What comes after it must not hide that it failed.
#[test]
fn rows_that_cannot_be_written_are_in_no_file() {
    let plant = Plant::with_values(3_000);
    let file = plant.file("values.parquet");
    let pull = pull(&plant, &file);
    let mut limited = Command::new("sh");
    // A write beyond the limit fails; otherwise the signal would end the program.
    limited.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"]);
    limited.arg(pull.get_program()).args(pull.get_args());
    for (name, value) in pull.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let err = done(&mut limited).failure(1);
    assert!(err.contains("the rows cannot be written"), "{err}");
    assert!(!file.exists(), "{err}");
    let out = plant.run(&[&ARGUMENTS[..], &["-o", file.to_str().expect("UTF-8")]].concat());
    assert!(out.success().starts_with("3\u{2009}000 rows in "));
    let rows = super::read::parquet(&file);
    let rows: usize = rows.iter().map(arrow_array::RecordBatch::num_rows).sum();
    assert_eq!(rows, 3_000);
}

#[test]
fn another_pull_into_the_same_file_is_refused_without_restart() {
    let plant = Plant::with_values(VALUES);
    for ending in ["csv", "parquet"] {
        let file = plant.file(&format!("broken.{ending}"));
        let mut child = half_way(&plant, &file, || pull(&plant, &file));
        let err = done(&mut pull(&plant, &file)).failure(1);
        assert_eq!(
            err,
            format!("error: another pull is writing {}\n", file.display())
        );
        child.kill().expect("killed");
        child.wait().expect("ended");

        let path = file.to_str().expect("UTF-8");
        let other = [
            "values",
            DATASOURCE,
            "--where",
            "dimension eq 'Night'",
            "-o",
            path,
        ];
        let err = plant.run(&other).failure(1);
        assert!(
            err.starts_with("error: found an interrupted pull into ") && err.contains("--restart"),
            "{err}"
        );
        assert!(kept(&file) > 0, "it is still there");
        let summary = plant.run(&[&other[..], &["--restart"]].concat()).success();
        assert!(summary.starts_with("3\u{2009}750 rows in "), "{summary}");

        let mut child = half_way(&plant, &file, || pull(&plant, &file));
        child.kill().expect("killed");
        child.wait().expect("ended");
        // Files that lost their end are not gone on with.
        match ending {
            "csv" => std::fs::write(beside(&file, ".part"), "id").expect("written"),
            _ => std::fs::remove_file(beside(&file, ".part").join("000001.parquet"))
                .expect("removed"),
        }
        let err = done(&mut pull(&plant, &file)).failure(1);
        assert!(err.contains("--restart starts over"), "{err}");
        plant
            .run(&[&ARGUMENTS[..], &["--restart", "-o", path]].concat())
            .success();
        assert_eq!(state(&file), None);
    }
}
