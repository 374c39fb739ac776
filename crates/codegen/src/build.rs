//! What a `build.rs` calls: read, lint, generate, write into `OUT_DIR`.
//!
//! ```no_run
//! // In `main` of the service's build.rs; its code then says `include!(concat!(env!("OUT_DIR"), "/operations.rs"));`
//! let (out, spec) = obeya_codegen::build::places();
//! obeya_codegen::build::operations(&out, &spec);
//! ```
//!
//! A fault becomes one `cargo::error=` line each, which fails the build with a sentence instead of a panic.
//! Files are written only when their content changed, so that an edit to the prose of the spec rebuilds little.

use std::path::{Path, PathBuf};

use crate::{Error, Spec};

/// `OUT_DIR`, and the specification: `../../spec/openapi.yaml` from the crate's folder, or `openapi.yaml` inside it.
/// Nothing puts a copy there yet: whoever publishes a crate that calls this must add one to its package.
///
/// # Panics
/// Outside a build script.
#[must_use]
pub fn places() -> (PathBuf, PathBuf) {
    let variable = |name: &str| {
        PathBuf::from(std::env::var_os(name).expect("Cargo sets this variable for build scripts"))
    };
    let folder = variable("CARGO_MANIFEST_DIR");
    let shared = folder.join("../../spec/openapi.yaml");
    // Without the `..`, so that messages name a file people know.
    let spec = std::fs::canonicalize(shared).unwrap_or_else(|_| folder.join("openapi.yaml"));
    (variable("OUT_DIR"), spec)
}

/// Writes `model.rs`: every type of the interface.
pub fn model(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::generate(document)?.model;
        Ok(vec![(out_dir.join("model.rs"), source)])
    });
}

/// Writes `client.rs`: the client, one struct for each call, and `enum Operation`.
pub fn api(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::generate(document)?.client;
        Ok(vec![(out_dir.join("client.rs"), source)])
    });
}

/// Writes `fields.rs`: a module for each entity that query options speak of, with a function for each property.
pub fn fields(out_dir: &Path, spec: &Path) {
    run(spec, |document| {
        let source = crate::fields(document)?;
        Ok(vec![(out_dir.join("fields.rs"), source)])
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

/// Writes a file unless it already says the same; a touched file would rebuild everything behind it.
///
/// # Errors
/// Whatever the file system answers.
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
