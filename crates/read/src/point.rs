//! One record by its id.
//!
//! Without options this is the busiest read of the service: the statement and the encoder of its row are made once, and it runs inline on the caller's thread.

use obeya_odata::Bound;
use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope, Statement};

use super::error::ReadError;
use super::level;
use super::prepared::{Found, Prepared};
use super::record::RecordPlan;
use super::records::Form;
use super::related::Related;
use super::request::{ReadRequest, with_context};
use super::row_encoder::RowEncoder;
use super::sink::Sink;
use obeya_store::engine::{Dialect, Session};
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
    ) -> Result<Prepared, ReadError> {
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
                By::Related(..) => return None,
            };
            Some(csdl::record_context(set.name, query))
        });
        Ok(Prepared::Record(RecordRead {
            by,
            noun: self.noun,
            id,
            context,
        }))
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
    /// By a navigation to it.
    Related(Box<Related>, Box<Bound>),
}

impl RecordRead {
    /// The record that a navigation leads to.
    pub(super) fn related(related: Related, query: Bound, context: Option<Vec<u8>>) -> Self {
        Self {
            noun: "",
            id: 0,
            by: By::Related(Box::new(related), Box::new(query)),
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
                let statement = by_id(query, session.dialect(), self.id.into());
                read_with(session, query, &statement)?
            }
            By::Related(related, query) => {
                let Some(record) = related.read(session, query)? else {
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

/// The record that a statement of the query gives, with everything the query expands in it.
pub(super) fn read_with(
    session: &mut dyn Session,
    query: &Bound,
    statement: &Statement,
) -> Result<Option<Vec<u8>>, ReadError> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    let rows = level::Rows {
        query,
        encoder: &RowEncoder::of(query),
        statements: std::slice::from_ref(statement),
        keys: &[],
        limit: 1,
        read: 1,
    };
    let found = level::write_rows(session, rows, &mut out)?;
    Ok((found.rows > 0).then_some(out))
}

fn by_id(query: &Bound, dialect: Dialect, id: i64) -> Statement {
    let scope = Scope {
        predicates: vec![Predicate::new("{t}.id = ?", [sql::Value::Int(id)])],
        ..Scope::default()
    };
    sql::select(query, dialect.of_queries(), &scope)
}
