//! `obeya config`: shows the settings of the service.

use std::io::{self, Write as _};

use anyhow::Result;
use clap::ArgMatches;
use obeya_server::without_password;
use serde_json::{Value, json};

use crate::database::is_database_url;
use crate::serve;
use crate::settings::{DEFAULT_FILE, Origin, Parsed, Setting};
use crate::table::table;
use crate::terminal::EscapingWriter;

/// Shows the settings of the service.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Shows each setting of `obeya serve` with its value, and where that came from: a flag, an environment
    /// variable, a line of the file, or the default. It accepts the flags of `obeya serve`; passwords are
    /// not shown
    Show {
        /// Prints the result as a JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: ServeFlags,
    },
}

/// The flags of `obeya serve`, none of which is required. Their values are in [`Parsed`].
pub(crate) struct ServeFlags;

impl clap::FromArgMatches for ServeFlags {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

impl clap::Args for ServeFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        let serve = serve::command();
        let flags = serve.get_arguments().map(|flag| {
            let is_file = flag.get_long() == Some("config");
            flag.clone().required(false).hide(!is_file)
        });
        command.args(flags)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Runs the subcommand.
pub(crate) fn run(command: &Command, parsed: &Parsed) -> Result<()> {
    let Command::Show { json, .. } = command;
    let file = parsed.file.as_ref().map(|file| file.display().to_string());
    if *json {
        let settings = parsed.settings.iter();
        let settings: Vec<Value> = settings.map(|it| object(it, file.as_deref())).collect();
        let all = json!({ "file": file, "settings": settings });
        writeln!(io::stdout(), "{all}")?;
        return Ok(());
    }
    // Names of files and values are texts of others.
    let mut out = EscapingWriter::new(io::stdout());
    match &file {
        Some(file) => writeln!(out, "Settings of obeya serve, with {file}:")?,
        None => writeln!(
            out,
            "Settings of obeya serve, without a file ({DEFAULT_FILE}):"
        )?,
    }
    let mut rows = table(&["Setting", "Value", "From"], &[]);
    for setting in &parsed.settings {
        let value = shown(setting).join(", ");
        rows.add_row([setting.key.clone(), value, origin(setting, file.as_deref())]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// The values without passwords.
fn shown(setting: &Setting) -> Vec<String> {
    let values = setting.values.iter();
    let shown = |value: &String| match setting.is_secret {
        true if is_database_url(value) => without_password(value),
        true => "***".to_owned(),
        false => value.clone(),
    };
    values.map(shown).collect()
}

fn origin(setting: &Setting, file: Option<&str>) -> String {
    match &setting.origin {
        Origin::Flag => format!("flag --{}", setting.key),
        Origin::Variable(name) => format!("variable {name}"),
        Origin::Line(line) => format!("{}:{line}", file.unwrap_or_default()),
        Origin::Default => "default".to_owned(),
        Origin::Unset => "not set".to_owned(),
    }
}

fn object(setting: &Setting, file: Option<&str>) -> Value {
    let shown = shown(setting);
    let value = match (setting.is_list, shown.first()) {
        (true, _) => json!(shown),
        (false, Some(value)) => json!(value),
        (false, None) => Value::Null,
    };
    let mut object = json!({ "name": setting.key, "value": value });
    let from = match &setting.origin {
        Origin::Flag => "flag",
        Origin::Variable(name) => {
            object["variable"] = json!(name);
            "environment"
        }
        Origin::Line(line) => {
            object["file"] = json!(file);
            object["line"] = json!(line);
            "file"
        }
        Origin::Default => "default",
        Origin::Unset => "unset",
    };
    object["from"] = json!(from);
    object
}
