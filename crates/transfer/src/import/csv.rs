//! Values as CSV (RFC 4180, commas): the header holds field names, an empty cell is a field left out.

use std::cell::Cell;
use std::io::{self, Read};

use ::csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};

use super::error::{ImportError, Location};
use super::folder::Source;
use super::progress::Progress;
use super::values::{FIELDS, REQUIRED};
use crate::jsonl::LONGEST_LINE;
use crate::jsonl::values::ValueLine;

/// Calls `each` with every record.
pub(super) fn each(
    source: &Source,
    progress: &dyn Progress,
    mut each: impl FnMut(Location<'_>, ValueLine) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let state = Cell::new(State::default());
    let watched = Watched {
        inner: source.open(progress)?,
        state: &state,
    };
    let began = || Location {
        file: &source.name,
        line: state.get().began,
    };
    let fault = |error: ::csv::Error| match state.get().bytes {
        bytes if bytes > LONGEST_LINE => began().line_error(
            "a record that does not end: a quotation mark may lack its pair",
            "records of at most 16 MiB",
        ),
        _ => fault(source, &error),
    };
    let mut reader = ReaderBuilder::new()
        .trim(Trim::Headers)
        .from_reader(watched);
    let header = reader.headers().map_err(fault)?.clone();
    check_header(
        Location {
            file: &source.name,
            line: 1,
        },
        &header,
    )?;
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(fault)? {
        let location = Location {
            file: &source.name,
            line: record.position().map_or(0, ::csv::Position::line),
        };
        if let Some(column) = record.iter().position(|cell| cell.contains('\0')) {
            return Err(location.field_error(
                &header[column],
                "a NUL character",
                "text without NUL",
            ));
        }
        match record.deserialize(Some(&header)) {
            Ok(line) => each(location, line)?,
            Err(error) => return Err(cell(location, &header, &record, &error)),
        }
    }
    if state.get().open {
        return Err(began().line_error(
            "a quotation mark without its pair",
            "quoted cells to be closed",
        ));
    }
    Ok(())
}

/// Position in the file of the bytes read so far.
#[derive(Clone, Copy)]
struct State {
    /// Whether it is within quotation marks.
    open: bool,
    line: u64,
    /// The line on which the record begins.
    began: u64,
    /// Bytes of the record so far.
    bytes: u64,
}

impl Default for State {
    fn default() -> Self {
        State {
            open: false,
            line: 1,
            began: 1,
            bytes: 0,
        }
    }
}

/// Tracks quotation marks and the length of records: the CSV reader accepts a cell that is never closed and
/// reads the rest of the file as its text, which could exhaust memory.
struct Watched<'a, R> {
    inner: R,
    state: &'a Cell<State>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut state = self.state.get();
        for byte in &buffer[..read] {
            state.bytes += 1;
            match byte {
                b'"' => state.open = !state.open,
                b'\n' => state.line += 1,
                _ => {}
            }
            if matches!(byte, b'\n' | b'\r') && !state.open {
                state.began = state.line;
                state.bytes = 0;
            }
            if state.bytes > LONGEST_LINE {
                self.state.set(state);
                return Err(io::Error::from(io::ErrorKind::InvalidData));
            }
        }
        self.state.set(state);
        Ok(read)
    }
}

fn check_header(location: Location<'_>, header: &StringRecord) -> Result<(), ImportError> {
    let names = || FIELDS.map(|(name, _)| name).join(", ");
    for (column, name) in header.iter().enumerate() {
        if !FIELDS.iter().any(|(field, _)| *field == name) {
            return Err(location.field_error(
                name,
                "an unknown field in the header",
                format_args!("some of {}", names()),
            ));
        }
        if header.iter().take(column).any(|earlier| earlier == name) {
            return Err(location.field_error(name, "the field twice in the header", "it once"));
        }
    }
    match FIELDS[..REQUIRED]
        .iter()
        .find(|(field, _)| !header.iter().any(|name| name == *field))
    {
        Some((missing, _)) => {
            Err(location.field_error(missing, "a header without it", "a header of field names"))
        }
        None => Ok(()),
    }
}

/// The error for an invalid record: its cell, and the expected content.
fn cell(
    location: Location<'_>,
    header: &StringRecord,
    record: &StringRecord,
    error: &::csv::Error,
) -> ImportError {
    let column = match error.kind() {
        ErrorKind::Deserialize { err, .. } => err.field(),
        _ => None,
    };
    // The decoder names no cell when a type refused its text, so the cells are tried one by one.
    let column = column
        .and_then(|column| usize::try_from(column).ok())
        .or_else(|| suspect(header, record));
    match column.and_then(|column| Some((header.get(column)?, record.get(column)?))) {
        Some((name, found)) => {
            let expected = FIELDS
                .iter()
                .find(|(field, _)| *field == name)
                .map_or("a value", |(_, expected)| expected);
            let found = if found.is_empty() {
                "nothing".to_owned()
            } else {
                format!("\"{found}\"")
            };
            location.field_error(name, found, expected)
        }
        None => location.line_error(error, "a record that fits the header"),
    }
}

fn suspect(header: &StringRecord, record: &StringRecord) -> Option<usize> {
    let fits = |name: &str, cell: &str| {
        let position = FIELDS.iter().position(|(field, _)| *field == name)?;
        let (_, kind) = FIELDS[position];
        Some(match kind {
            _ if cell.is_empty() => position >= REQUIRED,
            "an int32" => cell.parse::<i32>().is_ok(),
            "a number" => cell.parse::<f64>().is_ok(),
            "a date-time" => cell.parse::<obeya_model::Timestamp>().is_ok(),
            _ => true,
        })
    };
    header
        .iter()
        .zip(record)
        .position(|(name, cell)| fits(name, cell) == Some(false))
}

/// An error of the CSV reader: the file cannot be read, or a record is malformed.
fn fault(source: &Source, error: &::csv::Error) -> ImportError {
    let location = Location {
        file: &source.name,
        line: error.position().map_or(1, ::csv::Position::line),
    };
    match error.kind() {
        ErrorKind::Io(cause) => ImportError::File {
            file: source.name.clone(),
            source: io::Error::new(cause.kind(), cause.to_string()),
        },
        ErrorKind::Utf8 { .. } => location.line_error("bytes that are not UTF-8", "text in UTF-8"),
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => location.line_error(
            format_args!("{len} cells"),
            format_args!("{expected_len}, as in the header"),
        ),
        _ => location.line_error(error, "a record of CSV"),
    }
}
