//! Errors of an import. An error of a line has what is needed to correct it: file, line, field, what was
//! found, what was expected.

use std::fmt;
use std::io;
use std::path::PathBuf;

use obeya_store::engine::StoreError;

/// Why an import stored nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The folder cannot be listed.
    #[error("the folder {} cannot be read", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder has no file that an import reads, or one with an unknown name.
    #[error("{0}")]
    Files(String),
    /// A file cannot be read to its end.
    #[error("{file} cannot be read")]
    File {
        /// Name of the file in the folder.
        file: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A line is not valid.
    #[error(transparent)]
    Line(#[from] Box<LineError>),
    /// The database refused; nothing of the folder was stored.
    #[error("the database did not take the import")]
    Store(#[from] StoreError),
}

/// An error in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct LineError {
    /// Name of the file in the folder.
    pub file: String,
    /// Line in the file, from 1.
    pub line: u64,
    /// Path of the field in the line, such as `categories[0].id`; `None` when it concerns the whole line.
    pub field: Option<String>,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)?;
        if let Some(field) = &self.field {
            write!(f, ", field {field}")?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

/// A line of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Location<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
}

impl Location<'_> {
    /// An error of one field.
    pub(super) fn field_error(
        self,
        field: &str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ImportError {
        self.error(Some(field.to_owned()), found, expected)
    }

    /// An error of the whole line.
    pub(super) fn line_error(
        self,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ImportError {
        self.error(None, found, expected)
    }

    /// An error of a field, or without one of the whole line.
    pub(super) fn error(
        self,
        field: Option<String>,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ImportError {
        ImportError::Line(Box::new(LineError {
            file: self.file.to_owned(),
            line: self.line,
            field,
            found: found.to_string(),
            expected: expected.to_string(),
        }))
    }
}
