//! `$apply` as syntax: a sequence of transformations, each applied to the result of the one before.

use super::{Expr, Segment};

/// A transformation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Transformation {
    /// `filter(…)`
    Filter(Expr),
    /// `compute(… as …, …)`, at least one item.
    Compute(Vec<ComputeItem>),
    /// `aggregate(…, …)`, at least one item.
    Aggregate(Vec<AggregateItem>),
    /// `groupby((…), aggregate(…))`
    GroupBy {
        /// The paths to group by, at least one.
        paths: Vec<Vec<Segment>>,
        /// The items of `aggregate(…)`; none if only the groups are requested.
        aggregates: Vec<AggregateItem>,
    },
    /// `concat(…,…)`: the results of two or more sequences, one after another.
    Concat(Vec<Vec<Transformation>>),
}

/// One item of `compute`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ComputeItem {
    /// The value.
    pub expr: Expr,
    /// Its name in the result.
    pub alias: Segment,
}

/// One item of `aggregate`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AggregateItem {
    /// What is aggregated.
    pub value: Aggregated,
    /// Its name in the result.
    pub alias: Segment,
}

/// The value of an item of `aggregate`.
#[derive(Debug, Clone, PartialEq)]
pub enum Aggregated {
    /// `$count`: the number of records.
    Count,
    /// `… with …`
    Of(Expr, AggregateMethod),
}

/// A method of `aggregate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AggregateMethod {
    /// `sum`
    Sum,
    /// `average`
    Average,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `countdistinct`
    CountDistinct,
}

impl AggregateMethod {
    /// Every method.
    pub const ALL: [Self; 5] = [
        Self::Sum,
        Self::Average,
        Self::Min,
        Self::Max,
        Self::CountDistinct,
    ];

    /// The method as it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Average => "average",
            Self::Min => "min",
            Self::Max => "max",
            Self::CountDistinct => "countdistinct",
        }
    }
}
