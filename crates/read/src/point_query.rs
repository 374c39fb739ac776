//! One record by its id.
//!
//! Without options this is the most frequent read of the service: the statement and the encoder of its row
//! are made once, and it runs inline on the thread of the request.

use obeya_odata::Bound;
use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope};

use super::error::ReadError;
use super::list::Parent;
use super::outcome::ReadOutcome;
use super::record::{RecordForm, RecordPlan};
use super::request::{ReadRequest, with_context};
use super::row_encoder::RowEncoder;
use super::rows;
use super::sink::Sink;
use obeya_store::engine::Session;
use obeya_store::entity_sets::CONTAINER;

/// The initial capacity for a record, in bytes.
const INITIAL_CAPACITY: usize = 512;

/// Reads the records of an entity by id. Handlers have one in a `static`.
pub struct PointQuery {
    plan: RecordPlan,
    noun: &'static str,
}

impl PointQuery {
    /// A query for the records of an entity; `noun` is their kind in messages.
    pub const fn new(entity: &'static EntityType, noun: &'static str) -> Self {
        Self {
            plan: RecordPlan::new(RecordForm::of(entity)),
            noun,
        }
    }

    /// Prepares the record with this id and the query options of the request.
    pub fn prepare(
        &'static self,
        request: &ReadRequest<'_>,
        id: i32,
    ) -> Result<RecordRead, ReadError> {
        let source = if request.query.is_empty() {
            RecordSource::Plan(&self.plan)
        } else {
            RecordSource::Query(Box::new(request.record_query(self.plan.entity())?))
        };
        let context = request.context(|| {
            let set = CONTAINER.set_of(self.plan.entity())?;
            let query = match &source {
                RecordSource::Plan(plan) => plan.query(request.store.dialect()),
                RecordSource::Query(query) => query,
                RecordSource::Navigation { .. } => return None,
            };
            Some(csdl::record_context(set.name, query))
        });
        Ok(RecordRead {
            source,
            noun: self.noun,
            id,
            context,
        })
    }
}

/// A prepared record.
pub struct RecordRead {
    source: RecordSource,
    noun: &'static str,
    id: i32,
    context: Option<Vec<u8>>,
}

/// How to find the record.
enum RecordSource {
    /// By its id, with a fixed statement.
    Plan(&'static RecordPlan),
    /// By its id, with query options.
    Query(Box<Bound>),
    /// By a navigation from a record that must exist.
    Navigation {
        from: Parent,
        condition: Predicate,
        query: Box<Bound>,
    },
}

impl RecordRead {
    /// The target of a navigation, which is the record that meets the condition.
    pub(super) fn of_navigation(
        from: Parent,
        condition: Predicate,
        query: Bound,
        context: Option<Vec<u8>>,
    ) -> Self {
        Self {
            noun: "",
            id: 0,
            source: RecordSource::Navigation {
                from,
                condition,
                query: Box::new(query),
            },
            context,
        }
    }

    /// Whether it is one statement with the primary key alone.
    pub(super) fn is_look_up(&self) -> bool {
        matches!(self.source, RecordSource::Plan(_))
    }

    /// Reads the record.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        let record = match &self.source {
            RecordSource::Plan(plan) => plan.read(session, self.id)?,
            RecordSource::Query(query) => {
                let condition = Predicate::new("{t}.id = ?", [sql::Value::Int(self.id.into())]);
                read_where(session, query, condition, sink)?
            }
            RecordSource::Navigation {
                from,
                condition,
                query,
            } => {
                from.check(session)?;
                let Some(record) = read_where(session, query, condition.clone(), sink)? else {
                    return Ok(ReadOutcome::NoContent);
                };
                Some(record)
            }
        };
        let record = record.ok_or(ReadError::NotFound(self.noun, self.id.into()))?;
        sink.last(with_context(record, self.context.as_deref()));
        Ok(ReadOutcome::Record)
    }
}

/// The record that meets the condition, with its expanded records.
fn read_where(
    session: &mut dyn Session,
    query: &Bound,
    condition: Predicate,
    sink: &mut dyn Sink,
) -> Result<Option<Vec<u8>>, ReadError> {
    let scope = Scope {
        predicates: vec![condition],
        ..Scope::default()
    };
    let statement = sql::select(query, session.dialect().of_queries(), &scope);
    let mut out = Vec::with_capacity(INITIAL_CAPACITY);
    let rows = rows::RowQuery {
        query,
        encoder: &RowEncoder::of(query),
        statements: std::slice::from_ref(&statement),
        keys: &[],
        limit: 1,
        read: 1,
    };
    let found = rows::write_rows(session, rows, sink, &mut out)?;
    Ok((found.rows > 0).then_some(out))
}
