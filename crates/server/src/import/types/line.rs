//! A line of `incident_types.jsonl`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::import::decode::or_empty;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct TypeLine {
    pub(super) id: i32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) categories: Vec<Category>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) consequences: Vec<Consequence>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) causes: Vec<Cause>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) custom_fields: Vec<CustomField>,
    /// By language tag.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) translations: BTreeMap<String, Translation>,
}

/// Children stand inside their parent, as on the wire, or beside it with a `parentId`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Category {
    pub(super) id: i32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) sort_order: i32,
    #[serde(default)]
    pub(super) parent_id: Option<i32>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) children: Vec<Category>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Consequence {
    pub(super) id: i32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) unit: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Cause {
    pub(super) id: i32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) sort_order: i32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct CustomField {
    pub(super) id: i32,
    pub(super) label: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) sort_order: i32,
    #[serde(default)]
    pub(super) data_list_id: Option<i32>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) is_mandatory: bool,
}

/// A type's words in one language; whatever is left out keeps the words of the default language.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Translation {
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) categories: Vec<Words>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) consequences: Vec<Words>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) causes: Vec<Words>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) custom_fields: Vec<Label>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Words {
    pub(super) id: i32,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Label {
    pub(super) id: i32,
    #[serde(default)]
    pub(super) label: Option<String>,
}
