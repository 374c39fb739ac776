//! Comments on incidents as they are stored.

use obeya_model::Timestamp;

use crate::table::table;

table! {
    /// A comment.
    incident_comments: CommentRow, CommentLine {
        key id: i32,
        required incident_id: i32 => incidents,
        required text: String,
        required comment_date: Timestamp,
        given commented_by: Option<String>,
        given commented_by_user_id: Option<String> => users,
        given parent_id: Option<i32> => incident_comments,
        given level: i32,
    }
}
