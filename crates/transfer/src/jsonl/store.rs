//! The line of `store.jsonl`: the last stamp and ids that a store has issued, even to records that were
//! deleted.

use obeya_model::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct StoreLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_stamp: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_incident_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_improvement_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_value_id: Option<i32>,
}
