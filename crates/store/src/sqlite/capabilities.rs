//! The capabilities of SQLite.

use crate::engine::{Capabilities, SearchIndexQueries};
use crate::search::PARTS_INDEX;
use crate::{Session, StoreError};

/// The capabilities of SQLite.
pub struct Sqlite;

impl Capabilities for Sqlite {
    fn product(&self) -> &'static str {
        "SQLite"
    }

    fn has_round_trips(&self) -> bool {
        false
    }

    fn returning_is_cheap(&self) -> bool {
        false
    }

    fn stores_nul(&self) -> bool {
        true
    }

    fn keyset_needs_first_bound(&self) -> bool {
        false
    }

    fn search_tables_upsert(&self) -> bool {
        false
    }

    fn merge_comment_indexes(&self) -> &'static [&'static str] {
        &[
            "INSERT INTO comments_search (comments_search) VALUES ('optimize')",
            "INSERT INTO comments_parts (comments_parts) VALUES ('optimize')",
        ]
    }

    fn search_index(&self, index: &str) -> SearchIndexQueries {
        // The shadow table has a row for each document, also for one without tokens; the index over parts has
        // neither that table nor positions.
        SearchIndexQueries {
            ids: (index != PARTS_INDEX).then(|| format!("SELECT id FROM {index}_docsize")),
            begin: Some(format!(
                "CREATE VIRTUAL TABLE temp.obeya_vocabulary USING fts5vocab('main', '{index}', 'instance')"
            )),
            entries: "SELECT doc, coalesce(\"offset\", 0), term FROM temp.obeya_vocabulary"
                .to_owned(),
            end: Some("DROP TABLE temp.obeya_vocabulary"),
        }
    }

    fn append_audit_entry(&self) -> &'static str {
        // The function is registered on each connection. SQLite assigns the number, the rowid. INSERT
        // with a SELECT from the same table would need a temporary table.
        "INSERT INTO audit_entries
            (at, client_id, address, operation, record, request_id, change, salt, digest, hash)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
            obeya_audit_hash(coalesce((SELECT hash FROM audit_entries ORDER BY number DESC LIMIT 1), ''), ?10))"
    }

    fn before_bulk_load(&self) -> &'static [&'static str] {
        &[]
    }

    fn after_bulk_load(&self) -> Option<&'static str> {
        None
    }

    fn lift_transaction_limits(&self) -> Option<&'static str> {
        None
    }

    fn identity(&self) -> Option<&'static str> {
        None
    }

    fn last_of_sequence(&self, session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
        let sql = format!("SELECT max(seq) FROM sqlite_sequence WHERE name = '{table}'");
        let last = session.first(&sql, &[], |row| row.int(0))?;
        Ok(last.flatten().unwrap_or_default())
    }

    fn set_sequence(
        &self,
        session: &mut dyn Session,
        table: &str,
        last: i64,
    ) -> Result<(), StoreError> {
        let binds = [table.into(), last.into()];
        let update = "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1";
        let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
        if session.execute(update, &binds)? == 0 {
            session.execute(insert, &binds)?;
        }
        Ok(())
    }
}
