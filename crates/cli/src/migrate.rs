//! `obeya migrate`: copies one database to another, or compares two.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use obeya_server::migrate::{MigrateReport, Phase, Progress, migrate, verify};

use crate::database::DatabaseUrlParser;
use crate::progress::WorkProgress;
use crate::stop::StopSignal;
use crate::table::{format_duration, group_digits, table};

const BAR: &str =
    "{prefix:7} {bar:30} {done} of {all} rows, {rate} a second, {eta} left  {wide_msg}";
const STOPPED: &str = "stopped at once; the target rolls back what was begun";

/// Copies a whole database to an empty one, on the same engine or another.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The source database, which is only read: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "URL", value_parser = DatabaseUrlParser)]
    from: String,

    /// The target database, which must be empty
    #[arg(long, value_name = "URL", value_parser = DatabaseUrlParser)]
    to: String,

    /// Compares the two databases instead of copying
    #[arg(long)]
    verify_only: bool,
}

/// Copies and prints a summary. The first signal stops it cleanly, the second at once; both roll back.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    let progress = Arc::new(WorkProgress::new(BAR));
    let work = work(&args, progress.clone());
    let report = progress.run(work, &mut stop, STOPPED).await??;
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
            let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
            bail!("the databases are not the same: {}", texts.join("; "))
        }
    }
}

async fn work(args: &Args, progress: Arc<WorkProgress>) -> Result<MigrateReport> {
    Ok(if args.verify_only {
        verify(&args.from, &args.to, progress).await?
    } else {
        migrate(&args.from, &args.to, progress).await?
    })
}

fn summary(out: &mut impl Write, report: &MigrateReport, is_comparison: bool) -> io::Result<()> {
    let mut rows = table(&["Table", "Rows", "Digest", "Time"], &[1, 3]);
    for table in &report.tables {
        rows.add_row([
            table.table.to_owned(),
            group_digits(table.rows),
            table.digest.short(),
            format_duration(table.elapsed),
        ]);
    }
    writeln!(out, "{rows}")?;
    let total: u64 = report.tables.iter().map(|table| table.rows).sum();
    let done = if is_comparison { "compared" } else { "copied" };
    write!(
        out,
        "{} rows {done} in {}",
        group_digits(total),
        format_duration(report.elapsed)
    )?;
    match report.last_stamp {
        Some(stamp) => writeln!(out, "; the last change of the source: {stamp}"),
        None => writeln!(out),
    }
}

impl Progress for WorkProgress {
    fn begin(&self, phase: Phase, rows: u64) {
        self.bar.set_prefix(match phase {
            Phase::Copy => "copy",
            Phase::Check => "check",
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
        WorkProgress::goes_on(self)
    }
}
