//! Why a database takes no writes, in classes that an operator can act on.

use std::fmt;

/// Why a database takes no writes. Reads may still work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteFault {
    /// No space is left for the change.
    DiskFull,
    /// The disk refused to write or to flush.
    DiskFailure,
    /// The file, or its file system, is read-only.
    ReadOnly,
    /// The server is a standby that follows another one.
    Standby,
}

impl WriteFault {
    /// Every one there is, in the order of the enum.
    pub const ALL: [WriteFault; 4] = [
        WriteFault::DiskFull,
        WriteFault::DiskFailure,
        WriteFault::ReadOnly,
        WriteFault::Standby,
    ];

    /// Its name in metrics and in the answer of `/readyz`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WriteFault::DiskFull => "disk_full",
            WriteFault::DiskFailure => "disk_failure",
            WriteFault::ReadOnly => "read_only",
            WriteFault::Standby => "standby",
        }
    }
}

impl fmt::Display for WriteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
