//! `obeya import-table`: the rows of a CSV file or a workbook as records, in a database or through a service.
//!
//! Stages, each in its own file: bytes → cells (`read_csv`, `read_excel`) → header → map of the columns
//! (`guess`, `map`, `given`) → how each column is read (`columns`) → drafts (`convert`) → records with ids
//! (`names`) → database or service (`place`, `service`) → `report`. Nothing is stored before every row was
//! read.

mod cell;
mod columns;
mod convert;
mod dates;
mod faults;
mod fields;
mod given;
mod guess;
mod header;
mod map;
mod names;
mod numbers;
mod outcome;
mod place;
mod read_csv;
mod read_excel;
mod report;
mod service;
mod words;

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail};
use jiff::tz::TimeZone;
use obeya_server::import::Named;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use self::cell::Table;
use self::columns::Plan;
use self::convert::{Constant, Reader};
use self::dates::DateOrder;
use self::faults::{Fault, Faults, counted};
use self::fields::{Kind, Resource};
use self::map::Map;
use self::names::{Directory, Record};
use self::numbers::Decimal;
use self::place::Place;
use crate::connect::ConnectArgs;
use crate::database::DatabaseArg;
use crate::optional::Optional;

/// Imports the rows of a table.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What the rows are
    #[arg(value_enum)]
    resource: Resource,

    /// The table: a CSV file, or a workbook (.xlsx, .xlsm, .xlsb, .xls or .ods). docs/import-table.md in the
    /// repository describes how it is read
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The map of the columns. By default FILE.map.toml if it exists; otherwise the columns are guessed by
    /// their headers, and the guess is written to FILE.map.toml
    #[arg(long, value_name = "MAP.toml")]
    map: Option<PathBuf>,

    /// A field with the same value in every record, such as dataSource=OEE; may be repeated
    #[arg(long, value_name = "FIELD=VALUE", value_parser = constant)]
    set: Vec<(String, String)>,

    /// The sheet of a workbook, if several have content
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,

    /// The separator of a CSV file, one character or `tab`; found by default
    #[arg(long, value_name = "SIGN", value_parser = separator)]
    separator: Option<String>,

    /// The line of the header; found by default
    #[arg(long, value_name = "LINE")]
    header_row: Option<u64>,

    /// The order of day and month in dates that do not show it
    #[arg(long, value_enum)]
    dates: Option<DateOrder>,

    /// The sign before decimals in numbers that do not show it
    #[arg(long, value_enum)]
    decimal: Option<Decimal>,

    /// The zone of local times, such as Europe/Oslo. Default: UTC
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,

    /// Reports what would be stored, and stores nothing
    #[arg(long)]
    dry_run: bool,

    /// How many lines may be left out because they cannot be read; with more of them nothing is stored
    #[arg(long, value_name = "N", default_value_t = 0)]
    allow_faults: usize,

    /// Creates the records through a service, as an API client, rather than in a database
    #[arg(long)]
    as_client: bool,

    #[command(flatten)]
    database: Optional<DatabaseArg>,

    #[command(flatten)]
    connect: Optional<ConnectArgs>,
}

fn constant(text: &str) -> Result<(String, String), String> {
    let parts = text
        .split_once('=')
        .filter(|(field, value)| !field.is_empty() && !value.is_empty());
    let (field, value) = parts.ok_or("expected a field and a value, such as dataSource=OEE")?;
    Ok((field.to_owned(), value.to_owned()))
}

fn separator(text: &str) -> Result<String, String> {
    let sign = if text == "tab" { "\t" } else { text };
    match sign.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(sign.to_owned()),
        _ => Err("expected one character of ASCII other than a quotation mark, or tab".to_owned()),
    }
}

/// Imports, and prints a report.
pub(crate) async fn run(args: Args) -> Result<()> {
    let begun = Instant::now();
    let mut out = io::stdout();
    let bytes = std::fs::read(&args.file)
        .with_context(|| format!("{} cannot be read", args.file.display()))?;
    let (map, beside) = given::given(&args)?;
    let table = read(&args.file, &bytes, &map)?;
    let columns = map
        .columns
        .iter()
        .filter(|(_, column)| !column.field.is_empty());
    let columns: Vec<&str> = columns.map(|(name, _)| name.as_str()).collect();
    let header = header::find(&table, args.resource, map.header_row, &columns).context(
        "found no header, expected a row with the names of the columns; --header-row names its line",
    )?;
    let (map, guesses) = given::complete(&args, map, &header);
    let rows = &table.rows[header.at + 1..];
    let file = args.file.file_name().unwrap_or_default().to_string_lossy();
    let mut notes = table.notes;
    notes.extend(beside.map(|map| format!("the map {} is used", map.display())));
    if !guesses.is_empty() {
        notes.push(given::keep(&args.file, &map, &header));
    }
    report::reading(&mut out, &file, &notes, &header, rows.len(), &map, &guesses)?;
    let plan = columns::plan(args.resource, &map, &header, rows, args.as_client);
    report::decisions(&mut out, &plan)?;
    if !plan.problems.is_empty() {
        bail!("{}", plan.problems.join("\nerror: "));
    }
    let place = Place::of(&args)?;
    let directory = Directory::new(place.names(kinds(&args, &map, &plan)).await?);
    let key = file_key(args.resource, &bytes, map.sheet.as_deref());
    let (records, faults) = records(&args, &map, &plan, rows, &directory, &key)?;
    report::faults(&mut out, &faults)?;
    let left_out = faults.lines();
    if left_out > args.allow_faults {
        bail!(
            "{} cannot be imported, and --allow-faults is {}: nothing was stored",
            counted(left_out, "line"),
            args.allow_faults
        );
    }
    let allowed = args.allow_faults - left_out;
    let mut outcome = place.store(&args, &file, &key, records, allowed).await?;
    let mut refused = Faults::default();
    refused.add(std::mem::take(&mut outcome.refused));
    report::faults(&mut out, &refused)?;
    let left_out = left_out + refused.lines();
    report::summary(&mut out, &outcome, left_out, args.dry_run, begun.elapsed())?;
    if let Some(why) = outcome.ended {
        bail!(
            "the import broke off: {why}; the same command continues, as what is stored is recognised"
        );
    }
    if refused.lines() > allowed {
        bail!(
            "the service refused {}, more than --allow-faults: what was stored before stays, and the same command continues",
            counted(refused.lines(), "line")
        );
    }
    Ok(())
}

fn read(file: &Path, bytes: &[u8], map: &Map) -> Result<Table> {
    let ending = file
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let is_workbook = matches!(
        &*ending.to_ascii_lowercase(),
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods"
    );
    let table = if is_workbook {
        read_excel::read(bytes, map.sheet.as_deref())
    } else {
        let separator = map.separator.as_deref().map(separator).transpose();
        let separator = separator.map_err(|error| anyhow!("the separator of the map: {error}"))?;
        read_csv::read(bytes, separator.and_then(|sign| sign.bytes().next()))
    };
    table.with_context(|| format!("{} cannot be read as a table", file.display()))
}

/// The kinds of names that the columns have.
fn kinds(args: &Args, map: &Map, plan: &Plan) -> Vec<Named> {
    let constants = map.set.keys().filter_map(|name| args.resource.field(name));
    let fields = plan
        .columns
        .iter()
        .map(|column| column.field)
        .chain(constants);
    let named = fields.filter_map(|field| match field.kind {
        Kind::Name(named) | Kind::Names(named) => Some(named),
        Kind::Person(_) => Some(Named::User),
        _ => None,
    });
    named.collect::<BTreeSet<Named>>().into_iter().collect()
}

/// Names the content of a file, and what its rows are.
fn file_key(resource: Resource, bytes: &[u8], sheet: Option<&str>) -> String {
    let mut hash = Sha256::new();
    hash.update(format!(
        "{} {}\n",
        resource.name(),
        sheet.unwrap_or_default()
    ));
    hash.update(bytes);
    let digits: String = hash.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("table:{digits}")
}

/// Reads all rows as records.
fn records(
    args: &Args,
    map: &Map,
    plan: &Plan,
    rows: &[cell::Row],
    directory: &Directory,
    key: &str,
) -> Result<(Vec<Record>, Faults)> {
    let zone = map.tz.as_deref().unwrap_or("UTC");
    let zone = TimeZone::get(zone).with_context(|| {
        format!("found the time zone \"{zone}\", expected a name such as Europe/Oslo")
    })?;
    let constants = map
        .set
        .iter()
        .filter_map(|(name, value)| Some(Constant::new(args.resource.field(name)?, value)));
    let reader = Reader {
        resource: args.resource,
        columns: &plan.columns,
        constants: constants.collect(),
        zone,
        through_api: args.as_client,
    };
    let kind = args.resource.stored();
    let mut records = Vec::new();
    let mut faults = Faults::default();
    let mut seen: HashMap<(i64, String), u64> = HashMap::new();
    for row in rows {
        let record = reader.read(row).and_then(|draft| directory.resolve(draft));
        let mut record = match record {
            Ok(record) => record,
            Err(found) => {
                faults.add(found);
                continue;
            }
        };
        if kind.key() == "externalId" {
            let own = || Value::from(format!("{key}:{}", record.line));
            record.object.entry("externalId").or_insert_with(own);
        }
        let same = kind
            .key_of(&record.object)
            .and_then(|key| seen.insert(key, record.line));
        if let Some(earlier) = same {
            let key = &record.object[kind.key()];
            let found = format!("the {} {key}, which line {earlier} has already", kind.key());
            faults.add([Fault::line(
                record.line,
                found,
                "each once in a file, or no column that is this field",
            )]);
            continue;
        }
        records.push(record);
    }
    Ok((records, faults))
}
