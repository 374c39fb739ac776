//! Data lists and categories of improvements as they are stored: ids with their names.

use crate::table::table;

table! {
    /// A data list.
    data_lists: DataListRow, DataListLine {
        key id: i32,
        required name: String,
    }
}

table! {
    /// A category of improvements.
    improvement_categories: ImprovementCategoryRow, ImprovementCategoryLine {
        key id: i32,
        required title: String,
    }
}
