//! The result of each part of `test`: counts and time, and the sum as the last line.

use std::time::{Duration, Instant};

/// The outcome of one part of `cargo xtask test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The name of the part: `Rust`, `Python`…
    pub(crate) name: &'static str,
    /// Number of passed tests.
    pub(crate) passed: usize,
    /// Number of failed tests. A part that could not run at all counts as one.
    pub(crate) failed: usize,
    /// A remark, such as how many requests were generated; these are not counted as tests.
    pub(crate) note: String,
    /// Wall-clock time.
    pub(crate) took: Duration,
}

impl Part {
    /// A part from its counts. A command that failed without a failed test counts as one failure.
    pub(crate) fn new(name: &'static str, success: bool, passed: usize, failed: usize) -> Self {
        Part {
            name,
            passed,
            failed: if success { failed } else { failed.max(1) },
            note: String::new(),
            took: Duration::ZERO,
        }
    }

    /// Runs and times a part. If it cannot run at all, it has failed.
    pub(crate) fn of(name: &'static str, tests: impl FnOnce() -> anyhow::Result<Part>) -> Self {
        let started = Instant::now();
        let mut part = tests().unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            Part::new(name, false, 0, 1)
        });
        part.took = started.elapsed();
        part
    }
}

/// One line for each part, and the sum.
pub(crate) fn summary(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let note = match part.note.as_str() {
            "" => String::new(),
            note => format!(" ({note})"),
        };
        text.push_str(&format!(
            "{}: {} passed, {} failed{note}, in {} s\n",
            part.name,
            part.passed,
            part.failed,
            part.took.as_secs()
        ));
    }
    let passed: usize = parts.iter().map(|part| part.passed).sum();
    let failed: usize = parts.iter().map(|part| part.failed).sum();
    text.push_str(&format!("{passed} passed, {failed} failed"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_could_not_run_is_a_failure() {
        let rust = Part {
            took: Duration::from_millis(61_900),
            note: "1 slow".to_owned(),
            ..Part::new("Rust", true, 120, 0)
        };
        let python = Part::of("Python", || anyhow::bail!("there is no Python"));
        assert_eq!(
            summary(&[rust, python]),
            "Rust: 120 passed, 0 failed (1 slow), in 61 s\nPython: 0 passed, 1 failed, in 0 s\n120 passed, 1 failed"
        );
    }
}
