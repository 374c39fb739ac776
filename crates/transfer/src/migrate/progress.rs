//! Progress of a migration, and how to stop it.

/// What a migration is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Rows are written to the target.
    Copy,
    /// The rows of both are compared.
    Verify,
    /// The model is checked, rule by rule.
    Check,
}

/// Receives the progress of a migration. Called on the threads of the migration, so it must not block.
pub trait Progress: Send + Sync {
    /// A phase over this number of rows begins; of pages where a file is copied, of rules in a check.
    fn begin(&self, phase: Phase, rows: u64) {
        let _ = (phase, rows);
    }

    /// A table begins.
    fn table(&self, name: &str) {
        let _ = name;
    }

    /// This number of additional rows is done.
    fn advance(&self, rows: u64) {
        let _ = rows;
    }

    /// Called from time to time; `false` stops the migration, which is then rolled back.
    fn should_continue(&self) -> bool {
        true
    }
}

/// Reports nothing and never stops.
impl Progress for () {}
