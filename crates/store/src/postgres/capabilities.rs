//! The capabilities of PostgreSQL.

use crate::engine::{Capabilities, SearchIndexQueries};
use crate::search::PARTS_INDEX;
use crate::{Session, StoreError};

/// The capabilities of PostgreSQL.
pub struct Postgres;

impl Capabilities for Postgres {
    fn product(&self) -> &'static str {
        "PostgreSQL"
    }

    fn has_round_trips(&self) -> bool {
        true
    }

    fn returning_is_cheap(&self) -> bool {
        true
    }

    fn stores_nul(&self) -> bool {
        false
    }

    fn keyset_needs_first_bound(&self) -> bool {
        true
    }

    fn search_tables_upsert(&self) -> bool {
        true
    }

    fn merge_comment_indexes(&self) -> &'static [&'static str] {
        &[]
    }

    fn search_index(&self, index: &str) -> SearchIndexQueries {
        // The index over parts stores them as an array, which may have one of them twice; the others store
        // the document.
        let entries = if index == PARTS_INDEX {
            format!(
                "SELECT DISTINCT s.rowid, CAST(0 AS bigint), t.gram FROM {index} AS s CROSS JOIN LATERAL unnest(s.grams) AS t (gram)"
            )
        } else {
            format!(
                "SELECT s.rowid, t.place - 1, t.token FROM {index} AS s \
                 CROSS JOIN LATERAL unnest(string_to_array(btrim(s.document), ' ')) WITH ORDINALITY AS t (token, place)"
            )
        };
        SearchIndexQueries {
            ids: Some(format!("SELECT rowid FROM {index}")),
            begin: None,
            entries,
            end: None,
        }
    }

    fn append_audit_entry(&self) -> &'static str {
        // One look-up of the last entry, and no function of the schema: the server cannot inline one whose
        // body calls `convert_to`, and starts an executor for each call.
        "INSERT INTO audit_entries
            (number, at, client_id, address, operation, record, request_id, change, salt, digest, hash)
        SELECT coalesce(last.number, 0) + 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
            encode(sha256(convert_to(coalesce(last.hash, '') || ?10, 'UTF8')), 'hex')
        FROM (SELECT 1) AS one
        LEFT JOIN (SELECT number, hash FROM audit_entries ORDER BY number DESC LIMIT 1) AS last ON true"
    }

    fn before_bulk_load(&self) -> &'static [&'static str] {
        // A GIN index collects entries in a pending list and merges them when the list is full: a longer list
        // needs fewer merges. A search reads the whole list, so the limit is raised in this transaction only.
        // Where all rows of a table are read, no index helps.
        &[
            "SET LOCAL enable_seqscan = on",
            "SET LOCAL gin_pending_list_limit = '64MB'",
            "SET LOCAL work_mem = '64MB'",
        ]
    }

    fn after_bulk_load(&self) -> Option<&'static str> {
        // Updates the statistics of tables that may have been empty before, and merges the pending lists of
        // the GIN indexes.
        Some("SELECT obeya_settle()")
    }

    fn lift_transaction_limits(&self) -> Option<&'static str> {
        Some(
            "SELECT set_config('idle_in_transaction_session_timeout', '0', true), set_config('statement_timeout', '0', true)",
        )
    }

    fn identity(&self) -> Option<&'static str> {
        // The server is identified by its start time, the table by its OID.
        Some(
            "SELECT concat_ws(' ', pg_postmaster_start_time(), current_database(), 'stamps'::regclass::oid)",
        )
    }

    fn last_of_sequence(&self, session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
        let sql = "SELECT pg_get_serial_sequence(CAST(?1 AS text), 'id')";
        let name = session.first(sql, &[table.into()], |row| row.string(0))?;
        // The server returns the name quoted where necessary.
        let name = name.flatten().ok_or_else(|| {
            StoreError::Schema(format!("the table {table} has no sequence of ids"))
        })?;
        let sql = format!("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {name}");
        let last = session.first(&sql, &[], |row| row.int(0))?;
        Ok(last.flatten().unwrap_or_default())
    }

    fn set_sequence(
        &self,
        session: &mut dyn Session,
        table: &str,
        last: i64,
    ) -> Result<(), StoreError> {
        let sql =
            "SELECT setval(pg_get_serial_sequence(CAST(?1 AS text), 'id'), CAST(?2 AS bigint))";
        session
            .first(sql, &[table.into(), last.into()], |_| Ok(()))
            .map(drop)
    }
}
