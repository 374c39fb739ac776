//! The values of one datasource that a request selects, as statements, and their number.
//!
//! This module does not know which page is requested.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use obeya_odata::Bound;
use obeya_odata::sql::{self, Direction, Predicate, Scope};

use super::error::ReadError;
use super::partitioned_count::{Counting, PartitionedCount, TimeSpan};
use super::seek_cache::{SeekKey, SeekPosition};
use obeya_store::Store;
use obeya_store::engine::{Session, StoreError, Value};

/// The default order of values; the id breaks ties.
const ORDER: &[(&str, Direction)] = &[("valueDate", Direction::Ascending)];
const DATASOURCE: &str = "SELECT value_count, change_counter FROM datasources WHERE id = ?1";
/// Two look-ups at the ends of the primary key.
const ENDS: &str =
    "SELECT (SELECT min(value_date) FROM datasource_values WHERE datasource_id = ?1),
    (SELECT max(value_date) FROM datasource_values WHERE datasource_id = ?1)";
/// The partitions in which a large datasource is counted: enough that the readers end at about the same time,
/// and that a rare match is cheap to find again.
const PARTITIONS: i64 = 64;
/// The number of values from which several readers count: some milliseconds for one reader.
const MIN_PARALLEL_VALUES: i64 = 50_000;
/// The most readers that count together.
const MAX_READERS: usize = 4;

/// The values of a datasource in a period, under a filter.
pub(super) struct Series {
    /// The datasource.
    pub(super) datasource: i64,
    /// Only values after this instant, in ticks.
    pub(super) from: Option<i64>,
    /// Only values before this instant, in ticks.
    pub(super) to: Option<i64>,
    /// The filter and the order.
    pub(super) query: Bound,
    /// The store whose idle readers may help to count.
    pub(super) readers: Option<Store>,
}

/// A datasource as it is in one snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DatasourceState {
    /// The number of all its values.
    pub(super) values: i64,
    /// Changes with every change of its values.
    pub(super) version: i64,
}

/// Where to start reading a series.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// The position after which reading starts.
    pub(super) position: SeekPosition,
    /// The time span of the rows, if it is known more closely than the period.
    pub(super) span: Option<TimeSpan>,
}

impl Start {
    /// The beginning of the series.
    pub(super) const BEGINNING: Self = Self {
        position: SeekPosition {
            rows: 0,
            after: None,
        },
        span: None,
    };
}

impl Series {
    /// The datasource's state.
    pub(super) fn state(&self, session: &mut dyn Session) -> Result<DatasourceState, ReadError> {
        let state = session.first(DATASOURCE, &[Value::Int(self.datasource)], |row| {
            Ok(DatasourceState {
                values: row.int(0)?.unwrap_or_default(),
                version: row.int(1)?.unwrap_or_default(),
            })
        })?;
        state.ok_or(ReadError::NotFound("datasource", self.datasource.into()))
    }

    /// Counts the values, with the help of idle readers.
    pub(super) fn partitioned_count(
        self: &Arc<Self>,
        session: &mut dyn Session,
        state: DatasourceState,
    ) -> Result<PartitionedCount, StoreError> {
        let Some(store) = &self.readers else {
            let period = self.period();
            let rows = self.count(session, period)?;
            return Ok(PartitionedCount::new(vec![(period, rows)]));
        };
        let deadline = Instant::now() + store.statement_budget();
        let (spans, readers) = if state.values < MIN_PARALLEL_VALUES {
            (vec![self.period()], 1)
        } else {
            let spans = self
                .occupied_span(session)?
                .map(|span| span.split(PARTITIONS));
            let processors = available_parallelism().map_or(1, usize::from);
            (spans.unwrap_or_default(), processors.min(MAX_READERS))
        };
        let counting = Arc::new(Counting::new(spans, deadline));
        for _ in 1..readers {
            let (series, counting) = (Arc::clone(self), Arc::clone(&counting));
            store.spawn_if_idle(move |session| {
                // This reader may have another snapshot; then it cannot help.
                if series.state(session).is_ok_and(|found| found == state) {
                    // An error is ignored here: `finish` counts the partition again and returns it.
                    drop(counting.help(|span| series.count(session, span)));
                }
            });
        }
        counting.finish(|span| self.count(session, span))
    }

    /// The number of rows in a time span.
    fn count(&self, session: &mut dyn Session, span: TimeSpan) -> Result<u64, StoreError> {
        let start = Start {
            span: Some(span),
            ..Start::BEGINNING
        };
        let statement = sql::count(
            &self.query,
            session.dialect().of_queries(),
            &self.scope(start, session),
        );
        Ok(super::count(session, &statement)?.unsigned_abs())
    }

    /// The period as a time span.
    fn period(&self) -> TimeSpan {
        TimeSpan {
            first: self.from.map_or(i64::MIN, |from| from.saturating_add(1)),
            last: self.to.map_or(i64::MAX, |to| to.saturating_sub(1)),
        }
    }

    /// The part of the period that has values; `None` if there are none.
    fn occupied_span(&self, session: &mut dyn Session) -> Result<Option<TimeSpan>, StoreError> {
        let ends = session.first(ENDS, &[Value::Int(self.datasource)], |row| {
            Ok(row.int(0)?.zip(row.int(1)?))
        })?;
        let period = self.period();
        let span = ends.flatten().map(|(first, last)| TimeSpan {
            first: first.max(period.first),
            last: last.min(period.last),
        });
        Ok(span.filter(|span| span.first <= span.last))
    }

    /// The conditions and the order for the rows after `start`.
    pub(super) fn scope(&self, start: Start, session: &dyn Session) -> Scope<'static> {
        let mut predicates = vec![Predicate::new(
            "{t}.datasource_id = ?",
            [sql::Value::Int(self.datasource)],
        )];
        let mut bound = |sql: &'static str, ticks: i64| {
            predicates.push(Predicate::new(sql, [sql::Value::Int(ticks)]));
        };
        // The closest bound on each side implies the others, and an engine seeks by only one.
        match (start.position.after, start.span, self.from) {
            // PostgreSQL cannot prune partitions by the pair below alone.
            (Some(after), ..) if session.capabilities().keyset_needs_first_bound() => {
                bound("{t}.value_date >= ?", after.value_date);
            }
            (None, Some(span), _) => bound("{t}.value_date >= ?", span.first),
            (None, None, Some(from)) => bound("{t}.value_date > ?", from),
            _ => {}
        }
        match (start.span, self.to) {
            (Some(span), _) => bound("{t}.value_date <= ?", span.last),
            (None, Some(to)) => bound("{t}.value_date < ?", to),
            (None, None) => {}
        }
        if let Some(SeekKey { value_date, id }) = start.position.after {
            let keys = [sql::Value::Int(value_date), sql::Value::Int(id)];
            predicates.push(Predicate::new("({t}.value_date, {t}.id) > (?, ?)", keys));
        }
        Scope {
            predicates,
            default_order: ORDER,
            ..Scope::default()
        }
    }
}
