//! One entry of the file: its value as arguments of the command line, checked by the parser of the argument.

use std::any::TypeId;
use std::error::Error as _;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use toml::de::DeValue;

use super::argument::alone;

/// An entry of the file.
pub(super) struct Entry {
    /// Its key: a long flag without hyphens.
    pub(super) key: String,
    /// The line of the key, from 1.
    pub(super) line: usize,
    /// What one would type instead; nothing for `false` and for an empty array.
    pub(super) arguments: Vec<OsString>,
}

/// A value as arguments, or the sentence that says what is wrong with it.
pub(super) fn arguments(
    argument: &Arg,
    value: &DeValue<'_>,
    folder: &Path,
    command: &Command,
) -> Result<Vec<OsString>, String> {
    let flag = format!("--{}", argument.get_long().unwrap_or_default());
    let texts = match (argument.get_action(), value) {
        (ArgAction::SetTrue, DeValue::Boolean(is_set)) => {
            return Ok(is_set.then(|| flag.into()).into_iter().collect());
        }
        (ArgAction::SetTrue, other) => return Err(expected(other, "true or false")),
        (ArgAction::Append, DeValue::Array(values)) => {
            let texts = values.iter().map(|value| text(argument, value.get_ref()));
            texts.collect::<Result<Vec<String>, String>>()?
        }
        (ArgAction::Append, other) => {
            let name = kind(other);
            return Err(format!("found {name}, expected an array of strings"));
        }
        (_, value) => vec![text(argument, value)?],
    };
    let mut arguments = Vec::new();
    for text in texts {
        let text = from_folder(argument, text, folder);
        let argument = OsString::from(format!("{flag}={text}"));
        let program = OsString::from("obeya");
        let parsed = alone(command).try_get_matches_from([&program, &argument]);
        match parsed.map_err(|error| refusal(&error)) {
            Ok(_) | Err(None) => arguments.push(argument),
            Err(Some(message)) => return Err(message),
        }
    }
    Ok(arguments)
}

/// A single value as one would type it.
fn text(argument: &Arg, value: &DeValue<'_>) -> Result<String, String> {
    let is_number = is_number(argument.get_value_parser());
    match value {
        DeValue::Integer(number) if is_number => {
            i128::from_str_radix(number.as_str(), number.radix())
                .map(|number| number.to_string())
                .map_err(|_| expected(value, "a smaller integer"))
        }
        // Some limits are a number or a word.
        DeValue::String(text) if is_number && text.trim().parse::<i128>().is_ok() => {
            Err(expected(value, "an integer without quotation marks"))
        }
        DeValue::String(text) => Ok(text.to_string()),
        other if is_number => Err(expected(other, "an integer")),
        other => Err(expected(other, "a string in quotation marks")),
    }
}

/// Whether the argument is a number to clap.
fn is_number(parser: &ValueParser) -> bool {
    let numbers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    numbers.iter().any(|number| parser.type_id() == *number)
}

/// A file means the same wherever the command is started: its relative paths start at its folder.
fn from_folder(argument: &Arg, text: String, folder: &Path) -> String {
    let in_folder = |path: &str| folder.join(path).display().to_string();
    if argument.get_value_parser().type_id() == TypeId::of::<PathBuf>() && !text.is_empty() {
        return in_folder(&text);
    }
    match text.strip_prefix("sqlite:") {
        Some(path) if argument.get_long() == Some("db") && !path.is_empty() => {
            format!("sqlite:{}", in_folder(path))
        }
        _ => text,
    }
}

fn expected(found: &DeValue<'_>, expected: &str) -> String {
    let found = match found {
        DeValue::String(text) if text.trim().parse::<i128>().is_ok() => {
            format!("the string \"{text}\"")
        }
        DeValue::Integer(number) => format!("the integer {}", number.as_str()),
        DeValue::Boolean(value) => format!("{value}"),
        other => kind(other).to_owned(),
    };
    format!("found {found}, expected {expected}")
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// What clap says about the value; none if only other arguments are missing, which may be given elsewhere.
fn refusal(error: &clap::Error) -> Option<String> {
    if matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict
    ) {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    // The parser of a secret quotes nothing of it, and gives no context.
    let found = text(ContextKind::InvalidValue);
    let cause = error.source().map(ToString::to_string);
    let near = text(ContextKind::SuggestedValue).map(|near| format!("; did you mean \"{near}\"?"));
    let whole = error.to_string();
    let first = whole.lines().next().unwrap_or_default();
    Some(match (found, text(ContextKind::ValidValue), cause) {
        (Some(found), Some(valid), _) => {
            format!(
                "found \"{found}\", expected one of {valid}{}",
                near.unwrap_or_default()
            )
        }
        (_, _, Some(cause)) if cause.starts_with("found ") || cause.starts_with("expected ") => {
            cause
        }
        (Some(found), _, Some(cause)) => match cause.split_once(" is not in ") {
            Some((number, range)) => format!("found {number}, expected {}", in_words(range)),
            None => format!("found \"{found}\": {cause}"),
        },
        _ => match first.split_once("': ") {
            Some((_, message)) => message.to_owned(),
            None => first.trim_start_matches("error: ").to_owned(),
        },
    })
}

/// A range as clap writes it: `1..=9`, or with the largest number of all as its end.
fn in_words(range: &str) -> String {
    match range.split_once("..") {
        Some((least, most)) if most.trim_start_matches('=') == u64::MAX.to_string() => {
            format!("at least {least}")
        }
        Some((least, most)) => format!("{least} to {}", most.trim_start_matches('=')),
        None => range.to_owned(),
    }
}
