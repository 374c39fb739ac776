//! What a change that breaks clients needs: for the specification a decision in spec/breaking.toml, and for
//! any of them an incompatible version and its name in the changelog. Reads no files.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::compare::Finding;
use super::rules::RULES;

/// The content of spec/breaking.toml.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exceptions {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// An accepted finding. It has either `decision` or `compatible`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    rule: String,
    at: String,
    /// The question of the line in spec/DECISIONS.md that accepts it.
    decision: Option<String>,
    /// Why no client breaks, which the rule cannot see.
    compatible: Option<String>,
}

impl Exceptions {
    /// Reads the file's text. Each exception must name a rule, and a line of the decisions.
    pub(super) fn parse(text: &str, decisions: &str) -> Result<Self> {
        let read: Self = toml::from_str(text)?;
        for Exception {
            rule,
            at,
            decision,
            compatible,
        } in &read.exception
        {
            if !RULES.iter().any(|known| known.name == rule) {
                bail!("the exception of `{at}` names the rule `{rule}`, which does not exist");
            }
            match (decision, compatible) {
                (Some(question), None) => {
                    let row = format!("| {question} |");
                    if !decisions.lines().any(|line| line.starts_with(&row)) {
                        bail!(
                            "the exception of `{at}` names the question \"{question}\", which spec/DECISIONS.md does not have"
                        );
                    }
                }
                (None, Some(_)) => {}
                _ => bail!("the exception of `{at}` needs either `decision` or `compatible`"),
            }
        }
        Ok(read)
    }

    fn of(&self, finding: &Finding) -> Option<&Exception> {
        let mut exceptions = self.exception.iter();
        exceptions.find(|exception| exception.rule == finding.rule && exception.at == finding.at)
    }

    /// The exceptions that no finding needs.
    pub(super) fn unused(&self, findings: &BTreeSet<Finding>) -> Vec<String> {
        let unused = self.exception.iter().filter(|exception| {
            let mut findings = findings.iter();
            !findings.any(|found| found.rule == exception.rule && found.at == exception.at)
        });
        unused
            .map(|exception| format!("{} {}", exception.rule, exception.at))
            .collect()
    }
}

/// The findings that no exception accepts, and the names of those that break clients.
pub(super) fn judge<'a>(
    findings: &'a BTreeSet<Finding>,
    exceptions: &Exceptions,
) -> (Vec<&'a Finding>, Vec<&'a str>) {
    let mut undecided = Vec::new();
    let mut breaking = Vec::new();
    for finding in findings {
        let exception = exceptions.of(finding);
        if exception.is_none() {
            undecided.push(finding);
        }
        if exception.is_none_or(|exception| exception.compatible.is_none()) {
            breaking.push(finding.at.as_str());
        }
    }
    (undecided, breaking)
}

/// A version of Cargo.toml.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// The version of the workspace, from the text of Cargo.toml.
    pub(super) fn of_manifest(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Manifest {
            workspace: Workspace,
        }
        #[derive(Deserialize)]
        struct Workspace {
            package: Package,
        }
        #[derive(Deserialize)]
        struct Package {
            version: String,
        }
        let manifest: Manifest = toml::from_str(text).context("Cargo.toml")?;
        Self::parse(&manifest.workspace.package.version)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut numbers = text.split('.').map(str::parse);
        match [numbers.next(), numbers.next(), numbers.next()] {
            [Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))] if numbers.next().is_none() => {
                Ok(Self {
                    major,
                    minor,
                    patch,
                })
            }
            _ => bail!("found the version {text}, expected three numbers"),
        }
    }

    /// The least version that may break what this one promised: Cargo's rule for versions below 1.0.0.
    pub(super) fn next_incompatible(self) -> Self {
        match self.major {
            0 => Self {
                minor: self.minor + 1,
                patch: 0,
                ..self
            },
            major => Self {
                major: major + 1,
                minor: 0,
                patch: 0,
            },
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// What is missing in version and changelog if this breaks. `names` may be empty where a tool has named the
/// changes.
pub(super) fn missing(
    base: Version,
    version: Version,
    changelog: &str,
    names: &[&str],
) -> Vec<String> {
    let mut missing = Vec::new();
    let expected = base.next_incompatible();
    if version < expected {
        missing.push(format!(
            "the version in Cargo.toml is {version}, expected {expected} or later"
        ));
    }
    let entries = breaking_entries(changelog, base);
    if entries.trim().is_empty() {
        missing.push(format!(
            "CHANGELOG.md has no entry under `### Breaking` that is newer than {base}"
        ));
        return missing;
    }
    for name in BTreeSet::from_iter(names) {
        if !entries.contains(&format!("`{name}`")) {
            missing.push(format!(
                "CHANGELOG.md does not name `{name}` under `### Breaking`"
            ));
        }
    }
    missing
}

/// The text under the headings `### Breaking` above the section of the base's version.
fn breaking_entries(changelog: &str, base: Version) -> String {
    let released = [format!("## {base}"), format!("## [{base}]")];
    let newer = changelog
        .lines()
        .take_while(|line| !released.iter().any(|heading| line.starts_with(heading)));
    let mut within = false;
    let entries = newer.filter(|line| {
        if line.starts_with('#') {
            within = *line == "### Breaking";
            return false;
        }
        within
    });
    entries.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECISIONS: &str =
        "| question | choice | reason |\n| Is an id a number? | Yes. | Public facts. |\n";

    fn finding(rule: &'static str, at: &str) -> Finding {
        Finding {
            at: at.to_owned(),
            rule,
            message: String::new(),
        }
    }

    fn exception(rule: &str, rest: &str) -> Result<Exceptions> {
        let text = format!("[[exception]]\nrule = \"{rule}\"\nat = \"A.id\"\n{rest}\n");
        Exceptions::parse(&text, DECISIONS)
    }

    #[test]
    fn an_exception_names_a_rule_and_a_decision_or_why_nothing_breaks() {
        exception("type-widened", "decision = \"Is an id a number?\"").expect("a decision");
        exception("type-widened", "compatible = \"it is wider\"").expect("a reason");
        for (rule, rest) in [
            ("type-changed", "compatible = \"no such rule\""),
            ("type-widened", ""),
            ("type-widened", "decision = \"Is an id\""),
            (
                "type-widened",
                "decision = \"Is an id a number?\"\ncompatible = \"both\"",
            ),
            ("type-widened", "compatible = \"it is wider\"\nsince = 1"),
        ] {
            assert!(exception(rule, rest).is_err(), "{rule} {rest}");
        }
    }

    #[test]
    fn a_decision_accepts_one_finding_that_still_breaks() {
        let found = [
            finding("type-widened", "A.id"),
            finding("null-added", "A.id"),
            finding("type-widened", "A.ids"),
        ];
        let found = BTreeSet::from(found);
        let decided =
            exception("type-widened", "decision = \"Is an id a number?\"").expect("valid");
        let (undecided, breaking) = judge(&found, &decided);
        assert_eq!(
            undecided,
            [
                &finding("null-added", "A.id"),
                &finding("type-widened", "A.ids")
            ]
        );
        assert_eq!(breaking, ["A.id", "A.id", "A.ids"]);
        let compatible = exception("type-widened", "compatible = \"it is wider\"").expect("valid");
        let (undecided, breaking) = judge(&found, &compatible);
        assert_eq!(
            undecided,
            [
                &finding("null-added", "A.id"),
                &finding("type-widened", "A.ids")
            ]
        );
        assert_eq!(breaking, ["A.id", "A.ids"]);
        assert_eq!(decided.unused(&found), [""; 0]);
        assert_eq!(decided.unused(&BTreeSet::new()), ["type-widened A.id"]);
    }

    #[test]
    fn a_version_is_incompatible_by_its_first_number_that_is_not_zero() {
        let version = |text| Version::parse(text).expect("a version");
        for (base, next) in [("0.1.0", "0.2.0"), ("0.9.7", "0.10.0"), ("1.4.2", "2.0.0")] {
            assert_eq!(version(base).next_incompatible(), version(next));
        }
        assert!(version("0.10.0") > version("0.9.7"));
        for text in ["1.0", "1.0.0.0", "1.0.0-rc.1", "v1.0.0"] {
            assert!(Version::parse(text).is_err(), "{text}");
        }
        let manifest = "[workspace.package]\nversion = \"0.3.1\"\n";
        assert_eq!(
            Version::of_manifest(manifest).expect("read"),
            version("0.3.1")
        );
    }

    #[test]
    fn a_break_needs_a_version_and_its_name_in_the_changelog() {
        let version = |text| Version::parse(text).expect("a version");
        let named = "# Changelog\n## Unreleased\n### Breaking\n- `A.id` is a number.\n### Added\n- `A.of`\n";
        let missing = |to, changelog: &str, names: &[&str]| {
            missing(version("0.1.0"), version(to), changelog, names)
        };
        assert_eq!(missing("0.2.0", named, &["A.id", "A.id"]), [""; 0]);
        assert_eq!(missing("0.2.0", named, &[]), [""; 0]);
        assert_eq!(
            missing("0.1.9", named, &["A.id"]),
            ["the version in Cargo.toml is 0.1.9, expected 0.2.0 or later"]
        );
        assert_eq!(
            missing("0.2.0", named, &["A.of"]),
            ["CHANGELOG.md does not name `A.of` under `### Breaking`"]
        );
        // What an earlier version says does not count.
        for heading in ["## 0.1.0", "## [0.1.0] - 2026-01-01"] {
            let old = named.replace("## Unreleased", &format!("## Unreleased\n{heading}"));
            assert_eq!(
                missing("0.2.0", &old, &["A.id"]),
                ["CHANGELOG.md has no entry under `### Breaking` that is newer than 0.1.0"]
            );
        }
    }
}
