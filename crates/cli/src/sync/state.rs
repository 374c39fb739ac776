//! How far a copy is: what the next run begins with. It is kept beside the data, in the target.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use obeya::model::Timestamp;
use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::month::Month;

/// What this program writes. A copy of another version is refused and not guessed at.
const VERSION: u32 = 1;

/// With more changed incidents than these, all comments are read as quickly as theirs.
const FOLLOWED: usize = 2_000;

/// How far a copy is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    pub(super) source: Source,
    /// When a run last came to its end, and whether the copy was then exact.
    pub(super) finished: Option<Finished>,
    /// Incidents and improvements.
    pub(super) records: BTreeMap<String, Mark>,
    /// The marks at which they were last found exact: what was deleted before is known.
    pub(super) settled: BTreeMap<String, Mark>,
    pub(super) fields: Fields,
    /// Of the lists that names in records come from: when they change, records are read anew.
    pub(super) names: Option<u64>,
    /// Incidents that changed since the comments on them were read; `None` where all comments are to be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) comments: Option<BTreeSet<i32>>,
    /// By datasource.
    pub(super) values: BTreeMap<i32, Series>,
}

/// Whose data it is. What another client may read is another copy.
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

/// A place in the order of changes: every change up to it is in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) stamp: Timestamp,
    pub(super) id: i32,
}

impl Mark {
    /// Before everything.
    pub(super) const START: Mark = Mark {
        stamp: Timestamp::MIN,
        id: 0,
    };
}

/// The values of a datasource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Series {
    /// By the registration of values.
    pub(super) mark: Mark,
    /// The first month that is still to be read for the first time; `None` once all were.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) walk: Option<Month>,
    /// What was last heard of them, whatever of it is in the copy; `None` where an older version of this
    /// program kept the copy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) newest: Option<Newest>,
}

/// How many values a service has of a datasource, and the last of them in the order of changes, at one
/// moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Newest {
    pub(super) count: u64,
    pub(super) last: Mark,
    /// By which the service knows that this is still so; `None` from one that gives no tags.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) tag: Option<String>,
}

impl State {
    pub(super) fn new(source: Source) -> Self {
        State {
            version: VERSION,
            source,
            finished: None,
            records: BTreeMap::new(),
            settled: BTreeMap::new(),
            fields: Fields::default(),
            names: None,
            comments: None,
            values: BTreeMap::new(),
        }
    }

    /// Takes note of incidents that change in the copy, so that the comments on them are read anew, in
    /// whatever run.
    pub(super) fn touch(&mut self, incidents: &BTreeSet<i32>) {
        if let Some(touched) = &mut self.comments {
            touched.extend(incidents);
            if touched.len() > FOLLOWED {
                self.comments = None;
            }
        }
    }

    /// Reads what a target holds.
    ///
    /// # Errors
    /// When it is none, or of another version.
    pub(super) fn parse(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        match serde_json::from_str(text) {
            Ok(Version { version: VERSION }) => Ok(serde_json::from_str(text)?),
            Ok(Version { version }) => bail!(
                "the copy is of version {version}, expected {VERSION}: it was made by another version of this program"
            ),
            Err(error) => bail!("what the copy says of itself cannot be read: {error}"),
        }
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("maps with keys that are text")
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
        let mark = Mark {
            stamp: "2026-03-02T06:12:00.1234567Z".parse().unwrap(),
            id: 7,
        };
        state.records.insert("incidents".to_owned(), mark);
        let walk = Some("2026-03".parse().unwrap());
        let newest = Some(Newest {
            count: 3,
            last: mark,
            tag: Some("\"s1\"".to_owned()),
        });
        let series = Series { mark, walk, newest };
        state.values.insert(12, series);
        state.comments = Some(BTreeSet::from([3, 7]));
        assert_eq!(State::parse(&state.text()).unwrap(), state);
    }

    #[test]
    fn many_changed_incidents_are_all_of_them() {
        let (url, client_id) = (String::new(), String::new());
        let mut state = State::new(Source { url, client_id });
        state.touch(&BTreeSet::from([1]));
        assert_eq!(state.comments, None, "nobody has read any");
        state.comments = Some(BTreeSet::new());
        state.touch(&(0..2_000).collect());
        state.touch(&BTreeSet::from([7]));
        assert_eq!(state.comments.as_ref().map(BTreeSet::len), Some(2_000));
        state.touch(&BTreeSet::from([2_000]));
        assert_eq!(state.comments, None);
    }

    #[test]
    fn a_state_from_before_tags_were_kept_is_read() {
        let text = r#"{"version":1,"source":{"url":"https://connect.example","client_id":"c"},"finished":null,"records":{},"settled":{},
            "fields":FIELDS,"names":null,"values":{"12":{"mark":{"stamp":"2026-03-02T06:12:00Z","id":7}}}}"#;
        let fields = serde_json::to_string(&Fields::default()).unwrap();
        let state = State::parse(&text.replace("FIELDS", &fields)).unwrap();
        assert_eq!(state.values[&12].mark.id, 7);
        assert_eq!(state.values[&12].newest, None);
        assert_eq!(state.comments, None);
    }

    #[test]
    fn another_version_and_no_state_are_told_apart() {
        let other = State::parse(r#"{"version":2,"new":true}"#).unwrap_err();
        assert!(
            other.to_string().contains("version 2, expected 1"),
            "{other}"
        );
        let none = State::parse("[]").unwrap_err();
        assert!(none.to_string().contains("cannot be read"), "{none}");
    }
}
