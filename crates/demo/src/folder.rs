//! Writes the import format: one JSON Lines file for each resource, values as CSV.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder being written.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Writes into an existing, empty folder.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    /// Writes `lines` as `<name>.jsonl`.
    pub(crate) fn lines(
        &self,
        name: &str,
        lines: impl IntoIterator<Item = Value>,
    ) -> io::Result<()> {
        let mut out = self.create(&format!("{name}.jsonl"))?;
        for line in lines {
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// A new file in the folder, for a writer that knows its own format.
    pub(crate) fn create(&self, file: &str) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::new(File::create(self.path.join(file))?))
    }
}
