//! The part of a pull on disk: a file, or for Parquet a folder of segments; the names in that folder, and the
//! lock of the pull that writes it. This module does not read or write rows.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::format::Format;
use crate::durable;

/// The file that is locked in a folder.
const LOCK: &str = "lock";
/// The file of all segments in their folder, before it is renamed.
pub(super) const WHOLE: &str = "whole";

/// What the part is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PartForm {
    Stream,
    /// A folder.
    Segments,
}

impl PartForm {
    pub(super) fn of(format: Format) -> Self {
        match format {
            Format::Parquet => Self::Segments,
            _ => Self::Stream,
        }
    }

    /// What is at this path, if there is anything.
    pub(super) fn on_disk(part: &Path) -> Option<Self> {
        let found = part.metadata().ok()?;
        Some(match found.is_dir() {
            true => Self::Segments,
            false => Self::Stream,
        })
    }

    /// Locks the file that stands for a running pull: the part itself, or a file in its folder. Creates the
    /// part if there is none.
    pub(super) fn lock(self, file: &Path, part: &Path) -> Result<File> {
        let context = || format!("{} cannot be created", part.display());
        let path = match self {
            Self::Segments => {
                fs::create_dir_all(part).with_context(context)?;
                part.join(LOCK)
            }
            Self::Stream => part.to_owned(),
        };
        let lock = durable::private_options()
            .read(true)
            .truncate(false)
            .open(path)
            .with_context(context)?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => {
                bail!("another pull is writing {}", file.display())
            }
            // The file system does not support locks: continue without one.
            Err(TryLockError::Error(_)) => Ok(lock),
        }
    }
}

/// The file of a segment in its folder. They count from 1.
pub(super) fn segment(number: u64) -> String {
    format!("{number:06}.parquet")
}

/// Removes the part.
///
/// # Errors
/// When it cannot be removed. A folder that has a file of another program is left with it.
pub(super) fn remove(part: &Path) -> Result<()> {
    let context = || format!("{} cannot be removed", part.display());
    if !part.is_dir() {
        return durable::remove(part).with_context(context);
    }
    // First, and on disk before the rest: after a kill or a power failure in between, this shows that the
    // file was renamed (`ResumableFile::is_renamed`).
    durable::remove(&part.join(segment(1))).with_context(context)?;
    durable::sync_folder(part).with_context(context)?;
    for entry in fs::read_dir(part).with_context(context)? {
        let entry = entry.with_context(context)?;
        if is_ours(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path()).with_context(context)?;
        }
    }
    fs::remove_dir(part).with_context(context)
}

/// Whether a pull gives a file in the folder of its segments this name.
fn is_ours(name: &str) -> bool {
    let number = name.strip_suffix(".parquet").and_then(|it| it.parse().ok());
    [LOCK, WHOLE].contains(&name) || number.is_some_and(|number| segment(number) == name)
}
