//! Tries the Python package: the wheel in a new environment without any other package, the tags of its file,
//! and a wheel built from the source distribution.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::system::System;
use crate::dist::platform::Platform;
use crate::dist::python_tools;
use crate::dist::wheel::Python;
use crate::process::{self, command, target};
use crate::{packages, venv};

/// A session with the service inside the package, over HTTP.
const FIRST_CALL: &str = "\
import obeya
with obeya.TestServer.demo(today='2026-03-01') as server:
    with server.client() as plant:
        listed = plant.improvements.list()
        print(obeya.__version__, listed.count(), listed.first().title)
        assert listed.count() > 0
";

/// Installs, starts and removes both. The source distribution is the same on all platforms, and tried on that
/// of this machine only.
pub(super) fn check(python: &Python, platform: &Platform, work: &Path) -> Result<()> {
    tags(&python.wheel)?;
    if platform.is_foreign {
        return in_debian(&python.wheel, platform, work);
    }
    let started = Instant::now();
    in_environment(&python.wheel)?;
    println!(
        "wheel: installed, asked and removed in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    let started = Instant::now();
    in_environment(&wheel_of_sdist(&python.sdist)?)?;
    println!(
        "sdist: built (unoptimised), installed, asked and removed in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Whether the extension needs no more of glibc and of Python than the name of the wheel says.
fn tags(wheel: &Path) -> Result<()> {
    let python = python_tools::interpreter()?;
    let output = command(&python)
        .args(["-m", "auditwheel", "show"])
        .arg(wheel)
        .output()
        .context("cannot start auditwheel")?;
    let report = String::from_utf8_lossy(&output.stdout);
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    let tag = consistent_with(&report).with_context(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("auditwheel names no platform tag: {report}{errors}")
    })?;
    if !name.contains("-cp310-abi3-") || !tag.starts_with("manylinux_2_17_") || !name.contains(tag)
    {
        bail!(
            "found the wheel {name}, whose extension fits {tag}; expected cp310-abi3 and \
             manylinux_2_17 (manylinux2014)"
        );
    }
    println!("wheel: auditwheel says {tag}");
    process::run(
        command(&python)
            .args(["-m", "abi3audit", "--strict"])
            .arg(wheel),
    )
}

/// The platform tag in a report of `auditwheel show`, which breaks lines anywhere: the first text in quotes.
fn consistent_with(report: &str) -> Option<&str> {
    report.split('"').nth(1)
}

/// Builds a wheel of the source distribution, as pip does on a platform without one. Its folder is always the
/// same: Cargo would otherwise compile the crates in it each time.
fn wheel_of_sdist(sdist: &Path) -> Result<PathBuf> {
    let folder = target().join("dist-sdist");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
    }
    let unpacked = packages::unpack(sdist, &folder)?;
    packages::build_sdist(&unpacked, &folder.join("wheels"), &target())
}

/// Tries a wheel in a new environment of the Python of this machine.
fn in_environment(wheel: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let python = venv::interpreter_of(&folder.path().join("venv").to_string_lossy())?;
    use_it(wheel, || {
        let mut python = command(&python);
        python.current_dir(folder.path()).env_clear();
        python
    })
}

/// Tries a wheel in a new environment of the Python of a fresh Debian.
fn in_debian(wheel: &Path, platform: &Platform, work: &Path) -> Result<()> {
    let system = System::make(work.join("python"), platform, "python3-venv")?;
    let inside = Path::new("/root").join(wheel.file_name().context("a file has a name")?);
    fs::copy(wheel, system.root.join(inside.strip_prefix("/")?))?;
    process::run(&mut system.command(&["python3", "-m", "venv", "/root/venv"]))?;
    let started = Instant::now();
    use_it(&inside, || system.command(&["/root/venv/bin/python"]))?;
    println!(
        "wheel: installed, asked and removed in {:.1} s, on a Debian of {}",
        started.elapsed().as_secs_f64(),
        platform.architecture
    );
    Ok(())
}

/// Installs a wheel, starts it and removes it. `python` starts the interpreter of an empty environment.
fn use_it(wheel: &Path, python: impl Fn() -> Command) -> Result<()> {
    let isolated = |arguments: &[&str]| -> Command {
        let mut isolated = python();
        // `-I`: without the current folder and the settings of the user.
        isolated.arg("-I").args(arguments);
        isolated
    };
    let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
    // Without an index: it needs no other package.
    let install = [&pip[..], &["install", "--no-index"]].concat();
    process::run(isolated(&install).arg(wheel))?;
    process::run(&mut isolated(&["-m", "obeya", "--help"]))?;
    process::run(&mut isolated(&["-c", FIRST_CALL]))?;
    let uninstall = [&pip[..], &["uninstall", "--yes", "obeya"]].concat();
    process::run(&mut isolated(&uninstall))?;
    let spec =
        "import importlib.util, sys; sys.exit(importlib.util.find_spec('obeya') is not None)";
    process::run(&mut isolated(&["-c", spec])).context("the package is there after `pip uninstall`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_the_one_that_auditwheel_found() {
        // Printed by auditwheel 6.8.2 for a wheel without `--zig`.
        let report = "
obeya-0.1.0-cp310-abi3-linux_x86_64.whl is consistent with the
following platform tag: \"manylinux_2_34_x86_64\".

The wheel references external versioned symbols in these
system-provided shared libraries: libgcc_s.so.1 with versions
{'GCC_3.0', 'GCC_4.2.0', 'GCC_3.3'}
";
        assert_eq!(consistent_with(report), Some("manylinux_2_34_x86_64"));
        assert_eq!(consistent_with("auditwheel: error: not a wheel"), None);
    }
}
