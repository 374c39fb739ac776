//! Operators by the types of their operands: which types can be compared and combined, and the type of the
//! result.

use super::node::{Arithmetic, Comparison, Node, NodeKind, is_integer, is_numeric, type_name};
use crate::ast::BinaryOp;
use crate::calendar::TICKS_PER_DAY;
use crate::edm::{EnumType, Type};
use crate::error::{Error, ErrorKind, excerpt};
use crate::literal;
use crate::nearest::{did_you_mean, nearest};
use crate::value::Value;

/// The type of `Namespace.Type'Member'` until it meets the enumeration it is compared with. Its written name
/// is not checked: no name of a type is on the wire of this interface, so clients have made up their own.
pub(super) static ANY_ENUM: EnumType = EnumType {
    name: "an enumeration",
    members: &[],
};

/// Two operands made comparable, or the reason they are not.
pub(super) fn align(word: &str, left: Node, right: Node) -> Result<(Node, Node), Error> {
    let left = adapt(left, right.ty)?;
    let right = adapt(right, left.ty)?;
    let fits = match (left.ty, right.ty) {
        (None, _) | (_, None) => true,
        (a, b) if is_numeric(a) && is_numeric(b) => true,
        // Members are text. Whether a literal is a member is checked only where nothing else can match.
        (Some(Type::Enum(_)), Some(Type::String)) | (Some(Type::String), Some(Type::Enum(_))) => {
            !is_any(&left) && !is_any(&right)
        }
        (a, b) => {
            a == b
                || (is_any(&left) || is_any(&right))
                    && matches!((a, b), (Some(Type::Enum(_)), Some(Type::Enum(_))))
        }
    };
    if fits {
        return Ok((left, right));
    }
    let hint = match (left.ty, right.ty) {
        (Some(Type::DateTimeOffset), Some(Type::String))
        | (Some(Type::String), Some(Type::DateTimeOffset)) => {
            "; an instant is written without quotes: 2024-01-31T00:00:00Z"
        }
        (Some(Type::Date), Some(Type::String)) | (Some(Type::String), Some(Type::Date)) => {
            "; a date is written without quotes: 2024-01-31"
        }
        (Some(Type::Date), Some(Type::DateTimeOffset)) => {
            "; a date is written 2024-01-31 or as its midnight in UTC, and `date(…)` gives an instant's date"
        }
        (Some(Type::DateTimeOffset), Some(Type::Date)) => {
            "; an instant is written 2024-01-31T00:00:00Z, and `date(…)` gives an instant's date"
        }
        (Some(Type::String), _) => "; a string is written in single quotes",
        (Some(Type::Guid), Some(Type::String)) => "; a GUID is written without quotes",
        (a, Some(Type::String)) if is_numeric(a) => "; a number is written without quotes",
        (Some(Type::Boolean), Some(Type::String)) => {
            "; `true` and `false` are written without quotes"
        }
        (Some(Type::Boolean), _) => "; a truth value is written `true` or `false`",
        (Some(Type::Enum(_)), _) => "; a member is written as its name in single quotes",
        _ => "",
    };
    let message = format!(
        "found {} and {} on the two sides of `{word}`, which can't be compared{hint}",
        type_name(left.ty),
        type_name(right.ty)
    );
    Err(Error::new(ErrorKind::Type, right.at, message))
}

fn is_any(node: &Node) -> bool {
    matches!(node.ty, Some(Type::Enum(of)) if of.name == ANY_ENUM.name)
}

/// A literal in the form that the type of the other operand requires.
pub(super) fn adapt(node: Node, beside: Option<Type>) -> Result<Node, Error> {
    // A date compared with an instant is its first moment, in UTC as every input without an offset; clients
    // that know the property as a date from v1 write it so.
    if let (Some(Type::Date), Some(Type::DateTimeOffset), NodeKind::Value(Value::Int(days))) =
        (node.ty, beside, &node.kind)
    {
        let ticks = NodeKind::Value(Value::Int(days * TICKS_PER_DAY));
        return Ok(Node::new(node.at, Type::DateTimeOffset, ticks));
    }
    // The reverse: clients that have only instants write a date as its midnight. An instant at another time
    // of day is no date.
    if let (Some(Type::DateTimeOffset), Some(Type::Date), NodeKind::Value(Value::Int(ticks))) =
        (node.ty, beside, &node.kind)
        && ticks % TICKS_PER_DAY == 0
    {
        let days = NodeKind::Value(Value::Int(ticks / TICKS_PER_DAY));
        return Ok(Node::new(node.at, Type::Date, days));
    }
    let NodeKind::Value(Value::Text(text)) = &node.kind else {
        return Ok(node);
    };
    match (node.ty, beside) {
        // `duration` before the quotes is optional since 4.01.
        (Some(Type::String), Some(Type::Duration)) => match literal::duration(text) {
            Some(ticks) => Ok(Node::new(
                node.at,
                Type::Duration,
                NodeKind::Value(Value::Int(ticks)),
            )),
            None => {
                let message = format!(
                    "found '{}'; expected a duration such as 'PT1H30M'",
                    excerpt(text)
                );
                Err(Error::new(ErrorKind::Value, node.at, message))
            }
        },
        (Some(Type::Enum(_)), Some(Type::Enum(of)))
            if is_any(&node) && of.name != ANY_ENUM.name =>
        {
            check_member(of, text, node.at)?;
            Ok(Node {
                ty: Some(Type::Enum(of)),
                ..node
            })
        }
        _ => Ok(node),
    }
}

/// Checks that the value is a member of the enumeration; otherwise the error names the one that was probably
/// meant, or all of them.
fn check_member(of: &EnumType, word: &str, at: usize) -> Result<(), Error> {
    if of.members.contains(&word) {
        return Ok(());
    }
    let hint = match nearest(word, of.members.iter().copied()) {
        near @ Some(_) => did_you_mean(near, ""),
        None => format!("; expected one of `{}`", of.members.join("`, `")),
    };
    let message = format!(
        "found '{}', which is no member of {}{hint}",
        excerpt(word),
        of.name
    );
    Err(Error::new(ErrorKind::Member, at, message))
}

/// Two operands that are tested for equality: compared with a property of an enumeration, a literal must be
/// one of its members. Any other value is a mistake, such as `severity eq 'high'`, and would silently match
/// nothing. A function of the property or of the literal is text like any other.
pub(super) fn check_members(left: &Node, right: &Node) -> Result<(), Error> {
    for (property, literal) in [(left, right), (right, left)] {
        if let (
            NodeKind::Property(..) | NodeKind::Column(_),
            Some(Type::Enum(of)),
            NodeKind::Value(Value::Text(word)),
            Some(Type::String),
        ) = (&property.kind, property.ty, &literal.kind, literal.ty)
        {
            check_member(of, word, literal.at)?;
        }
    }
    Ok(())
}

pub(super) fn compare(
    at: usize,
    op: Comparison,
    word: &str,
    left: Node,
    right: Node,
) -> Result<Node, Error> {
    let (left, right) = align(word, left, right)?;
    // NaN equals nothing, itself included; databases store it as null, which equals itself.
    if left.is_nan() || right.is_nan() {
        return Ok(Node::new(
            at,
            Type::Boolean,
            NodeKind::Boolean(op == Comparison::Ne),
        ));
    }
    let ordered = !matches!(op, Comparison::Eq | Comparison::Ne);
    if !ordered {
        check_members(&left, &right)?;
    }
    if ordered && (left.is_null() || right.is_null()) {
        return Ok(Node::new(at, Type::Boolean, NodeKind::Boolean(false)));
    }
    Ok(Node::new(
        at,
        Type::Boolean,
        NodeKind::Compare(op, Box::new(left), Box::new(right)),
    ))
}

/// Durations written as plain strings, as 4.01 allows. Nothing else that is computed with can be written as
/// one.
fn durations(op: BinaryOp, left: Node, right: Node) -> Result<(Node, Node), Error> {
    use Type::{Date, DateTimeOffset, Duration};
    let moved = |ty| matches!(ty, Some(Date | DateTimeOffset | Duration));
    match op {
        BinaryOp::Add | BinaryOp::Sub if moved(left.ty) => {
            Ok((left, adapt(right, Some(Duration))?))
        }
        BinaryOp::Add | BinaryOp::Sub if right.ty == Some(Duration) => {
            Ok((adapt(left, Some(Duration))?, right))
        }
        BinaryOp::Mul if is_numeric(right.ty) => Ok((scaled(left), right)),
        BinaryOp::Mul if is_numeric(left.ty) => Ok((left, scaled(right))),
        BinaryOp::Div | BinaryOp::DivBy if is_numeric(right.ty) => Ok((scaled(left), right)),
        _ => Ok((left, right)),
    }
}

/// Whether there is any arithmetic with values of a type.
fn computes(ty: Option<Type>) -> bool {
    use Type::{Date, DateTimeOffset, Duration};
    is_numeric(ty) || matches!(ty, Some(Date | DateTimeOffset | Duration))
}

/// The factor of a number: a duration if it parses as one; otherwise it was probably meant as a number.
fn scaled(node: Node) -> Node {
    adapt(node.clone(), Some(Type::Duration)).unwrap_or(node)
}

pub(super) fn arithmetic(at: usize, op: BinaryOp, left: Node, right: Node) -> Result<Node, Error> {
    use Type::{Date, DateTimeOffset, Double, Duration, Int64};
    let (left, right) = durations(op, left, right)?;
    // Null, and of no type: `now() sub null` could be an instant or a duration.
    if left.is_null() && computes(right.ty) || right.is_null() && computes(left.ty) {
        return Ok(Node::new(at, None, NodeKind::Null));
    }
    let numbers = is_numeric(left.ty) && is_numeric(right.ty);
    let integers = is_integer(left.ty) && is_integer(right.ty);
    let number_type = if integers { Int64 } else { Double };
    let fitted = match (op, left.ty, right.ty) {
        (BinaryOp::Add, _, _) if numbers => Some((Arithmetic::Add, number_type)),
        (BinaryOp::Sub, _, _) if numbers => Some((Arithmetic::Sub, number_type)),
        (BinaryOp::Mul, _, _) if numbers => Some((Arithmetic::Mul, number_type)),
        (BinaryOp::Div, _, _) if integers => Some((Arithmetic::IntDiv, Int64)),
        (BinaryOp::Mod, _, _) if integers => Some((Arithmetic::IntMod, Int64)),
        (BinaryOp::Div | BinaryOp::DivBy, _, _) if numbers => Some((Arithmetic::RealDiv, Double)),
        (BinaryOp::Mod, _, _) if numbers => Some((Arithmetic::RealMod, Double)),
        (BinaryOp::Add, Some(DateTimeOffset), Some(Duration)) => {
            Some((Arithmetic::Add, DateTimeOffset))
        }
        (BinaryOp::Sub, Some(DateTimeOffset), Some(Duration)) => {
            Some((Arithmetic::Sub, DateTimeOffset))
        }
        (BinaryOp::Sub, Some(DateTimeOffset), Some(DateTimeOffset)) => {
            Some((Arithmetic::Sub, Duration))
        }
        (BinaryOp::Add, Some(Duration), Some(Duration)) => Some((Arithmetic::Add, Duration)),
        (BinaryOp::Sub, Some(Duration), Some(Duration)) => Some((Arithmetic::Sub, Duration)),
        (BinaryOp::Add, Some(Date), Some(Duration)) => Some((Arithmetic::DateAdd, Date)),
        (BinaryOp::Sub, Some(Date), Some(Duration)) => Some((Arithmetic::DateSub, Date)),
        (BinaryOp::Sub, Some(Date), Some(Date)) => Some((Arithmetic::DateDiff, Duration)),
        (BinaryOp::Mul, Some(Duration), ty) if is_numeric(ty) => {
            Some((Arithmetic::DurationMul, Duration))
        }
        (BinaryOp::Mul, ty, Some(Duration)) if is_numeric(ty) => {
            Some((Arithmetic::DurationMul, Duration))
        }
        (BinaryOp::Div | BinaryOp::DivBy, Some(Duration), ty) if is_numeric(ty) => {
            Some((Arithmetic::DurationDiv, Duration))
        }
        _ => None,
    };
    let Some((kind, ty)) = fitted else {
        let message = format!(
            "found {} and {} on the two sides of `{}`; expected numbers, or an instant, date or duration with a duration",
            type_name(left.ty),
            type_name(right.ty),
            op.word()
        );
        return Err(Error::new(ErrorKind::Type, right.at, message));
    };
    let fails_on_zero = matches!(
        kind,
        Arithmetic::IntDiv | Arithmetic::IntMod | Arithmetic::RealMod | Arithmetic::DurationDiv
    );
    if right.is_zero() && fails_on_zero && op != BinaryOp::DivBy {
        return Err(Error::new(
            ErrorKind::Value,
            right.at,
            format!("found a zero after `{}`, which has no result", op.word()),
        ));
    }
    if left.is_nan() || right.is_nan() {
        return Ok(Node::new(
            at,
            Double,
            NodeKind::Value(Value::Real(f64::NAN)),
        ));
    }
    // The duration comes first, so that later stages handle one order only.
    let (left, right) = if kind == Arithmetic::DurationMul && left.ty != Some(Duration) {
        (right, left)
    } else {
        (left, right)
    };
    Ok(Node::new(
        at,
        ty,
        NodeKind::Arithmetic(kind, Box::new(left), Box::new(right)),
    ))
}
