//! Files that are either complete or absent, even after a power failure, and that only their owner may read.
//!
//! `pull`, `sync`, `backup` and `restore` create, sync and rename their files here, so that tests can check
//! the order of these steps ([`calls`]). On Unix a new file has mode 0600, since it contains personal data. A
//! file that replaces another takes over its mode, so that a mode the user changed persists; a backup and an
//! export of the audit log do not ([`publish_private`]). Other systems have no modes; there the folder
//! decides who may read.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Options that open a file for writing, or create one that only its owner may read. An existing file keeps
/// its mode.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = File::options();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a file, or truncates an existing one.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    private_options()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}

/// Flushes the content of a file to disk (fsync). `path` is its name.
pub(crate) fn sync(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    calls::record("sync", path);
    Ok(())
}

/// Flushes the entries of a folder to disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows cannot open a folder this way, and does not need it.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    calls::record("sync folder", folder);
    Ok(())
}

/// Makes a folder and those above it. The name of each new one is on disk then.
pub(crate) fn create_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder_of(folder);
    create_folders(above)?;
    match fs::create_dir(folder) {
        // Another process was faster, or what is there is no folder.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        made => made?,
    }
    sync_folder(above)
}

/// Renames a file whose content is already on disk. It takes over the mode of the file it replaces.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    copy_mode(to, from)?;
    fs::rename(from, to)?;
    calls::record("rename to", to);
    Ok(())
}

/// Renames a file whose content is already on disk, and flushes the folder.
pub(crate) fn publish(from: &Path, to: &Path) -> io::Result<()> {
    rename(from, to)?;
    sync_folder(folder_of(to))
}

/// Like [`publish`], but nobody except the owner may read the file, whatever the mode of the file it
/// replaces.
pub(crate) fn publish_private(from: &Path, to: &Path) -> io::Result<()> {
    // The file may have been left by an earlier run.
    #[cfg(unix)]
    fs::set_permissions(
        from,
        <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600),
    )?;
    fs::rename(from, to)?;
    calls::record("rename to", to);
    sync_folder(folder_of(to))
}

/// Like [`publish`], but never replaces a file: another process may have made one meanwhile.
pub(crate) fn publish_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => {
            calls::record("link", to);
            fs::remove_file(from)?;
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        // A file system without hard links, such as FAT and some network mounts.
        Err(_) => {
            rename_new(from, to)?;
            calls::record("rename to", to);
        }
    }
    sync_folder(folder_of(to))
}

/// Renames a file, unless there is one of the new name.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Not every file system has this; network mounts mostly do not. Seccomp profiles that are older
            // than the system call answer EPERM.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => {}
            renamed => return Ok(renamed?),
        }
    }
    rename_over_placeholder(from, to)
}

/// The same in two steps: an empty file takes the name first, and is left if the process is killed between
/// them.
fn rename_over_placeholder(from: &Path, to: &Path) -> io::Result<()> {
    fs::symlink_metadata(from)?;
    private_options().create_new(true).open(to)?;
    fs::rename(from, to).inspect_err(|_| remove_placeholder(from, to))
}

/// After a rename that failed: the name must not stay taken. On a network mount the rename may have happened
/// and only its answer was lost; then `to` is the file itself.
fn remove_placeholder(from: &Path, to: &Path) {
    if from.exists() && fs::metadata(to).is_ok_and(|metadata| metadata.len() == 0) {
        // If this fails too, the error of the rename is the one to tell.
        let _ = fs::remove_file(to);
    }
}

/// The folder of a file.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Atomically replaces the content of a file.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = with_suffix(file, ".new");
    let mut out = create(&new)?;
    out.write_all(bytes)?;
    sync(&out, &new)?;
    drop(out);
    rename(&new, file)
}

/// The path of a file with a suffix appended to its name.
pub(crate) fn with_suffix(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

/// Removes a file, if it exists.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Ok(()) => {
            calls::record("remove", file);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Copies the mode of `model` to `file`, if `model` exists.
pub(crate) fn copy_mode(model: &Path, file: &Path) -> io::Result<()> {
    let wanted = match fs::metadata(model) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        model => model?.permissions(),
    };
    // Not every file system supports modes: if both are equal, nothing is changed.
    if cfg!(unix) && fs::metadata(file)?.permissions() != wanted {
        fs::set_permissions(file, wanted)?;
    }
    Ok(())
}

/// Records the steps above for tests: those of the current thread, each with the last component of its path.
#[cfg(test)]
pub(crate) mod calls {
    use std::cell::RefCell;
    use std::path::Path;

    thread_local! {
        static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn record(call: &str, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        CALLS.with_borrow_mut(|calls| calls.push(format!("{call} {name}")));
    }

    /// Returns the calls recorded since the last time.
    pub(crate) fn take() -> Vec<String> {
        CALLS.take()
    }
}

/// Outside tests nothing is recorded.
#[cfg(not(test))]
mod calls {
    pub(super) fn record(_: &str, _: &std::path::Path) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_synced_before_it_gets_its_name_and_the_folder_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        replace(&file, b"1").unwrap();
        assert_eq!(
            calls::take(),
            ["sync state.json.new", "rename to state.json"]
        );
        publish(&file, &folder.path().join("other.json")).unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(
            calls::take(),
            [
                "rename to other.json".to_owned(),
                format!("sync folder {name}")
            ]
        );
    }

    #[test]
    fn a_new_file_never_replaces_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let [new, taken, free] = ["new", "taken", "free"].map(|name| folder.path().join(name));
        fs::write(&new, "new").unwrap();
        fs::write(&taken, "taken").unwrap();
        let error = publish_new(&new, &taken).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&taken).unwrap(), b"taken");
        publish_new(&new, &free).unwrap();
        assert_eq!(fs::read(&free).unwrap(), b"new");
        assert!(!new.exists());
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(
            calls::take(),
            ["link free".to_owned(), format!("sync folder {name}")]
        );
    }

    /// As on a file system without hard links; of the two ways to rename the second is for systems and file
    /// systems without the first.
    #[test]
    fn without_hard_links_a_new_file_does_not_replace_another_one_either() {
        let folder = tempfile::tempdir().unwrap();
        for (rename, run) in [rename_new, rename_over_placeholder].into_iter().zip(1..) {
            let path = |name: &str| folder.path().join(format!("{name}-{run}"));
            let [new, taken, free] = ["new", "taken", "free"].map(path);
            fs::write(&new, "new").unwrap();
            fs::write(&taken, "taken").unwrap();
            let error = rename(&new, &taken).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&taken).unwrap(), b"taken");
            rename(&new, &free).unwrap();
            assert_eq!(fs::read(&free).unwrap(), b"new");
            assert!(!new.exists());
        }
    }

    #[test]
    fn a_file_that_cannot_be_published_leaves_its_name_free() {
        let folder = tempfile::tempdir().unwrap();
        let [missing, free] = ["missing", "free"].map(|name| folder.path().join(name));
        for publish in [publish_new, rename_over_placeholder] {
            let error = publish(&missing, &free).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            assert!(!free.exists());
        }
        // No file is replaced by a folder.
        #[cfg(unix)]
        {
            rename_over_placeholder(folder.path(), &free).unwrap_err();
            assert!(!free.exists());
        }
    }

    #[test]
    fn only_a_placeholder_is_removed_after_a_failed_rename() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        // The rename happened; the file may be empty itself.
        for content in ["", "new"] {
            fs::write(&to, content).unwrap();
            remove_placeholder(&from, &to);
            assert_eq!(fs::read_to_string(&to).unwrap(), content);
        }
        fs::write(&from, "new").unwrap();
        fs::write(&to, "of another process").unwrap();
        remove_placeholder(&from, &to);
        assert!(to.exists());
        fs::write(&to, "").unwrap();
        remove_placeholder(&from, &to);
        assert!(from.exists() && !to.exists());
    }

    /// fsync(2) fails with EINVAL for what cannot be synced, so a failure shows that it was called.
    #[cfg(target_os = "linux")]
    #[test]
    fn syncing_reaches_the_system() {
        let device = Path::new("/dev/null");
        let einval = Some(22);
        let error = sync(&File::open(device).unwrap(), device).unwrap_err();
        assert_eq!(error.raw_os_error(), einval);
        assert_eq!(sync_folder(device).unwrap_err().raw_os_error(), einval);
        assert_eq!(calls::take(), [] as [&str; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_its_owners_alone_and_a_successor_keeps_the_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        replace(&file, b"1").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&file, b"2").unwrap();
        assert_eq!((mode(), fs::read(&file).unwrap()), (0o640, b"2".to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_its_owners_alone_whatever_it_replaces() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [new, file] = ["backup.new", "backup.db"].map(|name| folder.path().join(name));
        for path in [&new, &file] {
            fs::write(path, path.to_str().unwrap()).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        }
        publish_private(&new, &file).unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert_eq!(fs::read(&file).unwrap(), new.to_str().unwrap().as_bytes());
    }
}
