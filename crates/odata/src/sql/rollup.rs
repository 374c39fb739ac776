//! Answers a grouping from hourly and daily rollups instead of the rows themselves, where both give the same.
//!
//! That is so where the filter and each key have one value for all rows of an hour, and the rollup has what
//! is aggregated. Partial sums are exact, so the result has the same bits.
//!
//! A day is read from its daily rollup where the filter and the keys have one value for the whole day. A
//! bound of a period, or the start of a month by the clock of a zone, falls into a few days only: these are
//! split into their hours.

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

/// Reasons to split days. Each is a condition on every day.
const MOST_SPLITS: usize = 8;

/// Rows that stand for those of a table: some are one row of the table, each other one is the rollup of all
/// its rows in an hour or a day of UTC with the same value of [`Rollup::shared`].
///
/// Their columns: those of the shared property and of the instant as in the table, the latter with the start
/// of the hour or day; `row_count`, and `value_count` of those with a value; `total`, the
/// [`Dialect::partial_sum`] of the values; `least` and `greatest`.
#[derive(Debug, Clone, Copy)]
pub struct Rollup {
    /// The query for these rows, without daily rollups: for groupings that differ within days.
    pub by_hour: fn(&dyn Dialect) -> String,
    /// The query for these rows, with daily rollups of all days but those that are split.
    pub by_day: fn(&dyn Dialect, &SplitDays) -> String,
    /// The property that has one value in a rollup.
    pub shared: &'static str,
    /// The property with the instant of a row.
    pub instant: &'static str,
    /// The property that is aggregated.
    pub value: &'static str,
}

/// The days that are read as hours.
#[derive(Debug)]
pub struct SplitDays {
    /// Instants by their placeholders.
    splits: Vec<Split<String>>,
    /// Placeholders of the instants from and before which rows are read.
    from: Option<String>,
    before: Option<String>,
    utc: TimeZone,
}

/// A reason to split a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Split<Instant> {
    /// The instant is within the day.
    At(Instant),
    /// Periods of this size may begin within the day, by a clock that is ahead of UTC by `least` to `most`
    /// ticks.
    Period {
        size: BinSize,
        least: i64,
        most: i64,
    },
}

impl SplitDays {
    /// The condition that a day is split, by the expression of its start; `None` if none is.
    #[must_use]
    pub fn condition(&self, day: &str, dialect: &dyn Dialect) -> Option<String> {
        let splits = self.splits.iter().map(|split| match split {
            Split::At(instant) => {
                format!("({day} < {instant} AND {instant} < {day} + {TICKS_PER_DAY})")
            }
            Split::Period { size, least, most } => {
                let shown =
                    |ticks: i64| dialect.bin(&format!("({day} + {ticks})"), &size.sql(), &self.utc);
                format!("{} <> {}", shown(*least), shown(TICKS_PER_DAY - 1 + most))
            }
        });
        let splits: Vec<String> = splits.collect();
        (!splits.is_empty()).then(|| format!("({})", splits.join(" OR ")))
    }

    /// A condition that a day meets if it has rows that are read.
    #[must_use]
    pub fn extent(&self, day: &str) -> String {
        let from = self.from.iter();
        let from = from.map(|from| format!(" AND {day} > {from} - {TICKS_PER_DAY}"));
        let before = self.before.iter();
        let before = before.map(|before| format!(" AND {day} < {before}"));
        from.chain(before).collect()
    }
}

/// For how long an expression has one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Constancy {
    Hour,
    /// Except for days with a split.
    Day,
}

impl Rollup {
    /// The query for its rows, and the aggregates of a grouping over them, which have this alias; `None` if
    /// they do not give the same groups as those of the table.
    pub(super) fn source(
        &self,
        stage: &Grouping,
        alias: &str,
        renderer: &mut Renderer<'_>,
    ) -> Option<(String, Vec<String>)> {
        let dialect = renderer.dialect;
        let mut splits = Vec::new();
        let mut constancy = Constancy::Day;
        for node in stage.filter.iter().chain(&stage.keys) {
            constancy = constancy.min(self.constancy(node, &mut splits)?);
        }
        let aggregates = stage.aggregates.iter();
        let aggregates: Vec<String> = aggregates
            .map(|aggregate| self.aggregate(aggregate, alias, dialect))
            .collect::<Option<_>>()?;
        let rows = if constancy == Constancy::Day && splits.len() <= MOST_SPLITS {
            let days = self.split_days(&splits, stage.filter.as_ref(), renderer);
            (self.by_day)(dialect, &days)
        } else {
            (self.by_hour)(dialect)
        };
        Some((rows, aggregates))
    }

    fn split_days(
        &self,
        splits: &[Split<i64>],
        filter: Option<&Node>,
        renderer: &mut Renderer<'_>,
    ) -> SplitDays {
        let conditions = filter.map_or(&[][..], |filter| match &filter.kind {
            NodeKind::Logic(LogicOp::And, conditions) => conditions,
            _ => std::slice::from_ref(filter),
        });
        let bounds: Vec<_> = conditions.iter().filter_map(|it| self.bound(it)).collect();
        let of = |wanted: Comparison| {
            let bounds = bounds.iter().filter(move |(bound, _)| *bound == wanted);
            bounds.map(|(_, instant)| *instant)
        };
        let mut bind = |instant: i64| renderer.bind(Value::Int(instant));
        SplitDays {
            splits: splits
                .iter()
                .map(|split| match split {
                    Split::At(instant) => Split::At(bind(*instant)),
                    Split::Period { size, least, most } => Split::Period {
                        size: *size,
                        least: *least,
                        most: *most,
                    },
                })
                .collect(),
            from: of(Comparison::Ge).max().map(&mut bind),
            before: of(Comparison::Lt).min().map(&mut bind),
            utc: TimeZone::utc(),
        }
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

    /// How long the node has one value, at least; `None` if it may differ within an hour.
    fn constancy(&self, node: &Node, splits: &mut Vec<Split<i64>>) -> Option<Constancy> {
        if let Some((_, instant)) = self.bound(node) {
            if instant % TICKS_PER_DAY != 0 {
                add(splits, Split::At(instant));
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
                Function::Bin => constancy_of_bin(&arguments[1..], splits),
                _ => None,
            },
            _ => node.children().try_fold(Constancy::Day, |shortest, child| {
                Some(shortest.min(self.constancy(child, splits)?))
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
fn constancy_of_bin(size_and_zone: &[Node], splits: &mut Vec<Split<i64>>) -> Option<Constancy> {
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
        // Each would be split.
        BinSize::Day => Some(Constancy::Hour),
        size => {
            add(splits, Split::Period { size, least, most });
            Some(Constancy::Day)
        }
    }
}

fn add(splits: &mut Vec<Split<i64>>, split: Split<i64>) {
    if !splits.contains(&split) {
        splits.push(split);
    }
}
