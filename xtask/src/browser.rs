//! Checks that the client builds for browsers, without the parts that need a system.

use std::path::Path;

use anyhow::Result;

use crate::process::{self, cargo, rustc};

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
    let place = rustc(&["--print", "target-libdir", "--target", TARGET])?;
    Ok(Path::new(&place).is_dir())
}
