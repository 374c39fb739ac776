//! Which days a grouping reads from daily rollups, which ones from hourly ones, and which hours it moves from
//! the group of their day to another.

use std::ops::Range;

use crate::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR};
use crate::functions::bin::BinSize;
use crate::sql::Dialect;
use crate::time_zone::TimeZone;

/// Reasons to split days or to move hours. Each is a condition on every day.
const MOST_REASONS: usize = 8;

/// The length of the hours to move in each day, at most: each is two rows, and a day has 24 hours.
const MOST_MOVED_EACH_DAY: i64 = 8 * TICKS_PER_HOUR;

/// How the days of a grouping are read.
#[derive(Debug)]
pub struct Days {
    /// Placeholders of instants: the days that contain one are split.
    split_at: Vec<String>,
    /// Periods: the days on which one may begin are split. None if hours are moved.
    split_by: Vec<LocalPeriods>,
    /// The hours that are moved, and the periods: those of a day are moved if one may begin on it.
    moved: Option<(MovedHours, Vec<LocalPeriods>)>,
    /// Placeholders of the instants from and before which rows are read.
    from: Option<String>,
    before: Option<String>,
    utc: TimeZone,
}

/// Hours at one end of a day of UTC on which a clock may show another date than on the others. Their sums are
/// taken from the group of the day, and added to the group of each hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedHours {
    /// The ticks from the start of the day to that of each hour.
    pub hours: Range<i64>,
    /// The ticks from the start of the day to the instant at which the day itself is read: the start of an
    /// hour that is not moved.
    pub anchor: i64,
}

/// Periods by the clock of a zone that is ahead of UTC by `least` to `most` ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LocalPeriods {
    pub size: BinSize,
    pub least: i64,
    pub most: i64,
}

/// What differs within some days.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    /// Instants of bounds that are not those of a day.
    pub bounds: Vec<i64>,
    /// Periods that may begin within a day.
    pub periods: Vec<LocalPeriods>,
}

impl Reasons {
    pub fn add_bound(&mut self, instant: i64) {
        if !self.bounds.contains(&instant) {
            self.bounds.push(instant);
        }
    }

    pub fn add_periods(&mut self, periods: LocalPeriods) {
        if !self.periods.contains(&periods) {
            self.periods.push(periods);
        }
    }

    /// The hours that the periods move; `None` if these are at both ends of the day, or too many for each
    /// day.
    pub fn moved(&self) -> Option<MovedHours> {
        let least = self.periods.iter().map(|it| it.least).min()?;
        let most = self.periods.iter().map(|it| it.most).max()?;
        let moved = match (least, most) {
            (0.., _) => MovedHours {
                hours: TICKS_PER_DAY - most..TICKS_PER_DAY,
                anchor: 0,
            },
            (_, ..=0) => MovedHours {
                hours: 0..-least,
                anchor: -least,
            },
            _ => return None,
        };
        let length = moved.hours.end - moved.hours.start;
        let is_few = length < TICKS_PER_DAY && (length <= MOST_MOVED_EACH_DAY || !self.has_days());
        (is_few && self.are_few()).then_some(moved)
    }

    /// How days are read, if these hours are moved; `None` if all days are read as hours. The period that is
    /// read is between instants, of which `bind` makes placeholders.
    pub fn days(
        self,
        moved: Option<MovedHours>,
        (from, before): (Option<i64>, Option<i64>),
        mut bind: impl FnMut(i64) -> String,
    ) -> Option<Days> {
        if !self.are_few() || moved.is_none() && self.has_days() {
            return None;
        }
        let (split_by, moved) = match moved {
            Some(moved) => (Vec::new(), Some((moved, self.periods))),
            None => (self.periods, None),
        };
        Some(Days {
            split_at: self.bounds.into_iter().map(&mut bind).collect(),
            split_by,
            moved,
            from: from.map(&mut bind),
            before: before.map(&mut bind),
            utc: TimeZone::utc(),
        })
    }

    fn are_few(&self) -> bool {
        self.bounds.len() + self.periods.len() <= MOST_REASONS
    }

    /// Whether a period may begin within each day.
    fn has_days(&self) -> bool {
        self.periods.iter().any(|it| it.size == BinSize::Day)
    }
}

impl LocalPeriods {
    /// The condition that two of them may have a part of a day.
    fn may_begin_within(&self, day: &str, utc: &TimeZone, dialect: &dyn Dialect) -> String {
        let shown = |ticks: i64| dialect.bin(&format!("({day} + {ticks})"), &self.size.sql(), utc);
        let last = TICKS_PER_DAY - 1 + self.most;
        format!("{} <> {}", shown(self.least), shown(last))
    }
}

impl Days {
    /// The condition that a day is split into its hours, by the expression of its start; `None` if none is.
    #[must_use]
    pub fn split(&self, day: &str, dialect: &dyn Dialect) -> Option<String> {
        let at = self.split_at.iter();
        let at = at.map(|at| format!("({day} < {at} AND {at} < {day} + {TICKS_PER_DAY})"));
        any(at.chain(self.may_begin_within(&self.split_by, day, dialect)))
    }

    /// The hours that are moved, and the condition that those of a day are, by the expression of its start.
    #[must_use]
    pub fn moved(&self, day: &str, dialect: &dyn Dialect) -> Option<(&MovedHours, String)> {
        let (moved, periods) = self.moved.as_ref()?;
        let condition = any(self.may_begin_within(periods, day, dialect))?;
        Some((moved, condition))
    }

    fn may_begin_within(
        &self,
        periods: &[LocalPeriods],
        day: &str,
        dialect: &dyn Dialect,
    ) -> impl Iterator<Item = String> {
        periods
            .iter()
            .map(move |it| it.may_begin_within(day, &self.utc, dialect))
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

fn any(conditions: impl Iterator<Item = String>) -> Option<String> {
    let conditions: Vec<String> = conditions.collect();
    (!conditions.is_empty()).then(|| format!("({})", conditions.join(" OR ")))
}
