//! The values of one datasource that a request asks for, as statements, and their number.
//!
//! Which page of them is wanted is not known here.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use obeya_odata::Bound;
use obeya_odata::sql::{self, Direction, Predicate, Scope};

use super::error::ReadError;
use super::partitioned_count::{Counting, PartitionedCount, Span};
use super::seek_cache::{Place, SeekKey};
use obeya_store::Store;
use obeya_store::engine::{Session, StoreError, Value};

/// The order of values when none is asked for; the id breaks ties.
const ORDER: &[(&str, Direction)] = &[("valueDate", Direction::Ascending)];
const DATASOURCE: &str = "SELECT value_count, change_counter FROM datasources WHERE id = ?1";
/// Two look-ups at the ends of the primary key.
const ENDS: &str =
    "SELECT (SELECT min(value_date) FROM datasource_values WHERE datasource_id = ?1),
    (SELECT max(value_date) FROM datasource_values WHERE datasource_id = ?1)";
/// Stretches that a large datasource is counted in: enough that readers end together, and that what a rare
/// match costs to find again is little.
const STRETCHES: i64 = 64;
/// Values from which it is worth while to count by several readers: some milliseconds for one.
const LARGE: i64 = 50_000;
/// Readers that count together at most.
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
    /// Whose readers may help to count, if they are free.
    pub(super) readers: Option<Store>,
}

/// A datasource as it is in one snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    /// All its values.
    pub(super) values: i64,
    /// Moves with every change of its values.
    pub(super) version: i64,
}

/// Where in a series to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// The place after which reading starts.
    pub(super) place: Place,
    /// The time that holds the rows, if it is known more closely than the period.
    pub(super) span: Option<Span>,
}

impl Start {
    /// The beginning of the series.
    pub(super) const BEGINNING: Self = Self {
        place: Place {
            rows: 0,
            after: None,
        },
        span: None,
    };
}

impl Series {
    /// The datasource's state.
    pub(super) fn state(&self, session: &mut dyn Session) -> Result<State, ReadError> {
        let state = session.first(DATASOURCE, &[Value::Int(self.datasource)], |row| {
            Ok(State {
                values: row.int(0)?.unwrap_or_default(),
                version: row.int(1)?.unwrap_or_default(),
            })
        })?;
        state.ok_or(ReadError::NotFound("datasource", self.datasource))
    }

    /// Counts the values, together with the readers that are free.
    pub(super) fn partitioned_count(
        self: &Arc<Self>,
        session: &mut dyn Session,
        state: State,
    ) -> Result<PartitionedCount, StoreError> {
        let Some(store) = &self.readers else {
            let period = self.period();
            let rows = self.count(session, period)?;
            return Ok(PartitionedCount::new(vec![(period, rows)]));
        };
        let deadline = Instant::now() + store.statement_budget();
        let (spans, readers) = if state.values < LARGE {
            (vec![self.period()], 1)
        } else {
            let spans = self.span(session)?.map(|span| span.cut(STRETCHES));
            let processors = available_parallelism().map_or(1, usize::from);
            (spans.unwrap_or_default(), processors.min(MAX_READERS))
        };
        let counting = Arc::new(Counting::new(spans, deadline));
        for _ in 1..readers {
            let (series, counting) = (Arc::clone(self), Arc::clone(&counting));
            store.spawn_if_idle(move |session| {
                // What this reader sees may be another state of the data; then it can't help.
                if series.state(session).is_ok_and(|found| found == state) {
                    // A fault is left to who finishes: it meets it again.
                    drop(counting.help(|span| series.count(session, span)));
                }
            });
        }
        counting.finish(|span| self.count(session, span))
    }

    /// The rows in a stretch of time.
    fn count(&self, session: &mut dyn Session, span: Span) -> Result<u64, StoreError> {
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

    /// The period, as far as it goes.
    fn period(&self) -> Span {
        Span {
            first: self.from.map_or(i64::MIN, |from| from.saturating_add(1)),
            last: self.to.map_or(i64::MAX, |to| to.saturating_sub(1)),
        }
    }

    /// The part of the period in which there are values; `None` when there are none.
    fn span(&self, session: &mut dyn Session) -> Result<Option<Span>, StoreError> {
        let ends = session.first(ENDS, &[Value::Int(self.datasource)], |row| {
            Ok(row.int(0)?.zip(row.int(1)?))
        })?;
        let period = self.period();
        let span = ends.flatten().map(|(first, last)| Span {
            first: first.max(period.first),
            last: last.min(period.last),
        });
        Ok(span.filter(|span| span.first <= span.last))
    }

    /// The conditions and the order, from a start on.
    pub(super) fn scope(&self, start: Start, session: &dyn Session) -> Scope<'static> {
        let mut predicates = vec![Predicate::new(
            "{t}.datasource_id = ?",
            [sql::Value::Int(self.datasource)],
        )];
        let mut bound = |sql: &'static str, ticks: i64| {
            predicates.push(Predicate::new(sql, [sql::Value::Int(ticks)]));
        };
        // The closest bound on each side implies the others, and an engine seeks by one only.
        match (start.place.after, start.span, self.from) {
            // By the pair below alone PostgreSQL does not see which partitions it can pass over.
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
        if let Some(SeekKey { value_date, id }) = start.place.after {
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
