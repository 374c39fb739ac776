//! The map of a run: from its file, the command line and, where both say nothing, a guess.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Args;
use super::guess::{self, Guess};
use super::header::Header;
use super::map::{self, Column, Map};

/// The map that is given, with the settings of the command line over its own; and its file, if it is the one
/// beside the table.
pub(crate) fn given(args: &Args) -> Result<(Map, Option<PathBuf>)> {
    let beside = map_beside(&args.file);
    let path = match &args.map {
        Some(path) => Some(path.clone()),
        None => beside.exists().then_some(beside),
    };
    let mut map = match &path {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("the map {} cannot be read", path.display()))?;
            Map::parse(&text, args.resource)
                .with_context(|| format!("in the map {}", path.display()))?
        }
        None => Map {
            resource: args.resource.name().to_owned(),
            ..Map::default()
        },
    };
    for (field, value) in &args.set {
        map::check_field(args.resource, field)?;
        map.set.insert(field.clone(), value.clone());
    }
    map.sheet = args.sheet.clone().or(map.sheet);
    map.separator = args.separator.clone().or(map.separator);
    map.header_row = args.header_row.or(map.header_row);
    map.dates = args.dates.or(map.dates);
    map.decimal = args.decimal.or(map.decimal);
    map.tz = args.tz.clone().or(map.tz);
    Ok((map, path.filter(|_| args.map.is_none())))
}

fn map_beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".map.toml");
    file.with_file_name(name)
}

/// The columns of the map, guessed if it has none.
pub(crate) fn complete(args: &Args, mut map: Map, header: &Header) -> (Map, Vec<Guess>) {
    if !map.columns.is_empty() {
        return (map, Vec::new());
    }
    let constants: Vec<&str> = map.set.keys().map(String::as_str).collect();
    let guesses = guess::guess(args.resource, &header.names, &constants, args.as_client);
    for (name, guess) in header
        .names
        .iter()
        .zip(&guesses)
        .filter(|(name, _)| !name.is_empty())
    {
        let field = match guess {
            Guess::Field(field) => field.name.to_owned(),
            Guess::Taken(_) | Guess::NotThroughApi(_) | Guess::Unknown => String::new(),
        };
        let column = Column {
            field,
            ..Column::default()
        };
        map.columns.insert(name.clone(), column);
    }
    map.header_row = Some(header.line);
    (map, guesses)
}

/// Writes the guess beside the file; returns what to say. That it cannot be written does not end the import.
pub(crate) fn keep(file: &Path, map: &Map, header: &Header) -> String {
    let path = map_beside(file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let written = File::create_new(&path)
        .and_then(|mut out| out.write_all(map.to_toml(&header.names, &name).as_bytes()));
    match written {
        Ok(()) => format!("the guess was written to {}", path.display()),
        Err(error) => format!("the guess cannot be written to {}: {error}", path.display()),
    }
}
