// Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python/rust.rs.

use super::{Field, enums, record, records};

enums! { IncidentStatus IncidentSeverity ImprovementStatus ImprovementPriorityStatus EvaluationStatusV1 EvaluationStatusV2 BoardType DatasourceElementType GroupType TaskStatus TaskDeletionMode GroupRole UserType }

records! { Area Board GroupV2 UserGroup UserV2 UserMembership IncidentCommentV2 IncidentV2 IncidentAttachment TaskAttachment IncidentType Task TaskComment ImprovementV2 DatasourceV2 DatasourceValueV2 IncidentV1 TrashedIncident IncidentCommentV1 IncidentConsequence CategoryReference CauseReference IncidentCustomField Improvement IncidentTypeSummary IncidentTypeDetail IncidentTypeCustomField Category TypeConsequence TypeCause Datasource DatasourceDetail DatasourceElement DatasourceValue DatasourceValueTotal GroupV1 UserGroupMember UserV1 BoardSummary BoardDetail BoardLine DataList DataListItem Project ProjectMilestone Attachment TaskInfo Problem ODataError }

record! {
/// An area of the plant.
Area AREA "Area" {
    /// Id of the area.
    id = id: Field::optional("id", "id");
    /// Name of the area.
    name = name: Field::optional("name", "name");
    /// Description of the area.
    description = description: Field::optional("description", "description").nullable();
} }

record! {
/// A board, without its lines.
Board BOARD "Board" {
    /// Id of the board.
    id = id: Field::optional("id", "id");
    /// Name of the board.
    name = name: Field::optional("name", "name").nullable();
    /// Layout of the board.
    board_type = board_type: Field::optional("board_type", "boardType").nullable();
    /// Id of the group that is the board's business unit.
    business_unit_id = business_unit_id: Field::optional("business_unit_id", "businessUnitId").nullable();
    /// Whether the caller counts as a member of the board. A client is not a user, so this is the imported value, otherwise false.
    is_member = is_member: Field::optional("is_member", "isMember");
    /// Id of the project the board belongs to.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// Whether people outside the group can see the board.
    is_public = is_public: Field::optional("is_public", "isPublic");
    /// Id of the group the board belongs to.
    group_id = group_id: Field::optional("group_id", "groupId").nullable();
    /// The group the board belongs to. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP_V2).nullable();
    /// The tasks of the board. Only with `$expand`.
    tasks = tasks: Field::optional("tasks", "tasks").many(&TASK);
} }

record! {
/// A team, a business unit, or the members of a project.
GroupV2 GROUP_V2 "GroupV2" {
    /// Id of the group.
    id = id: Field::optional("id", "id");
    /// Type of a group.
    r#type = type_: Field::optional("type", "type");
    /// Name of the group.
    name = name: Field::optional("name", "name").nullable();
    /// Description of the group.
    description = description: Field::optional("description", "description").nullable();
    /// Id of the parent group.
    parent_id = parent_id: Field::optional("parent_id", "parentId").nullable();
    /// Whether the system created the group.
    is_system_group = is_system_group: Field::optional("is_system_group", "isSystemGroup");
    /// Depth in the tree of groups; 0 is the root level.
    level = level: Field::optional("level", "level").nullable();
    /// Sort position among the groups with the same parent.
    sort_order = sort_order: Field::optional("sort_order", "sortOrder").nullable();
    /// Id of the group that is the business unit.
    business_unit_id = business_unit_id: Field::optional("business_unit_id", "businessUnitId").nullable();
    /// Id of the project the group works on.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// The group's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
    /// The group's name in another system.
    external_name = external_name: Field::optional("external_name", "externalName").nullable();
    /// Whether the caller counts as a member of the group. A client is not a user, so this is the imported value, otherwise false.
    is_member = is_member: Field::optional("is_member", "isMember");
    /// The parent group. Only with `$expand`.
    parent = parent: Field::optional("parent", "parent").one(&GROUP_V2).nullable();
    /// The child groups. Only with `$expand`.
    children = children: Field::optional("children", "children").many(&GROUP_V2);
    /// The boards of the group. Only with `$expand`.
    boards = boards: Field::optional("boards", "boards").many(&BOARD);
    /// The members of the group. Only with `$expand`.
    users = users: Field::optional("users", "users").many(&USER_GROUP);
} }

record! {
/// A person, as a member of a group.
UserGroup USER_GROUP "UserGroup" {
    /// Id of the user.
    id = id: Field::optional("id", "id");
    /// Name with which the user signs in; null for a client that may not read groups.
    user_name = user_name: Field::optional("user_name", "userName").nullable();
    /// Display name of the user.
    display_name = display_name: Field::optional("display_name", "displayName");
    /// Id of the group.
    group_id = group_id: Field::optional("group_id", "groupId");
    /// Id of the user, the same as `id`.
    user_id = user_id: Field::optional("user_id", "userId");
    /// What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents.
    role = role: Field::optional("role", "role");
    /// The group. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP_V2).nullable();
    /// The user. Only with `$expand`.
    user = user: Field::optional("user", "user").one(&USER_V2).nullable();
} }

record! {
/// A person, or a screen or device that signs in. A client that may not read users sees `id` and `displayName` alone.
UserV2 USER_V2 "UserV2" {
    /// Id of the user.
    id = id: Field::optional("id", "id");
    /// Name with which the user signs in.
    user_name = user_name: Field::optional("user_name", "userName").nullable();
    /// E-mail address, if known.
    email = email: Field::optional("email", "email").nullable();
    /// First name, if known.
    first_name = first_name: Field::optional("first_name", "firstName").nullable();
    /// Last name, if known.
    last_name = last_name: Field::optional("last_name", "lastName").nullable();
    /// Display name.
    display_name = display_name: Field::optional("display_name", "displayName");
    /// The user's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
    /// Who signs in.
    r#type = type_: Field::optional("type", "type").nullable();
    /// Id of the group that is the business unit. It is not checked.
    business_unit_id = business_unit_id: Field::optional("business_unit_id", "businessUnitId").nullable();
    /// The memberships of the user. Only with `$expand`.
    groups = groups: Field::optional("groups", "groups").many(&USER_MEMBERSHIP);
} }

record! {
/// A membership of a user in a group.
UserMembership USER_MEMBERSHIP "UserMembership" {
    /// Id of the group.
    group_id = group_id: Field::optional("group_id", "groupId");
    /// Id of the user.
    user_id = user_id: Field::optional("user_id", "userId");
    /// What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents.
    role = role: Field::optional("role", "role");
    /// The group. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP_V2).nullable();
    /// The user. Only with `$expand`.
    user = user: Field::optional("user", "user").one(&USER_V2).nullable();
} }

record! {
/// A comment on an incident, or a reply to another comment.
IncidentCommentV2 INCIDENT_COMMENT_V2 "IncidentCommentV2" {
    /// Id of the comment.
    id = id: Field::optional("id", "id");
    /// Text of the comment.
    text = text: Field::optional("text", "text");
    /// When it was written.
    comment_date = comment_date: Field::optional("comment_date", "commentDate");
    /// Display name of the author, if known.
    commented_by = commented_by: Field::optional("commented_by", "commentedBy").nullable();
    /// Id of the user who wrote it, if the author is a user.
    commented_by_user_id = commented_by_user_id: Field::optional("commented_by_user_id", "commentedByUserId").nullable();
    /// Id of the comment to which this one replies.
    parent_id = parent_id: Field::optional("parent_id", "parentId").nullable();
    /// Depth of the reply; 0 is a comment on the incident itself.
    level = level: Field::optional("level", "level");
    /// Id of the incident.
    incident_id = incident_id: Field::optional("incident_id", "incidentId");
    /// The comment to which this one replies. Only with `$expand`.
    parent = parent: Field::optional("parent", "parent").one(&INCIDENT_COMMENT_V2).nullable();
    /// The incident. Only with `$expand`.
    incident = incident: Field::optional("incident", "incident").one(&INCIDENT_V2).nullable();
} }

record! {
/// An incident in its v2 form.
IncidentV2 INCIDENT_V2 "IncidentV2" {
    /// Id of the incident.
    id = id: Field::optional("id", "id");
    /// Title of the incident.
    title = title: Field::optional("title", "title").nullable();
    /// Description of the incident.
    text = text: Field::optional("text", "text").nullable();
    /// Status of an incident.
    status = status: Field::optional("status", "status");
    /// Severity of an incident.
    severity = severity: Field::optional("severity", "severity");
    /// Id of the incident type.
    type_id = type_id: Field::optional("type_id", "typeId");
    /// When it happened. v1 has only the day; here it is that day at midnight UTC.
    incident_date = incident_date: Field::optional("incident_date", "incidentDate");
    /// When it was reported.
    created_date = created_date: Field::optional("created_date", "createdDate");
    /// When it was last changed.
    last_modified = last_modified: Field::optional("last_modified", "lastModified").nullable();
    /// Id of the user who last changed it; null after a change by a client, which is not a user, and always when it is anonymous.
    last_modified_by_user_id = last_modified_by_user_id: Field::optional("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// User name of that user. Only with a scope that allows reading users.
    last_modified_by_user = last_modified_by_user: Field::optional("last_modified_by_user", "lastModifiedByUser").nullable();
    /// When it should be resolved.
    due_date = due_date: Field::optional("due_date", "dueDate").nullable();
    /// When the status last changed.
    status_modified_date = status_modified_date: Field::optional("status_modified_date", "statusModifiedDate").nullable();
    /// When it last became `New`.
    status_new_date = status_new_date: Field::optional("status_new_date", "statusNewDate").nullable();
    /// When it last became `InProgress`.
    status_in_progress_date = status_in_progress_date: Field::optional("status_in_progress_date", "statusInProgressDate").nullable();
    /// When it was resolved; v1's `resolvedDate`.
    status_implemented_date = status_implemented_date: Field::optional("status_implemented_date", "statusImplementedDate").nullable();
    /// When it last became `Rejected`.
    status_rejected_date = status_rejected_date: Field::optional("status_rejected_date", "statusRejectedDate").nullable();
    /// When it was archived.
    archived_date = archived_date: Field::optional("archived_date", "archivedDate").nullable();
    /// How well the solution worked.
    evaluation_status = evaluation_status: Field::optional("evaluation_status", "evaluationStatus").nullable();
    /// Reason for the evaluation.
    evaluation_text = evaluation_text: Field::optional("evaluation_text", "evaluationText").nullable();
    /// User name of the person responsible.
    owner = owner: Field::optional("owner", "owner").nullable();
    /// Display name of the person responsible.
    owner_display_name = owner_display_name: Field::optional("owner_display_name", "ownerDisplayName").nullable();
    /// User id of the person responsible.
    owner_user_id = owner_user_id: Field::optional("owner_user_id", "ownerUserId").nullable();
    /// Id of the user who reported it; always null when it is anonymous.
    created_by_user_id = created_by_user_id: Field::optional("created_by_user_id", "createdByUserId").nullable();
    /// User name of the user who reported it; always null when it is anonymous. Only with a scope that allows reading users.
    created_by_user = created_by_user: Field::optional("created_by_user", "createdByUser").nullable();
    /// Display name of the person who reported it; always null when it is anonymous.
    created_by_user_display_name = created_by_user_display_name: Field::optional("created_by_user_display_name", "createdByUserDisplayName").nullable();
    /// Id of the group that reported it.
    group_id = group_id: Field::optional("group_id", "groupId").nullable();
    /// Id of the group that follows it up.
    follow_up_group_id = follow_up_group_id: Field::optional("follow_up_group_id", "followUpGroupId").nullable();
    /// Id of the area where it happened.
    area_id = area_id: Field::optional("area_id", "areaId").nullable();
    /// Id of the project it belongs to.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// The incident's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
    /// Whether the incident is anonymous: the reporter is not shown.
    is_anonymous = is_anonymous: Field::optional("is_anonymous", "isAnonymous");
    /// Where it was reported, in degrees north, if known; always null when it is anonymous.
    latitude = latitude: Field::optional("latitude", "latitude").nullable();
    /// Where it was reported, in degrees east, if known; always null when it is anonymous.
    longitude = longitude: Field::optional("longitude", "longitude").nullable();
    /// How far from there it may have been; always null when it is anonymous.
    accuracy_in_meters = accuracy_in_meters: Field::optional("accuracy_in_meters", "accuracyInMeters").nullable();
    /// Number of attachments.
    attachment_count = attachment_count: Field::optional("attachment_count", "attachmentCount");
    /// Number of actions.
    action_list_count = action_list_count: Field::optional("action_list_count", "actionListCount");
    /// The area where it happened. Only with `$expand`.
    area = area: Field::optional("area", "area").one(&AREA).nullable();
    /// The group that reported it. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP_V2).nullable();
    /// The group that follows it up. Only with `$expand`.
    follow_up_group = follow_up_group: Field::optional("follow_up_group", "followUpGroup").one(&GROUP_V2).nullable();
    /// The user who is responsible. Only with `$expand`. A client that may not read users sees `id` and `displayName` alone; null if the
    /// user was deleted.
    owner_user = owner_user: Field::optional("owner_user", "ownerUser").one(&USER_V2).nullable();
    /// The incident type. Only with `$expand`.
    r#type = type_: Field::optional("type", "type").one(&INCIDENT_TYPE).nullable();
    /// The comments on it. Only with `$expand`.
    comments = comments: Field::optional("comments", "comments").many(&INCIDENT_COMMENT_V2);
    /// The tasks of the incident. Only with `$expand`.
    tasks = tasks: Field::optional("tasks", "tasks").many(&TASK);
    /// The files attached to the incident. Only with `$expand`.
    attachments = attachments: Field::optional("attachments", "attachments").many(&INCIDENT_ATTACHMENT);
} }

record! {
/// A file attached to an incident, as v2 returns it.
IncidentAttachment INCIDENT_ATTACHMENT "IncidentAttachment" {
    /// Id of the attachment.
    id = id: Field::optional("id", "id");
    /// A text that names the file, and no other.
    file_id = file_id: Field::optional("file_id", "fileId");
    /// Name of the file.
    file_name = file_name: Field::optional("file_name", "fileName");
    /// Address of the content, below the base URL of the service: `/v2/incidents/1204/attachments/601/content`. It needs a token like any
    /// other request.
    file_url = file_url: Field::optional("file_url", "fileUrl");
    /// Media type of the content.
    content_type = content_type: Field::optional("content_type", "contentType");
    /// Name of the file without its extension.
    name = name: Field::optional("name", "name");
    /// Always null, as the service makes no previews.
    preview_file_name = preview_file_name: Field::optional("preview_file_name", "previewFileName").nullable();
    /// Always false, as the service makes no previews.
    has_preview = has_preview: Field::optional("has_preview", "hasPreview");
    /// Extension of the file, without a dot.
    file_extension = file_extension: Field::optional("file_extension", "fileExtension");
    /// SHA-256 of the content, in hexadecimal. Between quotation marks it is the `ETag` of the content.
    e_tag = e_tag: Field::optional("e_tag", "eTag");
    /// Size of the content in bytes.
    file_size_in_bytes = file_size_in_bytes: Field::optional("file_size_in_bytes", "fileSizeInBytes");
    /// Size of the content in KiB, rounded up.
    file_size_in_kb = file_size_in_kb: Field::optional("file_size_in_kb", "fileSizeInKb");
    /// When the file was attached.
    created_date = created_date: Field::optional("created_date", "createdDate");
    /// Id of the person who attached it. Null if a client did, and always where an incident is anonymous.
    created_by_user_id = created_by_user_id: Field::optional("created_by_user_id", "createdByUserId").nullable();
    /// Display name of the person who attached it. Null if a client did, and always where an incident is anonymous.
    created_by_user = created_by_user: Field::optional("created_by_user", "createdByUser").nullable();
    /// The same as `createdDate`, as an attachment never changes.
    last_modified = last_modified: Field::optional("last_modified", "lastModified");
    /// The same as `createdByUserId`.
    last_modified_by_user_id = last_modified_by_user_id: Field::optional("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// The same as `createdByUser`.
    last_modified_by_user = last_modified_by_user: Field::optional("last_modified_by_user", "lastModifiedByUser").nullable();
    /// The same as `contentType`.
    mime_type = mime_type: Field::optional("mime_type", "mimeType");
    /// Whether the content is an image.
    is_image = is_image: Field::optional("is_image", "isImage");
} }

record! {
/// A file attached to a task, as v2 returns it.
TaskAttachment TASK_ATTACHMENT "TaskAttachment" {
    /// Id of the attachment.
    id = id: Field::optional("id", "id");
    /// A text that names the file, and no other.
    file_id = file_id: Field::optional("file_id", "fileId");
    /// Name of the file.
    file_name = file_name: Field::optional("file_name", "fileName");
    /// Address of the content, below the base URL of the service: `/v2/incidents/1204/attachments/601/content`. It needs a token like any
    /// other request.
    file_url = file_url: Field::optional("file_url", "fileUrl");
    /// Media type of the content.
    content_type = content_type: Field::optional("content_type", "contentType");
    /// Name of the file without its extension.
    name = name: Field::optional("name", "name");
    /// Always null, as the service makes no previews.
    preview_file_name = preview_file_name: Field::optional("preview_file_name", "previewFileName").nullable();
    /// Always false, as the service makes no previews.
    has_preview = has_preview: Field::optional("has_preview", "hasPreview");
    /// Extension of the file, without a dot.
    file_extension = file_extension: Field::optional("file_extension", "fileExtension");
    /// SHA-256 of the content, in hexadecimal. Between quotation marks it is the `ETag` of the content.
    e_tag = e_tag: Field::optional("e_tag", "eTag");
    /// Size of the content in bytes.
    file_size_in_bytes = file_size_in_bytes: Field::optional("file_size_in_bytes", "fileSizeInBytes");
    /// Size of the content in KiB, rounded up.
    file_size_in_kb = file_size_in_kb: Field::optional("file_size_in_kb", "fileSizeInKb");
    /// When the file was attached.
    created_date = created_date: Field::optional("created_date", "createdDate");
    /// Id of the person who attached it. Null if a client did, and always where an incident is anonymous.
    created_by_user_id = created_by_user_id: Field::optional("created_by_user_id", "createdByUserId").nullable();
    /// Display name of the person who attached it. Null if a client did, and always where an incident is anonymous.
    created_by_user = created_by_user: Field::optional("created_by_user", "createdByUser").nullable();
    /// The same as `createdDate`, as an attachment never changes.
    last_modified = last_modified: Field::optional("last_modified", "lastModified");
    /// The same as `createdByUserId`.
    last_modified_by_user_id = last_modified_by_user_id: Field::optional("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// The same as `createdByUser`.
    last_modified_by_user = last_modified_by_user: Field::optional("last_modified_by_user", "lastModifiedByUser").nullable();
    /// The same as `contentType`.
    mime_type = mime_type: Field::optional("mime_type", "mimeType");
    /// Whether the content is an image.
    is_image = is_image: Field::optional("is_image", "isImage");
} }

record! {
/// An incident type in its v2 form.
IncidentType INCIDENT_TYPE "IncidentType" {
    /// Id of the incident type.
    id = id: Field::optional("id", "id");
    /// Title of the type.
    title = title: Field::optional("title", "title");
    /// Description of the type.
    description = description: Field::optional("description", "description").nullable();
} }

record! {
/// A task as v2 returns it.
Task TASK "Task" {
    /// Id of the task.
    id = id: Field::optional("id", "id");
    /// Id of the task that this is a sub-task of.
    parent_id = parent_id: Field::optional("parent_id", "parentId").nullable();
    /// When it was last changed. Every change of the task moves it forward.
    last_modified = last_modified: Field::optional("last_modified", "lastModified");
    /// Display name of the person responsible.
    responsible_user = responsible_user: Field::optional("responsible_user", "responsibleUser").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::optional("responsible_user_id", "responsibleUserId").nullable();
    /// The task's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
    /// Id of the board it is on.
    board_id = board_id: Field::optional("board_id", "boardId").nullable();
    /// Title of the task.
    title = title: Field::optional("title", "title");
    /// Description of the task.
    description = description: Field::optional("description", "description").nullable();
    /// Status of a task.
    status = status: Field::optional("status", "status");
    /// When it is to be completed.
    due_date = due_date: Field::optional("due_date", "dueDate").nullable();
    /// When it is to begin.
    start_date = start_date: Field::optional("start_date", "startDate").nullable();
    /// Id of the row of the board it is in.
    row_category_id = row_category_id: Field::optional("row_category_id", "rowCategoryId").nullable();
    /// Id of the column of the board it is in.
    column_category_id = column_category_id: Field::optional("column_category_id", "columnCategoryId").nullable();
    /// Id of the person who last changed it. Null after a change by a client.
    last_modified_by_user_id = last_modified_by_user_id: Field::optional("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// Display name of the person who last changed it. Null after a change by a client.
    last_modified_by_user = last_modified_by_user: Field::optional("last_modified_by_user", "lastModifiedByUser").nullable();
    /// Its tags, in the order in which they were set.
    tags = tags: Field::optional("tags", "tags");
    /// Its colour, as it was set.
    color = color: Field::optional("color", "color").nullable();
    /// The board it is on. Only with `$expand`.
    board = board: Field::optional("board", "board").one(&BOARD).nullable();
    /// The comments on it. Only with `$expand`.
    comments = comments: Field::optional("comments", "comments").many(&TASK_COMMENT);
    /// The files attached to the task. Only with `$expand`.
    attachments = attachments: Field::optional("attachments", "attachments").many(&TASK_ATTACHMENT);
} }

record! {
/// A comment on a task, or an answer to another comment.
TaskComment TASK_COMMENT "TaskComment" {
    /// Id of the comment.
    id = id: Field::optional("id", "id");
    /// Id of the comment that this one answers.
    parent_id = parent_id: Field::optional("parent_id", "parentId").nullable();
    /// Depth of the answer; 0 is a comment on the task itself.
    level = level: Field::optional("level", "level");
    /// Text of the comment.
    text = text: Field::optional("text", "text");
    /// Name of the author, if known; the display name of a user.
    commented_by = commented_by: Field::optional("commented_by", "commentedBy").nullable();
    /// Id of the user who wrote it, if the author is a user.
    commented_by_user_id = commented_by_user_id: Field::optional("commented_by_user_id", "commentedByUserId").nullable();
    /// When it was written.
    comment_date = comment_date: Field::optional("comment_date", "commentDate");
    /// Id of the task.
    task_id = task_id: Field::optional("task_id", "taskId");
    /// Display name of the user who wrote it, if the author is a user.
    commented_by_user_display_name = commented_by_user_display_name: Field::optional("commented_by_user_display_name", "commentedByUserDisplayName").nullable();
    /// The comment that this one answers. Only with `$expand`.
    parent = parent: Field::optional("parent", "parent").one(&TASK_COMMENT).nullable();
    /// The task. Only with `$expand`.
    task = task: Field::optional("task", "task").one(&TASK).nullable();
} }

record! {
/// An improvement in its v2 form.
ImprovementV2 IMPROVEMENT_V2 "ImprovementV2" {
    /// Id of the improvement.
    id = id: Field::optional("id", "id");
    /// Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
    /// for improvements without stages.
    status = status: Field::optional("status", "status");
    /// Priority of an improvement by effort and effect.
    priority_status = priority_status: Field::optional("priority_status", "priorityStatus");
    /// Id of the group that works on it.
    group_id = group_id: Field::optional("group_id", "groupId").nullable();
    /// Description of the improvement.
    text = text: Field::optional("text", "text").nullable();
    /// Title of the improvement.
    title = title: Field::optional("title", "title").nullable();
    /// Id of the improvement category.
    category_id = category_id: Field::optional("category_id", "categoryId").nullable();
    /// Title of the improvement category.
    category = category: Field::optional("category", "category").nullable();
    /// Id of the project it belongs to.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// Name of the project.
    project = project: Field::optional("project", "project").nullable();
    /// When it was last changed.
    last_modified = last_modified: Field::optional("last_modified", "lastModified");
    /// Id of the user who last changed it; null if a client changed it.
    last_modified_by_user_id = last_modified_by_user_id: Field::optional("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// Id of the user who suggested it.
    suggested_by_user_id = suggested_by_user_id: Field::optional("suggested_by_user_id", "suggestedByUserId").nullable();
    /// Display name of the user who suggested it.
    suggested_by = suggested_by: Field::optional("suggested_by", "suggestedBy").nullable();
    /// When it was suggested.
    suggestion_date = suggestion_date: Field::optional("suggestion_date", "suggestionDate").nullable();
    /// When it should be implemented.
    due_date = due_date: Field::optional("due_date", "dueDate").nullable();
    /// When it became `Planned`.
    planned_date = planned_date: Field::optional("planned_date", "plannedDate").nullable();
    /// When it became `InProgress`.
    in_progress_date = in_progress_date: Field::optional("in_progress_date", "inProgressDate").nullable();
    /// When it became `Implemented`.
    implemented_date = implemented_date: Field::optional("implemented_date", "implementedDate").nullable();
    /// When it became `Evaluated`.
    evaluated_date = evaluated_date: Field::optional("evaluated_date", "evaluatedDate").nullable();
    /// When it became `Archived`.
    archived_date = archived_date: Field::optional("archived_date", "archivedDate").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::optional("responsible_user_id", "responsibleUserId").nullable();
    /// User name of the person responsible.
    responsible_user = responsible_user: Field::optional("responsible_user", "responsibleUser").nullable();
    /// Display name of the person responsible.
    responsible_display_name = responsible_display_name: Field::optional("responsible_display_name", "responsibleDisplayName").nullable();
    /// Number of attachments.
    attachment_count = attachment_count: Field::optional("attachment_count", "attachmentCount");
    /// Number of actions.
    action_list_count = action_list_count: Field::optional("action_list_count", "actionListCount");
    /// Number of comments.
    comment_count = comment_count: Field::optional("comment_count", "commentCount");
    /// Number of likes.
    like_count = like_count: Field::optional("like_count", "likeCount");
    /// The improvement's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
    /// Cost in money.
    cost_of_investment = cost_of_investment: Field::optional("cost_of_investment", "costOfInvestment").nullable();
    /// Gain in money.
    gain_of_investment = gain_of_investment: Field::optional("gain_of_investment", "gainOfInvestment").nullable();
    /// Cost in hours.
    cost_of_investment_hours = cost_of_investment_hours: Field::optional("cost_of_investment_hours", "costOfInvestmentHours").nullable();
    /// Gain in hours.
    gain_of_investment_hours = gain_of_investment_hours: Field::optional("gain_of_investment_hours", "gainOfInvestmentHours").nullable();
    /// Expected cost in money.
    estimated_cost_of_investment = estimated_cost_of_investment: Field::optional("estimated_cost_of_investment", "estimatedCostOfInvestment").nullable();
    /// Expected gain in money.
    estimated_gain_of_investment = estimated_gain_of_investment: Field::optional("estimated_gain_of_investment", "estimatedGainOfInvestment").nullable();
    /// Expected cost in hours.
    estimated_cost_of_investment_hours = estimated_cost_of_investment_hours: Field::optional("estimated_cost_of_investment_hours", "estimatedCostOfInvestmentHours").nullable();
    /// Expected gain in hours.
    estimated_gain_of_investment_hours = estimated_gain_of_investment_hours: Field::optional("estimated_gain_of_investment_hours", "estimatedGainOfInvestmentHours").nullable();
    /// How well it worked.
    evaluation_status = evaluation_status: Field::optional("evaluation_status", "evaluationStatus").nullable();
    /// Reason for the evaluation.
    evaluation_text = evaluation_text: Field::optional("evaluation_text", "evaluationText").nullable();
    /// The group that works on it. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP_V2).nullable();
    /// The user who is responsible. Only with `$expand`. A client that may not read users sees `id` and `displayName` alone; null if the
    /// user was deleted.
    responsible = responsible: Field::optional("responsible", "responsible").one(&USER_V2).nullable();
} }

record! {
/// A datasource in its v2 form.
DatasourceV2 DATASOURCE_V2 "DatasourceV2" {
    /// Id of the datasource.
    id = id: Field::optional("id", "id");
    /// Name of the datasource.
    title = title: Field::optional("title", "title").nullable();
    /// Description of the values.
    description = description: Field::optional("description", "description").nullable();
    /// Subject of the values.
    object_source = object_source: Field::optional("object_source", "objectSource").nullable();
    /// Length of the period that a value covers, for example a shift.
    unit_of_time = unit_of_time: Field::optional("unit_of_time", "unitOfTime").nullable();
    /// Source of most of the values.
    primary_input_source = primary_input_source: Field::optional("primary_input_source", "primaryInputSource").nullable();
    /// Number of its values.
    value_count = value_count: Field::optional("value_count", "valueCount");
    /// The values of the datasource. Only with `$expand`.
    values = values: Field::optional("values", "values").many(&DATASOURCE_VALUE_V2);
} }

record! {
/// A value of a datasource in its v2 form.
DatasourceValueV2 DATASOURCE_VALUE_V2 "DatasourceValueV2" {
    /// Id of the value.
    id = id: Field::optional("id", "id");
    /// Id of the datasource.
    data_source_id = data_source_id: Field::optional("data_source_id", "dataSourceId");
    /// When the value was registered.
    registration_date = registration_date: Field::optional("registration_date", "registrationDate");
    /// Id of the related area.
    area_id = area_id: Field::optional("area_id", "areaId").nullable();
    /// Id of the related asset.
    asset_id = asset_id: Field::optional("asset_id", "assetId").nullable();
    /// Id of the related project.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// The numeric value; null if the value has none.
    value = value: Field::optional("value", "value").nullable();
    /// A remark.
    description = description: Field::optional("description", "description").nullable();
    /// First dimension; its meaning depends on the datasource.
    dimension = dimension: Field::optional("dimension", "dimension").nullable();
    /// Second dimension; its meaning depends on the datasource.
    dimension2 = dimension2: Field::optional("dimension2", "dimension2").nullable();
    /// Third dimension; its meaning depends on the datasource.
    dimension3 = dimension3: Field::optional("dimension3", "dimension3").nullable();
    /// Fourth dimension; its meaning depends on the datasource.
    dimension4 = dimension4: Field::optional("dimension4", "dimension4").nullable();
    /// The time to which the value applies.
    value_date = value_date: Field::optional("value_date", "valueDate");
    /// The value's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
} }

record! {
/// An incident with all its properties.
IncidentV1 INCIDENT_V1 "IncidentV1" {
    /// Id of the incident.
    id = id: Field::required("id", "id");
    /// Name of the project.
    project = project: Field::required("project", "project").nullable();
    /// Title of the incident type.
    incident_type = incident_type: Field::required("incident_type", "incidentType");
    /// Name of the group that reported it.
    reported_by_group = reported_by_group: Field::required("reported_by_group", "reportedByGroup").nullable();
    /// Id of the user who reported it; always null when it is anonymous.
    reported_by_user_id = reported_by_user_id: Field::required("reported_by_user_id", "reportedByUserId").nullable();
    /// Display name of the user who reported it; always null when it is anonymous.
    reported_by = reported_by: Field::required("reported_by", "reportedBy").nullable();
    /// When it was reported.
    reported_date = reported_date: Field::required("reported_date", "reportedDate");
    /// Name of the group that follows it up.
    follow_up_group = follow_up_group: Field::required("follow_up_group", "followUpGroup").nullable();
    /// User name of the person responsible.
    responsible = responsible: Field::required("responsible", "responsible").nullable();
    /// Display name of the person responsible.
    responsible_display_name = responsible_display_name: Field::required("responsible_display_name", "responsibleDisplayName").nullable();
    /// When it was last changed.
    last_modified = last_modified: Field::required("last_modified", "lastModified");
    /// Number of comments.
    number_of_comments = number_of_comments: Field::required("number_of_comments", "numberOfComments");
    /// Number of actions.
    number_of_actions = number_of_actions: Field::required("number_of_actions", "numberOfActions");
    /// Number of attachments.
    number_of_attachments = number_of_attachments: Field::required("number_of_attachments", "numberOfAttachments");
    /// Consequences of the incident.
    consequences = consequences: Field::required("consequences", "consequences").many(&INCIDENT_CONSEQUENCE);
    /// Categories of the incident.
    categories = categories: Field::required("categories", "categories").many(&CATEGORY_REFERENCE);
    /// Causes of the incident.
    causes = causes: Field::required("causes", "causes").many(&CAUSE_REFERENCE);
    /// The values of the custom fields of its type; a field without a value is omitted.
    custom_fields = custom_fields: Field::required("custom_fields", "customFields").many(&INCIDENT_CUSTOM_FIELD);
    /// Status of an incident.
    status = status: Field::required("status", "status");
    /// Id of the incident type.
    incident_type_id = incident_type_id: Field::required("incident_type_id", "incidentTypeId");
    /// Severity of an incident.
    severity = severity: Field::required("severity", "severity");
    /// Id of the group that reported it.
    reported_by_group_id = reported_by_group_id: Field::required("reported_by_group_id", "reportedByGroupId").nullable();
    /// Id of the group that follows it up.
    follow_up_group_id = follow_up_group_id: Field::required("follow_up_group_id", "followUpGroupId").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// Title of the incident.
    title = title: Field::required("title", "title");
    /// Description of the incident.
    text = text: Field::required("text", "text").nullable();
    /// The day it happened.
    incident_date = incident_date: Field::required("incident_date", "incidentDate");
    /// When it was resolved; null if it is not resolved.
    resolved_date = resolved_date: Field::required("resolved_date", "resolvedDate").nullable();
    /// When it should be resolved.
    due_date = due_date: Field::required("due_date", "dueDate").nullable();
    /// How well the solution worked.
    evaluation_status = evaluation_status: Field::required("evaluation_status", "evaluationStatus").nullable();
    /// Reason for the evaluation.
    evaluation_text = evaluation_text: Field::required("evaluation_text", "evaluationText").nullable();
    /// Whether the incident is anonymous: the reporter is not shown.
    is_anonymous = is_anonymous: Field::required("is_anonymous", "isAnonymous");
    /// Id of the area where it happened.
    area_id = area_id: Field::required("area_id", "areaId").nullable();
    /// Id of the project it belongs to.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// The incident's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
} }

record! {
/// An incident in the trash.
TrashedIncident TRASHED_INCIDENT "TrashedIncident" {
    /// Id of the incident.
    id = id: Field::required("id", "id");
    /// Name of the project.
    project = project: Field::required("project", "project").nullable();
    /// Title of the incident type.
    incident_type = incident_type: Field::required("incident_type", "incidentType");
    /// Name of the group that reported it.
    reported_by_group = reported_by_group: Field::required("reported_by_group", "reportedByGroup").nullable();
    /// Id of the user who reported it; always null when it is anonymous.
    reported_by_user_id = reported_by_user_id: Field::required("reported_by_user_id", "reportedByUserId").nullable();
    /// Display name of the user who reported it; always null when it is anonymous.
    reported_by = reported_by: Field::required("reported_by", "reportedBy").nullable();
    /// When it was reported.
    reported_date = reported_date: Field::required("reported_date", "reportedDate");
    /// Name of the group that follows it up.
    follow_up_group = follow_up_group: Field::required("follow_up_group", "followUpGroup").nullable();
    /// User name of the person responsible.
    responsible = responsible: Field::required("responsible", "responsible").nullable();
    /// Display name of the person responsible.
    responsible_display_name = responsible_display_name: Field::required("responsible_display_name", "responsibleDisplayName").nullable();
    /// When it was last changed.
    last_modified = last_modified: Field::required("last_modified", "lastModified");
    /// Number of comments.
    number_of_comments = number_of_comments: Field::required("number_of_comments", "numberOfComments");
    /// Number of actions.
    number_of_actions = number_of_actions: Field::required("number_of_actions", "numberOfActions");
    /// Number of attachments.
    number_of_attachments = number_of_attachments: Field::required("number_of_attachments", "numberOfAttachments");
    /// Status of an incident.
    status = status: Field::required("status", "status");
    /// Id of the incident type.
    incident_type_id = incident_type_id: Field::required("incident_type_id", "incidentTypeId");
    /// Severity of an incident.
    severity = severity: Field::required("severity", "severity");
    /// Id of the group that reported it.
    reported_by_group_id = reported_by_group_id: Field::required("reported_by_group_id", "reportedByGroupId").nullable();
    /// Id of the group that follows it up.
    follow_up_group_id = follow_up_group_id: Field::required("follow_up_group_id", "followUpGroupId").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// Title of the incident.
    title = title: Field::required("title", "title");
    /// Description of the incident.
    text = text: Field::required("text", "text").nullable();
    /// The day it happened.
    incident_date = incident_date: Field::required("incident_date", "incidentDate");
    /// When it was resolved; null if it is not resolved.
    resolved_date = resolved_date: Field::required("resolved_date", "resolvedDate").nullable();
    /// When it should be resolved.
    due_date = due_date: Field::required("due_date", "dueDate").nullable();
    /// How well the solution worked.
    evaluation_status = evaluation_status: Field::required("evaluation_status", "evaluationStatus").nullable();
    /// Reason for the evaluation.
    evaluation_text = evaluation_text: Field::required("evaluation_text", "evaluationText").nullable();
    /// Whether the incident is anonymous: the reporter is not shown.
    is_anonymous = is_anonymous: Field::required("is_anonymous", "isAnonymous");
    /// Id of the area where it happened.
    area_id = area_id: Field::required("area_id", "areaId").nullable();
    /// Id of the project it belongs to.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// The incident's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
} }

record! {
/// A comment on an incident in its v1 form.
IncidentCommentV1 INCIDENT_COMMENT_V1 "IncidentCommentV1" {
    /// Id of the comment.
    id = id: Field::required("id", "id");
    /// Text of the comment.
    comment = comment: Field::required("comment", "comment");
    /// When it was written.
    comment_date = comment_date: Field::required("comment_date", "commentDate");
    /// Display name of the author.
    commented_by = commented_by: Field::required("commented_by", "commentedBy").nullable();
    /// Id of the author.
    commented_by_user_id = commented_by_user_id: Field::required("commented_by_user_id", "commentedByUserId").nullable();
    /// Id of the comment to which it replies.
    parent_id = parent_id: Field::required("parent_id", "parentId").nullable();
    /// Depth of the reply: the number of comments above it.
    level = level: Field::required("level", "level");
} }

record! {
/// A consequence of an incident, with its amount.
IncidentConsequence INCIDENT_CONSEQUENCE "IncidentConsequence" {
    /// Unit of the amount, from the incident type.
    unit = unit: Field::required("unit", "unit").nullable();
    /// Amount of the consequence.
    amount = amount: Field::required("amount", "amount").nullable();
    /// Id of the incident type's consequence.
    id = id: Field::required("id", "id");
    /// Title of the consequence.
    title = title: Field::required("title", "title");
} }

record! {
/// A category of the incident type.
CategoryReference CATEGORY_REFERENCE "CategoryReference" {
    /// Id of the category.
    id = id: Field::required("id", "id");
    /// Title of the category.
    title = title: Field::required("title", "title");
} }

record! {
/// A cause of the incident type.
CauseReference CAUSE_REFERENCE "CauseReference" {
    /// Id of the cause.
    id = id: Field::required("id", "id");
    /// Title of the cause.
    title = title: Field::required("title", "title");
} }

record! {
/// The value of a custom field of the incident type.
IncidentCustomField INCIDENT_CUSTOM_FIELD "IncidentCustomField" {
    /// Id of the custom field.
    id = id: Field::required("id", "id");
    /// The entered value, as text. For a field with a data list it is the chosen entry.
    value = value: Field::required("value", "value").nullable();
    /// The chosen entry of the data list.
    data_list_value = data_list_value: Field::required("data_list_value", "dataListValue").nullable();
    /// Id of the data list.
    data_list_id = data_list_id: Field::required("data_list_id", "dataListId").nullable();
    /// Name of the data list.
    data_list_name = data_list_name: Field::required("data_list_name", "dataListName").nullable();
    /// When the value was entered.
    registration_date = registration_date: Field::required("registration_date", "registrationDate").nullable();
    /// Label of the field.
    label = label: Field::required("label", "label");
    /// Kind of the field, such as text, number, date, bool or list. More kinds may be added.
    r#type = type_: Field::required("type", "type");
} }

record! {
/// An improvement with all its properties.
Improvement IMPROVEMENT "Improvement" {
    /// Id of the improvement.
    id = id: Field::required("id", "id");
    /// Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
    /// for improvements without stages.
    status = status: Field::required("status", "status");
    /// Priority of an improvement by effort and effect.
    priority_status = priority_status: Field::required("priority_status", "priorityStatus");
    /// Id of the group that works on it.
    group_id = group_id: Field::required("group_id", "groupId").nullable();
    /// Name of the group.
    group = group: Field::required("group", "group").nullable();
    /// Description of the improvement.
    text = text: Field::required("text", "text").nullable();
    /// Title of the improvement.
    title = title: Field::required("title", "title").nullable();
    /// Id of the improvement category.
    category_id = category_id: Field::required("category_id", "categoryId").nullable();
    /// Title of the improvement category.
    category = category: Field::required("category", "category").nullable();
    /// Id of the project it belongs to.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// Name of the project.
    project = project: Field::required("project", "project").nullable();
    /// When it was last changed.
    last_modified = last_modified: Field::required("last_modified", "lastModified");
    /// Id of the user who last changed it; null if a client changed it.
    last_modified_by_user_id = last_modified_by_user_id: Field::required("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// Id of the user who suggested it.
    suggested_by_user_id = suggested_by_user_id: Field::required("suggested_by_user_id", "suggestedByUserId").nullable();
    /// Display name of the user who suggested it.
    suggested_by = suggested_by: Field::required("suggested_by", "suggestedBy").nullable();
    /// When it was suggested.
    suggestion_date = suggestion_date: Field::required("suggestion_date", "suggestionDate").nullable();
    /// When it should be implemented.
    due_date = due_date: Field::required("due_date", "dueDate").nullable();
    /// When it became `Planned`.
    planned_date = planned_date: Field::required("planned_date", "plannedDate").nullable();
    /// When it became `InProgress`.
    in_progress_date = in_progress_date: Field::required("in_progress_date", "inProgressDate").nullable();
    /// When it became `Implemented`.
    implemented_date = implemented_date: Field::required("implemented_date", "implementedDate").nullable();
    /// When it became `Evaluated`.
    evaluated_date = evaluated_date: Field::required("evaluated_date", "evaluatedDate").nullable();
    /// When it became `Archived`.
    archived_date = archived_date: Field::required("archived_date", "archivedDate").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// User name of the person responsible.
    responsible_user = responsible_user: Field::required("responsible_user", "responsibleUser").nullable();
    /// Display name of the person responsible.
    responsible_display_name = responsible_display_name: Field::required("responsible_display_name", "responsibleDisplayName").nullable();
    /// Number of attachments.
    attachment_count = attachment_count: Field::required("attachment_count", "attachmentCount");
    /// Number of actions.
    action_list_count = action_list_count: Field::required("action_list_count", "actionListCount");
    /// Number of comments.
    comment_count = comment_count: Field::required("comment_count", "commentCount");
    /// Number of likes.
    like_count = like_count: Field::required("like_count", "likeCount");
    /// The improvement's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
    /// Cost in money.
    cost_of_investment = cost_of_investment: Field::required("cost_of_investment", "costOfInvestment").nullable();
    /// Gain in money.
    gain_of_investment = gain_of_investment: Field::required("gain_of_investment", "gainOfInvestment").nullable();
    /// Cost in hours.
    cost_of_investment_hours = cost_of_investment_hours: Field::required("cost_of_investment_hours", "costOfInvestmentHours").nullable();
    /// Gain in hours.
    gain_of_investment_hours = gain_of_investment_hours: Field::required("gain_of_investment_hours", "gainOfInvestmentHours").nullable();
    /// Expected cost in money.
    estimated_cost_of_investment = estimated_cost_of_investment: Field::required("estimated_cost_of_investment", "estimatedCostOfInvestment").nullable();
    /// Expected gain in money.
    estimated_gain_of_investment = estimated_gain_of_investment: Field::required("estimated_gain_of_investment", "estimatedGainOfInvestment").nullable();
    /// Expected cost in hours.
    estimated_cost_of_investment_hours = estimated_cost_of_investment_hours: Field::required("estimated_cost_of_investment_hours", "estimatedCostOfInvestmentHours").nullable();
    /// Expected gain in hours.
    estimated_gain_of_investment_hours = estimated_gain_of_investment_hours: Field::required("estimated_gain_of_investment_hours", "estimatedGainOfInvestmentHours").nullable();
    /// How well it worked.
    evaluation_status = evaluation_status: Field::required("evaluation_status", "evaluationStatus").nullable();
    /// Reason for the evaluation.
    evaluation_text = evaluation_text: Field::required("evaluation_text", "evaluationText").nullable();
} }

record! {
/// An incident type: id, name and description.
IncidentTypeSummary INCIDENT_TYPE_SUMMARY "IncidentTypeSummary" {
    /// Id of the type.
    id = id: Field::required("id", "id");
    /// Name of the type.
    title = title: Field::required("title", "title");
    /// Description of the type.
    description = description: Field::required("description", "description").nullable();
} }

record! {
/// An incident type with the custom fields, categories, consequences and causes that its incidents may have.
IncidentTypeDetail INCIDENT_TYPE_DETAIL "IncidentTypeDetail" {
    /// Id of the incident type.
    id = id: Field::required("id", "id");
    /// Title of the type.
    title = title: Field::required("title", "title");
    /// Description of the type.
    description = description: Field::required("description", "description").nullable();
    /// Its custom fields, in sort order.
    custom_fields = custom_fields: Field::required("custom_fields", "customFields").many(&INCIDENT_TYPE_CUSTOM_FIELD);
    /// Its top-level categories, in sort order, each with its subcategories.
    categories = categories: Field::required("categories", "categories").many(&CATEGORY);
    /// Its consequences.
    consequences = consequences: Field::required("consequences", "consequences").many(&TYPE_CONSEQUENCE);
    /// Its causes, in sort order.
    causes = causes: Field::required("causes", "causes").many(&TYPE_CAUSE);
} }

record! {
/// A custom field of an incident type.
IncidentTypeCustomField INCIDENT_TYPE_CUSTOM_FIELD "IncidentTypeCustomField" {
    /// Id of the custom field.
    id = id: Field::required("id", "id");
    /// Label of the field.
    label = label: Field::required("label", "label");
    /// Kind of the field, such as text, number, date, bool or list. More kinds may be added.
    r#type = type_: Field::required("type", "type");
    /// Sort position among the fields.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
    /// Id of the data list from which its values come.
    data_list_id = data_list_id: Field::required("data_list_id", "dataListId").nullable();
    /// Whether a form should require a value. The service does not.
    is_mandatory = is_mandatory: Field::required("is_mandatory", "isMandatory");
} }

record! {
/// A category of an incident type, with its subcategories.
Category CATEGORY "Category" {
    /// Id of the category.
    id = id: Field::required("id", "id");
    /// Title of the category.
    title = title: Field::required("title", "title");
    /// Description of the category.
    description = description: Field::required("description", "description").nullable();
    /// Sort position among the categories with the same parent.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
    /// Id of the parent category.
    parent_id = parent_id: Field::required("parent_id", "parentId").nullable();
    /// The subcategories, in sort order.
    children = children: Field::required("children", "children").many(&CATEGORY);
} }

record! {
/// A consequence of an incident type.
TypeConsequence TYPE_CONSEQUENCE "TypeConsequence" {
    /// Id of the consequence.
    id = id: Field::required("id", "id");
    /// Title of the consequence.
    title = title: Field::required("title", "title");
    /// Unit of the amount.
    unit = unit: Field::required("unit", "unit").nullable();
} }

record! {
/// A cause of an incident type.
TypeCause TYPE_CAUSE "TypeCause" {
    /// Id of the cause.
    id = id: Field::required("id", "id");
    /// Title of the cause.
    title = title: Field::required("title", "title");
    /// Description of the cause.
    description = description: Field::required("description", "description").nullable();
    /// Sort position among the causes.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
} }

record! {
/// A datasource: id, name and description.
Datasource DATASOURCE "Datasource" {
    /// Id of the datasource.
    id = id: Field::required("id", "id");
    /// Name of the datasource.
    title = title: Field::required("title", "title").nullable();
    /// Description of the values.
    description = description: Field::required("description", "description").nullable();
} }

record! {
/// A datasource, with descriptions of the properties of its values.
DatasourceDetail DATASOURCE_DETAIL "DatasourceDetail" {
    /// Id of the datasource.
    id = id: Field::required("id", "id");
    /// Name of the datasource.
    title = title: Field::required("title", "title").nullable();
    /// Description of the values.
    description = description: Field::required("description", "description").nullable();
    /// Subject of the values.
    object_source = object_source: Field::required("object_source", "objectSource").nullable();
    /// Length of the period that a value covers, for example a shift.
    unit_of_time = unit_of_time: Field::required("unit_of_time", "unitOfTime").nullable();
    /// Source of most of the values.
    primary_input_source = primary_input_source: Field::required("primary_input_source", "primaryInputSource").nullable();
    /// Descriptions of the properties of a value, in the order in which a form shows them.
    elements = elements: Field::required("elements", "elements").many(&DATASOURCE_ELEMENT);
} }

record! {
/// Description of one property of a datasource's values.
DatasourceElement DATASOURCE_ELEMENT "DatasourceElement" {
    /// Id of the element, unique within the datasource.
    id = id: Field::required("id", "id");
    /// The element's name as text, unique within the datasource; its id as text if it was imported without a name.
    key = key: Field::required("key", "key");
    /// Label of the property in a form.
    label = label: Field::required("label", "label").nullable();
    /// Type of a property of a datasource's values.
    r#type = type_: Field::required("type", "type");
    /// Whether the property is mandatory in a value.
    is_mandatory = is_mandatory: Field::required("is_mandatory", "isMandatory");
    /// Name of the value's property, for example `dimension`.
    source_column = source_column: Field::required("source_column", "sourceColumn").nullable();
    /// Id of the data list from which its value is chosen.
    data_list_id = data_list_id: Field::required("data_list_id", "dataListId").nullable();
} }

record! {
/// A value of a datasource.
DatasourceValue DATASOURCE_VALUE "DatasourceValue" {
    /// Id of the value.
    id = id: Field::required("id", "id");
    /// Id of the datasource.
    data_source_id = data_source_id: Field::required("data_source_id", "dataSourceId");
    /// When the value was registered.
    registration_date = registration_date: Field::required("registration_date", "registrationDate");
    /// Id of the related area.
    area_id = area_id: Field::required("area_id", "areaId").nullable();
    /// Id of the related asset.
    asset_id = asset_id: Field::required("asset_id", "assetId").nullable();
    /// Id of the related project.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// The numeric value.
    value = value: Field::required("value", "value");
    /// A remark.
    description = description: Field::required("description", "description").nullable();
    /// First dimension; its meaning depends on the datasource.
    dimension = dimension: Field::required("dimension", "dimension").nullable();
    /// Second dimension; its meaning depends on the datasource.
    dimension2 = dimension2: Field::required("dimension2", "dimension2").nullable();
    /// Third dimension; its meaning depends on the datasource.
    dimension3 = dimension3: Field::required("dimension3", "dimension3").nullable();
    /// Fourth dimension; its meaning depends on the datasource.
    dimension4 = dimension4: Field::required("dimension4", "dimension4").nullable();
    /// The time to which the value applies.
    value_date = value_date: Field::required("value_date", "valueDate");
    /// The value's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
} }

record! {
/// Result of writing a batch of values.
DatasourceValueTotal DATASOURCE_VALUE_TOTAL "DatasourceValueTotal" {
    /// Number of added values.
    total = total: Field::required("total", "total");
} }

record! {
/// A group, as v1 lists it.
GroupV1 GROUP_V1 "GroupV1" {
    /// Id of the group.
    id = id: Field::required("id", "id");
    /// Type of a group.
    r#type = type_: Field::required("type", "type");
    /// Name of the group.
    name = name: Field::required("name", "name").nullable();
    /// Description of the group.
    description = description: Field::required("description", "description").nullable();
    /// Id of the parent group.
    parent_id = parent_id: Field::required("parent_id", "parentId").nullable();
    /// Whether the system created the group.
    is_system_group = is_system_group: Field::required("is_system_group", "isSystemGroup");
    /// Depth in the tree of groups; 0 is the root level.
    level = level: Field::required("level", "level").nullable();
    /// Sort position among the groups with the same parent.
    sort_order = sort_order: Field::required("sort_order", "sortOrder").nullable();
    /// Id of the group that is the business unit.
    business_unit_id = business_unit_id: Field::required("business_unit_id", "businessUnitId").nullable();
    /// The same as `businessUnitId`, under the name that existing clients read.
    buisness_unit_id = buisness_unit_id: Field::required("buisness_unit_id", "buisnessUnitId").nullable();
    /// Id of the project the group works on.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// The group's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
    /// The group's name in another system.
    external_name = external_name: Field::required("external_name", "externalName").nullable();
    /// Whether the caller counts as a member of the group. A client is not a user, so this is the imported value, otherwise false.
    is_member = is_member: Field::required("is_member", "isMember");
} }

record! {
/// A member of a group.
UserGroupMember USER_GROUP_MEMBER "UserGroupMember" {
    /// Name with which the user signs in.
    user_name = user_name: Field::required("user_name", "userName");
    /// Object id of the user in Entra ID, formerly Azure AD.
    azure_object_id = azure_object_id: Field::required("azure_object_id", "azureObjectId").nullable();
    /// Id of the group.
    group_id = group_id: Field::required("group_id", "groupId");
    /// Id of the user.
    user_id = user_id: Field::required("user_id", "userId");
    /// What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents.
    group_role = group_role: Field::required("group_role", "groupRole");
} }

record! {
/// A person, or a screen or device that signs in.
UserV1 USER_V1 "UserV1" {
    /// Id of the user.
    id = id: Field::required("id", "id");
    /// Roles of the plant, in the order in which they were given.
    roles = roles: Field::required("roles", "roles");
    /// Display name.
    full_name = full_name: Field::required("full_name", "fullName");
    /// Name with which the user signs in.
    user_name = user_name: Field::required("user_name", "userName");
    /// E-mail address; empty if unknown.
    email = email: Field::required("email", "email");
    /// Whether the user signs in through a directory.
    use_ad = use_ad: Field::required("use_ad", "useAD");
    /// Object id of the user in Entra ID, formerly Azure AD.
    azure_ad_object_id = azure_ad_object_id: Field::required("azure_ad_object_id", "azureAdObjectId").nullable();
    /// First name; empty if unknown.
    first_name = first_name: Field::required("first_name", "firstName");
    /// Last name; empty if unknown.
    last_name = last_name: Field::required("last_name", "lastName");
    /// Short name for boards.
    screen_name = screen_name: Field::required("screen_name", "screenName").nullable();
    /// Whether it is a screen that shows boards.
    is_info_screen_user = is_info_screen_user: Field::required("is_info_screen_user", "isInfoScreenUser");
    /// Whether it is a mobile device that people of a shift share.
    is_mobile_user = is_mobile_user: Field::required("is_mobile_user", "isMobileUser");
    /// Id of the group that is the business unit.
    business_unit_id = business_unit_id: Field::required("business_unit_id", "businessUnitId").nullable();
    /// The user's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
} }

record! {
/// A board without its lines.
BoardSummary BOARD_SUMMARY "BoardSummary" {
    /// Id of the board.
    id = id: Field::required("id", "id");
    /// Name of the board.
    name = name: Field::required("name", "name").nullable();
    /// Description of the board.
    description = description: Field::required("description", "description").nullable();
    /// Layout of the board.
    board_type = board_type: Field::required("board_type", "boardType").nullable();
    /// Whether people outside the group can see the board.
    is_public = is_public: Field::required("is_public", "isPublic");
    /// Id of the group the board belongs to.
    group_id = group_id: Field::required("group_id", "groupId").nullable();
    /// Name of that group.
    group_name = group_name: Field::required("group_name", "groupName").nullable();
} }

record! {
/// A board with its lines.
BoardDetail BOARD_DETAIL "BoardDetail" {
    /// Id of the board.
    id = id: Field::required("id", "id");
    /// Name of the board.
    name = name: Field::required("name", "name").nullable();
    /// Description of the board.
    description = description: Field::required("description", "description").nullable();
    /// Layout of the board.
    board_type = board_type: Field::required("board_type", "boardType").nullable();
    /// Whether people outside the group can see the board.
    is_public = is_public: Field::required("is_public", "isPublic");
    /// Id of the group the board belongs to.
    group_id = group_id: Field::required("group_id", "groupId").nullable();
    /// Name of that group.
    group_name = group_name: Field::required("group_name", "groupName").nullable();
    /// Its rows, in sort order.
    rows = rows: Field::required("rows", "rows").many(&BOARD_LINE);
    /// Its columns, in sort order.
    columns = columns: Field::required("columns", "columns").many(&BOARD_LINE);
} }

record! {
/// A row or a column of a board.
BoardLine BOARD_LINE "BoardLine" {
    /// Id of the line.
    id = id: Field::required("id", "id");
    /// Heading of the line.
    name = name: Field::required("name", "name").nullable();
    /// Day of the week of the line, in English.
    week_day = week_day: Field::required("week_day", "weekDay").nullable();
    /// Whether the line is a heading over other columns.
    is_column_category = is_column_category: Field::required("is_column_category", "isColumnCategory");
    /// Display style of the line.
    style = style: Field::required("style", "style").nullable();
    /// Sort position among the lines.
    sort_order = sort_order: Field::required("sort_order", "sortOrder").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// User name of the person responsible.
    responsible_user = responsible_user: Field::required("responsible_user", "responsibleUser").nullable();
} }

record! {
/// A list of choices for custom fields and for elements of datasources.
DataList DATA_LIST "DataList" {
    /// Id of the data list.
    id = id: Field::required("id", "id");
    /// Name of the data list.
    name = name: Field::required("name", "name");
    /// Description of the data list.
    description = description: Field::required("description", "description").nullable();
    /// Time of the last change of the list or its items; later than every earlier change of any record. Null for an imported list that
    /// has not changed since.
    last_modified = last_modified: Field::required("last_modified", "lastModified").nullable();
    /// Display name of the user who made the last change; null after a change by a client.
    last_modified_by_user = last_modified_by_user: Field::required("last_modified_by_user", "lastModifiedByUser").nullable();
} }

record! {
/// An item of a data list.
DataListItem DATA_LIST_ITEM "DataListItem" {
    /// Id of the item.
    id = id: Field::required("id", "id");
    /// Sort position in the list.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
    /// What identifies the item in its list.
    identifier = identifier: Field::required("identifier", "identifier");
    /// Name of the item.
    name = name: Field::required("name", "name").nullable();
} }

record! {
/// A project.
Project PROJECT "Project" {
    /// Id of the project.
    id = id: Field::required("id", "id");
    /// Number of the project, which identifies it in addresses.
    project_number = project_number: Field::required("project_number", "projectNumber");
    /// Status of the project; an open set of names.
    status = status: Field::required("status", "status").nullable();
    /// The project's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
    /// Name of the project.
    name = name: Field::required("name", "name");
    /// Description of the project.
    description = description: Field::required("description", "description").nullable();
    /// Number of the customer.
    customer_number = customer_number: Field::required("customer_number", "customerNumber").nullable();
    /// Name of the customer.
    customer_name = customer_name: Field::required("customer_name", "customerName").nullable();
    /// When the project was created.
    created_date = created_date: Field::required("created_date", "createdDate").nullable();
    /// When it began.
    start_date = start_date: Field::required("start_date", "startDate").nullable();
    /// When it ended.
    end_date = end_date: Field::required("end_date", "endDate").nullable();
    /// When it is planned to begin.
    estimated_start_date = estimated_start_date: Field::required("estimated_start_date", "estimatedStartDate").nullable();
    /// When it is planned to end.
    estimated_end_date = estimated_end_date: Field::required("estimated_end_date", "estimatedEndDate").nullable();
} }

record! {
/// A milestone of a project.
ProjectMilestone PROJECT_MILESTONE "ProjectMilestone" {
    /// Id of the milestone.
    id = id: Field::required("id", "id");
    /// Id of its project.
    project_id = project_id: Field::required("project_id", "projectId");
    /// Name of the milestone.
    name = name: Field::required("name", "name");
    /// When it is to be reached.
    planned_date = planned_date: Field::required("planned_date", "plannedDate").nullable();
    /// When it was reached.
    actual_date = actual_date: Field::required("actual_date", "actualDate").nullable();
} }

record! {
/// A file attached to an incident, as v1 returns it.
Attachment ATTACHMENT "Attachment" {
    /// A text that names the file, and no other. v2 has it as `fileId`.
    id = id: Field::required("id", "id");
    /// Name of the file.
    file_name = file_name: Field::required("file_name", "fileName");
    /// Extension of the file, without a dot.
    file_extension = file_extension: Field::required("file_extension", "fileExtension");
    /// Size of the content in KiB, rounded up.
    file_size_in_kb = file_size_in_kb: Field::required("file_size_in_kb", "fileSizeInKb");
    /// Address of the content, below the base URL of the service: `/v2/incidents/1204/attachments/601/content`. It needs a token like any
    /// other request.
    url = url: Field::required("url", "url");
    /// When the file was attached.
    created_date = created_date: Field::required("created_date", "createdDate");
    /// Id of the person who attached it. Null if a client did, and always where the incident is anonymous.
    created_by_user_id = created_by_user_id: Field::required("created_by_user_id", "createdByUserId").nullable();
    /// Display name of the person who attached it. Null if a client did, and always where the incident is anonymous.
    created_by_user = created_by_user: Field::required("created_by_user", "createdByUser").nullable();
    /// Media type of the content.
    content_type = content_type: Field::required("content_type", "contentType");
} }

record! {
/// A task as v1 returns it.
TaskInfo TASK_INFO "TaskInfo" {
    /// Id of the task.
    id = id: Field::required("id", "id");
    /// Id of the task that this is a sub-task of.
    parent_id = parent_id: Field::required("parent_id", "parentId").nullable();
    /// When it was last changed. Every change of the task moves it forward.
    last_modified = last_modified: Field::required("last_modified", "lastModified");
    /// Display name of the person responsible.
    responsible_user = responsible_user: Field::required("responsible_user", "responsibleUser").nullable();
    /// The task's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
    /// Id of the board it is on.
    board_id = board_id: Field::required("board_id", "boardId").nullable();
    /// Title of the task.
    title = title: Field::required("title", "title");
    /// Description of the task.
    description = description: Field::required("description", "description").nullable();
    /// Status of a task.
    status = status: Field::required("status", "status");
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// When it is to be completed.
    due_date = due_date: Field::required("due_date", "dueDate").nullable();
    /// When it is to begin.
    start_date = start_date: Field::required("start_date", "startDate").nullable();
    /// Id of the row of the board it is in.
    row_category_id = row_category_id: Field::required("row_category_id", "rowCategoryId").nullable();
    /// Id of the column of the board it is in.
    column_category_id = column_category_id: Field::required("column_category_id", "columnCategoryId").nullable();
    /// Its tags, in the order in which they were set.
    tags = tags: Field::required("tags", "tags");
} }

record! {
/// An RFC 9457 problem document.
Problem PROBLEM "Problem" {
    /// Problem type as a URN: `urn:obeya:problem:` and the code.
    r#type = type_: Field::required("type", "type");
    /// Title of the problem type; always the same for a code.
    title = title: Field::required("title", "title");
    /// The HTTP status.
    status = status: Field::required("status", "status");
    /// What was found in this request, what was expected, and how to correct it.
    detail = detail: Field::optional("detail", "detail");
    /// Path of the request.
    instance = instance: Field::optional("instance", "instance");
    /// Trace id. Quote it to the operator; the log has the cause under this id.
    trace_id = trace_id: Field::required("trace_id", "traceId");
    /// Stable error code for programs. New codes may be added; a code never changes its meaning.
    /// - 400: `path.invalid`, `query.invalid`, `odata.syntax`, `odata.option`, `odata.unknown_property`, `odata.unknown_function`,
    ///   `odata.type`, `odata.value`, `odata.limit`, `odata.search_with_filter`, `body.malformed`, `body.invalid`,
    ///   `body.unknown_property`, `header.invalid`
    /// - 401: `token.missing`, `token.invalid`, `token.expired`, `token.revoked`
    /// - 403: `scope.missing`, `address.refused`, `grant.missing`
    /// - 404: `not_found`
    /// - 405: `method.not_allowed`
    /// - 406: `media_type.not_acceptable`
    /// - 408: `body.timeout`
    /// - 409: `incident.transition`, `incident.evaluation`, `improvement.transition`, `value.ids_exhausted`, `data_list.identifier_exists`,
    ///   `project.number_exists`, `project.in_use`, `user.exists`, `user.deleted`, `group.system`, `group.in_use`,
    ///   `attachment.too_many`
    /// - 412: `precondition.failed`
    /// - 413: `body.too_large`
    /// - 414: `request.uri_too_long`
    /// - 415: `media_type.unsupported`
    /// - 422: `reference.unknown`, `reference.other_type`, `reference.duplicate`, `responsible.not_member`, `user.roles`, `custom_field.value`,
    ///   `element.missing`, `element.type`, `idempotency.mismatch`
    /// - 429: `idempotency.quota`, `rate.limited`
    /// - 431: `request.headers_too_large`
    /// - 500: `internal`
    /// - 503: `unavailable`
    /// - 504: `timeout`
    code = code: Field::required("code", "code");
    /// Errors by part of the request, with 400 and 422: by parameter name, or by path in the body, such as `consequences[0].id`. An
    /// error of the body as a whole is under `body`.
    errors = errors: Field::optional("errors", "errors");
    /// The same error in the form that OData clients read. Only on v2.
    error = error: Field::optional("error", "error").one(&ODATA_ERROR);
} }

record! {
/// The same error in the form that OData clients read. Only on v2.
ODataError ODATA_ERROR "ODataError" {
    /// The code of the problem.
    code = code: Field::required("code", "code");
    /// The detail of the problem.
    message = message: Field::required("message", "message");
    /// What the error refers to, such as a query option or a property.
    target = target: Field::optional("target", "target").nullable();
} }
