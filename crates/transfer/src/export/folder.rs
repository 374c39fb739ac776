//! The folder: built beside its place under another name, on disk before it gets its own. What an export left
//! that was killed goes with the next one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::FileReport;
use super::error::ExportError;
use super::progress::Progress;
use crate::jsonl::LONGEST_LINE;

/// What stands between the name of a folder and a mark in the name it is built under.
const BUILT: &str = ".export-";
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
    /// Held as long as somebody builds there.
    _lock: Option<File>,
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
        let name = format!(".{}{BUILT}", name.to_string_lossy());
        remove_left(&above, &name);
        let (site, lock) = site(&above, &name).map_err(|source| refused(&place, source))?;
        Ok(Building {
            place,
            above,
            site,
            _lock: lock,
        })
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
        let file = create_private(&self.site.join(&name));
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

    /// Puts the folder into its place. Its files are on disk by now, so a loss of power leaves it whole or
    /// not there.
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

/// A new file, which on Unix only its owner may read: it holds personal data.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}

/// A new folder to build in, locked.
fn site(above: &Path, name: &str) -> io::Result<(PathBuf, Option<File>)> {
    loop {
        let site = above.join(format!("{name}{:016x}", fastrand::u64(..)));
        fs::create_dir(&site)?;
        // Another export may have taken it for one that was left, before it was locked.
        match lock(&site) {
            Ok(lock) if site.exists() => return Ok((site, lock)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

/// Removes the folders of this name that nobody builds in any more: those of exports that were killed. What
/// cannot be removed is in nobody's way.
fn remove_left(above: &Path, name: &str) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let mark = found.to_str().and_then(|found| found.strip_prefix(name));
        if mark.is_some_and(|mark| mark.len() == 16 && u64::from_str_radix(mark, 16).is_ok())
            && let Ok(Some(_lock)) = try_lock(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Waits for the lock of a folder. A file system without locks has none: nobody will find out then whether
/// the folder is in use, and it is left alone.
#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let file = File::open(folder)?;
    Ok(file.lock().is_ok().then_some(file))
}

/// The lock of a folder; none while somebody has it.
#[cfg(unix)]
fn try_lock(folder: &Path) -> io::Result<Option<File>> {
    let file = File::open(folder)?;
    Ok(file.try_lock().is_ok().then_some(file))
}

/// Elsewhere a folder has no lock, and nobody can tell whether it is in use.
#[cfg(not(unix))]
fn lock(_folder: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// As above.
#[cfg(not(unix))]
fn try_lock(_folder: &Path) -> io::Result<Option<File>> {
    Ok(None)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let above = tempfile::tempdir().unwrap();
        let place = above.path().join("plant");
        let building = Building::begin(&place).unwrap();
        let lines = building.file("users", &()).unwrap();
        lines.end().unwrap();
        building.end().unwrap();
        let mode = fs::metadata(place.join("users.jsonl")).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_left_behind_goes_and_what_is_being_built_stays() {
        let above = tempfile::tempdir().unwrap();
        let others = [
            ".plant.export-0123456789abcde",
            ".plant.export-notes-of-mine-x",
            ".plant2.export-0123456789abcdef",
            "plant.export-0123456789abcdef",
        ];
        let left = ".plant.export-0123456789abcdef";
        for name in others.iter().chain(&[left]) {
            fs::create_dir(above.path().join(name)).unwrap();
            fs::write(above.path().join(name).join("areas.jsonl"), "{}\n").unwrap();
        }
        let place = above.path().join("plant");
        let first = Building::begin(&place).unwrap();
        let second = Building::begin(&place).unwrap();
        let site = |building: &Building| {
            let name = building.site.file_name().unwrap();
            name.to_str().unwrap().to_owned()
        };
        let mut expected: Vec<_> = others.map(str::to_owned).to_vec();
        expected.extend([site(&first), site(&second)]);
        expected.sort();
        assert_eq!(names(above.path()), expected);

        let built = site(&first);
        first.end().unwrap();
        drop(second);
        let mut expected: Vec<_> = others.map(str::to_owned).to_vec();
        expected.push("plant".to_owned());
        expected.sort();
        assert_eq!(names(above.path()), expected);
        assert!(!above.path().join(built).exists());
    }
}
