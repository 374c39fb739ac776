//! What a pull asks for, as the state of a broken one remembers it.

use std::str::FromStr;

use arrow_schema::SchemaRef;
use obeya::model::{
    Area, Board, DatasourceValue, Date, Group, Improvement, Incident, IncidentComment, Timestamp,
};
use obeya::tables::schema;
use serde::{Deserialize, Serialize};

use super::format::Format;

/// Everything that says which rows come, and how they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Query {
    /// Address of the service.
    pub(crate) service: String,
    pub(crate) records: Records,
    /// `$filter`
    pub(crate) condition: Option<String>,
    /// `$orderby`
    pub(crate) order: Option<String>,
    pub(crate) format: Format,
}

/// Which records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Records {
    #[serde(rename_all = "camelCase")]
    Values {
        datasource: i32,
        /// The first instant of them.
        from: Option<Timestamp>,
        /// The first instant after them.
        to: Option<Timestamp>,
    },
    Incidents,
    Improvements,
    Comments,
    Boards,
    Groups,
    Areas,
}

impl Query {
    /// The columns of its rows.
    pub(crate) fn schema(&self) -> SchemaRef {
        match self.records {
            Records::Values { .. } => schema::<DatasourceValue>(),
            Records::Incidents => schema::<Incident>(),
            Records::Improvements => schema::<Improvement>(),
            Records::Comments => schema::<IncidentComment>(),
            Records::Boards => schema::<Board>(),
            Records::Groups => schema::<Group>(),
            Records::Areas => schema::<Area>(),
        }
    }

    /// Whether its condition asks for the time. A text that reads like that passes for it.
    pub(crate) fn asks_the_time(&self) -> bool {
        let condition = self.condition.as_deref().unwrap_or_default();
        let condition = condition.to_ascii_lowercase();
        let mut parts = condition.split("now").skip(1);
        parts.any(|after| after.trim_start().starts_with('('))
    }

    /// Its condition, and that records come after this id.
    pub(crate) fn condition_after(&self, id: Option<i32>) -> Option<String> {
        match (&self.condition, id) {
            (condition, None) => condition.clone(),
            (None, Some(id)) => Some(format!("id gt {id}")),
            (Some(condition), Some(id)) => Some(format!("({condition}) and id gt {id}")),
        }
    }
}

/// An instant, or the beginning of a day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct When(pub(crate) Timestamp);

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(day) = text.parse::<Date>() {
            return Ok(Self(Timestamp::midnight(day)));
        }
        text.parse().map(Self).map_err(|_| {
            "expected a day such as 2026-01-01 or an instant such as 2026-01-01T06:00:00Z"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_its_beginning_and_an_instant_itself() {
        for (text, instant) in [
            ("2026-01-01", "2026-01-01T00:00:00Z"),
            ("2026-01-01T06:00", "2026-01-01T06:00:00Z"),
            ("2026-01-01T06:00:00.25+02:00", "2026-01-01T04:00:00.25Z"),
        ] {
            let When(found) = text.parse().unwrap();
            assert_eq!(found.to_string(), instant);
        }
        assert!(
            "2026-02-30"
                .parse::<When>()
                .unwrap_err()
                .contains("a day such as")
        );
        assert!("yesterday".parse::<When>().is_err());
    }

    #[test]
    fn a_condition_that_asks_for_the_time_is_known() {
        for (condition, asks) in [
            ("valueDate lt now()", true),
            ("dimension eq 'know' or valueDate gt Now ( )", true),
            ("dimension eq 'know-how (now)'", false),
        ] {
            let query = Query {
                service: String::new(),
                records: Records::Areas,
                condition: Some(condition.to_owned()),
                order: None,
                format: Format::Csv,
            };
            assert_eq!(query.asks_the_time(), asks, "{condition}");
        }
    }

    #[test]
    fn a_condition_stands_in_parentheses_beside_another() {
        let mut query = Query {
            service: String::new(),
            records: Records::Areas,
            condition: Some("name eq 'a' or name eq 'b'".to_owned()),
            order: None,
            format: Format::Csv,
        };
        assert_eq!(
            query.condition_after(Some(7)).as_deref(),
            Some("(name eq 'a' or name eq 'b') and id gt 7")
        );
        query.condition = None;
        assert_eq!(query.condition_after(Some(7)).as_deref(), Some("id gt 7"));
        assert_eq!(query.condition_after(None), None);
    }
}
