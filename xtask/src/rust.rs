//! Runs and counts the Rust tests: unit and integration tests, then documentation tests.

use anyhow::Result;

use crate::postgres::{Profile, Server};
use crate::process::{cargo, exists, target, tee};
use crate::report::Part;
use crate::snapshots;

/// The environment variable that selects long tests.
pub(crate) const LONG: &str = "OBEYA_TEST_LONG";

/// Unit and integration tests of the whole workspace, in parallel with nextest where it is installed. Those
/// of the store run on SQLite and on a PostgreSQL that is started for them. A snapshot that no test uses is a
/// failure too. `long` lets the tests that kill and start processes run for minutes.
pub(crate) fn tests(long: bool) -> Result<Part> {
    let nextest = exists("cargo-nextest", "--version");
    let server = Server::get(Profile::Test)?;
    let references = snapshots::references_file()?;
    let mut command = cargo();
    if nextest {
        let profile = if long { "long" } else { "default" };
        command.args([
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--profile",
            profile,
        ]);
    } else {
        command.args([
            "test",
            "--workspace",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ]);
    }
    command
        .env(snapshots::REFERENCES, &references)
        .env("INSTA_UPDATE", "no")
        .envs(server.environment());
    if long {
        command.env(LONG, "1");
    }
    let before = running_binaries();
    let (success, output) = tee(&mut command)?;
    let (passed, failed) = if nextest {
        count_nextest(&output)
    } else {
        count_libtest(&output)
    };
    let mut part = Part::new("Rust", success, passed, failed);
    let left: Vec<_> = running_binaries()
        .into_iter()
        .filter(|process| !before.contains(process))
        .collect();
    if success && !left.is_empty() {
        eprintln!("tests left processes of target/debug/obeya behind: {left:?}");
        part.failed += 1;
    }
    if success {
        match snapshots::none_unreferenced(&references) {
            Ok(()) => part.passed += 1,
            Err(error) => {
                eprintln!("{error:#}");
                part.failed += 1;
            }
        }
    }
    Ok(part)
}

/// The ids of the processes that run the binary under test. Empty where the system does not report them, as
/// without `/proc`.
fn running_binaries() -> Vec<u32> {
    let binary = target().join("debug/obeya");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    // The link is not readable if the process has ended or belongs to another user.
    ids.filter(|id| std::fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|path| path == binary))
        .collect()
}

/// The examples in the documentation.
pub(crate) fn documentation() -> Result<Part> {
    let (success, output) = tee(cargo().args(["test", "--workspace", "--doc", "--no-fail-fast"]))?;
    let (passed, failed) = count_libtest(&output);
    Ok(Part::new("Documentation", success, passed, failed))
}

/// Sums up the `test result:` lines of libtest.
fn count_libtest(output: &str) -> (usize, usize) {
    let mut sum = (0, 0);
    for line in output
        .lines()
        .filter_map(|line| line.trim().strip_prefix("test result:"))
    {
        sum.0 += number_before(line, " passed").unwrap_or(0);
        sum.1 += number_before(line, " failed").unwrap_or(0);
    }
    sum
}

/// Reads the `Summary` line of nextest.
fn count_nextest(output: &str) -> (usize, usize) {
    let line = output
        .lines()
        .rev()
        .find(|line| line.trim_start().starts_with("Summary"));
    let count = |what: &str| line.and_then(|line| number_before(line, what)).unwrap_or(0);
    (
        count(" passed"),
        count(" failed") + count(" timed out") + count(" exec failed"),
    )
}

/// The number directly before a word: 12 in `12 passed`.
pub(crate) fn number_before(line: &str, word: &str) -> Option<usize> {
    let before = &line[..line.find(word)?];
    let digits = before
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |index| index + 1);
    before[digits..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtests_lines_are_summed_up() {
        let output = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured\n\
                      test result: FAILED. 12 passed; 3 failed; 0 ignored\n";
        assert_eq!(count_libtest(output), (17, 3));
    }

    #[test]
    fn nextests_summary_is_read() {
        let output = "     Summary [   0.812s] 48/50 tests run: 46 passed (1 slow), 1 failed, 1 timed out, 2 skipped\n";
        assert_eq!(count_nextest(output), (46, 2));
        assert_eq!(count_nextest("error: could not compile"), (0, 0));
    }
}
