//! The audit entries of a transaction, until they are written.
//!
//! One statement for each entry costs the server about 50 µs, most of it for starting the statement and for
//! looking up the last entry. So the entries of all jobs of a commit are written in one statement, just
//! before the COMMIT, or before a statement of the transaction that uses the log. This module sends nothing.

use super::values::Owned;
use crate::Value;

/// The table of the log, as statements name it.
pub(super) const TABLE: &str = "audit_entries";

/// The most bytes of texts that wait for the COMMIT.
const MOST_BYTES: usize = 256 << 10;

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

/// The entries of one transaction that are not written, in their order.
#[derive(Default)]
pub(super) struct AuditEntries {
    entries: Vec<[Owned; VALUES]>,
    /// The number of bytes of the texts of all entries since some were written.
    bytes: usize,
    /// How many of the first ones are written, after the savepoint: a rollback to it undoes that, also for
    /// the jobs before it. 0 without a savepoint.
    written: usize,
    /// How many there were at the savepoint, if there is one.
    at_savepoint: Option<usize>,
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
        let length = |value: &Value<'_>| match value {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Null | Value::Int(_) | Value::Real(_) => 0,
        };
        self.bytes += values.iter().map(length).sum::<usize>();
        self.entries.push(values.map(Owned::from));
    }

    /// Whether some are not written yet.
    pub(super) fn are_pending(&self) -> bool {
        self.written < self.entries.len()
    }

    /// Whether they use so much memory that they should be written before the commit.
    pub(super) fn are_large(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// The entries that are not written, which the caller writes now.
    pub(super) fn take_unwritten(&mut self) -> Unwritten {
        let unwritten = match self.at_savepoint {
            Some(_) => self.entries[self.written..].to_vec(),
            None => std::mem::take(&mut self.entries),
        };
        self.written = self.entries.len();
        self.bytes = 0;
        if unwritten.len() < 2 {
            let only = unwritten.into_iter().next();
            return only.map_or(Unwritten::None, |entry| Unwritten::One(entry.into()));
        }
        let mut columns: Vec<_> = (0..VALUES).map(|_| Vec::new()).collect();
        for entry in unwritten {
            for (column, value) in columns.iter_mut().zip(entry) {
                column.push(value);
            }
        }
        Unwritten::Several(columns)
    }

    /// A savepoint was set.
    pub(super) fn begin_savepoint(&mut self) {
        self.at_savepoint = Some(self.entries.len());
    }

    /// The savepoint ends, released or rolled back to.
    pub(super) fn end_savepoint(&mut self, keep: bool) {
        let before = self.at_savepoint.take();
        let written = std::mem::take(&mut self.written);
        if keep {
            self.entries.drain(..written);
        } else {
            self.entries.truncate(before.unwrap_or_default());
        }
    }

    /// The transaction has ended.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_entries_do_not_wait_until_the_transaction_ends() {
        let text = "x".repeat(MOST_BYTES / 2);
        let mut values = [Value::Null; VALUES];
        values[6] = (&text).into();
        let mut entries = AuditEntries::default();
        for _ in 0..2 {
            entries.push(&values);
            entries.push(&values);
            assert!(!entries.are_large());
            entries.push(&values);
            assert!(entries.are_large());
            assert!(matches!(entries.take_unwritten(), Unwritten::Several(_)));
            assert!(!entries.are_large() && entries.entries.is_empty());
        }
    }
}
