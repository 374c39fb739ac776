//! Reads the bytes of a CSV file as a table: finds encoding and separator. Knows no header and no field.

use anyhow::{Result, bail};
use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::cell::{Cell, Row, Table};

/// The separators that are tried.
const SEPARATORS: [(u8, &str); 4] = [
    (b';', "semicolon"),
    (b',', "comma"),
    (b'\t', "tab"),
    (b'|', "vertical bar"),
];

/// How many records a separator is judged by.
const JUDGED: usize = 50;

/// Reads a file. `separator` is used as it is if it is given.
pub(crate) fn read(bytes: &[u8], separator: Option<u8>) -> Result<Table> {
    let (text, encoding) = decode(bytes)?;
    let separator = separator.unwrap_or_else(|| find_separator(&text));
    let mut notes = Vec::new();
    if encoding != "UTF-8" {
        notes.push(format!(
            "the file is not UTF-8; it was read as {encoding}: check letters such as æ, ø, ü"
        ));
    }
    let name = SEPARATORS
        .iter()
        .find(|(sign, _)| *sign == separator)
        .map_or("given", |(_, name)| name);
    notes.push(format!("separator: {name}"));
    let mut table = Table {
        rows: Vec::new(),
        notes,
    };
    for record in reader(&text, separator).records() {
        let record = record?;
        let line = record
            .position()
            .map_or(0, |position| line_of(&text, position));
        if record.iter().any(|cell| cell.contains('\0')) {
            bail!("line {line}: found a NUL character, expected text");
        }
        let cells: Vec<Cell> = record.iter().map(Cell::text).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.rows.push(Row { line, cells });
        }
    }
    if is_quote_open(&text, separator) {
        bail!("found a quotation mark without its pair, expected quoted cells to be closed");
    }
    Ok(table)
}

/// The line on which a record begins. Its position is where the record before ended: line breaks may follow.
fn line_of(text: &str, position: &csv::Position) -> u64 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let breaks = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + breaks.filter(|byte| **byte == b'\n').count() as u64
}

fn reader(text: &str, separator: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes())
}

/// The text, and the name of its encoding.
fn decode(bytes: &[u8]) -> Result<(String, &'static str)> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Ok((
            UTF_16LE.decode_without_bom_handling(rest).0.into(),
            "UTF-16",
        ));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Ok((
            UTF_16BE.decode_without_bom_handling(rest).0.into(),
            "UTF-16",
        ));
    }
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(rest) {
        return Ok((text.to_owned(), "UTF-8"));
    }
    // Every byte means something in Windows-1252, so a file that is no text must be noticed otherwise.
    if bytes.contains(&0) {
        bail!("found bytes that are no text, expected a CSV file in UTF-8 or Windows-1252");
    }
    Ok((
        WINDOWS_1252.decode_without_bom_handling(bytes).0.into(),
        "Windows-1252",
    ))
}

/// The separator that gives most records the same number of cells, and more than one.
fn find_separator(text: &str) -> u8 {
    let score = |separator: u8| {
        let mut counts: Vec<usize> = reader(text, separator)
            .records()
            .take(JUDGED)
            .filter_map(|record| Some(record.ok()?.len()))
            .filter(|cells| *cells > 1)
            .collect();
        counts.sort_unstable();
        let most = counts.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
        // Decimal commas split a row too, but into cells of differing numbers.
        most.map_or((0, 0), |same| (same.len(), same[0]))
    };
    let scored = SEPARATORS.map(|(separator, _)| (score(separator), separator));
    // The first of equal ones: in a file with semicolons, commas are decimal commas.
    let best = scored.into_iter().rev().max_by_key(|(score, _)| *score);
    match best {
        Some(((records, _), separator)) if records > 0 => separator,
        _ => b',',
    }
}

/// Whether the last quoted cell is not closed: the reader would give the rest of the file as one cell. A
/// quotation mark within a cell that does not begin with one is a sign as any other, such as that of inches.
fn is_quote_open(text: &str, separator: u8) -> bool {
    #[derive(PartialEq)]
    enum At {
        Start,
        Plain,
        Quoted,
        /// After a mark that ends the cell, unless another follows.
        Mark,
    }
    let mut at = At::Start;
    for byte in text.bytes() {
        at = match (&at, byte) {
            (At::Quoted, b'"') => At::Mark,
            (At::Quoted, _) | (At::Start | At::Mark, b'"') => At::Quoted,
            (_, byte) if byte == separator || matches!(byte, b'\n' | b'\r') => At::Start,
            _ => At::Plain,
        };
    }
    at == At::Quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(table: &Table) -> Vec<(u64, Vec<String>)> {
        let row = |row: &Row| (row.line, row.cells.iter().map(Cell::shown).collect());
        table.rows.iter().map(row).collect()
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &[(u64, &[&str])]) -> Vec<String> {
        let table = read(bytes, None).unwrap();
        let expected: Vec<(u64, Vec<String>)> = expected
            .iter()
            .map(|(line, cells)| (*line, cells.iter().map(|&cell| cell.to_owned()).collect()))
            .collect();
        assert_eq!(texts(&table), expected);
        table.notes
    }

    #[test]
    fn each_separator_is_found_also_beside_decimal_commas() {
        let notes = check(
            "Dato;Verdi\n01.02.2026;1,5\n02.02.2026;2,25\n".as_bytes(),
            &[
                (1, &["Dato", "Verdi"]),
                (2, &["01.02.2026", "1,5"]),
                (3, &["02.02.2026", "2,25"]),
            ],
        );
        assert_eq!(notes, ["separator: semicolon"]);
        check(b"a,b\n1,2\n", &[(1, &["a", "b"]), (2, &["1", "2"])]);
        check(b"a\tb\n1,0\t2\n", &[(1, &["a", "b"]), (2, &["1,0", "2"])]);
        check(b"a|b\n1|2\n", &[(1, &["a", "b"]), (2, &["1", "2"])]);
        check(b"alone\n1\n", &[(1, &["alone"]), (2, &["1"])]);
        // Both signs give as many cells.
        check(b"1;2,5\n3;4,5\n", &[(1, &["1", "2,5"]), (2, &["3", "4,5"])]);
        // A title above says nothing, although no other sign splits it either.
        check(
            b"Title\na;b\n1;2\n",
            &[(1, &["Title"]), (2, &["a", "b"]), (3, &["1", "2"])],
        );
    }

    #[test]
    fn lines_are_those_of_the_file_also_after_empty_ones_and_line_breaks_in_a_cell() {
        check(
            b"a;b\r\n\r\n;\r\n\"two\nlines\";x\r\nlast;y\r\n",
            &[
                (1, &["a", "b"]),
                (4, &["two\nlines", "x"]),
                (6, &["last", "y"]),
            ],
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_header() {
        check(
            b"\xef\xbb\xbf\"a\",b\n1,2\n",
            &[(1, &["a", "b"]), (2, &["1", "2"])],
        );
    }

    /// 0xD8 is Ø and 0x80 is the sign of the euro in Windows-1252 (the table of the WHATWG encoding
    /// standard).
    #[test]
    fn windows_1252_is_read_with_a_note() {
        let notes = check(
            b"sted;pris\n\xd8st;5 \x80\n",
            &[(1, &["sted", "pris"]), (2, &["Øst", "5 €"])],
        );
        assert!(notes[0].contains("Windows-1252"), "{notes:?}");
    }

    #[test]
    fn utf_16_with_a_mark_is_read() {
        let mut bytes = vec![0xff, 0xfe];
        bytes.extend("a\tb\nø\t2\n".encode_utf16().flat_map(u16::to_le_bytes));
        check(&bytes, &[(1, &["a", "b"]), (2, &["ø", "2"])]);
    }

    #[test]
    fn the_sign_of_inches_opens_no_cell() {
        check(
            b"a,b\n5\" pipe,2\n\"say \"\"no\"\"\",3\n",
            &[
                (1, &["a", "b"]),
                (2, &["5\" pipe", "2"]),
                (3, &["say \"no\"", "3"]),
            ],
        );
    }

    #[test]
    fn what_is_no_text_or_never_ends_is_refused() {
        let error = read(b"PK\x03\x04\x00\xff", None).unwrap_err().to_string();
        assert!(error.contains("no text"), "{error}");
        for open in ["a,b\n\"open,2\n3,4\n", "a,b\n1,\"open\"\"\n"] {
            let error = read(open.as_bytes(), None).unwrap_err().to_string();
            assert!(error.contains("quotation mark"), "{error}");
        }
        let error = read(b"a,b\n1,\x002\n", None).unwrap_err().to_string();
        assert!(error.starts_with("line 2: found a NUL"), "{error}");
    }
}
