//! Builds the Python extension together with the tests of the workspace.
//!
//! maturin builds the extension alone: `cargo rustc --lib`. Cargo then selects the features that the
//! extension alone needs, and compiles 57 dependencies once more that the Rust tests have compiled with some
//! features more. So maturin starts this program as its Cargo, which builds the extension as one crate of the
//! workspace.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{cargo, target};

/// The variable with the path of the real Cargo, set when this program is started as Cargo.
const CARGO: &str = "OBEYA_XTASK_CARGO";

/// Makes a command that starts maturin reuse the crates that the Rust tests have compiled.
pub(super) fn share_units(command: &mut Command) {
    // Not `current_exe`: the build of the Rust tests has replaced the file that we were started from.
    let program = target().join(format!("debug/xtask{}", env::consts::EXE_SUFFIX));
    command.env("CARGO", program);
    command.env(CARGO, cargo().get_program());
}

/// Runs the real Cargo and exits with its code, if this program was started as Cargo.
pub(crate) fn run_if_cargo() -> Result<()> {
    let Some(cargo) = env::var_os(CARGO) else {
        return Ok(());
    };
    let arguments = with_workspace(env::args_os().skip(1).collect());
    let status = Command::new(&cargo)
        .args(arguments)
        .status()
        .with_context(|| format!("cannot start {}", cargo.display()))?;
    std::process::exit(status.code().unwrap_or(1));
}

/// Turns `rustc … --lib -- …` into a build of the whole workspace; other commands do not change. `--tests`
/// selects the features of the development dependencies too, as the build of the tests did. Arguments after
/// `--` are for a single compiler call, and a build does not accept them.
fn with_workspace(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter();
    match arguments.next() {
        Some(command) if command == "rustc" => ["build", "--workspace", "--tests"]
            .map(OsString::from)
            .into_iter()
            .chain(arguments.take_while(|argument| argument != "--"))
            .collect(),
        command => command.into_iter().chain(arguments).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &str) -> String {
        let arguments = arguments.split(' ').map(OsString::from).collect();
        let parts: Vec<String> = with_workspace(arguments)
            .into_iter()
            .map(|part| part.into_string().expect("UTF-8"))
            .collect();
        parts.join(" ")
    }

    #[test]
    fn a_build_of_the_extension_becomes_one_of_the_workspace() {
        assert_eq!(
            given("rustc --profile dev --manifest-path a/Cargo.toml --lib -- -C strip=symbols"),
            "build --workspace --tests --profile dev --manifest-path a/Cargo.toml --lib"
        );
        assert_eq!(
            given("metadata --format-version 1 -- x"),
            "metadata --format-version 1 -- x"
        );
    }
}
