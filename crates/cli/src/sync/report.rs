//! The report of a run, and the output of `--status`.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::state::{State, Watermark};
use super::target::{Counts, Location};
use crate::table::{format_duration, group_digits, table};

/// The result for a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TableReport {
    /// The number of rows now in the copy.
    pub(super) rows: u64,
    pub(super) counts: Counts,
    /// Whether the table was equal to the service's at some moment of the run.
    pub(super) is_exact: bool,
}

/// The result of a run.
pub(super) struct SyncReport {
    begun: Instant,
    /// The report of each table, or why it was skipped.
    tables: Vec<(&'static str, Result<TableReport, &'static str>)>,
}

impl Default for SyncReport {
    fn default() -> Self {
        SyncReport {
            begun: Instant::now(),
            tables: Vec::new(),
        }
    }
}

impl SyncReport {
    pub(super) fn add(&mut self, table: &'static str, report: TableReport) {
        self.tables.push((table, Ok(report)));
    }

    /// Records that a table was skipped.
    pub(super) fn skipped(&mut self, table: &'static str, reason: &'static str) {
        self.tables.push((table, Err(reason)));
    }

    /// Whether a table was read in this run.
    pub(super) fn has(&self, table: &str) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|(name, report)| *name == table && report.is_ok())
    }

    /// Whether every table that was read is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.inexact_tables().is_empty()
    }

    fn inexact_tables(&self) -> Vec<&'static str> {
        let tables = self.tables.iter().filter(|(_, report)| {
            let report = report.as_ref();
            report.is_ok_and(|report| !report.is_exact)
        });
        tables.map(|(table, _)| *table).collect()
    }

    pub(super) fn print(&self, out: &mut impl Write, location: &Location) -> Result<()> {
        let headings = ["Table", "Rows", "Added", "Changed", "Deleted", "Unchanged"];
        let mut rows = table(&headings, &[1, 2, 3, 4, 5]);
        for (name, report) in &self.tables {
            let report = match report {
                Ok(report) => report,
                Err(reason) => {
                    rows.add_row([*name, reason, "", "", "", ""]);
                    continue;
                }
            };
            let Counts {
                added,
                changed,
                deleted,
            } = report.counts;
            let unchanged = report.rows.saturating_sub(added + changed);
            let numbers = [report.rows, added, changed, deleted, unchanged];
            let name = (*name).to_owned();
            rows.add_row(std::iter::once(name).chain(numbers.map(group_digits)));
        }
        writeln!(out, "{rows}")?;
        let took = format_duration(self.begun.elapsed());
        match &self.inexact_tables()[..] {
            [] => writeln!(out, "{location} is up to date, in {took}")?,
            inexact => writeln!(
                out,
                "{location} is nearly up to date, in {took}: {} changed during the whole run; the next run continues from here",
                inexact.join(", ")
            )?,
        }
        Ok(())
    }
}

/// A progress spinner on stderr if stderr is a terminal; otherwise it prints nothing. The total is unknown,
/// since only changes are read.
pub(super) struct SyncProgress(ProgressBar);

impl SyncProgress {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        let style =
            ProgressStyle::with_template("{spinner} {rows} rows, {rate} a second  {wide_msg}");
        // An invalid template must not prevent the copy.
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(
            style
                .with_key("rows", number(ProgressState::pos))
                .with_key("rate", number(|state| state.per_sec() as u64)),
        );
        SyncProgress(bar)
    }

    pub(super) fn at(&self, what: String) {
        self.0.set_message(what);
    }

    pub(super) fn wrote(&self, rows: usize) {
        self.0.inc(rows as u64);
    }
}

impl Drop for SyncProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A number of the bar, written as everywhere else.
fn number(
    of: fn(&ProgressState) -> u64,
) -> impl Fn(&ProgressState, &mut dyn std::fmt::Write) + Clone + Send + Sync + 'static {
    move |state, out| {
        // A bar that cannot be drawn is drawn again a moment later.
        let _ = out.write_str(&group_digits(of(state)));
    }
}

/// Prints the state of a copy.
pub(super) fn status(state: &State, location: &Location) -> Result<()> {
    let mut out = io::stdout();
    let source = &state.source;
    writeln!(
        out,
        "{location}: records that client {} may read at {}",
        source.client_id, source.url
    )?;
    match &state.finished {
        Some(end) if end.is_exact => writeln!(out, "up to date at {}", end.at)?,
        Some(end) => writeln!(out, "nearly up to date at {}", end.at)?,
        None => writeln!(out, "never finished")?,
    }
    let mut rows = table(&["Table", "Changes up to"], &[]);
    for (name, watermark) in &state.watermarks {
        rows.add_row([name.clone(), watermark_text(*watermark)]);
    }
    for (datasource, series) in &state.values {
        let progress = match series.next_month {
            Some(month) => format!("first read in progress, at {month}"),
            None => watermark_text(series.watermark),
        };
        rows.add_row([format!("values of datasource {datasource}"), progress]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

fn watermark_text(watermark: Watermark) -> String {
    match watermark {
        Watermark::START => "nothing yet".to_owned(),
        Watermark { stamp, .. } => stamp.to_string(),
    }
}
