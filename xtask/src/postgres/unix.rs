//! What only Unix has: accounts, owners, signals.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::{fs, io};

use rustix::process::{Pid, Signal, geteuid, kill_process};

/// Whether we are root.
pub(super) fn root() -> bool {
    geteuid().is_root()
}

/// Has a command run under another account. The standard library drops root's further groups with it.
pub(super) fn run_as(command: &mut Command, uid: u32, gid: u32) {
    command.uid(uid).gid(gid);
}

/// Changes the owner.
pub(super) fn give(path: &Path, uid: u32, gid: u32) -> io::Result<()> {
    chown(path, Some(uid), Some(gid))
}

/// Whether any account may pass through a folder and those it lies in.
pub(super) fn open(folder: &Path) -> bool {
    folder
        .ancestors()
        .all(|folder| fs::metadata(folder).is_ok_and(|found| found.mode() & 0o001 != 0))
}

/// Closes a folder to everybody but its owner.
pub(super) fn close(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Keeps the terminal's signals from a command.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Asks a server to end at once and to save nothing.
pub(super) fn quit(server: &mut Child) -> io::Result<()> {
    Ok(kill_process(Pid::from_child(server), Signal::QUIT)?)
}

/// The exit code, as a shell gives it: one that was killed by signal 9 has 137.
pub(super) fn code(status: ExitStatus) -> i32 {
    let killed = || status.signal().map(|signal| 128 + signal);
    status.code().or_else(killed).unwrap_or(1)
}
