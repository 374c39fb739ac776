//! Tries the archive and the package where nothing else is: a fresh Debian without a compiler, in a folder of
//! its own.
//!
//! It needs root, for `chroot`, and mmdebstrap, which downloads some 40 packages.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::expect;
use super::system::System;
use crate::dist::platform::Platform;
use crate::dist::release::Files;
use crate::dist::{BINARY, first_screen};
use crate::process::{self, command};

/// Where the database of the package belongs. It stays when the package is removed.
const PLANT: &str = "var/lib/obeya/plant.db";

/// Installs, starts and removes each of them, in a system that it makes in the folder `work`.
pub(super) fn check(files: &Files, platform: &Platform, work: &Path) -> Result<()> {
    let built = files.package.as_deref();
    let built = built.context("there is no package to check")?;
    let system = System::make(work.join("root"), platform, "passwd")?;
    first_screen::walk(
        &system.root,
        platform,
        |words| system.command(words),
        [&files.archive, built],
    )?;
    process::run(&mut system.command(&["dpkg", "--purge", BINARY]))?;
    archive(&system, &files.archive)?;
    package(&system, built)
}

/// The archive: unpacked and started.
fn archive(system: &System, archive: &Path) -> Result<()> {
    let started = Instant::now();
    let place = system.root.join("opt");
    process::run(
        command("tar")
            .args(["--extract", "--strip-components=1", "--file"])
            .arg(archive)
            .arg("-C")
            .arg(&place),
    )?;
    let program = format!("/opt/{BINARY}");
    let service = system.serve(&[
        &program,
        "serve",
        "--create",
        "--db",
        "sqlite:/opt/plant.db",
    ])?;
    expect(&service, "/healthz", "\r\n\r\nok")?;
    println!(
        "archive: first answer after {:.1} s",
        started.elapsed().as_secs_f64()
    );
    expect(&service, "/guide/", "<title>")?;
    drop(service);
    let demo = Instant::now();
    process::run(system.command(&[&program, "demo"]).stdout(Stdio::null()))?;
    println!(
        "archive: the demo took {:.1} s",
        demo.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The package: installed, started as its own user, removed, purged.
fn package(system: &System, package: &Path) -> Result<()> {
    let started = Instant::now();
    fs::copy(package, system.root.join("tmp/obeya.deb"))?;
    process::run(&mut system.command(&["dpkg", "--install", "/tmp/obeya.deb"]))?;
    let user = ["setpriv", "--reuid=obeya", "--regid=obeya", "--init-groups"];
    let database = format!("sqlite:/{PLANT}");
    let serve = [BINARY, "serve", "--create", "--db", &database];
    let service = system.serve(&[&user[..], &serve].concat())?;
    expect(&service, "/readyz", "\r\n\r\nready")?;
    println!(
        "package: first answer after {:.1} s",
        started.elapsed().as_secs_f64()
    );
    drop(service);
    for (option, gone) in [
        ("--remove", "usr/bin/obeya"),
        ("--purge", "etc/obeya/obeya.env"),
    ] {
        process::run(&mut system.command(&["dpkg", option, BINARY]))?;
        if system.root.join(gone).exists() {
            bail!("/{gone} is still there after `dpkg {option}`");
        }
        if !system.root.join(PLANT).exists() {
            bail!("`dpkg {option}` removed /{PLANT}, the data of the operator");
        }
    }
    println!("package: removed and purged; the data is still there");
    Ok(())
}
