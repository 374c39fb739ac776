//! What can be wrong with a folder, told so that the line can be mended: file, line, field, what was found,
//! what was expected.

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
        /// What the system said.
        source: io::Error,
    },
    /// The folder holds no file, or a file, that an import does not know.
    #[error("{0}")]
    Files(String),
    /// A file cannot be read to its end.
    #[error("{file} cannot be read")]
    File {
        /// Name of the file in the folder.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not what it must be.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// The database refused; nothing of the folder was stored.
    #[error("the database did not take the import")]
    Store(#[from] StoreError),
}

/// One thing wrong with one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// Name of the file in the folder.
    pub file: String,
    /// Line in the file, from 1.
    pub line: u64,
    /// Path of the field in the line, such as `categories[0].id`; `None` when the line as a whole is wrong.
    pub field: Option<String>,
    /// What stands there.
    pub found: String,
    /// What should stand there.
    pub expected: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)?;
        if let Some(field) = &self.field {
            write!(f, ", field {field}")?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

/// Where a fault is being looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Location<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
}

impl Location<'_> {
    /// A fault of one field.
    pub(super) fn fault(
        self,
        field: &str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ImportError {
        self.at(Some(field.to_owned()), found, expected)
    }

    /// A fault of the line as a whole.
    pub(super) fn whole(
        self,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ImportError {
        self.at(None, found, expected)
    }

    /// A fault of a field, or of the whole line.
    pub(super) fn at(
        self,
        field: Option<String>,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ImportError {
        ImportError::Fault(Box::new(Fault {
            file: self.file.to_owned(),
            line: self.line,
            field,
            found: found.to_string(),
            expected: expected.to_string(),
        }))
    }
}
