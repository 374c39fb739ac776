//! Bound queries as SQL: one statement for the rows, one for the count, one for each expanded navigation.
//!
//! Values are always bound; identifiers always come from the entity model. The differences between databases
//! are in [`Dialect`].
//!
//! ```
//! use obeya_odata::edm::{Column, EntityType, Property, Type};
//! use obeya_odata::sql::{self, Direction, Predicate, Scope, Sqlite, Value};
//! use obeya_odata::{Context, Limits, OptionName, Options};
//!
//! static AREA: EntityType = EntityType {
//!     name: "Area",
//!     table: "areas",
//!     key: "id",
//!     properties: &[Property { name: "id", ty: Type::Int32, nullable: false, column: Column::Name("id") }],
//!     navigations: &[],
//!     search: None,
//! };
//!
//! let context = Context { now: 0, limits: Limits::default() };
//! let (options, _) = Options::parse("$filter=id gt 5", OptionName::ALL, &context.limits)?;
//! let bound = options.bind(&AREA, &context)?;
//! // What the caller knows and the request does not say: whose rows, in which order, how many.
//! let scope = Scope {
//!     predicates: vec![Predicate::new("{t}.plant_id = ?", [Value::Int(7)])],
//!     default_order: &[("id", Direction::Descending)],
//!     limit: Some(100),
//!     ..Scope::default()
//! };
//! let count = sql::count(&bound, &Sqlite, &scope);
//! assert_eq!(count.sql, r#"SELECT COUNT(*) FROM "areas" AS t0 WHERE (t0.plant_id = ?1) AND (t0."id" > ?2)"#);
//! assert_eq!(count.binds, [Value::Int(7), Value::Int(5)]);
//! # Ok::<(), obeya_odata::Error>(())
//! ```

mod call;
mod compare;
mod dialect;
mod kind;
mod lookup;
mod order;
mod pipeline;
pub mod postgres;
pub(crate) mod render;
mod rollup;
mod semi_join;
mod sqlite;
mod trigrams;

pub use crate::predicate::Predicate;
pub use crate::time_zone::{Offsets, TimeZone};
pub use crate::value::Value;
pub use dialect::{
    Bind, Dialect, Extent, IndexJoin, IndexLookup, KeyPage, OrderedPage, TextIndex,
    TrigramCondition,
};
pub use kind::SqlKind;
pub use postgres::Postgres;
pub use rollup::{Days, MovedHours, Rollup};
pub use sqlite::Sqlite;

use crate::bind::node::Node;
use crate::bind::{Bound, BoundExpand};
use crate::edm::Column;
use order::{KeysetPart, SortKey};
use render::{Mode, Renderer, qualified};
use semi_join::SemiJoin;

/// A statement with `?1, ?2 …` and its values, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The text.
    pub sql: String,
    /// The values.
    pub binds: Vec<Value>,
}

/// A direction of ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Nulls first, then upwards.
    Ascending,
    /// Downwards, nulls last.
    Descending,
}

/// What the caller adds to a query: conditions, a default order, and its own paging.
#[derive(Debug, Clone, Default)]
pub struct Scope<'a> {
    /// Additional conditions, such as the parent in the path.
    pub predicates: Vec<Predicate>,
    /// Property names to order by when the query has no `$orderby`; the key always breaks ties.
    pub default_order: &'a [(&'static str, Direction)],
    /// A column that orders before those, for a value that is no property and so cannot be requested. It has
    /// no nulls.
    pub default_column: Option<(Column, Direction)>,
    /// The most rows the caller wants; `$top` can only make it fewer. For an expand: per parent.
    pub limit: Option<u64>,
    /// Rows to leave out beyond `$skip`.
    pub offset: u64,
    /// The rollup of the entity's rows, for groupings that need no more.
    pub rollup: Option<&'a Rollup>,
}

/// A statement for the rows of a page, and the columns with each row's keyset position.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// Each returns the columns of the query, followed by order keys that are not among these. They are to be
    /// run one after another, until the page is full or there are no more; each returns at most the rows of a
    /// page.
    pub statements: Vec<Statement>,
    /// The columns with the order keys. Their values in the last row of a page are the keyset position where
    /// the next page begins.
    pub keys: Vec<usize>,
    /// Which of these is the entity's key.
    pub unique: usize,
}

/// The rows of a query: its columns are [`Bound::columns`].
#[must_use]
pub fn select(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    let mut renderer = renderer_of_rows(query, dialect, scope);
    let from = pipeline::source(query, &mut renderer, scope);
    let columns = columns(query, &mut renderer);
    let order = order::keys(query, scope);
    rows(query, renderer, scope, from, &columns, &order, None)
}

/// The rows of a query as [`select`] returns them, with the keys that the next page needs.
#[must_use]
pub fn page(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Page {
    paged(query, dialect, scope, None)
}

/// The rows after the keyset position with these values: inserted and deleted rows elsewhere then shift
/// nothing, and the cost of a page does not depend on the number of rows before it. `$skip` counts from the
/// beginning, so it no longer applies; the caller sets the rest of `$top` as the scope's limit.
///
/// `None` when the number of values is not the number of keys, so that they cannot be of a row of this order.
#[must_use]
pub fn page_after(
    query: &Bound,
    dialect: &dyn Dialect,
    scope: &Scope<'_>,
    values: &[Value],
) -> Option<Page> {
    let is_place = values.len() == order::keys(query, scope).len();
    is_place.then(|| paged(query, dialect, scope, Some(values)))
}

/// One row with one column: the number of matching entities, regardless of `$top`, `$skip` and the scope's
/// paging.
#[must_use]
pub fn count(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    let mut renderer = Renderer::new(dialect, query);
    renderer.reads_all = true;
    let from = pipeline::source(query, &mut renderer, scope);
    let conditions = conditions(query, &mut renderer, scope, Extent::All);
    let sql = format!(
        "SELECT COUNT(*) FROM {}{}",
        from.unwrap_or_else(|| renderer.from()),
        where_clause(&conditions)
    );
    Statement {
        sql,
        binds: renderer.binds,
    }
}

/// The same as [`count`], for an entity whose table is a view of joins. Engines remove a join that returns
/// one row and no requested column, some of them only where rows are requested: this counts the rows of a
/// subquery. Without such joins it costs more.
#[must_use]
pub fn count_joined(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    if query.is_grouped() {
        return count(query, dialect, scope);
    }
    let mut renderer = Renderer::new(dialect, query);
    renderer.reads_all = true;
    let conditions = conditions(query, &mut renderer, scope, Extent::All);
    // A limit prevents the engine from merging the two queries.
    let limit = renderer.bind(Value::Int(i64::MAX));
    let sql = format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM {}{} LIMIT {limit}) AS counted",
        renderer.from(),
        where_clause(&conditions)
    );
    Statement {
        sql,
        binds: renderer.binds,
    }
}

/// The expanded rows of all the given parents: the columns of the expand's query, then the link value, which
/// identifies the parent (it equals the parent's column [`BoundExpand::link`]). Rows of one parent come in
/// the requested order.
#[must_use]
pub fn expand(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Statement {
    expanded(expand, dialect, parents, scope, &[])
}

/// The same rows, each with the keys of the page after it. The rows of one parent follow one another.
#[must_use]
pub fn expand_page(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Page {
    let order = order::keys(&expand.query, scope);
    // The link value is the column after those of the query.
    let (keys, further) = key_columns(&expand.query, &order, 1);
    Page {
        statements: vec![expanded(expand, dialect, parents, scope, &further)],
        unique: unique_key(&order),
        keys,
    }
}

/// The statement of [`expand`], with the `further` keys of its order as columns.
fn expanded(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
    further: &[usize],
) -> Statement {
    let query = &expand.query;
    let mut renderer = Renderer::new(dialect, query);
    let link = qualified(&renderer.root(), expand.navigation.to);
    let mut columns = columns(query, &mut renderer);
    columns.push(link.clone());
    let order = order::keys(query, scope);
    columns.extend(further.iter().map(|&key| order[key].value(&mut renderer)));
    let mut all = vec![of_parents(&link, parents, &mut renderer)];
    all.extend(conditions(query, &mut renderer, scope, Extent::Other));
    let order = order::clause(&order, &mut renderer);
    let rest = format!("FROM {}{}", renderer.from(), where_clause(&all));
    let (limit, skip) = window(query, scope);
    if limit.is_none() && skip == 0 {
        let sql = format!("SELECT {} {rest}{order}", columns.join(", "));
        return Statement {
            sql,
            binds: renderer.binds,
        };
    }
    // Paging counts per parent, so rows are numbered within theirs.
    let named: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| format!("{column} AS c{at}"))
        .collect();
    let names: Vec<String> = (0..columns.len()).map(|at| format!("c{at}")).collect();
    let skip_text = renderer.bind(Value::Int(skip));
    let end = renderer.bind(Value::Int(
        limit.map_or(i64::MAX, |limit| limit.saturating_add(skip)),
    ));
    let sql = format!(
        "SELECT {} FROM (SELECT {}, ROW_NUMBER() OVER (PARTITION BY {link}{order}) AS place {rest}) AS placed \
         WHERE place > {skip_text} AND place <= {end} ORDER BY c{}, place",
        names.join(", "),
        named.join(", "),
        query.columns.len(),
    );
    Statement {
        sql,
        binds: renderer.binds,
    }
}

/// The columns with the keys of an order, and those of the keys that are no column of the query: these follow
/// its columns and `others` more.
fn key_columns(query: &Bound, order: &[SortKey<'_>], others: usize) -> (Vec<usize>, Vec<usize>) {
    let width = query.result().map_or(query.columns.len(), <[_]>::len) + others;
    let mut further = Vec::new();
    let columns = order.iter().enumerate().map(|(at, key)| {
        key.selected(query).unwrap_or_else(|| {
            further.push(at);
            width + further.len() - 1
        })
    });
    (columns.collect(), further)
}

/// Which key of an order is the entity's.
fn unique_key(order: &[SortKey<'_>]) -> usize {
    order.iter().position(|key| key.unique).unwrap_or_default()
}

/// For `$expand=…($count=true)`: a row (link value, count) for each given parent that has any; one without a
/// row has none.
#[must_use]
pub fn expand_count(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Statement {
    let mut renderer = Renderer::new(dialect, &expand.query);
    let link = qualified(&renderer.root(), expand.navigation.to);
    let mut all = vec![of_parents(&link, parents, &mut renderer)];
    all.extend(conditions(
        &expand.query,
        &mut renderer,
        scope,
        Extent::Other,
    ));
    let sql = format!(
        "SELECT {link}, COUNT(*) FROM {}{} GROUP BY {link}",
        renderer.from(),
        where_clause(&all)
    );
    Statement {
        sql,
        binds: renderer.binds,
    }
}

fn paged(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>, after: Option<&[Value]>) -> Page {
    let order = order::keys(query, scope);
    let (keys, further) = key_columns(query, &order, 0);
    let statement = |position: Option<(&[Value], KeysetPart)>| {
        let mut renderer = renderer_of_rows(query, dialect, scope);
        let from = pipeline::source(query, &mut renderer, scope);
        let mut columns = columns(query, &mut renderer);
        let order = order::keys(query, scope);
        columns.extend(further.iter().map(|&key| order[key].value(&mut renderer)));
        rows(query, renderer, scope, from, &columns, &order, position)
    };
    Page {
        statements: match after {
            None => vec![statement(None)],
            Some(values) => {
                let parts = order::parts(&order, values).into_iter();
                parts.map(|part| statement(Some((values, part)))).collect()
            }
        },
        unique: unique_key(&order),
        keys,
    }
}

/// The renderer of a statement for rows. Groups are made of all rows, and a list without a limit has all.
fn renderer_of_rows<'q>(
    query: &'q Bound,
    dialect: &'q dyn Dialect,
    scope: &Scope<'_>,
) -> Renderer<'q> {
    let mut renderer = Renderer::new(dialect, query);
    renderer.reads_all = query.is_grouped() || window(query, scope).0.is_none();
    renderer
}

fn rows(
    query: &Bound,
    mut renderer: Renderer<'_>,
    scope: &Scope<'_>,
    groups: Option<String>,
    columns: &[String],
    keys: &[SortKey<'_>],
    after: Option<(&[Value], KeysetPart)>,
) -> Statement {
    let (limit, skip) = window(query, scope);
    let skip = if after.is_some() { 0 } else { skip };
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(skip));
    let place_and_order = |renderer: &mut Renderer<'_>| {
        let position = after.and_then(|(values, part)| order::after(keys, values, part, renderer));
        (position, order::clause(keys, renderer))
    };
    let mut rendered = None;
    let extent = match keys {
        [key] if key.unique => Extent::Page(KeyPage {
            table: query.entity.table,
            after: after.and_then(|(values, _)| values.first().cloned()),
            descending: key.descending,
            rows: most,
        }),
        _ if query.search.is_some() => {
            let (after, order) = rendered.insert(place_and_order(&mut renderer)).clone();
            Extent::Ordered(OrderedPage {
                from: renderer.from(),
                after,
                order,
                rows: most,
            })
        }
        // An index would only return the rows to have them sorted.
        _ => Extent::Other,
    };
    let mut conditions = conditions(query, &mut renderer, scope, extent);
    // The order of a page by key is that of the index, if one leads to its rows by now.
    let (after, order) = rendered.unwrap_or_else(|| place_and_order(&mut renderer));
    if let Some(after) = after {
        let may_fail = query.order.iter().any(|key| key.node.may_fail());
        let visible = match groups {
            None => renderer.visible_root(query),
            Some(_) => None,
        };
        conditions.push(only_of_visible(visible.as_deref(), may_fail, after));
    }
    let semi_join = match renderer.reads_all {
        false => SemiJoin::of(query, &mut renderer, most),
        true => None,
    };
    let (select, from) = (
        columns.join(", "),
        groups.unwrap_or_else(|| renderer.from()),
    );
    let write = |conditions: &[String], window: &str| {
        let conditions = where_clause(conditions);
        format!("SELECT {select} FROM {from}{conditions}{order}{window}")
    };
    let sql = if limit.is_none() && skip == 0 {
        write(&conditions, "")
    } else {
        // Some databases know no OFFSET without LIMIT.
        let limit = renderer.bind(Value::Int(limit.unwrap_or(i64::MAX)));
        let skip = renderer.bind(Value::Int(skip));
        let of_page = |conditions: &[String], limit: &str| {
            write(conditions, &format!(" LIMIT {limit} OFFSET {skip}"))
        };
        match semi_join {
            None => of_page(&conditions, &limit),
            Some(semi_join) => semi_join.or_by_row(conditions, &limit, of_page),
        }
    };
    Statement {
        sql,
        binds: renderer.binds,
    }
}

fn columns(query: &Bound, renderer: &mut Renderer<'_>) -> Vec<String> {
    if let Some(result) = query.result() {
        return result.iter().map(|it| renderer.narrow(&it.node)).collect();
    }
    let alias = renderer.root();
    query
        .columns
        .iter()
        .map(|column| renderer.column(&alias, column.source))
        .collect()
}

/// The conditions of the rows. `extent` describes which of them are wanted; if it is their order by key or
/// none, an index may lead to them.
fn conditions(
    query: &Bound,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
    extent: Extent,
) -> Vec<String> {
    let filter = query.filter.as_ref();
    match query.is_grouped() {
        false => conditions_of_entity(query, filter, renderer, scope, extent),
        // Those of the scope apply to the rows that are grouped.
        true => filter
            .map(|filter| renderer.condition(filter, Mode::Filter))
            .into_iter()
            .collect(),
    }
}

/// The conditions of the entity's rows, with this filter.
fn conditions_of_entity(
    query: &Bound,
    filter: Option<&Node>,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
    extent: Extent,
) -> Vec<String> {
    let mut all: Vec<String> = scope
        .predicates
        .iter()
        .map(|predicate| renderer.predicate(predicate))
        .collect();
    let visible = renderer.visible_root(query);
    if let Some(filter) = filter {
        let condition = renderer.condition(filter, Mode::Filter);
        all.push(only_of_visible(
            visible.as_deref(),
            filter.may_fail(),
            condition,
        ));
    }
    // Other conditions may be faster to answer in another way.
    let is_whole = scope.predicates.is_empty() && visible.is_none();
    all.extend(visible);
    let extent = if is_whole { extent } else { Extent::Other };
    all.extend(lookup::condition(query, filter, renderer, extent));
    all
}

/// A condition that is evaluated for rows that may be shown only. Otherwise the database chooses the order of
/// evaluation, and an error would tell of a row that is hidden.
fn only_of_visible(visible: Option<&str>, may_fail: bool, condition: String) -> String {
    match visible {
        // The condition is a WHEN and no THEN: SQLite evaluates both operands of an AND whose value it needs.
        Some(visible) if may_fail => format!(
            "CASE WHEN {visible} IS NOT TRUE THEN FALSE WHEN {condition} THEN TRUE ELSE FALSE END"
        ),
        _ => condition,
    }
}

fn where_clause(conditions: &[String]) -> String {
    if conditions.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", conditions.join(" AND "))
    }
}

/// Only the given parents' rows. Null links to nothing, and duplicate parents are removed.
fn of_parents(link: &str, parents: &[Value], renderer: &mut Renderer<'_>) -> String {
    let mut placeholders = Vec::with_capacity(parents.len());
    let mut seen = std::collections::HashSet::new();
    for parent in parents {
        let fresh = match parent {
            Value::Null => false,
            Value::Int(number) => seen.insert(Key::Int(*number)),
            Value::Real(number) => seen.insert(Key::Real(number.to_bits())),
            Value::Text(text) => seen.insert(Key::Text(text)),
        };
        if fresh {
            placeholders.push(renderer.bind(parent.clone()));
        }
    }
    if placeholders.is_empty() {
        "FALSE".to_owned()
    } else {
        format!("{link} IN ({})", placeholders.join(", "))
    }
}

/// A link value that can be hashed.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Int(i64),
    Real(u64),
    Text(&'a str),
}

/// The limit and the offset; both fit an i64, which is the type of databases.
fn window(query: &Bound, scope: &Scope<'_>) -> (Option<i64>, i64) {
    let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let limit = match (query.top, scope.limit) {
        (Some(top), Some(limit)) => Some(top.min(limit)),
        (top, limit) => top.or(limit),
    };
    (
        limit.map(whole),
        whole(query.skip.saturating_add(scope.offset)),
    )
}
