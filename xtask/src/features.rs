//! Compiles each crate with each of its features alone, with none and with all. A build of the workspace
//! cannot show that a feature lacks something: it has the features that any crate asks for.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::process::{cargo, run};

/// What `cargo metadata` says.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    features: serde_json::Map<String, serde_json::Value>,
}

/// Compiles every set, also after a failure, and fails if one of them failed.
pub(crate) fn check_each() -> Result<()> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--locked", "--format-version", "1"])
        .output()
        .context("cannot start Cargo")?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("`cargo metadata`")?;
    let mut failed = Vec::new();
    for Package { name, features } in metadata.packages {
        for set in sets(features.keys().map(String::as_str)) {
            // Without the targets of tests, whose dependencies have features of their own.
            let mut check = cargo();
            check.args(["check", "--quiet", "--package", &name]);
            check.args(["--no-default-features", "--features", &set]);
            if let Err(error) = run(&mut check) {
                failed.push(error.to_string());
            }
        }
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("\n"));
    }
    Ok(())
}

/// No feature, each alone, and all of them; each set as Cargo takes it, and nothing for a crate without
/// features, which every other build compiles.
fn sets<'a>(features: impl Iterator<Item = &'a str>) -> Vec<String> {
    let features: Vec<&str> = features.collect();
    let mut sets = match features[..] {
        [] => Vec::new(),
        _ => vec![String::new()],
    };
    sets.extend(features.iter().map(|feature| (*feature).to_owned()));
    if features.len() > 1 {
        sets.push(features.join(","));
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_alone_once() {
        assert_eq!(sets([].into_iter()), [""; 0]);
        assert_eq!(sets(["arrow"].into_iter()), ["", "arrow"]);
        assert_eq!(sets(["a", "b"].into_iter()), ["", "a", "b", "a,b"]);
    }
}
