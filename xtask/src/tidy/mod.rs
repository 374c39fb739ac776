//! Rules that the compiler does not check: dependencies between crates, circles of modules, the length of
//! files and comments, snapshots without a test.

mod arrows;
mod comments;
mod modules;
mod sizes;
mod snapshots;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process::{cargo, root};

/// Runs every rule and reports every fault.
pub(crate) fn run() -> Result<()> {
    let files = files(&root())?;
    let mut faults = arrows::faults(&metadata()?)?;
    faults.extend(modules::faults(&files)?);
    faults.extend(comments::faults(&files)?);
    faults.extend(sizes::faults(&files)?);
    faults.extend(snapshots::faults(&files)?);
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of structure", faults.len());
    }
    Ok(())
}

/// The manifests of the workspace, as Cargo reads them.
fn metadata() -> Result<String> {
    let output = cargo()
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Every file under a folder that a person may have written: nothing hidden, nothing built.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    const BUILT: [&str; 4] = ["target", "node_modules", "__pycache__", "venv"];
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // A snapshot folder may not be there yet.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| folder.display().to_string()),
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') || BUILT.contains(&&*name) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A path as people write it: from the root.
fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}
