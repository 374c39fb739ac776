//! Checks that a task exists.

use super::{References, complaint};
use crate::tables::tasks::TaskRow;
use crate::{StoreError, entities, tasks};

impl References<'_> {
    /// The task that the body refers to, if it refers to one that exists.
    pub fn task(&mut self, field: &str, id: Option<i32>) -> Result<Option<TaskRow>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        let task = tasks::find(self.session, id)?;
        if task.is_some() && self.grants.show(self.session, &entities::TASK, id)? {
            return Ok(task);
        }
        self.unknown
            .push(complaint(field, format!("there is no task {id}")));
        Ok(None)
    }
}
