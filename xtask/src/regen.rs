//! The generated files of the repository: those that follow from `spec/openapi.yaml`, and those derived from
//! hand-written Python.
//!
//! To add a generated file, add its path and content to [`outputs`]. The content is a pure function of the
//! specification or of a hand-written file, so that `--check` can compare without writing.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use obeya_codegen::{Spec, build, operations, sdk, served};

use crate::process::root;
use crate::{python, snapshots};

/// Every generated file: its path from the repository's root, and its content.
fn outputs(spec: &Spec) -> Result<Vec<(String, String)>> {
    let table = operations::table(&operations::operations(spec.document()));
    let of_the_spec = [
        ("spec/generated/openapi.json", openapi_json(spec)?),
        ("spec/generated/operations.md", table),
    ];
    let classes = python::classes(spec.document())?;
    let twins = python::twins(&classes)?;
    let outputs = of_the_spec
        .into_iter()
        .chain(python::outputs(spec.document())?)
        .map(|(path, content)| (path.to_owned(), content))
        .chain([rust_sdk(spec)?])
        .chain(twins)
        .chain(classes);
    Ok(outputs.collect())
}

/// The plain methods of the Rust SDK that are not written by hand.
fn rust_sdk(spec: &Spec) -> Result<(String, String)> {
    let path = "crates/client/src/resources/operations.rs";
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap_or_default();
    let by_hand = |resource: Option<&str>| match resource {
        Some(resource) => read(&format!("crates/client/src/resources/{resource}.rs")),
        None => read("crates/client/src/client.rs"),
    };
    let source = sdk::rust(&sdk::methods(spec.document()), &read(path), by_hand)?;
    Ok((path.to_owned(), source))
}

/// The specification as JSON, as the service serves it and for tools without YAML.
fn openapi_json(spec: &Spec) -> Result<String> {
    Ok(serde_json::to_string_pretty(&served(spec.written()))? + "\n")
}

/// Reads and lints the specification.
fn spec() -> Result<Spec> {
    let path = root().join("spec/openapi.yaml");
    match obeya_codegen::read(&path) {
        Ok(spec) => Ok(spec),
        Err(error) => {
            for line in error.lines() {
                eprintln!("spec/openapi.yaml: {line}");
            }
            bail!("spec/openapi.yaml has faults");
        }
    }
}

/// Writes every file that differs, then the snapshots, and lists what to review.
pub(crate) fn write() -> Result<()> {
    let spec = spec()?;
    for (path, content) in outputs(&spec)? {
        if build::write_if_changed(&root().join(&path), &content).context(path.clone())? {
            println!("written: {path}");
        }
    }
    let changed = snapshots::accept()?;
    if changed.is_empty() {
        println!("no snapshot changed");
    } else {
        println!("snapshots to review, with `git diff`:");
        for path in changed {
            println!("  {path}");
        }
    }
    Ok(())
}

/// Fails on the first file that differs from its generated content.
pub(crate) fn check() -> Result<()> {
    let spec = spec()?;
    for (path, wanted) in outputs(&spec)? {
        compare(&root().join(&path), &path, &wanted)?;
    }
    Ok(())
}

fn compare(file: &Path, name: &str, wanted: &str) -> Result<()> {
    let found = match fs::read_to_string(file) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("{name} is missing; run `cargo xtask regen`")
        }
        Err(error) => return Err(error).context(name.to_owned()),
    };
    if found == wanted {
        return Ok(());
    }
    let line = found
        .lines()
        .zip(wanted.lines())
        .take_while(|(found, wanted)| found == wanted)
        .count()
        + 1;
    bail!("{name} differs from spec/openapi.yaml at line {line}; run `cargo xtask regen`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_file_is_named_with_its_line_and_the_command() {
        let folder = std::env::temp_dir().join(format!("obeya-regen-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let file = folder.join("a.md");
        let error = compare(&file, "a.md", "x\n").expect_err("missing");
        assert_eq!(
            error.to_string(),
            "a.md is missing; run `cargo xtask regen`"
        );
        fs::write(&file, "one\ntwo\n").expect("written");
        let error = compare(&file, "a.md", "one\n2\n").expect_err("differs");
        assert_eq!(
            error.to_string(),
            "a.md differs from spec/openapi.yaml at line 2; run `cargo xtask regen`"
        );
        compare(&file, "a.md", "one\ntwo\n").expect("the same");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
