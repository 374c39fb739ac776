//! Answers a grouping from hourly rollups instead of the rows themselves, where both give the same.
//!
//! That is so where the filter and each key have one value for all rows of an hour, and the rollup has what
//! is aggregated. Partial sums are exact, so the result has the same bits.

use super::Dialect;
use crate::ast::apply::AggregateMethod;
use crate::bind::apply::{Aggregate, Grouping};
use crate::bind::node::{Comparison, Function, Node, NodeKind, Source};
use crate::calendar::TICKS_PER_HOUR;
use crate::edm::{Column, Property};
use crate::functions::bin::BinSize;
use crate::time_zone::TimeZone;
use crate::value::Value;

/// Rows that stand for those of a table: some are one row of the table, each other one is the rollup of all
/// its rows in an hour of UTC with the same value of [`Rollup::shared`].
///
/// Their columns: those of the shared property and of the instant as in the table, the latter with the start
/// of the hour; `row_count`, and `value_count` of those with a value; `total`, the [`Dialect::partial_sum`]
/// of the values; `least` and `greatest`.
#[derive(Debug, Clone, Copy)]
pub struct Rollup {
    /// The query for these rows.
    pub rows: fn(&dyn Dialect) -> String,
    /// The property that has one value in a rollup.
    pub shared: &'static str,
    /// The property with the instant of a row.
    pub instant: &'static str,
    /// The property that is aggregated.
    pub value: &'static str,
}

impl Rollup {
    /// The aggregates of a grouping over its rows, which have this alias; `None` if they do not give the same
    /// groups as those of the table.
    pub(super) fn aggregates(
        &self,
        stage: &Grouping,
        alias: &str,
        dialect: &dyn Dialect,
    ) -> Option<Vec<String>> {
        let mut conditions_and_keys = stage.filter.iter().chain(&stage.keys);
        if !conditions_and_keys.all(|node| self.is_hourly(node)) {
            return None;
        }
        let aggregates = stage.aggregates.iter();
        aggregates
            .map(|aggregate| self.aggregate(aggregate, alias, dialect))
            .collect()
    }

    fn aggregate(
        &self,
        aggregate: &Aggregate,
        alias: &str,
        dialect: &dyn Dialect,
    ) -> Option<String> {
        let column = |name: &str| format!("{alias}.{name}");
        let (method, node) = match aggregate {
            Aggregate::Count => {
                let rows = column("row_count");
                return Some(format!("CAST(COALESCE(SUM({rows}), 0) AS BIGINT)"));
            }
            Aggregate::Of(method, node) => (method, node),
        };
        if !self.is(node, self.value) {
            return None;
        }
        match method {
            AggregateMethod::Sum => Some(dialect.combined_sum(&column("total"))),
            AggregateMethod::Average => {
                Some(dialect.combined_average(&column("total"), &column("value_count")))
            }
            AggregateMethod::Min => Some(format!("MIN({})", column("least"))),
            AggregateMethod::Max => Some(format!("MAX({})", column("greatest"))),
            AggregateMethod::CountDistinct => None,
        }
    }

    /// Whether the node has one value for all rows of an hour.
    fn is_hourly(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Property(..) => self.is(node, self.shared),
            NodeKind::Column(_)
            | NodeKind::Exists(..)
            | NodeKind::Every(..)
            | NodeKind::Count(..) => false,
            NodeKind::Call(function, arguments) if self.is_instant(arguments) => match function {
                Function::Year
                | Function::Month
                | Function::Day
                | Function::Hour
                | Function::Date => true,
                Function::Bin => is_of_hours(&arguments[1..]),
                _ => false,
            },
            NodeKind::Compare(comparison, left, right) if self.is(left, self.instant) => {
                matches!(comparison, Comparison::Ge | Comparison::Lt) && is_start_of_hour(right)
            }
            NodeKind::Compare(comparison, left, right) if self.is(right, self.instant) => {
                matches!(comparison, Comparison::Le | Comparison::Gt) && is_start_of_hour(left)
            }
            _ => node.children().all(|child| self.is_hourly(child)),
        }
    }

    fn is_instant(&self, arguments: &[Node]) -> bool {
        arguments
            .first()
            .is_some_and(|it| self.is(it, self.instant))
    }

    /// Whether the node is this property of the row.
    fn is(&self, node: &Node, name: &str) -> bool {
        match &node.kind {
            NodeKind::Property(source, property) => {
                is_of_row(source, property) && property.name == name
            }
            _ => false,
        }
    }
}

/// Another property may be read in place of one that may not be shown.
fn is_of_row(source: &Source, property: &Property) -> bool {
    source.variable == 0 && source.path.is_empty() && matches!(property.column, Column::Name(_))
}

fn is_start_of_hour(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Value(Value::Int(ticks)) if ticks % TICKS_PER_HOUR == 0)
}

/// Whether periods of this size and zone begin with hours of UTC.
fn is_of_hours(size_and_zone: &[Node]) -> bool {
    let [size, zone] = size_and_zone else {
        return false;
    };
    let size_is_of_hours = match size.bin_size() {
        Some(BinSize::Ticks(ticks)) => ticks % TICKS_PER_HOUR == 0,
        other => other.is_some(),
    };
    let NodeKind::Value(Value::Text(zone)) = &zone.kind else {
        return false;
    };
    let zone = TimeZone::named(zone);
    let changes_with_hours = zone.is_some_and(|zone| zone.offsets.are_multiples_of(TICKS_PER_HOUR));
    size_is_of_hours && changes_with_hours
}
