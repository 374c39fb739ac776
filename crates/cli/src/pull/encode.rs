//! Encodes records as pieces of a file.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use arrow_array::RecordBatch;
use obeya::PeriodValue;
use obeya::model::{
    Area, Board, DataList, DatasourceValue, GroupV2, Improvement, IncidentCommentV2, IncidentV1,
    Project, Task, TaskComment, UserV2,
};
use obeya::tables::{Cell, Rows, Tabular};
use serde::Serialize;

use super::format::Format;
use super::query::PullQuery;
use super::record_key::RecordKey;

/// A piece of a file, in the file's format.
pub(crate) enum PieceContent {
    /// Complete lines.
    Lines(Vec<u8>),
    /// A batch of columns.
    Batch(RecordBatch),
}

/// A record that can be pulled.
pub(crate) trait Record: Tabular + Serialize + Send {
    /// Its id, if the service sent one.
    fn id(&self) -> Option<RecordKey>;
}

macro_rules! records {
    ($($record:ty, |$this:ident| $id:expr;)*) => {$(
        impl Record for $record {
            fn id(&self) -> Option<RecordKey> {
                let $this = self;
                $id
            }
        }
    )*};
}

records! {
    DatasourceValue, |value| Some(RecordKey::Number(value.id));
    PeriodValue, |_period| None;
    IncidentV1, |incident| Some(RecordKey::Number(incident.id));
    Improvement, |improvement| Some(RecordKey::Number(improvement.id));
    IncidentCommentV2, |comment| comment.id.map(RecordKey::Number);
    Board, |board| board.id.map(RecordKey::Number);
    GroupV2, |group| group.id.map(RecordKey::Number);
    Area, |area| area.id.map(RecordKey::Number);
    DataList, |list| Some(RecordKey::Number(list.id));
    Project, |project| Some(RecordKey::Number(project.id));
    Task, |task| task.id.map(RecordKey::Number);
    TaskComment, |comment| comment.id.map(RecordKey::Number);
    UserV2, |user| user.id.clone().map(RecordKey::Text);
}

/// Encodes records of one type as pieces.
pub(crate) struct Encoder {
    format: Format,
    guard_formulas: bool,
    /// Builds batches, for columnar formats.
    rows: Option<Rows>,
}

impl Encoder {
    pub(crate) fn new<T: Record>(query: &PullQuery) -> Self {
        let fields = T::columns().iter().map(|column| &column.field);
        let format = query.format;
        Self {
            format,
            guard_formulas: query.guard_formulas,
            rows: format.is_columnar().then(|| Rows::new(fields)),
        }
    }

    /// Encodes records as a piece. All pieces of an encoder contain records of one type.
    ///
    /// # Errors
    /// When a record lacks a property that the interface requires.
    pub(crate) fn piece<T: Record>(&mut self, records: &[T]) -> Result<PieceContent> {
        if let Some(rows) = &mut self.rows {
            for record in records {
                rows.push(T::columns().iter().map(|column| (column.get)(record)));
            }
            let batch = rows.finish();
            let batch =
                batch.context("the service omitted a property that its interface requires")?;
            return Ok(PieceContent::Batch(batch));
        }
        let mut out = Vec::with_capacity(records.len() * 256);
        for record in records {
            if self.format == Format::Ndjson {
                serde_json::to_writer(&mut out, record).expect("a record is plain data");
            } else {
                let cells = T::columns().iter().map(|column| (column.get)(record));
                write_csv_cells(&mut out, cells, self.guard_formulas);
            }
            out.push(b'\n');
        }
        Ok(PieceContent::Lines(out))
    }
}

/// Writes cells separated by commas. Null is an empty cell and an empty text is `""`, so that readers can
/// distinguish them.
fn write_csv_cells<'a>(
    out: &mut Vec<u8>,
    cells: impl IntoIterator<Item = Cell<'a>>,
    guard_formulas: bool,
) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match cell {
            Cell::Null => {}
            Cell::Text(text) if guard_formulas && is_formula(text) => {
                write_csv_text(out, &format!("'{text}"));
            }
            Cell::Text(text) => write_csv_text(out, text),
            Cell::Instant(instant) => write_display(out, instant),
            Cell::Day(day) => write_display(out, day),
            nested @ (Cell::Texts(_) | Cell::List(..) | Cell::Row(..)) => {
                let text = serde_json::to_string(&nested).expect("plain data");
                write_csv_text(out, &text);
            }
            number => serde_json::to_writer(&mut *out, &number).expect("a number or a boolean"),
        }
    }
}

/// Whether a spreadsheet may take the text for a formula: the first characters that OWASP lists under "CSV
/// injection", of both widths. Lists are JSON, which begins with a bracket.
fn is_formula(text: &str) -> bool {
    let beginnings = [
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ];
    text.starts_with(beginnings)
}

/// The header line of a CSV file.
pub(crate) fn csv_header(names: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<u8> {
    let mut out = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_csv_text(&mut out, name.as_ref());
    }
    out.push(b'\n');
    out
}

fn write_display(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    write!(out, "{value}").expect("writing to memory cannot fail");
}

/// Writes a text, quoted if a CSV reader needs the quotes.
fn write_csv_text(out: &mut Vec<u8>, text: &str) {
    let is_plain = !text.is_empty()
        && !text.starts_with([' ', '\t'])
        && !text.ends_with([' ', '\t'])
        && !text
            .bytes()
            .any(|byte| matches!(byte, b'"' | b',' | b'\n' | b'\r'));
    if is_plain {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    for (place, part) in text.split('"').enumerate() {
        if place > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cells: Vec<Cell<'_>>) -> String {
        let mut out = Vec::new();
        write_csv_cells(&mut out, cells, false);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_and_an_empty_text_stay_apart() {
        let cells = vec![Cell::Null, Cell::Text(""), Cell::Text("x"), Cell::Null];
        assert_eq!(line(cells), ",\"\",x,");
    }

    #[test]
    fn whatever_a_text_holds_a_reader_of_csv_reads_it_back() {
        let texts = [
            "plain",
            "a,b",
            "say \"no\"",
            "\"",
            "\"\"",
            "two\nlines",
            "cr\r\nlf",
            "\r",
            " led",
            "trailed ",
            "=1+1",
            "æøå 東京",
            "",
            "{\"a\":[1,2]}",
        ];
        let written = line(texts.iter().map(|text| Cell::Text(text)).collect());
        let mut reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(written.as_bytes());
        let record = reader.records().next().unwrap().unwrap();
        assert_eq!(record.iter().collect::<Vec<_>>(), texts);
    }

    /// The characters are those of the OWASP page on CSV injection.
    #[test]
    fn guarded_texts_begin_no_formula_and_numbers_stay_as_they_are() {
        let texts = [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "＝1+1",
            "＋1",
            "－1",
            "＠SUM(A1)",
        ];
        let harmless = ["", "1=1", " =1", "'=1", "a@b.example", "−1"];
        let numbers = [Cell::Int(-1), Cell::Number(-0.5)];
        let cells = texts.iter().chain(&harmless).map(|text| Cell::Text(text));
        let mut out = Vec::new();
        write_csv_cells(&mut out, cells.chain(numbers), true);
        let mut reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(&*out);
        let record = reader.records().next().unwrap().unwrap();
        let guarded = texts.iter().map(|text| format!("'{text}"));
        let same = harmless.iter().chain(&["-1", "-0.5"]);
        let expected: Vec<String> = guarded.chain(same.map(|&text| text.to_owned())).collect();
        assert_eq!(record.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_and_times_are_as_on_the_wire() {
        let cells = vec![
            Cell::Int(-1),
            Cell::Number(0.1),
            Cell::Number(5e-324),
            Cell::Number(88.0),
            Cell::Bool(true),
            Cell::Instant("2026-03-02T06:12:00.0312345Z".parse().unwrap()),
            Cell::Day("2026-03-02".parse().unwrap()),
        ];
        assert_eq!(
            line(cells),
            "-1,0.1,5e-324,88.0,true,2026-03-02T06:12:00.0312345Z,2026-03-02"
        );
    }
}
