//! Finds the row of a table that names its columns: below titles, above the records. A pure function.

use std::collections::HashMap;

use super::cell::{Cell, Table};
use super::fields::Resource;
use super::guess::field_of;

/// How many rows are looked at.
const LOOKED_AT: usize = 30;

/// The header of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    /// Its index among the rows.
    pub(crate) at: usize,
    /// Its line in the file.
    pub(crate) line: u64,
    /// The name of each column; empty for a column without one. Each name occurs once.
    pub(crate) names: Vec<String>,
}

/// Finds the header: the row with most headers that mean a field, or else the first that has a text in
/// almost every column. `line` names it instead, and so do the `columns` of a map. `None` if there is no such
/// row.
pub(crate) fn find(
    table: &Table,
    resource: Resource,
    line: Option<u64>,
    columns: &[&str],
) -> Option<Header> {
    let at = match line {
        Some(line) => table.rows.iter().position(|row| row.line == line)?,
        None => guess(table, resource, columns)?,
    };
    let row = table.rows.get(at)?;
    Some(Header {
        at,
        line: row.line,
        names: unique(row.cells.iter().map(Cell::shown)),
    })
}

fn guess(table: &Table, resource: Resource, columns: &[&str]) -> Option<usize> {
    let rows = &table.rows[..table.rows.len().min(LOOKED_AT)];
    let is_known = |cell: &&Cell| match cell {
        Cell::Text(text) if columns.is_empty() => field_of(resource, text).is_some(),
        Cell::Text(text) => columns.contains(&&*one_line(text)),
        _ => false,
    };
    let known = |cells: &[Cell]| cells.iter().filter(is_known).count();
    let most = rows.iter().map(|row| known(&row.cells)).max()?;
    // One word may be a title above the table, such as "Date".
    if most >= 2 || most > 0 && !columns.is_empty() {
        return rows.iter().position(|row| known(&row.cells) == most);
    }
    let full = |cells: &[Cell]| cells.iter().filter(|cell| !cell.is_empty()).count();
    let widest = rows.iter().map(|row| full(&row.cells)).max()?;
    rows.iter().position(|row| {
        let texts = row
            .cells
            .iter()
            .filter(|cell| matches!(cell, Cell::Text(_)))
            .count();
        texts * 10 >= widest * 8
    })
}

/// Names with a number behind those that occurred before.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    names
        .map(|name| {
            let name = one_line(&name);
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            match *count {
                1 => name,
                _ if name.is_empty() => name,
                count => format!("{name} ({count})"),
            }
        })
        .collect()
}

/// A header on one line: line breaks in it are for the eye.
fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::read_csv;
    use super::*;

    #[track_caller]
    fn check(text: &str, resource: Resource, line: u64, names: &[&str]) {
        let table = read_csv::read(text.as_bytes(), Some(b';')).unwrap();
        let header = find(&table, resource, None, &[]).unwrap();
        assert_eq!(
            (header.line, header.names),
            (line, names.iter().map(|&name| name.to_owned()).collect())
        );
    }

    #[test]
    fn the_header_is_found_below_titles() {
        check(
            "Avviksrapport 2026;;;\nUtskrift;fra;vårt;system\n\nDato;Tittel;Alvorlighet;Annet\n1.1.2026;x;Lav;\n",
            Resource::Incidents,
            4,
            &["Dato", "Tittel", "Alvorlighet", "Annet"],
        );
    }

    #[test]
    fn a_header_of_unknown_words_is_the_first_full_row_of_texts() {
        check(
            "Export;;\nFoo;Bar;Baz\n1;2;3\n4;5;6\n",
            Resource::Values,
            2,
            &["Foo", "Bar", "Baz"],
        );
        // Four of five are enough: the last column has no name.
        check(
            "Foo;Bar;Baz;Qux;\n1;2;3;4;5\n",
            Resource::Values,
            1,
            &["Foo", "Bar", "Baz", "Qux", ""],
        );
    }

    #[test]
    fn a_header_is_among_the_first_thirty_rows() {
        let at_line = |line: usize| {
            let text = "x;1\n".repeat(line - 1) + "Date;Value\n";
            let table = read_csv::read(text.as_bytes(), Some(b';')).unwrap();
            find(&table, Resource::Values, None, &[]).unwrap().line
        };
        assert_eq!(at_line(30), 30);
        assert_eq!(at_line(31), 1, "the first row of texts");
    }

    #[test]
    fn equal_names_get_numbers_and_line_breaks_are_spaces() {
        check(
            "Date;Value;\"Value\";\"Two\nlines\";;\n1;2;3;4;;\n",
            Resource::Values,
            1,
            &["Date", "Value", "Value (2)", "Two lines", "", ""],
        );
    }

    #[test]
    fn a_named_line_is_the_header_whatever_it_has() {
        let table = read_csv::read(b"a;b\n1;2\nDate;Value\n", Some(b';')).unwrap();
        assert_eq!(
            find(&table, Resource::Values, Some(2), &[]).unwrap().names,
            ["1", "2"]
        );
        assert_eq!(find(&table, Resource::Values, Some(9), &[]), None);
        assert_eq!(find(&Table::default(), Resource::Values, None, &[]), None);
    }

    /// As in the workbook `deaths.xlsx` of readxl.
    #[test]
    fn the_columns_of_a_map_find_their_header_below_rows_of_words() {
        let text = "at;the;top;of;theirs\nName;Profession;Age;Born;Died\nx;y;1;2;3\n";
        let table = read_csv::read(text.as_bytes(), Some(b';')).unwrap();
        let find = |columns: &[&str]| find(&table, Resource::Incidents, None, columns).unwrap();
        assert_eq!(find(&["Name", "Died"]).line, 2);
        assert_eq!(find(&[]).line, 1, "no header means a field but one");
    }
}
