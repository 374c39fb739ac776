//! Reads a sheet of a workbook as a table, with the values that were computed when it was saved. Knows no
//! header and no field.

use std::io::Cursor;

use anyhow::{Context as _, Result, bail};
use calamine::{Data, Reader as _, Sheets, open_workbook_auto_from_rs};
use jiff::civil;

use super::cell::{Cell, Row, Table};

/// Reads the sheet of this name, or the only one that has content.
pub(crate) fn read(bytes: &[u8], sheet: Option<&str>) -> Result<Table> {
    let mut book =
        open_workbook_auto_from_rs(Cursor::new(bytes)).context("the workbook cannot be read")?;
    let names = book.sheet_names();
    let sheet = match sheet {
        Some(name) if names.iter().any(|other| other == name) => name.to_owned(),
        Some(name) => bail!(
            "found no sheet \"{name}\", expected one of: {}",
            list(&names)
        ),
        None => only_sheet(&mut book, &names)?,
    };
    let range = book
        .worksheet_range(&sheet)
        .with_context(|| format!("the sheet \"{sheet}\" cannot be read"))?;
    let first = range.start().map_or(0, |(row, _)| u64::from(row));
    let mut table = Table {
        rows: Vec::new(),
        notes: vec![format!("sheet: {sheet}")],
    };
    for (line, row) in (first + 1..).zip(range.rows()) {
        let cells: Vec<Cell> = row.iter().map(cell).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.rows.push(Row { line, cells });
        }
    }
    Ok(table)
}

fn only_sheet(book: &mut Sheets<Cursor<&[u8]>>, names: &[String]) -> Result<String> {
    let mut full = Vec::new();
    for name in names {
        // A sheet of a chart has no cells, and is none of a table.
        let is_empty = book
            .worksheet_range(name)
            .map_or(true, |range| range.is_empty());
        if !is_empty {
            full.push(name.clone());
        }
    }
    match &full[..] {
        [one] => Ok(one.clone()),
        [] => bail!("found no sheet with content, expected a table"),
        more => bail!(
            "found {} sheets with content, expected --sheet with one of: {}",
            more.len(),
            list(more)
        ),
    }
}

fn list(names: &[String]) -> String {
    names.join(", ")
}

fn cell(data: &Data) -> Cell {
    match data {
        Data::Empty => Cell::Empty,
        Data::String(text) => Cell::text(text),
        Data::Float(number) => Cell::Number(*number),
        Data::Int(number) => Cell::Number(*number as f64),
        Data::Bool(yes) => Cell::Boolean(*yes),
        Data::DateTime(date) if date.is_datetime() => {
            let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
            let moment = i16::try_from(year).ok().and_then(|year| {
                let [month, day, hour, minute, second] =
                    [month, day, hour, minute, second].map(|part| i8::try_from(part).ok());
                let nanosecond = i32::from(milli) * 1_000_000;
                civil::DateTime::new(year, month?, day?, hour?, minute?, second?, nanosecond).ok()
            });
            moment.map_or_else(|| Cell::Error(data.to_string()), Cell::Moment)
        }
        Data::DateTime(duration) => Cell::Number(duration.as_f64()),
        Data::DateTimeIso(text) | Data::DurationIso(text) => Cell::text(text),
        Data::Error(error) => Cell::Error(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook};

    use super::*;

    /// Written by another library than the one that reads.
    fn workbook(fill: impl FnOnce(&mut Workbook)) -> Vec<u8> {
        let mut book = Workbook::new();
        fill(&mut book);
        book.save_to_buffer().unwrap()
    }

    fn moment(text: &str) -> Cell {
        Cell::Moment(text.parse().unwrap())
    }

    #[test]
    fn cells_are_read_by_their_kind_with_the_rows_of_the_sheet() {
        let bytes = workbook(|book| {
            let day = Format::new().set_num_format("dd.mm.yyyy");
            let time = Format::new().set_num_format("yyyy-mm-dd hh:mm");
            let percent = Format::new().set_num_format("0 %");
            let sheet = book.add_worksheet();
            sheet.write(1, 0, "Avvik 2026").unwrap();
            sheet.write(2, 0, " Dato ").unwrap();
            sheet.write(2, 1, "Verdi").unwrap();
            let date = ExcelDateTime::from_ymd(2026, 3, 2).unwrap();
            sheet.write_with_format(4, 0, &date, &day).unwrap();
            sheet.write_with_format(4, 1, 0.85, &percent).unwrap();
            let date = ExcelDateTime::parse_from_str("2026-03-02 14:30").unwrap();
            sheet.write_with_format(5, 0, &date, &time).unwrap();
            sheet
                .write(5, 1, Formula::new("=1+2").set_result("3"))
                .unwrap();
            sheet.write(6, 0, true).unwrap();
            sheet
                .write(6, 1, Formula::new("=NA()").set_result("#N/A"))
                .unwrap();
        });
        let table = read(&bytes, None).unwrap();
        let rows: Vec<(u64, Vec<Cell>)> = table
            .rows
            .into_iter()
            .map(|row| (row.line, row.cells))
            .collect();
        let expected = vec![
            (2, vec![Cell::text("Avvik 2026"), Cell::Empty]),
            (3, vec![Cell::text("Dato"), Cell::text("Verdi")]),
            (5, vec![moment("2026-03-02T00:00:00"), Cell::Number(0.85)]),
            (6, vec![moment("2026-03-02T14:30:00"), Cell::Number(3.0)]),
            (7, vec![Cell::Boolean(true), Cell::Error("#N/A".to_owned())]),
        ];
        assert_eq!(rows, expected);
        assert_eq!(table.notes, ["sheet: Sheet1"]);
    }

    #[test]
    fn of_several_sheets_with_content_one_must_be_named() {
        let bytes = workbook(|book| {
            for name in ["Jan", "Feb", "Empty"] {
                let sheet = book.add_worksheet().set_name(name).unwrap();
                if name != "Empty" {
                    sheet.write(0, 0, name).unwrap();
                }
            }
        });
        let error = read(&bytes, None).unwrap_err().to_string();
        assert_eq!(
            error,
            "found 2 sheets with content, expected --sheet with one of: Jan, Feb"
        );
        let error = read(&bytes, Some("Mar")).unwrap_err().to_string();
        assert_eq!(
            error,
            "found no sheet \"Mar\", expected one of: Jan, Feb, Empty"
        );
        let table = read(&bytes, Some("Feb")).unwrap();
        assert_eq!(table.rows[0].cells, [Cell::text("Feb")]);
    }

    #[test]
    fn what_is_no_workbook_is_refused() {
        assert!(read(b"a;b\n1;2\n", None).is_err());
    }
}
