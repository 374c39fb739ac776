//! The arguments of a command as clap knows them, and the one that names the file.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// The file that is read if it is in the current folder and none is named.
pub(crate) const DEFAULT_FILE: &str = "obeya.toml";
/// The flag that names a file.
pub(super) const CONFIG: &str = "config";

/// Names the file. A command with this argument takes its other arguments from the file too.
#[derive(clap::Args)]
pub(crate) struct ConfigArg {
    /// A TOML file with settings: each flag below without its hyphens is a key. Flags and environment
    /// variables win over it. By default obeya.toml in the current folder, if there is one
    #[arg(id = CONFIG, long = CONFIG, env = "OBEYA_CONFIG", value_name = "FILE")]
    _file: Option<PathBuf>,
}

/// The argument with this long name.
pub(super) fn find<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    command
        .get_arguments()
        .find(|argument| argument.get_long() == Some(key))
}

/// Whether a flag gives it.
pub(super) fn is_on_command_line(argument: &Arg, given: &ArgMatches) -> bool {
    given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
}

/// Whether a variable gives it. Clap is not asked: it stops at the first variable with a wrong value.
pub(super) fn is_in_environment(argument: &Arg) -> bool {
    argument
        .get_env()
        .is_some_and(|name: &OsStr| std::env::var_os(name).is_some())
}

/// The command, for one argument alone: nothing is required, and no variable is read.
pub(super) fn alone(command: &Command) -> Command {
    let alone = |argument: Arg| argument.required(false).env(None::<&'static str>);
    command.clone().mut_args(alone)
}
