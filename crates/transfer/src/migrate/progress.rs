//! Whom a migration tells how far it is, and who may end it.

/// What a migration is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Rows are written to the target.
    Copy,
    /// The rows of both are compared.
    Verify,
}

/// Told how far a migration is. Called from the migration's own threads; it must not block.
pub trait Progress: Send + Sync {
    /// A phase begins that goes through so many rows.
    fn begin(&self, phase: Phase, rows: u64) {
        let _ = (phase, rows);
    }

    /// A table is begun.
    fn table(&self, name: &str) {
        let _ = name;
    }

    /// So many more rows are done.
    fn advance(&self, rows: u64) {
        let _ = rows;
    }

    /// Asked now and then; `false` ends the migration, and nothing is kept.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Tells nobody, and goes on.
impl Progress for () {}
