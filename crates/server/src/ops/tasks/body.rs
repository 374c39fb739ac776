//! Converts the bodies of create and update to what is stored, and checks what their schemas require beyond
//! types.

use std::ops::RangeInclusive;

use obeya_model::bounds::schemas::{task_info_create, task_info_update};
use obeya_model::{Patch, TaskInfoCreate, TaskInfoUpdate, TaskStatus, Timestamp};

use crate::ops::never_null::Properties;
use obeya_rules::enums;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::tables::tasks::TaskChange;

impl Properties for TaskInfoCreate {
    const NEVER_NULL: &'static [&'static str] = &["status"];
}

impl Properties for TaskInfoUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status"];
}

/// What a body sets, as far as its schema bounds it.
struct Bounded<'b> {
    title: &'b str,
    status: Option<&'b TaskStatus>,
    external_id: Option<&'b str>,
    tags: Option<&'b [String]>,
    start: Option<Timestamp>,
    due: Option<Timestamp>,
}

/// The values of a new task: an absent or null property is empty.
pub(super) fn of_create(body: TaskInfoCreate) -> Result<TaskChange, DomainError> {
    use task_info_create::{external_id, tags, title};
    let status = check(
        &Bounded {
            title: &body.title,
            status: body.status.as_ref(),
            external_id: body.external_id.as_deref(),
            tags: body.tags.as_deref(),
            start: body.start_date,
            due: body.due_date,
        },
        &Bounds {
            title: title::LENGTH,
            external_id: external_id::LENGTH,
            tags: tags::ITEMS,
            tag: tags::items::LENGTH,
        },
    )?;
    Ok(TaskChange {
        status,
        fields: body.into(),
    })
}

/// The change of an update: an absent property stays, null empties it.
pub(super) fn of_update(body: TaskInfoUpdate) -> Result<TaskChange, DomainError> {
    use task_info_update::{external_id, tags, title};
    let status = check(
        &Bounded {
            title: &body.title,
            status: body.status.as_ref(),
            external_id: set(&body.external_id).map(String::as_str),
            tags: set(&body.tags).map(Vec::as_slice),
            start: set(&body.start_date).copied(),
            due: set(&body.due_date).copied(),
        },
        &Bounds {
            title: title::LENGTH,
            external_id: external_id::LENGTH,
            tags: tags::ITEMS,
            tag: tags::items::LENGTH,
        },
    )?;
    Ok(TaskChange {
        status,
        fields: body.into(),
    })
}

/// The bounds of a schema.
struct Bounds {
    title: RangeInclusive<usize>,
    external_id: RangeInclusive<usize>,
    tags: RangeInclusive<usize>,
    tag: RangeInclusive<usize>,
}

/// The value that a property is set to.
fn set<T>(patch: &Patch<T>) -> Option<&T> {
    match patch {
        Patch::Value(value) => Some(value),
        Patch::Absent | Patch::Null => None,
    }
}

/// Checks a body; the status that it sets.
fn check(body: &Bounded<'_>, bounds: &Bounds) -> Result<Option<enums::TaskStatus>, DomainError> {
    let mut check = Check::default();
    check.length("title", body.title, &bounds.title);
    if let Some(text) = body.external_id {
        check.length("externalId", text, &bounds.external_id);
    }
    let tags = body.tags.unwrap_or_default();
    check.size("tags", tags.len(), &bounds.tags, ["tag", "tags"]);
    // After as many as are allowed nothing more is said.
    for (place, tag) in tags.iter().take(*bounds.tags.end()).enumerate() {
        check.length(&format!("tags[{place}]"), tag, &bounds.tag);
    }
    if let (Some(start), Some(due)) = (body.start, body.due)
        && due < start
    {
        let text = format!("expected startDate ({start}) or later, found {due}");
        check.refuse("dueDate", text);
    }
    let status = body
        .status
        .map(|word| check.variant("status", word.as_str()));
    check.finish(Some(()))?;
    // A refused status has ended the check above.
    Ok(status.flatten())
}
