//! Progress of an export, and how to stop it.

/// Receives the progress of an export. Called on the thread of the export, so it must not block.
pub trait Progress: Send + Sync {
    /// The export begins; `records` is about how many it will write.
    fn begin(&self, records: u64) {
        let _ = records;
    }

    /// A file begins.
    fn file(&self, name: &str) {
        let _ = name;
    }

    /// Another number of records was written.
    fn advance(&self, records: u64) {
        let _ = records;
    }

    /// Called from time to time; `false` stops the export, which then leaves no folder.
    fn should_continue(&self) -> bool {
        true
    }
}

/// Reports nothing and never stops.
impl Progress for () {}
