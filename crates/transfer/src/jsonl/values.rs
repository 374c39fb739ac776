//! A line of `datasource_values.jsonl`, and a record of `datasource_values.csv`.

use obeya_model::Timestamp;
use serde::{Deserialize, Serialize};

/// A value in a line.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct ValueLine {
    pub(crate) id: i32,
    pub(crate) data_source_id: i32,
    pub(crate) value: f64,
    pub(crate) value_date: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registration_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) area_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asset_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dimension: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dimension2: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dimension3: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dimension4: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
}
