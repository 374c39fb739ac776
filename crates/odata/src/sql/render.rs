//! Typed expressions as SQL text.
//!
//! A condition is written in one of two ways. As a *filter* null may be treated as false, so `a = ?` is
//! enough and an index can serve it. *Exactly*, as under `not`, a comparison must be true or false where
//! OData says so, and null only where it says null. All returned SQL is safe as an operand: a name, a
//! placeholder, a call, or in parentheses.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::ast::LogicOp;
use crate::bind::Bound;
use crate::bind::node::{Arithmetic, Collection, Node, NodeKind, Source};
use crate::edm::{Column, EntityType, Navigation, Property};
use crate::sql::dialect::IndexJoin;
use crate::sql::kind::shape;
use crate::sql::{Dialect, Extent, IndexLookup, Predicate, SqlKind, TextIndex, Value};
use crate::visibility::RowConditions;

/// How a condition is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Filter,
    Exact,
}

/// Renders the parts of one statement and collects the bound values.
pub(crate) struct Renderer<'d> {
    pub dialect: &'d dyn Dialect,
    pub binds: Vec<Value>,
    /// The rows that may be shown.
    rows: Option<&'d RowConditions>,
    /// The conditions of the entities met so far, with `{t}` for the alias: their values are bound once,
    /// however often the query meets an entity.
    visible: BTreeMap<&'static str, String>,
    /// The alias of the groups that [`NodeKind::Column`] refers to.
    groups: String,
    /// Whether the statement reads every row that meets its filter.
    pub(super) reads_all: bool,
    /// Whether the expression is a value of the result, where whole numbers must fit 64 bits at every step.
    is_returned: bool,
    /// The rows in reach, innermost last.
    frames: Vec<Frame>,
    aliases: usize,
}

/// A row in FROM and the rows joined to it so far.
struct Frame {
    variable: usize,
    /// Its table, or a query in parentheses.
    source: String,
    alias: String,
    index_join: Option<IndexJoin>,
    joins: Vec<Join>,
}

struct Join {
    parent: String,
    navigation: &'static Navigation,
    alias: String,
    /// The condition under which the joined row may be shown.
    visible: Option<String>,
}

/// An identifier in quotes: the model may call a table `group`.
pub(crate) fn quote(identifier: &str) -> String {
    let mut out = String::with_capacity(identifier.len() + 2);
    push_quoted(&mut out, identifier);
    out
}

/// A column of the row with this alias. Each plan names all columns of its entity, so this does without
/// format strings.
pub(crate) fn qualified(alias: &str, column: &str) -> String {
    let mut out = String::with_capacity(alias.len() + column.len() + 3);
    out.push_str(alias);
    out.push('.');
    push_quoted(&mut out, column);
    out
}

fn push_quoted(out: &mut String, identifier: &str) {
    out.push('"');
    for part in identifier.split_inclusive('"') {
        out.push_str(part);
        if part.ends_with('"') {
            out.push('"');
        }
    }
    out.push('"');
}

impl<'d> Renderer<'d> {
    /// A renderer whose variable 0 ranges over the entity of a query, under the alias `t0`.
    pub(crate) fn new(dialect: &'d dyn Dialect, query: &'d Bound) -> Self {
        let mut renderer = Self {
            dialect,
            binds: Vec::new(),
            rows: query.rows.as_deref(),
            visible: BTreeMap::new(),
            groups: String::new(),
            reads_all: false,
            is_returned: false,
            frames: Vec::new(),
            aliases: 0,
        };
        renderer.enter_entity(query);
        renderer
    }

    /// Binds a value and returns its placeholder.
    pub(crate) fn bind(&mut self, value: Value) -> String {
        let placeholder = self.dialect.placeholder(self.binds.len() + 1, &value);
        self.binds.push(value);
        placeholder
    }

    /// A literal. No supported database stores NaN, so it must not reach one.
    pub(super) fn literal(&mut self, value: &Value) -> String {
        match value {
            Value::Real(number) if number.is_nan() => self.dialect.null(Some(SqlKind::Real)),
            value => self.bind(value.clone()),
        }
    }

    pub(super) fn enter(&mut self, variable: usize, table: &'static str) -> String {
        let alias = self.alias();
        self.frames.push(Frame {
            variable,
            source: quote(table),
            alias: alias.clone(),
            index_join: None,
            joins: Vec::new(),
        });
        alias
    }

    /// The text after FROM for the innermost row, which nothing refers to from here on.
    pub(super) fn leave(&mut self) -> String {
        let frame = self.frames.pop();
        frame.map_or_else(String::new, |frame| frame.from())
    }

    /// A name that nothing else in the statement has.
    pub(super) fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases - 1)
    }

    /// The text after FROM for the outermost row, once every join to it is known.
    pub(crate) fn from(&self) -> String {
        self.frames[0].from()
    }

    /// Reads the outermost rows from this query instead of their table.
    pub(super) fn read_from(&mut self, query: &str) {
        self.frames[0].source = format!("({query})");
    }

    /// Makes a row of the entity the outermost again, without the joins to the one before.
    pub(super) fn enter_entity(&mut self, query: &Bound) {
        self.frames.clear();
        self.enter(0, query.entity.table);
    }

    /// Makes groups with this alias the rows that the following nodes refer to.
    pub(super) fn enter_groups(&mut self, alias: String) {
        self.groups = alias;
    }

    /// The alias of the outermost row.
    pub(crate) fn root(&self) -> String {
        self.frames[0].alias.clone()
    }

    fn innermost(&self) -> String {
        self.frames
            .last()
            .map_or_else(String::new, |frame| frame.alias.clone())
    }

    /// Joins an index before the innermost rows, and returns the condition that it answers; `None` if the
    /// database has no such syntax.
    pub(crate) fn index_join(
        &mut self,
        index: TextIndex,
        lookup: IndexLookup<'_>,
    ) -> Option<String> {
        let (dialect, row, index_alias) = (self.dialect, self.innermost(), self.alias());
        let join = dialect.index_join(index, &row, &index_alias, lookup, &mut |value| {
            self.bind(value)
        })?;
        let condition = join.condition.clone();
        self.frames.last_mut()?.index_join = Some(join);
        Some(condition)
    }

    /// A condition by which an index finds the innermost rows, if possible.
    pub(crate) fn index_condition(
        &mut self,
        index: TextIndex,
        lookup: IndexLookup<'_>,
        extent: &Extent,
    ) -> Option<String> {
        let (dialect, row) = (self.dialect, self.innermost());
        dialect.index_condition(index, &row, lookup, extent, &mut |value| self.bind(value))
    }

    /// The key of the outermost row, as a column of the joined index.
    pub(crate) fn index_key(&self) -> Option<String> {
        self.frames[0]
            .index_join
            .as_ref()
            .map(|join| join.key.clone())
    }

    /// A column of a row.
    pub(crate) fn column(&self, alias: &str, column: Column) -> String {
        match column {
            Column::Name(name) | Column::Indexed(name, _) => qualified(alias, name),
            Column::Expr(text) => format!("({})", text.replace("{t}", alias)),
        }
    }

    /// A condition of the caller's for the outermost row.
    pub(crate) fn predicate(&mut self, predicate: &Predicate) -> String {
        self.numbered(predicate).replace("{t}", &self.root())
    }

    /// The condition under which the outermost row may be shown; `None` if there is none.
    pub(crate) fn visible_root(&mut self, query: &Bound) -> Option<String> {
        self.visible(query.entity, &self.root())
    }

    pub(super) fn visible(&mut self, entity: &EntityType, alias: &str) -> Option<String> {
        let condition = self.rows?.of(entity)?;
        let text = match self.visible.get(entity.name) {
            Some(text) => text.clone(),
            None => {
                let text = self.numbered(condition);
                self.visible.insert(entity.name, text.clone());
                text
            }
        };
        Some(text.replace("{t}", alias))
    }

    /// A condition with its `?` numbered on.
    fn numbered(&mut self, predicate: &Predicate) -> String {
        let mut parts = predicate.sql.split('?');
        let mut out = format!("({}", parts.next().unwrap_or_default());
        let mut values = predicate.binds.iter();
        for part in parts {
            let placeholder = self.bind(values.next().cloned().unwrap_or(Value::Null));
            out.push_str(&placeholder);
            out.push_str(part);
        }
        out.push(')');
        out
    }

    /// The alias of the row that a source leads to, joined on the way there. A missing row is all null, as
    /// OData specifies.
    pub(super) fn row(&mut self, source: &Source) -> String {
        // Each variable has a frame while its body is rendered, which is the only part that can name it.
        let index = self
            .frames
            .iter()
            .rposition(|frame| frame.variable == source.variable)
            .unwrap_or(0);
        let mut alias = self.frames[index].alias.clone();
        for navigation in &source.path {
            let known = self.frames[index]
                .joins
                .iter()
                .find(|join| join.parent == alias && std::ptr::eq(join.navigation, *navigation));
            alias = match known {
                Some(join) => join.alias.clone(),
                None => {
                    let joined = self.alias();
                    let visible = self.visible(navigation.target, &joined);
                    self.frames[index].joins.push(Join {
                        parent: alias,
                        navigation,
                        alias: joined.clone(),
                        visible,
                    });
                    joined
                }
            };
        }
        alias
    }

    pub(super) fn property(&mut self, source: &Source, property: &'static Property) -> String {
        let alias = self.row(source);
        self.column(&alias, property.column)
    }

    /// A key to order rows by: a value that can be read and compared, so a condition becomes a number.
    pub(crate) fn key(&mut self, node: &Node) -> String {
        match shape(node).kind {
            SqlKind::Truth => {
                let condition = self.condition(node, Mode::Exact);
                self.dialect.truth(&condition)
            }
            SqlKind::Wide => self.number(node, SqlKind::Int),
            _ => self.value(node),
        }
    }

    /// A value that is returned, grouped by or aggregated: the same, but whole numbers must fit 64 bits, also
    /// those that it is computed from. SQLite would go on with doubles, and its results would be others.
    pub(super) fn narrow(&mut self, node: &Node) -> String {
        let outer = std::mem::replace(&mut self.is_returned, true);
        let text = self.key(node);
        self.is_returned = outer;
        text
    }

    /// The kind of the result of [`Renderer::key`].
    pub(crate) fn kind_of_key(node: &Node) -> SqlKind {
        match shape(node).kind {
            SqlKind::Truth | SqlKind::Wide => SqlKind::Int,
            kind => kind,
        }
    }

    /// A number as one of a kind.
    pub(super) fn number(&mut self, node: &Node, kind: SqlKind) -> String {
        let text = self.value(node);
        match shape(node).kind {
            SqlKind::Wide if self.is_returned => {
                let narrow = format!("odata_narrow({text})");
                self.dialect.convert(&narrow, SqlKind::Int, kind)
            }
            found => self.dialect.convert(&text, found, kind),
        }
    }

    /// A value as functions take it, of 64 bits if it is a whole number.
    pub(super) fn argument(&mut self, node: &Node) -> String {
        match shape(node).kind {
            SqlKind::Wide => self.number(node, SqlKind::Int),
            _ => self.value(node),
        }
    }

    /// A value; a condition becomes its truth.
    pub(crate) fn value(&mut self, node: &Node) -> String {
        match &node.kind {
            NodeKind::Null => self.dialect.null(node.ty.map(SqlKind::of_type)),
            NodeKind::Value(value) => self.literal(value),
            NodeKind::Property(source, property) => self.property(source, property),
            NodeKind::Column(place) => format!("{}.c{place}", self.groups),
            NodeKind::Negate(operand) => {
                let kind = shape(node).kind;
                format!("(-{})", self.number(operand, kind))
            }
            NodeKind::Arithmetic(op, left, right) => {
                self.arithmetic(*op, left, right, shape(node).kind)
            }
            NodeKind::Call(function, args) if !node.is_boolean() => self.call(*function, args),
            NodeKind::Cast(operand) => self.cast(operand, node.ty),
            NodeKind::Case(pairs) => self.case(pairs, shape(node).kind),
            NodeKind::Count(collection, filter) => {
                let filter = filter.as_deref();
                format!(
                    "(SELECT COUNT(*) {})",
                    self.members(collection, filter, |condition| condition)
                )
            }
            _ => self.condition(node, Mode::Exact),
        }
    }

    /// A condition: true, false or null.
    pub(crate) fn condition(&mut self, node: &Node, mode: Mode) -> String {
        match &node.kind {
            NodeKind::Boolean(true) => "TRUE".to_owned(),
            NodeKind::Boolean(false) => "FALSE".to_owned(),
            NodeKind::Property(source, property) => {
                format!("({} = 1)", self.property(source, property))
            }
            NodeKind::Column(_) => format!("({} = 1)", self.value(node)),
            NodeKind::Not(operand) => format!("(NOT {})", self.condition(operand, Mode::Exact)),
            NodeKind::Logic(op, operands) => {
                let word = if *op == LogicOp::And { " AND " } else { " OR " };
                let operands: Vec<String> = operands
                    .iter()
                    .map(|operand| self.condition(operand, mode))
                    .collect();
                format!("({})", operands.join(word))
            }
            NodeKind::Compare(op, left, right) => self.compare(*op, left, right, mode),
            NodeKind::Has(left, right) => format!("({} = {})", self.value(left), self.value(right)),
            NodeKind::In(left, values, null) => self.among(left, values, *null, mode),
            NodeKind::Call(function, args) => self.call(*function, args),
            NodeKind::Cast(operand) => format!("({} = 1)", self.cast(operand, node.ty)),
            NodeKind::Case(pairs) => self.case(pairs, SqlKind::Truth),
            NodeKind::Present(operand) => format!("({} IS NOT NULL)", self.operand(operand)),
            NodeKind::Exists(collection, body) => {
                let body = body.as_deref();
                self.semi_join(collection, body, mode).unwrap_or_else(|| {
                    let members = self.members(collection, body, |condition| condition);
                    format!("EXISTS (SELECT 1 {members})")
                })
            }
            NodeKind::Every(collection, body) => {
                let against = |condition| format!("({condition} IS NOT TRUE)");
                format!(
                    "(NOT EXISTS (SELECT 1 {}))",
                    self.members(collection, Some(body), against)
                )
            }
            NodeKind::Null => self.dialect.null(Some(SqlKind::Truth)),
            NodeKind::Value(_)
            | NodeKind::Negate(_)
            | NodeKind::Arithmetic(..)
            | NodeKind::Count(..) => self.value(node),
        }
    }

    /// FROM and WHERE over the members of a collection for which a condition is true.
    fn members(
        &mut self,
        collection: &Collection,
        body: Option<&Node>,
        finish: impl Fn(String) -> String,
    ) -> String {
        let navigation = collection.navigation;
        let outer = self.row(&collection.source);
        let inner = self.enter(collection.variable, navigation.target.table);
        let visible = self.visible(navigation.target, &inner);
        let may_fail = body.is_some_and(Node::may_fail);
        let body = body.map(|body| finish(self.condition(body, Mode::Filter)));
        let from = self.leave();
        let (to_key, from_key) = (
            qualified(&inner, navigation.to),
            qualified(&outer, navigation.from),
        );
        let mut link = format!("{to_key} = {from_key}");
        if let Some(visible) = visible {
            let _ = write!(link, " AND {visible}");
        }
        let condition = match body {
            None => link,
            // Otherwise the database chooses the order of evaluation, and may evaluate the body for rows that
            // are no members, and fail.
            Some(body) if may_fail => {
                format!("{link} AND CASE WHEN {link} THEN {body} ELSE FALSE END")
            }
            Some(body) => format!("{link} AND {body}"),
        };
        format!("FROM {from} WHERE {condition}")
    }

    /// An operand of a comparison. Stored booleans are numbers; compared with a condition they must become
    /// one.
    pub(super) fn operand(&mut self, node: &Node) -> String {
        if node.is_boolean() {
            self.condition(node, Mode::Exact)
        } else {
            self.value(node)
        }
    }

    fn arithmetic(&mut self, op: Arithmetic, left: &Node, right: &Node, kind: SqlKind) -> String {
        // A literal other than zero can't fail, so the database's own operator does. The smallest integer
        // divided by -1 is left to the function too.
        let safe = matches!(right.kind, NodeKind::Value(Value::Int(value)) if value > 0);
        let safe_real = matches!(right.kind, NodeKind::Value(Value::Real(value)) if value != 0.0);
        let (left, right) = match op {
            Arithmetic::Add
            | Arithmetic::Sub
            | Arithmetic::Mul
            | Arithmetic::RealDiv
            | Arithmetic::RealMod => (self.number(left, kind), self.number(right, kind)),
            _ => (self.argument(left), self.argument(right)),
        };
        match op {
            Arithmetic::Add => self.dialect.arithmetic('+', &left, &right, kind),
            Arithmetic::Sub => self.dialect.arithmetic('-', &left, &right, kind),
            Arithmetic::Mul => self.dialect.arithmetic('*', &left, &right, kind),
            Arithmetic::IntDiv if safe => format!("({left} / {right})"),
            Arithmetic::IntMod if safe => format!("({left} % {right})"),
            Arithmetic::RealDiv if safe_real => self.dialect.arithmetic('/', &left, &right, kind),
            Arithmetic::IntDiv => format!("odata_int_div({left}, {right})"),
            Arithmetic::IntMod => format!("odata_int_mod({left}, {right})"),
            Arithmetic::RealDiv => format!("odata_real_div({left}, {right})"),
            Arithmetic::RealMod => format!("odata_real_mod({left}, {right})"),
            Arithmetic::DateAdd => format!("odata_date_add({left}, {right})"),
            Arithmetic::DateSub => format!("odata_date_add({left}, -{right})"),
            Arithmetic::DateDiff => {
                format!("(({left} - {right}) * {})", crate::calendar::TICKS_PER_DAY)
            }
            Arithmetic::DurationMul => format!("odata_duration_mul({left}, {right})"),
            Arithmetic::DurationDiv => format!("odata_duration_div({left}, {right})"),
        }
    }

    /// SQL's own CASE evaluates its conditions in order too, treats null as false, and is null if none is
    /// true.
    fn case(&mut self, pairs: &[(Node, Node)], kind: SqlKind) -> String {
        let mut text = "CASE".to_owned();
        for (condition, value) in pairs {
            let condition = self.condition(condition, Mode::Filter);
            let value = match kind {
                _ if value.is_null() => self.dialect.null(Some(kind)),
                SqlKind::Truth => self.condition(value, Mode::Exact),
                SqlKind::Int | SqlKind::Wide | SqlKind::Real => self.number(value, kind),
                SqlKind::Text => self.value(value),
            };
            let _ = write!(text, " WHEN {condition} THEN {value}");
        }
        format!("({text} END)")
    }
}

impl Frame {
    fn from(&self) -> String {
        let lead = self.index_join.as_ref().map_or("", |lead| &lead.from);
        let mut text = format!("{lead}{} AS {}", self.source, self.alias);
        for join in &self.joins {
            let Join {
                parent,
                navigation,
                alias,
                visible,
            } = join;
            let (table, to, from) = (
                quote(navigation.target.table),
                qualified(alias, navigation.to),
                qualified(parent, navigation.from),
            );
            let _ = write!(text, " LEFT JOIN {table} AS {alias} ON {to} = {from}");
            if let Some(visible) = visible {
                let _ = write!(text, " AND {visible}");
            }
        }
        text
    }
}
