//! A line of `datasources.jsonl`.

use serde::{Deserialize, Serialize};

use obeya_rules::enums::ElementKind;
use obeya_store::field::{is_default, or_empty};
use obeya_store::variant::Variant;

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct DatasourceLine {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) object_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit_of_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) primary_input_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) elements: Option<Vec<Element>>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Element {
    pub(crate) id: ElementId,
    /// If left out, the id as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Variant<ElementKind>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_mandatory: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source_column: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_list_id: Option<i32>,
}

/// The id of an element: a number, or only a key, as in the folders of earlier versions.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected an int32 or a text")]
pub(crate) enum ElementId {
    Number(i32),
    Key(String),
}
