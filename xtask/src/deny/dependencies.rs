//! The dependencies as Cargo resolves them, for every platform and the tests too: their licences, sources and
//! names.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use super::policy::Policy;

/// What `cargo metadata` says.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Dependency>,
    workspace_members: BTreeSet<String>,
}

/// A crate.
#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    id: String,
    name: String,
    version: String,
    /// An SPDX expression.
    license: Option<String>,
    /// `registry+URL` or `git+URL`; `None` for a folder.
    source: Option<String>,
}

/// The dependencies in the output of `cargo metadata`, without the crates of the workspace.
pub(super) fn of_metadata(json: &[u8]) -> Result<Vec<Dependency>> {
    let Metadata {
        packages,
        workspace_members,
    } = serde_json::from_slice(json).context("the output of `cargo metadata`")?;
    let is_foreign = |package: &Dependency| !workspace_members.contains(&package.id);
    Ok(packages.into_iter().filter(is_foreign).collect())
}

/// What the policy does not allow, and what of the policy is of no use.
///
/// # Errors
/// The policy names a licence that SPDX does not know.
pub(super) fn faults(policy: &Policy, dependencies: &[Dependency]) -> Result<Vec<String>> {
    let mut licences = Licences::new(policy)?;
    let mut faults = Vec::new();
    for dependency in dependencies {
        let named = format!("{} {}", dependency.name, dependency.version);
        if let Some(fault) = licences.fault(dependency) {
            faults.push(format!("{named}: {fault}"));
        }
        if let Some(fault) = source_fault(policy, dependency.source.as_deref()) {
            faults.push(format!("{named}: {fault}"));
        }
        let ban = policy
            .bans
            .deny
            .iter()
            .find(|ban| ban.name == dependency.name);
        if let Some(ban) = ban {
            faults.push(format!("{named} is banned: {}", ban.reason));
        }
    }
    faults.extend(licences.unused());
    Ok(faults)
}

/// Where a crate comes from, if it must not.
fn source_fault(policy: &Policy, source: Option<&str>) -> Option<String> {
    let Some(source) = source else {
        return Some("found a folder outside of the workspace, expected a registry".to_owned());
    };
    let registry = source.strip_prefix("registry+");
    let is_allowed = |url: &str| {
        policy
            .sources
            .allow_registry
            .iter()
            .any(|allowed| allowed == url)
    };
    match registry {
        Some(url) if is_allowed(url) => None,
        _ => Some(format!(
            "found the source {source}, expected {}",
            policy.sources.allow_registry.join(" or ")
        )),
    }
}

/// The allowed licences, and which of them were needed.
struct Licences {
    /// The crate that it is allowed for, if not for all; the licence; whether it was needed.
    allowed: Vec<(Option<String>, Licensee, bool)>,
}

impl Licences {
    fn new(policy: &Policy) -> Result<Self> {
        let of_all = policy.licenses.allow.iter().map(|licence| (None, licence));
        let of_one = policy.licenses.exceptions.iter().flat_map(|exception| {
            let name = Some(exception.name.clone());
            exception
                .allow
                .iter()
                .map(move |licence| (name.clone(), licence))
        });
        let parse = |(name, licence): (Option<String>, &String)| {
            let parsed = Licensee::parse(licence).with_context(|| licence.clone())?;
            Ok((name, parsed, false))
        };
        let allowed = of_all.chain(of_one).map(parse).collect::<Result<_>>()?;
        Ok(Self { allowed })
    }

    /// Why the licence of a crate is not allowed.
    fn fault(&mut self, dependency: &Dependency) -> Option<String> {
        let Some(licence) = &dependency.license else {
            return Some("found no licence in its manifest".to_owned());
        };
        // Older crates write `MIT/Apache-2.0`.
        let expression = match Expression::parse_mode(licence, ParseMode::LAX) {
            Ok(expression) => expression,
            Err(error) => return Some(format!("found the licence {licence}: {}", error.reason)),
        };
        let mut used = Vec::new();
        let is_allowed = expression.evaluate(|required| {
            let found = self.allowed.iter().position(|(name, licence, _)| {
                let concerns = name.as_ref().is_none_or(|name| *name == dependency.name);
                concerns && licence.satisfies(required)
            });
            used.extend(found);
            found.is_some()
        });
        if !is_allowed {
            return Some(format!(
                "found the licence {licence}, which deny.toml does not allow"
            ));
        }
        for used in used {
            self.allowed[used].2 = true;
        }
        None
    }

    /// Licences that no crate needs any more.
    fn unused(&self) -> Vec<String> {
        let unused = self.allowed.iter().filter(|(_, _, is_used)| !is_used);
        unused
            .map(|(name, licence, _)| match name {
                Some(name) => {
                    format!("deny.toml allows {licence} for {name}, which does not need it")
                }
                None => format!("deny.toml allows {licence}, which no crate needs"),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::policy::tests::strict;
    use super::*;

    const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

    /// The faults of crates, each with its name, licence and source, beside two that need the other licences.
    fn faults_of(packages: &[(&str, Option<&str>, Option<&str>)]) -> Vec<String> {
        let others = [
            ("good", Some("MIT OR GPL-3.0-only"), Some(CRATES_IO)),
            (
                "llvm",
                Some("Apache-2.0 WITH LLVM-exception"),
                Some(CRATES_IO),
            ),
            ("roots", Some("MPL-2.0"), Some(CRATES_IO)),
        ];
        let packages = packages.iter().chain(&others).map(|(name, license, source)| {
            json!({"id": name, "name": name, "version": "1.2.3", "license": license, "source": source, "targets": []})
        });
        let own = json!({"id": "own", "name": "own", "version": "0.1.0", "license": null, "source": null});
        let packages: Vec<_> = packages.chain([own]).collect();
        let metadata = json!({"packages": packages, "workspace_members": ["own"], "resolve": null});
        let found = of_metadata(metadata.to_string().as_bytes()).expect("metadata");
        faults(&strict(), &found).expect("known licences")
    }

    #[test]
    fn allowed_licences_from_the_registry_are_no_fault() {
        assert_eq!(faults_of(&[]), [] as [String; 0]);
        // As older crates write it.
        assert_eq!(
            faults_of(&[("old", Some("MIT/Apache-2.0"), Some(CRATES_IO))]),
            [] as [String; 0]
        );
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_a_fault() {
        for licence in [
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "MPL-2.0",
            "Apache-2.0",
        ] {
            let expected =
                format!("bad 1.2.3: found the licence {licence}, which deny.toml does not allow");
            assert_eq!(
                faults_of(&[("bad", Some(licence), Some(CRATES_IO))]),
                [expected]
            );
        }
        let none = faults_of(&[("bad", None, Some(CRATES_IO))]);
        assert_eq!(none, ["bad 1.2.3: found no licence in its manifest"]);
        let unknown = faults_of(&[("bad", Some("Do what you want"), Some(CRATES_IO))]);
        assert!(
            unknown[0].starts_with("bad 1.2.3: found the licence Do what"),
            "{unknown:?}"
        );
    }

    #[test]
    fn another_source_is_a_fault() {
        let expected = "https://github.com/rust-lang/crates.io-index";
        for source in [
            "git+https://github.com/a/b?rev=1#1",
            "registry+https://crates.example/index",
        ] {
            assert_eq!(
                faults_of(&[("bad", Some("MIT"), Some(source))]),
                [format!(
                    "bad 1.2.3: found the source {source}, expected {expected}"
                )]
            );
        }
        assert_eq!(
            faults_of(&[("bad", Some("MIT"), None)]),
            ["bad 1.2.3: found a folder outside of the workspace, expected a registry"]
        );
    }

    #[test]
    fn a_banned_crate_is_a_fault_with_its_reason() {
        let found = faults_of(&[("rsa", Some("MIT"), Some(CRATES_IO))]);
        assert_eq!(found, ["rsa 1.2.3 is banned: it leaks"]);
    }

    #[test]
    fn what_the_policy_allows_and_nobody_needs_is_a_fault() {
        let found = faults(&strict(), &[]).expect("known licences");
        assert_eq!(
            found,
            [
                "deny.toml allows MIT, which no crate needs",
                "deny.toml allows Apache-2.0 WITH LLVM-exception, which no crate needs",
                "deny.toml allows MPL-2.0 for roots, which does not need it",
            ]
        );
    }
}
