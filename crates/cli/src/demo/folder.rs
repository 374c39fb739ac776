//! Writes the import format: one JSON Lines file for each resource, values as CSV.
//!
//! The demo has no other way into a database than the one a user has: it writes this folder and imports it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The folder being written.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Writes into an existing, empty folder.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    /// Writes `lines` as `<name>.jsonl`.
    pub(super) fn lines(&self, name: &str, lines: impl IntoIterator<Item = Value>) -> Result<()> {
        let mut out = self.create(&format!("{name}.jsonl"))?;
        for line in lines {
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        out.flush()
            .with_context(|| format!("{name}.jsonl cannot be written"))
    }

    /// A new file in the folder, for a writer that knows its own format.
    pub(super) fn create(&self, file: &str) -> Result<BufWriter<File>> {
        let path = self.path.join(file);
        let created =
            File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(BufWriter::new(created))
    }
}
