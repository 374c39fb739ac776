//! The lines that are left out, each with what was found and what was expected. No decision is made here.

use std::collections::{BTreeMap, BTreeSet};

use obeya_server::import::Named;

/// Why a line is left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) line: u64,
    /// The header of the column; `None` if it concerns the whole line.
    pub(crate) column: Option<String>,
    pub(crate) found: String,
    pub(crate) expected: String,
    /// The name that no record has, if that is the reason.
    pub(crate) unknown: Option<(Named, String)>,
}

impl Fault {
    /// A fault of a cell.
    pub(crate) fn cell(
        line: u64,
        column: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            line,
            column: Some(column.to_owned()),
            found: found.into(),
            expected: expected.into(),
            unknown: None,
        }
    }

    /// A fault of a whole line.
    pub(crate) fn line(line: u64, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            line,
            column: None,
            found: found.into(),
            expected: expected.into(),
            unknown: None,
        }
    }
}

/// What is named, with its article.
pub(crate) fn one(named: Named) -> &'static str {
    match named {
        Named::Area => "an area",
        Named::Group => "a group",
        Named::User => "a user",
        Named::Project => "a project",
        Named::Datasource => "a datasource",
        Named::IncidentType => "an incident type",
        Named::Category => "a category of the incident's type",
        Named::Cause => "a cause of the incident's type",
        Named::Consequence => "a consequence of the incident's type",
        Named::CustomField => "a custom field of the incident's type",
        Named::ImprovementCategory => "an improvement category",
    }
}

/// The columns and the lines of a name.
type Places<'a> = (BTreeSet<&'a str>, Vec<u64>);

/// The faults of an import.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, faults: impl IntoIterator<Item = Fault>) {
        self.0.extend(faults);
    }

    /// How many lines are left out.
    pub(crate) fn lines(&self) -> usize {
        let lines: BTreeSet<u64> = self.0.iter().map(|fault| fault.line).collect();
        lines.len()
    }

    /// A sentence for each fault, in the order of lines, then each unknown name once.
    pub(crate) fn report(&self) -> Vec<String> {
        let mut faults: Vec<&Fault> = self.0.iter().collect();
        faults.sort_by_key(|fault| fault.line);
        let mut out = Vec::new();
        let mut names: BTreeMap<(Named, &str), Places<'_>> = BTreeMap::new();
        for fault in faults {
            if let Some((named, name)) = &fault.unknown {
                let (columns, lines) = names.entry((*named, name.as_str())).or_default();
                columns.extend(fault.column.as_deref());
                lines.push(fault.line);
                continue;
            }
            let column = fault.column.as_ref();
            let column = column.map_or(String::new(), |column| format!(", column \"{column}\""));
            out.push(format!(
                "line {}{column}: found {}, expected {}",
                fault.line, fault.found, fault.expected
            ));
        }
        for ((named, name), (columns, lines)) in names {
            let columns: Vec<String> = columns
                .iter()
                .map(|column| format!("\"{column}\""))
                .collect();
            out.push(format!(
                "\"{name}\" is the name or id of no record, expected {} (column {}, {}: {})",
                one(named),
                columns.join(", "),
                counted(lines.len(), "line"),
                ranges(&lines)
            ));
        }
        out
    }
}

/// A number and its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{} {noun}s", crate::table::group_digits(count as u64)),
    }
}

/// Lines as ranges: `3–5, 9`.
fn ranges(lines: &[u64]) -> String {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for &line in lines {
        match out.last_mut() {
            Some((_, last)) if line <= *last + 1 => *last = line,
            _ => out.push((line, line)),
        }
    }
    let range = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    };
    out.iter().map(range).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_listed_once_with_their_lines() {
        let mut faults = Faults::default();
        let unknown = |line, name: &str| Fault {
            unknown: Some((Named::Group, name.to_owned())),
            ..Fault::cell(line, "Team", "", "")
        };
        faults.add([
            unknown(9, "Team 3"),
            unknown(3, "Team 3"),
            unknown(4, "Team 3"),
            unknown(4, "Team 9"),
        ]);
        faults.add([
            Fault::cell(4, "Dato", "\"x\"", "a day"),
            Fault::line(2, "nothing", "a title"),
        ]);
        assert_eq!(faults.lines(), 4);
        assert_eq!(
            faults.report(),
            [
                "line 2: found nothing, expected a title",
                "line 4, column \"Dato\": found \"x\", expected a day",
                "\"Team 3\" is the name or id of no record, expected a group (column \"Team\", 3 lines: 3–4, 9)",
                "\"Team 9\" is the name or id of no record, expected a group (column \"Team\", 1 line: 4)",
            ]
        );
    }
}
