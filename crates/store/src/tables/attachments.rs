//! Attachments as they are stored, without their contents.

use obeya_model::Timestamp;

use crate::table::table;

table! {
    /// An attachment of an incident or of a task.
    attachments: AttachmentRow, AttachmentLine {
        key id: i32,
        rule incident_id: Option<i32> => incidents,
        rule task_id: Option<i32> => tasks,
        // A line without it gets its id.
        rule file_id: String,
        rule required name: String,
        rule required file_extension: String,
        // These three are those of the file where a line leaves them out, and checked where it does not.
        rule content_type: String,
        rule file_size_in_bytes: i64,
        rule sha256: String,
        rule required created_date: Timestamp,
        rule created_by_user_id: Option<String> => users,
        derived _file_name = "fileName",
    }
}

impl AttachmentRow {
    /// The column that may tell who reported an anonymous incident.
    pub const CREATOR: &str = "created_by_user_id";

    /// The name of the file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, self.file_extension)
    }
}
