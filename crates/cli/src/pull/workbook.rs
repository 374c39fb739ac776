//! Excel workbooks. A workbook is an archive that cannot be appended to, so the rows are written as CSV and
//! become a workbook at the end.
//!
//! Excel has no time zones and milliseconds only: instants are in UTC.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use arrow_schema::{DataType, SchemaRef};
use rust_xlsxwriter::{Format, Workbook, Worksheet};

use crate::durable;
use crate::table::group_digits;

/// Rows of a sheet, without the header.
const MOST_ROWS: u64 = 1_048_575;
/// Characters of a cell, as Excel counts them: units of UTF-16.
const MOST_CHARACTERS: usize = 32_767;
/// 1970-01-01 as Excel counts days.
const EPOCH: f64 = 25_569.0;
/// 1900-03-01: days before it are counted with a 29 February that was none.
const FIRST_DAY: f64 = 61.0;
/// The day after 9999-12-31, the last that Excel knows.
const AFTER_LAST_DAY: f64 = 2_958_466.0;

/// Refuses more rows than a sheet has.
pub(crate) fn check_rows(rows: u64) -> Result<()> {
    if rows > MOST_ROWS {
        bail!(
            "found {} rows, expected at most {}, which a sheet of Excel has: select fewer with --where, or choose another format",
            group_digits(rows),
            group_digits(MOST_ROWS)
        );
    }
    Ok(())
}

/// Writes the rows of a CSV file, with a header, as a workbook.
pub(crate) fn write(csv: &Path, schema: &SchemaRef, target: &Path) -> Result<()> {
    let context = || format!("{} cannot be read", csv.display());
    let mut reader = ::csv::Reader::from_path(csv).with_context(context)?;
    let mut book = Workbook::new();
    // Beside the target: rows are personal data, and may be more than a folder of temporary files holds.
    book.set_tempdir(durable::folder_of(target))?;
    let sheet = book.add_worksheet_with_constant_memory()?;
    let formats = Formats::new();
    sheet.set_freeze_panes(1, 0)?;
    // Where widths are set must come before the rows.
    for (column, field) in (0..).zip(schema.fields()) {
        let width = match field.data_type() {
            DataType::Timestamp(..) => 24,
            DataType::Date32 => 12,
            _ => continue,
        };
        sheet.set_column_width(column, width)?;
    }
    for (column, field) in (0..).zip(schema.fields()) {
        sheet.write_string_with_format(0, column, field.name(), &formats.header)?;
    }
    let mut record = ::csv::StringRecord::new();
    let mut row = 0;
    while reader.read_record(&mut record).with_context(context)? {
        row += 1;
        for (column, (field, text)) in (0..).zip(schema.fields().iter().zip(&record)) {
            if !text.is_empty() {
                formats.cell(sheet, row, column, field.data_type(), text)?;
            }
        }
    }
    let out = durable::create(target)
        .with_context(|| format!("{} cannot be created", target.display()))?;
    let synced: File = out.try_clone()?;
    book.save_to_writer(BufWriter::new(out))
        .with_context(|| format!("{} cannot be written", target.display()))?;
    durable::sync(&synced, target)?;
    Ok(())
}

struct Formats {
    header: Format,
    day: Format,
    instant: Format,
}

impl Formats {
    fn new() -> Self {
        Self {
            header: Format::new().set_bold(),
            day: Format::new().set_num_format("yyyy-mm-dd"),
            instant: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss.000"),
        }
    }

    fn cell(
        &self,
        sheet: &mut Worksheet,
        row: u32,
        column: u16,
        kind: &DataType,
        text: &str,
    ) -> Result<()> {
        match kind {
            DataType::Int32 | DataType::Int64 | DataType::Float64 => {
                if let Ok(number) = text.parse::<f64>() {
                    sheet.write_number(row, column, number)?;
                    return Ok(());
                }
            }
            DataType::Boolean => {
                sheet.write_boolean(row, column, text == "true")?;
                return Ok(());
            }
            DataType::Timestamp(..) => {
                if let Some(days) = instant(text) {
                    sheet.write_number_with_format(row, column, days, &self.instant)?;
                    return Ok(());
                }
            }
            DataType::Date32 => {
                if let Some(days) = day(text) {
                    sheet.write_number_with_format(row, column, days, &self.day)?;
                    return Ok(());
                }
            }
            _ => {}
        }
        // A string, so no text is ever a formula.
        sheet.write_string(row, column, cut(text))?;
        Ok(())
    }
}

/// An instant as Excel counts days; `None` if Excel does not know its day.
fn instant(text: &str) -> Option<f64> {
    let instant: jiff::Timestamp = text.parse().ok()?;
    let milliseconds = instant
        .round(jiff::Unit::Millisecond)
        .ok()?
        .as_millisecond();
    known(milliseconds as f64 / 86_400_000.0 + EPOCH)
}

fn day(text: &str) -> Option<f64> {
    instant(&format!("{text}T00:00:00Z"))
}

fn known(days: f64) -> Option<f64> {
    (FIRST_DAY..AFTER_LAST_DAY).contains(&days).then_some(days)
}

/// A text that fits a cell: what is beyond is cut off, with an ellipsis in its place.
fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= MOST_CHARACTERS || text.encode_utf16().count() <= MOST_CHARACTERS {
        return text.into();
    }
    let mut units = 1;
    let fits = |sign: &char| {
        units += sign.len_utf16();
        units <= MOST_CHARACTERS
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push('…');
    cut.into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{Field, Schema, TimeUnit};
    use calamine::{Data, Reader as _, Xlsx, open_workbook};

    use super::*;

    /// Read by another library than the one that writes.
    #[test]
    fn cells_have_the_kinds_of_their_columns() {
        let folder = tempfile::tempdir().unwrap();
        let (csv, target) = (folder.path().join("a.csv"), folder.path().join("a.xlsx"));
        let text = "id,value,isPublic,when,day,text\n\
                    7,-0.5,true,2026-03-02T06:12:00.5Z,2026-03-02,=1+1\n\
                    8,,false,1850-01-01T00:00:00Z,,\"a \"\"b\"\"\n\"\n";
        std::fs::write(&csv, text).unwrap();
        let kinds = [
            ("id", DataType::Int32),
            ("value", DataType::Float64),
            ("isPublic", DataType::Boolean),
            ("when", DataType::Timestamp(TimeUnit::Microsecond, None)),
            ("day", DataType::Date32),
            ("text", DataType::Utf8),
        ];
        let fields: Vec<Field> = kinds
            .map(|(name, kind)| Field::new(name, kind, true))
            .into();
        write(&csv, &Arc::new(Schema::new(fields)), &target).unwrap();
        let mut book: Xlsx<_> = open_workbook(&target).unwrap();
        let range = book.worksheet_range_at(0).unwrap().unwrap();
        let rows: Vec<Vec<String>> = range
            .rows()
            .map(|row| row.iter().map(shown).collect())
            .collect();
        assert_eq!(
            rows,
            [
                ["id", "value", "isPublic", "when", "day", "text"],
                [
                    "7",
                    "-0.5",
                    "true",
                    "2026-03-02 06:12:00.500",
                    "2026-03-02 00:00:00.000",
                    "=1+1"
                ],
                ["8", "", "false", "1850-01-01T00:00:00Z", "", "a \"b\"\n"],
            ]
        );
    }

    fn shown(cell: &Data) -> String {
        match cell {
            Data::DateTime(date) => {
                let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
                format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{milli:03}")
            }
            cell => cell.to_string(),
        }
    }

    #[test]
    fn a_text_is_cut_to_what_a_cell_holds() {
        assert_eq!(cut("short"), "short");
        let most = "x".repeat(MOST_CHARACTERS);
        assert_eq!(cut(&most), most);
        let long = cut(&"😀".repeat(MOST_CHARACTERS)).into_owned();
        assert!(long.ends_with('…'));
        assert_eq!(long.encode_utf16().count(), MOST_CHARACTERS);
    }

    #[test]
    fn a_sheet_has_no_more_rows() {
        assert!(check_rows(MOST_ROWS).is_ok());
        let error = check_rows(MOST_ROWS + 1).unwrap_err().to_string();
        assert!(
            error.starts_with("found 1\u{2009}048\u{2009}576 rows, expected at most"),
            "{error}"
        );
    }
}
