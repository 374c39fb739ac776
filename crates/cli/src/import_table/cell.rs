//! The content of a table as its reader gives it: cells without a meaning yet, each row with its line.
//!
//! What a cell means for a field is decided in `convert`.

use jiff::civil;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Nothing, or only spaces.
    Empty,
    /// Text without spaces around it.
    Text(String),
    /// A number of a workbook.
    Number(f64),
    /// A date or a date with a time of a workbook. It has no time zone.
    Moment(civil::DateTime),
    /// A yes or no of a workbook.
    Boolean(bool),
    /// An error of a workbook, such as `#N/A`.
    Error(String),
}

impl Cell {
    /// A text as a cell; spaces around it, also those that do not break, are removed.
    pub(crate) fn text(text: &str) -> Self {
        match text.trim() {
            "" => Self::Empty,
            text => Self::Text(text.to_owned()),
        }
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// The cell as a person reads it, for names and messages.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Error(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Moment(moment) => moment.to_string(),
            Self::Boolean(true) => "true".to_owned(),
            Self::Boolean(false) => "false".to_owned(),
        }
    }
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Its line in the file, or its row in the sheet, from 1.
    pub(crate) line: u64,
    pub(crate) cells: Vec<Cell>,
}

/// A table: all rows of a file or of a sheet that are not empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    /// How it was read, such as the encoding, for the user to check.
    pub(crate) notes: Vec<String>,
}
