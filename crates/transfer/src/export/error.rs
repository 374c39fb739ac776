//! Why an export left no folder.

use std::io;
use std::path::PathBuf;

use obeya_store::engine::StoreError;

/// Why an export left no folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Something is there already.
    #[error("{} is there already and is {found}; expected a name that is free, or an empty folder", path.display())]
    Taken {
        /// The folder that was to be made.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// The folder or a file in it cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The folder or the file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A record that no import would take.
    #[error("{file}, record {record}: {reason}")]
    Record {
        /// The file it was to stand in.
        file: String,
        /// Its id.
        record: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The database did not do what it was asked.
    #[error("the database could not be read")]
    Store(#[from] StoreError),
    /// It was told to end.
    #[error("stopped; no folder was made")]
    Stopped,
}
