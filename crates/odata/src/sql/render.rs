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
use crate::sql::kind::{Shape, shape};
use crate::sql::{Dialect, Kind, Predicate, Sought, TextIndex, Value};

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
        let placeholder = self.dialect.placeholder(self.binds.len() + 1, &value);
        self.binds.push(value);
        placeholder
    }

    /// A literal. No database here keeps a NaN, so it must not reach one.
    fn literal(&mut self, value: &Value) -> String {
        match value {
            Value::Real(number) if number.is_nan() => self.dialect.null(Some(Kind::Real)),
            value => self.bind(value.clone()),
        }
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
    pub(crate) fn lead(&mut self, index: TextIndex, sought: Sought<'_>) -> Option<String> {
        let (dialect, row, index_alias) = (self.dialect, self.root(), self.alias());
        let lead = dialect.lead(index, &row, &index_alias, sought, &mut |value| {
            self.bind(value)
        })?;
        let condition = lead.condition.clone();
        self.frames[0].lead = Some(lead);
        Some(condition)
    }

    /// A condition by which an index gives the outermost rows, if it can.
    pub(crate) fn found(&mut self, index: TextIndex, sought: Sought<'_>) -> Option<String> {
        let (dialect, row) = (self.dialect, self.root());
        dialect.found(index, &row, sought, &mut |value| self.bind(value))
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

    /// What rows are ordered by: a value that can be read and compared with one, so the number of a condition.
    pub(crate) fn key(&mut self, node: &Node) -> String {
        match shape(node).kind {
            Kind::Truth => {
                let condition = self.condition(node, Mode::Exact);
                self.dialect.truth(&condition)
            }
            Kind::Wide => self.number(node, Kind::Int),
            _ => self.value(node),
        }
    }

    /// The kind of what [`Renderer::key`] gives.
    pub(crate) fn kind_of_key(node: &Node) -> Kind {
        match shape(node).kind {
            Kind::Truth | Kind::Wide => Kind::Int,
            kind => kind,
        }
    }

    /// A number as one of a kind.
    fn number(&mut self, node: &Node, kind: Kind) -> String {
        let text = self.value(node);
        self.dialect.convert(&text, shape(node).kind, kind)
    }

    /// A value as functions take it, of 64 bits if it is a whole number.
    fn argument(&mut self, node: &Node) -> String {
        match shape(node).kind {
            Kind::Wide => self.number(node, Kind::Int),
            _ => self.value(node),
        }
    }

    /// A value; a condition becomes its truth.
    pub(crate) fn value(&mut self, node: &Node) -> String {
        match &node.kind {
            NodeKind::Null => self.dialect.null(node.ty.map(Kind::of_type)),
            NodeKind::Value(value) => self.literal(value),
            NodeKind::Property(source, property) => self.property(source, property),
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
            NodeKind::Case(pairs) => self.case(pairs, Kind::Truth),
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
            NodeKind::Null => self.dialect.null(Some(Kind::Truth)),
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
        let (left_null, right_null) = (left.nullable(), right.nullable());
        let by_null = matches!(op, Comparison::Eq | Comparison::Ne) && (left_null || right_null);
        let (left_text, right_text) = self.operands(left, right, by_null);
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

    /// Two operands as they are compared; `nulls` says whether two nulls are to compare as equal.
    fn operands(&mut self, left: &Node, right: &Node, nulls: bool) -> (String, String) {
        let stored =
            |node: &Node| matches!(node.kind, NodeKind::Property(..) | NodeKind::Boolean(_));
        if left.is_boolean() && stored(left) && stored(right) {
            return (self.stored(left), self.stored(right));
        }
        let (of_left, of_right) = (shape(left), shape(right));
        let (left, of_left) = self.beside(left, of_left, of_right);
        let (right, of_right) = self.beside(right, of_right, of_left);
        let is_mixed = |whole: Shape, real: Shape| {
            whole.kind == Kind::Int && real.kind == Kind::Real && !whole.is_exact_as_real()
        };
        let dialect = self.dialect;
        let zero = || "0".to_owned();
        if is_mixed(of_left, of_right) {
            let difference = dialect.difference(&left, &right, nulls);
            return difference.map_or((left, right), |difference| (difference, zero()));
        }
        if is_mixed(of_right, of_left) {
            let difference = dialect.difference(&right, &left, nulls);
            return difference.map_or((left, right), |difference| (zero(), difference));
        }
        (left, right)
    }

    /// An operand beside another, and what it is then: a literal takes the form that compares best.
    fn beside(&mut self, node: &Node, own: Shape, other: Shape) -> (String, Shape) {
        let NodeKind::Value(value) = &node.kind else {
            return (self.operand(node), own);
        };
        let value = self.dialect.literal(value, other.kind);
        let own = if Kind::of_value(&value) == Some(own.kind) {
            own
        } else {
            other
        };
        (self.literal(&value), own)
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
        let kind = shape(left).kind;
        let placeholders: Vec<String> = values
            .iter()
            .map(|value| self.dialect.literal(value, kind))
            .map(|value| self.bind(value))
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

    fn arithmetic(&mut self, op: Arithmetic, left: &Node, right: &Node, kind: Kind) -> String {
        // A literal other than zero can't fail, so the database's own operator does. The smallest integer divided by -1
        // is left to the function too.
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

    fn call(&mut self, function: Function, args: &[Node]) -> String {
        let of_date = matches!(args.first().and_then(|arg| arg.ty), Some(Type::Date));
        let texts: Vec<String> = match function {
            Function::MatchesPattern => self.pattern(args),
            _ => args.iter().map(|arg| self.argument(arg)).collect(),
        };
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

    /// A text, a pattern and its flags, the last two literals.
    fn pattern(&mut self, args: &[Node]) -> Vec<String> {
        let literal = |node: &Node| match &node.kind {
            NodeKind::Value(Value::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let [text, pattern, flags] = args else {
            return args.iter().map(|arg| self.argument(arg)).collect();
        };
        let known = literal(pattern).zip(literal(flags));
        let here = known.and_then(|(pattern, flags)| self.dialect.pattern(&pattern, &flags));
        let text = self.argument(text);
        let pattern = match here {
            Some(pattern) => self.bind(Value::Text(pattern)),
            None => self.argument(pattern),
        };
        vec![text, pattern, self.argument(flags)]
    }

    /// SQL's own CASE tries its conditions in order too, takes null for false, and gives null where none holds.
    fn case(&mut self, pairs: &[(Node, Node)], kind: Kind) -> String {
        let mut text = "CASE".to_owned();
        for (condition, value) in pairs {
            let condition = self.condition(condition, Mode::Filter);
            let value = match kind {
                _ if value.is_null() => self.dialect.null(Some(kind)),
                Kind::Truth => self.condition(value, Mode::Exact),
                Kind::Int | Kind::Wide | Kind::Real => self.number(value, kind),
                Kind::Text => self.value(value),
            };
            let _ = write!(text, " WHEN {condition} THEN {value}");
        }
        format!("({text} END)")
    }

    fn cast(&mut self, operand: &Node, to: Option<Type>) -> String {
        let name = |ty: Option<Type>| match ty {
            None | Some(Type::Enum(_)) => Type::String.name(),
            Some(ty) => ty.name(),
        };
        let value = if operand.is_boolean() {
            self.key(operand)
        } else {
            self.argument(operand)
        };
        let kind = to.map_or(Kind::Text, Kind::of_type);
        self.dialect.cast(&value, name(operand.ty), name(to), kind)
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
