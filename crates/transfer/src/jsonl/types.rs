//! A line of `incident_types.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use obeya_store::field::{is_default, or_empty};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct TypeLine {
    pub(crate) id: i32,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) categories: Vec<Category>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) consequences: Vec<Consequence>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) causes: Vec<Cause>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) custom_fields: Vec<CustomField>,
    /// By language tag.
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(crate) translations: BTreeMap<String, Translation>,
}

/// Children are inside their parent, as on the wire, or at its level with a `parentId`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Category {
    pub(crate) id: i32,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) sort_order: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<i32>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) children: Vec<Category>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Consequence {
    pub(crate) id: i32,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Cause {
    pub(crate) id: i32,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) sort_order: i32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct CustomField {
    pub(crate) id: i32,
    pub(crate) label: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) sort_order: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_list_id: Option<i32>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_mandatory: bool,
}

/// The translation of a type into one language; a text that is left out stays in the default language.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Translation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) categories: Vec<Words>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) consequences: Vec<Words>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) causes: Vec<Words>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) custom_fields: Vec<Label>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Words {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Label {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
}
