//! `obeya export`: the records of a database into a folder that `obeya import` reads.

use std::io::{self, Write};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use obeya_server::export::{ExportOptions, ExportReport, Progress, export_dir};

use crate::bar::number;
use crate::database::Database;
use crate::stop::Stop;
use crate::table::{grouped, table, took};

/// Exports the records of a database into a new folder.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to make, which must not be there yet or be empty; docs/import-format.md describes its files
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    database: Database,

    /// Tells who reported anonymous incidents, for a copy that loses nothing
    #[arg(long)]
    with_reporters: bool,
}

/// Exports and prints what came of it. The first signal to stop ends it in order, the second at once.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut stop = Stop::catch().context("signals cannot be caught")?;
    let watch = Arc::new(Watch::new());
    let options = ExportOptions {
        with_reporters: args.with_reporters,
    };
    let exported = {
        let database = args.database.existing()?;
        let mut work = pin!(export_dir(&args.folder, database, options, watch.clone()));
        loop {
            tokio::select! {
                done = &mut work => break done,
                () = stop.asked() => if watch.stop() {
                    bail!("stopped at once; what was written is beside the folder's place, under a name that begins with a dot");
                }
            }
        }
    };
    watch.bar.finish_and_clear();
    summary(&mut io::stdout(), &exported?)
        .context("the folder was exported, but the summary could not be printed")
}

fn summary(out: &mut impl Write, report: &ExportReport) -> io::Result<()> {
    let mut rows = table(&["File", "Records", "Bytes"], &[1, 2]);
    for file in &report.files {
        rows.add_row([
            file.file.clone(),
            grouped(file.records),
            grouped(file.bytes),
        ]);
    }
    writeln!(out, "{rows}")?;
    let records: u64 = report.files.iter().map(|file| file.records).sum();
    write!(
        out,
        "{} records in {}",
        grouped(records),
        took(report.elapsed)
    )?;
    match report.last_stamp {
        Some(stamp) => writeln!(out, "; the last change: {stamp}"),
        None => writeln!(out),
    }
}

/// A bar on stderr while it is a terminal, and the wish to stop.
struct Watch {
    bar: ProgressBar,
    is_stopped: AtomicBool,
}

impl Watch {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template(
            "{bar:30} {records} of {all} records, {rate} a second, {eta} left  {wide_msg}",
        );
        // A template with a slip in it is no reason not to export.
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(
            style
                .with_key("records", number(ProgressState::pos))
                .with_key("all", number(|state| state.len().unwrap_or_default()))
                .with_key("rate", number(|state| state.per_sec() as u64)),
        );
        Self {
            bar,
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Whether it was asked to stop before.
    fn stop(&self) -> bool {
        self.is_stopped.swap(true, Ordering::Relaxed)
    }
}

impl Progress for Watch {
    fn begin(&self, records: u64) {
        self.bar.set_length(records);
    }

    fn file(&self, name: &str) {
        self.bar.set_message(name.to_owned());
    }

    fn advance(&self, records: u64) {
        self.bar.inc(records);
    }

    fn goes_on(&self) -> bool {
        !self.is_stopped.load(Ordering::Relaxed)
    }
}
