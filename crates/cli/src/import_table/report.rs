//! The lines that a run prints: how the table was read, what is left out, what was stored.

use std::io::{self, Write};
use std::time::Duration;

use obeya::printable;

use super::columns::Plan;
use super::faults::{Faults, counted};
use super::guess::Guess;
use super::header::Header;
use super::map::Map;
use super::outcome::Outcome;
use crate::table::format_duration;

/// How a table was read: its notes, and what each column is.
pub(crate) fn reading(
    out: &mut impl Write,
    file: &str,
    notes: &[String],
    header: &Header,
    rows: usize,
    map: &Map,
    guesses: &[Guess],
) -> io::Result<()> {
    line(
        out,
        &format!(
            "{file}: {} below the header in line {}",
            counted(rows, "row"),
            header.line
        ),
    )?;
    for note in notes {
        line(out, &format!("  {note}"))?;
    }
    for (field, value) in &map.set {
        line(out, &format!("  every record: {field} = {value}"))?;
    }
    for (at, name) in header
        .names
        .iter()
        .enumerate()
        .filter(|(_, name)| !name.is_empty())
    {
        let field = map.columns.get(name).map_or("", |column| &column.field);
        let text = match (field, guesses.get(at)) {
            ("", Some(Guess::Taken(field))) => {
                format!(
                    "  \"{name}\" is not imported, as {} has another source",
                    field.name
                )
            }
            ("", Some(Guess::NotThroughApi(field))) => {
                format!(
                    "  \"{name}\" is not imported, as the service sets {} itself",
                    field.name
                )
            }
            ("", _) => format!("  \"{name}\" is not imported"),
            (field, _) => format!("  \"{name}\" is {field}"),
        };
        line(out, &text)?;
    }
    Ok(())
}

/// Decisions that were made for the columns.
pub(crate) fn decisions(out: &mut impl Write, plan: &Plan) -> io::Result<()> {
    plan.notes
        .iter()
        .try_for_each(|note| line(out, &format!("  {note}")))
}

/// The lines that are left out.
pub(crate) fn faults(out: &mut impl Write, faults: &Faults) -> io::Result<()> {
    faults.report().iter().try_for_each(|text| line(out, text))
}

/// What was stored.
pub(crate) fn summary(
    out: &mut impl Write,
    outcome: &Outcome,
    left_out: usize,
    is_trial: bool,
    elapsed: Duration,
) -> io::Result<()> {
    let verb = if is_trial {
        "would be stored"
    } else {
        "stored"
    };
    let stored = usize::try_from(outcome.stored).unwrap_or(usize::MAX);
    let present = usize::try_from(outcome.present).unwrap_or(usize::MAX);
    line(
        out,
        &format!(
            "{} {verb}, {} there already, {} left out, in {}",
            counted(stored, "record"),
            crate::table::group_digits(present as u64),
            counted(left_out, "line"),
            format_duration(elapsed)
        ),
    )
}

/// A line whose texts may be of a file: control characters must not reach a terminal.
fn line(out: &mut impl Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", printable(text))
}
