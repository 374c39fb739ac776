//! `deny.toml`: the part of cargo-deny's format that is checked here. Any other key is refused, so that the
//! file promises nothing that nobody checks.

use anyhow::Result;
use serde::Deserialize;

/// What dependencies may be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    pub(super) licenses: Licenses,
    pub(super) bans: Bans,
    pub(super) sources: Sources,
    pub(super) advisories: Advisories,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Licenses {
    /// The dependencies of tests count here; cargo-deny leaves them out unless asked to include them.
    #[serde(rename = "include-dev")]
    _include_dev: Included,
    /// Allowed for every crate.
    pub(super) allow: Vec<String>,
    /// Allowed for one crate in addition.
    #[serde(default)]
    pub(super) exceptions: Vec<Exception>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exception {
    #[serde(rename = "crate")]
    pub(super) name: String,
    pub(super) allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Bans {
    #[serde(rename = "multiple-versions")]
    _multiple_versions: Allowed,
    pub(super) deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ban {
    #[serde(rename = "crate")]
    pub(super) name: String,
    pub(super) reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Sources {
    #[serde(rename = "unknown-registry")]
    _unknown_registry: Denied,
    #[serde(rename = "unknown-git")]
    _unknown_git: Denied,
    /// The addresses of indexes.
    pub(super) allow_registry: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Advisories {
    /// Advisories that do not concern us.
    pub(super) ignore: Vec<Ignored>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ignored {
    pub(super) id: String,
    pub(super) reason: String,
}

/// The only value of a key whose other values are not implemented.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Allowed {
    Allow,
}

/// As above.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Denied {
    Deny,
}

/// As above.
#[derive(Debug, Deserialize)]
#[serde(try_from = "bool")]
struct Included;

impl TryFrom<bool> for Included {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        value.then_some(Self).ok_or("expected true")
    }
}

impl Policy {
    /// Reads the file's text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        Ok(toml::from_str(text)?)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A policy of one licence, for tests.
    pub(in crate::deny) fn strict() -> Policy {
        let text = r#"
            [licenses]
            include-dev = true
            allow = ["MIT", "Apache-2.0 WITH LLVM-exception"]
            exceptions = [{ crate = "roots", allow = ["MPL-2.0"] }]
            [bans]
            multiple-versions = "allow"
            deny = [{ crate = "rsa", reason = "it leaks" }]
            [sources]
            unknown-registry = "deny"
            unknown-git = "deny"
            allow-registry = ["https://github.com/rust-lang/crates.io-index"]
            [advisories]
            ignore = [{ id = "RUSTSEC-2020-0001", reason = "not called" }]
        "#;
        Policy::parse(text).expect("a policy")
    }

    #[test]
    fn a_key_that_nobody_checks_is_refused() {
        let whole = r#"
            [licenses]
            include-dev = true
            allow = []
            [bans]
            multiple-versions = "allow"
            deny = []
            [sources]
            unknown-registry = "deny"
            unknown-git = "deny"
            allow-registry = []
            [advisories]
            ignore = []
        "#;
        Policy::parse(whole).expect("a policy");
        for (from, to) in [
            (r#""allow""#, r#""warn""#),
            (r#"unknown-git = "deny""#, r#"unknown-git = "allow""#),
            ("ignore = []", "ignore = []\nyanked = \"deny\""),
            ("deny = []", "deny = []\nwildcards = \"deny\""),
            ("include-dev = true", "include-dev = false"),
        ] {
            assert!(Policy::parse(&whole.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
