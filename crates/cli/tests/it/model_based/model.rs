//! The plant in memory: incidents, values and the keys of requests, by the rules of the contract.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// An incident.
#[derive(Debug, Clone, PartialEq)]
pub struct Incident {
    pub fields: Fields,
    /// Its entity tag after the last write.
    pub tag: String,
    pub is_deleted: bool,
}

/// What requests set of an incident.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    pub title: String,
    pub severity: &'static str,
    pub text: Option<String>,
    pub external_id: Option<String>,
}

impl Fields {
    /// Asserts that a record shows them.
    #[track_caller]
    pub fn assert_shown(&self, record: &Value) {
        let shown = ["title", "severity", "text", "externalId"].map(|name| &record[name]);
        let expected = [
            json!(self.title),
            json!(self.severity),
            json!(self.text),
            json!(self.external_id),
        ];
        assert_eq!(shown, expected.each_ref(), "{record}");
    }
}

/// A value of the datasource.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub value: f64,
    /// Unknown after a batch, until values are listed.
    pub id: Option<i64>,
}

/// A request that was carried out under a key.
#[derive(Debug, Clone)]
pub struct Keyed {
    pub key: String,
    pub method: &'static str,
    pub path: String,
    pub body: Option<Value>,
    pub effect: Effect,
}

/// What a request was answered with, which decides on the answer to a repeat.
#[derive(Debug, Clone)]
pub enum Effect {
    /// An incident: a repeat shows it as it is.
    Incident(i64),
    /// A value: a repeat shows it as it is.
    Measured(String),
    /// A figure or nothing: a repeat is answered with the same bytes.
    Fixed(String),
}

/// Everything that the service should know.
#[derive(Debug, Default)]
pub struct Model {
    /// By id; those in the trash, too.
    pub incidents: BTreeMap<i64, Incident>,
    /// By external id.
    pub values: BTreeMap<String, Measured>,
    pub keyed: Vec<Keyed>,
    /// The last stamp of an incident: every later one is greater.
    pub last_stamp: String,
}

impl Model {
    /// An incident that is not in the trash.
    pub fn live(&self, id: i64) -> Option<&Incident> {
        self.incidents.get(&id).filter(|one| !one.is_deleted)
    }

    /// The ids in the trash, or outside of it.
    pub fn ids(&self, is_deleted: bool) -> Vec<i64> {
        let chosen = self.incidents.iter();
        let chosen = chosen.filter(|(_, one)| one.is_deleted == is_deleted);
        chosen.map(|(id, _)| *id).collect()
    }

    /// Takes over the answer to an accepted write: a new state has a new tag and a later stamp; a write that
    /// changed nothing has neither.
    #[track_caller]
    pub fn written(&mut self, id: i64, fields: Fields, record: &Value, tag: &str) {
        assert_eq!(record["id"], id);
        fields.assert_shown(record);
        assert!(!tag.is_empty(), "a record has a tag");
        let stamp = record["lastModified"].as_str().expect("a stamp").to_owned();
        let before = self.incidents.get(&id);
        let is_same = before.is_some_and(|one| one.fields == fields && !one.is_deleted);
        if is_same {
            assert_eq!(Some(tag), before.map(|one| one.tag.as_str()), "unchanged");
        } else {
            let stamp = sortable(&stamp);
            assert!(
                stamp > self.last_stamp,
                "{stamp} is later than {}",
                self.last_stamp
            );
            assert!(
                self.incidents.values().all(|one| one.tag != tag),
                "a new tag"
            );
            self.last_stamp = stamp;
        }
        let tag = tag.to_owned();
        let incident = Incident {
            fields,
            tag,
            is_deleted: false,
        };
        self.incidents.insert(id, incident);
    }
}

/// A stamp with all its seven fractional digits, as the wire leaves out zeros at the end.
fn sortable(stamp: &str) -> String {
    let stamp = stamp.trim_end_matches('Z');
    let (seconds, fraction) = stamp.split_once('.').unwrap_or((stamp, ""));
    format!("{seconds}.{fraction:0<7}")
}
