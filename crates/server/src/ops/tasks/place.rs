//! Where a new task goes: what it belongs to besides what its body says.

use super::missing;
use crate::ops::projects;
use obeya_rules::error::{Complaint, DomainError};
use obeya_store::grants::Grants;
use obeya_store::references::References;
use obeya_store::tables::tasks::{TaskChange, TaskRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, boards, tasks};

/// The place of a new task.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// What the body says.
    Body,
    /// The board of the path.
    Board(i32),
    /// The project of the path, by its number.
    Project(String),
    /// Below the task of the path.
    Below(i32),
    /// Below the task that the body names.
    BelowNamed(i32),
}

impl Place {
    /// The change of a body, made for this place.
    pub(super) fn decide(&self, mut change: TaskChange) -> Result<TaskChange, DomainError> {
        let board = &mut change.fields.board_id;
        match *self {
            Self::Body | Self::Project(_) => {}
            // The body may repeat the board.
            Self::Board(id) => {
                if let Some(Some(other)) = *board
                    && other != id
                {
                    return Err(DomainError::Invalid(vec![Complaint {
                        field: "boardId".to_owned(),
                        text: format!("expected {id}, as in the path, found {other}"),
                    }]));
                }
                *board = Some(Some(id));
            }
            // Without a board in the body it is that of the task above.
            Self::Below(_) | Self::BelowNamed(_) => *board = board.filter(Option::is_some),
        }
        Ok(change)
    }

    /// An empty task in this place. Fails with 404 where the path names nothing, with 422 where the body
    /// does.
    pub(super) fn task(
        &self,
        session: &mut dyn Session,
        grants: &Grants,
    ) -> Result<TaskRow, WriteError> {
        match *self {
            Self::Body => Ok(TaskRow::default()),
            Self::Board(id) => match boards::exists(session, id)? {
                true => Ok(TaskRow::default()),
                false => Err(WriteError::Missing("board", id.into())),
            },
            Self::Project(ref number) => Ok(TaskRow {
                project_id: Some(projects::id_of(session, number)?),
                ..TaskRow::default()
            }),
            Self::Below(id) => Ok(below(&tasks::find(session, id)?.ok_or(missing(id))?)),
            Self::BelowNamed(id) => {
                let mut references = References::new(session, grants);
                let above = references.task("parentId", Some(id))?;
                references.finish()?;
                // The check has refused a body that names no task.
                Ok(above.as_ref().map(below).unwrap_or_default())
            }
        }
    }
}

/// An empty task below this one, that belongs to what it belongs to.
fn below(above: &TaskRow) -> TaskRow {
    TaskRow {
        parent_id: Some(above.id),
        board_id: above.board_id,
        project_id: above.project_id,
        incident_id: above.incident_id,
        ..TaskRow::default()
    }
}
