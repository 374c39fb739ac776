//! Whom an import tells how far it is.

/// Told how far an import is. Called from the import's own thread; it must not block.
pub trait Progress: Send + Sync {
    /// The import begins; `bytes` is the size of all its files.
    fn begin(&self, bytes: u64) {
        let _ = bytes;
    }

    /// A file is begun.
    fn file(&self, name: &str) {
        let _ = name;
    }

    /// So many more bytes were read.
    fn advance(&self, bytes: u64) {
        let _ = bytes;
    }
}

/// Tells nobody.
impl Progress for () {}
