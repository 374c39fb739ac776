//! Why an export left no folder.

use std::io;
use std::path::PathBuf;

use obeya_store::engine::StoreError;

/// Why an export left no folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The folder exists and is not empty, or is no folder.
    #[error("{} already exists and is {found}; expected a name that is free, or an empty folder", path.display())]
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
        /// The error of the operating system.
        source: io::Error,
    },
    /// A record that an import would refuse.
    #[error("{file}, record {record}: {reason}")]
    Record {
        /// Its file.
        file: String,
        /// Its id.
        record: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The database failed.
    #[error("the database could not be read")]
    Store(#[from] StoreError),
    /// The export was stopped by its caller.
    #[error("stopped; no folder was made")]
    Stopped,
}
