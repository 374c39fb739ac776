//! Differences between the engines: each is a method that every engine implements, with its reason.
//!
//! No method has a default, and no code outside of an engine's folder compares engines: a new engine does not
//! compile before it has implemented all of them.

use super::{Session, StoreError};

/// The queries that read a search index, for a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchIndexQueries {
    /// The ids of the records that are indexed, as a query of one column, if the index lists them.
    pub ids: Option<String>,
    /// A statement before [`SearchIndexQueries::entries`], which makes nothing outside of its connection.
    pub begin: Option<String>,
    /// The entries in any order: id of the record, number of the token in it (from 0), token.
    pub entries: String,
    /// A statement afterwards.
    pub end: Option<&'static str>,
}

/// The differences of one engine.
pub trait Capabilities: Sync {
    /// The name of the engine in messages.
    fn product(&self) -> &'static str;

    /// Whether an answer costs a round trip. Statements are then pipelined, and a check is sent together with
    /// the change that it may refuse. In this process a query costs microseconds, so the check runs first and
    /// there is nothing to roll back.
    fn has_round_trips(&self) -> bool;

    /// Whether `UPDATE … RETURNING` costs less than a SELECT and an UPDATE. Over a network one statement is
    /// one round trip; on SQLite each RETURNING builds a temporary table, which costs more than two
    /// statements.
    fn returning_is_cheap(&self) -> bool;

    /// Whether a text may hold the character U+0000. The error of another engine does not say where it is, so
    /// a migration looks for it first.
    fn stores_nul(&self) -> bool;

    /// Whether a keyset condition over two columns, `(a, b) > (?, ?)`, needs `a >= ?` in addition. PostgreSQL
    /// prunes partitions by the latter only; SQLite seeks by one condition on each side, and the pair is
    /// closer.
    fn keyset_needs_first_bound(&self) -> bool;

    /// Whether `INSERT … ON CONFLICT (rowid) DO UPDATE` works on a search index. The virtual tables of SQLite
    /// report no conflict: a row is deleted and inserted.
    fn search_tables_upsert(&self) -> bool;

    /// The statements that merge the search indexes of comments after many writes. Where each write leaves a
    /// segment, a search reads all of them. Empty where [`Capabilities::after_bulk_load`] does it.
    fn merge_comment_indexes(&self) -> &'static [&'static str];

    /// How to read a search index.
    fn search_index(&self, index: &str) -> SearchIndexQueries;

    /// The statement that appends an entry to the audit log, with the next number and the hash that follows
    /// from the entry before it. Binds: time, client, address, operation, record, request, change, salt,
    /// digest of the change, digest of the entry. Each engine has its own, as every write runs it.
    fn append_audit_entry(&self) -> &'static str;

    /// The statements before many rows are written in one transaction, which hold for that transaction only.
    fn before_bulk_load(&self) -> &'static [&'static str];

    /// The statement, which returns a row, after many rows were written: it updates the statistics of the
    /// planner.
    fn after_bulk_load(&self) -> Option<&'static str>;

    /// The statement, which returns a row, that lifts the limits on how long the transaction may take and
    /// idle. `None` where the engine has no such limits.
    fn lift_transaction_limits(&self) -> Option<&'static str>;

    /// The query for the identity of a database among all of its engine, as two addresses may lead to one
    /// server. `None` where the address is the identity, as the path of a file.
    fn identity(&self) -> Option<&'static str>;

    /// The last id that the sequence of a table issued; 0 before the first.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when the table has no sequence; or the engine fails.
    fn last_of_sequence(&self, session: &mut dyn Session, table: &str) -> Result<i64, StoreError>;

    /// Makes the sequence of a table continue after `last`. Where a sequence is not transactional, as on
    /// PostgreSQL, that survives a rollback.
    ///
    /// # Errors
    /// The engine fails.
    fn set_sequence(
        &self,
        session: &mut dyn Session,
        table: &str,
        last: i64,
    ) -> Result<(), StoreError>;
}
