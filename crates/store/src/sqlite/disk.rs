//! The space that a database takes on its disk, and the space that is left.

use std::path::Path;

use super::files::Files;
use crate::DiskUsage;

/// The usage of the database file at `path`. What cannot be read, such as a file that is not there, has size
/// 0.
pub(super) fn usage(path: &Path) -> DiskUsage {
    let files = Files::of(path);
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    DiskUsage {
        file_bytes: size(&files.main),
        wal_bytes: size(&files.log),
        free_bytes: free(&files.log),
    }
}

/// The bytes that this process may still write to the file system of the log; on Unix only.
#[cfg(unix)]
fn free(log: &Path) -> Option<u64> {
    // The log may be absent, and the database may be a link to another file system.
    let folder = log.parent().filter(|folder| !folder.as_os_str().is_empty());
    let found = rustix::fs::statvfs(folder.unwrap_or(Path::new("."))).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// As above.
#[cfg(not(unix))]
fn free(_log: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_are_those_of_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plant.db");
        assert_eq!(usage(&path).file_bytes, 0);
        std::fs::write(&path, [0; 1000]).unwrap();
        std::fs::write(folder.path().join("plant.db-wal"), [0; 70]).unwrap();
        let found = usage(&path);
        assert_eq!((found.file_bytes, found.wal_bytes), (1000, 70));
    }

    /// Others write to the disk meanwhile, so the two are equal only in size; a wrong unit is 512 times off.
    #[cfg(unix)]
    #[test]
    fn the_free_space_is_what_df_shows() {
        let folder = tempfile::tempdir().unwrap();
        // The format of POSIX: units of 1024 bytes, the fourth column is what is available.
        let df = std::process::Command::new("df")
            .arg("-Pk")
            .arg(folder.path())
            .output();
        let text = String::from_utf8(df.unwrap().stdout).unwrap();
        let available = text.lines().nth(1).unwrap().split_whitespace().nth(3);
        let expected = available.unwrap().parse::<u64>().unwrap() * 1024;
        let found = usage(&folder.path().join("plant.db")).free_bytes.unwrap();
        assert!(
            (expected / 2..=expected * 2).contains(&found),
            "{found}, df shows {expected}"
        );
    }
}
