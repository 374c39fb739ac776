//! One record by its id.
//!
//! Without options this is the busiest read of the service: the statement and the shape of its row are made once, and it runs inline on the caller's thread.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use axum::response::Response;
use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope, Statement};
use obeya_odata::{Bound, Context, Limits, Options};

use super::shape::Shape;
use super::time::Clockwork;
use super::{binds, context, level, options};
use crate::entity_sets::CONTAINER;
use crate::http::call::Call;
use crate::http::problem::Problem;
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
    shape: Shape,
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

    /// Answers with the record whose id the path holds, as the query options ask; 404 when there is none.
    pub(crate) async fn answer(&'static self, call: Call) -> Result<Response, Problem> {
        let id = call.id()?;
        let context;
        let record = if call.query().is_empty() {
            let dialect = call.app.store.dialect();
            let plan = self.plans[dialect as usize].get_or_init(|| Plan::of(self.entity, dialect));
            context = self.context(&call, &plan.query);
            call.app
                .store
                .point(move |session| plan.read(session, id.into()))
                .await?
        } else {
            let query = options::record_query(&call, self.entity)?;
            context = self.context(&call, &query);
            call.app
                .store
                .read_inline(move |session| {
                    let statement = by_id(&query, session.dialect(), id.into());
                    read_with(session, &query, &statement)
                })
                .await?
        };
        match record {
            Some(record) => Ok(call.reply_record(context::open(record, context))),
            None => Err(Problem::not_found(self.noun, id)),
        }
    }

    fn context(&self, call: &Call, query: &Bound) -> Option<Vec<u8>> {
        context::member(call, || {
            let set = CONTAINER.set_of(self.entity)?;
            Some(csdl::record_context(set.name, query))
        })
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
            shape: Shape::of(&query),
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
            self.shape.write(&mut out, row, &mut Clockwork::new())?;
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
) -> Result<Option<Vec<u8>>, Problem> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    let rows = level::Rows {
        query,
        shape: &Shape::of(query),
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
