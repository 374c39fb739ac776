//! Snapshots whose test file is gone, and snapshots that wait for review. The test run checks which ones are
//! used; this needs no run.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::shown;
use crate::process::root;

/// Orphan and undecided snapshots.
pub(super) fn faults(files: &[PathBuf]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for file in files {
        let name = shown(file);
        if name.ends_with(".snap.new") {
            faults.push(format!(
                "{name} waits for a decision: accept it or remove it"
            ));
        }
        if name.ends_with(".snap") {
            let text = std::fs::read_to_string(file).with_context(|| name.clone())?;
            let source = source(&text);
            if !source.is_some_and(|source| root().join(source).exists()) {
                let source = source.unwrap_or("a test it does not name");
                faults.push(format!(
                    "{name} belongs to {source}, which is gone: remove it"
                ));
            }
        }
    }
    Ok(faults)
}

/// The test file that a snapshot names as its source.
fn source(snapshot: &str) -> Option<&str> {
    let head = snapshot.strip_prefix("---\n")?.split("\n---\n").next()?;
    head.lines().find_map(|line| line.strip_prefix("source: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_names_its_test_in_its_head_only() {
        let snapshot = "---\nsource: crates/a/tests/it/main.rs\ndescription: x\n---\nsource: b\n";
        assert_eq!(source(snapshot), Some("crates/a/tests/it/main.rs"));
        assert_eq!(source("---\ndescription: x\n---\nsource: b\n"), None);
    }
}
