//! The target folder: built next to it under a temporary name and renamed once its files are on disk. The
//! next export removes what a killed one left behind.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::FileReport;
use super::error::ExportError;
use super::progress::Progress;
use crate::jsonl::{CONTENTS, LONGEST_LINE};

/// Separates the name of the target and a random number in the name of the staging folder.
const STAGING_SUFFIX: &str = ".export-";
/// Records between two reports of progress.
const RECORDS_PER_REPORT: u64 = 500;

/// A folder that is being built. Dropping it before [`Self::end`] removes it.
#[derive(Debug)]
pub(super) struct Building {
    /// The path that it gets at the end.
    target: PathBuf,
    /// The folder that contains the target.
    parent: PathBuf,
    /// The staging folder; empty once it was renamed.
    staging: PathBuf,
    /// Locked while the folder is being built.
    _lock: Option<File>,
}

impl Building {
    /// Begins a folder. Its target must not exist, or be empty.
    pub(super) fn begin(folder: &Path) -> Result<Self, ExportError> {
        // `plant/` has the same file name as `plant`, and `.` has none.
        let target = std::path::absolute(folder).map_err(|source| refused(folder, source))?;
        require_free(&target)?;
        let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(ExportError::Taken {
                path: target,
                found: "the top of a file system",
            });
        };
        let parent = parent.to_owned();
        let name = format!(".{}{STAGING_SUFFIX}", name.to_string_lossy());
        remove_abandoned(&parent, &name);
        let (staging, lock) =
            create_staging(&parent, &name).map_err(|source| refused(&target, source))?;
        Ok(Building {
            target,
            parent,
            staging,
            _lock: lock,
        })
    }

    /// Begins a file.
    pub(super) fn file<'a>(
        &self,
        resource: &str,
        progress: &'a dyn Progress,
    ) -> Result<JsonlWriter<'a>, ExportError> {
        let name = format!("{resource}.jsonl");
        progress.file(&name);
        let path = self.target.join(&name);
        let file = create_private(&self.staging.join(&name));
        let file = file.map_err(|source| refused(&path, source))?;
        Ok(JsonlWriter {
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

    /// The folder of the contents of attachments, which is made with the first one.
    pub(super) fn contents(&self) -> Contents {
        Contents {
            folder: self.staging.join(CONTENTS),
            path: self.target.join(CONTENTS),
            is_made: false,
        }
    }

    /// Renames the folder to its target. Its files are on disk by now, so after a power loss it is complete
    /// or does not exist.
    pub(super) fn end(mut self) -> Result<(), ExportError> {
        let put = || -> io::Result<()> {
            sync_folder(&self.staging)?;
            // Outside of Unix a folder cannot be renamed onto another one, even an empty one.
            if cfg!(not(unix)) && self.target.exists() {
                fs::remove_dir(&self.target)?;
            }
            fs::rename(&self.staging, &self.target)
        };
        put().map_err(|source| refused(&self.target, source))?;
        self.staging = PathBuf::new();
        sync_folder(&self.parent).map_err(|source| refused(&self.target, source))
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        if !self.staging.as_os_str().is_empty() {
            // A folder that cannot be removed does no harm: its name is hidden and says what it is.
            let _ = fs::remove_dir_all(&self.staging);
        }
    }
}

/// The folder of the contents of attachments.
pub(super) struct Contents {
    folder: PathBuf,
    /// Its path in the target, for errors.
    path: PathBuf,
    is_made: bool,
}

impl Contents {
    /// Writes a content, and waits until it is on disk.
    pub(super) fn write(&mut self, name: &str, content: &[u8]) -> Result<(), ExportError> {
        let mut write = || -> io::Result<()> {
            if !self.is_made {
                fs::create_dir(&self.folder)?;
                self.is_made = true;
            }
            let mut file = create_private(&self.folder.join(name))?;
            file.write_all(content)?;
            file.sync_all()
        };
        write().map_err(|source| refused(&self.path.join(name), source))
    }

    /// Ends the folder: waits until the names in it are on disk.
    pub(super) fn end(self) -> Result<(), ExportError> {
        if !self.is_made {
            return Ok(());
        }
        sync_folder(&self.folder).map_err(|source| refused(&self.path, source))
    }
}

/// A file that is being written.
pub(super) struct JsonlWriter<'a> {
    file: BufWriter<File>,
    /// Its path in the target, for errors.
    path: PathBuf,
    line: Vec<u8>,
    report: FileReport,
    progress: &'a dyn Progress,
}

impl JsonlWriter<'_> {
    /// Writes the line of a record.
    pub(super) fn write<T: Serialize>(
        &mut self,
        id: impl std::fmt::Display,
        record: &T,
    ) -> Result<(), ExportError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, record)
            .map_err(|error| self.rejected(&id, error.to_string()))?;
        self.line.push(b'\n');
        let length = self.line.len() as u64;
        if length >= LONGEST_LINE {
            let reason = format!("found a line of {length} bytes, expected at most 16 MiB");
            return Err(self.rejected(&id, reason));
        }
        let written = self.file.write_all(&self.line);
        written.map_err(|source| refused(&self.path, source))?;
        self.report.records += 1;
        self.report.bytes += length;
        if self.report.records.is_multiple_of(RECORDS_PER_REPORT) {
            self.progress.advance(RECORDS_PER_REPORT);
            if !self.progress.should_continue() {
                return Err(ExportError::Stopped);
            }
        }
        Ok(())
    }

    /// The error for a record that an import would refuse.
    pub(super) fn rejected(&self, id: impl std::fmt::Display, reason: String) -> ExportError {
        ExportError::Record {
            file: self.report.file.clone(),
            record: id.to_string(),
            reason,
        }
    }

    /// Ends the file and waits until it is on disk.
    pub(super) fn end(self) -> Result<FileReport, ExportError> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error);
        let synced = file.and_then(|file| file.sync_all());
        synced.map_err(|source| refused(&self.path, source))?;
        self.progress
            .advance(self.report.records % RECORDS_PER_REPORT);
        if !self.progress.should_continue() {
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
fn create_staging(parent: &Path, name: &str) -> io::Result<(PathBuf, Option<File>)> {
    loop {
        let staging = parent.join(format!("{name}{:016x}", fastrand::u64(..)));
        fs::create_dir(&staging)?;
        // Another export may have removed it as abandoned before it was locked.
        match lock(&staging) {
            Ok(lock) if staging.exists() => return Ok((staging, lock)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

/// Removes the staging folders of exports that were killed. One that cannot be removed does no harm.
fn remove_abandoned(parent: &Path, name: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let mark = found.to_str().and_then(|found| found.strip_prefix(name));
        if mark.is_some_and(|mark| mark.len() == 16 && u64::from_str_radix(mark, 16).is_ok())
            && let Ok(Some(_lock)) = try_lock(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Waits for the lock of a folder; `None` on a file system without locks, where the folder is never removed
/// as it may be in use.
#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let file = File::open(folder)?;
    Ok(file.lock().is_ok().then_some(file))
}

/// The lock of a folder; `None` while another process has it.
#[cfg(unix)]
fn try_lock(folder: &Path) -> io::Result<Option<File>> {
    let file = File::open(folder)?;
    Ok(file.try_lock().is_ok().then_some(file))
}

/// Outside of Unix a folder has no lock, so it is not known whether it is in use.
#[cfg(not(unix))]
fn lock(_folder: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// As above.
#[cfg(not(unix))]
fn try_lock(_folder: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

fn require_free(target: &Path) -> Result<(), ExportError> {
    let taken = |found| {
        Err(ExportError::Taken {
            path: target.to_owned(),
            found,
        })
    };
    match fs::read_dir(target) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => taken("not empty"),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A dangling symbolic link.
            if target.is_symlink() {
                return taken("a link to nothing");
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => taken("no folder"),
        Err(source) => Err(refused(target, source)),
    }
}

/// Syncs the entries of a folder to disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing: there is no such operation outside of Unix.
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
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("plant");
        let building = Building::begin(&target).unwrap();
        let lines = building.file("users", &()).unwrap();
        lines.end().unwrap();
        building.end().unwrap();
        let mode = fs::metadata(target.join("users.jsonl")).unwrap();
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
        let parent = tempfile::tempdir().unwrap();
        let others = [
            ".plant.export-0123456789abcde",
            ".plant.export-notes-of-mine-x",
            ".plant2.export-0123456789abcdef",
            "plant.export-0123456789abcdef",
        ];
        let left = ".plant.export-0123456789abcdef";
        for name in others.iter().chain(&[left]) {
            fs::create_dir(parent.path().join(name)).unwrap();
            fs::write(parent.path().join(name).join("areas.jsonl"), "{}\n").unwrap();
        }
        let target = parent.path().join("plant");
        let first = Building::begin(&target).unwrap();
        let second = Building::begin(&target).unwrap();
        let staging = |building: &Building| {
            let name = building.staging.file_name().unwrap();
            name.to_str().unwrap().to_owned()
        };
        let mut expected: Vec<_> = others.map(str::to_owned).to_vec();
        expected.extend([staging(&first), staging(&second)]);
        expected.sort();
        assert_eq!(names(parent.path()), expected);

        let built = staging(&first);
        first.end().unwrap();
        drop(second);
        let mut expected: Vec<_> = others.map(str::to_owned).to_vec();
        expected.push("plant".to_owned());
        expected.sort();
        assert_eq!(names(parent.path()), expected);
        assert!(!parent.path().join(built).exists());
    }
}
