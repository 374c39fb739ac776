//! The target: it requests the tables of the source one after another, and commits only if it then equals the
//! source.

use std::time::Instant;

use super::compare;
use super::digest::Sum;
use super::error::{MigrateError, Side};
use super::progress::{Phase, Progress};
use super::report::{MigrateReport, TableReport};
use super::rows::{self, Batch};
use super::session::lift_time_limits;
use super::source::{Disconnected, Part, SourceClient};
use super::tables::{SEQUENCED_TABLES, STAMPS, TABLES};
use obeya_store::table::Table;
use obeya_store::{Session, StoreError, Value, bulk, search, sequences};

/// Why writing the target ended.
pub(super) enum Ended {
    /// The source ended first and returns the error.
    Disconnected,
    /// Another error.
    Of(MigrateError),
}

impl From<Disconnected> for Ended {
    fn from(_: Disconnected) -> Self {
        Ended::Disconnected
    }
}

impl From<MigrateError> for Ended {
    fn from(error: MigrateError) -> Self {
        Ended::Of(error)
    }
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Ended::Of(MigrateError::store(Side::Target, error))
    }
}

/// Copies everything in one transaction and compares.
pub(super) fn fill(
    session: &mut dyn Session,
    client: &SourceClient,
    progress: &dyn Progress,
) -> Result<MigrateReport, Ended> {
    let started = Instant::now();
    lift_time_limits(session)?;
    for table in TABLES {
        must_be_empty(session, table)?;
    }
    let snapshot = client.snapshot()?;
    if snapshot.is_new() {
        return Err(MigrateError::Nothing.into());
    }
    progress.begin(Phase::Copy, snapshot.rows);
    bulk::begin(session)?;
    let mut copied = Vec::new();
    for table in TABLES {
        let began = Instant::now();
        progress.table(table.name);
        let sum = copy(session, table, client, progress)?;
        copied.push((table, sum, began.elapsed()));
    }
    // They are not copied, as each engine stores them in another way.
    for index in &search::INDEXES {
        if !progress.should_continue() {
            return Err(MigrateError::Stopped.into());
        }
        progress.table(index.name);
        search::rebuild(session, index)?;
    }
    search::merge_comment_indexes(session)?;
    bulk::end(session, snapshot.rows)?;

    progress.begin(Phase::Verify, snapshot.rows);
    let mut tables = Vec::new();
    for (table, source, copying) in copied {
        let began = Instant::now();
        progress.table(table.name);
        if compare::sum(session, Side::Target, table, progress)? != source {
            let difference = compare::rows(session, table, client, progress)?;
            return Err(MigrateError::Different(difference).into());
        }
        tables.push(TableReport::new(table, source, copying + began.elapsed()));
    }
    for (table, last) in SEQUENCED_TABLES.into_iter().zip(snapshot.ids) {
        sequences::advance(session, table, last)
            .map_err(|error| MigrateError::of(Side::Target, table, error))?;
    }
    Ok(MigrateReport {
        tables,
        differences: Vec::new(),
        last_stamp: snapshot.last_stamp(),
        elapsed: started.elapsed(),
    })
}

fn must_be_empty(session: &mut dyn Session, table: &Table) -> Result<(), MigrateError> {
    let condition = if table.name == STAMPS {
        "WHERE last <> 0 "
    } else {
        ""
    };
    let sql = format!("SELECT 1 FROM {} {condition}LIMIT 1", table.name);
    match session.first(&sql, &[], |_| Ok(())) {
        Ok(None) => Ok(()),
        Ok(Some(())) => Err(MigrateError::NotEmpty { table: table.name }),
        Err(error) => Err(MigrateError::of(Side::Target, table.name, error)),
    }
}

/// Copies a table; returns the digest of what the source sent.
fn copy(
    session: &mut dyn Session,
    table: &'static Table,
    client: &SourceClient,
    progress: &dyn Progress,
) -> Result<Sum, Ended> {
    client.rows(table)?;
    loop {
        if !progress.should_continue() {
            return Err(MigrateError::Stopped.into());
        }
        match client.next()? {
            Part::Rows(batch) => {
                write(session, table, &batch)?;
                progress.advance(batch.rows() as u64);
            }
            Part::Sum(sum) => return Ok(sum),
        }
    }
}

fn write(session: &mut dyn Session, table: &Table, batch: &Batch) -> Result<(), MigrateError> {
    let values = batch.values();
    let engine = session.capabilities();
    if !engine.stores_nul() && batch.has_nul() {
        return Err(nul(table, &values, engine.product()));
    }
    let written = if table.name == STAMPS {
        // Its row exists and is locked by other writers, so it must not be replaced.
        let sql = "UPDATE stamps SET last = ?2 WHERE id = ?1";
        session.execute_deferred(sql, &values)
    } else {
        session.append(table.name, &table.names(), &values)
    };
    written.map_err(|source| {
        if let StoreError::Unavailable(_) | StoreError::Timeout = source {
            return MigrateError::of(Side::Target, table.name, source);
        }
        let key = |row: Option<&[Value<'_>]>| row.map(|row| rows::key(&row[..table.keys]));
        let mut rows = values.chunks(table.columns.len());
        MigrateError::Refused {
            table: table.name,
            first: key(rows.next()).unwrap_or_default(),
            last: key(values.chunks(table.columns.len()).next_back()).unwrap_or_default(),
            source,
        }
    })
}

/// Finds a text that the engine would refuse without naming its position.
fn nul(table: &Table, values: &[Value<'_>], engine: &str) -> MigrateError {
    let is_bad = |value: &Value<'_>| matches!(value, Value::Text(text) if text.contains('\0'));
    let place = values.iter().position(is_bad).unwrap_or_default();
    let (row, column) = (place / table.columns.len(), place % table.columns.len());
    let begin = row * table.columns.len();
    MigrateError::Value {
        side: Side::Source,
        table: table.name,
        key: rows::key(&values[begin..begin + table.keys]),
        column: table.columns[column].name,
        reason: format!("a text with the character U+0000, which {engine} does not store"),
    }
}
