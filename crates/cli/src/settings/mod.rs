//! Settings of a command from `obeya.toml`, for arguments that have neither a flag nor a variable.
//!
//! The arguments that clap knows are the only list of settings: a value of the file becomes an argument of
//! the command line, which clap parses as if it had been typed. There must be no second list here.

mod argument;
mod entry;
mod file;
mod origin;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use obeya::printable;
use obeya_server::without_password;

use argument::{CONFIG, find, is_in_environment, is_on_command_line};
pub(crate) use argument::{ConfigArg, DEFAULT_FILE};
use entry::Entry;
use file::FileError;
pub(crate) use origin::{Origin, Setting};

/// The arguments of a command line, completed by a file.
pub(crate) struct Parsed {
    /// What clap found.
    pub(crate) matches: ArgMatches,
    /// The file, if the command reads one and there is one.
    pub(crate) file: Option<PathBuf>,
    /// The settings of the command with their origins; empty for a command that reads no file.
    pub(crate) settings: Vec<Setting>,
}

/// Why a command cannot run.
pub(crate) enum Refused {
    /// The command line is wrong, or help was wanted. The notes name what stands in the file.
    Arguments(clap::Error, Vec<String>),
    /// The file is wrong.
    File(Vec<FileError>),
}

/// Parses a command line. Where the command has a [`ConfigArg`], the file completes it.
///
/// # Errors
/// [`Refused`], with every mistake in the file.
pub(crate) fn parse(command: &Command, arguments: Vec<OsString>) -> Result<Parsed, Refused> {
    let strict = |arguments: Vec<OsString>, notes: &dyn Fn(&clap::Error) -> Vec<String>| {
        let parsed = command.clone().try_get_matches_from(arguments);
        parsed.map_err(|error| {
            let notes = notes(&error);
            Refused::Arguments(error, notes)
        })
    };
    // What is missing may be in the file, which is only known after the arguments are. Whatever else is wrong
    // is found again below.
    let lenient = command.clone().ignore_errors(true);
    let given = lenient.try_get_matches_from(&arguments).ok();
    let Some((path, taker, given)) = given.as_ref().and_then(|given| file_taker(command, given))
    else {
        let matches = strict(arguments, &|_| Vec::new())?;
        return Ok(Parsed {
            matches,
            file: None,
            settings: Vec::new(),
        });
    };
    let file = named_file(&taker, given);
    let entries = match &file {
        Some(file) => file::read(file, &taker).map_err(Refused::File)?,
        None => Vec::new(),
    };
    let is_given = |entry: &Entry| {
        let argument = find(&taker, &entry.key);
        argument.is_some_and(|argument| {
            is_on_command_line(argument, given) || is_in_environment(argument)
        })
    };
    let used: Vec<Entry> = entries
        .into_iter()
        .filter(|entry| !is_given(entry))
        .collect();
    // The program, the names of the commands, the file's values, and the rest: the commands above one that
    // takes a file have no options.
    let mut all = arguments;
    let place = (1 + path.len()).min(all.len());
    all.splice(
        place..place,
        used.iter().flat_map(|entry| entry.arguments.clone()),
    );
    let matches = strict(all, &|error| match &file {
        Some(file) => notes(error, file, &used),
        None => Vec::new(),
    })?;
    let settings = origin::settings(&taker, given, innermost(&matches, &path), &used);
    Ok(Parsed {
        matches,
        file,
        settings,
    })
}

impl Parsed {
    /// Whether everybody on this machine may read a password in the file. A group may: that of the service.
    #[cfg(unix)]
    pub(crate) fn has_readable_password(&self) -> bool {
        use std::os::unix::fs::PermissionsExt as _;
        let is_password = |setting: &Setting| {
            let is_one = |value: &String| without_password(value) != *value;
            matches!(setting.origin, Origin::Line(_)) && setting.values.iter().any(is_one)
        };
        let metadata = self.file.as_ref().and_then(|file| file.metadata().ok());
        metadata.is_some_and(|metadata| metadata.permissions().mode() & 0o004 != 0)
            && self.settings.iter().any(is_password)
    }

    /// Other systems have no modes.
    #[cfg(not(unix))]
    pub(crate) fn has_readable_password(&self) -> bool {
        false
    }
}

impl Refused {
    /// Prints the reason. The exit code is that of wrong usage, or 0 if help was wanted.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Arguments(error, notes) => {
                // If nobody reads it, the exit code remains.
                let _ = error.print();
                for note in notes {
                    eprintln!("{}", printable(&note));
                }
                ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
            }
            Self::File(errors) => {
                for error in errors {
                    eprintln!("error: {}", printable(&error.to_string()));
                }
                ExitCode::from(2)
            }
        }
    }
}

/// The names of the commands up to the one that takes a file, that command, and its arguments.
fn file_taker<'a>(
    command: &Command,
    matches: &'a ArgMatches,
) -> Option<(Vec<String>, Command, &'a ArgMatches)> {
    let (mut command, mut matches, mut path) = (command, matches, Vec::new());
    while let Some((name, inner)) = matches.subcommand() {
        command = command.find_subcommand(name)?;
        matches = inner;
        path.push(name.to_owned());
    }
    find(command, CONFIG)?;
    Some((path, command.clone(), matches))
}

fn innermost<'a>(matches: &'a ArgMatches, path: &[String]) -> &'a ArgMatches {
    path.iter().fold(matches, |matches, name| {
        matches.subcommand_matches(name).unwrap_or(matches)
    })
}

/// The file that the command line or the environment names, or that of the current folder.
fn named_file(taker: &Command, given: &ArgMatches) -> Option<PathBuf> {
    let named = find(taker, CONFIG).and_then(|argument| match given.value_source(CONFIG) {
        Some(ValueSource::CommandLine) => given.get_one::<PathBuf>(CONFIG).cloned(),
        _ => argument
            .get_env()
            .and_then(std::env::var_os)
            .map(PathBuf::from),
    });
    // A link to a missing file is there too, and an error.
    let default = || {
        let default = Path::new(DEFAULT_FILE);
        default
            .symlink_metadata()
            .is_ok()
            .then(|| default.to_owned())
    };
    named.or_else(default)
}

/// For arguments that do not fit together: those of them that the file gives.
fn notes(error: &clap::Error, file: &Path, used: &[Entry]) -> Vec<String> {
    let kinds = [
        ErrorKind::ArgumentConflict,
        ErrorKind::MissingRequiredArgument,
    ];
    if !kinds.contains(&error.kind()) {
        return Vec::new();
    }
    let note = |entry: &Entry| {
        format!(
            "{}:{}: {} is set here",
            file.display(),
            entry.line,
            entry.key
        )
    };
    used.iter().map(note).collect()
}
