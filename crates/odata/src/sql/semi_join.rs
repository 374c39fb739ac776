//! `any` as a semi-join that begins with the members of the collection: those that meet the condition are
//! read first, and lead to the rows that they belong to.
//!
//! An EXISTS that a database evaluates for each row reads all rows where few have such a member. Where many
//! have one it fills a page at once, and a semi-join would read too much. So a statement for a page reads a
//! bounded number of members, and decides by their number.

use super::lookup;
use super::render::{Mode, Renderer, qualified};
use crate::ast::LogicOp;
use crate::bind::Bound;
use crate::bind::node::{Collection, Node, NodeKind};
use crate::sql::{Extent, Value};

/// The number m of members for which both ways to r rows are weighed. If a share q of the members meets the
/// condition, the rows in their order need some r / q members, and the semi-join q * m. These are equal where
/// q * m is the root of r * m.
const MEMBERS: i64 = 100_000;

/// A semi-join with members of which every row of a query must have one.
pub(super) struct SemiJoin {
    /// The name of the statement's table of the members' links.
    table: String,
    /// The query for these links.
    links: String,
    /// The condition that one of them leads to a row.
    condition: String,
    /// From how many members on they are many.
    many: String,
}

impl SemiJoin {
    /// The semi-join for a statement that reads `rows` rows of a query; `None` if the filter requires no
    /// member, or if the rows are found by their own texts.
    pub(super) fn of(query: &Bound, renderer: &mut Renderer<'_>, rows: i64) -> Option<Self> {
        let filter = query.filter.as_ref()?;
        if query.search.is_some() {
            return None;
        }
        let (collection, body) = required_any(filter)?;
        if lookup::has_index(filter, 0) {
            return None;
        }
        let table = renderer.alias();
        let links = renderer.links(collection, body);
        let from = renderer.linked(collection);
        let few = format!("SELECT link FROM {table}");
        let condition = renderer.dialect.is_among_few(&from, &few);
        let many = rows.saturating_mul(MEMBERS).isqrt().min(MEMBERS);
        let many = renderer.bind(Value::Int(many));
        Some(Self {
            table,
            links,
            condition,
            many,
        })
    }

    /// A statement of two, of which one returns no rows: the semi-join if the members are few, and otherwise
    /// the rows in their order. `rows` writes either with its conditions and its limit.
    pub(super) fn or_by_row(
        self,
        mut conditions: Vec<String>,
        limit: &str,
        rows: impl Fn(&[String], &str) -> String,
    ) -> String {
        let Self {
            table,
            links,
            condition,
            many,
        } = self;
        let is_few = format!("(SELECT COUNT(*) FROM {table}) < {many}");
        let by_row = rows(
            &conditions,
            &format!("CASE WHEN {is_few} THEN 0 ELSE {limit} END"),
        );
        conditions.push(condition);
        let by_member = rows(
            &conditions,
            &format!("CASE WHEN {is_few} THEN {limit} ELSE 0 END"),
        );
        format!(
            "WITH {table}(link) AS MATERIALIZED ({links} LIMIT {many}) \
             SELECT * FROM ({by_member}) AS by_member UNION ALL SELECT * FROM ({by_row}) AS by_row"
        )
    }
}

impl Renderer<'_> {
    /// An `any` as a semi-join, where a statement reads every row that meets its filter; `None` where EXISTS
    /// is better, or has another value: IN is null and not false for a row whose own link is null.
    pub(super) fn semi_join(
        &mut self,
        collection: &Collection,
        body: Option<&Node>,
        mode: Mode,
    ) -> Option<String> {
        if !self.reads_all || mode != Mode::Filter || !is_independent(collection, body) {
            return None;
        }
        let links = self.links(collection, body);
        Some(format!("{} IN ({links})", self.linked(collection)))
    }

    /// The column of the row that the members' links equal.
    fn linked(&mut self, collection: &Collection) -> String {
        let row = self.row(&collection.source);
        qualified(&row, collection.navigation.from)
    }

    /// The query for the links of the members that meet a condition, whatever rows they lead to.
    fn links(&mut self, collection: &Collection, body: Option<&Node>) -> String {
        let navigation = collection.navigation;
        let member = self.enter(collection.variable, navigation.target.table);
        let link = qualified(&member, navigation.to);
        let mut conditions = vec![format!("{link} IS NOT NULL")];
        let visible = self.visible(navigation.target, &member);
        let extent = match visible {
            None => Extent::All,
            Some(_) => Extent::Other,
        };
        conditions.extend(visible);
        if let Some(body) = body {
            conditions.push(self.condition(body, Mode::Filter));
            conditions.extend(lookup::condition_of_members(body, collection, extent, self));
        }
        let (from, conditions) = (self.leave(), conditions.join(" AND "));
        format!("SELECT {link} FROM {from} WHERE {conditions}")
    }
}

/// Whether the members that meet a condition are the same for every row. One that may fail must be evaluated
/// for members of the rows only.
fn is_independent(collection: &Collection, body: Option<&Node>) -> bool {
    collection.source.path.is_empty()
        && body.is_none_or(|body| !body.may_fail() && body.depends_only_on(collection.variable))
}

/// An `any` that every row must meet; one whose members an index finds, if there is one.
fn required_any(filter: &Node) -> Option<(&Collection, Option<&Node>)> {
    let (mut rest, mut found) = (vec![filter], None);
    while let Some(node) = rest.pop() {
        match &node.kind {
            NodeKind::Logic(LogicOp::And, operands) => rest.extend(operands),
            NodeKind::Exists(collection, body)
                if collection.source.variable == 0
                    && is_independent(collection, body.as_deref()) =>
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
