//! `obeya import`: reads a folder into a database.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use obeya_server::import::{ImportOptions, ImportReport, OnConflict, Progress, import_dir};

use crate::database::DatabaseArg;
use crate::table::{format_duration, group_digits, table};

/// Imports a folder into a database.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to import; crates/cli/docs/import-format.md in the repository describes its files
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    database: DatabaseArg,

    /// What to do with a record whose id already exists in the database
    #[arg(long, value_enum, default_value_t = Conflict::Fail)]
    on_conflict: Conflict,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Conflict {
    /// Import nothing, and report the first such record
    Fail,
    /// Leave the existing record as it is
    Skip,
    /// Replace the existing record
    Replace,
}

/// Imports and prints a summary.
pub(crate) async fn run(args: Args) -> Result<()> {
    let on_conflict = match args.on_conflict {
        Conflict::Fail => OnConflict::Fail,
        Conflict::Skip => OnConflict::Skip,
        Conflict::Replace => OnConflict::Replace,
    };
    let bar = Arc::new(ImportProgress::new());
    let imported = import_dir(
        &args.folder,
        &args.database.url,
        ImportOptions {
            on_conflict,
            ..ImportOptions::default()
        },
        bar.clone(),
    )
    .await;
    bar.0.finish_and_clear();
    summary(&mut io::stdout(), &imported?)
        .context("the folder was imported, but the summary could not be printed")
}

/// Prints the summary of an import.
pub(crate) fn summary(out: &mut impl Write, report: &ImportReport) -> io::Result<()> {
    let mut rows = table(
        &["File", "Read", "New", "Replaced", "Skipped"],
        &[1, 2, 3, 4],
    );
    for file in &report.files {
        let counts = [file.read, file.inserted, file.replaced, file.skipped].map(group_digits);
        rows.add_row(std::iter::once(file.file.clone()).chain(counts));
    }
    writeln!(out, "{rows}")?;
    let read: u64 = report.files.iter().map(|file| file.read).sum();
    writeln!(
        out,
        "{} records in {}",
        group_digits(read),
        format_duration(report.elapsed)
    )
}

/// A progress bar on stderr if stderr is a terminal; otherwise it prints nothing.
struct ImportProgress(ProgressBar);

impl ImportProgress {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        // An invalid template must not prevent the import.
        let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }
}

impl Progress for ImportProgress {
    fn begin(&self, bytes: u64) {
        self.0.set_length(bytes);
    }

    fn file(&self, name: &str) {
        self.0.set_message(name.to_owned());
    }

    fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }
}
