//! The lists: a page of a v2 list with its count and next link, and the trash page of v1.

use std::sync::Arc;

use axum::response::Response;
use obeya_odata::Bound;
use obeya_odata::edm::{Column, EntityType};
use obeya_odata::sql::{Direction, Predicate, Scope};

use super::compiled::Compiled;
use super::link::Address;
use super::{binds, json, level, options};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::engine::{Session, Value};

/// Room for a list of usual length.
const USUAL_BYTES: usize = 16 << 10;

/// A list to read.
pub(crate) struct List {
    query: Bound,
    predicates: Vec<Predicate>,
    parent: Option<Parent>,
    /// The order when none is asked for, before the id.
    order: Option<(Column, Direction)>,
    /// Records of one page at most.
    limit: u64,
}

/// The record in the path that the list hangs under; without it the answer is 404.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// What it is called in messages.
    pub(crate) noun: &'static str,
    /// A statement that gives a row if it exists; its id is `?1`.
    pub(crate) exists: &'static str,
    /// Its id.
    pub(crate) id: i64,
}

impl List {
    /// A list of what matches the query, in pages of at most `limit` records.
    pub(crate) fn new(query: Bound, limit: u32) -> Self {
        Self {
            query,
            predicates: Vec::new(),
            parent: None,
            order: None,
            limit: limit.into(),
        }
    }

    /// Answers a v2 list with every query option.
    pub(crate) async fn answer(
        call: Call,
        entity: &'static EntityType,
    ) -> Result<Response, Problem> {
        let make = || {
            let query = options::query(&call, entity)?;
            let list = Self::new(query, call.app.config.limits.page_records);
            Ok(list.compiled())
        };
        let compiled = call.app.memory.queries.get(entity, call.query(), make)?;
        respond(call, compiled, None).await
    }

    /// Only rows that hold to this as well.
    pub(crate) fn only(mut self, predicate: Predicate) -> Self {
        self.predicates.push(predicate);
        self
    }

    /// In this order, unless the caller asks for one.
    pub(crate) fn ordered(mut self, column: Column, direction: Direction) -> Self {
        self.order = Some((column, direction));
        self
    }

    /// Only under a record that exists.
    pub(crate) fn under(mut self, parent: Parent) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Answers in the shape of v2: `@odata.count` if asked for, `value`, and `@odata.nextLink` if there is more.
    pub(crate) async fn respond(self, call: Call) -> Result<Response, Problem> {
        let parent = self.parent;
        respond(call, Arc::new(self.compiled()), parent).await
    }

    /// Answers in the shape of the trash: `total`, `page` and `values`. There is no further page to ask for, so `total` tells when the limit cut it.
    pub(crate) async fn respond_as_trash(self, call: Call) -> Result<Response, Problem> {
        let compiled = self.compiled();
        let bytes = call
            .app
            .store
            .brief(move |session| trash(session, &compiled))
            .await?;
        Ok(call.reply(bytes))
    }

    fn compiled(self) -> Compiled {
        let scope = Scope {
            predicates: self.predicates,
            default_column: self.order,
            ..Scope::default()
        };
        Compiled::new(self.query, scope, self.limit)
    }
}

async fn respond(
    call: Call,
    compiled: Arc<Compiled>,
    parent: Option<Parent>,
) -> Result<Response, Problem> {
    let work = Arc::clone(&compiled);
    let (mut out, more) = call
        .app
        .store
        .brief(move |session| v2(session, &work, parent))
        .await?;
    if more {
        out.extend_from_slice(b",\"@odata.nextLink\":");
        let Compiled { query, limit, .. } = &*compiled;
        let top = query.top().map(|top| top - limit);
        let link = Address::of(&call).page(query.skip() + limit, top);
        json::string(&mut out, &link);
    }
    out.push(b'}');
    Ok(call.reply(out))
}

/// The answer up to its list, and whether there is more.
fn v2(
    session: &mut dyn Session,
    compiled: &Compiled,
    parent: Option<Parent>,
) -> Result<(Vec<u8>, bool), Problem> {
    if let Some(parent) = parent {
        let found = session.first(parent.exists, &[Value::Int(parent.id)], |_| Ok(()))?;
        found.ok_or_else(|| Problem::not_found(parent.noun, parent.id))?;
    }
    let mut out = Vec::with_capacity(USUAL_BYTES);
    out.push(b'{');
    if compiled.query.count() {
        out.extend_from_slice(b"\"@odata.count\":");
        json::int(&mut out, count(session, compiled)?);
        out.push(b',');
    }
    out.extend_from_slice(b"\"value\":[");
    let more = rows(session, compiled, &mut out)?;
    out.push(b']');
    Ok((out, more))
}

fn trash(session: &mut dyn Session, compiled: &Compiled) -> Result<Vec<u8>, Problem> {
    let mut out = b"{\"total\":".to_vec();
    json::int(&mut out, count(session, compiled)?);
    out.extend_from_slice(b",\"page\":1,\"values\":[");
    rows(session, compiled, &mut out)?;
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// Writes the rows of the page; whether there are more than the limit let through.
fn rows(
    session: &mut dyn Session,
    compiled: &Compiled,
    out: &mut Vec<u8>,
) -> Result<bool, Problem> {
    let Compiled {
        query,
        rows,
        shape,
        limit,
        ..
    } = compiled;
    let limit = usize::try_from(*limit).unwrap_or(usize::MAX);
    let found = level::write_rows(session, query, shape, rows, limit, out)?;
    Ok(found > limit)
}

fn count(session: &mut dyn Session, compiled: &Compiled) -> Result<i64, Problem> {
    let statement = &compiled.count;
    let count = session.first(&statement.sql, &binds(statement), |row| row.int(0))?;
    Ok(count.flatten().unwrap_or_default())
}
