//! `cargo xtask breaking [BASE]`: what a change breaks for clients, by name, and what it then needs. Compares
//! the specification, the Rust surface and the Python surface with those of a Git revision.

mod compare;
mod document;
mod operation_rules;
#[cfg(test)]
mod real_specification;
mod release;
mod rules;
mod schema;
mod schema_rules;
mod surfaces;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context as _, Result, bail};
use obeya_codegen::Spec;

use self::compare::Finding;
use self::release::{Exceptions, Version};
use crate::process::root;
use crate::report::Part;
use crate::revision;

const SPEC: &str = "spec/openapi.yaml";
const EXCEPTIONS: &str = "spec/breaking.toml";

/// What may break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Surface {
    /// The specification: requests and responses.
    Spec,
    /// The crates that programs in Rust use, by cargo-semver-checks.
    Rust,
    /// The Python package, by griffe.
    Python,
}

/// What is compared, and with what.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A Git revision; the tag of the last release by default
    base: Option<String>,

    /// Compares this alone
    #[arg(long)]
    only: Option<Surface>,
}

/// What the working tree is compared with.
struct Base {
    /// As it was named: a tag or a revision.
    name: String,
    commit: String,
    version: Version,
    /// Whether spec/breaking.toml is about the changes since then, and must have no other entry. Not on the
    /// commit of the release, which has the entries for the changes before it.
    is_past_release: bool,
}

impl Base {
    /// A revision that was named.
    fn of(name: String) -> Result<Self> {
        let commit = revision::commit(&name)?;
        let version = Version::of_manifest(&revision::file(&commit, "Cargo.toml")?)?;
        Ok(Self {
            name,
            commit,
            version,
            is_past_release: false,
        })
    }

    /// The last release, by its tag.
    fn release(tag: String) -> Result<Self> {
        let base = Self::of(tag)?;
        let is_past_release = revision::commit("HEAD")? != base.commit;
        Ok(Self {
            is_past_release,
            ..base
        })
    }
}

/// Compares with the revision that was named, or with the last release.
pub(crate) fn run(options: Options) -> Result<()> {
    let base = match options.base {
        Some(name) => Base::of(name)?,
        None => match revision::last_tag()? {
            Ok(tag) => Base::release(tag)?,
            Err(reason) => bail!("{reason}; name a revision: `cargo xtask breaking REVISION`"),
        },
    };
    match options.only {
        Some(only) => faultless(&base, &[only]),
        None => faultless(&base, &[Surface::Spec, Surface::Rust, Surface::Python]),
    }
}

/// The specification against the last release: the part that takes a second and needs no tool but Git.
pub(crate) fn check() -> Result<()> {
    match revision::last_tag()? {
        Ok(tag) => faultless(&Base::release(tag)?, &[Surface::Spec]),
        Err(reason) => {
            // The exceptions must be readable all the same.
            exceptions()?;
            println!("compatibility was not checked: {reason}");
            Ok(())
        }
    }
}

/// The Rust and the Python surface against the last release: the part that takes minutes.
pub(crate) fn surfaces() -> Result<Part> {
    let mut part = Part::new("Surfaces", true, 1, 0);
    match revision::last_tag()? {
        Ok(tag) => {
            let base = Base::release(tag)?;
            faultless(&base, &[Surface::Rust, Surface::Python])?;
            part.note = format!("compared with {}", base.name);
        }
        Err(reason) => part.note = format!("not compared: {reason}"),
    }
    Ok(part)
}

/// Compares all of these, also after a failure, and prints what breaks. Fails if one of them could not be
/// compared, or if something breaks and what that needs is missing.
fn faultless(base: &Base, surfaces: &[Surface]) -> Result<()> {
    let mut faults = Vec::new();
    let mut names = BTreeSet::new();
    let mut breaks = false;
    for surface in surfaces {
        let compared = match surface {
            Surface::Spec => spec(base, &mut names, &mut faults),
            Surface::Rust => surfaces::rust(&base.commit),
            Surface::Python => surfaces::python(&base.commit),
        };
        match compared {
            Ok(compatible) => breaks |= !compatible,
            Err(error) => faults.push(format!("{surface:?} was not compared: {error:#}")),
        }
    }
    if breaks {
        let version = Version::of_manifest(&read("Cargo.toml")?)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        faults.extend(release::missing(
            base.version,
            version,
            &read("CHANGELOG.md")?,
            &names,
        ));
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!(
            "{} faults of compatibility with {}",
            faults.len(),
            base.name
        );
    }
    println!(
        "compatible with {} ({}){}",
        base.name,
        base.version,
        if breaks {
            ", apart from what version and changelog say"
        } else {
            ""
        }
    );
    Ok(())
}

/// Compares the specification. Prints every finding, adds the names of those that break and what is missing
/// in spec/breaking.toml, and returns whether nothing breaks.
fn spec(base: &Base, names: &mut BTreeSet<String>, faults: &mut Vec<String>) -> Result<bool> {
    let old = Spec::parse(&revision::file(&base.commit, SPEC)?)
        .with_context(|| format!("{SPEC} of {}", base.name))?;
    let new = Spec::parse(&read(SPEC)?).context(SPEC)?;
    let exceptions = exceptions()?;
    let findings = compare::compare(old.document(), new.document());
    for Finding { at, rule, message } in &findings {
        println!("{at}: {message} [{rule}]");
    }
    let (undecided, breaking) = release::judge(&findings, &exceptions);
    let undecided = undecided.into_iter();
    faults.extend(undecided.map(|finding| {
        format!(
            "{EXCEPTIONS} does not accept {} {}",
            finding.rule, finding.at
        )
    }));
    if base.is_past_release {
        let unused = exceptions.unused(&findings).into_iter();
        faults.extend(unused.map(|name| format!("{EXCEPTIONS}: no finding needs {name}")));
    }
    names.extend(breaking.iter().map(|name| (*name).to_owned()));
    Ok(breaking.is_empty())
}

fn exceptions() -> Result<Exceptions> {
    Exceptions::parse(&read(EXCEPTIONS)?, &read("spec/DECISIONS.md")?).context(EXCEPTIONS)
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}
