//! The SQL type of an expression, for databases that give every expression a type before they run it.
//!
//! A sum of whole numbers is the one case that the types of the language do not determine: if the result may
//! exceed 64 bits, such a database needs a cast beforehand.

use crate::bind::node::{Arithmetic, Function, Node, NodeKind};
use crate::calendar::{MAX_TICKS, MIN_TICKS, TICKS_PER_DAY};
use crate::edm::Type;
use crate::value::Value;

/// The SQL type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqlKind {
    /// A whole number of 64 bits: numbers, booleans of the store, dates, instants, times, durations.
    Int,
    /// A whole number that may pass 64 bits.
    Wide,
    /// A double.
    Real,
    /// A text.
    Text,
    /// A condition.
    Truth,
}

impl SqlKind {
    /// The kind in which values of a type are stored.
    #[must_use]
    pub fn of_type(ty: Type) -> Self {
        match ty {
            Type::Double => Self::Real,
            Type::String | Type::Guid | Type::Enum(_) | Type::Texts => Self::Text,
            Type::Boolean
            | Type::Int32
            | Type::Int64
            | Type::Date
            | Type::DateTimeOffset
            | Type::TimeOfDay
            | Type::Duration => Self::Int,
        }
    }

    /// The kind of a value; `None` for null.
    #[must_use]
    pub fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Int(_) => Some(Self::Int),
            Value::Real(_) => Some(Self::Real),
            Value::Text(_) => Some(Self::Text),
        }
    }
}

/// The least and the greatest whole number that something can be.
type Range = (i128, i128);

/// Every whole number of 64 bits.
const ANY: Range = (i64::MIN as i128, i64::MAX as i128);
/// Whole numbers that are exact as doubles.
const EXACT: i128 = 1 << 53;

/// The kind of an expression, and the range of a whole number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub kind: SqlKind,
    range: Range,
}

impl Shape {
    /// Whether it is a whole number that is exact as a double.
    pub(super) fn is_exact_as_real(self) -> bool {
        self.kind == SqlKind::Int && self.range.0 >= -EXACT && self.range.1 <= EXACT
    }

    fn plain(kind: SqlKind) -> Self {
        Self { kind, range: ANY }
    }

    fn whole(range: Range) -> Self {
        let fits = range.0 >= ANY.0 && range.1 <= ANY.1;
        let kind = if fits { SqlKind::Int } else { SqlKind::Wide };
        Self { kind, range }
    }

    fn of_type(ty: Option<Type>) -> Self {
        let days = |ticks: i64| i128::from(ticks.div_euclid(TICKS_PER_DAY));
        let range = match ty {
            Some(Type::Boolean) => (0, 1),
            Some(Type::Int32) => (i32::MIN.into(), i32::MAX.into()),
            Some(Type::Date) => (days(MIN_TICKS), days(MAX_TICKS)),
            Some(Type::DateTimeOffset) => (MIN_TICKS.into(), MAX_TICKS.into()),
            Some(Type::TimeOfDay) => (0, TICKS_PER_DAY.into()),
            _ => ANY,
        };
        Self {
            kind: ty.map_or(SqlKind::Text, SqlKind::of_type),
            range,
        }
    }

    /// The kind that includes both.
    fn or(self, other: Self) -> Self {
        let range = (
            self.range.0.min(other.range.0),
            self.range.1.max(other.range.1),
        );
        let kind = match (self.kind, other.kind) {
            (a, b) if a == b => a,
            (SqlKind::Real, SqlKind::Int | SqlKind::Wide)
            | (SqlKind::Int | SqlKind::Wide, SqlKind::Real) => SqlKind::Real,
            (SqlKind::Wide, SqlKind::Int) | (SqlKind::Int, SqlKind::Wide) => SqlKind::Wide,
            (a, _) => a,
        };
        Self { kind, range }
    }
}

/// The kind of a node's SQL; that of a condition is always [`SqlKind::Truth`] except for columns and casts,
/// which are numbers.
pub(super) fn shape(node: &Node) -> Shape {
    match &node.kind {
        NodeKind::Null | NodeKind::Property(..) | NodeKind::Column(_) | NodeKind::Cast(_) => {
            Shape::of_type(node.ty)
        }
        NodeKind::Value(Value::Int(number)) => {
            Shape::whole((i128::from(*number), i128::from(*number)))
        }
        NodeKind::Value(value) => Shape::plain(SqlKind::of_value(value).unwrap_or(SqlKind::Text)),
        NodeKind::Negate(operand) => match shape(operand) {
            Shape {
                kind: SqlKind::Int | SqlKind::Wide,
                range,
            } => Shape::whole((-range.1, -range.0)),
            other => other,
        },
        NodeKind::Arithmetic(op, left, right) => arithmetic(*op, left, right),
        NodeKind::Call(function, args) => call(*function, args),
        NodeKind::Case(_) if node.is_boolean() => Shape::plain(SqlKind::Truth),
        NodeKind::Case(pairs) => {
            let values = pairs.iter().map(|(_, value)| value);
            let known = values.filter(|value| !value.is_null()).map(shape);
            known
                .reduce(Shape::or)
                .unwrap_or_else(|| Shape::of_type(node.ty))
        }
        // No table has more rows than that.
        NodeKind::Count(..) => Shape::whole((0, EXACT)),
        NodeKind::Boolean(_)
        | NodeKind::Not(_)
        | NodeKind::Logic(..)
        | NodeKind::Compare(..)
        | NodeKind::Has(..)
        | NodeKind::In(..)
        | NodeKind::Present(_)
        | NodeKind::Exists(..)
        | NodeKind::Every(..) => Shape::plain(SqlKind::Truth),
    }
}

fn arithmetic(op: Arithmetic, left: &Node, right: &Node) -> Shape {
    match op {
        Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul => {
            let (left, right) = (shape(left), shape(right));
            if left.kind == SqlKind::Real || right.kind == SqlKind::Real {
                return Shape::plain(SqlKind::Real);
            }
            Shape::whole(combined(op, left.range, right.range))
        }
        Arithmetic::RealDiv | Arithmetic::RealMod => Shape::plain(SqlKind::Real),
        Arithmetic::IntDiv
        | Arithmetic::IntMod
        | Arithmetic::DateAdd
        | Arithmetic::DateSub
        | Arithmetic::DateDiff
        | Arithmetic::DurationMul
        | Arithmetic::DurationDiv => Shape::plain(SqlKind::Int),
    }
}

/// Ranges beyond those computed here stay wide, which is sufficient.
fn combined(op: Arithmetic, left: Range, right: Range) -> Range {
    match op {
        Arithmetic::Add => (
            left.0.saturating_add(right.0),
            left.1.saturating_add(right.1),
        ),
        Arithmetic::Sub => (
            left.0.saturating_sub(right.1),
            left.1.saturating_sub(right.0),
        ),
        _ => {
            let ends = [
                left.0.saturating_mul(right.0),
                left.0.saturating_mul(right.1),
                left.1.saturating_mul(right.0),
                left.1.saturating_mul(right.1),
            ];
            let least = ends.iter().copied().fold(i128::MAX, i128::min);
            let most = ends.iter().copied().fold(i128::MIN, i128::max);
            (least, most)
        }
    }
}

fn call(function: Function, args: &[Node]) -> Shape {
    match function {
        Function::Length
        | Function::IndexOf
        | Function::Year
        | Function::Month
        | Function::Day
        | Function::Hour
        | Function::Minute
        | Function::Second
        | Function::TotalOffsetMinutes => Shape::of_type(Some(Type::Int32)),
        Function::Bin => Shape::of_type(Some(Type::DateTimeOffset)),
        Function::Date => Shape::of_type(Some(Type::Date)),
        Function::Time => Shape::of_type(Some(Type::TimeOfDay)),
        Function::FractionalSeconds | Function::TotalSeconds => Shape::plain(SqlKind::Real),
        // Whole numbers do not change.
        Function::Round | Function::Floor | Function::Ceiling => match args.first().map(shape) {
            Some(Shape {
                kind: SqlKind::Int,
                range,
            }) => Shape::whole(range),
            Some(Shape {
                kind: SqlKind::Wide,
                ..
            }) => Shape::plain(SqlKind::Int),
            _ => Shape::plain(SqlKind::Real),
        },
        Function::Substring
        | Function::ToLower
        | Function::ToUpper
        | Function::Trim
        | Function::Concat => Shape::plain(SqlKind::Text),
        Function::Contains
        | Function::StartsWith
        | Function::EndsWith
        | Function::MatchesPattern => Shape::plain(SqlKind::Truth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(number: i64) -> Node {
        Node::new(0, Type::Int64, NodeKind::Value(Value::Int(number)))
    }

    fn of(op: Arithmetic, left: Node, right: Node) -> Node {
        let kind = NodeKind::Arithmetic(op, Box::new(left), Box::new(right));
        Node::new(0, Type::Int64, kind)
    }

    #[test]
    fn a_sum_is_wide_where_it_may_pass_64_bits() {
        use Arithmetic::{Add, Mul, Sub};
        let of = |op, left, right| shape(&of(op, int(left), int(right))).kind;
        for (op, left, right, expected) in [
            (Add, i64::MAX, 0, SqlKind::Int),
            (Add, i64::MAX, 1, SqlKind::Wide),
            (Sub, i64::MIN, 1, SqlKind::Wide),
            (Sub, -1, i64::MIN, SqlKind::Int),
            (Mul, 1 << 31, -(1 << 32), SqlKind::Int),
            (Mul, 1 << 32, 1 << 31, SqlKind::Wide),
        ] {
            assert_eq!(of(op, left, right), expected, "{left} {op:?} {right}");
        }
        let negated = Node::new(0, Type::Int64, NodeKind::Negate(Box::new(int(i64::MIN))));
        assert_eq!(shape(&negated).kind, SqlKind::Wide);
    }

    #[test]
    fn many_factors_stay_wide() {
        let product = (0..200).fold(int(i64::MIN), |product, _| {
            of(Arithmetic::Mul, product, int(i64::MIN))
        });
        assert_eq!(shape(&product).kind, SqlKind::Wide);
    }

    #[test]
    fn a_double_makes_a_double() {
        let real = Node::new(0, Type::Double, NodeKind::Value(Value::Real(0.5)));
        assert_eq!(
            shape(&of(Arithmetic::Add, int(1), real)).kind,
            SqlKind::Real
        );
        let halves = Node::new(
            0,
            Type::Double,
            NodeKind::Call(Function::Round, vec![int(5)]),
        );
        assert_eq!(shape(&halves).kind, SqlKind::Int);
    }
}
