//! Known vulnerabilities of the locked versions, by a snapshot of the RustSec database in a folder.
//!
//! The snapshot is as old as its latest advisory: several appear each week, and a folder without its history
//! has no other date.

use std::path::Path;

use anyhow::{Context as _, Result};
use jiff::civil::Date;
use rustsec::advisory::{Informational, Metadata};
use rustsec::report::{Report, Settings};
use rustsec::{Database, Lockfile};

use super::policy::Policy;

/// What was found.
#[derive(Debug)]
pub(super) struct Findings {
    /// The size and the age of the snapshot.
    pub(super) summary: String,
    /// Vulnerable or unsound crates, and a snapshot that is too old.
    pub(super) faults: Vec<String>,
    /// Worth knowing, such as a crate that nobody maintains.
    pub(super) remarks: Vec<String>,
}

/// Checks the packages of a lock file. With `fresh`, the snapshot must not be older than so many days.
pub(super) fn check(
    snapshot: &Path,
    lockfile: &str,
    policy: &Policy,
    today: Date,
    fresh: Option<u32>,
) -> Result<Findings> {
    let read = || format!("the snapshot of the advisories in {}", snapshot.display());
    let database = Database::open(snapshot).with_context(read)?;
    let lockfile: Lockfile = lockfile.parse().context("Cargo.lock")?;
    let latest = database
        .iter()
        .map(|advisory| advisory.metadata.date.as_str())
        .max();
    let latest = latest.with_context(|| format!("{} has no advisory", read()))?;
    let latest: Date = latest.parse().with_context(read)?;
    let age = (today - latest).get_days();

    let settings = Settings {
        informational_warnings: vec![
            Informational::Unsound,
            Informational::Unmaintained,
            Informational::Notice,
        ],
        ..Settings::default()
    };
    let report = Report::generate(&database, &lockfile, &settings);
    let vulnerable = report.vulnerabilities.list.iter().map(|found| {
        let package = format!("{} {}", found.package.name, found.package.version);
        (&found.advisory, package, true)
    });
    let others = report.warnings.values().flatten().filter_map(|found| {
        let package = format!("{} {}", found.package.name, found.package.version);
        Some((found.advisory.as_ref()?, package, found.is_unsound()))
    });
    let mut findings = Findings {
        summary: format!(
            "{} advisories, the latest of {latest}, {age} days ago",
            database.iter().count()
        ),
        faults: Vec::new(),
        remarks: Vec::new(),
    };
    let mut ignored = Vec::new();
    for (advisory, package, is_fault) in vulnerable.chain(others) {
        let id = advisory.id.as_str();
        let finding = format!("{package}: {id}, {}", title(advisory));
        let known = policy.advisories.ignore.iter().find(|known| known.id == id);
        match known {
            Some(known) => {
                ignored.push(id);
                findings
                    .remarks
                    .push(format!("{finding} (ignored: {})", known.reason));
            }
            None if is_fault => findings.faults.push(finding),
            None => findings.remarks.push(finding),
        }
    }
    for known in &policy.advisories.ignore {
        if !ignored.contains(&known.id.as_str()) {
            let fault = format!("deny.toml ignores {}, which concerns no crate", known.id);
            findings.faults.push(fault);
        }
    }
    if let Some(days) = fresh
        && i64::from(age) > i64::from(days)
    {
        findings.faults.push(format!(
            "found a snapshot of the advisories that is {age} days old, expected at most {days}"
        ));
    }
    Ok(findings)
}

/// What an advisory is about, with its kind if it is no vulnerability.
fn title(advisory: &Metadata) -> String {
    match &advisory.informational {
        Some(kind) => format!("{} ({})", advisory.title, kind.as_str()),
        None => advisory.title.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::super::policy::tests::strict;
    use super::*;

    /// Versions below 2.0.0 of three crates: vulnerable, unsound, unmaintained.
    fn snapshot() -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (id, package, date, informational) in [
            ("RUSTSEC-2026-0001", "leaky", "2026-03-01", ""),
            (
                "RUSTSEC-2026-0002",
                "shaky",
                "2026-03-09",
                "informational = \"unsound\"",
            ),
            (
                "RUSTSEC-2026-0003",
                "lonely",
                "2026-03-08",
                "informational = \"unmaintained\"",
            ),
            ("RUSTSEC-2020-0001", "known", "2020-01-01", ""),
        ] {
            let text = format!(
                "```toml\n[advisory]\nid = \"{id}\"\npackage = \"{package}\"\ndate = \"{date}\"\n{informational}\n\n\
                 [versions]\npatched = [\">= 2.0.0\"]\n```\n\n# Something is wrong\n\nText.\n"
            );
            let place = folder.path().join("crates").join(package);
            fs::create_dir_all(&place).expect("made");
            fs::write(place.join(format!("{id}.md")), text).expect("written");
        }
        folder
    }

    fn lockfile(packages: &[(&str, &str)]) -> String {
        let source = "registry+https://github.com/rust-lang/crates.io-index";
        let packages = packages.iter().map(|(name, version)| {
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\n"
            )
        });
        format!("version = 4\n\n{}", packages.collect::<Vec<_>>().join("\n"))
    }

    fn checked(packages: &[(&str, &str)], today: &str, fresh: Option<u32>) -> Findings {
        let (snapshot, lockfile) = (snapshot(), lockfile(packages));
        let today = today.parse().expect("a date");
        check(snapshot.path(), &lockfile, &strict(), today, fresh).expect("checked")
    }

    #[test]
    fn vulnerable_and_unsound_versions_are_faults_and_unmaintained_ones_a_remark() {
        let all = [
            ("known", "1.0.0"),
            ("leaky", "1.9.9"),
            ("lonely", "1.0.0"),
            ("shaky", "1.0.0"),
        ];
        let found = checked(&all, "2026-03-10", None);
        assert_eq!(
            found.summary,
            "4 advisories, the latest of 2026-03-09, 1 days ago"
        );
        assert_eq!(
            found.faults,
            [
                "leaky 1.9.9: RUSTSEC-2026-0001, Something is wrong",
                "shaky 1.0.0: RUSTSEC-2026-0002, Something is wrong (unsound)",
            ]
        );
        assert_eq!(
            found.remarks,
            [
                "known 1.0.0: RUSTSEC-2020-0001, Something is wrong (ignored: not called)",
                "lonely 1.0.0: RUSTSEC-2026-0003, Something is wrong (unmaintained)",
            ]
        );
        let patched = checked(
            &[("known", "1.0.0"), ("leaky", "2.0.0")],
            "2026-03-10",
            None,
        );
        assert_eq!(patched.faults, [] as [String; 0]);
    }

    #[test]
    fn an_advisory_that_is_ignored_for_nothing_is_a_fault() {
        let found = checked(&[("known", "2.0.0")], "2026-03-10", None);
        let expected = "deny.toml ignores RUSTSEC-2020-0001, which concerns no crate";
        assert_eq!(found.faults, [expected]);
    }

    #[test]
    fn a_snapshot_may_be_required_to_be_fresh() {
        let at = |today, fresh| checked(&[("known", "1.0.0")], today, fresh).faults;
        assert_eq!(at("2026-03-16", Some(7)), [] as [String; 0]);
        assert_eq!(at("2027-03-16", None), [] as [String; 0]);
        assert_eq!(
            at("2026-03-17", Some(7)),
            ["found a snapshot of the advisories that is 8 days old, expected at most 7"]
        );
    }

    #[test]
    fn a_folder_without_advisories_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let today = "2026-03-10".parse().expect("a date");
        let refused = |text: &str| {
            let found = check(folder.path(), &lockfile(&[]), &strict(), today, None);
            let error = format!("{:#}", found.expect_err("refused"));
            assert!(error.contains(text), "{error}");
        };
        refused("the snapshot of the advisories in ");
        fs::create_dir(folder.path().join("crates")).expect("made");
        refused(" has no advisory");
    }
}
