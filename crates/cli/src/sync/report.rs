//! What a run tells: a line for each table.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::state::{Mark, State};
use super::target::{Counts, Place};
use crate::table::{grouped, table, took};

/// What a table came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// Rows it now has.
    pub(super) rows: u64,
    pub(super) counts: Counts,
    /// Whether the table was, at some moment of the run, what the service had.
    pub(super) is_exact: bool,
}

/// What a run came to.
pub(super) struct Report {
    begun: Instant,
    lines: Vec<(&'static str, Option<Line>)>,
}

impl Default for Report {
    fn default() -> Self {
        Report {
            begun: Instant::now(),
            lines: Vec::new(),
        }
    }
}

impl Report {
    pub(super) fn add(&mut self, table: &'static str, line: Line) {
        self.lines.push((table, Some(line)));
    }

    /// The client may not read it.
    pub(super) fn forbidden(&mut self, table: &'static str) {
        self.lines.push((table, None));
    }

    /// Whether a table was read.
    pub(super) fn has(&self, table: &str) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|(name, line)| *name == table && line.is_some())
    }

    /// Whether every table was exact.
    pub(super) fn is_exact(&self) -> bool {
        self.behind().is_empty()
    }

    fn behind(&self) -> Vec<&'static str> {
        let behind = |(_, line): &&(&str, Option<Line>)| line.is_some_and(|line| !line.is_exact);
        let lines = self.lines.iter().filter(behind);
        lines.map(|(table, _)| *table).collect()
    }

    pub(super) fn print(&self, out: &mut impl Write, place: &Place) -> Result<()> {
        let headings = ["Table", "Rows", "Added", "Changed", "Deleted", "Unchanged"];
        let mut rows = table(&headings, &[1, 2, 3, 4, 5]);
        for (name, line) in &self.lines {
            let Some(line) = line else {
                rows.add_row([*name, "may not be read", "", "", "", ""]);
                continue;
            };
            let Counts {
                added,
                changed,
                deleted,
            } = line.counts;
            let unchanged = line.rows.saturating_sub(added + changed);
            let numbers = [line.rows, added, changed, deleted, unchanged];
            let name = (*name).to_owned();
            rows.add_row(std::iter::once(name).chain(numbers.map(grouped)));
        }
        writeln!(out, "{rows}")?;
        let took = took(self.begun.elapsed());
        match &self.behind()[..] {
            [] => writeln!(out, "{place} is up to date, in {took}")?,
            behind => writeln!(
                out,
                "{place} is nearly up to date, in {took}: {} changed all the while; the next run goes on from here",
                behind.join(", ")
            )?,
        }
        Ok(())
    }
}

/// What is being read, on stderr while it is a terminal, and nothing otherwise. How much will come nobody
/// knows: only what changed does.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        let style =
            ProgressStyle::with_template("{spinner} {rows} rows, {rate} a second  {wide_msg}");
        // A template with a slip in it is no reason not to copy.
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(
            style
                .with_key("rows", number(ProgressState::pos))
                .with_key("rate", number(|state| state.per_sec() as u64)),
        );
        Bar(bar)
    }

    pub(super) fn at(&self, what: String) {
        self.0.set_message(what);
    }

    pub(super) fn wrote(&self, rows: usize) {
        self.0.inc(rows as u64);
    }
}

impl Drop for Bar {
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
        let _ = out.write_str(&grouped(of(state)));
    }
}

/// Prints how far a copy is.
pub(super) fn status(state: &State, place: &Place) -> Result<()> {
    let mut out = io::stdout();
    let source = &state.source;
    writeln!(
        out,
        "{place}: what client {} may read at {}",
        source.client_id, source.url
    )?;
    match &state.finished {
        Some(end) if end.is_exact => writeln!(out, "up to date at {}", end.at)?,
        Some(end) => writeln!(out, "nearly up to date at {}", end.at)?,
        None => writeln!(out, "never finished")?,
    }
    let mut rows = table(&["Table", "Changes up to"], &[]);
    for (name, mark) in &state.records {
        rows.add_row([name.clone(), upto(*mark)]);
    }
    for (datasource, series) in &state.values {
        let place = match series.walk {
            Some(month) => format!("reading for the first time, at {month}"),
            None => upto(series.mark),
        };
        rows.add_row([format!("values of datasource {datasource}"), place]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

fn upto(mark: Mark) -> String {
    match mark {
        Mark::START => "nothing yet".to_owned(),
        Mark { stamp, .. } => stamp.to_string(),
    }
}
