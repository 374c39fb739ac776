//! Runs other programs: in the repository's root, printed before they start, and named in the error.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map_or(xtask.clone(), PathBuf::from)
}

/// The folder that Cargo builds in.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A command that runs in the root.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The Cargo that started this program, or the one on the path.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// What the compiler prints when it is asked about itself.
pub(crate) fn rustc(arguments: &[&str]) -> Result<String> {
    let mut rustc = command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(arguments).stderr(Stdio::inherit()).output();
    let output = output.context("cannot start rustc")?;
    if !output.status.success() {
        bail!("`rustc {}` failed ({})", arguments.join(" "), output.status);
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Runs a command to its end, with inherited output.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command
        .status()
        .with_context(|| format!("cannot start: {shown}"))?;
    if !status.success() {
        bail!("failed ({status}): {shown}");
    }
    Ok(())
}

/// Runs a command to its end, prints its output line by line and returns it. The flag tells success.
pub(crate) fn tee(command: &mut Command) -> Result<(bool, String)> {
    let shown = show(command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start: {shown}"))?;
    let stdout = child.stdout.take().context("stdout is piped")?;
    let stderr = child.stderr.take().context("stderr is piped")?;
    // Two threads, because a full pipe without a reader would block the child.
    let errors = thread::spawn(move || pass_on(BufReader::new(stderr), &mut std::io::stderr()));
    let mut text = pass_on(BufReader::new(stdout), &mut std::io::stdout());
    text.push_str(&errors.join().unwrap_or_default());
    let status = child.wait().with_context(|| format!("lost: {shown}"))?;
    Ok((status.success(), text))
}

fn pass_on(reader: impl BufRead, out: &mut impl Write) -> String {
    let mut text = String::new();
    for line in reader.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        // A closed terminal must not lose the count.
        let _ = writeln!(out, "{line}");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Whether a program can be started and succeeds with this argument.
pub(crate) fn exists(program: impl AsRef<std::ffi::OsStr>, argument: &str) -> bool {
    command(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn show(command: &Command) -> String {
    let mut parts = vec![command.get_program().to_string_lossy().into_owned()];
    parts.extend(
        command
            .get_args()
            .map(|part| part.to_string_lossy().into_owned()),
    );
    let shown = parts.join(" ");
    eprintln!("$ {shown}");
    shown
}
