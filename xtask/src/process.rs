//! Starting other programs: in the repository's root, shown before they run, and failing with what was tried.

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

/// Where Cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A command in the root.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The Cargo that runs this, or the one on the path.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end, with the terminal of its own.
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

/// Runs to the end, passing its output on line by line, and keeps it. The flag says whether it succeeded.
pub(crate) fn tee(command: &mut Command) -> Result<(bool, String)> {
    let shown = show(command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start: {shown}"))?;
    let stdout = child.stdout.take().context("stdout is piped")?;
    let stderr = child.stderr.take().context("stderr is piped")?;
    // Two threads, because a full pipe that nobody reads would stop the child.
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
        // A closed terminal is no reason to lose the count.
        let _ = writeln!(out, "{line}");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Whether a program can be started at all.
pub(crate) fn exists(program: impl AsRef<std::ffi::OsStr>, argument: &str) -> bool {
    command(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn show(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    let shown = words.join(" ");
    eprintln!("$ {shown}");
    shown
}
