//! Parts of `$apply`: values that are computed, and values that are aggregated, each under a name.
//!
//! The name is given by the caller. The service refuses one that is no identifier, and one that a property of
//! the entity has.

use std::fmt;
use std::marker::PhantomData;

use super::clause::{Clause, List};
use super::types::{Number, Ordered, Type};
use super::value::Value;
use crate::ast::Segment;
use crate::ast::apply::{AggregateItem, AggregateMethod, Aggregated, ComputeItem};

/// An item of `aggregate` over the entity `R`, or all of them.
#[must_use = "an aggregate does nothing until it is given to a query"]
pub struct Aggregate<R> {
    item: AggregateItem,
    entity: PhantomData<fn() -> R>,
}

/// An item of `compute` over the entity `R`, or all of them.
#[must_use = "a computed value does nothing until it is given to a query"]
pub struct Compute<R> {
    item: ComputeItem,
    entity: PhantomData<fn() -> R>,
}

/// `$count as name`: the number of records of a group.
pub fn count<R>(name: impl Into<String>) -> Aggregate<R> {
    Aggregate::of(Aggregated::Count, name)
}

impl<R> Aggregate<R> {
    fn of(value: Aggregated, name: impl Into<String>) -> Self {
        Self {
            item: AggregateItem {
                value,
                alias: alias(name),
            },
            entity: PhantomData,
        }
    }

    /// The syntax tree, as the parser would return it.
    #[must_use]
    pub fn into_item(self) -> AggregateItem {
        self.item
    }
}

impl<R> Compute<R> {
    /// The syntax tree, as the parser would return it.
    #[must_use]
    pub fn into_item(self) -> ComputeItem {
        self.item
    }
}

impl<R, T: Type, K> Value<R, T, K> {
    /// `… as name`: as an item of `compute`.
    pub fn named(self, name: impl Into<String>) -> Compute<R> {
        Compute {
            item: ComputeItem {
                expr: self.into_expr(),
                alias: alias(name),
            },
            entity: PhantomData,
        }
    }

    /// `… with countdistinct as name`: the number of distinct values of a group, without null.
    pub fn count_distinct(self, name: impl Into<String>) -> Aggregate<R> {
        self.aggregated(AggregateMethod::CountDistinct, name)
    }

    fn aggregated(self, method: AggregateMethod, name: impl Into<String>) -> Aggregate<R> {
        Aggregate::of(Aggregated::Of(self.into_expr(), method), name)
    }
}

impl<R, T: Ordered, K> Value<R, T, K> {
    /// `… with min as name`: the least value of a group; null if it has none.
    pub fn min(self, name: impl Into<String>) -> Aggregate<R> {
        self.aggregated(AggregateMethod::Min, name)
    }

    /// `… with max as name`: the greatest value of a group; null if it has none.
    pub fn max(self, name: impl Into<String>) -> Aggregate<R> {
        self.aggregated(AggregateMethod::Max, name)
    }
}

impl<R, T: Type<Compared = Number>, K> Value<R, T, K> {
    /// `… with sum as name`: the sum of the values of a group; null if it has none.
    pub fn sum(self, name: impl Into<String>) -> Aggregate<R> {
        self.aggregated(AggregateMethod::Sum, name)
    }

    /// `… with average as name`: the mean of the values of a group; null if it has none.
    pub fn average(self, name: impl Into<String>) -> Aggregate<R> {
        self.aggregated(AggregateMethod::Average, name)
    }
}

fn alias(name: impl Into<String>) -> Segment {
    Segment {
        at: 0,
        name: name.into(),
    }
}

macro_rules! items {
    ($($item:ident),+) => {$(
        impl<R> List for $item<R> {}

        impl<R> Clause<$item<R>> for $item<R> {
            fn text(self) -> Option<String> {
                Some(self.to_string())
            }

            fn is_typed(&self) -> bool {
                true
            }
        }

        impl<R> Clone for $item<R> {
            fn clone(&self) -> Self {
                Self {
                    item: self.item.clone(),
                    entity: PhantomData,
                }
            }
        }

        impl<R> fmt::Debug for $item<R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($item), "({})"), self.item)
            }
        }

        impl<R> fmt::Display for $item<R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.item.fmt(f)
            }
        }
    )+};
}

items!(Aggregate, Compute);
