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
        self.file(&format!("{name}.jsonl"), |out| {
            for line in lines {
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })
    }

    /// Writes the content of an attachment.
    pub(crate) fn content(&self, name: &str, content: &[u8]) -> io::Result<()> {
        std::fs::create_dir_all(self.path.join("attachments"))?;
        self.file(&format!("attachments/{name}"), |out| out.write_all(content))
    }

    /// Creates a file and passes it to a writer.
    ///
    /// # Errors
    /// Those of the disk, which do not know the file, with its name.
    pub(crate) fn file<T>(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
    ) -> io::Result<T> {
        let path = self.path.join(name);
        let written = File::create(&path).and_then(|file| {
            let mut out = BufWriter::new(file);
            let written = write(&mut out)?;
            out.flush()?;
            Ok(written)
        });
        written
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }
}
