//! Converts the bodies of create, update and patch to what is stored, and checks what their schemas require
//! beyond types.

use obeya_model::bounds::schemas::{
    task_create, task_info_create, task_info_update, task_patch, task_update,
};
use obeya_model::{TaskCreate, TaskInfoCreate, TaskInfoUpdate, TaskPatch, TaskStatus, TaskUpdate};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ops::never_null::Properties;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::tables::tasks::{TaskChange, TaskFields};
use obeya_store::texts::Texts;

impl Properties for TaskInfoCreate {
    const NEVER_NULL: &'static [&'static str] = &["status"];
}

impl Properties for TaskInfoUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status"];
}

// Their schemas require what is never null.
impl Properties for TaskCreate {
    const NEVER_NULL: &'static [&'static str] = &[];
}

impl Properties for TaskUpdate {
    const NEVER_NULL: &'static [&'static str] = &[];
}

impl Properties for TaskPatch {
    const NEVER_NULL: &'static [&'static str] = &["title", "status"];
}

// One check serves the bodies of both generations.
macro_rules! bounded_alike {
    ($($schema:ident)+) => {
        const _: () = {
            use task_info_create::{external_id, tags, title};
            $(
                assert!(*$schema::title::LENGTH.start() == *title::LENGTH.start());
                assert!(*$schema::title::LENGTH.end() == *title::LENGTH.end());
                assert!(*$schema::external_id::LENGTH.end() == *external_id::LENGTH.end());
                assert!(*$schema::tags::ITEMS.end() == *tags::ITEMS.end());
                assert!(*$schema::tags::items::LENGTH.start() == *tags::items::LENGTH.start());
                assert!(*$schema::tags::items::LENGTH.end() == *tags::items::LENGTH.end());
            )+
            assert!(*task_update::color::LENGTH.end() == *task_create::color::LENGTH.end());
            assert!(*task_patch::color::LENGTH.end() == *task_create::color::LENGTH.end());
        };
    };
}

bounded_alike! { task_info_update task_create task_update task_patch }

/// A body with what it sets: `None` leaves a property, `Some(None)` empties it.
pub(super) trait Body:
    DeserializeOwned + Serialize + Properties + Into<TaskFields> + Send
{
    /// The status.
    fn status(&self) -> Option<&TaskStatus>;
    /// The colour.
    fn color(&self) -> Option<Option<String>>;
}

/// The change that a body makes.
pub(super) fn change<B: Body>(body: B) -> Result<TaskChange, DomainError> {
    use task_info_create::{external_id, tags, title};
    let mut check = Check::default();
    let status = body.status();
    let status = status.map(|word| check.variant("status", word.as_str()));
    let color = body.color();
    let fields: TaskFields = body.into();
    if let Some(text) = &fields.title {
        check.length("title", text, &title::LENGTH);
    }
    if let Some(Some(text)) = &fields.external_id {
        check.length("externalId", text, &external_id::LENGTH);
    }
    if let Some(Some(text)) = &color {
        check.length("color", text, &task_create::color::LENGTH);
    }
    let texts = fields.tags.as_ref().map(Texts::to_vec);
    let texts = texts.unwrap_or_default();
    check.size("tags", texts.len(), &tags::ITEMS, ["tag", "tags"]);
    // After as many as are allowed nothing more is said.
    for (place, tag) in texts.iter().take(*tags::ITEMS.end()).enumerate() {
        check.length(&format!("tags[{place}]"), tag, &tags::items::LENGTH);
    }
    if let (Some(Some(start)), Some(Some(due))) = (fields.start_date, fields.due_date)
        && due < start
    {
        let text = format!("expected startDate ({start}) or later, found {due}");
        check.refuse("dueDate", text);
    }
    check.finish(Some(()))?;
    Ok(TaskChange {
        // A refused status has ended the check above.
        status: status.flatten(),
        color,
        fields,
    })
}

impl Body for TaskInfoCreate {
    fn status(&self) -> Option<&TaskStatus> {
        self.status.as_ref()
    }

    fn color(&self) -> Option<Option<String>> {
        None
    }
}

impl Body for TaskInfoUpdate {
    fn status(&self) -> Option<&TaskStatus> {
        self.status.as_ref()
    }

    fn color(&self) -> Option<Option<String>> {
        None
    }
}

impl Body for TaskCreate {
    fn status(&self) -> Option<&TaskStatus> {
        Some(&self.status)
    }

    fn color(&self) -> Option<Option<String>> {
        Some(self.color.clone())
    }
}

impl Body for TaskUpdate {
    fn status(&self) -> Option<&TaskStatus> {
        Some(&self.status)
    }

    fn color(&self) -> Option<Option<String>> {
        Some(self.color.clone())
    }
}

impl Body for TaskPatch {
    fn status(&self) -> Option<&TaskStatus> {
        self.status.as_ref()
    }

    fn color(&self) -> Option<Option<String>> {
        self.color.clone().into_option()
    }
}
