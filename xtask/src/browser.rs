//! Checks that the client builds for browsers, without the parts that need a system.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo};

const TARGET: &str = "wasm32-unknown-unknown";

/// Lints the client for a browser where the standard library for it is installed; elsewhere says that it was
/// not checked.
pub(crate) fn check() -> Result<()> {
    if !is_installed()? {
        eprintln!(
            "the client was not checked for browsers: `rustup target add {TARGET}` installs what it needs"
        );
        return Ok(());
    }
    for features in [&[][..], &["--features", "arrow"]] {
        let mut command = cargo();
        command.args(["clippy", "--package", "obeya", "--target", TARGET]);
        process::run(command.args(features).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// Whether the compiler has a standard library for the target. It names the place of one that it has not.
fn is_installed() -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .context("cannot start rustc")?;
    let place = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("rustc does not know {TARGET}: {}", output.status);
    }
    Ok(Path::new(place.trim()).is_dir())
}
