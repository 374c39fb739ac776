//! `obeya export`: the records of a database into a folder that `obeya import` reads.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use obeya_server::export::{ExportOptions, ExportReport, Progress, export_dir};

use crate::bar::Watch;
use crate::database::Database;
use crate::stop::Stop;
use crate::table::{grouped, table, took};

const BAR: &str = "{bar:30} {done} of {all} records, {rate} a second, {eta} left  {wide_msg}";
const STOPPED: &str = "stopped at once; what was written is beside the folder's place, under a name that begins with a dot";

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
    let watch = Arc::new(Watch::new(BAR));
    let options = ExportOptions {
        with_reporters: args.with_reporters,
    };
    let database = args.database.existing()?;
    let work = export_dir(&args.folder, database, options, watch.clone());
    let exported = watch.see(work, &mut stop, STOPPED).await?;
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

    fn should_continue(&self) -> bool {
        Watch::goes_on(self)
    }
}
