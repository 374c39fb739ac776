//! What v1 lists: records that resolve names instead of leading to them.

use obeya_odata::edm::{EntityType, Property, Type};

use super::words::{
    BOARD_TYPE, EVALUATION_STATUS, IMPROVEMENT_PRIORITY_STATUS, IMPROVEMENT_STATUS,
    INCIDENT_SEVERITY, INCIDENT_STATUS,
};
use super::{AREA, computed, key, many, one, optional, required};

/// The properties of an incident as v1 tells it, but for those that are records of their own.
const INCIDENT_PROPERTIES: &[Property] = &[
    key(),
    optional("project", Type::String, "project"),
    required("incidentType", Type::String, "incident_type"),
    optional("reportedByGroup", Type::String, "reported_by_group"),
    optional("reportedByUserId", Type::String, "reported_by_user_id"),
    optional("reportedBy", Type::String, "reported_by"),
    required("reportedDate", Type::DateTimeOffset, "reported_date"),
    optional("followUpGroup", Type::String, "follow_up_group"),
    optional("responsible", Type::String, "responsible"),
    optional(
        "responsibleDisplayName",
        Type::String,
        "responsible_display_name",
    ),
    required("lastModified", Type::DateTimeOffset, "last_modified"),
    required("numberOfComments", Type::Int32, "number_of_comments"),
    required("numberOfActions", Type::Int32, "number_of_actions"),
    required("numberOfAttachments", Type::Int32, "number_of_attachments"),
    required("status", Type::Enum(&INCIDENT_STATUS), "status"),
    required("incidentTypeId", Type::Int32, "incident_type_id"),
    required("severity", Type::Enum(&INCIDENT_SEVERITY), "severity"),
    optional("reportedByGroupId", Type::Int32, "reported_by_group_id"),
    optional("followUpGroupId", Type::Int32, "follow_up_group_id"),
    optional("responsibleUserId", Type::String, "responsible_user_id"),
    required("title", Type::String, "title"),
    optional("text", Type::String, "text"),
    required("incidentDate", Type::Date, "incident_date"),
    optional("resolvedDate", Type::DateTimeOffset, "resolved_date"),
    optional("dueDate", Type::DateTimeOffset, "due_date"),
    optional(
        "evaluationStatus",
        Type::Enum(&EVALUATION_STATUS),
        "evaluation_status",
    ),
    optional("evaluationText", Type::String, "evaluation_text"),
    required("isAnonymous", Type::Boolean, "is_anonymous"),
    optional("areaId", Type::Int32, "area_id"),
    optional("projectId", Type::Int32, "project_id"),
    optional("externalId", Type::String, "external_id"),
];

/// `/v1/Incidents`: an incident with everything that hangs on it. The handler adds that it is not in the trash.
pub(crate) static INCIDENT: EntityType = EntityType {
    name: "Incident",
    table: "incident_records",
    key: "id",
    properties: INCIDENT_PROPERTIES,
    navigations: &[
        many("consequences", &INCIDENT_CONSEQUENCE, "incident_id"),
        many("categories", &INCIDENT_CATEGORY, "incident_id"),
        many("causes", &INCIDENT_CAUSE, "incident_id"),
        many("customFields", &INCIDENT_CUSTOM_FIELD, "incident_id"),
    ],
    search: None,
};

pub(super) static INCIDENT_CONSEQUENCE: EntityType = EntityType {
    name: "IncidentConsequence",
    table: "incident_consequence_records",
    key: "id",
    properties: &[
        optional("unit", Type::String, "unit"),
        optional("amount", Type::Double, "amount"),
        key(),
        required("title", Type::String, "title"),
    ],
    navigations: &[],
    search: None,
};

pub(super) static INCIDENT_CATEGORY: EntityType = EntityType {
    name: "CategoryReference",
    table: "incident_category_records",
    key: "id",
    properties: &[key(), required("title", Type::String, "title")],
    navigations: &[],
    search: None,
};

pub(super) static INCIDENT_CAUSE: EntityType = EntityType {
    name: "CauseReference",
    table: "incident_cause_records",
    key: "id",
    properties: &[key(), required("title", Type::String, "title")],
    navigations: &[],
    search: None,
};

pub(super) static INCIDENT_CUSTOM_FIELD: EntityType = EntityType {
    name: "IncidentCustomField",
    table: "incident_custom_field_records",
    key: "id",
    properties: &[
        key(),
        optional("value", Type::String, "value"),
        optional("dataListValue", Type::String, "data_list_value"),
        optional("dataListId", Type::Int32, "data_list_id"),
        optional("dataListName", Type::String, "data_list_name"),
        required(
            "registrationDate",
            Type::DateTimeOffset,
            "registration_date",
        ),
        required("label", Type::String, "label"),
        required("type", Type::String, "type"),
    ],
    navigations: &[],
    search: None,
};

/// `/v1/Incidents/trash`: the scalar fields of an incident. The handler adds which ones are in the trash.
pub(crate) static TRASHED_INCIDENT: EntityType = EntityType {
    name: "Incident",
    table: "incident_records",
    key: "id",
    properties: INCIDENT_PROPERTIES,
    navigations: &[
        one("area", &AREA, "area_id"),
        many("comments", &TRASHED_COMMENT, "incident_id"),
    ],
    search: None,
};

/// A comment of an incident in the trash, which [`INCIDENT_COMMENT`] leaves out. Only a filter of the trash can name it.
pub(super) static TRASHED_COMMENT: EntityType = EntityType {
    name: "IncidentComment",
    table: "incident_comments",
    key: "id",
    properties: &[
        key(),
        required("text", Type::String, "text"),
        required("commentDate", Type::DateTimeOffset, "comment_date"),
        computed(
            "commentedBy",
            Type::String,
            "coalesce((SELECT u.display_name FROM users AS u WHERE u.id = {t}.commented_by_user_id), {t}.commented_by)",
        ),
        optional("commentedByUserId", Type::String, "commented_by_user_id"),
        optional("parentId", Type::Int32, "parent_id"),
        required("level", Type::Int32, "level"),
        required("incidentId", Type::Int32, "incident_id"),
    ],
    navigations: &[one("parent", &TRASHED_COMMENT, "parent_id")],
    search: None,
};

/// `/v1/Improvements`
pub(crate) static IMPROVEMENT: EntityType = EntityType {
    name: "Improvement",
    table: "improvement_records",
    key: "id",
    properties: &[
        key(),
        required("status", Type::Enum(&IMPROVEMENT_STATUS), "status"),
        required(
            "priorityStatus",
            Type::Enum(&IMPROVEMENT_PRIORITY_STATUS),
            "priority_status",
        ),
        optional("groupId", Type::Int32, "group_id"),
        optional("group", Type::String, "group_name"),
        optional("text", Type::String, "text"),
        optional("title", Type::String, "title"),
        optional("categoryId", Type::Int32, "category_id"),
        optional("category", Type::String, "category"),
        optional("projectId", Type::Int32, "project_id"),
        optional("project", Type::String, "project"),
        required("lastModified", Type::DateTimeOffset, "last_modified"),
        optional(
            "lastModifiedByUserId",
            Type::String,
            "last_modified_by_user_id",
        ),
        optional("suggestedByUserId", Type::String, "suggested_by_user_id"),
        optional("suggestedBy", Type::String, "suggested_by"),
        optional("suggestionDate", Type::DateTimeOffset, "suggestion_date"),
        optional("dueDate", Type::DateTimeOffset, "due_date"),
        optional("plannedDate", Type::DateTimeOffset, "planned_date"),
        optional("inProgressDate", Type::DateTimeOffset, "in_progress_date"),
        optional("implementedDate", Type::DateTimeOffset, "implemented_date"),
        optional("evaluatedDate", Type::DateTimeOffset, "evaluated_date"),
        optional("archivedDate", Type::DateTimeOffset, "archived_date"),
        optional("responsibleUserId", Type::String, "responsible_user_id"),
        optional("responsibleUser", Type::String, "responsible_user"),
        optional(
            "responsibleDisplayName",
            Type::String,
            "responsible_display_name",
        ),
        required("attachmentCount", Type::Int32, "attachment_count"),
        required("actionListCount", Type::Int32, "action_list_count"),
        required("commentCount", Type::Int32, "comment_count"),
        required("likeCount", Type::Int32, "like_count"),
        optional("externalId", Type::String, "external_id"),
        optional("costOfInvestment", Type::Double, "cost_of_investment"),
        optional("gainOfInvestment", Type::Double, "gain_of_investment"),
        optional(
            "costOfInvestmentHours",
            Type::Double,
            "cost_of_investment_hours",
        ),
        optional(
            "gainOfInvestmentHours",
            Type::Double,
            "gain_of_investment_hours",
        ),
        optional(
            "estimatedCostOfInvestment",
            Type::Double,
            "estimated_cost_of_investment",
        ),
        optional(
            "estimatedGainOfInvestment",
            Type::Double,
            "estimated_gain_of_investment",
        ),
        optional(
            "estimatedCostOfInvestmentHours",
            Type::Double,
            "estimated_cost_of_investment_hours",
        ),
        optional(
            "estimatedGainOfInvestmentHours",
            Type::Double,
            "estimated_gain_of_investment_hours",
        ),
        optional(
            "evaluationStatus",
            Type::Enum(&EVALUATION_STATUS),
            "evaluation_status",
        ),
        optional("evaluationText", Type::String, "evaluation_text"),
    ],
    navigations: &[],
    search: None,
};

/// `/v1/Incidents/{id}/comments`. The handler adds of which incident.
pub(crate) static INCIDENT_COMMENT_V1: EntityType = EntityType {
    name: "IncidentCommentV1",
    table: "live_comments",
    key: "id",
    properties: &[
        key(),
        required("comment", Type::String, "text"),
        required("commentDate", Type::DateTimeOffset, "comment_date"),
        optional("commentedBy", Type::String, "commented_by"),
        optional("commentedByUserId", Type::String, "commented_by_user_id"),
        optional("parentId", Type::Int32, "parent_id"),
        required("level", Type::Int32, "level"),
    ],
    navigations: &[],
    search: None,
};

/// `/v1/Boards`
pub(crate) static BOARD_V1: EntityType = EntityType {
    name: "BoardV1",
    table: "boards",
    key: "id",
    properties: &[
        key(),
        optional("name", Type::String, "name"),
        optional("description", Type::String, "description"),
        optional("boardType", Type::Enum(&BOARD_TYPE), "board_type"),
        required("isPublic", Type::Boolean, "is_public"),
        optional("groupId", Type::Int32, "group_id"),
        computed(
            "groupName",
            Type::String,
            "(SELECT g.name FROM groups AS g WHERE g.id = {t}.group_id)",
        ),
    ],
    navigations: &[],
    search: None,
};

/// `/v1/Datasources`
pub(crate) static DATASOURCE: EntityType = EntityType {
    name: "Datasource",
    table: "datasources",
    key: "id",
    properties: &[
        key(),
        optional("title", Type::String, "title"),
        optional("description", Type::String, "description"),
    ],
    navigations: &[],
    search: None,
};

/// `/v1/Datasources/{id}/values`. The handler adds which datasource.
pub(crate) static DATASOURCE_VALUE: EntityType = EntityType {
    name: "DatasourceValue",
    table: "datasource_values",
    key: "id",
    properties: &[
        key(),
        required("dataSourceId", Type::Int32, "datasource_id"),
        required(
            "registrationDate",
            Type::DateTimeOffset,
            "registration_date",
        ),
        optional("areaId", Type::Int32, "area_id"),
        optional("assetId", Type::Int32, "asset_id"),
        optional("projectId", Type::Int32, "project_id"),
        optional("value", Type::Double, "value"),
        optional("description", Type::String, "description"),
        optional("dimension", Type::String, "dimension"),
        optional("dimension2", Type::String, "dimension2"),
        optional("dimension3", Type::String, "dimension3"),
        optional("dimension4", Type::String, "dimension4"),
        required("valueDate", Type::DateTimeOffset, "value_date"),
        optional("externalId", Type::String, "external_id"),
    ],
    navigations: &[],
    search: None,
};
