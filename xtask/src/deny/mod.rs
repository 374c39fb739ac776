//! Checks the dependencies against `deny.toml`: licences, banned crates and sources always; known
//! vulnerabilities if a snapshot of the RustSec database is given. Nothing is downloaded here.

mod advisories;
mod dependencies;
mod policy;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use self::policy::Policy;
use crate::process::{cargo, root};

/// The snapshot of the advisories.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Options {
    /// A copy of https://github.com/rustsec/advisory-db. Without one, known vulnerabilities are not checked
    #[arg(long, env = "OBEYA_ADVISORY_DB", value_name = "DIR")]
    advisory_db: Option<PathBuf>,

    /// Fails if there is no such copy, or its latest advisory is older than this
    #[arg(long, value_name = "DAYS")]
    fresh_advisories: Option<u32>,
}

impl Options {
    /// The options of a command that has no flags for them.
    pub(crate) fn from_env() -> Self {
        Options {
            advisory_db: std::env::var_os("OBEYA_ADVISORY_DB").map(PathBuf::from),
            fresh_advisories: None,
        }
    }
}

/// Prints what is wrong with the dependencies, and fails if anything is.
pub(crate) fn run(options: &Options) -> Result<()> {
    let path = root().join("deny.toml");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let policy = Policy::parse(&text).context("deny.toml")?;
    let output = cargo()
        .args(["metadata", "--locked", "--format-version", "1"])
        .output()
        .context("cannot start Cargo")?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`cargo metadata` failed: {stderr}");
    }
    let dependencies = dependencies::of_metadata(&output.stdout)?;
    let mut faults = dependencies::faults(&policy, &dependencies)?;
    match (&options.advisory_db, options.fresh_advisories) {
        (Some(snapshot), fresh) => {
            let lockfile = fs::read_to_string(root().join("Cargo.lock"))?;
            let today = jiff::Zoned::now().date();
            let found = advisories::check(snapshot, &lockfile, &policy, today, fresh)?;
            println!("{}", found.summary);
            for remark in &found.remarks {
                println!("{remark}");
            }
            faults.extend(found.faults);
        }
        (None, Some(_)) => faults.push(
            "found no snapshot of the advisories, expected one at --advisory-db or OBEYA_ADVISORY_DB"
                .to_owned(),
        ),
        (None, None) => println!(
            "advisories were not checked: --advisory-db or OBEYA_ADVISORY_DB names no snapshot of them"
        ),
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of dependencies", faults.len());
    }
    println!(
        "{} dependencies are as deny.toml allows",
        dependencies.len()
    );
    Ok(())
}
