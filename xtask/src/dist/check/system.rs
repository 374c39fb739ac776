//! A fresh Debian in a folder, which has nothing of this machine but its kernel and its network.
//!
//! It needs root, for `chroot`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::dist::platform::{Platform, debian};
use crate::process::{self, command};
use crate::running::Running;

/// A Debian in a folder.
pub(super) struct System {
    pub(super) root: PathBuf,
}

impl System {
    /// Makes one in the folder `root`: the essential packages of the stable release, and `packages`,
    /// separated by commas.
    pub(super) fn make(root: PathBuf, platform: &Platform, packages: &str) -> Result<Self> {
        process::run(
            debian(platform.architecture, "essential")
                .arg(format!("--include={packages}"))
                .arg("stable")
                .arg(&root),
        )
        .context("making an empty Debian")?;
        Ok(Self { root })
    }

    /// A command inside.
    pub(super) fn command(&self, words: &[&str]) -> Command {
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
    pub(super) fn serve(&self, words: &[&str]) -> Result<Running> {
        let mut serve = self.command(words);
        Running::start(serve.args(["--listen", "127.0.0.1:0", "--log", "warn"]))
    }
}
