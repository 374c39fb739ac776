//! Reviewed snapshots: updates those of the specification, and finds those that no test uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo, root};

/// The tests that snapshot what follows from the specification: package, filter within its `it` binary, and
/// the folder that has these snapshots only.
const OF_THE_SPECIFICATION: [(&str, &str, &str); 2] = [
    (
        "obeya-codegen",
        "snapshots::",
        "crates/codegen/tests/it/snapshots",
    ),
    (
        "obeya-model",
        "json_schemas",
        "crates/model/tests/it/snapshots",
    ),
];

/// The variable that makes insta list every snapshot file that a test uses.
pub(crate) const REFERENCES: &str = "INSTA_SNAPSHOT_REFERENCES_FILE";

/// Rewrites the snapshots that follow from the specification, removes unused ones, and lists what changed.
/// Other snapshots are never accepted in bulk.
pub(crate) fn accept() -> Result<Vec<String>> {
    let read = || -> Result<BTreeMap<PathBuf, String>> {
        let files = OF_THE_SPECIFICATION
            .iter()
            .map(|(_, _, folder)| snapshots(&root().join(folder)));
        let files = files.collect::<Result<Vec<_>>>()?;
        files
            .into_iter()
            .flatten()
            .map(|path| Ok((path.clone(), fs::read_to_string(path)?)))
            .collect()
    };
    let before = read()?;
    let references = references_file()?;
    for (package, filter, _) in OF_THE_SPECIFICATION {
        process::run(
            cargo()
                .args([
                    "test",
                    "--quiet",
                    "--package",
                    package,
                    "--test",
                    "it",
                    "--",
                    filter,
                ])
                .env("INSTA_UPDATE", "always")
                .env(REFERENCES, &references),
        )?;
    }
    let looked_at = looked_at(&references)?;
    for (_, filter, folder) in OF_THE_SPECIFICATION {
        let present = snapshots(&root().join(folder))?;
        let orphans =
            orphans(present, &looked_at).with_context(|| format!("{folder}, filter `{filter}`"))?;
        for path in orphans {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    let after = read()?;
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    Ok(paths
        .into_iter()
        .filter(|path| {
            before.get(*path).map(|text| body(text)) != after.get(*path).map(|text| body(text))
        })
        .map(|path| relative(path))
        .collect())
}

/// An empty file for insta's list.
pub(crate) fn references_file() -> Result<PathBuf> {
    let path = root().join("target/snapshot-references");
    fs::create_dir_all(root().join("target"))?;
    fs::write(&path, "")?;
    Ok(path)
}

/// Fails if no test has used a snapshot under `crates`.
pub(crate) fn none_unreferenced(references: &Path) -> Result<()> {
    let looked_at = looked_at(references)?;
    let orphans: Vec<String> = snapshots(&root().join("crates"))?
        .into_iter()
        .filter(|path| !looked_at.contains(path))
        .map(|path| relative(&path))
        .collect();
    if !orphans.is_empty() {
        bail!(
            "no test looks at these snapshots, remove them: {}",
            orphans.join(", ")
        );
    }
    Ok(())
}

/// The snapshots of a folder that no test has used.
///
/// Fails when no test has used any: a filter that matches no test succeeds, and every snapshot would be an
/// orphan.
fn orphans(present: Vec<PathBuf>, looked_at: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>> {
    let count = present.len();
    let orphans: Vec<PathBuf> = present
        .into_iter()
        .filter(|path| !looked_at.contains(path))
        .collect();
    if orphans.len() == count {
        bail!(
            "no test looked at any snapshot there, so nothing is removed: does the filter still name the tests?"
        );
    }
    Ok(orphans)
}

fn looked_at(references: &Path) -> Result<BTreeSet<PathBuf>> {
    let text = fs::read_to_string(references).with_context(|| references.display().to_string())?;
    Ok(text
        .lines()
        .filter_map(|line| fs::canonicalize(line).ok())
        .collect())
}

/// Every `.snap` file under a folder.
fn snapshots(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for file in crate::tidy::files(folder)? {
        if file
            .extension()
            .is_some_and(|extension| extension == "snap")
        {
            found.push(fs::canonicalize(file)?);
        }
    }
    Ok(found)
}

fn relative(path: &Path) -> String {
    let root = fs::canonicalize(root()).unwrap_or_else(|_| root());
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// A snapshot without the header that names its source.
fn body(text: &str) -> &str {
    text.splitn(3, "---\n").nth(2).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn what_one_test_left_behind_is_an_orphan_and_a_run_without_tests_makes_none() {
        let present = || paths(&["/s/one.snap", "/s/two.snap"]);
        let seen: BTreeSet<PathBuf> = paths(&["/s/one.snap"]).into_iter().collect();
        assert_eq!(
            orphans(present(), &seen).expect("a test looked"),
            paths(&["/s/two.snap"])
        );
        let elsewhere: BTreeSet<PathBuf> = paths(&["/t/one.snap"]).into_iter().collect();
        assert!(orphans(present(), &elsewhere).is_err());
        assert!(orphans(present(), &BTreeSet::new()).is_err());
    }
}
