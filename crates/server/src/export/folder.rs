//! The folder: built beside its place under another name, on disk before it gets its own.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::FileReport;
use super::error::ExportError;
use super::progress::Progress;
use crate::lines::LONGEST_LINE;

/// Records between two words about how far it is.
const RECORDS_PER_WORD: u64 = 500;

/// A folder that is being built. Gone when this is dropped before its end.
#[derive(Debug)]
pub(super) struct Building {
    /// Where it will be.
    place: PathBuf,
    /// The folder around it.
    above: PathBuf,
    /// Where it is built; empty once it is in its place.
    site: PathBuf,
}

impl Building {
    /// Begins a folder whose place is free.
    pub(super) fn begin(folder: &Path) -> Result<Self, ExportError> {
        // `plant/` has the same file name as `plant`, and `.` has none.
        let place = std::path::absolute(folder).map_err(|source| refused(folder, source))?;
        must_be_free(&place)?;
        let (Some(above), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(ExportError::Taken {
                path: place,
                found: "the top of a file system",
            });
        };
        let above = above.to_owned();
        let mark = fastrand::u64(..);
        let site = above.join(format!(".{}.export-{mark:016x}", name.to_string_lossy()));
        fs::create_dir(&site).map_err(|source| refused(&place, source))?;
        Ok(Building { place, above, site })
    }

    /// Begins a file.
    pub(super) fn file<'a>(
        &self,
        resource: &str,
        progress: &'a dyn Progress,
    ) -> Result<Lines<'a>, ExportError> {
        let name = format!("{resource}.jsonl");
        progress.file(&name);
        let path = self.place.join(&name);
        let file = File::create_new(self.site.join(&name));
        let file = file.map_err(|source| refused(&path, source))?;
        Ok(Lines {
            file: BufWriter::with_capacity(1 << 20, file),
            path,
            line: Vec::new(),
            report: FileReport {
                file: name,
                records: 0,
                bytes: 0,
            },
            progress,
        })
    }

    /// Puts the folder into its place. Its files are on disk by now, so a loss of power leaves it whole or not there.
    pub(super) fn end(mut self) -> Result<(), ExportError> {
        let put = || -> io::Result<()> {
            sync_folder(&self.site)?;
            // Elsewhere a folder is not renamed onto another one, be it empty.
            if cfg!(not(unix)) && self.place.exists() {
                fs::remove_dir(&self.place)?;
            }
            fs::rename(&self.site, &self.place)
        };
        put().map_err(|source| refused(&self.place, source))?;
        self.site = PathBuf::new();
        sync_folder(&self.above).map_err(|source| refused(&self.place, source))
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        if !self.site.as_os_str().is_empty() {
            // What cannot be removed is in nobody's way: its name begins with a dot and says what it is.
            let _ = fs::remove_dir_all(&self.site);
        }
    }
}

/// A file that is being written.
pub(super) struct Lines<'a> {
    file: BufWriter<File>,
    /// Where it will be, for errors.
    path: PathBuf,
    line: Vec<u8>,
    report: FileReport,
    progress: &'a dyn Progress,
}

impl Lines<'_> {
    /// Writes the line of a record.
    pub(super) fn put<T: Serialize>(
        &mut self,
        id: impl std::fmt::Display,
        record: &T,
    ) -> Result<(), ExportError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, record)
            .map_err(|error| self.unfit(&id, error.to_string()))?;
        self.line.push(b'\n');
        let length = self.line.len() as u64;
        if length >= LONGEST_LINE {
            let reason = format!("found a line of {length} bytes, expected at most 16 MiB");
            return Err(self.unfit(&id, reason));
        }
        let written = self.file.write_all(&self.line);
        written.map_err(|source| refused(&self.path, source))?;
        self.report.records += 1;
        self.report.bytes += length;
        if self.report.records.is_multiple_of(RECORDS_PER_WORD) {
            self.progress.advance(RECORDS_PER_WORD);
            if !self.progress.goes_on() {
                return Err(ExportError::Stopped);
            }
        }
        Ok(())
    }

    /// A record that no import would take.
    pub(super) fn unfit(&self, id: impl std::fmt::Display, reason: String) -> ExportError {
        ExportError::Record {
            file: self.report.file.clone(),
            record: id.to_string(),
            reason,
        }
    }

    /// Ends the file, which is on disk then.
    pub(super) fn end(self) -> Result<FileReport, ExportError> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error);
        let synced = file.and_then(|file| file.sync_all());
        synced.map_err(|source| refused(&self.path, source))?;
        self.progress
            .advance(self.report.records % RECORDS_PER_WORD);
        if !self.progress.goes_on() {
            return Err(ExportError::Stopped);
        }
        Ok(self.report)
    }
}

fn must_be_free(place: &Path) -> Result<(), ExportError> {
    let taken = |found| {
        Err(ExportError::Taken {
            path: place.to_owned(),
            found,
        })
    };
    match fs::read_dir(place) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => taken("not empty"),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // What a link to nothing is.
            if place.is_symlink() {
                return taken("a link to nothing");
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => taken("no folder"),
        Err(source) => Err(refused(place, source)),
    }
}

/// Makes names of a folder last.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Nothing to be done: names last by themselves, or there is no way to say so.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn refused(path: &Path, source: io::Error) -> ExportError {
    ExportError::Write {
        path: path.to_owned(),
        source,
    }
}
