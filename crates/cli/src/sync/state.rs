//! The state of a copy, from which the next run continues. It is stored with the data, in the target.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use obeya::model::Timestamp;
use serde::{Deserialize, Serialize};

use super::custom_fields::CustomFields;
use super::month::Month;

/// The version of the stored state. A copy of another version is refused.
const VERSION: u32 = 1;

/// With more changed incidents than this, reading all comments is as fast as reading theirs.
const MAX_STALE_COMMENTS: usize = 2_000;

/// The state of a copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    pub(super) source: Source,
    /// When the last run finished, and whether the copy was exact.
    pub(super) finished: Option<Finished>,
    /// The watermarks of incidents and improvements.
    #[serde(rename = "records")]
    pub(super) watermarks: BTreeMap<String, Watermark>,
    /// The watermarks at which they were last exact: earlier deletions are already applied.
    #[serde(rename = "settled")]
    pub(super) exact_at: BTreeMap<String, Watermark>,
    #[serde(rename = "fields")]
    pub(super) custom_fields: CustomFields,
    /// A digest of the lists whose names records contain: when it changes, all records are read again.
    #[serde(rename = "names")]
    pub(super) names_digest: Option<u64>,
    /// Incidents that changed since the comments on them were read; `None` if all comments must be read.
    #[serde(rename = "comments", skip_serializing_if = "Option::is_none", default)]
    pub(super) stale_comments: Option<BTreeSet<i32>>,
    /// By datasource.
    pub(super) values: BTreeMap<i32, Series>,
    /// The tables that belong to the copy. Copies of earlier versions have fewer, and their targets may have
    /// tables of others with the names of new ones.
    #[serde(default = "first_tables")]
    pub(super) tables: BTreeSet<String>,
}

/// The tables of copies from before states named them, whether or not they exist.
fn first_tables() -> BTreeSet<String> {
    let names = [
        "areas",
        "boards",
        "comments",
        "datasource_values",
        "datasources",
        "groups",
        "improvements",
        "incident_categories",
        "incident_causes",
        "incident_consequences",
        "incident_custom_fields",
        "incident_types",
        "incidents",
    ];
    names.map(str::to_owned).into()
}

/// The service and the client the copy was read with. Another client may see other records, so it needs
/// another copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Source {
    pub(super) url: String,
    pub(super) client_id: String,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Finished {
    pub(super) at: Timestamp,
    pub(super) is_exact: bool,
}

/// A position in the order of changes: the copy has every change up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Watermark {
    pub(super) stamp: Timestamp,
    pub(super) id: i32,
}

impl Watermark {
    /// Before everything.
    pub(super) const START: Watermark = Watermark {
        stamp: Timestamp::MIN,
        id: 0,
    };
}

/// The values of a datasource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Series {
    /// The last registration the copy has.
    #[serde(rename = "mark")]
    pub(super) watermark: Watermark,
    /// The month at which the first read continues; `None` once it is complete.
    #[serde(rename = "walk", skip_serializing_if = "Option::is_none", default)]
    pub(super) next_month: Option<Month>,
    /// The service's last answer about the newest value, whether or not the copy has it; `None` in a state of
    /// an older version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) newest: Option<NewestValue>,
}

/// The number of values the service has of a datasource, and the last change among them, at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct NewestValue {
    pub(super) count: u64,
    pub(super) last: Watermark,
    /// The tag to revalidate this answer with; `None` if the service sends no tags.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) tag: Option<String>,
}

impl State {
    pub(super) fn new(source: Source) -> Self {
        State {
            version: VERSION,
            source,
            finished: None,
            watermarks: BTreeMap::new(),
            exact_at: BTreeMap::new(),
            custom_fields: CustomFields::default(),
            names_digest: None,
            stale_comments: None,
            values: BTreeMap::new(),
            tables: first_tables(),
        }
    }

    /// Marks the comments on changed incidents as stale, so that this run or a later one reads them again.
    pub(super) fn mark_comments_stale(&mut self, incidents: &BTreeSet<i32>) {
        if let Some(stale) = &mut self.stale_comments {
            stale.extend(incidents);
            if stale.len() > MAX_STALE_COMMENTS {
                self.stale_comments = None;
            }
        }
    }

    /// Parses a stored state.
    ///
    /// # Errors
    /// When it is invalid, or of another version.
    pub(super) fn parse(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        match serde_json::from_str(text) {
            Ok(Version { version: VERSION }) => Ok(serde_json::from_str(text)?),
            Ok(Version { version }) => bail!(
                "the copy is of version {version}, expected {VERSION}: it was written by another version of this program"
            ),
            Err(error) => bail!("the state of the copy cannot be read: {error}"),
        }
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("all keys are texts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let mut state = State::new(Source {
            url: "https://connect.example".to_owned(),
            client_id: "c".to_owned(),
        });
        let watermark = Watermark {
            stamp: "2026-03-02T06:12:00.1234567Z".parse().unwrap(),
            id: 7,
        };
        state.watermarks.insert("incidents".to_owned(), watermark);
        let next_month = Some("2026-03".parse().unwrap());
        let newest = Some(NewestValue {
            count: 3,
            last: watermark,
            tag: Some("\"s1\"".to_owned()),
        });
        let series = Series {
            watermark,
            next_month,
            newest,
        };
        state.values.insert(12, series);
        state.stale_comments = Some(BTreeSet::from([3, 7]));
        assert_eq!(State::parse(&state.text()).unwrap(), state);
    }

    #[test]
    fn many_changed_incidents_are_all_of_them() {
        let (url, client_id) = (String::new(), String::new());
        let mut state = State::new(Source { url, client_id });
        state.mark_comments_stale(&BTreeSet::from([1]));
        assert_eq!(state.stale_comments, None, "none has been read yet");
        state.stale_comments = Some(BTreeSet::new());
        state.mark_comments_stale(&(0..2_000).collect());
        state.mark_comments_stale(&BTreeSet::from([7]));
        assert_eq!(
            state.stale_comments.as_ref().map(BTreeSet::len),
            Some(2_000)
        );
        state.mark_comments_stale(&BTreeSet::from([2_000]));
        assert_eq!(state.stale_comments, None);
    }

    #[test]
    fn a_state_from_before_tags_were_kept_is_read() {
        let text = r#"{"version":1,"source":{"url":"https://connect.example","client_id":"c"},"finished":null,"records":{},"settled":{},
            "fields":FIELDS,"names":null,"values":{"12":{"mark":{"stamp":"2026-03-02T06:12:00Z","id":7}}}}"#;
        let fields = serde_json::to_string(&CustomFields::default()).unwrap();
        let state = State::parse(&text.replace("FIELDS", &fields)).unwrap();
        assert_eq!(state.values[&12].watermark.id, 7);
        assert_eq!(state.values[&12].newest, None);
        assert_eq!(state.stale_comments, None);
        assert!(state.tables.contains("incident_causes") && !state.tables.contains("users"));
    }

    #[test]
    fn another_version_and_no_state_are_distinguished() {
        let other = State::parse(r#"{"version":2,"new":true}"#).unwrap_err();
        assert!(
            other.to_string().contains("version 2, expected 1"),
            "{other}"
        );
        let none = State::parse("[]").unwrap_err();
        assert!(none.to_string().contains("cannot be read"), "{none}");
    }
}
