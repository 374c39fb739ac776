//! Statements that a transaction runs once, before its commit, however often its jobs ask for them.
//!
//! The writer begins and runs them; the engines only hold them. Each sets one number. A job that needs the
//! number finds it here, as the row does not have it yet. A rollback to a savepoint restores what was here
//! before it. A job that fails before it has changed a row has no savepoint to roll back to, and leaves its
//! number: this is only for numbers that may be too high.

/// The statements of the transaction of a connection, each with the last number that it was given.
#[derive(Debug, Default)]
pub struct CommitStatements {
    /// Whether the writer has begun a transaction, and will run them.
    is_open: bool,
    statements: Numbers,
    /// The same before the savepoint.
    before_savepoint: Option<Numbers>,
}

type Numbers = Vec<(&'static str, i64)>;

impl CommitStatements {
    /// The writer has begun a transaction.
    pub(crate) fn begin(&mut self) {
        *self = Self {
            is_open: true,
            ..Self::default()
        };
    }

    /// The number that this statement will set, if it waits for the commit.
    pub(crate) fn number(&self, sql: &str) -> Option<i64> {
        let mut statements = self.statements.iter();
        statements.find(|(known, _)| *known == sql).map(|it| it.1)
    }

    /// Makes this statement wait for the commit, with this number. Returns `false` outside of a transaction
    /// of the writer: the caller then runs it at once.
    pub(crate) fn add(&mut self, sql: &'static str, number: i64) -> bool {
        if self.is_open {
            self.statements.retain(|(known, _)| *known != sql);
            self.statements.push((sql, number));
        }
        self.is_open
    }

    /// A savepoint was set.
    pub(crate) fn begin_savepoint(&mut self) {
        self.before_savepoint = Some(self.statements.clone());
    }

    /// The savepoint ends, released or rolled back to.
    pub(crate) fn end_savepoint(&mut self, keep: bool) {
        let before = self.before_savepoint.take();
        if let Some(before) = before.filter(|_| !keep) {
            self.statements = before;
        }
    }

    /// The transaction was rolled back.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The statements, which the caller runs now, as the transaction is committed.
    pub(crate) fn take(&mut self) -> Vec<(&'static str, i64)> {
        std::mem::take(self).statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_is_set_once() {
        let mut waiting = CommitStatements::default();
        assert!(!waiting.add("a", 1), "outside of a transaction");
        waiting.begin();
        assert!(waiting.add("a", 1) && waiting.add("b", 7) && waiting.add("a", 2));
        assert_eq!(waiting.number("a"), Some(2));
        assert_eq!(waiting.take(), [("b", 7), ("a", 2)]);
        assert_eq!((waiting.number("a"), waiting.take()), (None, vec![]));
    }

    #[test]
    fn a_rollback_to_a_savepoint_restores_the_numbers() {
        let mut waiting = CommitStatements::default();
        waiting.begin();
        waiting.add("a", 1);
        for (keep, expected) in [(false, 1), (true, 9)] {
            waiting.begin_savepoint();
            waiting.add("a", 9);
            waiting.end_savepoint(keep);
            assert_eq!(waiting.number("a"), Some(expected), "{keep}");
        }
        waiting.begin();
        assert_eq!(waiting.number("a"), None);
    }
}
