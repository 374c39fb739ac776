//! Months, by which values are stored and compared.

use std::fmt;
use std::str::FromStr;

use obeya::model::{Date, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A month in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Month {
    year: i32,
    /// 1 to 12.
    month: u32,
}

impl Month {
    /// The earliest month.
    pub(super) const FIRST: Month = Month { year: 0, month: 1 };

    pub(super) fn of(instant: Timestamp) -> Self {
        Self::of_day(instant.date())
    }

    /// Its first instant.
    pub(super) fn start(self) -> Timestamp {
        let text = format!("{self}-01");
        text.parse().map_or(Timestamp::MAX, Timestamp::midnight)
    }

    /// The next month; `None` after December 9999.
    pub(super) fn next(self) -> Option<Self> {
        match self {
            Month {
                year: 9999,
                month: 12,
            } => None,
            Month { year, month: 12 } => Some(Month {
                year: year + 1,
                month: 1,
            }),
            Month { year, month } => Some(Month {
                year,
                month: month + 1,
            }),
        }
    }

    /// The last instant before the month; `None` for the earliest month.
    pub(super) fn before(self) -> Option<Timestamp> {
        Timestamp::from_ticks(self.start().ticks() - 1)
    }

    /// The first instant after the month; `None` for the last month.
    pub(super) fn after(self) -> Option<Timestamp> {
        self.next().map(Month::start)
    }

    /// The periods outside of these months, which must be in order. Each is its first month and the month
    /// after its last one, which the period until the end of time does not have.
    pub(super) fn gaps(months: impl Iterator<Item = Self>) -> Vec<(Self, Option<Self>)> {
        let mut gaps = Vec::new();
        let mut begin = Some(Self::FIRST);
        for month in months {
            let is_gap = |begin: &Self| *begin < month;
            gaps.extend(begin.filter(is_gap).map(|begin| (begin, Some(month))));
            begin = month.next();
        }
        gaps.extend(begin.map(|begin| (begin, None)));
        gaps
    }

    fn of_day(date: Date) -> Self {
        let (year, month, _) = date.ymd();
        Month { year, month }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for Month {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let day: Result<Date, _> = format!("{text}-01").parse();
        day.map(Self::of_day)
            .map_err(|_| format!("found `{text}`, expected a month such as 2026-03"))
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_what_lies_between_its_neighbours() {
        let month: Month = "2026-12".parse().unwrap();
        assert_eq!(
            Month::of("2026-12-31T23:59:59.9999999Z".parse().unwrap()),
            month
        );
        assert_eq!(month.start(), "2026-12-01T00:00:00Z".parse().unwrap());
        assert_eq!(month.before(), "2026-11-30T23:59:59.9999999Z".parse().ok());
        assert_eq!(month.after(), "2027-01-01T00:00:00Z".parse().ok());
        assert_eq!(month.to_string(), "2026-12");
    }

    #[test]
    fn gaps_and_months_are_all_of_time() {
        let gaps = |months: &[&str]| -> String {
            let months = months.iter().map(|month| month.parse().unwrap());
            let gaps = Month::gaps(months).into_iter();
            let text = |(first, end): (Month, Option<Month>)| match end {
                Some(end) => format!("{first}..{end}"),
                None => format!("{first}.."),
            };
            gaps.map(text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(gaps(&[]), "0000-01..");
        assert_eq!(
            gaps(&["2025-11", "2025-12", "2026-01", "2026-03"]),
            "0000-01..2025-11 2026-02..2026-03 2026-04.."
        );
        assert_eq!(gaps(&["0000-01", "9999-12"]), "0000-02..9999-12");
    }

    #[test]
    fn the_ends_of_time_have_nothing_beyond() {
        assert_eq!(Month::FIRST, Month::of(Timestamp::MIN));
        assert_eq!(Month::FIRST.before(), None);
        let last = Month::of(Timestamp::MAX);
        assert_eq!((last.next(), last.after()), (None, None));
        assert!("2026-13".parse::<Month>().is_err());
    }
}
