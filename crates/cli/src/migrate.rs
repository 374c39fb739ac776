//! `obeya migrate`: everything of one database into another, or a look whether two hold the same.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use obeya_server::migrate::{MigrateReport, Phase, Progress, migrate, verify};

use crate::bar::Watch;
use crate::database::Address;
use crate::stop::Stop;
use crate::table::{grouped, table, took};

const BAR: &str =
    "{prefix:7} {bar:30} {done} of {all} rows, {rate} a second, {eta} left  {wide_msg}";
const STOPPED: &str = "stopped at once; the target undoes what was begun";

/// Copies everything in a database into a new one, on another engine or the same.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database to copy from, which is only read: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "URL", value_parser = Address)]
    from: String,

    /// The database to copy to, which must hold nothing yet
    #[arg(long, value_name = "URL", value_parser = Address)]
    to: String,

    /// Copies nothing; compares what the two hold
    #[arg(long)]
    verify_only: bool,
}

/// Copies and prints what came of it. The first signal to stop ends it in order, the second at once; nothing
/// is kept either way.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut stop = Stop::catch().context("signals cannot be caught")?;
    let watch = Arc::new(Watch::new(BAR));
    let work = work(&args, watch.clone());
    let report = watch.see(work, &mut stop, STOPPED).await??;
    let mut out = io::stdout();
    summary(&mut out, &report, args.verify_only).with_context(|| {
        let done = if args.verify_only {
            "compared"
        } else {
            "copied"
        };
        format!("the database was {done}, but the summary could not be printed")
    })?;
    match &report.differences[..] {
        [] => Ok(()),
        differences => {
            let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
            bail!("the databases are not the same: {}", told.join("; "))
        }
    }
}

async fn work(args: &Args, watch: Arc<Watch>) -> Result<MigrateReport> {
    Ok(if args.verify_only {
        verify(&args.from, &args.to, watch).await?
    } else {
        migrate(&args.from, &args.to, watch).await?
    })
}

fn summary(out: &mut impl Write, report: &MigrateReport, is_comparison: bool) -> io::Result<()> {
    let mut rows = table(&["Table", "Rows", "Digest", "Time"], &[1, 3]);
    for table in &report.tables {
        rows.add_row([
            table.table.to_owned(),
            grouped(table.rows),
            table.digest.short(),
            took(table.elapsed),
        ]);
    }
    writeln!(out, "{rows}")?;
    let total: u64 = report.tables.iter().map(|table| table.rows).sum();
    let done = if is_comparison { "compared" } else { "copied" };
    write!(
        out,
        "{} rows {done} in {}",
        grouped(total),
        took(report.elapsed)
    )?;
    match report.last_stamp {
        Some(stamp) => writeln!(out, "; the last change of the source: {stamp}"),
        None => writeln!(out),
    }
}

impl Progress for Watch {
    fn begin(&self, phase: Phase, rows: u64) {
        self.bar.set_prefix(match phase {
            Phase::Copy => "copy",
            _ => "compare",
        });
        self.bar.set_length(rows);
        self.bar.reset();
    }

    fn table(&self, name: &str) {
        self.bar.set_message(name.to_owned());
    }

    fn advance(&self, rows: u64) {
        self.bar.inc(rows);
    }

    fn should_continue(&self) -> bool {
        Watch::goes_on(self)
    }
}
