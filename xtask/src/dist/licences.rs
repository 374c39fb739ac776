//! The licences of the crates that are linked into a binary, each text once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::cargo;

/// Prefixes of the names of files with a licence or a notice.
const PREFIXES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// A third-party crate.
#[derive(Clone, Debug)]
struct Dependency {
    /// Name and version.
    name: String,
    /// The SPDX expression of its manifest.
    licence: String,
    /// The folder of its source.
    folder: PathBuf,
}

/// The licences of the crates that are linked into a package of the workspace on a platform, as one text.
pub(super) fn third_party(package: &str, triple: &str) -> Result<String> {
    text(&dependencies(package, triple)?)
}

/// The crates from a registry that the package needs when it runs, without those of build scripts and macros.
fn dependencies(package: &str, triple: &str) -> Result<Vec<Dependency>> {
    let edges = "normal,no-proc-macro";
    let tree = output(&[
        "tree",
        "--locked",
        "--package",
        package,
        "--target",
        triple,
        "--edges",
        edges,
        "--prefix",
        "none",
    ])?;
    // `name v1.2.3`, and more for a crate of the workspace or one that was listed before.
    let linked: BTreeSet<String> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(format!(
                "{} {}",
                words.next()?,
                words.next()?.strip_prefix('v')?
            ))
        })
        .collect();
    let metadata: Value =
        serde_json::from_str(&output(&["metadata", "--locked", "--format-version", "1"])?)?;
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let mut found = Vec::new();
    for package in packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        // The crates of the workspace have no source, and the licences of the repository.
        if package["source"].is_null() || !linked.contains(&name) {
            continue;
        }
        found.push(Dependency {
            name,
            licence: text("license").to_owned(),
            folder: Path::new(text("manifest_path"))
                .parent()
                .context("a manifest has a folder")?
                .to_owned(),
        });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// A list of the crates, then each text once, under the crates that carry it.
fn text(dependencies: &[Dependency]) -> Result<String> {
    let mut out =
        "This program contains the following crates, under these licences.\n\n".to_owned();
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for dependency in dependencies {
        out.push_str(&format!("{}: {}\n", dependency.name, dependency.licence));
        for text in carried(&dependency.folder)? {
            texts.entry(text).or_default().push(&dependency.name);
        }
    }
    for (text, names) in &texts {
        out.push_str(&format!(
            "\n{}\n{}\n\n{}\n",
            "-".repeat(80),
            names.join(", "),
            text.trim_end()
        ));
    }
    Ok(out)
}

/// The different licence files of a crate.
fn carried(folder: &Path) -> Result<BTreeSet<String>> {
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        if path.is_file() && PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            texts.insert(String::from_utf8_lossy(&bytes).replace('\r', ""));
        }
    }
    Ok(texts)
}

/// The standard output of Cargo.
fn output(arguments: &[&str]) -> Result<String> {
    let output = cargo()
        .args(arguments)
        .output()
        .context("cannot start Cargo")?;
    if !output.status.success() {
        bail!(
            "`cargo {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::platform::host;

    #[test]
    fn a_text_that_two_crates_carry_is_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let dependency = |name: &str, files: &[(&str, &str)]| {
            let folder = folder.path().join(name);
            fs::create_dir(&folder).expect("created");
            for (name, text) in files {
                fs::write(folder.join(name), text).expect("written");
            }
            Dependency {
                name: format!("{name} 1.0.0"),
                licence: "MIT".to_owned(),
                folder,
            }
        };
        let dependencies = [
            dependency(
                "a",
                &[("LICENSE-MIT", "Permission\r\n"), ("lib.rs", "code")],
            ),
            dependency(
                "b",
                &[("license.md", "Permission\n"), ("NOTICE", "Thanks\n")],
            ),
            dependency("c", &[]),
        ];
        let line = "-".repeat(80);
        assert_eq!(
            text(&dependencies).expect("read"),
            format!(
                "This program contains the following crates, under these licences.\n\n\
                 a 1.0.0: MIT\nb 1.0.0: MIT\nc 1.0.0: MIT\n\
                 \n{line}\na 1.0.0, b 1.0.0\n\nPermission\n\
                 \n{line}\nb 1.0.0\n\nThanks\n"
            )
        );
    }

    #[test]
    fn what_is_linked_is_listed_and_what_only_builds_or_tests_is_not() {
        let found = dependencies("obeya-odata", &host().expect("a platform")).expect("listed");
        let has = |name: &str| {
            found
                .iter()
                .any(|dependency| dependency.name.starts_with(&format!("{name} ")))
        };
        assert!(has("regex") && has("regex-automata"), "{found:?}");
        // A macro, a dependency of the tests, and a crate of the workspace.
        assert!(
            !has("serde_derive") && !has("proptest") && !has("obeya-odata"),
            "{found:?}"
        );
    }
}
