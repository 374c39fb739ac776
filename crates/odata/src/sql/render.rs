//! Typed expressions as SQL text.
//!
//! A condition is written in one of two ways. As a *filter* null may stand for false, so `a = ?` will do and an index can
//! serve it. *Exactly*, as under `not`, a comparison must be true or false where OData says so, and null only where it says
//! null. Everything returned is safe beside any operator: a name, a placeholder, a call, or in parentheses.

use std::fmt::Write as _;

use crate::ast::LogicOp;
use crate::bind::node::{Arithmetic, Collection, Comparison, Function, Node, NodeKind, Source};
use crate::edm::{Column, EntityType, Navigation, Property, Type};
use crate::sql::dialect::Lead;
use crate::sql::{Dialect, Predicate, Value};

/// How a condition is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Filter,
    Exact,
}

/// Writes the parts of one statement and gathers what is bound to it.
pub(crate) struct Renderer<'d> {
    pub dialect: &'d dyn Dialect,
    pub binds: Vec<Value>,
    /// The rows in reach, innermost last.
    frames: Vec<Frame>,
    aliases: usize,
}

/// A row in FROM and the rows joined to it so far.
struct Frame {
    variable: usize,
    table: &'static str,
    alias: String,
    lead: Option<Lead>,
    joins: Vec<Join>,
}

struct Join {
    parent: String,
    navigation: &'static Navigation,
    alias: String,
}

/// An identifier in quotes: the model may call a table `group`.
pub(crate) fn quote(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

impl<'d> Renderer<'d> {
    /// A renderer whose variable 0 ranges over an entity, under the alias `t0`.
    pub(crate) fn new(dialect: &'d dyn Dialect, entity: &'static EntityType) -> Self {
        let mut renderer = Self {
            dialect,
            binds: Vec::new(),
            frames: Vec::new(),
            aliases: 0,
        };
        renderer.enter(0, entity.table);
        renderer
    }

    /// Binds a value and gives its placeholder.
    pub(crate) fn bind(&mut self, value: Value) -> String {
        self.binds.push(value);
        format!("?{}", self.binds.len())
    }

    fn enter(&mut self, variable: usize, table: &'static str) -> String {
        let alias = self.alias();
        self.frames.push(Frame {
            variable,
            table,
            alias: alias.clone(),
            lead: None,
            joins: Vec::new(),
        });
        alias
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases - 1)
    }

    /// What follows FROM for the outermost row, once everything that may join to it is written.
    pub(crate) fn from(&self) -> String {
        self.frames[0].from()
    }

    /// The alias of the outermost row.
    pub(crate) fn root(&self) -> String {
        self.frames[0].alias.clone()
    }

    /// Lets an index lead to the outermost rows, and gives the condition it answers; `None` where the database has no words for that.
    pub(crate) fn lead(&mut self, table: &str, column: &str, value: &Value) -> Option<String> {
        let (row, index) = (self.root(), self.alias());
        let placeholder = self.bind(value.clone());
        let lead = self.dialect.lead(table, column, &row, &index, &placeholder);
        let Some(lead) = lead else {
            self.binds.pop();
            return None;
        };
        let condition = lead.condition.clone();
        self.frames[0].lead = Some(lead);
        Some(condition)
    }

    /// The key of the outermost row, as the index that leads to it knows it.
    pub(crate) fn led_key(&self) -> Option<String> {
        self.frames[0].lead.as_ref().map(|lead| lead.key.clone())
    }

    /// A column of a row.
    pub(crate) fn column(&self, alias: &str, column: Column) -> String {
        match column {
            Column::Name(name) | Column::Indexed(name, _) => format!("{alias}.{}", quote(name)),
            Column::Expr(text) => format!("({})", text.replace("{t}", alias)),
        }
    }

    /// A condition of the caller's, its `?` numbered on.
    pub(crate) fn predicate(&mut self, predicate: &Predicate) -> String {
        let text = predicate.sql.replace("{t}", &self.root());
        let mut parts = text.split('?');
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

    /// The alias of the row a source leads to, joined on the way there. A missing row gives nulls, as OData has it.
    fn row(&mut self, source: &Source) -> String {
        // Each variable has a frame while its body is written, which is the only place that can name it.
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
                    self.frames[index].joins.push(Join {
                        parent: alias,
                        navigation,
                        alias: joined.clone(),
                    });
                    joined
                }
            };
        }
        alias
    }

    fn property(&mut self, source: &Source, property: &'static Property) -> String {
        let alias = self.row(source);
        self.column(&alias, property.column)
    }

    /// A value; a condition becomes its truth.
    pub(crate) fn value(&mut self, node: &Node) -> String {
        match &node.kind {
            NodeKind::Null => "NULL".to_owned(),
            NodeKind::Value(value) => self.bind(value.clone()),
            NodeKind::Property(source, property) => self.property(source, property),
            NodeKind::Negate(operand) => format!("(-{})", self.value(operand)),
            NodeKind::Arithmetic(op, left, right) => self.arithmetic(*op, left, right),
            NodeKind::Call(function, args) if !node.is_boolean() => self.call(*function, args),
            NodeKind::Cast(operand) => self.cast(operand, node.ty),
            NodeKind::Case(pairs) => self.case(pairs),
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
            NodeKind::Case(pairs) => self.case(pairs),
            NodeKind::Present(operand) => format!("({} IS NOT NULL)", self.operand(operand)),
            NodeKind::Exists(collection, body) => {
                format!(
                    "EXISTS (SELECT 1 {})",
                    self.members(collection, body.as_deref(), |condition| condition)
                )
            }
            NodeKind::Every(collection, body) => {
                let against = |condition| format!("({condition} IS NOT TRUE)");
                format!(
                    "(NOT EXISTS (SELECT 1 {}))",
                    self.members(collection, Some(body), against)
                )
            }
            NodeKind::Null => "NULL".to_owned(),
            NodeKind::Value(_)
            | NodeKind::Negate(_)
            | NodeKind::Arithmetic(..)
            | NodeKind::Count(..) => self.value(node),
        }
    }

    /// FROM and WHERE over the members of a collection that meet a condition.
    fn members(
        &mut self,
        collection: &Collection,
        body: Option<&Node>,
        finish: impl Fn(String) -> String,
    ) -> String {
        let navigation = collection.navigation;
        let outer = self.row(&collection.source);
        let inner = self.enter(collection.variable, navigation.target.table);
        let body = body.map(|body| finish(self.condition(body, Mode::Filter)));
        // The frame entered above; bodies leave what they enter.
        let from = self
            .frames
            .pop()
            .map(|frame| frame.from())
            .unwrap_or_default();
        let mut text = format!(
            "FROM {from} WHERE {inner}.{} = {outer}.{}",
            quote(navigation.to),
            quote(navigation.from)
        );
        if let Some(body) = body {
            let _ = write!(text, " AND {body}");
        }
        text
    }

    /// An operand of a comparison. Booleans of the store are numbers; beside a condition they must become one.
    fn operand(&mut self, node: &Node) -> String {
        if node.is_boolean() {
            self.condition(node, Mode::Exact)
        } else {
            self.value(node)
        }
    }

    fn compare(&mut self, op: Comparison, left: &Node, right: &Node, mode: Mode) -> String {
        if left.is_null() || right.is_null() {
            let other = if left.is_null() { right } else { left };
            return match op {
                Comparison::Eq => format!("({} IS NULL)", self.operand(other)),
                Comparison::Ne => format!("({} IS NOT NULL)", self.operand(other)),
                _ => "FALSE".to_owned(),
            };
        }
        let (left_text, right_text) = self.operands(left, right);
        let (left_null, right_null) = (left.nullable(), right.nullable());
        let sign = match op {
            // One side that is never null settles it where null may stand for false.
            Comparison::Eq if !(left_null || right_null) => "=",
            Comparison::Eq if mode == Mode::Filter && !(left_null && right_null) => "=",
            Comparison::Eq => return format!("({})", self.dialect.same(&left_text, &right_text)),
            Comparison::Ne if !(left_null || right_null) => "<>",
            Comparison::Ne => {
                return format!("({})", self.dialect.differs(&left_text, &right_text));
            }
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
        };
        let ordered = !matches!(op, Comparison::Eq | Comparison::Ne);
        let text = if ordered && is_text(left) {
            format!(
                "{} {sign} {right_text}",
                self.dialect.by_code_point(&left_text)
            )
        } else {
            format!("{left_text} {sign} {right_text}")
        };
        if mode == Mode::Exact && (left_null || right_null) {
            format!("(({text}) IS TRUE)")
        } else {
            format!("({text})")
        }
    }

    fn operands(&mut self, left: &Node, right: &Node) -> (String, String) {
        let stored =
            |node: &Node| matches!(node.kind, NodeKind::Property(..) | NodeKind::Boolean(_));
        if left.is_boolean() && stored(left) && stored(right) {
            return (self.stored(left), self.stored(right));
        }
        (self.operand(left), self.operand(right))
    }

    /// A boolean property or literal as the number it is stored as, which an index can serve.
    fn stored(&mut self, node: &Node) -> String {
        match node.kind {
            NodeKind::Boolean(truth) => i32::from(truth).to_string(),
            _ => self.value(node),
        }
    }

    fn among(&mut self, left: &Node, values: &[Value], null: bool, mode: Mode) -> String {
        // What is not written must not be rendered either: its values would be bound to no placeholder.
        if values.is_empty() && !null {
            return "FALSE".to_owned();
        }
        let text = self.value(left);
        let placeholders: Vec<String> = values
            .iter()
            .map(|value| self.bind(value.clone()))
            .collect();
        let listed = match (placeholders.is_empty(), mode) {
            (true, _) => "FALSE".to_owned(),
            (false, Mode::Exact) if left.nullable() => {
                format!("(({text} IN ({})) IS TRUE)", placeholders.join(", "))
            }
            (false, _) => format!("({text} IN ({}))", placeholders.join(", ")),
        };
        match null {
            false => listed,
            true if left.is_simple() => format!("({listed} OR {text} IS NULL)"),
            // The operand is null exactly where the list's answer is. Written twice, it would double at every nesting.
            true if placeholders.is_empty() => format!("({text} IS NULL)"),
            true => format!("coalesce({text} IN ({}), TRUE)", placeholders.join(", ")),
        }
    }

    fn arithmetic(&mut self, op: Arithmetic, left: &Node, right: &Node) -> String {
        // A literal other than zero can't fail, so the database's own operator does. The smallest integer divided by -1
        // is left to the function too.
        let safe = matches!(right.kind, NodeKind::Value(Value::Int(value)) if value > 0);
        let safe_real = matches!(right.kind, NodeKind::Value(Value::Real(value)) if value != 0.0);
        let (left, right) = (self.value(left), self.value(right));
        match op {
            Arithmetic::Add => format!("({left} + {right})"),
            Arithmetic::Sub => format!("({left} - {right})"),
            Arithmetic::Mul => format!("({left} * {right})"),
            Arithmetic::IntDiv if safe => format!("({left} / {right})"),
            Arithmetic::IntMod if safe => format!("({left} % {right})"),
            Arithmetic::RealDiv if safe_real => format!("({left} / {right})"),
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

    fn call(&mut self, function: Function, args: &[Node]) -> String {
        let of_date = matches!(args.first().and_then(|arg| arg.ty), Some(Type::Date));
        let texts: Vec<String> = args.iter().map(|arg| self.operand(arg)).collect();
        let [first, rest @ ..] = texts.as_slice() else {
            return "NULL".to_owned();
        };
        let second = rest.first().map_or("NULL", String::as_str);
        let simple = args.iter().all(Node::is_simple);
        let name = match function {
            Function::Contains => return format!("({} > 0)", self.dialect.position(first, second)),
            // What the dialect writes names its arguments more than once; nested, that would grow without bound.
            Function::StartsWith if simple => {
                return format!("({})", self.dialect.starts_with(first, second));
            }
            Function::EndsWith if simple => {
                return format!("({})", self.dialect.ends_with(first, second));
            }
            Function::StartsWith => return format!("(odata_starts_with({first}, {second}) = 1)"),
            Function::EndsWith => return format!("(odata_ends_with({first}, {second}) = 1)"),
            Function::Length => return self.dialect.length(first),
            Function::IndexOf => return format!("({} - 1)", self.dialect.position(first, second)),
            Function::Concat => return format!("({first} || {second})"),
            Function::MatchesPattern => {
                return format!("(odata_matches({}) = 1)", texts.join(", "));
            }
            // In UTC, as everything is kept, the offset is 0; but null stays null.
            Function::TotalOffsetMinutes => return format!("({first} * 0)"),
            Function::Substring => "odata_substring",
            Function::ToLower => "odata_lower",
            Function::ToUpper => "odata_upper",
            Function::Trim => "odata_trim",
            Function::Year if of_date => "odata_date_year",
            Function::Month if of_date => "odata_date_month",
            Function::Day if of_date => "odata_date_day",
            Function::Year => "odata_year",
            Function::Month => "odata_month",
            Function::Day => "odata_day",
            Function::Hour => "odata_hour",
            Function::Minute => "odata_minute",
            Function::Second => "odata_second",
            Function::FractionalSeconds => "odata_fraction",
            Function::Date => "odata_date",
            Function::Time => "odata_time",
            Function::TotalSeconds => "odata_total_seconds",
            Function::Round => "odata_round",
            Function::Floor => "odata_floor",
            Function::Ceiling => "odata_ceiling",
        };
        format!("{name}({})", texts.join(", "))
    }

    /// SQL's own CASE tries its conditions in order too, takes null for false, and gives null where none holds.
    fn case(&mut self, pairs: &[(Node, Node)]) -> String {
        let mut text = "CASE".to_owned();
        for (condition, value) in pairs {
            let condition = self.condition(condition, Mode::Filter);
            let _ = write!(text, " WHEN {condition} THEN {}", self.operand(value));
        }
        format!("({text} END)")
    }

    fn cast(&mut self, operand: &Node, to: Option<Type>) -> String {
        let name = |ty: Option<Type>| match ty {
            None | Some(Type::Enum(_)) => Type::String.name(),
            Some(ty) => ty.name(),
        };
        let (from, to) = (name(operand.ty), name(to));
        format!("odata_cast({}, '{from}', '{to}')", self.operand(operand))
    }
}

fn is_text(node: &Node) -> bool {
    matches!(node.ty, Some(Type::String | Type::Enum(_)))
}

impl Frame {
    fn from(&self) -> String {
        let lead = self.lead.as_ref().map_or("", |lead| &lead.from);
        let mut text = format!("{lead}{} AS {}", quote(self.table), self.alias);
        for join in &self.joins {
            let Join {
                parent,
                navigation,
                alias,
            } = join;
            let (table, to, from) = (
                quote(navigation.target.table),
                quote(navigation.to),
                quote(navigation.from),
            );
            let _ = write!(
                text,
                " LEFT JOIN {table} AS {alias} ON {alias}.{to} = {parent}.{from}"
            );
        }
        text
    }
}
