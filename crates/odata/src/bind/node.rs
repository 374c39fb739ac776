//! The typed expression tree, from which a statement is made.
//!
//! Every type error is behind us here. A node's type is `None` only for `null`.

use crate::ast::LogicOp;
use crate::edm::{Column, EntityType, Navigation, Property, Type};
use crate::functions::bin::BinSize;
use crate::time_zone::UTC;
use crate::value::Value;

/// A typed expression.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its position in the text.
    pub at: usize,
    /// Its type; `None` for `null`.
    pub ty: Option<Type>,
    pub kind: NodeKind,
}

#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    Null,
    Boolean(bool),
    /// A literal other than null and the booleans.
    Value(Value),
    Property(Source, &'static Property),
    /// A column of the groups that the stage before results in, by its place.
    Column(usize),
    Not(Box<Node>),
    Logic(LogicOp, Vec<Node>),
    Compare(Comparison, Box<Node>, Box<Node>),
    /// `has`: equal members, but null if an operand is null.
    Has(Box<Node>, Box<Node>),
    /// Membership among literals; the flag is true if `null` is among them.
    In(Box<Node>, Vec<Value>, bool),
    Negate(Box<Node>),
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
    /// The value of the first pair whose condition is true.
    Case(Vec<(Node, Node)>),
    /// A value as another type, null if it cannot be converted; the node's type is the target.
    Cast(Box<Node>),
    /// Whether the operand is other than null.
    Present(Box<Node>),
    /// `any`
    Exists(Collection, Option<Box<Node>>),
    /// `all`
    Every(Collection, Box<Node>),
    /// `$count`
    Count(Collection, Option<Box<Node>>),
}

/// The row a path starts from and the to-one navigations it follows.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// 0 for the query's own entity, else the number of a range variable.
    pub variable: usize,
    pub path: Vec<&'static Navigation>,
}

/// The rows a lambda or a `$count` ranges over.
#[derive(Debug, Clone)]
pub(crate) struct Collection {
    pub source: Source,
    /// The to-many navigation at the end of the path.
    pub navigation: &'static Navigation,
    /// The number of the range variable, unique in the query.
    pub variable: usize,
}

impl Collection {
    pub(crate) fn entity(&self) -> &'static EntityType {
        self.navigation.target
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

/// Arithmetic by the types of its operands, since databases treat them alike and they are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// Numbers, ticks with ticks.
    Add,
    Sub,
    Mul,
    /// Whole numbers, cut towards zero; fails on zero.
    IntDiv,
    IntMod,
    /// With a fraction; by zero it is an infinity.
    RealDiv,
    RealMod,
    /// Days and ticks.
    DateAdd,
    DateSub,
    /// The ticks between two dates.
    DateDiff,
    /// Ticks and a number.
    DurationMul,
    DurationDiv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Contains,
    StartsWith,
    EndsWith,
    Length,
    IndexOf,
    Substring,
    ToLower,
    ToUpper,
    Trim,
    Concat,
    MatchesPattern,
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    FractionalSeconds,
    /// With an instant, a size (ticks or a name) and the name of a time zone, the last two literals.
    Bin,
    Date,
    Time,
    TotalSeconds,
    TotalOffsetMinutes,
    Round,
    Floor,
    Ceiling,
}

/// What the table of a time zone counts as: on PostgreSQL it has some 15,000 characters.
const ZONE_SIZE: usize = 50;

impl Node {
    pub(crate) fn new(at: usize, ty: impl Into<Option<Type>>, kind: NodeKind) -> Self {
        Self {
            at,
            ty: ty.into(),
            kind,
        }
    }

    /// The size of periods that a literal means: ticks, or a name.
    pub(crate) fn bin_size(&self) -> Option<BinSize> {
        match &self.kind {
            NodeKind::Value(Value::Int(ticks)) => BinSize::of_ticks(*ticks),
            NodeKind::Value(Value::Text(name)) => BinSize::named(name),
            _ => None,
        }
    }

    /// The number of nodes in the tree, with the members of lists.
    pub(crate) fn size(&self) -> usize {
        let inside: usize = self.children().map(Self::size).sum();
        let listed = match &self.kind {
            NodeKind::In(_, values, _) => values.len(),
            // The table of a zone is written with each period.
            NodeKind::Call(Function::Bin, arguments) => match arguments.get(2).map(|it| &it.kind) {
                Some(NodeKind::Value(Value::Text(zone))) if zone != UTC => ZONE_SIZE,
                _ => 0,
            },
            _ => 0,
        };
        1 + listed + inside
    }

    /// Whether it may fail for some rows, such as a division by zero or a number out of range.
    pub(crate) fn may_fail(&self) -> bool {
        self.may_fail_itself() || self.children().any(Self::may_fail)
    }

    /// The same if its operands do not.
    pub(crate) fn may_fail_itself(&self) -> bool {
        match &self.kind {
            NodeKind::Negate(_) | NodeKind::Arithmetic(..) => true,
            NodeKind::Call(function, _) => !matches!(
                function,
                Function::Contains
                    | Function::StartsWith
                    | Function::EndsWith
                    | Function::Length
                    | Function::IndexOf
                    | Function::ToLower
                    | Function::ToUpper
                    | Function::Trim
                    | Function::Concat
            ),
            _ => false,
        }
    }

    /// Whether its value depends on no row but that of this range variable and rows that are found from it.
    pub(crate) fn depends_only_on(&self, variable: usize) -> bool {
        // Variables of inner lambdas range over what their sources lead to, and no number is used twice.
        let is_within = |source: &Source, inner: &[usize]| {
            source.variable == variable || inner.contains(&source.variable)
        };
        let mut inner = Vec::new();
        let mut rest = vec![self];
        while let Some(node) = rest.pop() {
            let source = match &node.kind {
                NodeKind::Property(source, _) => Some(source),
                NodeKind::Exists(collection, _)
                | NodeKind::Every(collection, _)
                | NodeKind::Count(collection, _) => {
                    inner.push(collection.variable);
                    Some(&collection.source)
                }
                NodeKind::Column(_) => return false,
                _ => None,
            };
            if source.is_some_and(|source| !is_within(source, &inner)) {
                return false;
            }
            rest.extend(node.children());
        }
        true
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &Self> {
        let (one, many, pairs): (_, &[Self], &[(Self, Self)]) = match &self.kind {
            NodeKind::Null
            | NodeKind::Boolean(_)
            | NodeKind::Value(_)
            | NodeKind::Property(..)
            | NodeKind::Column(_) => ([None, None], &[], &[]),
            NodeKind::Not(node)
            | NodeKind::Negate(node)
            | NodeKind::Cast(node)
            | NodeKind::Present(node)
            | NodeKind::In(node, _, _)
            | NodeKind::Every(_, node) => ([Some(node), None], &[], &[]),
            NodeKind::Exists(_, body) | NodeKind::Count(_, body) => {
                ([body.as_ref(), None], &[], &[])
            }
            NodeKind::Compare(_, a, b) | NodeKind::Has(a, b) | NodeKind::Arithmetic(_, a, b) => {
                ([Some(a), Some(b)], &[], &[])
            }
            NodeKind::Logic(_, nodes) | NodeKind::Call(_, nodes) => ([None, None], nodes, &[]),
            NodeKind::Case(pairs) => ([None, None], &[], pairs),
        };
        let pairs = pairs.iter().flat_map(|(a, b)| [a, b]);
        one.into_iter()
            .flatten()
            .map(Box::as_ref)
            .chain(many)
            .chain(pairs)
    }

    /// Whether its SQL is a name or a placeholder, which may be written twice at no cost.
    pub(crate) fn is_simple(&self) -> bool {
        matches!(
            self.kind,
            NodeKind::Value(_)
                | NodeKind::Column(_)
                | NodeKind::Property(
                    _,
                    Property {
                        column: Column::Name(_),
                        ..
                    }
                )
        )
    }

    /// Whether the value can be null. It is assumed to be unless it is known never to be.
    pub(crate) fn nullable(&self) -> bool {
        match &self.kind {
            NodeKind::Property(source, property) => property.nullable || !source.path.is_empty(),
            NodeKind::Boolean(_)
            | NodeKind::Value(_)
            | NodeKind::Compare(..)
            | NodeKind::In(..)
            | NodeKind::Present(_)
            | NodeKind::Exists(..)
            | NodeKind::Every(..)
            | NodeKind::Count(..) => false,
            _ => true,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    pub(crate) fn is_nan(&self) -> bool {
        matches!(self.kind, NodeKind::Value(Value::Real(value)) if value.is_nan())
    }

    pub(crate) fn is_boolean(&self) -> bool {
        matches!(self.ty, Some(Type::Boolean))
    }

    /// Whether it is the number 0, whose use as a divisor is refused before any row is read.
    pub(crate) fn is_zero(&self) -> bool {
        match self.kind {
            NodeKind::Value(Value::Int(value)) => value == 0,
            NodeKind::Value(Value::Real(value)) => value == 0.0,
            _ => false,
        }
    }
}

/// How a message calls a type.
pub(crate) fn type_name(ty: Option<Type>) -> &'static str {
    ty.map_or("null", Type::name)
}

pub(crate) fn is_numeric(ty: Option<Type>) -> bool {
    matches!(ty, None | Some(Type::Int32 | Type::Int64 | Type::Double))
}

pub(crate) fn is_integer(ty: Option<Type>) -> bool {
    matches!(ty, Some(Type::Int32 | Type::Int64))
}

/// Enumerations are stored and compared as text, so they are valid where strings are.
pub(crate) fn is_text(ty: Option<Type>) -> bool {
    matches!(ty, None | Some(Type::String | Type::Enum(_)))
}
