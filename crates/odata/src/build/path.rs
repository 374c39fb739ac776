//! Paths: from an entity to its properties and to linked entities.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::lambda::{count, lambda};
use super::operand::Operand;
use super::types::{Boolean, Int};
use super::value::{Filter, Property, Value, null};
use crate::ast::{BinaryOp, ExprKind, LambdaOp, Segment};
use crate::lex::{is_identifier, is_literal_or_operator};

/// A path from the entity `R` to one of its properties or to a linked entity. Declarations of entities
/// consist of paths.
pub struct Path<R> {
    segments: Vec<Segment>,
    root: PhantomData<fn() -> R>,
}

/// A type whose methods are the properties of the entity at the end of a path.
pub trait Row {
    /// The entity the expression is about.
    type Root;
    /// The entity type of this row.
    type Entity;

    /// The row at the end of a path.
    fn at(path: Path<Self::Root>) -> Self;
}

impl<R> Path<R> {
    /// The entity itself.
    #[must_use]
    pub fn root() -> Self {
        Self::of(Vec::new())
    }

    /// A property of the type `T`.
    ///
    /// # Panics
    /// When `name` is no name of OData, or one that would be parsed as a literal or an operator: `a b`,
    /// `null`, `not`. Names are in code and come from no request.
    #[track_caller]
    pub fn property<T>(&self, name: &'static str) -> Property<R, T> {
        Value::new(ExprKind::Path(self.then(name)))
    }

    /// A link to at most one entity, with the row type `W`.
    ///
    /// # Panics
    /// Like [`Path::property`].
    #[track_caller]
    pub fn one<W: Row<Root = R>>(&self, name: &'static str) -> One<W> {
        let path = Self::of(self.then(name));
        One {
            row: W::at(path.clone()),
            path,
        }
    }

    /// A link to any number of entities, with the row type `W`.
    ///
    /// # Panics
    /// Like [`Path::property`].
    #[track_caller]
    pub fn many<W: Row<Root = R>>(&self, name: &'static str) -> Many<W> {
        Many {
            path: Self::of(self.then(name)),
        }
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    fn of(segments: Vec<Segment>) -> Self {
        Self {
            segments,
            root: PhantomData,
        }
    }

    /// The entity of a range variable.
    fn variable(name: &str) -> Self {
        Self::of(vec![segment(name)])
    }

    #[track_caller]
    fn then(&self, name: &'static str) -> Vec<Segment> {
        assert!(
            is_identifier(name) && !is_literal_or_operator(name),
            "`{name}` can't be a name of a property in OData"
        );
        let mut segments = self.segments.clone();
        segments.push(segment(name));
        segments
    }
}

fn segment(name: &str) -> Segment {
    Segment {
        at: 0,
        name: name.to_owned(),
    }
}

/// A link to at most one entity. The linked entity has its own methods: `board.group().name()`.
#[must_use = "a link does nothing until an expression is made of it"]
pub struct One<W: Row> {
    // A field and no method: a method would hide a property of its name.
    pub(super) path: Path<W::Root>,
    row: W,
}

impl<W: Row> One<W> {
    /// `… eq null`: it leads to nothing.
    pub fn is_null(self) -> Filter<W::Root> {
        self.beside_null(BinaryOp::Eq)
    }

    /// `… ne null`: it leads to an entity.
    pub fn not_null(self) -> Filter<W::Root> {
        self.beside_null(BinaryOp::Ne)
    }

    fn beside_null(self, op: BinaryOp) -> Filter<W::Root> {
        let path: Filter<W::Root> = Value::new(ExprKind::Path(self.path.segments));
        path.binary(op, null())
    }
}

impl<W: Row> Deref for One<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.row
    }
}

/// A link to any number of entities.
#[must_use = "a link does nothing until an expression is made of it"]
pub struct Many<W: Row> {
    pub(super) path: Path<W::Root>,
}

impl<W: Row> Many<W> {
    /// `any`: the condition is true for at least one. The closure gets the row that the condition is about,
    /// which must not be used outside of it.
    pub fn any<B>(self, condition: impl FnOnce(W) -> B) -> Filter<W::Root>
    where
        B: Operand<Boolean, W::Root>,
    {
        self.each(LambdaOp::Any, condition)
    }

    /// `all`: the condition is true for each, and so if there is none. The closure is as in [`Many::any`].
    pub fn all<B>(self, condition: impl FnOnce(W) -> B) -> Filter<W::Root>
    where
        B: Operand<Boolean, W::Root>,
    {
        self.each(LambdaOp::All, condition)
    }

    /// `any()`: there is at least one.
    pub fn exists(self) -> Filter<W::Root> {
        Value::new(ExprKind::Lambda {
            path: self.path.segments,
            op: LambdaOp::Any,
            body: None,
        })
    }

    /// `$count`: how many there are.
    pub fn count(self) -> Value<W::Root, Int> {
        Value::of(count(self.path.segments, None))
    }

    /// `$count($filter=…)`: how many there are that match. The condition is about the counted entity, like
    /// its own `$filter` would be.
    pub fn count_where(self, condition: impl Operand<Boolean, W::Entity>) -> Value<W::Root, Int> {
        let condition = condition.into_value().into_expr();
        Value::of(count(self.path.segments, Some(condition)))
    }

    fn each<B>(self, op: LambdaOp, condition: impl FnOnce(W) -> B) -> Filter<W::Root>
    where
        B: Operand<Boolean, W::Root>,
    {
        Value::of(lambda(self.path.segments, op, |variable| {
            condition(W::at(Path::variable(variable)))
                .into_value()
                .into_expr()
        }))
    }
}

// Not derived: a derive would add bounds on the entity type.
impl<R> Clone for Path<R> {
    fn clone(&self) -> Self {
        Self::of(self.segments.clone())
    }
}

impl<W: Row> Clone for Many<W> {
    fn clone(&self) -> Self {
        Self {
            path: self.path.clone(),
        }
    }
}

impl<R> fmt::Debug for Path<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.segments.iter().map(|one| one.name.as_str()).collect();
        write!(f, "Path({})", names.join("/"))
    }
}

impl<W: Row> fmt::Debug for One<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("One").field(&self.path).finish()
    }
}

impl<W: Row> fmt::Debug for Many<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Many").field(&self.path).finish()
    }
}
