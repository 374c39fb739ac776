//! Files that are there whole or not at all, also after the power failed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Puts bytes into a file in place of what it held.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = beside(file, ".new");
    let mut out = File::create(&new)?;
    out.write_all(bytes)?;
    out.sync_data()?;
    drop(out);
    fs::rename(&new, file)
}

/// Gives a file, whose content is on disk, its name.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    // Only where a folder can be opened; elsewhere the system keeps the name by itself.
    #[cfg(unix)]
    {
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// The name of a companion of a file.
pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

/// Removes a file that may be gone already.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
