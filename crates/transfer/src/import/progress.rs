//! Progress of an import.

/// Receives the progress of an import. Called on the thread of the import, so it must not block.
pub trait Progress: Send + Sync {
    /// The import begins; `bytes` is the size of all its files.
    fn begin(&self, bytes: u64) {
        let _ = bytes;
    }

    /// A file begins.
    fn file(&self, name: &str) {
        let _ = name;
    }

    /// Another number of bytes was read.
    fn advance(&self, bytes: u64) {
        let _ = bytes;
    }
}

/// Reports nothing.
impl Progress for () {}
