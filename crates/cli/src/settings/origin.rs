//! Where each value of a command came from.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::argument::{CONFIG, is_in_environment, is_on_command_line};
use super::entry::Entry;

/// What gave a setting its value, in the order in which it wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A flag of the command line.
    Flag,
    /// The environment variable of this name.
    Variable(String),
    /// This line of the file.
    Line(usize),
    /// The program.
    Default,
    /// Nothing: it has no value.
    Unset,
}

/// A setting, its value and its origin.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The flag without hyphens, which is the key in the file.
    pub(crate) key: String,
    /// The values as one would type them.
    pub(crate) values: Vec<String>,
    /// Whether there may be several.
    pub(crate) is_list: bool,
    /// Whether it may contain a password.
    pub(crate) is_secret: bool,
    /// Where the values came from.
    pub(crate) origin: Origin,
}

/// The settings of a command in the order of its help. `given` is what the command line gave, `all` what clap
/// made of it and of the file's entries.
pub(super) fn settings(
    command: &Command,
    given: &ArgMatches,
    all: &ArgMatches,
    used: &[Entry],
) -> Vec<Setting> {
    let is_setting = |argument: &&Arg| {
        let long = argument.get_long().unwrap_or(CONFIG);
        ![CONFIG, "help", "json"].contains(&long)
    };
    let setting = |argument: &Arg| {
        let id = argument.get_id().as_str();
        let key = argument.get_long().unwrap_or_default().to_owned();
        let raw = all.get_raw(id).into_iter().flatten();
        let line = used
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| entry.line);
        let variable = argument.get_env().filter(|_| is_in_environment(argument));
        let origin = match (variable, line) {
            _ if is_on_command_line(argument, given) => Origin::Flag,
            (Some(name), _) => Origin::Variable(name.to_string_lossy().into_owned()),
            (None, Some(line)) => Origin::Line(line),
            (None, None) => match all.value_source(id) {
                Some(ValueSource::DefaultValue) => Origin::Default,
                _ => Origin::Unset,
            },
        };
        Setting {
            key,
            values: raw
                .map(|value| value.to_string_lossy().into_owned())
                .collect(),
            is_list: matches!(argument.get_action(), ArgAction::Append),
            is_secret: argument.is_hide_env_values_set(),
            origin,
        }
    };
    command
        .get_arguments()
        .filter(is_setting)
        .map(setting)
        .collect()
}
