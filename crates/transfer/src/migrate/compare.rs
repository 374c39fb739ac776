//! Compares two databases and finds the first difference of each table.

use std::cmp::Ordering;
use std::time::Instant;

use super::digest::{Sum, Summing};
use super::error::{Difference, MigrateError, Side};
use super::progress::{Phase, Progress};
use super::report::{MigrateReport, TableReport};
use super::rows::{self, Batch};
use super::session::lift_time_limits;
use super::source::{Disconnected, Part, SourceClient};
use super::tables::{SEQUENCED_TABLES, TABLES};
use super::target::Ended;
use obeya_store::table::Table;
use obeya_store::{Session, Value, sequences};

/// Rows between two reports of progress.
const ROWS_PER_WORD: u64 = 2_000;

/// Compares every table with the source's.
pub(super) fn all(
    session: &mut dyn Session,
    client: &SourceClient,
    progress: &dyn Progress,
) -> Result<MigrateReport, Ended> {
    let started = Instant::now();
    lift_time_limits(session)?;
    let snapshot = client.snapshot()?;
    progress.begin(Phase::Verify, snapshot.rows);
    let (mut tables, mut differences) = (Vec::new(), Vec::new());
    for table in TABLES {
        let began = Instant::now();
        progress.table(table.name);
        client.sum(table)?;
        let target = sum(session, Side::Target, table, progress)?;
        let Part::Sum(source) = client.next()? else {
            return Err(Ended::Disconnected);
        };
        if source != target {
            differences.push(rows(session, table, client, progress)?);
        }
        tables.push(TableReport::new(table, source, began.elapsed()));
    }
    for (table, source) in SEQUENCED_TABLES.into_iter().zip(snapshot.ids) {
        let target = sequences::counter(session, table)
            .map_err(|error| MigrateError::of(Side::Target, table, error))?;
        if target < source {
            differences.push(Difference::Ids {
                table,
                source,
                target,
            });
        }
    }
    Ok(MigrateReport {
        tables,
        differences,
        last_stamp: snapshot.last_stamp(),
        elapsed: started.elapsed(),
    })
}

/// The digest of a table's rows.
pub(crate) fn sum(
    session: &mut dyn Session,
    side: Side,
    table: &'static Table,
    progress: &dyn Progress,
) -> Result<Sum, MigrateError> {
    let mut sum = Summing::default();
    rows::read(session, side, table, progress, |row| {
        sum.add(row);
        if sum.rows().is_multiple_of(ROWS_PER_WORD) {
            progress.advance(ROWS_PER_WORD);
        }
        Ok(())
    })?;
    progress.advance(sum.rows() % ROWS_PER_WORD);
    Ok(sum.end())
}

/// The first difference between the table and the source's, row by row.
pub(super) fn rows(
    session: &mut dyn Session,
    table: &'static Table,
    client: &SourceClient,
    progress: &dyn Progress,
) -> Result<Difference, Ended> {
    client.rows(table)?;
    let mut source = Incoming::new(client, table);
    let mut found = None;
    rows::read(session, Side::Target, table, progress, |row| {
        if found.is_none() {
            found = source.against(row);
        }
        Ok(())
    })?;
    // The remaining rows of the source have no counterpart.
    if found.is_none() {
        found = source.left();
    }
    source.drain()?;
    Ok(found.unwrap_or(Difference::Unsteady { table: table.name }))
}

/// The source's rows, one at a time.
struct Incoming<'a> {
    client: &'a SourceClient,
    table: &'static Table,
    batch: Batch,
    row: usize,
    /// Whether no more batches will come.
    ended: Result<bool, Disconnected>,
}

impl<'a> Incoming<'a> {
    fn new(client: &'a SourceClient, table: &'static Table) -> Self {
        Incoming {
            client,
            table,
            batch: Batch::default(),
            row: 0,
            ended: Ok(false),
        }
    }

    /// How the next row differs from this row of the target.
    fn against(&mut self, target: &[Value<'_>]) -> Option<Difference> {
        let table = self.table;
        let Some(source) = self.next() else {
            return Some(Difference::Added {
                table: table.name,
                key: rows::key(&target[..table.keys]),
            });
        };
        let of = |row: &[Value<'_>]| rows::key(&row[..table.keys]);
        let keys = source.iter().zip(target).take(table.keys);
        let order = keys
            .map(|(source, target)| order(source, target))
            .find(|order| order.is_ne());
        match order {
            Some(Ordering::Less) => Some(Difference::Missing {
                table: table.name,
                key: of(&source),
            }),
            Some(_) => Some(Difference::Added {
                table: table.name,
                key: of(target),
            }),
            None => {
                let column = (0..table.columns.len()).find(|&place| source[place] != target[place]);
                column.map(|place| Difference::Changed {
                    table: table.name,
                    key: of(&source),
                    column: table.columns[place].name,
                })
            }
        }
    }

    /// The next row as one that the target does not have.
    fn left(&mut self) -> Option<Difference> {
        let table = self.table;
        let row = self.next()?;
        Some(Difference::Missing {
            table: table.name,
            key: rows::key(&row[..table.keys]),
        })
    }

    fn next(&mut self) -> Option<Vec<Value<'_>>> {
        if self.row == self.batch.rows() {
            self.fetch();
        }
        self.row += 1;
        self.batch.row(self.row - 1, self.table.columns.len())
    }

    /// Takes the next batch, if there is one.
    fn fetch(&mut self) {
        (self.batch, self.row) = (Batch::default(), 0);
        if !matches!(self.ended, Ok(false)) {
            return;
        }
        match self.client.next() {
            Ok(Part::Rows(batch)) => self.batch = batch,
            Ok(Part::Sum(_)) => self.ended = Ok(true),
            Err(gone) => self.ended = Err(gone),
        }
    }

    /// Reads the remaining batches, so that the source can take another request.
    fn drain(mut self) -> Result<(), Disconnected> {
        while matches!(self.ended, Ok(false)) {
            self.fetch();
        }
        self.ended.map(drop)
    }
}

/// The order of keys, which are integers and texts.
fn order(source: &Value<'_>, target: &Value<'_>) -> Ordering {
    match (source, target) {
        (Value::Int(source), Value::Int(target)) => source.cmp(target),
        (Value::Text(source), Value::Text(target)) => source.cmp(target),
        _ => Ordering::Equal,
    }
}
