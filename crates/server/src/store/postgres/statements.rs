//! The statements prepared on one connection; the least recently used one goes first.

use tokio_postgres::Statement;

/// What is kept of the statements of one connection. Must not outlive it.
pub(super) struct Statements {
    // Some hundred, told apart by their lengths mostly: looking through them costs less than hashing a text.
    kept: Vec<Kept>,
    capacity: usize,
    clock: u64,
}

struct Kept {
    sql: Box<str>,
    statement: Statement,
    used: u64,
}

impl Statements {
    /// Room for so many statements, at least one.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            kept: Vec::new(),
            capacity: capacity.max(1),
            clock: 0,
        }
    }

    /// The statement of this text, if it is kept.
    pub(super) fn get(&mut self, sql: &str) -> Option<Statement> {
        self.clock += 1;
        let kept = self.kept.iter_mut().find(|kept| *kept.sql == *sql)?;
        kept.used = self.clock;
        Some(kept.statement.clone())
    }

    /// Keeps a statement that was just prepared. The server is told of the one that goes for it.
    pub(super) fn keep(&mut self, sql: &str, statement: Statement) {
        if self.kept.len() >= self.capacity
            && let Some(oldest) = (0..self.kept.len()).min_by_key(|&place| self.kept[place].used)
        {
            self.kept.swap_remove(oldest);
        }
        self.kept.push(Kept {
            sql: sql.into(),
            statement,
            used: self.clock,
        });
    }

    /// Forgets a statement that the server no longer takes.
    pub(super) fn forget(&mut self, sql: &str) {
        self.kept.retain(|kept| *kept.sql != *sql);
    }

    /// Forgets all: the connection is another.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }
}
