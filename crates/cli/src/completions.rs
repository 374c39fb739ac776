//! `obeya completions`: prints the script that completes commands and flags in a shell.

use std::io::{self, Write as _};

use anyhow::Result;
use clap::{Command, ValueEnum};
use clap_complete::{Shell, generate};

/// Prints the script that completes commands and flags in a shell.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: ShellName,
}

/// The shells that are described in the documentation.
#[derive(Clone, Copy, ValueEnum)]
enum ShellName {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
}

impl From<ShellName> for Shell {
    fn from(name: ShellName) -> Self {
        match name {
            ShellName::Bash => Self::Bash,
            ShellName::Zsh => Self::Zsh,
            ShellName::Fish => Self::Fish,
            ShellName::PowerShell => Self::PowerShell,
        }
    }
}

/// Prints the script for the commands of `program`.
pub(crate) fn run(args: &Args, mut program: Command) -> Result<()> {
    // The generator ends the process at a broken pipe, so it writes to memory.
    let mut script = Vec::new();
    generate(Shell::from(args.shell), &mut program, "obeya", &mut script);
    io::stdout().write_all(&script)?;
    Ok(())
}
