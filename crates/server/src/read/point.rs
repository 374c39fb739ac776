//! One record by its id.
//!
//! Without options this is the busiest read of the service: the statement and the encoder of its row are made once, and it runs inline on the caller's thread.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope, Statement};
use obeya_odata::{Bound, Context, Limits, Options};

use super::error::ReadError;
use super::prepared::{Found, Prepared};
use super::related::Related;
use super::request::{ReadRequest, with_context};
use super::row_encoder::RowEncoder;
use super::sink::Sink;
use super::time::TimestampFormatter;
use super::{binds, level};
use crate::entity_sets::CONTAINER;
use crate::store::engine::{Dialect, Session, StoreError, Value};

/// Room for the record of any entity with texts of usual length.
const USUAL_BYTES: usize = 512;
/// Stands for the id in the statement made ahead.
const ID: i64 = i64::MIN;

/// How the records of an entity are read by id. A `static` of the handler.
pub(crate) struct Point {
    entity: &'static EntityType,
    noun: &'static str,
    /// One for each dialect.
    plans: [OnceLock<Plan>; Dialect::ALL.len()],
}

struct Plan {
    query: Bound,
    statement: Statement,
    encoder: RowEncoder,
}

impl Point {
    /// A reader of an entity's records; `noun` names one in messages.
    pub(crate) const fn new(entity: &'static EntityType, noun: &'static str) -> Self {
        Self {
            entity,
            noun,
            plans: [const { OnceLock::new() }; Dialect::ALL.len()],
        }
    }

    /// The record with this id, as the query options ask.
    pub(crate) fn prepare(
        &'static self,
        request: &ReadRequest<'_>,
        id: i32,
    ) -> Result<Prepared, ReadError> {
        let by = if request.query.is_empty() {
            let dialect = request.store.dialect();
            By::Plan(self.plans[dialect as usize].get_or_init(|| Plan::of(self.entity, dialect)))
        } else {
            By::Query(Box::new(request.record_query(self.entity)?))
        };
        let context = request.context(|| {
            let set = CONTAINER.set_of(self.entity)?;
            let query = match &by {
                By::Plan(plan) => &plan.query,
                By::Query(query) => query,
                By::Related(..) => return None,
            };
            Some(csdl::record_context(set.name, query))
        });
        Ok(Prepared::Record(RecordRead {
            by,
            noun: self.noun,
            id: id.into(),
            context,
        }))
    }
}

/// One record, ready to be read.
pub(crate) struct RecordRead {
    by: By,
    noun: &'static str,
    id: i64,
    context: Option<Vec<u8>>,
}

/// How the record is found.
enum By {
    /// By its id, with a statement made ahead.
    Plan(&'static Plan),
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
                let statement = by_id(query, session.dialect(), self.id);
                read_with(session, query, &statement)?
            }
            By::Related(related, query) => {
                let Some(record) = related.read(session, query)? else {
                    return Ok(Found::Nothing);
                };
                Some(record)
            }
        };
        let record = record.ok_or(ReadError::NotFound(self.noun, self.id))?;
        sink.last(with_context(record, self.context.as_deref()));
        Ok(Found::Record)
    }
}

impl Plan {
    fn of(entity: &'static EntityType, dialect: Dialect) -> Self {
        let context = Context {
            now: 0,
            limits: Limits::default(),
        };
        let query = Options::default()
            .bind(entity, &context)
            .expect("a query without options has nothing that can be wrong");
        Self {
            statement: by_id(&query, dialect, ID),
            encoder: RowEncoder::of(&query),
            query,
        }
    }

    fn read(&self, session: &mut dyn Session, id: i64) -> Result<Option<Vec<u8>>, StoreError> {
        let mut binds = binds(&self.statement);
        for value in &mut binds {
            if *value == Value::Int(ID) {
                *value = Value::Int(id);
            }
        }
        let mut record = None;
        session.query(&self.statement.sql, &binds, &mut |row| {
            let mut out = Vec::with_capacity(USUAL_BYTES);
            out.push(b'{');
            self.encoder
                .write(&mut out, row, &mut TimestampFormatter::new())?;
            out.push(b'}');
            record = Some(out);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(record)
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
