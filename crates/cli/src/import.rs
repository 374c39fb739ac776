//! `obeya import`: a folder into a database.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use obeya_server::import::{ImportOptions, ImportReport, OnConflict, Progress, import_dir};

use crate::database::Database;
use crate::table::{grouped, table, took};

/// Imports a folder into a database.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder with the files; docs/import-format.md describes them
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    database: Database,

    /// What to do with a record whose id is in the database already
    #[arg(long, value_enum, default_value_t = Conflict::Fail)]
    on_conflict: Conflict,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Conflict {
    /// Import nothing and say where
    Fail,
    /// Leave what is there
    Skip,
    /// Put the record of the folder in its place
    Replace,
}

/// Imports and prints what came of it.
pub(crate) async fn run(args: Args) -> Result<()> {
    let on_conflict = match args.on_conflict {
        Conflict::Fail => OnConflict::Fail,
        Conflict::Skip => OnConflict::Skip,
        Conflict::Replace => OnConflict::Replace,
    };
    let bar = Arc::new(Bar::new());
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

/// Prints what came of an import.
pub(crate) fn summary(out: &mut impl Write, report: &ImportReport) -> io::Result<()> {
    let mut rows = table(
        &["File", "Read", "New", "Replaced", "Skipped"],
        &[1, 2, 3, 4],
    );
    for file in &report.files {
        let counts = [file.read, file.inserted, file.replaced, file.skipped].map(grouped);
        rows.add_row(std::iter::once(file.file.clone()).chain(counts));
    }
    writeln!(out, "{rows}")?;
    let read: u64 = report.files.iter().map(|file| file.read).sum();
    writeln!(out, "{} records in {}", grouped(read), took(report.elapsed))
}

/// A bar on stderr while it is a terminal, and nothing otherwise.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        // A template with a slip in it is no reason not to import.
        let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }
}

impl Progress for Bar {
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
