//! Tries what was built, each in an empty place: it is installed, started, asked and removed.
//!
//! Nothing is checked here that the tests of the parts check; this is about what was packed.

mod debian;
mod image;
mod system;
mod wheel;

use std::path::Path;

use anyhow::{Result, bail};

use super::platform::Platform;
use super::release::Files;
use super::wheel::Python;
use super::{CHECKSUMS, needed};
use crate::process::{self, command};
use crate::running::Running;

/// What is tried: the files of a release that were built.
pub(super) struct Artefacts<'a> {
    pub(super) platform: &'a Platform,
    pub(super) folder: &'a Path,
    pub(super) binary: Option<&'a Files>,
    pub(super) python: Option<&'a Python>,
    pub(super) image: Option<&'a Path>,
}

/// Fails where a program is missing that a check needs, before anything is built.
pub(super) fn requirements(platform: &Platform, is_binary: bool, is_image: bool) -> Result<()> {
    if platform.is_foreign {
        // By which mmdebstrap knows that it may start programs of the platform.
        needed("arch-test", "-n", "arch-test")?;
    }
    if is_binary {
        needed("mmdebstrap", "--version", "mmdebstrap")?;
        needed("dpkg-deb", "--version", "dpkg")?;
    }
    if is_image {
        needed("umoci", "--version", "umoci")?;
        needed("runc", "--version", "runc")?;
    }
    Ok(())
}

/// Tries each of them. Says how long that took.
pub(super) fn check(artefacts: &Artefacts<'_>) -> Result<()> {
    process::run(
        command("sha256sum")
            .args(["--check", "--quiet", CHECKSUMS])
            .current_dir(artefacts.folder),
    )?;
    let work = tempfile::tempdir_in(artefacts.folder)?;
    let platform = artefacts.platform;
    if let Some(binary) = artefacts.binary {
        debian::check(binary, platform, work.path())?;
    }
    if let Some(image) = artefacts.image {
        image::check(image, work.path())?;
    }
    if let Some(python) = artefacts.python {
        wheel::check(python, platform, work.path())?;
    }
    Ok(())
}

/// Fails unless the answer is 200 and contains the text.
fn expect(service: &Running, path: &str, text: &str) -> Result<()> {
    let answer = service.ask(&format!("GET {path}"), "", "")?;
    if !answer.starts_with("HTTP/1.1 200 ") || !answer.contains(text) {
        bail!("{path}: expected 200 with {text:?}, found {answer}");
    }
    Ok(())
}
