//! How many tests ran, by part, and the last line that says it all.

/// The outcome of one part of `cargo xtask test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// What ran: `Rust`, `Python`…
    pub(crate) name: &'static str,
    /// How many passed.
    pub(crate) passed: usize,
    /// How many did not. A part that could not run at all counts as one.
    pub(crate) failed: usize,
}

impl Part {
    /// A part from its counts; a command that failed without a failed test has failed all the same.
    pub(crate) fn new(name: &'static str, success: bool, passed: usize, failed: usize) -> Self {
        Part {
            name,
            passed,
            failed: if success { failed } else { failed.max(1) },
        }
    }

    /// A part from an outcome without counts.
    pub(crate) fn of(name: &'static str, outcome: anyhow::Result<Part>) -> Self {
        outcome.unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            Part::new(name, false, 0, 1)
        })
    }
}

/// One line for each part, and the sum.
pub(crate) fn summary(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        text.push_str(&format!(
            "{}: {} passed, {} failed\n",
            part.name, part.passed, part.failed
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
        let parts = [
            Part::new("Rust", true, 120, 0),
            Part::new("Python", false, 0, 0),
        ];
        assert_eq!(
            summary(&parts),
            "Rust: 120 passed, 0 failed\nPython: 0 passed, 1 failed\n120 passed, 1 failed"
        );
    }
}
