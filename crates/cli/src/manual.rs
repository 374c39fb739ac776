//! `obeya manual`: writes the pages of the manual, one for each command, which a release installs.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Command;

/// Writes the pages of the manual: obeya.1, obeya-serve.1 and so on.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write to; it exists
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a page for `program` and one for each of its commands.
pub(crate) fn run(args: &Args, program: Command) -> Result<()> {
    let folder = &args.folder;
    clap_mangen::generate_to(program, folder)
        .with_context(|| format!("writing to {}", folder.display()))
}
