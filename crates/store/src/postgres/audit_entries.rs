//! The audit entries of a transaction, until they are written.
//!
//! One statement for each entry costs the server about 50 µs, most of it for starting the statement and for
//! looking up the last entry. So the entries of all jobs of a commit are written in one statement, just
//! before the COMMIT, or before a statement of the transaction that uses the log. This module sends nothing.

use super::values::Owned;
use crate::Value;

/// The table of the log, as statements name it.
pub(super) const TABLE: &str = "audit_entries";

/// The number of values of an entry, as [`crate::Session::append_audit_entry`] gets them.
const VALUES: usize = 10;

/// Appends several entries, each with the next number and the hash that follows from the entry before it. The
/// binds are those of the statement for one entry, as arrays.
pub(super) const APPEND: &str = "INSERT INTO audit_entries
        (number, at, client_id, address, operation, record, request_id, change, salt, digest, hash)
    WITH RECURSIVE chain (place, number, hash) AS (
        SELECT 0, coalesce(last.number, 0), coalesce(last.hash, '')
        FROM (SELECT 1) AS one
        LEFT JOIN (SELECT number, hash FROM audit_entries ORDER BY number DESC LIMIT 1) AS last ON true
        UNION ALL
        SELECT place + 1, number + 1,
            encode(sha256(convert_to(hash || (CAST(?10 AS text[]))[place + 1], 'UTF8')), 'hex')
        FROM chain WHERE place < cardinality(CAST(?10 AS text[]))
    )
    SELECT number, (CAST(?1 AS bigint[]))[place], (CAST(?2 AS text[]))[place], (CAST(?3 AS text[]))[place],
        (CAST(?4 AS text[]))[place], (CAST(?5 AS text[]))[place], (CAST(?6 AS text[]))[place],
        (CAST(?7 AS text[]))[place], (CAST(?8 AS text[]))[place], (CAST(?9 AS text[]))[place], hash
    FROM chain WHERE place > 0";

/// The entries of one transaction, in their order.
#[derive(Default)]
pub(super) struct AuditEntries {
    /// Those that are written stay until the end of the transaction: a rollback to the savepoint undoes the
    /// statement that wrote them, also for the jobs before it.
    entries: Vec<[Owned; VALUES]>,
    state: State,
    /// The state at the last savepoint.
    at_savepoint: State,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    appended: usize,
    written: usize,
}

/// Entries to write.
pub(super) enum Unwritten {
    None,
    One(Vec<Owned>),
    /// For each value of an entry, those of all entries.
    Several(Vec<Vec<Owned>>),
}

impl AuditEntries {
    /// Adds an entry.
    pub(super) fn push(&mut self, values: &[Value<'_>; VALUES]) {
        self.entries.push(values.map(Owned::from));
        self.state.appended += 1;
    }

    /// Whether some are not written yet.
    pub(super) fn are_pending(&self) -> bool {
        self.state.written < self.state.appended
    }

    /// The entries that are not written, which the caller writes now.
    pub(super) fn take_unwritten(&mut self) -> Unwritten {
        let unwritten = &self.entries[self.state.written..];
        self.state.written = self.state.appended;
        match unwritten {
            [] => Unwritten::None,
            [entry] => Unwritten::One(entry.to_vec()),
            several => {
                let column = |at: usize| several.iter().map(|entry| entry[at].clone()).collect();
                Unwritten::Several((0..VALUES).map(column).collect())
            }
        }
    }

    /// A savepoint was set.
    pub(super) fn begin_savepoint(&mut self) {
        self.at_savepoint = self.state;
    }

    /// The transaction was rolled back to the savepoint.
    pub(super) fn roll_back_to_savepoint(&mut self) {
        self.state = self.at_savepoint;
        self.entries.truncate(self.state.appended);
    }

    /// The transaction has ended.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
