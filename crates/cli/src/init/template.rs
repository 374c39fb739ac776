//! The text of a new `obeya.toml`: the values that were given, and the common settings as comments.
//!
//! Each comment is the help of the flag, which is the only place that describes it.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// The settings in a new file, each with an example for those without a default.
const COMMON: [(&str, &str); 15] = [
    ("db", ""),
    ("listen", ""),
    ("base-url", "\"https://obeya.plant.example\""),
    ("admin-listen", "\"127.0.0.1:8081\""),
    ("trusted-proxy", "[\"10.0.0.0/8\"]"),
    ("tls-certificate", "\"certificate.pem\""),
    ("tls-key", "\"key.pem\""),
    ("cors-origin", "[\"https://app.example\"]"),
    ("key-encryption-file", "\"signing-keys.key\""),
    ("audit-retention", "730"),
    ("log", "\"info\""),
    ("log-format", "\"text\""),
    ("connections", "1024"),
    ("memory", "268435456"),
    ("db-connections", "16"),
];
const COLUMNS: usize = 100;
const HEAD: &str = "# Settings of `obeya serve`. Each flag is a key; flags and environment variables win over this file.\n\
                    # `obeya config show` says which value is used. Relative paths start at the folder of this file.\n";

/// The text, with these values. Every one of them must be common.
pub(super) fn text(serve: &Command, values: &[(&str, &str)]) -> String {
    let mut text = HEAD.to_owned();
    for (key, example) in COMMON {
        let argument = serve
            .get_arguments()
            .find(|argument| argument.get_long() == Some(key));
        text.push('\n');
        for line in argument.map(help).unwrap_or_default() {
            let _ = writeln!(text, "# {line}");
        }
        let given = values.iter().find(|(name, _)| *name == key);
        let _ = match given {
            Some((_, value)) => writeln!(text, "{key} = {}", quoted(value)),
            None => writeln!(text, "#{key} = {example}"),
        };
    }
    text
}

/// A TOML string, with the escapes of TOML 1.0.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// The help of a flag in lines.
fn help(argument: &Arg) -> Vec<String> {
    let help = argument.get_help().map(ToString::to_string);
    let mut lines = vec![String::new()];
    for word in help.unwrap_or_default().split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_string_of_toml_whatever_is_in_it() {
        let value = "postgres://u:\"\\\u{7f}\n'Ø@db/x";
        let text = format!("db = {}", quoted(value));
        let table = toml::de::DeTable::parse(&text).expect("TOML");
        assert_eq!(table.get_ref()["db"].get_ref().as_str(), Some(value));
    }
}
