//! Answers a grouping from sums by hour instead of the rows themselves, where both give the same.
//!
//! That is so where every value of the request is the same for all rows of an hour: its filter and its keys
//! see a row's instant only through the hour it is in, and what it aggregates is in the rollup. Sums are
//! exact before they are rounded, so the result has the same bits.

use super::Dialect;
use crate::ast::apply::AggregateMethod;
use crate::bind::apply::{Aggregate, Grouping};
use crate::bind::node::{Comparison, Function, Node, NodeKind, Source};
use crate::calendar::TICKS_PER_HOUR;
use crate::edm::{Column, Property};
use crate::functions::bin::BinSize;
use crate::time_zone::TimeZone;
use crate::value::Value;

/// Rows that stand for those of a table: some are one row of the table, the others sum up all rows of the
/// table in an hour of UTC with the same value of [`Rollup::shared`].
///
/// Their columns: those of the shared property and of the instant as in the table, the latter with the start
/// of the hour; `row_count`, and `value_count` of those with a value; `total`, the [`Dialect::exact_sum`] of
/// the values; `least` and `greatest`.
#[derive(Debug, Clone, Copy)]
pub struct Rollup {
    /// The query for these rows.
    pub rows: fn(&dyn Dialect) -> String,
    /// The property that all summed rows share.
    pub shared: &'static str,
    /// The property with the instant of a row.
    pub instant: &'static str,
    /// The property whose values are summed.
    pub value: &'static str,
}

impl Rollup {
    /// Whether its rows give the same groups as those of the table.
    pub(super) fn serves(&self, stage: &Grouping) -> bool {
        let is_served = |aggregate: &Aggregate| match aggregate {
            Aggregate::Count => true,
            Aggregate::Of(AggregateMethod::CountDistinct, _) => false,
            Aggregate::Of(_, node) => self.is(node, self.value),
        };
        stage.filter.as_ref().is_none_or(|it| self.is_hourly(it))
            && stage.keys.iter().all(|key| self.is_hourly(key))
            && stage.aggregates.iter().all(is_served)
    }

    /// An aggregate over its rows, which have this alias.
    pub(super) fn aggregate(aggregate: &Aggregate, alias: &str, dialect: &dyn Dialect) -> String {
        let column = |name: &str| format!("{alias}.{name}");
        match aggregate {
            Aggregate::Count | Aggregate::Of(AggregateMethod::CountDistinct, _) => {
                format!("CAST(COALESCE(SUM({}), 0) AS BIGINT)", column("row_count"))
            }
            Aggregate::Of(AggregateMethod::Sum, _) => dialect.sum_of_sums(&column("total")),
            Aggregate::Of(AggregateMethod::Average, _) => {
                dialect.average_of_sums(&column("total"), &column("value_count"))
            }
            Aggregate::Of(AggregateMethod::Min, _) => format!("MIN({})", column("least")),
            Aggregate::Of(AggregateMethod::Max, _) => format!("MAX({})", column("greatest")),
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
    let size_is_of_hours = match &size.kind {
        NodeKind::Value(Value::Int(ticks)) => ticks % TICKS_PER_HOUR == 0,
        NodeKind::Value(Value::Text(name)) => BinSize::named(name).is_some(),
        _ => false,
    };
    let NodeKind::Value(Value::Text(zone)) = &zone.kind else {
        return false;
    };
    let changes_with_hours = TimeZone::named(zone).is_some_and(|zone| {
        let mut all = zone.starts[1..].iter().chain(&zone.offsets);
        all.all(|ticks| ticks % TICKS_PER_HOUR == 0)
    });
    size_is_of_hours && changes_with_hours
}
