//! The operations that need no more than a method.
//!
//! Written by `cargo xtask regen` from spec/openapi.yaml, all but the doc comments: they stay as
//! they are edited here. A method that is written by hand in the file of its resource is left
//! out.

use obeya_api::call;
use obeya_model::{
    Area,
    AreaPaginationResult,
    Attachment,
    Board,
    BoardDetail,
    BoardPaginationResult,
    BoardSummary,
    CategoryInput,
    CauseInput,
    ConsequenceInput,
    DataList,
    DataListItem,
    DataListItemCreate,
    Datasource,
    DatasourceDetail,
    DatasourcePaginationResult,
    DatasourceV2,
    DatasourceValue,
    DatasourceValueInput,
    DatasourceValuePaginationResult,
    DatasourceValueV2,
    GroupCreate,
    GroupMemberCreate,
    GroupPaginationResult,
    GroupV1,
    GroupV2,
    Improvement,
    ImprovementCreate,
    ImprovementPaginationResult,
    ImprovementUpdate,
    ImprovementV2,
    IncidentCommentPaginationResult,
    IncidentCommentV1,
    IncidentCommentV2,
    IncidentCreate,
    IncidentPaginationResult,
    IncidentType,
    IncidentTypePaginationResult,
    IncidentUpdate,
    IncidentV1,
    IncidentV2,
    Project,
    ProjectCreate,
    ProjectMilestone,
    ProjectMilestoneCreate,
    ProjectMilestoneUpdate,
    Task,
    TaskComment,
    TaskCommentCreate,
    TaskCommentPaginationResult,
    TaskCreate,
    TaskInfo,
    TaskInfoCreate,
    TaskInfoUpdate,
    TaskPaginationResult,
    TaskPatch,
    TaskUpdate,
    UserCreateV1,
    UserGroupMember,
    UserPaginationResult,
    UserPatch,
    UserUpdateV1,
    UserUpdateV2,
    UserV1,
    UserV2,
};

use super::{Areas, Boards, Groups, Comments, Incidents, Tasks, Improvements, Datasources, Users, DataLists, Projects};
use crate::error::Result;
use crate::list::{Get, List};
use crate::whole_list::WholeList;

impl Areas {
    /// `GET /v2/areas`
    pub fn list(&self) -> List<Area> {
        List::new(self.client.clone(), odata_list!(ListAreas))
    }

    /// `GET /v2/areas/{areaId}`
    pub fn get(&self, id: i32) -> Get<Area> {
        Get::new(self.client.clone(), odata_get!(GetArea), id)
    }
}

impl Boards {
    /// `GET /v2/boards`. Expands `group`.
    pub fn list(&self) -> List<Board> {
        List::new(self.client.clone(), odata_list!(ListBoardsV2))
    }

    /// `GET /v2/boards/{boardId}`. Expands `group`.
    pub fn get(&self, id: i32) -> Get<Board> {
        Get::new(self.client.clone(), odata_get!(GetBoardV2), id)
    }

    /// `GET /v1/Boards`: the boards in one response, with description and name of the group.
    pub fn list_v1(&self) -> WholeList<BoardSummary> {
        WholeList::new(self.client.clone(), whole_list!(ListBoardsV1))
    }

    /// `GET /v1/Boards/{id}`: the board with its rows and columns.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn detail(&self, id: i32) -> Result<BoardDetail> {
        self.client.call(&call::GetBoardV1::new(id)).await
    }

    /// `POST /v1/Boards/{id}/tasks`: Creates a task of a board. `boardId` may be omitted. Its id is never
    /// used again. The response is the whole task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_task(&self, id: i32, body: &TaskInfoCreate) -> Result<TaskInfo> {
        self.client.call(&call::CreateTaskOfBoard::new(id, body)).await
    }
}

impl Groups {
    /// `GET /v2/groups`. Expands `parent`, `boards`, `users`.
    pub fn list(&self) -> List<GroupV2> {
        List::new(self.client.clone(), odata_list!(ListGroupsV2))
    }

    /// `GET /v2/groups/{groupId}`. Expands `parent`, `boards`, `users`.
    pub fn get(&self, id: i32) -> Get<GroupV2> {
        Get::new(self.client.clone(), odata_get!(GetGroup), id)
    }

    /// `GET /v1/Groups`: the groups in one response, without links.
    pub fn list_v1(&self) -> WholeList<GroupV1> {
        WholeList::new(self.client.clone(), whole_list!(ListGroupsV1))
    }

    /// `POST /v1/Groups`: Creates a group without members, as the last one below its parent. It gets an id,
    /// which is never used again. The response is the whole group.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create(&self, body: &GroupCreate) -> Result<GroupV1> {
        self.client.call(&call::CreateGroup::new(body)).await
    }

    /// `DELETE /v1/Groups/{id}`: Deletes a group permanently, with its memberships. A group that the system
    /// created stays, and so does one that other records refer to: move these first. The response has no
    /// body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete(&self, id: i32) -> Result<()> {
        self.client.call(&call::DeleteGroup::new(id)).await
    }

    /// `GET /v1/Groups/{id}/members`: All members of a group as an array, ordered by the id of the user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn members(&self, id: i32) -> Result<Vec<UserGroupMember>> {
        self.client.call(&call::ListGroupMembers::new(id)).await
    }

    /// `PUT /v1/Groups/{id}/members`: Makes a user a member of a group with this role. A user who is one
    /// already gets the role. The response has no body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn put_member(&self, id: i32, body: &GroupMemberCreate) -> Result<()> {
        self.client.call(&call::PutGroupMember::new(id, body)).await
    }

    /// `DELETE /v1/Groups/{id}/members/{userId}`: Removes a user from a group. Incidents that the user is
    /// responsible for stay as they are. The response has no body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn remove_member(&self, id: i32, user_id: &str) -> Result<()> {
        self.client.call(&call::RemoveGroupMember::new(id, user_id)).await
    }
}

impl Comments {
    /// `GET /v2/incidents/comments`: the comments of all incidents. Expands `parent`, `incident`.
    pub fn list(&self) -> List<IncidentCommentV2> {
        List::new(self.client.clone(), odata_list!(ListIncidentComments))
    }

    /// `GET /v2/incidents/{incidentId}/comments`: the comments of one incident. Expands `parent`, `incident`.
    pub fn of_incident(&self, incident_id: i32) -> List<IncidentCommentV2> {
        List::new(self.client.clone(), odata_list!(ListCommentsOfIncidentV2, incident_id))
    }

    /// `GET /v2/incidents/comments/{incidentCommentId}`. Expands `parent`, `incident`.
    pub fn get(&self, id: i32) -> Get<IncidentCommentV2> {
        Get::new(self.client.clone(), odata_get!(GetIncidentComment), id)
    }

    /// `GET /v2/incidents/{incidentId}/comments/{incidentCommentId}`: a comment of this incident. Expands
    /// `parent`, `incident`.
    pub fn get_of_incident(&self, incident_id: i32, id: i32) -> Get<IncidentCommentV2> {
        Get::new(self.client.clone(), odata_get!(GetCommentOfIncident, incident_id), id)
    }

    /// `GET /v1/Incidents/{id}/comments`: all comments of one incident in one response.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn of_incident_v1(&self, id: i32) -> Result<Vec<IncidentCommentV1>> {
        self.client.call(&call::ListCommentsOfIncidentV1::new(id)).await
    }
}

impl Incidents {
    /// `GET /v2/incidents`: the incidents in their v2 form. Expands `area`, `group`, `followUpGroup`, `type`,
    /// `comments`.
    pub fn list_v2(&self) -> List<IncidentV2> {
        List::new(self.client.clone(), odata_list!(ListIncidentsV2))
    }

    /// `GET /v2/incidents/{incidentId}`. Expands `area`, `group`, `followUpGroup`, `type`, `comments`.
    pub fn get_v2(&self, id: i32) -> Get<IncidentV2> {
        Get::new(self.client.clone(), odata_get!(GetIncidentV2), id)
    }

    /// `GET /v2/incidents/types`: the incident types in their v2 form.
    pub fn types_v2(&self) -> List<IncidentType> {
        List::new(self.client.clone(), odata_list!(ListIncidentTypesV2))
    }

    /// `GET /v2/incidents/types/{incidentTypeId}`
    pub fn type_v2(&self, id: i32) -> Get<IncidentType> {
        Get::new(self.client.clone(), odata_get!(GetIncidentTypeV2), id)
    }

    /// `GET /v2/incidents/{incidentId}/types`: the one type of an incident, as a list.
    pub fn types_of_incident(&self, incident_id: i32) -> List<IncidentType> {
        List::new(self.client.clone(), odata_list!(ListTypesOfIncident, incident_id))
    }

    /// `GET /v2/incidents/{incidentId}/types/{incidentTypeId}`: the type of an incident.
    pub fn type_of_incident(&self, incident_id: i32, id: i32) -> Get<IncidentType> {
        Get::new(self.client.clone(), odata_get!(GetTypeOfIncident, incident_id), id)
    }

    /// `GET /v1/Incidents/{id}`: an incident in full.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); [`Error::is_not_found`](crate::Error::is_not_found) if no incident
    /// outside the trash has this id.
    pub async fn get(&self, id: i32) -> Result<IncidentV1> {
        self.client.call(&call::GetIncidentV1::new(id)).await
    }

    /// `PUT /v1/Incidents/{id}`: replaces title, type, severity and date, changes the other properties that
    /// `update` sets, clears those set to [`Patch::Null`](obeya_model::Patch::Null), and returns the whole
    /// incident.
    ///
    /// The interface requires those four in every update. Taken from a stale record, they undo concurrent
    /// changes. To change one property use its own operation, such as [`set_status`](Self::set_status); for
    /// more, read the record with its tag and write only if it still has it:
    ///
    /// ```no_run
    /// use obeya::model::{IncidentStatus, IncidentUpdate, Patch};
    ///
    /// # async fn example(client: obeya::Client) -> obeya::Result<()> {
    /// let found = client.tagged(|client| async move { client.incidents().get(1204).await }).await?;
    /// let incident = found.value;
    /// let update = IncidentUpdate {
    ///     status: Some(IncidentStatus::Resolved),
    ///     text: Patch::Value("Replaced.".to_owned()),
    ///     ..IncidentUpdate::new(incident.incident_type_id, incident.severity, incident.title, incident.incident_date)
    /// };
    /// let writer = match found.tag {
    ///     Some(tag) => client.if_match(tag),
    ///     // A service without tags: concurrent changes may be lost.
    ///     None => client.clone(),
    /// };
    /// match writer.incidents().update(1204, &update).await {
    ///     Err(error) if error.is_precondition_failed() => println!("changed concurrently: read it again"),
    ///     outcome => println!("{:?}", outcome?.status),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update(&self, id: i32, body: &IncidentUpdate) -> Result<IncidentV1> {
        self.client.call(&call::UpdateIncident::new(id, body)).await
    }

    /// `DELETE /v1/Incidents/{id}`: moves the incident to the trash, where it stays for 30 days.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). A retried call may fail because its first attempt succeeded: an incident
    /// in the trash is not found.
    pub async fn delete(&self, id: i32) -> Result<()> {
        self.client.call(&call::DeleteIncident::new(id)).await
    }

    /// `PUT /v1/Incidents/{id}/consequences`: replaces the consequences.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_consequences(&self, id: i32, body: &[ConsequenceInput]) -> Result<IncidentV1> {
        let body = body.to_vec();
        self.client.call(&call::UpdateIncidentConsequences::new(id, &body)).await
    }

    /// `PUT /v1/Incidents/{id}/causes`: replaces the causes.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_causes(&self, id: i32, body: &[CauseInput]) -> Result<IncidentV1> {
        let body = body.to_vec();
        self.client.call(&call::UpdateIncidentCauses::new(id, &body)).await
    }

    /// `PUT /v1/Incidents/{id}/categories`: replaces the categories; at least one is required.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_categories(&self, id: i32, body: &[CategoryInput]) -> Result<IncidentV1> {
        let body = body.to_vec();
        self.client.call(&call::UpdateIncidentCategories::new(id, &body)).await
    }

    /// `GET /v1/Incidents/{id}/attachments`: All files attached to an incident as an array, in the order in
    /// which they were attached. `url` is the address of the content.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn attachments(&self, id: i32) -> Result<Vec<Attachment>> {
        self.client.call(&call::ListAttachmentsOfIncident::new(id)).await
    }

    /// `POST /v1/Incidents`: reports an incident. [`IncidentCreate::new`] takes the required properties.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been created; with your own
    /// [key](crate::Client::idempotency_key) it can safely be sent again.
    pub async fn create(&self, body: &IncidentCreate) -> Result<IncidentV1> {
        self.client.call(&call::CreateIncident::new(body)).await
    }

    /// `PUT /v1/Incidents/trash/{id}/restore`: restores the incident from the trash, as it was when it was
    /// deleted.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); not found if it is not in the trash.
    pub async fn restore(&self, id: i32) -> Result<IncidentV1> {
        self.client.call(&call::RestoreIncident::new(id)).await
    }

    /// `GET /v1/Incidents/{id}/tasks`: All tasks of an incident as an array, ordered by id, sub-tasks
    /// included.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn tasks(&self, id: i32) -> Result<Vec<TaskInfo>> {
        self.client.call(&call::ListTasksOfIncident::new(id)).await
    }

    /// `DELETE /v2/incidents/{incidentId}/attachments/{incidentAttachmentId}`: Deletes an attachment
    /// permanently, with its content. The incident gets a new `lastModified`.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_attachment(&self, id: i32, incident_attachment_id: i32) -> Result<()> {
        self.client.call(&call::DeleteIncidentAttachment::new(id, incident_attachment_id)).await
    }
}

impl Tasks {
    /// `GET /v2/tasks`: The tasks, sub-tasks included, ordered by id unless `$orderby` is given.
    /// `$expand=board` adds the board of a task. `tags` can be selected, and stands in no condition and no
    /// order.
    pub fn list(&self) -> List<Task> {
        List::new(self.client.clone(), odata_list!(ListTasks))
    }

    /// `POST /v2/tasks`: Creates a task of a board (`boardId`), of the person responsible alone, or below
    /// another task (`parentId`), whose project and incident it gets, and whose board if the body has no
    /// `boardId`. Its id is never used again. The response is the whole task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_v2(&self, body: &TaskCreate) -> Result<Task> {
        self.client.call(&call::CreateTaskV2::new(body)).await
    }

    /// `GET /v2/tasks/comments`: The comments on all tasks, ordered by id unless `$orderby` is given.
    /// `$expand` accepts `parent` and `task`.
    pub fn comments(&self) -> List<TaskComment> {
        List::new(self.client.clone(), odata_list!(ListTaskComments))
    }

    /// `POST /v2/tasks/comments`: Adds a comment to a task, or an answer to another comment on it
    /// (`parentId`). Its author is not known, as a client is not a user. Its id is never used again. The
    /// response is the comment.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_comment(&self, body: &TaskCommentCreate) -> Result<TaskComment> {
        self.client.call(&call::CreateTaskComment::new(body)).await
    }

    /// `GET /v2/tasks/comments/{taskCommentId}`: One comment by its id. `$select` and `$expand` apply to the
    /// response; the other options are validated but have no effect.
    pub fn comment(&self, id: i32) -> Get<TaskComment> {
        Get::new(self.client.clone(), odata_get!(GetTaskComment), id)
    }

    /// `DELETE /v2/tasks/comments/{taskCommentId}`: Deletes a comment permanently, with the answers to it.
    /// The response has no body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_comment(&self, id: i32) -> Result<()> {
        self.client.call(&call::DeleteTaskComment::new(id)).await
    }

    /// `GET /v2/tasks/{taskId}/comments`: The comments on one task, ordered by id unless `$orderby` is given.
    /// `$expand` accepts `parent` and `task`.
    pub fn comments_of(&self, task_id: i32) -> List<TaskComment> {
        List::new(self.client.clone(), odata_list!(ListCommentsOfTask, task_id))
    }

    /// `GET /v2/tasks/{taskId}/comments/{taskCommentId}`: One comment on one task. `$select` and `$expand`
    /// apply to the response; the other options are validated but have no effect.
    pub fn comment_of(&self, task_id: i32, id: i32) -> Get<TaskComment> {
        Get::new(self.client.clone(), odata_get!(GetCommentOfTask, task_id), id)
    }

    /// `DELETE /v2/tasks/{taskId}/comments/{taskCommentId}`: Deletes a comment on a task permanently, with
    /// the answers to it. The response has no body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_comment_of(&self, id: i32, task_comment_id: i32) -> Result<()> {
        self.client.call(&call::DeleteCommentOfTask::new(id, task_comment_id)).await
    }

    /// `GET /v2/tasks/{taskId}`: One task by its id. `$select` and `$expand` apply to the response; the other
    /// options are validated but have no effect.
    pub fn get_v2(&self, id: i32) -> Get<Task> {
        Get::new(self.client.clone(), odata_get!(GetTaskV2), id)
    }

    /// `PUT /v2/tasks/{taskId}`: Replaces the properties of a task: those that the body omits become empty.
    /// It stays below the task that it is a sub-task of, and in its project and incident. Another `boardId`,
    /// or none, takes it out of its row and column unless the body has others. The response is the whole
    /// task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update_v2(&self, id: i32, body: &TaskUpdate) -> Result<Task> {
        self.client.call(&call::UpdateTaskV2::new(id, body)).await
    }

    /// `PATCH /v2/tasks/{taskId}`: Changes only the properties in the body, which is a JSON merge patch (RFC
    /// 7396): null clears a nullable property. Another `boardId`, or none, takes the task out of its row and
    /// column unless the body has others. The response is the whole task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn patch(&self, id: i32, body: &TaskPatch) -> Result<Task> {
        self.client.call(&call::PatchTask::new(id, body)).await
    }

    /// `POST /v1/Tasks`: Creates a task of a board (`boardId`), or of the person responsible alone. Its id is
    /// never used again. The response is the whole task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create(&self, body: &TaskInfoCreate) -> Result<TaskInfo> {
        self.client.call(&call::CreateTaskV1::new(body)).await
    }

    /// `GET /v1/Tasks/{id}`: One task by its id.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn get(&self, id: i32) -> Result<TaskInfo> {
        self.client.call(&call::GetTaskV1::new(id)).await
    }

    /// `PUT /v1/Tasks/{id}`: Changes only the properties in the body; null clears a nullable property.
    /// Another `boardId`, or none, takes the task out of its row and column unless the body has others. The
    /// response is the whole task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update(&self, id: i32, body: &TaskInfoUpdate) -> Result<TaskInfo> {
        self.client.call(&call::UpdateTaskV1::new(id, body)).await
    }

    /// `DELETE /v1/Tasks/{id}`: Deletes a task permanently, with its sub-tasks. The response is the task as
    /// it was.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete(&self, id: i32) -> Result<TaskInfo> {
        self.client.call(&call::DeleteTaskV1::new(id)).await
    }

    /// `POST /v1/Tasks/{id}/SubTasks`: Creates a task below another one, whose project and incident it gets,
    /// and whose board if the body has no `boardId`. Its id is never used again. The response is the
    /// sub-task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_sub_task(&self, id: i32, body: &TaskInfoCreate) -> Result<TaskInfo> {
        self.client.call(&call::CreateSubTask::new(id, body)).await
    }

    /// `DELETE /v2/tasks/{taskId}/attachments/{taskAttachmentId}`: Deletes an attachment permanently, with
    /// its content. The task gets a new `lastModified`.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_attachment(&self, id: i32, task_attachment_id: i32) -> Result<()> {
        self.client.call(&call::DeleteTaskAttachment::new(id, task_attachment_id)).await
    }
}

impl Improvements {
    /// `POST /v1/Improvements`: suggests an improvement. [`ImprovementCreate::new`] takes the required
    /// properties.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been created.
    pub async fn create(&self, body: &ImprovementCreate) -> Result<Improvement> {
        self.client.call(&call::CreateImprovement::new(body)).await
    }

    /// `GET /v1/Improvements/{improvementId}`
    ///
    /// # Errors
    /// See [`Error`](crate::Error); [`Error::is_not_found`](crate::Error::is_not_found) if no improvement has
    /// this id.
    pub async fn get(&self, id: i32) -> Result<Improvement> {
        self.client.call(&call::GetImprovementV1::new(id)).await
    }

    /// `PUT /v1/Improvements/{improvementId}`: changes the properties that `update` sets, clears those set to
    /// [`Patch::Null`](obeya_model::Patch::Null), and returns the whole improvement. Other properties are
    /// unchanged.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update(&self, id: i32, body: &ImprovementUpdate) -> Result<Improvement> {
        self.client.call(&call::UpdateImprovement::new(id, body)).await
    }

    /// `DELETE /v1/Improvements/{improvementId}`: permanently deletes the improvement.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). A retried call may fail with not found because its first attempt
    /// succeeded.
    pub async fn delete(&self, id: i32) -> Result<()> {
        self.client.call(&call::DeleteImprovement::new(id)).await
    }

    /// `GET /v2/improvements`: The improvements, ordered by id unless `$orderby` is given. `$expand` accepts
    /// `group` and `responsible`; `$search` is not available. `$apply` groups and aggregates them in the
    /// service, for example `groupby((group/name,status),aggregate($count as n,gainOfInvestment with sum as
    /// gain))`.
    pub fn list_v2(&self) -> List<ImprovementV2> {
        List::new(self.client.clone(), odata_list!(ListImprovementsV2))
    }

    /// `GET /v2/improvements/{improvementId}`: One improvement by its id. `$select` and `$expand` apply to
    /// the response; the other options are validated but have no effect.
    pub fn get_v2(&self, id: i32) -> Get<ImprovementV2> {
        Get::new(self.client.clone(), odata_get!(GetImprovementV2), id)
    }
}

impl Datasources {
    /// `GET /v1/Datasources`: the datasources, in one response.
    pub fn list(&self) -> WholeList<Datasource> {
        WholeList::new(self.client.clone(), whole_list!(ListDatasourcesV1))
    }

    /// `GET /v1/Datasources/{id}`: a datasource with the meaning of its values' properties.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn get(&self, id: i32) -> Result<DatasourceDetail> {
        self.client.call(&call::GetDatasourceV1::new(id)).await
    }

    /// `POST /v1/Datasources/{id}/values`: adds a value and returns it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been added.
    pub async fn create_value(&self, id: i32, body: &DatasourceValueInput) -> Result<DatasourceValue> {
        self.client.call(&call::CreateDatasourceValue::new(id, body)).await
    }

    /// `PUT /v1/Datasources/{id}/values/{valueId}`: replaces the value; properties that `value` omits are
    /// cleared.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update_value(&self, id: i32, value_id: i32, body: &DatasourceValueInput) -> Result<DatasourceValue> {
        self.client.call(&call::UpdateDatasourceValue::new(id, value_id, body)).await
    }

    /// `DELETE /v1/Datasources/{id}/values/{valueId}`: permanently deletes the value.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). A retried call may fail with not found because its first attempt
    /// succeeded.
    pub async fn delete_value(&self, id: i32, value_id: i32) -> Result<()> {
        self.client.call(&call::DeleteDatasourceValue::new(id, value_id)).await
    }

    /// `DELETE /v1/Datasources/{id}/values/batch`: permanently deletes up to 10,000 values by id; returns how
    /// many were deleted. Ids that the datasource does not have are ignored.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). A retried call counts only values that its first attempt did not delete.
    pub async fn delete_values(&self, id: i32, body: &[i32]) -> Result<i32> {
        let body = body.to_vec();
        self.client.call(&call::DeleteDatasourceValues::new(id, &body)).await
    }

    /// `GET /v2/datasources`: The datasources, ordered by id unless `$orderby` is given. `$expand` accepts
    /// `values`; `$search` is not available.
    pub fn list_v2(&self) -> List<DatasourceV2> {
        List::new(self.client.clone(), odata_list!(ListDatasourcesV2))
    }

    /// `GET /v2/datasources/{datasourceId}`: One datasource by its id, without its elements (see
    /// `getDatasourceV1`). `$select` and `$expand` apply to the response; the other options are validated but
    /// have no effect.
    pub fn get_v2(&self, id: i32) -> Get<DatasourceV2> {
        Get::new(self.client.clone(), odata_get!(GetDatasourceV2), id)
    }

    /// `GET /v2/datasources/{datasourceId}/values`: The values of one datasource, ordered by `valueDate` and
    /// then `id` unless `$orderby` is given. `$apply` groups and aggregates them in the service, for example
    /// `groupby((dimension),aggregate(value with average as mean,$count as n))`. `$search` is not available.
    /// `listDatasourceValuesV1` returns the values in larger pages and in other media types.
    pub fn values_v2(&self, datasource_id: i32) -> List<DatasourceValueV2> {
        List::new(self.client.clone(), odata_list!(ListDatasourceValuesV2, datasource_id))
    }
}

impl Users {
    /// `GET /v2/users`: The users who were not deleted, ordered by id unless `$orderby` is given.
    /// `$expand=groups` adds the memberships of a user. `$search` looks into names and the e-mail address.
    pub fn list(&self) -> List<UserV2> {
        List::new(self.client.clone(), odata_list!(ListUsersV2))
    }

    /// `GET /v2/users/{userId}`: One user by its id. `$select` and `$expand` apply to the response; the other
    /// options are validated but have no effect.
    pub fn get(&self, user_id: &str) -> Get<UserV2, String> {
        Get::new(self.client.clone(), odata_get!(text GetUserV2), user_id.to_owned())
    }

    /// `PUT /v2/users/{userId}`: Changes only the properties in the body; null clears a nullable property.
    /// Other names without a `displayName` make a new one. The response is the whole user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update(&self, user_id: &str, body: &UserUpdateV2) -> Result<UserV2> {
        self.client.call(&call::UpdateUserV2::new(user_id, body)).await
    }

    /// `DELETE /v2/users/{userId}`: Deletes a user, whose memberships end. Records go on naming the person;
    /// nobody can be named anew. `obeya erase-user` removes a person from the records. The response has no
    /// body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete(&self, user_id: &str) -> Result<()> {
        self.client.call(&call::DeleteUserV2::new(user_id)).await
    }

    /// `PATCH /v2/users/{userId}`: Changes the properties in the body, a JSON merge patch (RFC 7396); null
    /// clears a nullable property. Other names without a `displayName` make a new one. The response is the
    /// whole user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn patch(&self, user_id: &str, body: &UserPatch) -> Result<UserV2> {
        self.client.call(&call::PatchUser::new(user_id, body)).await
    }

    /// `GET /v1/Users`: All users who were not deleted and match `$filter` as an array, ordered by `$orderby`
    /// and id. `roles` stands in no condition and no order.
    pub fn list_v1(&self) -> WholeList<UserV1> {
        WholeList::new(self.client.clone(), whole_list!(ListUsersV1))
    }

    /// `POST /v1/Users`: Creates a user with a new id; the display name is first and last name. The response
    /// is the whole user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_v1(&self, body: &UserCreateV1) -> Result<UserV1> {
        self.client.call(&call::CreateUserV1::new(body)).await
    }

    /// `GET /v1/Users/{userId}`: One user by its id.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn get_v1(&self, user_id: &str) -> Result<UserV1> {
        self.client.call(&call::GetUserV1::new(user_id)).await
    }

    /// `PUT /v1/Users/{userId}`: Changes only the properties in the body; null clears a nullable property.
    /// Other names make a new display name. The response is the whole user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update_v1(&self, user_id: &str, body: &UserUpdateV1) -> Result<UserV1> {
        self.client.call(&call::UpdateUserV1::new(user_id, body)).await
    }

    /// `DELETE /v1/Users/{userId}`: Deletes a user, whose memberships end. Records go on naming the person;
    /// nobody can be named anew. `obeya erase-user` removes a person from the records. The response is the
    /// user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_v1(&self, user_id: &str) -> Result<UserV1> {
        self.client.call(&call::DeleteUserV1::new(user_id)).await
    }

    /// `GET /v1/Users/{userId}/groups`: The groups of which a user is a member, whatever the role, as an
    /// array, ordered by id.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn groups(&self, user_id: &str) -> Result<Vec<GroupV1>> {
        self.client.call(&call::ListGroupsOfUser::new(user_id)).await
    }

    /// `GET /v1/Users/roles/{role}`: The users with a role of the plant, as an array, ordered by id; empty if
    /// nobody has it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn of_role(&self, role: &str) -> Result<Vec<UserV1>> {
        self.client.call(&call::ListUsersOfRole::new(role)).await
    }

    /// `PUT /v1/Users/{userId}/roles/{role}`: Gives a user a role of the plant; a user who has it keeps it.
    /// What a role allows is not decided here: this service only stores it. The response is the whole user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn add_role(&self, user_id: &str, role: &str) -> Result<UserV1> {
        self.client.call(&call::AddUserRole::new(user_id, role)).await
    }

    /// `DELETE /v1/Users/{userId}/roles/{role}`: Takes a role of the plant from a user. The response is the
    /// whole user.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn remove_role(&self, user_id: &str, role: &str) -> Result<UserV1> {
        self.client.call(&call::RemoveUserRole::new(user_id, role)).await
    }
}

impl DataLists {
    /// `GET /v1/Datalists`: All data lists that match `$filter` as an array, ordered by `$orderby` and id.
    /// `listDataListItems` returns the items of one list.
    pub fn list(&self) -> WholeList<DataList> {
        WholeList::new(self.client.clone(), whole_list!(ListDataLists))
    }

    /// `GET /v1/Datalists/{id}/items`: All items of a data list as an array, in sort order.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn items(&self, id: i32) -> Result<Vec<DataListItem>> {
        self.client.call(&call::ListDataListItems::new(id)).await
    }

    /// `POST /v1/Datalists/{id}/items`: Adds an item after the last one. Its id is never used again. The
    /// response is the data list, whose `lastModified` changes.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_item(&self, id: i32, body: &DataListItemCreate) -> Result<DataList> {
        self.client.call(&call::CreateDataListItem::new(id, body)).await
    }
}

impl Projects {
    /// `GET /v1/Projects`: All projects that match `$filter` as an array, ordered by `$orderby` and id.
    pub fn list(&self) -> WholeList<Project> {
        WholeList::new(self.client.clone(), whole_list!(ListProjects))
    }

    /// `POST /v1/Projects`: Creates a project. It gets an id, which is never used again, and the current time
    /// as `createdDate`. `ownerEmail` and `membersEmail` name the users that lead it and work on it. The
    /// response is the whole project.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create(&self, body: &ProjectCreate) -> Result<Project> {
        self.client.call(&call::CreateProject::new(body)).await
    }

    /// `GET /v1/Projects/{projectNumber}`: One project, by its number.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn get(&self, project_number: &str) -> Result<Project> {
        self.client.call(&call::GetProject::new(project_number)).await
    }

    /// `DELETE /v1/Projects/{projectNumber}`: Deletes a project permanently, with its milestones. A project
    /// that other records refer to stays: move these first. The response has no body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete(&self, project_number: &str) -> Result<()> {
        self.client.call(&call::DeleteProject::new(project_number)).await
    }

    /// `GET /v1/Projects/{projectNumber}/milestones`: All milestones of a project as an array, ordered by
    /// `plannedDate` and id; those without a planned date come first.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn milestones(&self, project_number: &str) -> Result<Vec<ProjectMilestone>> {
        self.client.call(&call::ListProjectMilestones::new(project_number)).await
    }

    /// `POST /v1/Projects/{projectNumber}/milestones`: Adds a milestone to a project. Its id is never used
    /// again. The response is the milestone.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_milestone(&self, project_number: &str, body: &ProjectMilestoneCreate) -> Result<ProjectMilestone> {
        self.client.call(&call::CreateProjectMilestone::new(project_number, body)).await
    }

    /// `PUT /v1/Projects/{projectNumber}/milestones/{milestoneId}`: Changes a milestone. An omitted date
    /// stays as it is, and null removes it. The response is the milestone.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update_milestone(&self, project_number: &str, milestone_id: i32, body: &ProjectMilestoneUpdate) -> Result<ProjectMilestone> {
        self.client.call(&call::UpdateProjectMilestone::new(project_number, milestone_id, body)).await
    }

    /// `DELETE /v1/Projects/{projectNumber}/milestones/{milestoneId}`: Deletes a milestone permanently. The
    /// response has no body.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_milestone(&self, project_number: &str, milestone_id: i32) -> Result<()> {
        self.client.call(&call::DeleteProjectMilestone::new(project_number, milestone_id)).await
    }

    /// `GET /v1/Projects/{projectNumber}/tasks`: All tasks of a project as an array, ordered by id, sub-tasks
    /// included.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn tasks(&self, project_number: &str) -> Result<Vec<TaskInfo>> {
        self.client.call(&call::ListTasksOfProject::new(project_number)).await
    }

    /// `POST /v1/Projects/{projectNumber}/tasks`: Creates a task of a project; `boardId` may put it on a
    /// board too. Its id is never used again. The response is the whole task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same.
    pub async fn create_task(&self, project_number: &str, body: &TaskInfoCreate) -> Result<TaskInfo> {
        self.client.call(&call::CreateTaskOfProject::new(project_number, body)).await
    }
}

odata_pages! {
    Area in AreaPaginationResult;
    Board in BoardPaginationResult;
    DatasourceV2 in DatasourcePaginationResult;
    DatasourceValueV2 in DatasourceValuePaginationResult;
    GroupV2 in GroupPaginationResult;
    ImprovementV2 in ImprovementPaginationResult;
    IncidentCommentV2 in IncidentCommentPaginationResult;
    IncidentType in IncidentTypePaginationResult;
    IncidentV2 in IncidentPaginationResult;
    Task in TaskPaginationResult;
    TaskComment in TaskCommentPaginationResult;
    UserV2 in UserPaginationResult;
}
