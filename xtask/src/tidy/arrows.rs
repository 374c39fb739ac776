//! Which crate may depend on which: the arrows of ARCHITECTURE.md, and no other.

use anyhow::{Context, Result};
use serde_json::Value;

/// In which builds a dependency exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// In the program.
    Run,
    /// In the build script.
    Build,
    /// In the tests.
    Test,
}

use When::{Build, Run, Test};

/// Every allowed dependency between crates; not each is in use. A dependency of tests may be listed in
/// addition to a `Run` dependency on the same crate.
const ARROWS: [(&str, &str, When); 47] = [
    ("obeya-model", "obeya-codegen", Build),
    ("obeya-api", "obeya-codegen", Build),
    ("obeya", "obeya-codegen", Build),
    ("obeya-rules", "obeya-codegen", Build),
    ("obeya-store", "obeya-codegen", Build),
    ("obeya-server", "obeya-codegen", Build),
    ("obeya-api", "obeya-model", Run),
    ("obeya", "obeya-api", Run),
    ("obeya", "obeya-model", Run),
    ("obeya", "obeya-odata", Run),
    ("obeya-rules", "obeya-model", Run),
    ("obeya-store", "obeya-model", Run),
    ("obeya-store", "obeya-odata", Run),
    ("obeya-store", "obeya-rules", Run),
    ("obeya-read", "obeya-model", Run),
    ("obeya-read", "obeya-odata", Run),
    ("obeya-read", "obeya-store", Run),
    ("obeya-server", "obeya-read", Run),
    ("obeya-transfer", "obeya-model", Run),
    ("obeya-transfer", "obeya-rules", Run),
    ("obeya-transfer", "obeya-store", Run),
    ("obeya-server", "obeya-rules", Run),
    ("obeya-server", "obeya-transfer", Run),
    ("obeya-server", "obeya-store", Run),
    ("obeya-server", "obeya-model", Run),
    ("obeya-server", "obeya-pages", Run),
    ("obeya-server", "obeya-odata", Run),
    ("obeya-server", "obeya", Test),
    ("obeya-cli", "obeya", Run),
    ("obeya-cli", "obeya-server", Run),
    ("obeya-cli", "obeya-demo", Run),
    ("obeya-python", "obeya", Run),
    ("obeya-python", "obeya-server", Run),
    ("obeya-python", "obeya-demo", Run),
    ("xtask", "obeya-codegen", Run),
    // An example of the SDK, tested on the service.
    ("obeya-ingester", "obeya", Run),
    ("obeya-ingester", "obeya-server", Test),
    ("obeya-ingester", "obeya-testkit", Test),
    ("obeya-odata", "obeya-testkit", Test),
    ("obeya", "obeya-testkit", Test),
    ("obeya-store", "obeya-testkit", Test),
    ("obeya-read", "obeya-testkit", Test),
    ("obeya-transfer", "obeya-testkit", Test),
    ("obeya-server", "obeya-testkit", Test),
    ("obeya-cli", "obeya-testkit", Test),
    // The tests of a crate may enable its optional features.
    ("obeya-model", "obeya-model", Test),
    ("obeya", "obeya", Test),
];

/// The arrows in `cargo metadata` that are not allowed.
pub(super) fn faults(metadata: &str) -> Result<Vec<String>> {
    let metadata: Value = serde_json::from_str(metadata).context("cargo metadata")?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata has no packages")?;
    let mut faults = Vec::new();
    for package in packages {
        let from = package["name"].as_str().unwrap_or_default();
        let dependencies = package["dependencies"].as_array();
        for dependency in dependencies.into_iter().flatten() {
            // Only the crates of this repository have a path.
            if dependency["path"].is_null() {
                continue;
            }
            let to = dependency["name"].as_str().unwrap_or_default();
            let when = match dependency["kind"].as_str() {
                Some("build") => Build,
                Some("dev") => Test,
                _ => Run,
            };
            let allowed = ARROWS
                .iter()
                .any(|(allowed_from, allowed_to, allowed_when)| {
                    *allowed_from == from
                        && *allowed_to == to
                        && (*allowed_when == when || (*allowed_when == Run && when == Test))
                });
            if !allowed {
                let scope = match when {
                    Run => "",
                    Build => " in its build script",
                    Test => " in its tests",
                };
                faults.push(format!(
                    "{from} may not depend on {to}{scope}: see the arrows in ARCHITECTURE.md"
                ));
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::faults;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> serde_json::Value {
        let dependencies: Vec<_> = dependencies
            .iter()
            .map(|(name, kind)| json!({"name": name, "kind": kind, "path": "/somewhere"}))
            .collect();
        json!({"name": name, "dependencies": dependencies})
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_a_fault() {
        let metadata = json!({"packages": [
            package("obeya-odata", &[("obeya-model", None)]),
            package("obeya-server", &[("obeya", Some("dev")), ("obeya-codegen", Some("build")), ("obeya-odata", None)]),
            package("obeya-cli", &[("obeya-codegen", Some("build")), ("obeya", None)]),
        ]});
        assert_eq!(
            faults(&metadata.to_string()).expect("metadata"),
            [
                "obeya-odata may not depend on obeya-model: see the arrows in ARCHITECTURE.md",
                "obeya-cli may not depend on obeya-codegen in its build script: see the arrows in ARCHITECTURE.md",
            ]
        );
    }

    #[test]
    fn an_arrow_of_the_tests_is_none_of_the_program() {
        let metadata = json!({"packages": [
            package("obeya-server", &[("obeya", None), ("obeya-codegen", None)]),
            package("obeya-api", &[("obeya-model", Some("dev"))]),
        ]});
        assert_eq!(
            faults(&metadata.to_string()).expect("metadata"),
            [
                "obeya-server may not depend on obeya: see the arrows in ARCHITECTURE.md",
                "obeya-server may not depend on obeya-codegen: see the arrows in ARCHITECTURE.md",
            ]
        );
    }

    #[test]
    fn other_peoples_crates_are_free() {
        let metadata = json!({"packages": [
            {"name": "obeya-odata", "dependencies": [{"name": "serde", "kind": null, "path": null}]},
        ]});
        assert!(faults(&metadata.to_string()).expect("metadata").is_empty());
    }
}
