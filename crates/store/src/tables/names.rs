//! Categories of improvements as they are stored: ids with their names.

use crate::table::table;

table! {
    /// A category of improvements.
    improvement_categories: ImprovementCategoryRow, ImprovementCategoryLine {
        key id: i32,
        required title: String,
    }
}
