//! The record in the path of a request: a client that is not granted it gets the answer for a record that
//! does not exist.
//!
//! It is checked in the snapshot or transaction of the work itself, before anything of the record is read.
//! Lists need no gate, because the read engine applies the grants to every row.

use std::sync::Arc;

use obeya_odata::edm::EntityType;

use super::call::Call;
use crate::spec::Operation;
use obeya_store::entities::{
    AREA, BOARD, DATA_LIST, DATASOURCE, GROUP, IMPROVEMENT, INCIDENT, INCIDENT_COMMENT,
    INCIDENT_TYPE_V2, TASK_COMMENT, TASK_INFO, USER,
};
use obeya_store::grants::Grants;
use obeya_store::{RecordId, Session, StoreError};

/// The grants of a client, and the record that its request addresses.
#[derive(Clone)]
pub(super) struct Gate {
    grants: Arc<Grants>,
    record: Option<Addressed>,
}

#[derive(Clone)]
struct Addressed {
    entity: &'static EntityType,
    /// Its kind in messages, the same as where it does not exist.
    noun: &'static str,
    id: RecordId,
}

impl Gate {
    pub(super) fn of(call: &Call) -> Self {
        let record = addressed(call.operation).and_then(|(entity, noun)| {
            // An id that is none is refused by the handler.
            let id = call.record_id().ok()?;
            Some(Addressed { entity, noun, id })
        });
        Self {
            grants: Arc::clone(&call.caller.client.grants),
            record,
        }
    }

    /// The grants.
    pub(super) fn grants(&self) -> &Arc<Grants> {
        &self.grants
    }

    /// Whether the client may not see every record that its scopes allow.
    pub(super) fn is_restricted(&self) -> bool {
        !self.grants.are_unrestricted()
    }

    /// Whether the path addresses this record, so that a POST has not created it.
    pub(super) fn is_addressed(&self, entity: &EntityType, id: &RecordId) -> bool {
        let is_it = |record: &Addressed| record.entity.name == entity.name && record.id == *id;
        self.record.as_ref().is_some_and(is_it)
    }

    /// Fails with `missing` unless the record in the path is granted.
    pub(super) fn check<E: From<StoreError>>(
        &self,
        session: &mut dyn Session,
        missing: impl FnOnce(&'static str, RecordId) -> E,
    ) -> Result<(), E> {
        let Some(Addressed { entity, noun, id }) = &self.record else {
            return Ok(());
        };
        match self.grants.show(session, entity, id.clone())? {
            true => Ok(()),
            false => Err(missing(noun, id.clone())),
        }
    }
}

/// How messages call a record that a write answers with.
pub(super) fn noun(entity: &EntityType) -> &'static str {
    match entity.name {
        "Improvement" => "improvement",
        "DatasourceValue" => "value",
        "DataList" => "data list",
        "GroupV1" => "group",
        "Project" => "project",
        "ProjectMilestone" => "milestone",
        "Task" | "TaskInfo" => "task",
        "TaskComment" => "comment",
        "IncidentAttachment" | "TaskAttachment" => "attachment",
        "User" | "UserV1" => "user",
        _ => "incident",
    }
}

/// The kind of record that the path of an operation addresses by its first id; `None` if it has no id, or if
/// no grant restricts such records.
fn addressed(operation: Operation) -> Option<(&'static EntityType, &'static str)> {
    Some(match operation {
        Operation::GetArea => (&AREA, "area"),
        Operation::GetBoardV2
        | Operation::GetBoardV1
        | Operation::ListTasksOfBoard
        | Operation::CreateTaskOfBoard => (&BOARD, "board"),
        Operation::GetGroup
        | Operation::DeleteGroup
        | Operation::ListGroupMembers
        | Operation::PutGroupMember
        | Operation::RemoveGroupMember => (&GROUP, "group"),
        Operation::GetUserV1
        | Operation::GetUserV2
        | Operation::UpdateUserV1
        | Operation::UpdateUserV2
        | Operation::PatchUser
        | Operation::DeleteUserV1
        | Operation::DeleteUserV2
        | Operation::ListGroupsOfUser
        | Operation::AddUserRole
        | Operation::RemoveUserRole => (&USER, "user"),
        Operation::GetIncidentComment => (&INCIDENT_COMMENT, "comment"),
        Operation::GetDatasourceV1
        | Operation::GetDatasourceV2
        | Operation::ListDatasourceValuesV1
        | Operation::ListDatasourceValuesV2
        | Operation::CreateDatasourceValue
        | Operation::UpdateDatasourceValue
        | Operation::DeleteDatasourceValue
        | Operation::CreateDatasourceValues
        | Operation::DeleteDatasourceValues
        | Operation::ReplaceDatasourceValues => (&DATASOURCE, "datasource"),
        Operation::GetIncidentV1
        | Operation::GetIncidentV2
        | Operation::ListCommentsOfIncidentV2
        | Operation::ListCommentsOfIncidentV1
        | Operation::GetCommentOfIncident
        | Operation::ListTypesOfIncident
        | Operation::GetTypeOfIncident
        | Operation::UpdateIncident
        | Operation::UpdateIncidentConsequences
        | Operation::UpdateIncidentCauses
        | Operation::UpdateIncidentExternalId
        | Operation::UpdateIncidentStatus
        | Operation::UpdateIncidentSeverity
        | Operation::UpdateIncidentResponsible
        | Operation::UpdateIncidentCategories
        | Operation::UpdateIncidentCustomField
        | Operation::DeleteIncident
        | Operation::ListTasksOfIncident
        | Operation::ListAttachmentsOfIncident
        | Operation::CreateIncidentAttachment
        | Operation::DeleteIncidentAttachment
        | Operation::GetIncidentAttachmentContent => (&INCIDENT, "incident"),
        Operation::RestoreIncident => (&INCIDENT, "deleted incident"),
        Operation::GetIncidentTypeV1 | Operation::GetIncidentTypeV2 => {
            (&INCIDENT_TYPE_V2, "incident type")
        }
        Operation::ListDataListItems | Operation::CreateDataListItem => (&DATA_LIST, "data list"),
        Operation::GetTaskV1
        | Operation::GetTaskV2
        | Operation::UpdateTaskV1
        | Operation::UpdateTaskV2
        | Operation::PatchTask
        | Operation::DeleteTaskV1
        | Operation::DeleteTaskV2
        | Operation::ListCommentsOfTask
        | Operation::GetCommentOfTask
        | Operation::DeleteCommentOfTask
        | Operation::CreateSubTask
        | Operation::CreateTaskAttachment
        | Operation::DeleteTaskAttachment
        | Operation::GetTaskAttachmentContent => (&TASK_INFO, "task"),
        Operation::GetTaskComment | Operation::DeleteTaskComment => (&TASK_COMMENT, "comment"),
        Operation::GetImprovementV1
        | Operation::GetImprovementV2
        | Operation::UpdateImprovement
        | Operation::DeleteImprovement => {
            (&IMPROVEMENT, "improvement")
        }
        Operation::ListAreas
        | Operation::ListBoardsV2
        | Operation::ListBoardsV1
        | Operation::ListGroupsV2
        | Operation::ListGroupsV1
        | Operation::ListIncidentComments
        | Operation::ListDatasourcesV1
        | Operation::ListDatasourcesV2
        | Operation::ListIncidentsV1
        | Operation::ListIncidentsV2
        | Operation::ListTrashedIncidents
        | Operation::CreateIncident
        | Operation::ListIncidentTypesV1
        | Operation::ListIncidentTypesV2
        | Operation::ListImprovementsV1
        | Operation::ListImprovementsV2
        | Operation::CreateImprovement
        | Operation::ListDataLists
        | Operation::CreateGroup
        | Operation::ListProjects
        | Operation::CreateProject
        // No grant restricts projects, which are named by their numbers.
        | Operation::GetProject
        | Operation::DeleteProject
        | Operation::ListProjectMilestones
        | Operation::CreateProjectMilestone
        | Operation::UpdateProjectMilestone
        | Operation::DeleteProjectMilestone
        | Operation::ListTasksOfProject
        | Operation::CreateTaskOfProject
        | Operation::CreateTaskV1
        | Operation::CreateTaskV2
        | Operation::ListTasks
        | Operation::ListTaskComments
        | Operation::CreateTaskComment
        | Operation::ListUsersV1
        | Operation::ListUsersV2
        | Operation::CreateUserV1
        | Operation::CreateUserV2
        // The record is known once it was found by its name; the answer is checked.
        | Operation::UpdateUserByUserName
        | Operation::ListUsersOfRole
        | Operation::Ping => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_with_an_id_in_its_path_addresses_a_record() {
        for operation in Operation::ALL {
            let path = operation.path();
            let is_named = path.contains("{projectNumber}") || path.contains("Users/roles/{role}");
            let is_by_id = path.contains('{') && !is_named;
            assert_eq!(addressed(operation).is_some(), is_by_id, "{path}");
        }
    }
}
