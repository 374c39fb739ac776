//! Tasks as they are stored, and what a body does to one.

use obeya_model::{TaskCreate, TaskInfoCreate, TaskInfoUpdate, TaskPatch, TaskUpdate, Timestamp};

use crate::table::table;
use crate::texts::Texts;
use crate::variant::Variant;
use obeya_rules::enums::TaskStatus;

table! {
    /// A task.
    tasks: TaskRow, TaskLine, TaskFields from TaskInfoUpdate, TaskInfoCreate, TaskCreate, TaskUpdate, TaskPatch {
        key id: i32,
        rule parent_id: Option<i32> => tasks,
        body required title: String,
        body description: Option<String>,
        rule status: Variant<TaskStatus>,
        body board_id: Option<i32> => boards,
        rule project_id: Option<i32> => projects,
        rule incident_id: Option<i32> => incidents,
        body responsible_user_id: Option<String> => users,
        body start_date: Option<Timestamp>,
        body due_date: Option<Timestamp>,
        body row_category_id: Option<i32>,
        body column_category_id: Option<i32>,
        body tags: Texts,
        // The bodies of v1 have none.
        rule color: Option<String>,
        body external_id: Option<String>,
        // In ticks.
        stamp last_modified: i64 as Option<Timestamp>,
        rule last_modified_by_user_id: Option<String> => users,
        derived _responsible_user = "responsibleUser",
    }
}

/// What a body asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskChange {
    /// The status to set.
    pub status: Option<TaskStatus>,
    /// The colour to set; `None` leaves it.
    pub color: Option<Option<String>>,
    /// What is set as it is.
    pub fields: TaskFields,
}

impl TaskRow {
    /// The task after a body. Where the board changes, the task leaves its row and column unless the body
    /// has others.
    #[must_use]
    pub fn changed(mut self, change: TaskChange) -> Self {
        let TaskChange {
            status,
            color,
            fields,
        } = change;
        let board = self.board_id;
        let lines = [fields.row_category_id, fields.column_category_id].map(Option::flatten);
        self.apply(fields);
        if self.board_id != board {
            [self.row_category_id, self.column_category_id] = lines;
        }
        if let Some(status) = status {
            self.status = Variant::from_enum(status);
        }
        if let Some(color) = color {
            self.color = color;
        }
        self
    }
}
