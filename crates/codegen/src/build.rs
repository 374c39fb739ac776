//! The entry points for a `build.rs`: read, lint, generate, write into `OUT_DIR`.
//!
//! ```no_run
//! // In `main` of the service's build.rs; its code then says `include!(concat!(env!("OUT_DIR"), "/operations.rs"));`
//! let (out, spec) = obeya_codegen::build::places();
//! obeya_codegen::build::operations(&out, &spec);
//! ```
//!
//! Each fault is printed as a `cargo::error=` line, which fails the build with a message instead of a panic.
//! A file is written only if its content changed, so an edit to the prose of the specification rebuilds
//! little.

use std::path::{Path, PathBuf};

use crate::{Error, Spec};

/// `OUT_DIR`, and the specification: `openapi.yaml` in the crate's folder. In the repository that is a link
/// to `spec/openapi.yaml`, in a package the file itself.
///
/// # Panics
/// Outside a build script.
#[must_use]
pub fn places() -> (PathBuf, PathBuf) {
    let variable = |name: &str| {
        PathBuf::from(std::env::var_os(name).expect("Cargo sets this variable for build scripts"))
    };
    let folder = variable("CARGO_MANIFEST_DIR");
    (variable("OUT_DIR"), spec(&folder))
}

/// The target of the link `openapi.yaml` in the folder of every crate.
const LINK: &str = "../../spec/openapi.yaml";

/// The target of the link `openapi.yaml` in a folder.
fn spec(folder: &Path) -> PathBuf {
    let beside = folder.join("openapi.yaml");
    // Where Git creates no links, as on Windows, it writes a file whose only line is the path of the target.
    // Any other text is content: it must not lead to a file that is not of this repository.
    let text = std::fs::read_to_string(&beside).unwrap_or_default();
    let target = match text.trim_end() {
        LINK => folder.join(LINK),
        _ => beside.clone(),
    };
    // Without links and `..`, so that messages show the usual path of the file.
    std::fs::canonicalize(target).unwrap_or(beside)
}

/// Writes `model.rs`: every type of the interface.
pub fn model(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::generate(document)?.model;
        Ok(vec![(out_dir.join("model.rs"), source)])
    });
}

/// Writes `bounds.rs`: lengths, ranges, patterns and defaults, as constants.
pub fn bounds(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        Ok(vec![(out_dir.join("bounds.rs"), crate::bounds(document)?)])
    });
}

/// Writes `client.rs`: the client, one struct for each call, and `enum Operation`.
pub fn api(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::generate(document)?.client;
        Ok(vec![(out_dir.join("client.rs"), source)])
    });
}

/// Writes `fields.rs`: a module for each entity that query options speak of, with a function for each
/// property.
pub fn fields(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::fields(document)?;
        Ok(vec![(out_dir.join("fields.rs"), source)])
    });
}

/// Writes `edits.rs`: the changes of each record that can be edited, with a setter for each property.
pub fn edits(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        Ok(vec![(out_dir.join("edits.rs"), crate::edits(document)?)])
    });
}

/// Writes `entity_types.rs`: the entity type of each entity that query options speak of, without tables.
pub fn entity_types(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::entity_types(document)?;
        Ok(vec![(out_dir.join("entity_types.rs"), source)])
    });
}

/// Writes `entities.rs`: the column that the service reads each property of a record from.
pub fn entities(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::entities(document)?;
        Ok(vec![(out_dir.join("entities.rs"), source)])
    });
}

/// Writes `enums.rs`: the closed enumerations of the service.
pub fn closed_enums(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::closed_enums(document)?;
        Ok(vec![(out_dir.join("enums.rs"), source)])
    });
}

/// Writes `columns.rs`: the columns of each record.
pub fn columns(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        Ok(vec![(
            out_dir.join("columns.rs"),
            crate::columns(document)?,
        )])
    });
}

/// Writes `operations.rs`: `enum Operation`, for a route table.
pub fn operations(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let operations = crate::operations::operations(document.document());
        let source = crate::operations::server_source(&operations)?;
        Ok(vec![(out_dir.join("operations.rs"), source)])
    });
}

type Files = Vec<(PathBuf, String)>;

fn run(spec: &Path, produce: impl FnOnce(&Spec) -> Result<Files, Error>) {
    println!("cargo::rerun-if-changed={}", spec.display());
    println!("cargo::rerun-if-changed=build.rs");
    let outcome = crate::read(spec).and_then(|document| produce(&document));
    match outcome {
        Ok(files) => {
            for (path, content) in files {
                if let Err(error) = write_if_changed(&path, &content) {
                    println!("cargo::error=cannot write {}: {error}", path.display());
                }
            }
        }
        Err(error) => {
            for line in error.lines() {
                println!("cargo::error={}: {line}", spec.display());
            }
        }
    }
}

/// Writes a file unless it has this content already: a new modification time would rebuild all dependents.
///
/// # Errors
/// Any error of the file system.
pub fn write_if_changed(path: &Path, content: &str) -> std::io::Result<bool> {
    if std::fs::read_to_string(path).is_ok_and(|existing| existing == content) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, content)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SPEC: &str = "openapi: 3.0.3\npaths: {}\n";

    /// A repository with a specification, and the folder of a crate in it.
    fn repository() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("crates/model");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(root.path().join("spec")).unwrap();
        let shared = root.path().join("spec/openapi.yaml");
        fs::write(&shared, SPEC).unwrap();
        let shared = fs::canonicalize(shared).unwrap();
        (root, folder, shared)
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stands_for_the_shared_file() {
        let (_root, folder, shared) = repository();
        let link = folder.join("openapi.yaml");
        std::os::unix::fs::symlink("../../spec/openapi.yaml", link).unwrap();
        assert_eq!(spec(&folder), shared);
    }

    #[test]
    fn a_checkout_without_links_has_the_shared_file() {
        let (_root, folder, shared) = repository();
        for text in ["../../spec/openapi.yaml", "../../spec/openapi.yaml\n"] {
            fs::write(folder.join("openapi.yaml"), text).unwrap();
            assert_eq!(spec(&folder), shared, "{text:?}");
        }
    }

    /// A vendored crate may be two folders below another project that has its own specification.
    #[test]
    fn a_package_has_its_own_file_whatever_lies_around_it() {
        let (_root, folder, _) = repository();
        let own = folder.join("openapi.yaml");
        fs::write(&own, SPEC).unwrap();
        assert_eq!(spec(&folder), fs::canonicalize(own).unwrap());
    }

    #[test]
    fn a_file_of_one_line_leads_nowhere_else() {
        let (root, folder, _) = repository();
        let own = folder.join("openapi.yaml");
        let stranger = root.path().join("openapi.yaml");
        fs::write(&stranger, SPEC).unwrap();
        for text in [
            "../../openapi.yaml",
            stranger.to_str().unwrap(),
            "paths: {}",
        ] {
            fs::write(&own, text).unwrap();
            assert_eq!(spec(&folder), fs::canonicalize(&own).unwrap(), "{text:?}");
        }
    }

    #[test]
    fn a_missing_file_is_named_where_it_should_be() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(spec(folder.path()), folder.path().join("openapi.yaml"));
    }
}
