//! Typed expressions, and the operators that all types share.

use std::fmt;
use std::marker::PhantomData;

use super::operand::Operand;
use super::types::{Boolean, Enum, Ordered, Text, Type};
use crate::ast::{BinaryOp, Expr, ExprKind, Literal};

/// An expression of the type `T` about the entity `R`.
///
/// `K` distinguishes a [`Property`] from a computed expression. `Display` writes the text of the query
/// option.
#[must_use = "an expression does nothing until it is given to a query"]
pub struct Value<R, T, K = Computed> {
    expr: Expr,
    kind: PhantomData<Kind<R, T, K>>,
}

/// The type parameters, as a type that is always `Send` and `Sync` and owns no value.
type Kind<R, T, K> = fn() -> (R, T, K);

/// A condition on the entity `R`, for `$filter`.
pub type Filter<R> = Value<R, Boolean>;

/// A property of the type `T`, reached from the entity `R`.
pub type Property<R, T> = Value<R, T, Named>;

/// The kind of every [`Value`] that is not a property.
#[derive(Debug)]
pub enum Computed {}

/// The kind of a property or a path to one, which `$select` accepts.
#[derive(Debug)]
pub enum Named {}

impl<R, T, K> Value<R, T, K> {
    pub(super) fn new(kind: ExprKind) -> Self {
        Self::of(Expr { at: 0, kind })
    }

    pub(super) fn of(expr: Expr) -> Self {
        Self {
            expr,
            kind: PhantomData,
        }
    }

    pub(super) fn literal(literal: Literal) -> Self {
        Self::new(ExprKind::Literal(literal))
    }

    pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Self {
        Self::new(ExprKind::Call(name.to_owned(), arguments))
    }

    /// The same expression with another type; the caller guarantees that it is correct.
    pub(super) fn retyped<U, L>(self) -> Value<R, U, L> {
        Value::of(self.expr)
    }

    /// A binary operator with this expression on the left.
    pub(super) fn binary<U>(self, op: BinaryOp, right: Expr) -> Value<R, U> {
        Value::new(ExprKind::Binary(op, Box::new(self.expr), Box::new(right)))
    }

    /// A function with this expression as its only argument.
    pub(super) fn function<U>(self, name: &str) -> Value<R, U> {
        Value::call(name, vec![self.expr])
    }

    /// The syntax tree, as the parser would return it.
    #[must_use]
    pub fn into_expr(self) -> Expr {
        self.expr
    }

    /// The syntax tree.
    #[must_use]
    pub fn expr(&self) -> &Expr {
        &self.expr
    }
}

impl<R, T: Type, K> Value<R, T, K> {
    /// `eq`. Null equals null and nothing else.
    pub fn eq(self, other: impl Operand<T::Compared, R>) -> Filter<R> {
        self.binary(BinaryOp::Eq, other.into_value().into_expr())
    }

    /// `ne`. Null differs from every value, so entities without one are among those that match.
    pub fn ne(self, other: impl Operand<T::Compared, R>) -> Filter<R> {
        self.binary(BinaryOp::Ne, other.into_value().into_expr())
    }

    /// `eq null`
    pub fn is_null(self) -> Filter<R> {
        self.binary(BinaryOp::Eq, null())
    }

    /// `ne null`
    pub fn not_null(self) -> Filter<R> {
        self.binary(BinaryOp::Ne, null())
    }

    /// `in (…)`. An empty list becomes `false`: the grammar of OData has no empty list in parentheses, and
    /// not every service accepts `[]`.
    pub fn in_<O>(self, members: impl IntoIterator<Item = O>) -> Filter<R>
    where
        O: Operand<T::Compared, R>,
    {
        let members: Vec<Expr> = members
            .into_iter()
            .map(|member| member.into_value().into_expr())
            .collect();
        if members.is_empty() {
            return Value::literal(Literal::Boolean(false));
        }
        Value::new(ExprKind::In(Box::new(self.expr), members))
    }

    /// `cast(…,Edm.String)`
    pub fn to_text(self) -> Value<R, Text> {
        self.cast("Edm.String")
    }

    /// `cast(…,name)`
    pub(super) fn cast<U>(self, name: &str) -> Value<R, U> {
        let name = Expr {
            at: 0,
            kind: ExprKind::TypeName(name.to_owned()),
        };
        Value::call("cast", vec![self.expr, name])
    }
}

impl<R, T: Ordered, K> Value<R, T, K> {
    /// `gt`. False where a side is null.
    pub fn gt(self, other: impl Operand<T::Compared, R>) -> Filter<R> {
        self.binary(BinaryOp::Gt, other.into_value().into_expr())
    }

    /// `ge`. False where a side is null.
    pub fn ge(self, other: impl Operand<T::Compared, R>) -> Filter<R> {
        self.binary(BinaryOp::Ge, other.into_value().into_expr())
    }

    /// `lt`. False where a side is null.
    pub fn lt(self, other: impl Operand<T::Compared, R>) -> Filter<R> {
        self.binary(BinaryOp::Lt, other.into_value().into_expr())
    }

    /// `le`. False where a side is null.
    pub fn le(self, other: impl Operand<T::Compared, R>) -> Filter<R> {
        self.binary(BinaryOp::Le, other.into_value().into_expr())
    }
}

impl<R, E: fmt::Display, K> Value<R, Enum<E>, K> {
    /// `has`: the member is set. For an enumeration without flags it is `eq`, but null where a side is.
    pub fn has(self, member: impl Operand<Enum<E>, R>) -> Filter<R> {
        self.binary(BinaryOp::Has, member.into_value().into_expr())
    }
}

pub(super) fn null() -> Expr {
    Expr {
        at: 0,
        kind: ExprKind::Literal(Literal::Null),
    }
}

// Not derived: a derive would require `Clone` and `Debug` of the type parameters.
impl<R, T, K> Clone for Value<R, T, K> {
    fn clone(&self) -> Self {
        Self::of(self.expr.clone())
    }
}

impl<R, T, K> fmt::Debug for Value<R, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.expr)
    }
}

impl<R, T, K> fmt::Display for Value<R, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}
