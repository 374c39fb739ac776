//! A disk that fails: a program runs with a preloaded library (`shim.c`) that records what it does to the
//! files of one folder, and that can refuse writes, flushes or new handles. From the record, [`Replay`]
//! builds the folder as a power failure would have left it at any moment. Linux only.
//!
//! The library is compiled with the C compiler that the build of SQLite needs too.

mod cuts;
mod replay;

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

pub use cuts::{Cut, cut_power};
pub use replay::{Loss, Operation, Replay};

/// What the disk refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// More bytes than a file has: `ENOSPC`.
    Full,
    /// Every flush: `EIO`.
    Flush,
    /// New handles that write to a file whose mode does not allow it, as for a user who is not root.
    Modes,
}

/// A recorded folder.
pub struct Disk {
    folder: PathBuf,
    own: TempDir,
}

impl Disk {
    /// Compiles the library, to record what programs do to `folder`.
    ///
    /// # Panics
    /// If there is no C compiler, as everything here does if something is missing.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let own = tempfile::tempdir().expect("a folder");
        let source = own.path().join("shim.c");
        std::fs::write(&source, include_str!("disk/shim.c")).expect("written");
        let made = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
            .args(["-shared", "-fPIC", "-O1", "-pthread", "-o"])
            .arg(own.path().join("shim.so"))
            .arg(&source)
            .arg("-ldl")
            .output()
            .expect("a C compiler");
        let message = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{message}");
        let disk = Disk {
            folder: folder.canonicalize().expect("a folder"),
            own,
        };
        std::fs::write(disk.path("log"), "").expect("written");
        disk.set(Fault::None);
        disk
    }

    /// Makes a program run on this disk.
    pub fn hold(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", self.path("shim.so"))
            .env("OBEYA_DISK_FOLDER", &self.folder)
            .env("OBEYA_DISK_LOG", self.path("log"))
            .env("OBEYA_DISK_FAULT", self.path("fault"));
    }

    /// Changes what the disk refuses, also for programs that run.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn set(&self, fault: Fault) {
        let word = match fault {
            Fault::None => "-",
            Fault::Full => "F",
            Fault::Flush => "S",
            Fault::Modes => "M",
        };
        // Not truncated: programs have mapped it.
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.path("fault"));
        let mut file: File = file.expect("a file");
        file.write_all(word.as_bytes()).expect("written");
    }

    /// Puts a mark into the record: what the program did before it was done before this.
    ///
    /// # Panics
    /// If the record cannot be written.
    pub fn mark(&self, text: &str) {
        let mut record = vec![b'M'];
        record.extend([0; 16]);
        let length = u32::try_from(text.len()).expect("a short mark");
        record.extend(length.to_ne_bytes());
        record.extend([0; 4]);
        record.extend(text.as_bytes());
        let log = OpenOptions::new().append(true).open(self.path("log"));
        let written = log.expect("a record").write_all(&record);
        written.expect("written");
    }

    /// The operations so far, in their order.
    ///
    /// # Panics
    /// If the record cannot be read.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        let bytes = std::fs::read(self.path("log")).expect("a record");
        replay::parse(&bytes)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.own.path().join(name)
    }
}
