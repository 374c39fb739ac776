//! `obeya export`: writes the records of a database to a folder that `obeya import` reads.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use obeya_server::export::{ExportOptions, ExportReport, Progress, export_dir};

use crate::database::DatabaseArg;
use crate::progress::WorkProgress;
use crate::stop::StopSignal;
use crate::table::{format_duration, group_digits, table};

const BAR: &str = "{bar:30} {done} of {all} records, {rate} a second, {eta} left  {wide_msg}";
const STOPPED: &str = "stopped at once; what was written is left next to the target folder, under a name that begins with a dot";

/// Exports the records of a database to a new folder.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to create; it must not exist yet, or be empty. crates/cli/docs/import-format.md in the
    /// repository describes its files
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    database: DatabaseArg,

    /// Includes the reporters of anonymous incidents, for a complete copy
    #[arg(long)]
    with_reporters: bool,
}

/// Exports and prints a summary. The first signal stops it cleanly, the second at once.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    let progress = Arc::new(WorkProgress::new(BAR));
    let options = ExportOptions {
        with_reporters: args.with_reporters,
    };
    let database = args.database.existing()?;
    let work = export_dir(&args.folder, database, options, progress.clone());
    let exported = progress.run(work, &mut stop, STOPPED).await?;
    summary(&mut io::stdout(), &exported?)
        .context("the folder was exported, but the summary could not be printed")
}

fn summary(out: &mut impl Write, report: &ExportReport) -> io::Result<()> {
    let mut rows = table(&["File", "Records", "Bytes"], &[1, 2]);
    for file in &report.files {
        rows.add_row([
            file.file.clone(),
            group_digits(file.records),
            group_digits(file.bytes),
        ]);
    }
    writeln!(out, "{rows}")?;
    let records: u64 = report.files.iter().map(|file| file.records).sum();
    write!(
        out,
        "{} records in {}",
        group_digits(records),
        format_duration(report.elapsed)
    )?;
    match report.last_stamp {
        Some(stamp) => writeln!(out, "; the last change: {stamp}"),
        None => writeln!(out),
    }
}

impl Progress for WorkProgress {
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
        WorkProgress::goes_on(self)
    }
}
