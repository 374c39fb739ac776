//! Logical operators.

use std::ops::{BitAnd, BitOr, Not};

use super::operand::Operand;
use super::types::Boolean;
use super::value::{Filter, Value};
use crate::ast::{Expr, ExprKind, Literal, LogicOp};

impl<R, K> Value<R, Boolean, K> {
    /// `… and …`
    pub fn and(self, other: impl Operand<Boolean, R>) -> Filter<R> {
        let operands = [self.into_expr(), other.into_value().into_expr()];
        join(LogicOp::And, operands)
    }

    /// `… or …`
    pub fn or(self, other: impl Operand<Boolean, R>) -> Filter<R> {
        let operands = [self.into_expr(), other.into_value().into_expr()];
        join(LogicOp::Or, operands)
    }

    /// `not …`. Null stays null, and matches neither way; a comparison is never null.
    #[expect(
        clippy::should_implement_trait,
        reason = "it is: this spares the import, as with the other operators"
    )]
    pub fn not(self) -> Filter<R> {
        Value::new(ExprKind::Not(Box::new(self.into_expr())))
    }
}

impl<R, K> Not for Value<R, Boolean, K> {
    type Output = Filter<R>;

    fn not(self) -> Filter<R> {
        Self::not(self)
    }
}

impl<R, K, O: Operand<Boolean, R>> BitAnd<O> for Value<R, Boolean, K> {
    type Output = Filter<R>;

    fn bitand(self, other: O) -> Filter<R> {
        self.and(other)
    }
}

impl<R, K, O: Operand<Boolean, R>> BitOr<O> for Value<R, Boolean, K> {
    type Output = Filter<R>;

    fn bitor(self, other: O) -> Filter<R> {
        self.or(other)
    }
}

/// All of the conditions; `true` for an empty list.
pub fn all_of<R, O: Operand<Boolean, R>>(conditions: impl IntoIterator<Item = O>) -> Filter<R> {
    let operands = conditions
        .into_iter()
        .map(|one| one.into_value().into_expr());
    join(LogicOp::And, operands)
}

/// At least one of the conditions; `false` for an empty list.
pub fn any_of<R, O: Operand<Boolean, R>>(conditions: impl IntoIterator<Item = O>) -> Filter<R> {
    let operands = conditions
        .into_iter()
        .map(|one| one.into_value().into_expr());
    join(LogicOp::Or, operands)
}

/// One flat list of operands, including those of nested lists of the same operator, so that a long chain does
/// not nest.
fn join<R>(op: LogicOp, parts: impl IntoIterator<Item = Expr>) -> Filter<R> {
    let mut operands: Vec<Expr> = Vec::new();
    for part in parts {
        match part.kind {
            // The first list is extended in place, so that the cost of a chain is linear.
            ExprKind::Logic(inner, list) if inner == op && operands.is_empty() => operands = list,
            ExprKind::Logic(inner, list) if inner == op => operands.extend(list),
            _ => operands.push(part),
        }
    }
    match operands.len() {
        0 => Value::literal(Literal::Boolean(op == LogicOp::And)),
        1 => Value::of(operands.swap_remove(0)),
        _ => Value::new(ExprKind::Logic(op, operands)),
    }
}
