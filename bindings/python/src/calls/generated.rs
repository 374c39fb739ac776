//! The operations that need no more than their arguments.
//!
//! Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or
//! xtask/src/python/operations.rs.

use obeya::call;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::plain::{Arguments, unknown};
use crate::arguments::{get, list, whole};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::{
    Area,
    Board,
    DataList,
    Datasource,
    DatasourceValue,
    GroupV2,
    Improvement,
    IncidentCommentV2,
    IncidentTypeSummary,
    IncidentV1,
    ProjectMilestone,
    TaskComment,
    TaskInfo,
    CATEGORY_INPUT,
    CAUSE_INPUT,
    CONSEQUENCE_INPUT,
    DATASOURCE_VALUE_INPUT,
    DATA_LIST_ITEM_CREATE,
    GROUP_CREATE,
    GROUP_MEMBER_CREATE,
    IMPROVEMENT_CREATE,
    IMPROVEMENT_UPDATE,
    INCIDENT_CREATE,
    INCIDENT_CUSTOM_FIELD_UPDATE,
    INCIDENT_RESPONSIBLE_UPDATE,
    INCIDENT_SEVERITY_UPDATE,
    INCIDENT_STATUS_UPDATE,
    INCIDENT_UPDATE,
    PROJECT_CREATE,
    PROJECT_MILESTONE_CREATE,
    PROJECT_MILESTONE_UPDATE,
    TASK_COMMENT_CREATE,
    TASK_CREATE,
    TASK_INFO_CREATE,
    TASK_INFO_UPDATE,
    TASK_PATCH,
    TASK_UPDATE,
    USER_CREATE_V1,
    USER_PATCH,
    USER_UPDATE_V1,
    USER_UPDATE_V2,
};

/// The operation of this id, with its arguments: ids, then what it takes beside them.
pub(super) fn call(handle: &Handle, operation: &str, arguments: &Arguments<'_, '_>) -> PyResult<Call> {
    match operation {
        "getArea" => {
            let area_id = arguments.id::<Area>(0, "area")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.areas().get(area_id), select, expand).send())
        }
        "getBoardV2" => {
            let board_id = arguments.id::<Board>(0, "board")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.boards().get(board_id), select, expand).send())
        }
        "getGroup" => {
            let group_id = arguments.id::<GroupV2>(0, "group")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.groups().get(group_id), select, expand).send())
        }
        "getIncidentComment" => {
            let comment_id = arguments.id::<IncidentCommentV2>(0, "comment")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.comments().get(comment_id), select, expand).send())
        }
        "getCommentOfIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let comment_id = arguments.id::<IncidentCommentV2>(1, "comment")?;
            let select = arguments.get(2, "select")?;
            let expand = arguments.get(3, "expand")?;
            handle.call(move |client| get(client.comments().get_of_incident(incident_id, comment_id), select, expand).send())
        }
        "getIncidentV2" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.incidents().get_v2(incident_id), select, expand).send())
        }
        "getIncidentTypeV2" => {
            let type_id = arguments.id::<IncidentTypeSummary>(0, "type")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.incidents().type_v2(type_id), select, expand).send())
        }
        "getTypeOfIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let type_id = arguments.id::<IncidentTypeSummary>(1, "type")?;
            let select = arguments.get(2, "select")?;
            let expand = arguments.get(3, "expand")?;
            handle.call(move |client| get(client.incidents().type_of_incident(incident_id, type_id), select, expand).send())
        }
        "createTaskV2" => {
            let body = arguments.body(0, &TASK_CREATE, "tasks.create_v2()")?;
            handle.call(move |client| async move { client.call(&call::CreateTaskV2::new(&body)).await })
        }
        "createTaskComment" => {
            let body = arguments.body(0, &TASK_COMMENT_CREATE, "tasks.create_comment()")?;
            handle.call(move |client| async move { client.call(&call::CreateTaskComment::new(&body)).await })
        }
        "getTaskComment" => {
            let comment_id = arguments.id::<TaskComment>(0, "comment")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.tasks().comment(comment_id), select, expand).send())
        }
        "deleteTaskComment" => {
            let comment_id = arguments.id::<TaskComment>(0, "comment")?;
            handle.call(move |client| async move { client.call(&call::DeleteTaskComment::new(comment_id)).await })
        }
        "getCommentOfTask" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let comment_id = arguments.id::<TaskComment>(1, "comment")?;
            let select = arguments.get(2, "select")?;
            let expand = arguments.get(3, "expand")?;
            handle.call(move |client| get(client.tasks().comment_of(task_id, comment_id), select, expand).send())
        }
        "deleteCommentOfTask" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let comment_id = arguments.id::<TaskComment>(1, "comment")?;
            handle.call(move |client| async move { client.call(&call::DeleteCommentOfTask::new(task_id, comment_id)).await })
        }
        "getTaskV2" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.tasks().get_v2(task_id), select, expand).send())
        }
        "updateTaskV2" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let body = arguments.body(1, &TASK_UPDATE, "tasks.update_v2()")?;
            handle.call(move |client| async move { client.call(&call::UpdateTaskV2::new(task_id, &body)).await })
        }
        "patchTask" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let body = arguments.body(1, &TASK_PATCH, "tasks.patch()")?;
            handle.call(move |client| async move { client.call(&call::PatchTask::new(task_id, &body)).await })
        }
        "createImprovement" => {
            let body = arguments.body(0, &IMPROVEMENT_CREATE, "improvements.create()")?;
            handle.call(move |client| async move { client.call(&call::CreateImprovement::new(&body)).await })
        }
        "getImprovementV1" => {
            let improvement_id = arguments.id::<Improvement>(0, "improvement")?;
            handle.call(move |client| async move { client.call(&call::GetImprovementV1::new(improvement_id)).await })
        }
        "updateImprovement" => {
            let improvement_id = arguments.id::<Improvement>(0, "improvement")?;
            let body = arguments.body(1, &IMPROVEMENT_UPDATE, "improvements.update()")?;
            handle.call(move |client| async move { client.call(&call::UpdateImprovement::new(improvement_id, &body)).await })
        }
        "deleteImprovement" => {
            let improvement_id = arguments.id::<Improvement>(0, "improvement")?;
            handle.call(move |client| async move { client.call(&call::DeleteImprovement::new(improvement_id)).await })
        }
        "getImprovementV2" => {
            let improvement_id = arguments.id::<Improvement>(0, "improvement")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.improvements().get_v2(improvement_id), select, expand).send())
        }
        "getIncidentV1" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            handle.call(move |client| async move { client.call(&call::GetIncidentV1::new(incident_id)).await })
        }
        "updateIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.body(1, &INCIDENT_UPDATE, "incidents.update()")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncident::new(incident_id, &body)).await })
        }
        "deleteIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            handle.call(move |client| async move { client.call(&call::DeleteIncident::new(incident_id)).await })
        }
        "updateIncidentConsequences" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.bodies(1, &CONSEQUENCE_INPUT, "consequences")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentConsequences::new(incident_id, &body)).await })
        }
        "updateIncidentCauses" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.bodies(1, &CAUSE_INPUT, "causes")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentCauses::new(incident_id, &body)).await })
        }
        "updateIncidentStatus" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.body(1, &INCIDENT_STATUS_UPDATE, "incidents.set_status()")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentStatus::new(incident_id, &body)).await })
        }
        "updateIncidentSeverity" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.body(1, &INCIDENT_SEVERITY_UPDATE, "incidents.set_severity()")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentSeverity::new(incident_id, &body)).await })
        }
        "updateIncidentResponsible" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.body(1, &INCIDENT_RESPONSIBLE_UPDATE, "incidents.set_responsible()")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentResponsible::new(incident_id, &body)).await })
        }
        "updateIncidentCategories" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let body = arguments.bodies(1, &CATEGORY_INPUT, "categories")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentCategories::new(incident_id, &body)).await })
        }
        "updateIncidentCustomField" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let custom_field_id_id = arguments.get::<i32>(1, "custom_field_id")?;
            let body = arguments.body(2, &INCIDENT_CUSTOM_FIELD_UPDATE, "incidents.set_custom_field()")?;
            handle.call(move |client| async move { client.call(&call::UpdateIncidentCustomField::new(incident_id, custom_field_id_id, &body)).await })
        }
        "createIncident" => {
            let body = arguments.body(0, &INCIDENT_CREATE, "incidents.create()")?;
            handle.call(move |client| async move { client.call(&call::CreateIncident::new(&body)).await })
        }
        "restoreIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            handle.call(move |client| async move { client.call(&call::RestoreIncident::new(incident_id)).await })
        }
        "getDatasourceV1" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            handle.call(move |client| async move { client.call(&call::GetDatasourceV1::new(datasource_id)).await })
        }
        "createDatasourceValue" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            let body = arguments.body(1, &DATASOURCE_VALUE_INPUT, "datasources.create_value()")?;
            handle.call(move |client| async move { client.call(&call::CreateDatasourceValue::new(datasource_id, &body)).await })
        }
        "updateDatasourceValue" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            let value_id = arguments.id::<DatasourceValue>(1, "value")?;
            let body = arguments.body(2, &DATASOURCE_VALUE_INPUT, "datasources.update_value()")?;
            handle.call(move |client| async move { client.call(&call::UpdateDatasourceValue::new(datasource_id, value_id, &body)).await })
        }
        "deleteDatasourceValue" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            let value_id = arguments.id::<DatasourceValue>(1, "value")?;
            handle.call(move |client| async move { client.call(&call::DeleteDatasourceValue::new(datasource_id, value_id)).await })
        }
        "createDatasourceValues" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            let body = arguments.bodies(1, &DATASOURCE_VALUE_INPUT, "values")?;
            handle.call(move |client| async move { client.call(&call::CreateDatasourceValues::new(datasource_id, &body)).await })
        }
        "getDatasourceV2" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.datasources().get_v2(datasource_id), select, expand).send())
        }
        "getBoardV1" => {
            let board_id = arguments.id::<Board>(0, "board")?;
            handle.call(move |client| async move { client.call(&call::GetBoardV1::new(board_id)).await })
        }
        "createGroup" => {
            let body = arguments.body(0, &GROUP_CREATE, "groups.create()")?;
            handle.call(move |client| async move { client.call(&call::CreateGroup::new(&body)).await })
        }
        "deleteGroup" => {
            let group_id = arguments.id::<GroupV2>(0, "group")?;
            handle.call(move |client| async move { client.call(&call::DeleteGroup::new(group_id)).await })
        }
        "putGroupMember" => {
            let group_id = arguments.id::<GroupV2>(0, "group")?;
            let body = arguments.body(1, &GROUP_MEMBER_CREATE, "groups.put_member()")?;
            handle.call(move |client| async move { client.call(&call::PutGroupMember::new(group_id, &body)).await })
        }
        "removeGroupMember" => {
            let group_id = arguments.id::<GroupV2>(0, "group")?;
            let user_id = arguments.get::<String>(1, "user_id")?;
            handle.call(move |client| async move { client.call(&call::RemoveGroupMember::new(group_id, &user_id)).await })
        }
        "getUserV2" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let select = arguments.get(1, "select")?;
            let expand = arguments.get(2, "expand")?;
            handle.call(move |client| get(client.users().get(&user_id), select, expand).send())
        }
        "updateUserV2" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let body = arguments.body(1, &USER_UPDATE_V2, "users.update()")?;
            handle.call(move |client| async move { client.call(&call::UpdateUserV2::new(&user_id, &body)).await })
        }
        "deleteUserV2" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            handle.call(move |client| async move { client.call(&call::DeleteUserV2::new(&user_id)).await })
        }
        "patchUser" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let body = arguments.body(1, &USER_PATCH, "users.patch()")?;
            handle.call(move |client| async move { client.call(&call::PatchUser::new(&user_id, &body)).await })
        }
        "createUserV1" => {
            let body = arguments.body(0, &USER_CREATE_V1, "users.create_v1()")?;
            handle.call(move |client| async move { client.call(&call::CreateUserV1::new(&body)).await })
        }
        "getUserV1" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            handle.call(move |client| async move { client.call(&call::GetUserV1::new(&user_id)).await })
        }
        "updateUserV1" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let body = arguments.body(1, &USER_UPDATE_V1, "users.update_v1()")?;
            handle.call(move |client| async move { client.call(&call::UpdateUserV1::new(&user_id, &body)).await })
        }
        "deleteUserV1" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            handle.call(move |client| async move { client.call(&call::DeleteUserV1::new(&user_id)).await })
        }
        "addUserRole" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let role = arguments.get::<String>(1, "role")?;
            handle.call(move |client| async move { client.call(&call::AddUserRole::new(&user_id, &role)).await })
        }
        "removeUserRole" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let role = arguments.get::<String>(1, "role")?;
            handle.call(move |client| async move { client.call(&call::RemoveUserRole::new(&user_id, &role)).await })
        }
        "createDataListItem" => {
            let data_list_id = arguments.id::<DataList>(0, "data_list")?;
            let body = arguments.body(1, &DATA_LIST_ITEM_CREATE, "data_lists.create_item()")?;
            handle.call(move |client| async move { client.call(&call::CreateDataListItem::new(data_list_id, &body)).await })
        }
        "createProject" => {
            let body = arguments.body(0, &PROJECT_CREATE, "projects.create()")?;
            handle.call(move |client| async move { client.call(&call::CreateProject::new(&body)).await })
        }
        "getProject" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            handle.call(move |client| async move { client.call(&call::GetProject::new(&project_number)).await })
        }
        "deleteProject" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            handle.call(move |client| async move { client.call(&call::DeleteProject::new(&project_number)).await })
        }
        "createProjectMilestone" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            let body = arguments.body(1, &PROJECT_MILESTONE_CREATE, "projects.create_milestone()")?;
            handle.call(move |client| async move { client.call(&call::CreateProjectMilestone::new(&project_number, &body)).await })
        }
        "updateProjectMilestone" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            let milestone_id = arguments.id::<ProjectMilestone>(1, "milestone")?;
            let body = arguments.body(2, &PROJECT_MILESTONE_UPDATE, "projects.update_milestone()")?;
            handle.call(move |client| async move { client.call(&call::UpdateProjectMilestone::new(&project_number, milestone_id, &body)).await })
        }
        "deleteProjectMilestone" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            let milestone_id = arguments.id::<ProjectMilestone>(1, "milestone")?;
            handle.call(move |client| async move { client.call(&call::DeleteProjectMilestone::new(&project_number, milestone_id)).await })
        }
        "createTaskOfBoard" => {
            let board_id = arguments.id::<Board>(0, "board")?;
            let body = arguments.body(1, &TASK_INFO_CREATE, "boards.create_task()")?;
            handle.call(move |client| async move { client.call(&call::CreateTaskOfBoard::new(board_id, &body)).await })
        }
        "createTaskOfProject" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            let body = arguments.body(1, &TASK_INFO_CREATE, "projects.create_task()")?;
            handle.call(move |client| async move { client.call(&call::CreateTaskOfProject::new(&project_number, &body)).await })
        }
        "createTaskV1" => {
            let body = arguments.body(0, &TASK_INFO_CREATE, "tasks.create()")?;
            handle.call(move |client| async move { client.call(&call::CreateTaskV1::new(&body)).await })
        }
        "getTaskV1" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            handle.call(move |client| async move { client.call(&call::GetTaskV1::new(task_id)).await })
        }
        "updateTaskV1" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let body = arguments.body(1, &TASK_INFO_UPDATE, "tasks.update()")?;
            handle.call(move |client| async move { client.call(&call::UpdateTaskV1::new(task_id, &body)).await })
        }
        "deleteTaskV1" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            handle.call(move |client| async move { client.call(&call::DeleteTaskV1::new(task_id)).await })
        }
        "createSubTask" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let body = arguments.body(1, &TASK_INFO_CREATE, "tasks.create_sub_task()")?;
            handle.call(move |client| async move { client.call(&call::CreateSubTask::new(task_id, &body)).await })
        }
        "deleteIncidentAttachment" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let incident_attachment_id_id = arguments.get::<i32>(1, "incident_attachment_id")?;
            handle.call(move |client| async move { client.call(&call::DeleteIncidentAttachment::new(incident_id, incident_attachment_id_id)).await })
        }
        "deleteTaskAttachment" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            let task_attachment_id_id = arguments.get::<i32>(1, "task_attachment_id")?;
            handle.call(move |client| async move { client.call(&call::DeleteTaskAttachment::new(task_id, task_attachment_id_id)).await })
        }
        _ => Err(unknown(operation)),
    }
}

/// The list of this id, with its arguments and the options of a list.
pub(super) fn query(
    handle: &Handle,
    operation: &str,
    arguments: &Arguments<'_, '_>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Query> {
    match operation {
        "listAreas" => {
            list(handle, handle.client()?.areas().list(), options)
        }
        "listBoardsV2" => {
            list(handle, handle.client()?.boards().list(), options)
        }
        "listGroupsV2" => {
            list(handle, handle.client()?.groups().list(), options)
        }
        "listIncidentComments" => {
            list(handle, handle.client()?.comments().list(), options)
        }
        "listCommentsOfIncidentV2" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            list(handle, handle.client()?.comments().of_incident(incident_id), options)
        }
        "listIncidentsV2" => {
            list(handle, handle.client()?.incidents().list_v2(), options)
        }
        "listIncidentTypesV2" => {
            list(handle, handle.client()?.incidents().types_v2(), options)
        }
        "listTypesOfIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            list(handle, handle.client()?.incidents().types_of_incident(incident_id), options)
        }
        "listTasks" => {
            list(handle, handle.client()?.tasks().list(), options)
        }
        "listTaskComments" => {
            list(handle, handle.client()?.tasks().comments(), options)
        }
        "listCommentsOfTask" => {
            let task_id = arguments.id::<TaskInfo>(0, "task")?;
            list(handle, handle.client()?.tasks().comments_of(task_id), options)
        }
        "listImprovementsV2" => {
            list(handle, handle.client()?.improvements().list_v2(), options)
        }
        "listCommentsOfIncidentV1" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listCommentsOfIncidentV1", move || {
                let client = client.clone();
                async move { client.call(&call::ListCommentsOfIncidentV1::new(incident_id)).await }
            }))
        }
        "listAttachmentsOfIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listAttachmentsOfIncident", move || {
                let client = client.clone();
                async move { client.call(&call::ListAttachmentsOfIncident::new(incident_id)).await }
            }))
        }
        "listDatasourcesV1" => {
            whole(handle, "listDatasourcesV1", handle.client()?.datasources().list(), options)
        }
        "listDatasourcesV2" => {
            list(handle, handle.client()?.datasources().list_v2(), options)
        }
        "listDatasourceValuesV2" => {
            let datasource_id = arguments.id::<Datasource>(0, "datasource")?;
            list(handle, handle.client()?.datasources().values_v2(datasource_id), options)
        }
        "listBoardsV1" => {
            whole(handle, "listBoardsV1", handle.client()?.boards().list_v1(), options)
        }
        "listGroupsV1" => {
            whole(handle, "listGroupsV1", handle.client()?.groups().list_v1(), options)
        }
        "listGroupMembers" => {
            let group_id = arguments.id::<GroupV2>(0, "group")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listGroupMembers", move || {
                let client = client.clone();
                async move { client.call(&call::ListGroupMembers::new(group_id)).await }
            }))
        }
        "listUsersV2" => {
            list(handle, handle.client()?.users().list(), options)
        }
        "listUsersV1" => {
            whole(handle, "listUsersV1", handle.client()?.users().list_v1(), options)
        }
        "listGroupsOfUser" => {
            let user_id = arguments.get::<String>(0, "user_id")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listGroupsOfUser", move || {
                let client = client.clone();
                let user_id = user_id.clone();
                async move { client.call(&call::ListGroupsOfUser::new(&user_id)).await }
            }))
        }
        "listUsersOfRole" => {
            let role = arguments.get::<String>(0, "role")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listUsersOfRole", move || {
                let client = client.clone();
                let role = role.clone();
                async move { client.call(&call::ListUsersOfRole::new(&role)).await }
            }))
        }
        "listDataLists" => {
            whole(handle, "listDataLists", handle.client()?.data_lists().list(), options)
        }
        "listDataListItems" => {
            let data_list_id = arguments.id::<DataList>(0, "data_list")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listDataListItems", move || {
                let client = client.clone();
                async move { client.call(&call::ListDataListItems::new(data_list_id)).await }
            }))
        }
        "listProjects" => {
            whole(handle, "listProjects", handle.client()?.projects().list(), options)
        }
        "listProjectMilestones" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listProjectMilestones", move || {
                let client = client.clone();
                let project_number = project_number.clone();
                async move { client.call(&call::ListProjectMilestones::new(&project_number)).await }
            }))
        }
        "listTasksOfIncident" => {
            let incident_id = arguments.id::<IncidentV1>(0, "incident")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listTasksOfIncident", move || {
                let client = client.clone();
                async move { client.call(&call::ListTasksOfIncident::new(incident_id)).await }
            }))
        }
        "listTasksOfProject" => {
            let project_number = arguments.get::<String>(0, "project_number")?;
            let client = handle.client()?;
            Ok(Query::whole(handle, "listTasksOfProject", move || {
                let client = client.clone();
                let project_number = project_number.clone();
                async move { client.call(&call::ListTasksOfProject::new(&project_number)).await }
            }))
        }
        _ => Err(unknown(operation)),
    }
}
