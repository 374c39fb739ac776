//! `any` answered from the members of a collection: those that meet its condition are gathered first, without
//! regard to the rows that they belong to, and lead to these rows.
//!
//! An EXISTS that a database evaluates for each row reads all rows where few have such a member. Where many
//! have one it fills a page at once, and gathering would read too much. So a statement for a page gathers a
//! bounded number of members, and decides by their number.

use super::lookup;
use super::render::Renderer;
use crate::ast::LogicOp;
use crate::bind::Bound;
use crate::bind::node::{Collection, Node, NodeKind};
use crate::sql::Value;

/// Members to gather for each row of the page: if there are more, the rows that have one are close together.
const MEMBERS_FOR_EACH: i64 = 4;
/// The least and the most members to gather. The least take less time than the rest of the statement.
const LEAST_MEMBERS: i64 = 500;
const MOST_MEMBERS: i64 = 4_000;

/// The members of which every row of a query must have one.
pub(super) struct Members {
    /// The name of the statement's table with the links to the rows.
    table: String,
    /// The query for these links.
    owners: String,
    /// The condition that a row is linked to.
    is_owner: String,
    /// From how many members on they are many.
    many: String,
}

/// The members that a query's filter requires, for a statement that reads `rows` of its rows; `None` if the
/// database plans this itself, or if the rows are found by their own texts.
pub(super) fn required(query: &Bound, renderer: &mut Renderer<'_>, rows: i64) -> Option<Members> {
    if !renderer.dialect.gathers_members() {
        return None;
    }
    let (collection, body) = required_any(query)?;
    let table = renderer.alias();
    let owners = renderer.owners(collection, body);
    let is_owner = renderer.is_owner(collection, &format!("SELECT link FROM {table}"));
    let many = rows.saturating_mul(MEMBERS_FOR_EACH);
    let many = renderer.bind(Value::Int(many.clamp(LEAST_MEMBERS, MOST_MEMBERS)));
    Some(Members {
        table,
        owners,
        is_owner,
        many,
    })
}

/// Whether the members that meet a condition are the same for every row. One that may fail must be evaluated
/// for members of the rows only.
pub(super) fn are_independent(collection: &Collection, body: Option<&Node>) -> bool {
    collection.source.path.is_empty()
        && body.is_none_or(|body| !body.may_fail() && body.depends_only_on(collection.variable))
}

impl Members {
    /// A statement of two, of which one returns no rows: from the members if they are few, otherwise from the
    /// rows. `rows` writes either with its conditions and its limit.
    pub(super) fn first(
        &self,
        conditions: Vec<String>,
        limit: &str,
        rows: impl Fn(&[String], &str) -> String,
    ) -> String {
        let Self {
            table,
            owners,
            is_owner,
            many,
        } = self;
        let is_few = format!("(SELECT COUNT(*) FROM {table}) < {many}");
        let by_row = rows(
            &conditions,
            &format!("CASE WHEN {is_few} THEN 0 ELSE {limit} END"),
        );
        let mut conditions = conditions;
        conditions.push(is_owner.clone());
        let by_member = rows(
            &conditions,
            &format!("CASE WHEN {is_few} THEN {limit} ELSE 0 END"),
        );
        format!(
            "WITH {table}(link) AS MATERIALIZED ({owners} LIMIT {many}) \
             SELECT * FROM ({by_member}) UNION ALL SELECT * FROM ({by_row})"
        )
    }
}

/// An `any` of a filter that no row meets without; one whose members an index finds, if there is one.
fn required_any(query: &Bound) -> Option<(&Collection, Option<&Node>)> {
    let filter = query.filter.as_ref()?;
    if query.search.is_some() || lookup::has_index(filter, 0) {
        return None;
    }
    let (mut rest, mut found) = (vec![filter], None);
    while let Some(node) = rest.pop() {
        match &node.kind {
            NodeKind::Logic(LogicOp::And, operands) => rest.extend(operands),
            NodeKind::Exists(collection, body)
                if collection.source.variable == 0
                    && are_independent(collection, body.as_deref()) =>
            {
                let body = body.as_deref();
                if body.is_some_and(|body| lookup::has_index(body, collection.variable)) {
                    return Some((collection, body));
                }
                found = Some((collection, body));
            }
            _ => {}
        }
    }
    found
}
