//! The lists of v1: records that include names instead of links.

use obeya_odata::edm::{Column, EntityType};

use super::wire::{self, column, computed};
use super::{AREA, many, one};

/// `/v1/Incidents`: an incident with everything that belongs to it. The handler adds the condition that it is
/// not in the trash.
pub static INCIDENT: EntityType = EntityType {
    name: "IncidentV1",
    table: "incident_records",
    key: "id",
    properties: &wire::IncidentV1::SAME.properties(),
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
    properties: &wire::IncidentConsequence::SAME.properties(),
    navigations: &[],
    search: None,
};

pub(super) static INCIDENT_CATEGORY: EntityType = EntityType {
    name: "CategoryReference",
    table: "incident_category_records",
    key: "id",
    properties: &wire::CategoryReference::SAME.properties(),
    navigations: &[],
    search: None,
};

pub(super) static INCIDENT_CAUSE: EntityType = EntityType {
    name: "CauseReference",
    table: "incident_cause_records",
    key: "id",
    properties: &wire::CauseReference::SAME.properties(),
    navigations: &[],
    search: None,
};

pub(super) static INCIDENT_CUSTOM_FIELD: EntityType = EntityType {
    name: "IncidentCustomField",
    table: "incident_custom_field_records",
    key: "id",
    properties: &wire::IncidentCustomField {
        registration_date: column("registration_date").never_null(),
        ..wire::IncidentCustomField::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Incidents/trash`: the scalar fields of an incident. The handler adds which ones are in the trash.
pub static TRASHED_INCIDENT: EntityType = EntityType {
    name: "IncidentV1",
    table: "incident_records",
    key: "id",
    properties: &wire::TrashedIncident::SAME.properties(),
    navigations: &[
        one("area", &AREA, "area_id"),
        many("comments", &TRASHED_COMMENT, "incident_id"),
    ],
    search: None,
};

/// A comment of an incident in the trash, which [`INCIDENT_COMMENT`] leaves out. Only a filter of the trash
/// can name it.
pub(super) static TRASHED_COMMENT: EntityType = EntityType {
    name: "IncidentComment",
    table: "incident_comments",
    key: "id",
    properties: &wire::IncidentCommentV2 {
        commented_by: computed(
            "coalesce((SELECT u.display_name FROM users AS u WHERE u.id = {t}.commented_by_user_id), {t}.commented_by)",
        ),
        ..wire::IncidentCommentV2::SAME
    }
    .properties(),
    navigations: &[one("parent", &TRASHED_COMMENT, "parent_id")],
    search: None,
};

/// `/v1/Improvements`
pub static IMPROVEMENT: EntityType = EntityType {
    name: "Improvement",
    table: "improvement_records",
    key: "id",
    properties: &wire::Improvement {
        group: column("group_name"),
        ..wire::Improvement::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Incidents/{id}/comments`. The handler adds of which incident.
pub static INCIDENT_COMMENT_V1: EntityType = EntityType {
    name: "IncidentCommentV1",
    table: "live_comments",
    key: "id",
    properties: &wire::IncidentCommentV1 {
        comment: column("text"),
        ..wire::IncidentCommentV1::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Boards`
pub static BOARD_V1: EntityType = EntityType {
    name: "BoardV1",
    table: "boards",
    key: "id",
    properties: &wire::BoardSummary {
        group_name: computed("(SELECT g.name FROM groups AS g WHERE g.id = {t}.group_id)"),
        ..wire::BoardSummary::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Groups`
pub static GROUP_V1: EntityType = EntityType {
    name: "GroupV1",
    table: "groups",
    key: "id",
    properties: &wire::GroupV1 {
        buisness_unit_id: column("business_unit_id"),
        ..wire::GroupV1::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Datasources`
pub static DATASOURCE: EntityType = EntityType {
    name: "Datasource",
    table: "datasources",
    key: "id",
    properties: &wire::Datasource::SAME.properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Datasources/{id}/values`. The handler adds which datasource.
pub static DATASOURCE_VALUE: EntityType = EntityType {
    name: "DatasourceValue",
    table: "datasource_values",
    key: "id",
    properties: &wire::DatasourceValue {
        data_source_id: column("datasource_id"),
        value: column("value").nullable(),
        ..wire::DatasourceValue::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Datalists`
pub static DATA_LIST: EntityType = EntityType {
    name: "DataList",
    table: "data_lists",
    key: "id",
    properties: &wire::DataList {
        last_modified_by_user: computed(
            "(SELECT u.display_name FROM users AS u WHERE u.id = {t}.last_modified_by_user_id)",
        ),
        ..wire::DataList::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Datalists/{id}/items`. The handler adds of which list.
pub static DATA_LIST_ITEM: EntityType = EntityType {
    name: "DataListItem",
    table: "data_list_items",
    key: "id",
    properties: &wire::DataListItem::SAME.properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Projects`
pub static PROJECT: EntityType = EntityType {
    name: "Project",
    table: "projects",
    key: "id",
    properties: &wire::Project::SAME.properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Projects/{projectNumber}/milestones`. The handler adds of which project.
pub static PROJECT_MILESTONE: EntityType = EntityType {
    name: "ProjectMilestone",
    table: "project_milestones",
    key: "id",
    properties: &wire::ProjectMilestone::SAME.properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Groups/{id}/members`. The handler adds of which group.
pub static USER_GROUP_MEMBER: EntityType = EntityType {
    name: "UserGroupMember",
    table: "group_users",
    key: "userId",
    properties: &wire::UserGroupMember {
        azure_object_id: column("azure_ad_object_id"),
        user_id: column("id"),
        group_role: column("role"),
        ..wire::UserGroupMember::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// A task of v1. The handler of a list adds of which board, incident or project.
pub static TASK_INFO: EntityType = EntityType {
    name: "TaskInfo",
    table: "live_tasks",
    key: "id",
    properties: &wire::TaskInfo::SAME.properties(),
    navigations: &[],
    search: None,
};

/// `/v1/Users`. The handlers add the condition that the user was not deleted.
pub static USER_V1: EntityType = EntityType {
    name: "UserV1",
    table: "user_records",
    key: "id",
    properties: &wire::UserV1 {
        full_name: column("display_name"),
        email: text("coalesce({t}.email, '')"),
        first_name: text("coalesce({t}.first_name, '')"),
        last_name: text("coalesce({t}.last_name, '')"),
        ..wire::UserV1::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// A text that is empty where it is unknown.
const fn text(expression: &'static str) -> wire::Source {
    wire::Source::of(Column::Expr(expression))
}
