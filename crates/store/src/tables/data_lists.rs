//! Data lists and their items as they are stored.

use obeya_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::table::table;

table! {
    /// A data list.
    data_lists: DataListRow, DataListLine {
        key id: i32,
        required name: String,
        given description: Option<String>,
        // None where the list was imported without one and has not changed since.
        given last_modified: Option<Timestamp>,
        given last_modified_by_user_id: Option<String> => users,
        derived _last_modified_by_user = "lastModifiedByUser",
        also #[serde(deserialize_with = "crate::field::or_empty")] items: Vec<ItemLine>,
    }
}

/// An item in the line of a data list.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct ItemLine {
    pub id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<i32>,
    pub identifier: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
