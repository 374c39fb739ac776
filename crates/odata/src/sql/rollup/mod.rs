//! Answers a grouping from hourly and daily rollups instead of the rows themselves, where both give the same.
//!
//! That is so where the filter and each key have one value for all rows of an hour, and the rollup has what
//! is aggregated. Partial sums are exact, so the result has the same bits.
//!
//! A day is read from its daily rollup where the filter and the keys have one value for the whole day. A
//! bound of a period falls into a few days only, which are split into their hours. By the clock of a zone,
//! the first or last hours of a day may be of another date: sums take these hours from the day and add them
//! where they are; minima and maxima split the days on which a period may begin.

mod days;

pub use days::{Days, MovedHours};
use days::{LocalPeriods, Reasons};

use super::Dialect;
use super::render::Renderer;
use crate::ast::LogicOp;
use crate::ast::apply::AggregateMethod;
use crate::bind::apply::{Aggregate, Grouping};
use crate::bind::node::{Comparison, Function, Node, NodeKind, Source};
use crate::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR};
use crate::edm::{Column, Property};
use crate::functions::bin::BinSize;
use crate::time_zone::TimeZone;
use crate::value::Value;

/// Rows that stand for those of a table: some are one row of the table, each other one is the rollup of all
/// its rows in an hour or a day of UTC with the same value of [`Rollup::shared`].
///
/// Their columns: those of the shared property and of the instant as in the table, the latter with the start
/// of the hour or day, or another instant of it; `row_count`, and `value_count` of those with a value;
/// `total`, the [`Dialect::partial_sum`] of the values; `least` and `greatest`. A rollup that takes rows from
/// another has negative numbers, and any `least` and `greatest`: no minimum or maximum is asked for then.
#[derive(Debug, Clone, Copy)]
pub struct Rollup {
    /// The query for these rows, without daily rollups: for groupings that differ within days.
    pub by_hour: fn(&dyn Dialect) -> String,
    /// The query for these rows, with daily rollups of all days but those that are split.
    pub by_day: fn(&dyn Dialect, &Days) -> String,
    /// The property that has one value in a rollup.
    pub shared: &'static str,
    /// The property with the instant of a row.
    pub instant: &'static str,
    /// The property that is aggregated.
    pub value: &'static str,
}

/// For how long an expression has one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Constancy {
    Hour,
    /// Except for days with a split.
    Day,
}

/// What a grouping reads in place of the rows.
pub(super) struct FromRollup {
    /// The query for the rows.
    pub rows: String,
    /// The aggregates over them.
    pub aggregates: Vec<String>,
    /// The condition that a group is one of the table's; without it, each is.
    pub is_group: Option<String>,
}

impl Rollup {
    /// What a grouping reads, with its rows by this alias; `None` if they do not give the same groups as
    /// those of the table.
    pub(super) fn source(
        &self,
        stage: &Grouping,
        alias: &str,
        renderer: &mut Renderer<'_>,
    ) -> Option<FromRollup> {
        // Which condition of a filter is evaluated first, and so whether another one fails, depends on the
        // plan.
        if stage.filter.iter().any(|filter| self.may_fail(filter)) {
            return None;
        }
        let dialect = renderer.dialect;
        let mut reasons = Reasons::default();
        let mut constancy = Constancy::Day;
        for node in stage.filter.iter().chain(&stage.keys) {
            constancy = constancy.min(self.constancy(node, &mut reasons)?);
        }
        let moved = match constancy {
            Constancy::Day if self.may_move(stage) => reasons.moved(),
            _ => None,
        };
        let may_cancel = moved.is_some();
        let aggregates = stage.aggregates.iter();
        let aggregates: Vec<String> = aggregates
            .map(|aggregate| self.aggregate(aggregate, alias, may_cancel, dialect))
            .collect::<Option<_>>()?;
        // Nothing is bound before it is certain that the statement has it: PostgreSQL refuses a parameter
        // that is not used.
        let days = match constancy {
            Constancy::Day => {
                let extent = self.extent(stage.filter.as_ref());
                reasons.days(moved, extent, |at| renderer.bind(Value::Int(at)))
            }
            Constancy::Hour => None,
        };
        Some(FromRollup {
            rows: match days {
                Some(days) => (self.by_day)(dialect, &days),
                None => (self.by_hour)(dialect),
            },
            aggregates,
            // Without a key there is one group, also of no rows.
            is_group: (may_cancel && !stage.keys.is_empty())
                .then(|| format!("SUM({alias}.row_count) > 0")),
        })
    }

    /// Whether an hour can be taken from its day: from sums, and if no key fails at the anchor of the day,
    /// which may be one without a row.
    fn may_move(&self, stage: &Grouping) -> bool {
        let mut keys = stage.keys.iter();
        stage.aggregates.iter().all(is_sum) && !keys.any(|key| self.may_fail(key))
    }

    /// Whether the node may fail at an instant that values can have: parts of that instant do not.
    fn may_fail(&self, node: &Node) -> bool {
        let is_part_of_instant =
            matches!(&node.kind, NodeKind::Call(_, arguments) if self.is_instant(arguments));
        let mut children = node.children();
        !is_part_of_instant
            && (node.may_fail_itself() || children.any(|child| self.may_fail(child)))
    }

    /// The instants from and before which a filter lets rows through.
    fn extent(&self, filter: Option<&Node>) -> (Option<i64>, Option<i64>) {
        let conditions = filter.map_or(&[][..], |filter| match &filter.kind {
            NodeKind::Logic(LogicOp::And, conditions) => conditions,
            _ => std::slice::from_ref(filter),
        });
        let bounds: Vec<_> = conditions.iter().filter_map(|it| self.bound(it)).collect();
        let of = |wanted: Comparison| {
            let bounds = bounds.iter().filter(move |(bound, _)| *bound == wanted);
            bounds.map(|(_, instant)| *instant)
        };
        (of(Comparison::Ge).max(), of(Comparison::Lt).min())
    }

    fn aggregate(
        &self,
        aggregate: &Aggregate,
        alias: &str,
        may_cancel: bool,
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
        let (total, count) = (column("total"), column("value_count"));
        let sum = match method {
            AggregateMethod::Sum => dialect.combined_sum(&total),
            AggregateMethod::Average => dialect.combined_average(&total, &count),
            AggregateMethod::Min => return Some(format!("MIN({})", column("least"))),
            AggregateMethod::Max => return Some(format!("MAX({})", column("greatest"))),
            AggregateMethod::CountDistinct => return None,
        };
        // The sum of values that cancel each other is 0, and that of none is null.
        Some(if may_cancel {
            format!("CASE WHEN SUM({count}) > 0 THEN {sum} END")
        } else {
            sum
        })
    }

    /// How long the node has one value, at least; `None` if it may differ within an hour.
    fn constancy(&self, node: &Node, reasons: &mut Reasons) -> Option<Constancy> {
        if let Some((_, instant)) = self.bound(node) {
            if instant % TICKS_PER_DAY != 0 {
                reasons.add_bound(instant);
            }
            return (instant % TICKS_PER_HOUR == 0).then_some(Constancy::Day);
        }
        match &node.kind {
            NodeKind::Property(..) => self.is(node, self.shared).then_some(Constancy::Day),
            NodeKind::Column(_)
            | NodeKind::Exists(..)
            | NodeKind::Every(..)
            | NodeKind::Count(..) => None,
            NodeKind::Call(function, arguments) if self.is_instant(arguments) => match function {
                Function::Year | Function::Month | Function::Day | Function::Date => {
                    Some(Constancy::Day)
                }
                Function::Hour => Some(Constancy::Hour),
                Function::Bin => constancy_of_bin(&arguments[1..], reasons),
                _ => None,
            },
            _ => node.children().try_fold(Constancy::Day, |shortest, child| {
                Some(shortest.min(self.constancy(child, reasons)?))
            }),
        }
    }

    /// The bound of a period that a condition is, as [`Comparison::Ge`] or [`Comparison::Lt`] an instant.
    fn bound(&self, node: &Node) -> Option<(Comparison, i64)> {
        let NodeKind::Compare(comparison, left, right) = &node.kind else {
            return None;
        };
        let literal = |node: &Node| match node.kind {
            NodeKind::Value(Value::Int(ticks)) => Some(ticks),
            _ => None,
        };
        match comparison {
            Comparison::Ge | Comparison::Lt if self.is(left, self.instant) => {
                Some((*comparison, literal(right)?))
            }
            Comparison::Le if self.is(right, self.instant) => {
                Some((Comparison::Ge, literal(left)?))
            }
            Comparison::Gt if self.is(right, self.instant) => {
                Some((Comparison::Lt, literal(left)?))
            }
            _ => None,
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

/// How long periods of this size and zone are, if they begin with hours of UTC.
fn constancy_of_bin(size_and_zone: &[Node], reasons: &mut Reasons) -> Option<Constancy> {
    let [size, zone] = size_and_zone else {
        return None;
    };
    let NodeKind::Value(Value::Text(zone)) = &zone.kind else {
        return None;
    };
    let zone = TimeZone::named(zone)?;
    if !zone.offsets.are_multiples_of(TICKS_PER_HOUR) {
        return None;
    }
    let offsets = || zone.offsets.values.iter().copied();
    let (least, most) = (offsets().min()?, offsets().max()?);
    match size.bin_size()? {
        BinSize::Ticks(ticks) => (ticks % TICKS_PER_HOUR == 0).then_some(Constancy::Hour),
        _ if (least, most) == (0, 0) => Some(Constancy::Day),
        size => {
            reasons.add_periods(LocalPeriods { size, least, most });
            Some(Constancy::Day)
        }
    }
}

/// Whether the aggregate of a part of the rows can be taken from that of all.
fn is_sum(aggregate: &Aggregate) -> bool {
    match aggregate {
        Aggregate::Count => true,
        Aggregate::Of(method, _) => {
            matches!(method, AggregateMethod::Sum | AggregateMethod::Average)
        }
    }
}
