//! What the engines do differently: each difference is a method that every engine answers, with the reason
//! for it.
//!
//! No method has a default, and no code outside of an engine's folder asks which engine it is: a new engine
//! does not compile before it has answered all of them.

use super::{Session, StoreError};

/// The answers of one engine.
pub trait Capabilities: Sync {
    /// The name of the engine in messages.
    fn product(&self) -> &'static str;

    /// Whether an answer costs a round trip. Statements are then pipelined: what depends on no answer is sent
    /// before, and a question is asked together with the work that it may forbid. In this process a question
    /// costs microseconds, and asked first it leaves nothing to undo.
    fn has_round_trips(&self) -> bool;

    /// Whether `UPDATE … RETURNING` costs less than a SELECT and an UPDATE. Over a wire one statement is one
    /// wait; on SQLite each RETURNING makes a table of its own, which costs more than the other two.
    fn returning_is_cheap(&self) -> bool;

    /// Whether a text may hold the character U+0000. Another engine gives an error that does not say where it
    /// stands, so a copy looks for it first.
    fn stores_nul(&self) -> bool;

    /// Whether a keyset condition over two columns, `(a, b) > (?, ?)`, needs `a >= ?` beside it. PostgreSQL
    /// passes over partitions by the latter only; SQLite seeks by one condition on each side, and the pair is
    /// closer.
    fn keyset_needs_first_bound(&self) -> bool;

    /// Whether `INSERT … ON CONFLICT (rowid) DO UPDATE` works on a table of search words. The virtual tables
    /// of SQLite report no conflict: a row is deleted and inserted.
    fn search_tables_upsert(&self) -> bool;

    /// The statements that merge the search indexes of comments after many writes. Where each write leaves a
    /// segment, a search looks into all of them. Empty where [`Capabilities::after_bulk_load`] does it.
    fn merge_comment_indexes(&self) -> &'static [&'static str];

    /// The statements before many rows are written in one transaction, which hold for that transaction only.
    fn before_bulk_load(&self) -> &'static [&'static str];

    /// The statement after many rows were written, which gives a row: what the planner knows of the tables.
    fn after_bulk_load(&self) -> Option<&'static str>;

    /// The statement, which gives a row, that lifts the limits on how long the transaction may take and idle.
    /// `None` where the engine has none: only a server ends a transaction that seems forgotten.
    fn lift_transaction_limits(&self) -> Option<&'static str>;

    /// The query for what tells a database from all others of its engine, as two addresses may lead to one
    /// server. `None` where the address tells it, as the path of a file does.
    fn identity(&self) -> Option<&'static str>;

    /// The last id that the sequence of a table gave; 0 before the first. Each engine keeps it elsewhere.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when the table has no sequence; and what the engine says.
    fn last_of_sequence(&self, session: &mut dyn Session, table: &str) -> Result<i64, StoreError>;

    /// Makes the sequence of a table go on after `last`. Where a sequence is no part of the transaction, as
    /// on PostgreSQL, that stays so if the transaction is undone.
    ///
    /// # Errors
    /// What the engine says.
    fn set_sequence(
        &self,
        session: &mut dyn Session,
        table: &str,
        last: i64,
    ) -> Result<(), StoreError>;
}
