//! The lists: a page of a v2 list with its count and next link, and the trash page of v1.

use std::borrow::Cow;
use std::sync::Arc;

use axum::response::Response;
use obeya_odata::csdl;
use obeya_odata::edm::{Column, EntityType};
use obeya_odata::sql::{self, Direction, Predicate, Scope};
use obeya_odata::{Bound, OptionName, Options};

use super::compiled::{Compiled, Window};
use super::level::Found;
use super::link::Address;
use super::position::{Key, Position, refusal};
use super::{binds, context, count, counting, json, level, options};
use crate::entity_sets::CONTAINER;
use crate::http::call::Call;
use crate::http::extract::{PREFERENCE_APPLIED, max_page_size};
use crate::http::problem::Problem;
use crate::store::engine::{Session, StoreError, Value};

/// Room for a list of usual length.
const USUAL_BYTES: usize = 16 << 10;

/// A list to read.
pub(crate) struct List {
    entity: &'static EntityType,
    options: Options,
    predicates: Vec<Predicate>,
    parent: Option<Parent>,
    /// The order when none is asked for, before the id.
    order: Option<(Column, Direction)>,
    /// Records of one page at most.
    limit: u32,
}

/// The record in the path that the list hangs under; without it the answer is 404.
#[derive(Debug, Clone)]
pub(crate) struct Parent {
    /// What it is called in messages.
    pub(crate) noun: &'static str,
    /// A statement that gives a row if it exists; its id is `?1`.
    pub(crate) exists: Cow<'static, str>,
    /// Its id.
    pub(crate) id: i64,
    /// The set or path that the list's records are known under, if that is not the set of their type.
    pub(crate) source: Option<String>,
}

impl Parent {
    /// 404 unless it exists.
    pub(super) fn check(&self, session: &mut dyn Session) -> Result<(), Problem> {
        let found = session.first(&self.exists, &[Value::Int(self.id)], |_| Ok(()))?;
        found.ok_or_else(|| Problem::not_found(self.noun, self.id))
    }
}

impl List {
    /// A list with these options of an entity, in pages of at most `limit` records.
    pub(crate) fn new(
        call: &Call,
        entity: &'static EntityType,
        allowed: &[OptionName],
        limit: u32,
    ) -> Result<Self, Problem> {
        let (options, _) = options::written(call, allowed)?;
        Ok(Self {
            entity,
            options,
            predicates: Vec::new(),
            parent: None,
            order: None,
            limit,
        })
    }

    /// A v2 list, with every option.
    pub(crate) fn v2(call: &Call, entity: &'static EntityType) -> Result<Self, Problem> {
        Self::new(
            call,
            entity,
            OptionName::PAGED,
            call.app.config.limits.page_records,
        )
    }

    /// Answers a v2 list that hangs under nothing.
    pub(crate) async fn answer(
        call: Call,
        entity: &'static EntityType,
    ) -> Result<Response, Problem> {
        if max_page_size(call.headers()).is_some() {
            return Self::v2(&call, entity)?.respond(call).await;
        }
        let queries = &call.app.memory.queries;
        if let Some(compiled) = queries.find(entity, call.query()) {
            return respond(call, compiled, None).await;
        }
        let list = Self::v2(&call, entity)?;
        // Whose token it is seldom asks for the same again.
        if list.options.skip_token.is_some() {
            return list.respond(call).await;
        }
        let compiled = Arc::new(list.beginning(&call)?);
        if !compiled.query.asks_the_time() {
            queries.remember(entity, call.query(), &compiled);
        }
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
        let preferred = max_page_size(call.headers());
        let position = self.position(&call)?;
        let now = position
            .as_ref()
            .map_or_else(|| call.now(), |position| position.now);
        let query = options::bind(&call, &self.options, self.entity, now)?;
        let after = match &position {
            Some(position) => Some(self.settle(&call, &query, position).await?),
            None => None,
        };
        let asked = preferred.as_ref().map(|(size, _)| *size);
        let size = asked.or(position.as_ref().and_then(|position| position.page_size));
        let window = Window {
            limit: size.map_or(self.limit, |size| size.min(self.limit)).into(),
            left: position.map_or(query.top(), |position| position.left),
            preferred: size,
            now,
        };
        let compiled = self.compiled(call.app.dialect(), query, after.as_deref(), window)?;
        let mut response = respond(call, Arc::new(compiled), self.parent).await?;
        if let Some((_, applied)) = preferred {
            response.headers_mut().insert(PREFERENCE_APPLIED, applied);
        }
        Ok(response)
    }

    /// Answers with the number of entities that match, as text. Options that say which of them to give out, and how, change nothing.
    pub(crate) async fn count(self, call: Call) -> Result<Response, Problem> {
        let query = options::bind(&call, &self.options, self.entity, call.now())?;
        let counted = counting(&query, call.app.dialect(), &self.scope());
        let number = call
            .app
            .store
            .read_inline(move |session| {
                if let Some(parent) = &self.parent {
                    parent.check(session)?;
                }
                Ok::<_, Problem>(count(session, &counted)?)
            })
            .await?;
        Ok(call.reply(number.to_string()))
    }

    /// Answers in the shape of the trash: `total`, `page` and `values`. There is no further page to ask for, so `total` tells when the limit cut it.
    pub(crate) async fn respond_as_trash(self, call: Call) -> Result<Response, Problem> {
        let compiled = self.beginning(&call)?;
        let bytes = call
            .app
            .store
            .read_inline(move |session| trash(session, &compiled))
            .await?;
        Ok(call.reply(bytes))
    }

    /// Where the page before this one ended.
    fn position(&self, call: &Call) -> Result<Option<Position>, Problem> {
        let Some(token) = &self.options.skip_token else {
            return Ok(None);
        };
        if self.options.skip.is_some_and(|skip| skip > 0) {
            return Err(refusal("it says where to go on, so `$skip` can't be added"));
        }
        let list = name(self.entity, self.parent.as_ref(), &self.options.listing());
        call.app.links.read(&list, token).map(Some)
    }

    /// The values of a position's keys, those of its row where the link did not hold them.
    async fn settle(
        &self,
        call: &Call,
        query: &Bound,
        position: &Position,
    ) -> Result<Vec<sql::Value>, Problem> {
        let mut row = None;
        if position.keys.iter().any(|key| matches!(key, Key::Long(_))) {
            let page = sql::page(query, call.app.dialect(), &self.scope());
            let Some(Key::Value(id)) = position.keys.get(page.unique) else {
                return Err(gone());
            };
            let mut scope = self.scope();
            scope
                .predicates
                .push(Predicate::new("{t}.id = ?", [id.clone()]));
            let page = sql::page(query, call.app.dialect(), &scope);
            row = call
                .app
                .store
                .read_inline(move |session| keys_of(session, &page))
                .await?;
        }
        let settle = |(at, key): (usize, &Key)| {
            let of_row = row.as_ref().and_then(|keys| keys.get(at));
            key.settle(of_row).ok_or_else(gone)
        };
        position.keys.iter().enumerate().map(settle).collect()
    }

    /// The first page, of the usual size.
    fn beginning(&self, call: &Call) -> Result<Compiled, Problem> {
        let now = call.now();
        let query = options::bind(call, &self.options, self.entity, now)?;
        let window = Window {
            limit: self.limit.into(),
            left: query.top(),
            preferred: None,
            now,
        };
        self.compiled(call.app.dialect(), query, None, window)
    }

    fn compiled(
        &self,
        dialect: &dyn sql::Dialect,
        query: Bound,
        after: Option<&[sql::Value]>,
        window: Window,
    ) -> Result<Compiled, Problem> {
        let listing = self.options.listing();
        Compiled::new(query, listing, dialect, self.scope(), after, window).ok_or_else(gone)
    }

    fn scope(&self) -> Scope<'static> {
        Scope {
            predicates: self.predicates.clone(),
            default_column: self.order,
            ..Scope::default()
        }
    }
}

/// 400 for a place that can't be found again.
fn gone() -> Problem {
    refusal("the row it goes on after is gone or changed; begin the list again")
}

/// What a list's positions are signed with: the list, whichever way it was asked for.
fn name(entity: &EntityType, parent: Option<&Parent>, listing: &str) -> String {
    let parent = parent.map(|parent| (parent.id, &parent.source));
    format!("{} {parent:?} {listing}", entity.name)
}

async fn respond(
    call: Call,
    compiled: Arc<Compiled>,
    parent: Option<Parent>,
) -> Result<Response, Problem> {
    let query = &compiled.query;
    let context = context::member(&call, || {
        let own = parent.as_ref().and_then(|parent| parent.source.as_deref());
        let of_set = || Some(CONTAINER.set_of(query.entity())?.name);
        Some(csdl::list_context(own.or_else(of_set)?, query))
    });
    let work = Arc::clone(&compiled);
    let under = parent.clone();
    let (mut out, next) = call
        .app
        .store
        .read_inline(move |session| v2(session, &work, under.as_ref(), context.as_deref()))
        .await?;
    if let Some(position) = next {
        out.extend_from_slice(b",\"@odata.nextLink\":");
        let list = name(compiled.query.entity(), parent.as_ref(), &compiled.listing);
        let token = call.app.links.write(&list, &position);
        json::string(&mut out, &Address::of(&call).after(&token));
    }
    out.push(b'}');
    Ok(call.reply(out))
}

/// The answer up to its list, and where to go on.
fn v2(
    session: &mut dyn Session,
    compiled: &Compiled,
    parent: Option<&Parent>,
    context: Option<&[u8]>,
) -> Result<(Vec<u8>, Option<Position>), Problem> {
    if let Some(parent) = parent {
        parent.check(session)?;
    }
    let mut out = Vec::with_capacity(USUAL_BYTES);
    out.push(b'{');
    if let Some(context) = context {
        out.extend_from_slice(context);
        out.push(b',');
    }
    if compiled.query.count() {
        out.extend_from_slice(b"\"@odata.count\":");
        json::int(&mut out, compiled.count.get(session)?);
        out.push(b',');
    }
    out.extend_from_slice(b"\"value\":[");
    let found = rows(session, compiled, &mut out)?;
    out.push(b']');
    let Window {
        limit,
        left,
        preferred,
        now,
    } = compiled.window;
    let more = found.rows as u64 > limit;
    let next = more.then(|| Position {
        keys: found.last.into_iter().map(Key::of).collect(),
        left: left.map(|left| left - limit),
        page_size: preferred,
        now,
    });
    Ok((out, next))
}

fn trash(session: &mut dyn Session, compiled: &Compiled) -> Result<Vec<u8>, Problem> {
    let mut out = b"{\"total\":".to_vec();
    json::int(&mut out, compiled.count.get(session)?);
    out.extend_from_slice(b",\"page\":1,\"values\":[");
    rows(session, compiled, &mut out)?;
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// Writes the rows of the page.
fn rows(
    session: &mut dyn Session,
    compiled: &Compiled,
    out: &mut Vec<u8>,
) -> Result<Found, Problem> {
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let rows = level::Rows {
        query: &compiled.query,
        shape: &compiled.shape,
        statements: &compiled.rows.statements,
        keys: &compiled.rows.keys,
        limit: whole(compiled.window.limit),
        read: whole(compiled.window.rows()),
    };
    level::write_rows(session, rows, out)
}

/// The order keys of the only row of a page.
pub(super) fn keys_of(
    session: &mut dyn Session,
    page: &sql::Page,
) -> Result<Option<Vec<sql::Value>>, StoreError> {
    for statement in &page.statements {
        let found = session.first(&statement.sql, &binds(statement), |row| {
            let keys = page
                .keys
                .iter()
                .map(|&key| row.value(key).map(level::owned));
            keys.collect()
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
