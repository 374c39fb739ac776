//! Tries what was built where nothing else is: a fresh Debian without a compiler, in a folder of its own.
//! Each artefact is installed, started, asked and removed.
//!
//! It needs root, for `chroot`, and mmdebstrap, which downloads some 40 packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{BINARY, CHECKSUMS, first_screen};
use crate::process::{self, command, exists};
use crate::running::Running;

/// The files of a release.
pub(super) struct Artefacts<'a> {
    pub(super) folder: &'a Path,
    pub(super) archive: &'a Path,
    pub(super) package: &'a Path,
}

/// Where the database of the package belongs. It stays when the package is removed.
const PLANT: &str = "var/lib/obeya/plant.db";

/// Installs, starts and removes each of them. Says how long that took.
pub(super) fn check(artefacts: &Artefacts<'_>) -> Result<()> {
    if !exists("mmdebstrap", "--version") {
        bail!("found no `mmdebstrap` on the path; install it to check a release");
    }
    process::run(
        command("sha256sum")
            .args(["--check", "--quiet", CHECKSUMS])
            .current_dir(artefacts.folder),
    )?;
    let folder = tempfile::tempdir_in(artefacts.folder)?;
    let root = folder.path().join("root");
    process::run(
        command("mmdebstrap")
            .args(["--quiet", "--variant=essential", "--include=passwd"])
            // A mirror may be some weeks old. Nothing of this system is used afterwards.
            .arg("--aptopt=Acquire::Check-Valid-Until \"false\"")
            .arg("stable")
            .arg(&root),
    )
    .context("making an empty Debian")?;
    let system = System { root };
    first_screen::walk(
        &system.root,
        |words| system.command(words),
        [artefacts.archive, artefacts.package],
    )?;
    process::run(&mut system.command(&["dpkg", "--purge", BINARY]))?;
    archive(&system, artefacts.archive)?;
    package(&system, artefacts.package)
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

/// A Debian in a folder.
struct System {
    root: PathBuf,
}

impl System {
    /// A command inside.
    fn command(&self, words: &[&str]) -> Command {
        let mut chroot = command("chroot");
        chroot
            .arg(&self.root)
            .args(words)
            .current_dir("/")
            .env_clear();
        chroot
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", "/root");
        chroot
    }

    /// Starts the service on a free port of loopback.
    fn serve(&self, words: &[&str]) -> Result<Running> {
        let mut serve = self.command(words);
        Running::start(serve.args(["--listen", "127.0.0.1:0", "--log", "warn"]))
    }
}

/// Fails unless the answer is 200 and contains the text.
fn expect(service: &Running, path: &str, text: &str) -> Result<()> {
    let answer = service.ask(&format!("GET {path}"), "", "")?;
    if !answer.starts_with("HTTP/1.1 200 ") || !answer.contains(text) {
        bail!("{path}: expected 200 with {text:?}, found {answer}");
    }
    Ok(())
}
