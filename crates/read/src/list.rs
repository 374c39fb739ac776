//! Lists: a page of a v2 list with its count and next link, the trash of v1, and the number of records in a
//! list.

use std::ops::ControlFlow;
use std::sync::Arc;

use obeya_odata::csdl;
use obeya_odata::edm::{Column, EntityType};
use obeya_odata::sql::{self, Direction, Predicate, Scope, Statement};
use obeya_odata::{Bound, OptionName, Options};

use super::error::ReadError;
use super::expanded_next_links::ExpandedNextLinks;
use super::outcome::ReadOutcome;
use super::parent::{Parent, list_name};
use super::query_cache::{ListPlan, Window};
use super::request::ReadRequest;
use super::row_query::{RowQuery, owned};
use super::sink::Sink;
use super::skip_token::{ListPosition, NextPage, PositionKey};
use super::{binds, count, count_statement, json, rows};
use obeya_store::engine::{Session, StoreError};
use obeya_store::entities::{self, order_of};
use obeya_store::entity_sets::CONTAINER;

/// The initial capacity for an answer, in bytes.
const INITIAL_CAPACITY: usize = 16 << 10;

/// A list, before the options of a request are applied.
pub struct List {
    entity: &'static EntityType,
    predicates: Vec<Predicate>,
    parent: Option<Parent>,
    /// The default order, before the id.
    order: Option<(Column, Direction)>,
}

/// A prepared page of a list.
pub struct ListRead {
    page: ListPage,
    parent: Option<Parent>,
    envelope: Envelope,
    /// Of expanded lists.
    expanded_next_links: Option<ExpandedNextLinks>,
}

/// The page to read.
enum ListPage {
    Planned(Arc<ListPlan>),
    /// A page whose position is only known after a row was read.
    After(Box<UnresolvedPage>),
}

/// A page that continues after a row whose order key was too long for the token.
struct UnresolvedPage {
    list: List,
    query: Bound,
    listing: String,
    position: ListPosition,
    window: Window,
}

/// The JSON around the records.
enum Envelope {
    /// `@odata.context` and `@odata.count` if requested, `value`, and `@odata.nextLink` if there is more.
    V2(Option<Vec<u8>>),
    /// `total`, `page` and `values`. The operation has no further page, so only `total` shows that the limit
    /// cut the list.
    Trash,
}

/// A prepared count of the records of a list.
pub struct CountRead {
    statement: Statement,
    parent: Option<Parent>,
}

/// Ends the answer of a v2 list, with the URL of the next page if there is one.
pub fn end_list(out: &mut Vec<u8>, next_link: Option<&str>) {
    if let Some(link) = next_link {
        out.extend_from_slice(b",\"@odata.nextLink\":");
        json::string(out, link);
    }
    out.push(b'}');
}

impl List {
    /// The list of all records of an entity, in its default order.
    pub fn of(entity: &'static EntityType) -> Self {
        Self {
            entity,
            predicates: Vec::new(),
            parent: None,
            order: order_of(entity).map(|column| (column, Direction::Ascending)),
        }
    }

    /// Adds a condition.
    pub fn only(mut self, predicate: Predicate) -> Self {
        self.predicates.push(predicate);
        self
    }

    /// Sets another default order.
    pub fn ordered(mut self, column: Column, direction: Direction) -> Self {
        self.order = Some((column, direction));
        self
    }

    /// Requires that this record exists.
    pub fn under(mut self, parent: Parent) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Prepares the v2 page that a request asks for, with every option.
    pub fn prepare(self, request: &ReadRequest<'_>) -> Result<ListRead, ReadError> {
        let own = self
            .parent
            .as_ref()
            .and_then(|parent| parent.source.clone());
        let parent = self.parent.clone();
        let page = self.page(request)?;
        let context = request.context(|| {
            let query = page.query();
            let of_set = || Some(CONTAINER.set_of(query.entity())?.name.to_owned());
            Some(csdl::list_context(&own.or_else(of_set)?, query))
        });
        let expanded_next_links = ExpandedNextLinks::of(request, page.query(), page.now());
        Ok(ListRead {
            page,
            parent,
            envelope: Envelope::V2(context),
            expanded_next_links,
        })
    }

    /// Prepares the number of records that match. Options that choose or shape the records have no effect.
    pub fn prepare_count(self, request: &ReadRequest<'_>) -> Result<CountRead, ReadError> {
        let (options, _) = request.options(OptionName::PAGED)?;
        let query = request.bind(&options, self.entity)?;
        let statement =
            count_statement(&query, request.store.dialect().of_queries(), &self.scope());
        let parent = self.parent;
        Ok(CountRead { statement, parent })
    }

    /// Prepares the trash, with the `allowed` options and at most `limit` records.
    pub fn prepare_trash(
        self,
        request: &ReadRequest<'_>,
        allowed: &[OptionName],
        limit: u32,
    ) -> Result<ListRead, ReadError> {
        let (options, _) = request.options(allowed)?;
        let plan = self.first_page(request, &options, None, limit)?;
        Ok(ListRead {
            page: ListPage::Planned(Arc::new(plan)),
            parent: self.parent,
            envelope: Envelope::Trash,
            expanded_next_links: None,
        })
    }

    /// The page, from the query cache if possible. A page that depends on a token, on the clock or on a page
    /// size is not cached, because such requests seldom repeat.
    fn page(self, request: &ReadRequest<'_>) -> Result<ListPage, ReadError> {
        let queries = request.queries();
        let key = request.cache_key();
        let may_be_cached = self.is_whole() && request.page_size.is_none();
        if may_be_cached && let Some(plan) = queries.find(self.entity, &key) {
            return Ok(ListPage::Planned(plan));
        }
        let (options, _) = request.options(OptionName::PAGED)?;
        if let Some(token) = &options.skip_token {
            return self.page_after(request, &options, token);
        }
        let limit = request.page_records;
        let plan = Arc::new(self.first_page(request, &options, request.page_size, limit)?);
        if may_be_cached && !plan.query.asks_the_time() {
            queries.insert(self.entity, &key, &plan);
        }
        Ok(ListPage::Planned(plan))
    }

    /// Whether the list has all records of its entity, ordered by id.
    fn is_whole(&self) -> bool {
        self.predicates.is_empty() && self.parent.is_none() && self.order.is_none()
    }

    /// Plans the first page. `size` is the page size that the client prefers.
    fn first_page(
        &self,
        request: &ReadRequest<'_>,
        options: &Options,
        size: Option<u32>,
        limit: u32,
    ) -> Result<ListPlan, ReadError> {
        let query = request.bind(options, self.entity)?;
        let window = Window {
            limit: size.map_or(limit, |size| size.min(limit)).into(),
            left: query.top(),
            preferred: size,
            now: request.now,
        };
        let dialect = request.store.dialect().of_queries();
        self.plan(dialect, query, options.listing(), None, window)
    }

    /// Plans the page that follows a token.
    fn page_after(
        self,
        request: &ReadRequest<'_>,
        options: &Options,
        token: &str,
    ) -> Result<ListPage, ReadError> {
        if options.skip.is_some_and(|skip| skip > 0) {
            let text = "`$skiptoken` already sets the position; remove `$skip`";
            return Err(ReadError::SkipToken(text));
        }
        let listing = options.listing();
        let list = list_name(self.entity, self.parent.as_ref(), &listing);
        let position = request.links.read(&list, token)?;
        let query = request.bind_at(position.now, options, self.entity)?;
        let size = request.page_size.or(position.page_size);
        let limit = request.page_records;
        let window = Window {
            limit: size.map_or(limit, |size| size.min(limit)).into(),
            left: position.left,
            preferred: size,
            now: position.now,
        };
        if position.has_digest() {
            return Ok(ListPage::After(Box::new(UnresolvedPage {
                list: self,
                query,
                listing,
                position,
                window,
            })));
        }
        let after = position.resolve(None).ok_or_else(gone)?;
        let dialect = request.store.dialect().of_queries();
        let plan = self.plan(dialect, query, listing, Some(&after), window)?;
        Ok(ListPage::Planned(Arc::new(plan)))
    }

    fn plan(
        &self,
        dialect: &dyn sql::Dialect,
        query: Bound,
        listing: String,
        after: Option<&[sql::Value]>,
        window: Window,
    ) -> Result<ListPlan, ReadError> {
        ListPlan::new(query, listing, dialect, self.scope(), after, window).ok_or_else(gone)
    }

    fn scope(&self) -> Scope<'static> {
        Scope {
            predicates: self.predicates.clone(),
            default_column: self.order,
            rollup: entities::rollup(self.entity),
            ..Scope::default()
        }
    }
}

impl ListPage {
    fn query(&self) -> &Bound {
        match self {
            Self::Planned(plan) => &plan.query,
            Self::After(page) => &page.query,
        }
    }

    /// The value of `now()`.
    fn now(&self) -> i64 {
        match self {
            Self::Planned(plan) => plan.window.now,
            Self::After(page) => page.window.now,
        }
    }
}

impl UnresolvedPage {
    /// The plan, with the order keys of the row after which the page begins.
    fn plan(&self, session: &mut dyn Session) -> Result<ListPlan, ReadError> {
        let dialect = session.dialect().of_queries();
        if self.query.result().is_some() {
            return self.plan_by_scan(session);
        }
        let page = sql::page(&self.query, dialect, &self.list.scope());
        let Some(PositionKey::Value(id)) = self.position.keys.get(page.unique) else {
            return Err(gone());
        };
        let mut scope = self.list.scope();
        scope
            .predicates
            .push(Predicate::new("{t}.id = ?", [id.clone()]));
        let page = sql::page(&self.query, dialect, &scope);
        let row = keys_of(session, &page)?;
        let after = self.position.resolve(row.as_deref()).ok_or_else(gone)?;
        self.plan_after(dialect, &after)
    }

    /// The same for a result of `$apply`, whose groups no id finds: of all rows, the one with these keys.
    fn plan_by_scan(&self, session: &mut dyn Session) -> Result<ListPlan, ReadError> {
        let dialect = session.dialect().of_queries();
        // The position counts from the beginning, whatever `$top` allowed from there on.
        let all = self.query.clone().without_window();
        let page = sql::page(&all, dialect, &self.list.scope());
        let mut after = None;
        for statement in &page.statements {
            session.query(&statement.sql, &binds(statement), &mut |row| {
                let keys = page.keys.iter().map(|&key| row.value(key).and_then(owned));
                let keys = keys.collect::<Result<Vec<_>, _>>()?;
                if self.position.is_of(&keys) {
                    after = Some(keys);
                    return Ok(ControlFlow::Break(()));
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        self.plan_after(dialect, &after.ok_or_else(gone)?)
    }

    fn plan_after(
        &self,
        dialect: &dyn sql::Dialect,
        after: &[sql::Value],
    ) -> Result<ListPlan, ReadError> {
        let (query, listing) = (self.query.clone(), self.listing.clone());
        self.list
            .plan(dialect, query, listing, Some(after), self.window)
    }
}

/// The error for a position that no longer exists.
fn gone() -> ReadError {
    ReadError::SkipToken("the row at this position was deleted or changed; restart the list")
}

impl ListRead {
    /// Reads the page.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        let resolved;
        let plan = match &self.page {
            ListPage::Planned(plan) => plan.as_ref(),
            ListPage::After(page) => {
                resolved = page.plan(session)?;
                &resolved
            }
        };
        if let Some(parent) = &self.parent {
            parent.check(session)?;
        }
        match &self.envelope {
            Envelope::V2(context) => self.run_v2(session, plan, context.as_deref(), sink),
            Envelope::Trash => run_trash(session, plan, sink),
        }
    }

    fn run_v2(
        &self,
        session: &mut dyn Session,
        plan: &ListPlan,
        context: Option<&[u8]>,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        let mut out = Vec::with_capacity(INITIAL_CAPACITY);
        out.push(b'{');
        if let Some(context) = context {
            out.extend_from_slice(context);
            out.push(b',');
        }
        if plan.query.count() {
            out.extend_from_slice(b"\"@odata.count\":");
            json::int(&mut out, plan.count.get(session)?);
            out.push(b',');
        }
        out.extend_from_slice(b"\"value\":[");
        let found = {
            let mut rows = rows_of(plan);
            if let (Some(annotated), Some(_)) = (&plan.annotated, context) {
                rows.encoder = annotated;
            }
            rows::write_rows(
                session,
                rows,
                self.expanded_next_links.as_ref(),
                sink,
                &mut out,
            )?
        };
        out.push(b']');
        sink.last(out);
        let Window {
            left,
            preferred,
            now,
            ..
        } = plan.window;
        let next = found.has_more.then(|| NextPage {
            list: list_name(plan.query.entity(), self.parent.as_ref(), &plan.listing),
            position: ListPosition {
                keys: found.last.into_iter().map(PositionKey::of).collect(),
                left: left.map(|left| left - found.rows as u64),
                page_size: preferred,
                now,
            },
        });
        Ok(ReadOutcome::OpenList(next))
    }
}

fn run_trash(
    session: &mut dyn Session,
    plan: &ListPlan,
    sink: &mut dyn Sink,
) -> Result<ReadOutcome, ReadError> {
    let mut out = b"{\"total\":".to_vec();
    json::int(&mut out, plan.count.get(session)?);
    out.extend_from_slice(b",\"page\":1,\"values\":[");
    rows::write_all(session, &rows_of(plan), sink, &mut out)?;
    out.extend_from_slice(b"]}");
    sink.last(out);
    Ok(ReadOutcome::Complete)
}

impl CountRead {
    /// Counts.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        if let Some(parent) = &self.parent {
            parent.check(session)?;
        }
        let number = count(session, &self.statement)?;
        sink.last(number.to_string().into_bytes());
        Ok(ReadOutcome::Complete)
    }
}

/// The rows of a page.
fn rows_of(plan: &ListPlan) -> RowQuery<'_> {
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    RowQuery {
        query: &plan.query,
        encoder: &plan.encoder,
        statements: &plan.rows.statements,
        keys: &plan.rows.keys,
        limit: whole(plan.window.limit),
        read: whole(plan.window.rows()),
    }
}

/// The order keys of the first row of a page.
pub(super) fn keys_of(
    session: &mut dyn Session,
    page: &sql::Page,
) -> Result<Option<Vec<sql::Value>>, StoreError> {
    for statement in &page.statements {
        let found = session.first(&statement.sql, &binds(statement), |row| {
            let keys = page.keys.iter().map(|&key| row.value(key).and_then(owned));
            keys.collect()
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
