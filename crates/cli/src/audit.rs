//! `obeya audit`: shows, exports and verifies the audit log of a database.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use obeya::model::Timestamp;
use obeya_server::audit::{self, Entry, Filter};

use crate::database::DatabaseArg;
use crate::durable;
use crate::pull::InstantArg;
use crate::table::{group_digits, table};

/// Shows the audit log: who changed what, oldest first.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    database: DatabaseArg,

    /// Only what happened at this time or later, such as 2025-06-01 or 2025-06-01T08:00:00Z
    #[arg(long, value_name = "TIME", value_parser = clap::value_parser!(InstantArg))]
    since: Option<InstantArg>,

    /// Only what this client changed
    #[arg(long, value_name = "CLIENT_ID")]
    client: Option<String>,

    /// Only changes of this record, or of the records of this set, such as incidents/17 or incidents
    #[arg(long, value_name = "PATH")]
    record: Option<String>,

    /// Verifies the whole log, and prints its last entry
    #[arg(long, conflicts_with_all = ["since", "client", "record", "output", "json"])]
    verify: bool,

    /// An entry that an earlier --verify printed: it must be there, unchanged
    #[arg(long, value_name = "NUMBER:HASH", requires = "verify", value_parser = head)]
    head: Option<(i64, String)>,

    /// Shows the refused token requests and access tokens by address and minute instead
    #[arg(long, conflicts_with_all = ["client", "record", "verify", "output"])]
    refused: bool,

    /// Writes the entries to this file, as JSON Lines
    #[arg(long, short, value_name = "FILE", conflicts_with = "json")]
    output: Option<PathBuf>,

    /// Prints JSON Lines instead of a table
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Whether its output is its only effect.
    pub(crate) fn only_prints(&self) -> bool {
        self.output.is_none() && !self.verify
    }
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<()> {
    let db = args.database.existing()?;
    let since = args.since.map(|InstantArg(since)| since.ticks());
    if args.verify {
        return verify(db, args.head).await;
    }
    if args.refused {
        return refused(db, since, args.json).await;
    }
    let filter = Filter {
        since,
        client_id: args.client,
        record: args.record,
    };
    match &args.output {
        Some(file) => export(db, filter, file).await,
        None => print(db, filter, args.json).await,
    }
}

async fn print(db: &str, filter: Filter, json: bool) -> Result<()> {
    let mut out = BufWriter::new(io::stdout());
    let each = if json { line } else { row };
    if !json {
        writeln!(
            out,
            "{:>8}  {:20}  {:20}  {:26}  {:24}  Change",
            "Number", "Time", "Client", "Operation", "Record"
        )?;
    }
    let mut out = audit::entries(db, filter, out, each).await?;
    Ok(out.flush()?)
}

async fn export(db: &str, filter: Filter, file: &Path) -> Result<()> {
    let part = durable::with_suffix(file, ".new");
    let created = durable::create(&part);
    let created = created.with_context(|| format!("{} cannot be created", part.display()))?;
    let out = audit::entries(
        db,
        filter,
        (BufWriter::new(created), 0_u64),
        |(out, count), entry| {
            *count += 1;
            line(out, entry)
        },
    );
    let written = async {
        let (out, count) = out.await?;
        let done = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        durable::sync(&done, &part)?;
        durable::publish_private(&part, file)?;
        anyhow::Ok(count)
    };
    let count = match written.await {
        Ok(count) => count,
        Err(error) => {
            // What is left of a failed export is of no use.
            let _ = durable::remove(&part);
            return Err(error);
        }
    };
    let count = group_digits(count);
    Ok(writeln!(
        io::stdout(),
        "{count} entries in {}",
        file.display()
    )?)
}

async fn verify(db: &str, head: Option<(i64, String)>) -> Result<()> {
    let verified = audit::verify_chain(db, head).await?;
    if let Some(fault) = verified.fault {
        bail!("the audit log was changed by another way: {fault}");
    }
    let mut out = io::stdout();
    let (Some(first), Some((last, hash))) = (verified.first, verified.last) else {
        return Ok(writeln!(out, "the audit log is empty")?);
    };
    let (count, erased) = (
        group_digits(verified.entries),
        group_digits(verified.erased),
    );
    writeln!(
        out,
        "entries        {count}, from {first} to {last}; {erased} with an erased text"
    )?;
    writeln!(out, "last entry     {last}:{hash}")?;
    Ok(writeln!(
        out,
        "The chain is whole. Keep the last entry elsewhere, and give it to the next --verify as --head."
    )?)
}

async fn refused(db: &str, since: Option<i64>, json: bool) -> Result<()> {
    let counts = audit::refused(db, since.unwrap_or_default()).await?;
    let mut out = io::stdout();
    let minute = |minute: i64| Timestamp::from_ticks(minute.saturating_mul(60 * 10_000_000));
    let minute = |at| minute(at).map_or_else(String::new, |at| at.to_string());
    if json {
        for refused in counts {
            let object = serde_json::json!({
                "minute": minute(refused.minute), "address": refused.address,
                "requests": refused.counts.requests, "tokens": refused.counts.tokens,
            });
            writeln!(out, "{object}")?;
        }
        return Ok(());
    }
    let mut rows = table(
        &["Minute", "Address", "Token requests", "Access tokens"],
        &[2, 3],
    );
    for refused in counts {
        rows.add_row([
            minute(refused.minute),
            obeya::printable(&refused.address).into_owned(),
            refused.counts.requests.to_string(),
            refused.counts.tokens.to_string(),
        ]);
    }
    Ok(writeln!(out, "{rows}")?)
}

fn line(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    writeln!(out, "{}", entry.json())
}

fn row(out: &mut BufWriter<io::Stdout>, entry: &Entry) -> io::Result<()> {
    let time = Timestamp::from_ticks(entry.at - entry.at.rem_euclid(10_000_000));
    let shown =
        |text: &Option<String>| obeya::printable(text.as_deref().unwrap_or("-")).into_owned();
    writeln!(
        out,
        "{:>8}  {:20}  {:20}  {:26}  {:24}  {}",
        entry.number,
        time.map_or_else(String::new, |time| time.to_string()),
        shown(&entry.origin.client_id),
        obeya::printable(&entry.operation),
        shown(&entry.record),
        entry
            .change
            .as_ref()
            .map_or("(erased)".into(), |text| obeya::printable(text)),
    )
}

/// `NUMBER:HASH`.
fn head(text: &str) -> Result<(i64, String), String> {
    let parts = text.split_once(':');
    let parsed = parts.and_then(|(number, hash)| Some((number.parse().ok()?, hash.to_owned())));
    parsed
        .filter(|(number, hash): &(i64, String)| *number > 0 && hash.len() == 64)
        .ok_or_else(|| "expected what --verify printed as the last entry, NUMBER:HASH".to_owned())
}
