//! The query of a pull, as stored in its resume state.

use std::str::FromStr;

use arrow_schema::SchemaRef;
use clap::ValueEnum;
use jiff::tz::TimeZone;
use obeya::PeriodValue;
use obeya::fields::BinSize;
use obeya::fields::{UnknownWord, check_words};
use obeya::model::{
    Area, Board, DataList, DatasourceValue, Date, GroupV2, Improvement, IncidentCommentV2,
    IncidentV1, Project, Task, TaskComment, Timestamp, UserV2,
};
use obeya::tables::schema;
use serde::{Deserialize, Serialize};

use super::format::Format;
use super::record_key::RecordKey;

/// Everything that determines the rows and their encoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PullQuery {
    /// Base URL of the service.
    pub(crate) service: String,
    pub(crate) records: Selection,
    /// `$filter`
    pub(crate) condition: Option<String>,
    /// `$orderby`
    pub(crate) order: Option<String>,
    pub(crate) format: Format,
    /// Whether texts that a spreadsheet would take for formulas get a quote in front; only in CSV. Absent
    /// from states of pulls without it, also of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) guard_formulas: bool,
    /// The most rows of the file. Absent from states of pulls without a limit, also of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) top: Option<u32>,
}

/// The records to pull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Selection {
    #[serde(rename_all = "camelCase")]
    Values {
        datasource: i32,
        /// The first instant, inclusive.
        from: Option<Timestamp>,
        /// The end, exclusive.
        to: Option<Timestamp>,
    },
    /// Values of a datasource, aggregated by period in the service.
    #[serde(rename_all = "camelCase")]
    Periods {
        datasource: i32,
        /// The first instant, inclusive.
        from: Option<Timestamp>,
        /// The end, exclusive.
        to: Option<Timestamp>,
        by: PeriodSize,
        aggregate: Aggregate,
        /// The time zone whose clock counts.
        zone: Option<String>,
    },
    Incidents,
    Improvements,
    Comments,
    Boards,
    Groups,
    Areas,
    DataLists,
    Projects,
    Tasks,
    TaskComments,
    Users,
}

/// The length of a period.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PeriodSize {
    /// A quarter of an hour
    #[value(name = "15min")]
    QuarterHour,
    Hour,
    Day,
    /// From Monday
    Week,
    Month,
    Quarter,
    Year,
}

impl PeriodSize {
    /// The same in the SDK.
    pub(crate) fn bin_size(self) -> BinSize {
        match self {
            Self::QuarterHour => BinSize::Minutes(15),
            Self::Hour => BinSize::Hour,
            Self::Day => BinSize::Day,
            Self::Week => BinSize::Week,
            Self::Month => BinSize::Month,
            Self::Quarter => BinSize::Quarter,
            Self::Year => BinSize::Year,
        }
    }
}

/// What is computed of the values of a period.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Aggregate {
    Mean,
    Sum,
    Min,
    Max,
}

impl PullQuery {
    /// The columns of the result.
    pub(crate) fn schema(&self) -> SchemaRef {
        match self.records {
            Selection::Values { .. } => schema::<DatasourceValue>(),
            Selection::Periods { .. } => schema::<PeriodValue>(),
            Selection::Incidents => schema::<IncidentV1>(),
            Selection::Improvements => schema::<Improvement>(),
            Selection::Comments => schema::<IncidentCommentV2>(),
            Selection::Boards => schema::<Board>(),
            Selection::Groups => schema::<GroupV2>(),
            Selection::Areas => schema::<Area>(),
            Selection::DataLists => schema::<DataList>(),
            Selection::Projects => schema::<Project>(),
            Selection::Tasks => schema::<Task>(),
            Selection::TaskComments => schema::<TaskComment>(),
            Selection::Users => schema::<UserV2>(),
        }
    }

    /// Refuses a condition with a word that its enumeration does not have.
    pub(crate) fn check_words(&self) -> Result<(), UnknownWord> {
        let check = match self.records {
            Selection::Values { .. } | Selection::Periods { .. } => check_words::<DatasourceValue>,
            Selection::Incidents => check_words::<IncidentV1>,
            Selection::Improvements => check_words::<Improvement>,
            Selection::Comments => check_words::<IncidentCommentV2>,
            Selection::Boards => check_words::<Board>,
            Selection::Groups => check_words::<GroupV2>,
            Selection::Areas => check_words::<Area>,
            Selection::DataLists => check_words::<DataList>,
            Selection::Projects => check_words::<Project>,
            Selection::Tasks => check_words::<Task>,
            Selection::TaskComments => check_words::<TaskComment>,
            Selection::Users => check_words::<UserV2>,
        };
        self.condition.as_deref().map_or(Ok(()), check)
    }

    /// Whether a pull that was interrupted can continue after its last row: not in an order of the user's,
    /// and not within periods, whose rows have no ids.
    pub(crate) fn is_resumable(&self) -> bool {
        self.order.is_none() && !matches!(self.records, Selection::Periods { .. })
    }

    /// How many rows are missing after so many; `None` for all there are.
    pub(crate) fn top_after(&self, rows: u64) -> Option<u32> {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        self.top.map(|top| top.saturating_sub(rows))
    }

    /// The condition, combined with `id gt` this id.
    pub(crate) fn condition_after(&self, id: Option<&RecordKey>) -> Option<String> {
        match (&self.condition, id) {
            (condition, None) => condition.clone(),
            (None, Some(id)) => Some(format!("id gt {id}")),
            (Some(condition), Some(id)) => Some(format!("({condition}) and id gt {id}")),
        }
    }
}

/// An instant argument; a day means its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstantArg(pub(crate) Timestamp);

impl FromStr for InstantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let instant = text.parse();
        instant
            .map(Self)
            .map_err(|_| format!("expected {}", Timestamp::FORMS))
    }
}

/// A bound of values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoundArg {
    /// The beginning of a day.
    Day(Date),
    Instant(Timestamp),
}

impl BoundArg {
    /// The instant. A day begins at midnight in the zone, or in UTC.
    pub(crate) fn instant(self, zone: Option<&TimeZone>) -> Timestamp {
        let day = match self {
            Self::Day(day) => day,
            Self::Instant(instant) => return instant,
        };
        let in_zone = zone.and_then(|zone| {
            let begins = jiff::civil::Date::from(day).to_zoned(zone.clone()).ok()?;
            Timestamp::try_from(begins.timestamp()).ok()
        });
        // At the ends of the calendar a zone may have no such instant.
        in_zone.unwrap_or_else(|| Timestamp::midnight(day))
    }
}

impl FromStr for BoundArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(day) = text.parse() {
            return Ok(Self::Day(day));
        }
        let InstantArg(instant) = text.parse()?;
        Ok(Self::Instant(instant))
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;

    use super::*;

    #[test]
    fn a_day_is_its_beginning_and_an_instant_itself() {
        for (text, instant) in [
            ("2026-01-01", "2026-01-01T00:00:00Z"),
            ("2026-01-01T06:00", "2026-01-01T06:00:00Z"),
            ("2026-01-01T06:00:00.25+02:00", "2026-01-01T04:00:00.25Z"),
        ] {
            let InstantArg(found) = text.parse().unwrap();
            assert_eq!(found.to_string(), instant);
            let bound: BoundArg = text.parse().unwrap();
            assert_eq!(bound.instant(None).to_string(), instant);
        }
        let oslo = TimeZoneDatabase::bundled().get("Europe/Oslo").unwrap();
        for (text, instant) in [
            ("2026-01-01", "2025-12-31T23:00:00Z"),
            ("2026-07-01", "2026-06-30T22:00:00Z"),
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ] {
            let bound: BoundArg = text.parse().unwrap();
            assert_eq!(bound.instant(Some(&oslo)).to_string(), instant);
        }
        assert!("yesterday".parse::<BoundArg>().is_err());
        assert!(
            "2026-02-30"
                .parse::<InstantArg>()
                .unwrap_err()
                .contains("a date such as")
        );
        assert!("yesterday".parse::<InstantArg>().is_err());
    }

    /// A pull that an earlier version began continues, and an earlier version continues what this one began.
    #[test]
    fn a_query_without_later_options_is_stored_as_before_there_were_any() {
        let stored = r#"{"service":"https://a.example","records":"areas","condition":null,"order":null,"format":"csv"}"#;
        let query: PullQuery = serde_json::from_str(stored).unwrap();
        assert!(!query.guard_formulas && query.top.is_none());
        assert_eq!(serde_json::to_string(&query).unwrap(), stored);
        let guarded = PullQuery {
            guard_formulas: true,
            ..query.clone()
        };
        let text = serde_json::to_string(&guarded).unwrap();
        assert_eq!(serde_json::from_str::<PullQuery>(&text).unwrap(), guarded);
        // The rows of the two do not fit into one file.
        assert_ne!(guarded, query);
        let limited = PullQuery {
            top: Some(7),
            ..query.clone()
        };
        let text = serde_json::to_string(&limited).unwrap();
        assert_eq!(serde_json::from_str::<PullQuery>(&text).unwrap(), limited);
        assert_ne!(limited, query);
    }

    #[test]
    fn a_condition_stands_in_parentheses_beside_another() {
        let mut query = PullQuery {
            service: String::new(),
            records: Selection::Areas,
            condition: Some("name eq 'a' or name eq 'b'".to_owned()),
            order: None,
            format: Format::Csv,
            guard_formulas: false,
            top: None,
        };
        assert_eq!(
            query
                .condition_after(Some(&RecordKey::Number(7)))
                .as_deref(),
            Some("(name eq 'a' or name eq 'b') and id gt 7")
        );
        query.condition = None;
        assert_eq!(
            query
                .condition_after(Some(&RecordKey::Number(7)))
                .as_deref(),
            Some("id gt 7")
        );
        assert_eq!(query.condition_after(None), None);
    }
}
