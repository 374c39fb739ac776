//! The same elsewhere, where PostgreSQL runs under any account and a process is ended or left alone.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

pub(super) fn root() -> bool {
    false
}

pub(super) fn run_as(_command: &mut Command, _uid: u32, _gid: u32) {}

pub(super) fn give(_path: &Path, _uid: u32, _gid: u32) -> io::Result<()> {
    Ok(())
}

pub(super) fn open(_folder: &Path) -> bool {
    true
}

pub(super) fn close(_folder: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn own_group(_command: &mut Command) {}

pub(super) fn quit(server: &mut Child) -> io::Result<()> {
    server.kill()
}

pub(super) fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(1)
}
