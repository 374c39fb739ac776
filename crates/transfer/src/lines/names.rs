//! A line of `data_lists.jsonl` and `improvement_categories.jsonl`: ids with their names.

use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct DataListLine {
    pub(crate) id: i32,
    pub(crate) name: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct ImprovementCategoryLine {
    pub(crate) id: i32,
    pub(crate) title: String,
}
