//! The OData entity model over the tables: what a query option may name, and where it lives.
//!
//! Every identifier of a read statement comes from here. Names on the wire and their order are the spec's; nothing here is a rule or a statement.
//! Who reported an anonymous incident is hidden here and not in what is written out: filtering, ordering and searching would tell it as well.

mod v1;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use v1::{
    BOARD_V1, DATASOURCE, DATASOURCE_VALUE, IMPROVEMENT, INCIDENT, INCIDENT_COMMENT_V1,
    TRASHED_INCIDENT,
};

use obeya_odata::edm::{
    Cardinality, Column, EntityType, Navigation, PartIndex, Property, SearchIndex, Type,
};

use v1::{INCIDENT_CATEGORY, INCIDENT_CAUSE, INCIDENT_CUSTOM_FIELD};
use words::{BOARD_TYPE, EVALUATION_STATUS_V2, GROUP_TYPE, INCIDENT_SEVERITY, INCIDENT_STATUS};

/// `/v2/areas`
pub(crate) static AREA: EntityType = EntityType {
    name: "Area",
    table: "areas",
    key: "id",
    properties: &[
        key(),
        required("name", Type::String, "name"),
        optional("description", Type::String, "description"),
    ],
    navigations: &[],
    search: Some(SearchIndex {
        table: "areas_search",
        column: "id",
    }),
};

/// `/v2/boards`
pub(crate) static BOARD: EntityType = EntityType {
    name: "Board",
    table: "boards",
    key: "id",
    properties: &[
        key(),
        optional("name", Type::String, "name"),
        optional("boardType", Type::Enum(&BOARD_TYPE), "board_type"),
        optional("businessUnitId", Type::Int32, "business_unit_id"),
        required("isMember", Type::Boolean, "is_member"),
        optional("projectId", Type::Int32, "project_id"),
        required("isPublic", Type::Boolean, "is_public"),
        optional("groupId", Type::Int32, "group_id"),
    ],
    navigations: &[one("group", &GROUP, "group_id")],
    search: Some(SearchIndex {
        table: "boards_search",
        column: "id",
    }),
};

/// `/v2/groups`
pub(crate) static GROUP: EntityType = EntityType {
    name: "Group",
    table: "groups",
    key: "id",
    properties: &[
        key(),
        required("type", Type::Enum(&GROUP_TYPE), "type"),
        optional("name", Type::String, "name"),
        optional("description", Type::String, "description"),
        optional("parentId", Type::Int32, "parent_id"),
        required("isSystemGroup", Type::Boolean, "is_system_group"),
        optional("level", Type::Int32, "level"),
        optional("sortOrder", Type::Int32, "sort_order"),
        optional("businessUnitId", Type::Int32, "business_unit_id"),
        optional("projectId", Type::Int32, "project_id"),
        optional("externalId", Type::String, "external_id"),
        optional("externalName", Type::String, "external_name"),
        required("isMember", Type::Boolean, "is_member"),
    ],
    navigations: &[
        one("parent", &GROUP, "parent_id"),
        many("children", &GROUP, "parent_id"),
        many("boards", &BOARD, "group_id"),
        many("users", &USER, "group_id"),
    ],
    search: Some(SearchIndex {
        table: "groups_search",
        column: "id",
    }),
};

/// A member of a group. The e-mail address stays inside: no operation of the interface promises it, and no scope guards it.
static USER: EntityType = EntityType {
    name: "User",
    table: "group_users",
    key: "id",
    properties: &[
        required("id", Type::String, "id"),
        required("userName", Type::String, "user_name"),
        required("displayName", Type::String, "display_name"),
    ],
    navigations: &[],
    search: None,
};

/// `/v2/incidents/comments`: comments of incidents that are not in the trash.
pub(crate) static INCIDENT_COMMENT: EntityType = EntityType {
    name: "IncidentComment",
    table: "live_comments",
    key: "id",
    properties: &[
        key(),
        Property {
            column: Column::Indexed(
                "text",
                PartIndex {
                    table: "comments_parts",
                    column: "id",
                },
            ),
            ..required("text", Type::String, "text")
        },
        required("commentDate", Type::DateTimeOffset, "comment_date"),
        optional("commentedBy", Type::String, "commented_by"),
        optional("commentedByUserId", Type::String, "commented_by_user_id"),
        optional("parentId", Type::Int32, "parent_id"),
        required("level", Type::Int32, "level"),
        required("incidentId", Type::Int32, "incident_id"),
    ],
    navigations: &[
        one("parent", &INCIDENT_COMMENT, "parent_id"),
        one("incident", &INCIDENT_V2, "incident_id"),
    ],
    search: Some(SearchIndex {
        table: "comments_search",
        column: "id",
    }),
};

/// `/v2/incidents`: incidents that are not in the trash, by whatever way one is reached.
pub(crate) static INCIDENT_V2: EntityType = EntityType {
    name: "IncidentV2",
    table: "live_incidents",
    key: "id",
    properties: &[
        key(),
        required("title", Type::String, "title"),
        optional("text", Type::String, "text"),
        required("status", Type::Enum(&INCIDENT_STATUS), "status"),
        required("severity", Type::Enum(&INCIDENT_SEVERITY), "severity"),
        required("typeId", Type::Int32, "incident_type_id"),
        // v1 has a date here, v2 an instant: the day's start, in ticks.
        computed(
            "incidentDate",
            Type::DateTimeOffset,
            "({t}.incident_date * 864000000000)",
        ),
        required("createdDate", Type::DateTimeOffset, "reported_date"),
        optional("lastModified", Type::DateTimeOffset, "last_modified"),
        optional("dueDate", Type::DateTimeOffset, "due_date"),
        optional(
            "statusModifiedDate",
            Type::DateTimeOffset,
            "status_modified_date",
        ),
        optional("statusNewDate", Type::DateTimeOffset, "status_new_date"),
        optional(
            "statusInProgressDate",
            Type::DateTimeOffset,
            "status_in_progress_date",
        ),
        optional(
            "statusImplementedDate",
            Type::DateTimeOffset,
            "resolved_date",
        ),
        optional(
            "statusRejectedDate",
            Type::DateTimeOffset,
            "status_rejected_date",
        ),
        optional("archivedDate", Type::DateTimeOffset, "archived_date"),
        computed(
            "evaluationStatus",
            Type::Enum(&EVALUATION_STATUS_V2),
            "(CASE {t}.evaluation_status WHEN 'Medium' THEN 'Meh' WHEN 'Good' THEN 'Smile' WHEN 'Bad' THEN 'Frown' END)",
        ),
        optional("evaluationText", Type::String, "evaluation_text"),
        optional("owner", Type::String, "responsible"),
        optional("ownerDisplayName", Type::String, "responsible_display_name"),
        optional("ownerUserId", Type::String, "responsible_user_id"),
        optional("createdByUserId", Type::String, "reported_by_user_id"),
        optional("groupId", Type::Int32, "reported_by_group_id"),
        optional("followUpGroupId", Type::Int32, "follow_up_group_id"),
        optional("areaId", Type::Int32, "area_id"),
        optional("projectId", Type::Int32, "project_id"),
        optional("externalId", Type::String, "external_id"),
        required("isAnonymous", Type::Boolean, "is_anonymous"),
        required("attachmentCount", Type::Int32, "number_of_attachments"),
        required("actionListCount", Type::Int32, "number_of_actions"),
    ],
    navigations: &[
        one("area", &AREA, "area_id"),
        one("group", &GROUP, "reported_by_group_id"),
        one("followUpGroup", &GROUP, "follow_up_group_id"),
        one("type", &INCIDENT_TYPE_V2, "incident_type_id"),
        many("comments", &INCIDENT_COMMENT, "incident_id"),
    ],
    search: Some(SearchIndex {
        table: "incidents_search",
        column: "id",
    }),
};

/// `/v2/incidents/types`: a type without what its incidents may have.
pub(crate) static INCIDENT_TYPE_V2: EntityType = EntityType {
    name: "IncidentTypeV2",
    table: "incident_types",
    key: "id",
    properties: &[
        key(),
        required("title", Type::String, "title"),
        optional("description", Type::String, "description"),
    ],
    navigations: &[],
    search: Some(SearchIndex {
        table: "incident_types_search",
        column: "id",
    }),
};

/// Whether an entity's rows are joined from several tables to resolve names.
pub(crate) fn is_joined(entity: &EntityType) -> bool {
    matches!(
        entity.table,
        "incident_records" | "live_incidents" | "improvement_records"
    )
}

/// The column that orders an entity's records where they hang on another and nobody asks for an order, before their id: one that is no property.
pub(crate) fn order_of(entity: &EntityType) -> Option<Column> {
    let ordered = [&INCIDENT_CATEGORY, &INCIDENT_CAUSE, &INCIDENT_CUSTOM_FIELD];
    ordered
        .iter()
        .any(|ordered| std::ptr::eq(*ordered, entity))
        .then_some(Column::Name("sort_order"))
}

/// The key of every entity but users.
const fn key() -> Property {
    required("id", Type::Int32, "id")
}

const fn required(name: &'static str, ty: Type, column: &'static str) -> Property {
    Property {
        name,
        ty,
        nullable: false,
        column: Column::Name(column),
    }
}

const fn optional(name: &'static str, ty: Type, column: &'static str) -> Property {
    Property {
        name,
        ty,
        nullable: true,
        column: Column::Name(column),
    }
}

/// A property that is an expression over the row.
const fn computed(name: &'static str, ty: Type, expression: &'static str) -> Property {
    Property {
        name,
        ty,
        nullable: true,
        column: Column::Expr(expression),
    }
}

/// A link from a column of this entity's table to the target's id.
const fn one(name: &'static str, target: &'static EntityType, from: &'static str) -> Navigation {
    Navigation {
        name,
        target,
        cardinality: Cardinality::One,
        from,
        to: "id",
    }
}

/// A link from this entity's id to a column of the target's table.
const fn many(name: &'static str, target: &'static EntityType, to: &'static str) -> Navigation {
    Navigation {
        name,
        target,
        cardinality: Cardinality::Many,
        from: "id",
        to,
    }
}

/// Every entity of the model, for the tests that hold all of it to a rule.
#[cfg(test)]
pub(crate) fn all() -> Vec<&'static EntityType> {
    vec![
        &AREA,
        &BOARD,
        &GROUP,
        &USER,
        &INCIDENT_COMMENT,
        &INCIDENT_V2,
        &INCIDENT_TYPE_V2,
        &INCIDENT,
        &v1::INCIDENT_CONSEQUENCE,
        &INCIDENT_CATEGORY,
        &INCIDENT_CAUSE,
        &INCIDENT_CUSTOM_FIELD,
        &TRASHED_INCIDENT,
        &v1::TRASHED_COMMENT,
        &INCIDENT_COMMENT_V1,
        &BOARD_V1,
        &DATASOURCE,
        &IMPROVEMENT,
        &DATASOURCE_VALUE,
    ]
}
