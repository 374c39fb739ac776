//! Whom an export tells how far it is, and who may end it.

/// Told how far an export is. Called from the export's own thread; it must not block.
pub trait Progress: Send + Sync {
    /// The export begins; so many records are to be written, more or less.
    fn begin(&self, records: u64) {
        let _ = records;
    }

    /// A file is begun.
    fn file(&self, name: &str) {
        let _ = name;
    }

    /// So many more records were written.
    fn advance(&self, records: u64) {
        let _ = records;
    }

    /// Asked now and then; `false` ends the export, and there is no folder.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Tells nobody, and goes on.
impl Progress for () {}
