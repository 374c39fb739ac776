//! Reads the file: TOML text → entries that were checked against the arguments of a command.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Command;
use clap::error::{ContextKind, ContextValue};
use toml::de::DeTable;

use super::argument::{CONFIG, alone, find};
use super::entry::{self, Entry};

/// A mistake in the file, and where it is.
#[derive(Debug)]
pub(crate) struct FileError {
    file: PathBuf,
    line: Option<usize>,
    message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

/// The entries of a file, in its order.
///
/// # Errors
/// That the file cannot be read, the first mistake in its form, or all mistakes in its keys and values.
pub(super) fn read(file: &Path, command: &Command) -> Result<Vec<Entry>, Vec<FileError>> {
    let error = |line, message| FileError {
        file: file.to_owned(),
        line,
        message,
    };
    let text = std::fs::read_to_string(file).map_err(|cause| {
        vec![error(
            None,
            format!("the file with settings cannot be read: {cause}"),
        )]
    })?;
    // The relative paths in it start at its folder.
    let folder = file.parent().unwrap_or(Path::new(""));
    entries(&text, folder, command).map_err(|mistakes| {
        let mistakes = mistakes.into_iter();
        mistakes
            .map(|(line, message)| error(Some(line), message))
            .collect()
    })
}

/// The entries of a text, or all mistakes in it with their lines.
fn entries(
    text: &str,
    folder: &Path,
    command: &Command,
) -> Result<Vec<Entry>, Vec<(usize, String)>> {
    let line_at = |position: usize| {
        1 + text
            .bytes()
            .take(position)
            .filter(|byte| *byte == b'\n')
            .count()
    };
    // The error itself would show the line, which may have a password.
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_at(error.span().map_or(0, |span| span.start));
        vec![(line, format!("this is not TOML: {}", error.message()))]
    })?;
    let (mut entries, mut mistakes) = (Vec::new(), Vec::new());
    for (key, value) in table.get_ref() {
        let line = line_at(key.span().start);
        match find(command, key.get_ref()) {
            Some(argument) if argument.get_long() != Some(CONFIG) => {
                match entry::arguments(argument, value.get_ref(), folder, command) {
                    Ok(arguments) => entries.push(Entry {
                        key: key.get_ref().to_string(),
                        line,
                        arguments,
                    }),
                    Err(message) => mistakes.push((line, format!("{}: {message}", key.get_ref()))),
                }
            }
            _ => mistakes.push((
                line,
                unknown(key.get_ref(), value.get_ref().is_table(), command),
            )),
        }
    }
    entries.sort_by_key(|entry| entry.line);
    mistakes.sort_by_key(|(line, _)| *line);
    match mistakes.is_empty() {
        true => Ok(entries),
        false => Err(mistakes),
    }
}

fn unknown(key: &str, is_table: bool, command: &Command) -> String {
    let nearest = nearest(key, command).map(|near| format!("; did you mean `{near}`?"));
    let expected = match is_table {
        true => "expected settings without a heading or a prefix",
        false => "expected a flag of `obeya serve` without its hyphens",
    };
    format!(
        "found the unknown key `{key}`, {expected}{}",
        nearest.unwrap_or_default()
    )
}

/// The known key that clap would suggest for a misspelt flag.
fn nearest(key: &str, command: &Command) -> Option<String> {
    let flag = format!("--{key}");
    let error = alone(command)
        .try_get_matches_from(["obeya", &flag])
        .err()?;
    match error.get(ContextKind::SuggestedArg)? {
        ContextValue::String(flag) => Some(flag.trim_start_matches('-').to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, value_parser};

    use super::*;

    fn command() -> Command {
        Command::new("serve")
            .arg(Arg::new("config").long("config"))
            .arg(Arg::new("db").long("db").required(true))
            .arg(Arg::new("listen").long("listen"))
            .arg(
                Arg::new("limit")
                    .long("limit")
                    .value_parser(value_parser!(u32).range(1..=9)),
            )
            .arg(Arg::new("create").long("create").action(ArgAction::SetTrue))
            .arg(Arg::new("proxy").long("proxy").action(ArgAction::Append))
            .arg(
                Arg::new("format")
                    .long("format")
                    .value_parser(["text", "json"]),
            )
            .arg(
                Arg::new("key")
                    .long("key")
                    .value_parser(value_parser!(PathBuf))
                    .requires("listen"),
            )
    }

    /// The key, the line and the arguments of an entry.
    type Read = (String, usize, Vec<String>);

    fn read_text(text: &str) -> Result<Vec<Read>, Vec<(usize, String)>> {
        let entries = entries(text, Path::new("/etc/obeya"), &command())?;
        let text = |entry: Entry| {
            let arguments = entry.arguments.into_iter();
            let arguments = arguments.map(|it| it.into_string().unwrap()).collect();
            (entry.key, entry.line, arguments)
        };
        Ok(entries.into_iter().map(text).collect())
    }

    #[test]
    fn each_value_becomes_the_argument_that_one_would_type() {
        let text = "# The plant\nlisten = \"127.0.0.1:80\"\ndb = 'sqlite:plant.db'\nlimit = 0x7\n\ncreate = true\n\
                    proxy = [\"10.0.0.1\",\n  \"10.0.0.2\"]\nkey = \"key.pem\"\nformat = \"json\"\n";
        let expected = [
            ("listen", 2, vec!["--listen=127.0.0.1:80"]),
            ("db", 3, vec!["--db=sqlite:/etc/obeya/plant.db"]),
            ("limit", 4, vec!["--limit=7"]),
            ("create", 6, vec!["--create"]),
            ("proxy", 7, vec!["--proxy=10.0.0.1", "--proxy=10.0.0.2"]),
            ("key", 9, vec!["--key=/etc/obeya/key.pem"]),
            ("format", 10, vec!["--format=json"]),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(key, line, arguments)| {
                (
                    key.to_owned(),
                    line,
                    arguments.into_iter().map(str::to_owned).collect(),
                )
            })
            .collect();
        assert_eq!(read_text(text).unwrap(), expected);
        let off = read_text("create = false\nproxy = []").unwrap();
        assert!(off.iter().all(|(_, _, arguments)| arguments.is_empty()));
        let absolute = "db = 'sqlite:/srv/plant.db'\nkey = '/srv/key'";
        let [db, key] = &read_text(absolute).unwrap()[..] else {
            panic!()
        };
        assert_eq!(
            (&*db.2[0], &*key.2[0]),
            ("--db=sqlite:/srv/plant.db", "--key=/srv/key")
        );
    }

    #[test]
    fn every_mistake_has_its_line_and_says_what_is_expected() {
        let text = "limmit = 3\nlimit = \"3\"\ncreate = 1\nproxy = \"10.0.0.1\"\nlisten = 80\nformat = \"jsn\"\n\
                    db = [\"a\"]\nconfig = \"x\"\nkey = 1.5\n[log]\nlevel = 1\n";
        let expected = [
            "1 found the unknown key `limmit`, expected a flag of `obeya serve` without its hyphens; did you mean `limit`?",
            "2 limit: found the string \"3\", expected an integer without quotation marks",
            "3 create: found the integer 1, expected true or false",
            "4 proxy: found a string, expected an array of strings",
            "5 listen: found the integer 80, expected a string in quotation marks",
            "6 format: found \"jsn\", expected one of text, json; did you mean \"json\"?",
            "7 db: found an array, expected a string in quotation marks",
            "8 found the unknown key `config`, expected a flag of `obeya serve` without its hyphens",
            "9 key: found a float, expected a string in quotation marks",
            "10 found the unknown key `log`, expected settings without a heading or a prefix",
        ];
        let found = read_text(text).unwrap_err();
        let found: Vec<_> = found
            .iter()
            .map(|(line, message)| format!("{line} {message}"))
            .collect();
        assert_eq!(found, expected);
        let found = read_text("limit = 12").unwrap_err();
        assert_eq!(found, [(1, "limit: found 12, expected 1 to 9".to_owned())]);
    }

    #[test]
    fn a_file_that_is_not_toml_is_refused_without_its_text() {
        let found = read_text("listen = \"x\"\ndb = \"postgres://u:hunter2@db/x\n").unwrap_err();
        assert_eq!(found[0].0, 2);
        assert!(!found[0].1.contains("hunter2"), "{found:?}");
        let twice = read_text("limit = 1\nlisten = \"x\"\nlimit = 2\n").unwrap_err();
        assert_eq!(twice, [(3, "this is not TOML: duplicate key".to_owned())]);
    }
}
