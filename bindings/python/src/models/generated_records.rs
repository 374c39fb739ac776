// Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python/rust.rs.

use super::{Field, enums, record, records};

enums! { IncidentStatus IncidentSeverity ImprovementStatus ImprovementPriorityStatus EvaluationStatus EvaluationStatusV2 BoardType DatasourceElementType GroupType }

records! { Area Board Group User IncidentComment IncidentV2 IncidentTypeV2 Incident TrashedIncident IncidentCommentV1 IncidentConsequence CategoryReference CauseReference IncidentCustomField Improvement IncidentTypeSummary IncidentTypeDetail IncidentTypeCustomField Category TypeConsequence TypeCause Datasource DatasourceDetail DatasourceElement DatasourceValue DatasourceValueTotal BoardSummary BoardDetail BoardLine Problem ODataError }

record! {
/// A place in the plant.
Area AREA "Area" {
    /// Id of the area.
    id = id: Field::optional("id", "id");
    /// Name of the area.
    name = name: Field::optional("name", "name");
    /// What the area holds.
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
    /// Whether the board counts as the caller's own. A client is no user, so this is what was imported, and otherwise false.
    is_member = is_member: Field::optional("is_member", "isMember");
    /// Id of the project the board belongs to.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// Whether people outside the group see the board.
    is_public = is_public: Field::optional("is_public", "isPublic");
    /// Id of the group the board belongs to.
    group_id = group_id: Field::optional("group_id", "groupId").nullable();
    /// The group the board belongs to. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP).nullable();
} }

record! {
/// A team, a business unit, or the people of a project.
Group GROUP "Group" {
    /// Id of the group.
    id = id: Field::optional("id", "id");
    /// What kind of group it is.
    r#type = type_: Field::optional("type", "type");
    /// Name of the group.
    name = name: Field::optional("name", "name").nullable();
    /// What the group is for.
    description = description: Field::optional("description", "description").nullable();
    /// Id of the group above.
    parent_id = parent_id: Field::optional("parent_id", "parentId").nullable();
    /// Whether the system made the group.
    is_system_group = is_system_group: Field::optional("is_system_group", "isSystemGroup");
    /// Depth in the tree of groups; 0 is the top.
    level = level: Field::optional("level", "level").nullable();
    /// Place among the groups with the same parent.
    sort_order = sort_order: Field::optional("sort_order", "sortOrder").nullable();
    /// Id of the group that is the business unit.
    business_unit_id = business_unit_id: Field::optional("business_unit_id", "businessUnitId").nullable();
    /// Id of the project the group works on.
    project_id = project_id: Field::optional("project_id", "projectId").nullable();
    /// The group's id in another system.
    external_id = external_id: Field::optional("external_id", "externalId").nullable();
    /// The group's name in another system.
    external_name = external_name: Field::optional("external_name", "externalName").nullable();
    /// Whether the group counts as the caller's own. A client is no user, so this is what was imported, and otherwise false.
    is_member = is_member: Field::optional("is_member", "isMember");
    /// The group above. Only with `$expand`.
    parent = parent: Field::optional("parent", "parent").one(&GROUP).nullable();
    /// The groups below. Only with `$expand`.
    children = children: Field::optional("children", "children").many(&GROUP);
    /// The boards of the group. Only with `$expand`.
    boards = boards: Field::optional("boards", "boards").many(&BOARD);
    /// The members of the group. Only with `$expand`.
    users = users: Field::optional("users", "users").many(&USER);
} }

record! {
/// A person, as a member of a group.
User USER "User" {
    /// Id of the user.
    id = id: Field::optional("id", "id");
    /// Name the user signs in with.
    user_name = user_name: Field::optional("user_name", "userName");
    /// Name to show.
    display_name = display_name: Field::optional("display_name", "displayName");
} }

record! {
/// What somebody wrote under an incident, or in reply to another comment.
IncidentComment INCIDENT_COMMENT "IncidentComment" {
    /// Id of the comment.
    id = id: Field::optional("id", "id");
    /// What was written.
    text = text: Field::optional("text", "text");
    /// When it was written.
    comment_date = comment_date: Field::optional("comment_date", "commentDate");
    /// Display name of the writer, if it is known.
    commented_by = commented_by: Field::optional("commented_by", "commentedBy").nullable();
    /// Id of the user who wrote it, if it was one.
    commented_by_user_id = commented_by_user_id: Field::optional("commented_by_user_id", "commentedByUserId").nullable();
    /// Id of the comment this one replies to.
    parent_id = parent_id: Field::optional("parent_id", "parentId").nullable();
    /// Depth of the reply; 0 is a comment on the incident itself.
    level = level: Field::optional("level", "level");
    /// Id of the incident.
    incident_id = incident_id: Field::optional("incident_id", "incidentId");
    /// The comment this one replies to. Only with `$expand`.
    parent = parent: Field::optional("parent", "parent").one(&INCIDENT_COMMENT).nullable();
    /// The incident. Only with `$expand`.
    incident = incident: Field::optional("incident", "incident").one(&INCIDENT_V2).nullable();
} }

record! {
/// An incident as v2 shows it.
IncidentV2 INCIDENT_V2 "IncidentV2" {
    /// Id of the incident.
    id = id: Field::optional("id", "id");
    /// What happened, in a line.
    title = title: Field::optional("title", "title").nullable();
    /// What happened, at length.
    text = text: Field::optional("text", "text").nullable();
    /// Where an incident stands.
    status = status: Field::optional("status", "status");
    /// How grave an incident is.
    severity = severity: Field::optional("severity", "severity");
    /// Id of the incident type.
    type_id = type_id: Field::optional("type_id", "typeId");
    /// When it happened. v1 keeps only the day; here it is that day at midnight UTC.
    incident_date = incident_date: Field::optional("incident_date", "incidentDate");
    /// When it was reported.
    created_date = created_date: Field::optional("created_date", "createdDate");
    /// When it was last changed.
    last_modified = last_modified: Field::optional("last_modified", "lastModified").nullable();
    /// When it is to be resolved.
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
    /// Why it was evaluated so.
    evaluation_text = evaluation_text: Field::optional("evaluation_text", "evaluationText").nullable();
    /// User name of the person responsible.
    owner = owner: Field::optional("owner", "owner").nullable();
    /// Display name of the person responsible.
    owner_display_name = owner_display_name: Field::optional("owner_display_name", "ownerDisplayName").nullable();
    /// User id of the person responsible.
    owner_user_id = owner_user_id: Field::optional("owner_user_id", "ownerUserId").nullable();
    /// Id of the user who reported it; always null when it is anonymous.
    created_by_user_id = created_by_user_id: Field::optional("created_by_user_id", "createdByUserId").nullable();
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
    /// Whether who reported it is kept hidden.
    is_anonymous = is_anonymous: Field::optional("is_anonymous", "isAnonymous");
    /// Number of attachments.
    attachment_count = attachment_count: Field::optional("attachment_count", "attachmentCount");
    /// Number of actions.
    action_list_count = action_list_count: Field::optional("action_list_count", "actionListCount");
    /// The area where it happened. Only with `$expand`.
    area = area: Field::optional("area", "area").one(&AREA).nullable();
    /// The group that reported it. Only with `$expand`.
    group = group: Field::optional("group", "group").one(&GROUP).nullable();
    /// The group that follows it up. Only with `$expand`.
    follow_up_group = follow_up_group: Field::optional("follow_up_group", "followUpGroup").one(&GROUP).nullable();
    /// The incident type. Only with `$expand`.
    r#type = type_: Field::optional("type", "type").one(&INCIDENT_TYPE_V2).nullable();
    /// The comments under it. Only with `$expand`.
    comments = comments: Field::optional("comments", "comments").many(&INCIDENT_COMMENT);
} }

record! {
/// An incident type as v2 shows it.
IncidentTypeV2 INCIDENT_TYPE_V2 "IncidentTypeV2" {
    /// Id of the incident type.
    id = id: Field::optional("id", "id");
    /// Title of the type.
    title = title: Field::optional("title", "title");
    /// What the type is for.
    description = description: Field::optional("description", "description").nullable();
} }

record! {
/// An incident in full.
Incident INCIDENT "Incident" {
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
    /// What it caused.
    consequences = consequences: Field::required("consequences", "consequences").many(&INCIDENT_CONSEQUENCE);
    /// How it is classified.
    categories = categories: Field::required("categories", "categories").many(&CATEGORY_REFERENCE);
    /// Why it happened.
    causes = causes: Field::required("causes", "causes").many(&CAUSE_REFERENCE);
    /// The values of the custom fields of its type; a field without a value is left out.
    custom_fields = custom_fields: Field::required("custom_fields", "customFields").many(&INCIDENT_CUSTOM_FIELD);
    /// Where an incident stands.
    status = status: Field::required("status", "status");
    /// Id of the incident type.
    incident_type_id = incident_type_id: Field::required("incident_type_id", "incidentTypeId");
    /// How grave an incident is.
    severity = severity: Field::required("severity", "severity");
    /// Id of the group that reported it.
    reported_by_group_id = reported_by_group_id: Field::required("reported_by_group_id", "reportedByGroupId").nullable();
    /// Id of the group that follows it up.
    follow_up_group_id = follow_up_group_id: Field::required("follow_up_group_id", "followUpGroupId").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// What happened, in a line.
    title = title: Field::required("title", "title");
    /// What happened, at length.
    text = text: Field::required("text", "text").nullable();
    /// The day it happened.
    incident_date = incident_date: Field::required("incident_date", "incidentDate");
    /// When it was resolved; null unless it is.
    resolved_date = resolved_date: Field::required("resolved_date", "resolvedDate").nullable();
    /// When it is to be resolved.
    due_date = due_date: Field::required("due_date", "dueDate").nullable();
    /// How well the solution worked.
    evaluation_status = evaluation_status: Field::required("evaluation_status", "evaluationStatus").nullable();
    /// Why it was evaluated so.
    evaluation_text = evaluation_text: Field::required("evaluation_text", "evaluationText").nullable();
    /// Whether who reported it is kept hidden.
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
    /// Where an incident stands.
    status = status: Field::required("status", "status");
    /// Id of the incident type.
    incident_type_id = incident_type_id: Field::required("incident_type_id", "incidentTypeId");
    /// How grave an incident is.
    severity = severity: Field::required("severity", "severity");
    /// Id of the group that reported it.
    reported_by_group_id = reported_by_group_id: Field::required("reported_by_group_id", "reportedByGroupId").nullable();
    /// Id of the group that follows it up.
    follow_up_group_id = follow_up_group_id: Field::required("follow_up_group_id", "followUpGroupId").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// What happened, in a line.
    title = title: Field::required("title", "title");
    /// What happened, at length.
    text = text: Field::required("text", "text").nullable();
    /// The day it happened.
    incident_date = incident_date: Field::required("incident_date", "incidentDate");
    /// When it was resolved; null unless it is.
    resolved_date = resolved_date: Field::required("resolved_date", "resolvedDate").nullable();
    /// When it is to be resolved.
    due_date = due_date: Field::required("due_date", "dueDate").nullable();
    /// How well the solution worked.
    evaluation_status = evaluation_status: Field::required("evaluation_status", "evaluationStatus").nullable();
    /// Why it was evaluated so.
    evaluation_text = evaluation_text: Field::required("evaluation_text", "evaluationText").nullable();
    /// Whether who reported it is kept hidden.
    is_anonymous = is_anonymous: Field::required("is_anonymous", "isAnonymous");
    /// Id of the area where it happened.
    area_id = area_id: Field::required("area_id", "areaId").nullable();
    /// Id of the project it belongs to.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// The incident's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
} }

record! {
/// A comment on an incident, as v1 tells it.
IncidentCommentV1 INCIDENT_COMMENT_V1 "IncidentCommentV1" {
    /// Id of the comment.
    id = id: Field::required("id", "id");
    /// What was written.
    comment = comment: Field::required("comment", "comment");
    /// When it was written.
    comment_date = comment_date: Field::required("comment_date", "commentDate");
    /// Display name of who wrote it.
    commented_by = commented_by: Field::required("commented_by", "commentedBy").nullable();
    /// Id of who wrote it.
    commented_by_user_id = commented_by_user_id: Field::required("commented_by_user_id", "commentedByUserId").nullable();
    /// Id of the comment that it answers.
    parent_id = parent_id: Field::required("parent_id", "parentId").nullable();
    /// How many comments there are above it.
    level = level: Field::required("level", "level");
} }

record! {
/// What an incident caused, and how much of it.
IncidentConsequence INCIDENT_CONSEQUENCE "IncidentConsequence" {
    /// Unit of the amount, as the incident type gives it.
    unit = unit: Field::required("unit", "unit").nullable();
    /// How much.
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
    /// What was entered, as text. For a field with a data list it is the chosen entry.
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
    /// Kind of the field, such as text, number, date, bool or list. More kinds may come.
    r#type = type_: Field::required("type", "type");
} }

record! {
/// An improvement in full.
Improvement IMPROVEMENT "Improvement" {
    /// Id of the improvement.
    id = id: Field::required("id", "id");
    /// The stage of an improvement. `Activated` is a request rather than a stage: it brings an archived improvement back to the stage it
    /// had. `Open` is for improvements that do not go through stages.
    status = status: Field::required("status", "status");
    /// Where an improvement lies between effort and effect.
    priority_status = priority_status: Field::required("priority_status", "priorityStatus");
    /// Id of the group that works on it.
    group_id = group_id: Field::required("group_id", "groupId").nullable();
    /// Name of the group.
    group = group: Field::required("group", "group").nullable();
    /// What is to be better, at length.
    text = text: Field::required("text", "text").nullable();
    /// What is to be better, in a line.
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
    /// Id of the user who last changed it; null when a client did.
    last_modified_by_user_id = last_modified_by_user_id: Field::required("last_modified_by_user_id", "lastModifiedByUserId").nullable();
    /// Id of the user who suggested it.
    suggested_by_user_id = suggested_by_user_id: Field::required("suggested_by_user_id", "suggestedByUserId").nullable();
    /// Display name of the user who suggested it.
    suggested_by = suggested_by: Field::required("suggested_by", "suggestedBy").nullable();
    /// When it was suggested.
    suggestion_date = suggestion_date: Field::required("suggestion_date", "suggestionDate").nullable();
    /// When it is to be implemented.
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
    /// Money it cost.
    cost_of_investment = cost_of_investment: Field::required("cost_of_investment", "costOfInvestment").nullable();
    /// Money it gained.
    gain_of_investment = gain_of_investment: Field::required("gain_of_investment", "gainOfInvestment").nullable();
    /// Hours it cost.
    cost_of_investment_hours = cost_of_investment_hours: Field::required("cost_of_investment_hours", "costOfInvestmentHours").nullable();
    /// Hours it gained.
    gain_of_investment_hours = gain_of_investment_hours: Field::required("gain_of_investment_hours", "gainOfInvestmentHours").nullable();
    /// Money it was expected to cost.
    estimated_cost_of_investment = estimated_cost_of_investment: Field::required("estimated_cost_of_investment", "estimatedCostOfInvestment").nullable();
    /// Money it was expected to gain.
    estimated_gain_of_investment = estimated_gain_of_investment: Field::required("estimated_gain_of_investment", "estimatedGainOfInvestment").nullable();
    /// Hours it was expected to cost.
    estimated_cost_of_investment_hours = estimated_cost_of_investment_hours: Field::required("estimated_cost_of_investment_hours", "estimatedCostOfInvestmentHours").nullable();
    /// Hours it was expected to gain.
    estimated_gain_of_investment_hours = estimated_gain_of_investment_hours: Field::required("estimated_gain_of_investment_hours", "estimatedGainOfInvestmentHours").nullable();
    /// How well it worked.
    evaluation_status = evaluation_status: Field::required("evaluation_status", "evaluationStatus").nullable();
    /// Why it was evaluated so.
    evaluation_text = evaluation_text: Field::required("evaluation_text", "evaluationText").nullable();
} }

record! {
/// An incident type, by name.
IncidentTypeSummary INCIDENT_TYPE_SUMMARY "IncidentTypeSummary" {
    /// Id of the type.
    id = id: Field::required("id", "id");
    /// Name of the type.
    title = title: Field::required("title", "title");
    /// What incidents of the type are.
    description = description: Field::required("description", "description").nullable();
} }

record! {
/// An incident type and what its incidents may have.
IncidentTypeDetail INCIDENT_TYPE_DETAIL "IncidentTypeDetail" {
    /// Id of the incident type.
    id = id: Field::required("id", "id");
    /// Title of the type.
    title = title: Field::required("title", "title");
    /// What the type is for.
    description = description: Field::required("description", "description").nullable();
    /// Its custom fields, in sort order.
    custom_fields = custom_fields: Field::required("custom_fields", "customFields").many(&INCIDENT_TYPE_CUSTOM_FIELD);
    /// Its top categories, in sort order, each with those below it.
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
    /// Kind of the field, such as text, number, date, bool or list. More kinds may come.
    r#type = type_: Field::required("type", "type");
    /// Place among the fields.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
    /// Id of the data list its values come from.
    data_list_id = data_list_id: Field::required("data_list_id", "dataListId").nullable();
    /// Whether a form should insist on a value. The service does not.
    is_mandatory = is_mandatory: Field::required("is_mandatory", "isMandatory");
} }

record! {
/// A category of an incident type, and those below it.
Category CATEGORY "Category" {
    /// Id of the category.
    id = id: Field::required("id", "id");
    /// Title of the category.
    title = title: Field::required("title", "title");
    /// What belongs to it.
    description = description: Field::required("description", "description").nullable();
    /// Place among the categories with the same parent.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
    /// Id of the category above.
    parent_id = parent_id: Field::required("parent_id", "parentId").nullable();
    /// The categories below, in sort order.
    children = children: Field::required("children", "children").many(&CATEGORY);
} }

record! {
/// A consequence of an incident type.
TypeConsequence TYPE_CONSEQUENCE "TypeConsequence" {
    /// Id of the consequence.
    id = id: Field::required("id", "id");
    /// Title of the consequence.
    title = title: Field::required("title", "title");
    /// Unit of its amount.
    unit = unit: Field::required("unit", "unit").nullable();
} }

record! {
/// A cause of an incident type.
TypeCause TYPE_CAUSE "TypeCause" {
    /// Id of the cause.
    id = id: Field::required("id", "id");
    /// Title of the cause.
    title = title: Field::required("title", "title");
    /// What belongs to it.
    description = description: Field::required("description", "description").nullable();
    /// Place among the causes.
    sort_order = sort_order: Field::required("sort_order", "sortOrder");
} }

record! {
/// A datasource, by name.
Datasource DATASOURCE "Datasource" {
    /// Id of the datasource.
    id = id: Field::required("id", "id");
    /// Name of the datasource.
    title = title: Field::required("title", "title").nullable();
    /// What its figures are.
    description = description: Field::required("description", "description").nullable();
} }

record! {
/// A datasource, and what the properties of its values mean.
DatasourceDetail DATASOURCE_DETAIL "DatasourceDetail" {
    /// Id of the datasource.
    id = id: Field::required("id", "id");
    /// Name of the datasource.
    title = title: Field::required("title", "title").nullable();
    /// What its figures are.
    description = description: Field::required("description", "description").nullable();
    /// What kind of thing the figures are about.
    object_source = object_source: Field::required("object_source", "objectSource").nullable();
    /// How long the time is that a figure stands for, for example a shift.
    unit_of_time = unit_of_time: Field::required("unit_of_time", "unitOfTime").nullable();
    /// Where most of the figures come from.
    primary_input_source = primary_input_source: Field::required("primary_input_source", "primaryInputSource").nullable();
    /// What the properties of a value mean, in the order in which a form shows them.
    elements = elements: Field::required("elements", "elements").many(&DATASOURCE_ELEMENT);
} }

record! {
/// What one property of a datasource's values means.
DatasourceElement DATASOURCE_ELEMENT "DatasourceElement" {
    /// Id of the element, unique within the datasource.
    id = id: Field::required("id", "id");
    /// What a form calls it.
    label = label: Field::required("label", "label").nullable();
    /// What a property of a datasource's values holds.
    r#type = type_: Field::required("type", "type");
    /// Whether a value must have it.
    is_mandatory = is_mandatory: Field::required("is_mandatory", "isMandatory");
    /// The property of a value that holds it, for example `dimension`.
    source_column = source_column: Field::required("source_column", "sourceColumn").nullable();
    /// Id of the list of choices it draws from.
    data_list_id = data_list_id: Field::required("data_list_id", "dataListId").nullable();
} }

record! {
/// One figure of a datasource.
DatasourceValue DATASOURCE_VALUE "DatasourceValue" {
    /// Id of the value.
    id = id: Field::required("id", "id");
    /// Id of the datasource.
    data_source_id = data_source_id: Field::required("data_source_id", "dataSourceId");
    /// When the value was registered.
    registration_date = registration_date: Field::required("registration_date", "registrationDate");
    /// Id of the area it is about.
    area_id = area_id: Field::required("area_id", "areaId").nullable();
    /// Id of the asset it is about.
    asset_id = asset_id: Field::required("asset_id", "assetId").nullable();
    /// Id of the project it is about.
    project_id = project_id: Field::required("project_id", "projectId").nullable();
    /// The figure.
    value = value: Field::required("value", "value");
    /// A remark.
    description = description: Field::required("description", "description").nullable();
    /// First dimension; what it means is up to the datasource.
    dimension = dimension: Field::required("dimension", "dimension").nullable();
    /// Second dimension; what it means is up to the datasource.
    dimension2 = dimension2: Field::required("dimension2", "dimension2").nullable();
    /// Third dimension; what it means is up to the datasource.
    dimension3 = dimension3: Field::required("dimension3", "dimension3").nullable();
    /// Fourth dimension; what it means is up to the datasource.
    dimension4 = dimension4: Field::required("dimension4", "dimension4").nullable();
    /// The time the figure belongs to.
    value_date = value_date: Field::required("value_date", "valueDate");
    /// The value's id in another system.
    external_id = external_id: Field::required("external_id", "externalId").nullable();
} }

record! {
/// What became of a list of values.
DatasourceValueTotal DATASOURCE_VALUE_TOTAL "DatasourceValueTotal" {
    /// Number of values that were added.
    total = total: Field::required("total", "total");
} }

record! {
/// A board without its lines.
BoardSummary BOARD_SUMMARY "BoardSummary" {
    /// Id of the board.
    id = id: Field::required("id", "id");
    /// Name of the board.
    name = name: Field::required("name", "name").nullable();
    /// What the board is for.
    description = description: Field::required("description", "description").nullable();
    /// Layout of the board.
    board_type = board_type: Field::required("board_type", "boardType").nullable();
    /// Whether people outside the group see the board.
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
    /// What the board is for.
    description = description: Field::required("description", "description").nullable();
    /// Layout of the board.
    board_type = board_type: Field::required("board_type", "boardType").nullable();
    /// Whether people outside the group see the board.
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
    /// Day of the week the line stands for, in English.
    week_day = week_day: Field::required("week_day", "weekDay").nullable();
    /// Whether the line is a heading over other columns.
    is_column_category = is_column_category: Field::required("is_column_category", "isColumnCategory");
    /// How the line is drawn.
    style = style: Field::required("style", "style").nullable();
    /// Place among the lines.
    sort_order = sort_order: Field::required("sort_order", "sortOrder").nullable();
    /// Id of the person responsible.
    responsible_user_id = responsible_user_id: Field::required("responsible_user_id", "responsibleUserId").nullable();
    /// User name of the person responsible.
    responsible_user = responsible_user: Field::required("responsible_user", "responsibleUser").nullable();
} }

record! {
/// An RFC 9457 problem document.
Problem PROBLEM "Problem" {
    /// The code as a URN, `urn:obeya:problem:` and the code.
    r#type = type_: Field::required("type", "type");
    /// What kind of problem it is; always the same for a code.
    title = title: Field::required("title", "title");
    /// The HTTP status.
    status = status: Field::required("status", "status");
    /// What was found this time, what was expected, and what may mend it.
    detail = detail: Field::optional("detail", "detail");
    /// Path of the request.
    instance = instance: Field::optional("instance", "instance");
    /// What to name when asking the operator; the log has the cause under it.
    trace_id = trace_id: Field::required("trace_id", "traceId");
    /// What went wrong, for programs to act on. New codes may come; a code never changes its meaning.
    /// - 400: `path.invalid`, `query.invalid`, `odata.syntax`, `odata.option`, `odata.unknown_property`, `odata.unknown_function`,
    ///   `odata.type`, `odata.value`, `odata.limit`, `odata.search_with_filter`, `body.malformed`, `body.invalid`,
    ///   `body.unknown_property`, `header.invalid`
    /// - 401: `token.missing`, `token.invalid`, `token.expired`, `token.revoked`
    /// - 403: `scope.missing`
    /// - 404: `not_found`
    /// - 405: `method.not_allowed`
    /// - 406: `media_type.not_acceptable`
    /// - 408: `body.timeout`
    /// - 409: `incident.transition`, `incident.evaluation`, `improvement.transition`, `value.ids_exhausted`
    /// - 412: `precondition.failed`
    /// - 413: `body.too_large`
    /// - 414: `request.uri_too_long`
    /// - 415: `media_type.unsupported`
    /// - 422: `reference.unknown`, `reference.other_type`, `reference.duplicate`, `responsible.not_member`, `custom_field.value`, `element.missing`,
    ///   `element.type`, `idempotency.mismatch`
    /// - 429: `idempotency.quota`
    /// - 431: `request.headers_too_large`
    /// - 500: `internal`
    /// - 503: `unavailable`
    /// - 504: `timeout`
    code = code: Field::required("code", "code");
    /// What is wrong with each part of the request, with 400 and 422: by parameter name, or by path in the body, such as
    /// `consequences[0].id`. A body that is wrong as a whole is named `body`.
    errors = errors: Field::optional("errors", "errors");
    /// The same error in the form OData clients read. Only on v2.
    error = error: Field::optional("error", "error").one(&ODATA_ERROR);
} }

record! {
/// The same error in the form OData clients read. Only on v2.
ODataError ODATA_ERROR "ODataError" {
    /// The code of the problem.
    code = code: Field::required("code", "code");
    /// The detail of the problem.
    message = message: Field::required("message", "message");
    /// What it is about, such as a query option or a property.
    target = target: Field::optional("target", "target").nullable();
} }
