//! Bound queries as SQL: one statement for the rows, one for the count, one for each expanded navigation.
//!
//! Values are always bound; identifiers always come from the entity model. What a database forces to be different is in
//! [`Dialect`].

mod dialect;
pub(crate) mod render;

use std::borrow::Cow;

pub use crate::value::Value;
pub use dialect::{Dialect, Sqlite};

use crate::bind::node::NodeKind;
use crate::bind::{Bound, BoundExpand};
use crate::edm::{Column, Type};
use render::{Mode, Renderer, quote};

/// A statement with `?1, ?2 …` and what to bind to them, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The text.
    pub sql: String,
    /// The values.
    pub binds: Vec<Value>,
}

/// A condition the caller adds, of text that is never a request's.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// SQL with `{t}` for the alias of the queried table and a `?` for each value, such as `{t}.incident_id = ?`.
    pub sql: Cow<'static, str>,
    /// The values, in order.
    pub binds: Vec<Value>,
}

impl Predicate {
    /// A condition and its values.
    pub fn new(sql: impl Into<Cow<'static, str>>, binds: impl Into<Vec<Value>>) -> Self {
        Self {
            sql: sql.into(),
            binds: binds.into(),
        }
    }
}

/// A direction of ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Nulls first, then upwards.
    Ascending,
    /// Downwards, nulls last.
    Descending,
}

/// What the caller adds to a query: conditions, an order for when none is asked, and its own paging.
#[derive(Debug, Clone, Default)]
pub struct Scope<'a> {
    /// Conditions that must hold as well: the parent in the path, keyset bounds.
    pub predicates: Vec<Predicate>,
    /// Property names to order by when the query has no `$orderby`; the key always breaks ties.
    pub default_order: &'a [(&'static str, Direction)],
    /// A column that orders before those, for what is no property and so can't be asked for. It holds no null.
    pub default_column: Option<(Column, Direction)>,
    /// The most rows the caller wants; `$top` can only make it fewer. For an expand: per parent.
    pub limit: Option<u64>,
    /// Rows to leave out beyond `$skip`.
    pub offset: u64,
}

/// The rows of a query: its columns are [`Bound::columns`].
#[must_use]
pub fn select(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    let mut renderer = Renderer::new(dialect, query.entity);
    let columns = columns(query, &renderer);
    let conditions = conditions(query, &mut renderer, scope);
    let order = order(query, &mut renderer, scope);
    let mut sql = format!(
        "SELECT {} FROM {}{}{order}",
        columns.join(", "),
        renderer.from(),
        where_clause(&conditions)
    );
    let (limit, skip) = page(query, scope);
    if limit.is_some() || skip > 0 {
        // Some databases know no OFFSET without LIMIT.
        let limit = renderer.bind(Value::Int(limit.unwrap_or(i64::MAX)));
        let skip = renderer.bind(Value::Int(skip));
        sql.push_str(&format!(" LIMIT {limit} OFFSET {skip}"));
    }
    Statement {
        sql,
        binds: renderer.binds,
    }
}

/// One row with one column: how many entities match, whatever `$top`, `$skip` and the scope's paging say.
#[must_use]
pub fn count(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    let mut renderer = Renderer::new(dialect, query.entity);
    let conditions = conditions(query, &mut renderer, scope);
    let sql = format!(
        "SELECT COUNT(*) FROM {}{}",
        renderer.from(),
        where_clause(&conditions)
    );
    Statement {
        sql,
        binds: renderer.binds,
    }
}

/// The expanded rows of all the given parents: the columns of the expand's query, then one more, the link value
/// that says whose they are (it equals the parent's column [`BoundExpand::link`]). Rows of one parent come in the order asked.
#[must_use]
pub fn expand(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Statement {
    let query = &expand.query;
    let mut renderer = Renderer::new(dialect, query.entity);
    let link = format!("{}.{}", renderer.root(), quote(expand.navigation.to));
    let columns = columns(query, &renderer);
    let mut all = vec![of_parents(&link, parents, &mut renderer)];
    all.extend(conditions(query, &mut renderer, scope));
    let order = order(query, &mut renderer, scope);
    let rest = format!("FROM {}{}", renderer.from(), where_clause(&all));
    let (limit, skip) = page(query, scope);
    if limit.is_none() && skip == 0 {
        let sql = format!("SELECT {}, {link} {rest}{order}", columns.join(", "));
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
        "SELECT {}, link FROM (SELECT {}, {link} AS link, ROW_NUMBER() OVER (PARTITION BY {link}{order}) AS place {rest}) AS placed \
         WHERE place > {skip_text} AND place <= {end} ORDER BY link, place",
        names.join(", "),
        named.join(", "),
    );
    Statement {
        sql,
        binds: renderer.binds,
    }
}

/// For `$expand=…($count=true)`: a row (link value, count) for each given parent that has any; one without a row has none.
#[must_use]
pub fn expand_count(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Statement {
    let mut renderer = Renderer::new(dialect, expand.query.entity);
    let link = format!("{}.{}", renderer.root(), quote(expand.navigation.to));
    let mut all = vec![of_parents(&link, parents, &mut renderer)];
    all.extend(conditions(&expand.query, &mut renderer, scope));
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

fn columns(query: &Bound, renderer: &Renderer<'_>) -> Vec<String> {
    let alias = renderer.root();
    query
        .columns
        .iter()
        .map(|column| renderer.column(&alias, column.source))
        .collect()
}

fn conditions(query: &Bound, renderer: &mut Renderer<'_>, scope: &Scope<'_>) -> Vec<String> {
    let mut all: Vec<String> = scope
        .predicates
        .iter()
        .map(|predicate| renderer.predicate(predicate))
        .collect();
    if let Some(filter) = &query.filter {
        all.push(renderer.condition(filter, Mode::Filter));
    }
    if let (Some(search), Some(index)) = (&query.search, query.entity.search) {
        let value = renderer.bind(renderer.dialect.search_value(&search.phrases));
        all.push(renderer.dialect.search(&index, &renderer.root(), &value));
    }
    all
}

fn where_clause(conditions: &[String]) -> String {
    if conditions.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", conditions.join(" AND "))
    }
}

/// Only the given parents' rows. Null links to nothing, and one parent is asked for once.
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

/// ORDER BY: what was asked, else the caller's order, and always the key, so that equal rows keep their places from page
/// to page.
fn order(query: &Bound, renderer: &mut Renderer<'_>, scope: &Scope<'_>) -> String {
    let alias = renderer.root();
    let mut keys: Vec<String> = Vec::new();
    let mut settled = false;
    for key in &query.order {
        let text = renderer.value(&key.node);
        settled |= matches!(&key.node.kind, NodeKind::Property(source, property)
            if source.path.is_empty() && property.name == query.entity.key);
        keys.push(order_key(
            renderer,
            &text,
            key.node.ty,
            key.descending,
            key.node.nullable(),
        ));
    }
    let default = if query.order.is_empty() {
        scope.default_order
    } else {
        &[]
    };
    if let (true, Some((column, direction))) = (query.order.is_empty(), scope.default_column) {
        let text = renderer.column(&alias, column);
        let descending = direction == Direction::Descending;
        keys.push(order_key(renderer, &text, None, descending, false));
    }
    let key = [(query.entity.key, Direction::Ascending)];
    for (name, direction) in default.iter().chain(&key) {
        let Some(property) = query.entity.property(name).filter(|_| !settled) else {
            continue;
        };
        settled |= property.name == query.entity.key;
        let text = renderer.column(&alias, property.column);
        keys.push(order_key(
            renderer,
            &text,
            Some(property.ty),
            *direction == Direction::Descending,
            property.nullable,
        ));
    }
    if keys.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {}", keys.join(", "))
    }
}

fn order_key(
    renderer: &Renderer<'_>,
    text: &str,
    ty: Option<Type>,
    descending: bool,
    nullable: bool,
) -> String {
    let text = match ty {
        Some(Type::String | Type::Enum(_) | Type::Guid) => renderer.dialect.by_code_point(text),
        _ => text.to_owned(),
    };
    let direction = if descending { " DESC" } else { "" };
    let nulls = if nullable {
        renderer.dialect.nulls(descending)
    } else {
        ""
    };
    format!("{text}{direction}{nulls}")
}

/// The most rows wanted and how many to leave out; both fit an i64, which is what databases take.
fn page(query: &Bound, scope: &Scope<'_>) -> (Option<i64>, i64) {
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
