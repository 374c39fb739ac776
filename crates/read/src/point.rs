//! One record by its id.
//!
//! Without options this is the busiest read of the service: the statement and the encoder of its row are made
//! once, and it runs inline on the caller's thread.

use obeya_odata::Bound;
use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope};

use super::error::ReadError;
use super::found::Found;
use super::level;
use super::list::Parent;
use super::record::{Form, RecordPlan};
use super::request::{ReadRequest, with_context};
use super::row_encoder::RowEncoder;
use super::sink::Sink;
use obeya_store::engine::Session;
use obeya_store::entity_sets::CONTAINER;

/// Room for the record of any entity with texts of usual length.
const USUAL_BYTES: usize = 512;

/// How the records of an entity are read by id. A `static` of the handler.
pub struct Point {
    plan: RecordPlan,
    noun: &'static str,
}

impl Point {
    /// A reader of an entity's records; `noun` names one in messages.
    pub const fn new(entity: &'static EntityType, noun: &'static str) -> Self {
        Self {
            plan: RecordPlan::new(Form::of(entity)),
            noun,
        }
    }

    /// The record with this id, as the query options ask.
    pub fn prepare(
        &'static self,
        request: &ReadRequest<'_>,
        id: i32,
    ) -> Result<RecordRead, ReadError> {
        let by = if request.query.is_empty() {
            By::Plan(&self.plan)
        } else {
            By::Query(Box::new(request.record_query(self.plan.entity())?))
        };
        let context = request.context(|| {
            let set = CONTAINER.set_of(self.plan.entity())?;
            let query = match &by {
                By::Plan(plan) => plan.query(request.store.dialect()),
                By::Query(query) => query,
                By::Navigation { .. } => return None,
            };
            Some(csdl::record_context(set.name, query))
        });
        Ok(RecordRead {
            by,
            noun: self.noun,
            id,
            context,
        })
    }
}

/// One record, ready to be read.
pub struct RecordRead {
    by: By,
    noun: &'static str,
    id: i32,
    context: Option<Vec<u8>>,
}

/// How the record is found.
enum By {
    /// By its id, with a statement made ahead.
    Plan(&'static RecordPlan),
    /// By its id.
    Query(Box<Bound>),
    /// By a navigation to it, from a record that must exist.
    Navigation {
        from: Parent,
        condition: Predicate,
        query: Box<Bound>,
    },
}

impl RecordRead {
    /// The record that a navigation leads to, if it leads to one: the record with this condition.
    pub(super) fn of_navigation(
        from: Parent,
        condition: Predicate,
        query: Bound,
        context: Option<Vec<u8>>,
    ) -> Self {
        Self {
            noun: "",
            id: 0,
            by: By::Navigation {
                from,
                condition,
                query: Box::new(query),
            },
            context,
        }
    }

    /// Whether it is one statement by the primary key.
    pub(super) fn is_look_up(&self) -> bool {
        matches!(self.by, By::Plan(_))
    }

    /// Reads the record.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        sink: &mut dyn Sink,
    ) -> Result<Found, ReadError> {
        let record = match &self.by {
            By::Plan(plan) => plan.read(session, self.id)?,
            By::Query(query) => {
                let condition = Predicate::new("{t}.id = ?", [sql::Value::Int(self.id.into())]);
                read_where(session, query, condition)?
            }
            By::Navigation {
                from,
                condition,
                query,
            } => {
                from.check(session)?;
                let Some(record) = read_where(session, query, condition.clone())? else {
                    return Ok(Found::Nothing);
                };
                Some(record)
            }
        };
        let record = record.ok_or(ReadError::NotFound(self.noun, self.id.into()))?;
        sink.last(with_context(record, self.context.as_deref()));
        Ok(Found::Record)
    }
}

/// The record with this condition, with everything the query expands in it.
fn read_where(
    session: &mut dyn Session,
    query: &Bound,
    condition: Predicate,
) -> Result<Option<Vec<u8>>, ReadError> {
    let scope = Scope {
        predicates: vec![condition],
        ..Scope::default()
    };
    let statement = sql::select(query, session.dialect().of_queries(), &scope);
    let mut out = Vec::with_capacity(USUAL_BYTES);
    let rows = level::Rows {
        query,
        encoder: &RowEncoder::of(query),
        statements: std::slice::from_ref(&statement),
        keys: &[],
        limit: 1,
        read: 1,
    };
    let found = level::write_rows(session, rows, &mut out)?;
    Ok((found.rows > 0).then_some(out))
}
