//! The lists: a page of a v2 list with its count and next link, and the trash page of v1.

use axum::response::Response;
use obeya_odata::Bound;
use obeya_odata::edm::{Column, EntityType};
use obeya_odata::sql::{self, Direction, Predicate, Scope};

use super::link::Address;
use super::{DIALECT, binds, json, level, options};
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
        let query = options::query(&call, entity)?;
        let limit = call.app.config.limits.page_records;
        Self::new(query, limit).respond(call).await
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
        let address = Address::of(&call);
        let bytes = call
            .app
            .store
            .brief(move |session| self.v2(session, &address))
            .await?;
        Ok(call.reply(bytes))
    }

    /// Answers in the shape of the trash: `total`, `page` and `values`. There is no further page to ask for, so `total` tells when the limit cut it.
    pub(crate) async fn respond_as_trash(self, call: Call) -> Result<Response, Problem> {
        let bytes = call
            .app
            .store
            .brief(move |session| self.trash(session))
            .await?;
        Ok(call.reply(bytes))
    }

    fn v2(&self, session: &mut dyn Session, address: &Address) -> Result<Vec<u8>, Problem> {
        if let Some(parent) = &self.parent {
            let found = session.first(parent.exists, &[Value::Int(parent.id)], |_| Ok(()))?;
            found.ok_or_else(|| Problem::not_found(parent.noun, parent.id))?;
        }
        let mut out = Vec::with_capacity(USUAL_BYTES);
        out.push(b'{');
        if self.query.count() {
            out.extend_from_slice(b"\"@odata.count\":");
            json::int(&mut out, self.count(session)?);
            out.push(b',');
        }
        out.extend_from_slice(b"\"value\":[");
        let more = self.rows(session, &mut out)?;
        out.push(b']');
        if more {
            out.extend_from_slice(b",\"@odata.nextLink\":");
            let top = self.query.top().map(|top| top - self.limit);
            json::string(&mut out, &address.page(self.query.skip() + self.limit, top));
        }
        out.push(b'}');
        Ok(out)
    }

    fn trash(&self, session: &mut dyn Session) -> Result<Vec<u8>, Problem> {
        let mut out = b"{\"total\":".to_vec();
        json::int(&mut out, self.count(session)?);
        out.extend_from_slice(b",\"page\":1,\"values\":[");
        self.rows(session, &mut out)?;
        out.extend_from_slice(b"]}");
        Ok(out)
    }

    /// Writes the rows of the page; whether there are more than the limit let through. One row beyond the limit is asked for to know.
    fn rows(&self, session: &mut dyn Session, out: &mut Vec<u8>) -> Result<bool, Problem> {
        let scope = Scope {
            limit: Some(self.limit + 1),
            ..self.scope()
        };
        let statement = sql::select(&self.query, DIALECT, &scope);
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let found = level::write_rows(session, &self.query, &statement, limit, out)?;
        Ok(found > limit)
    }

    fn count(&self, session: &mut dyn Session) -> Result<i64, Problem> {
        let statement = sql::count(&self.query, DIALECT, &self.scope());
        let count = session.first(&statement.sql, &binds(&statement), |row| row.int(0))?;
        Ok(count.flatten().unwrap_or_default())
    }

    fn scope(&self) -> Scope<'static> {
        Scope {
            predicates: self.predicates.clone(),
            default_column: self.order,
            ..Scope::default()
        }
    }
}
