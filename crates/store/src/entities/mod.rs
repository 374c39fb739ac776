//! The OData entity model over the tables: the names that a query option may use, and their columns.
//!
//! Every identifier of a read statement comes from here. Names on the wire, their types and their order are
//! generated from the specification ([`wire`]); the tables, the navigations and the properties that are not
//! read from the column of the same name are written by hand. Nothing here is a rule or a statement. The
//! reporter of an anonymous incident is hidden here and not when a row is encoded: filtering, ordering and
//! searching would reveal it otherwise.

mod restrictions;
mod v1;
mod wire;

#[cfg(test)]
mod tests;

pub use restrictions::Kind;
pub(crate) use restrictions::row_conditions;
#[cfg(test)]
pub(crate) use restrictions::{Restriction, restriction};
pub use v1::{
    ATTACHMENT, BOARD_V1, DATA_LIST, DATA_LIST_ITEM, DATASOURCE, DATASOURCE_VALUE, GROUP_V1,
    IMPROVEMENT, INCIDENT, INCIDENT_COMMENT_V1, PROJECT, PROJECT_MILESTONE, TASK_INFO,
    TRASHED_INCIDENT, USER_GROUP_MEMBER, USER_V1,
};

use obeya_odata::edm::{
    Cardinality, Column, EntityType, Navigation, PartIndex, Property, ReplacedProperty,
    SearchIndex, Type,
};

use obeya_odata::sql::Rollup;

use crate::values::rollups;
use v1::{INCIDENT_CATEGORY, INCIDENT_CAUSE, INCIDENT_CUSTOM_FIELD};
use wire::{Source, column, computed};

/// `/v2/areas`
pub static AREA: EntityType = EntityType {
    name: "Area",
    table: "areas",
    key: "id",
    properties: &wire::Area::SAME.properties(),
    navigations: &[],
    search: Some(SearchIndex {
        table: "areas_search",
        column: "id",
    }),
};

/// `/v2/boards`
pub static BOARD: EntityType = EntityType {
    name: "Board",
    table: "boards",
    key: "id",
    properties: &wire::Board::SAME.properties(),
    navigations: &[
        one("group", &GROUP, "group_id"),
        many("tasks", &TASK, "board_id"),
    ],
    search: Some(SearchIndex {
        table: "boards_search",
        column: "id",
    }),
};

/// `/v2/tasks`: tasks whose incident, if they have one, is not in the trash.
pub static TASK: EntityType = EntityType {
    name: "Task",
    table: "live_tasks",
    key: "id",
    properties: &wire::Task::SAME.properties(),
    navigations: &[
        one("board", &BOARD, "board_id"),
        many("comments", &TASK_COMMENT, "task_id"),
        many("attachments", &TASK_ATTACHMENT, "task_id"),
    ],
    search: Some(SearchIndex {
        table: "tasks_search",
        column: "id",
    }),
};

/// `/v2/tasks/comments`: comments of tasks that are shown.
pub static TASK_COMMENT: EntityType = EntityType {
    name: "TaskComment",
    table: "live_task_comments",
    key: "id",
    properties: &wire::TaskComment::SAME.properties(),
    navigations: &[
        one("parent", &TASK_COMMENT, "parent_id"),
        one("task", &TASK, "task_id"),
    ],
    search: Some(SearchIndex {
        table: "task_comments_search",
        column: "id",
    }),
};

/// The attachments of an incident. They are only reached from it.
pub static INCIDENT_ATTACHMENT: EntityType = EntityType {
    name: "IncidentAttachment",
    table: "live_incident_attachments",
    key: "id",
    properties: &wire::IncidentAttachment::SAME.properties(),
    navigations: &[],
    search: None,
};

/// The attachments of a task. They are only reached from it.
pub static TASK_ATTACHMENT: EntityType = EntityType {
    name: "TaskAttachment",
    table: "live_task_attachments",
    key: "id",
    properties: &wire::TaskAttachment::SAME.properties(),
    navigations: &[],
    search: None,
};

/// The number of attachments of an incident: of those that are here, or where there is none the figure that
/// was imported.
const ATTACHMENTS: Source = Source::of(Column::Expr(
    "coalesce(nullif((SELECT count(*) FROM attachments AS a WHERE a.incident_id = {t}.id), 0), {t}.number_of_attachments)",
));

/// `/v2/groups`
pub static GROUP: EntityType = EntityType {
    name: "Group",
    table: "groups",
    key: "id",
    properties: &wire::GroupV2::SAME.properties(),
    navigations: &[
        one("parent", &GROUP, "parent_id"),
        many("children", &GROUP, "parent_id"),
        many("boards", &BOARD, "group_id"),
        many("users", &USER_GROUP, "group_id"),
    ],
    search: Some(SearchIndex {
        table: "groups_search",
        column: "id",
    }),
};

/// A member of a group. The e-mail address is not exposed: no operation includes it, and no scope protects
/// it.
static USER_GROUP: EntityType = EntityType {
    name: "UserGroup",
    table: "group_users",
    key: "id",
    properties: &wire::UserGroup {
        user_id: column("id"),
        ..wire::UserGroup::SAME
    }
    .properties(),
    navigations: &[one("group", &GROUP, "group_id"), one("user", &USER, "id")],
    search: None,
};

/// `/v2/users`: users who were not deleted.
pub static USER: EntityType = EntityType {
    name: "User",
    table: "live_users",
    key: "id",
    properties: &wire::UserV2::SAME.properties(),
    navigations: &[many("groups", &USER_MEMBERSHIP, "id")],
    search: Some(SearchIndex {
        table: "users_search",
        column: "number",
    }),
};

/// A membership of a user: the same row as that of a [`USER_GROUP`], which the group identifies here.
static USER_MEMBERSHIP: EntityType = EntityType {
    name: "UserMembership",
    table: "group_users",
    key: "groupId",
    properties: &wire::UserMembership {
        user_id: column("id"),
        ..wire::UserMembership::SAME
    }
    .properties(),
    navigations: &[one("group", &GROUP, "group_id"), one("user", &USER, "id")],
    search: None,
};

/// For callers who may not read users: of users they see the id and the display name. `owner` of an incident
/// is not replaced: it was shown before to all who read incidents.
pub static WITHOUT_USER_NAMES: [ReplacedProperty; 10] = [
    without(&USER_GROUP, "userName"),
    without(&INCIDENT_V2, "createdByUser"),
    without(&INCIDENT_V2, "lastModifiedByUser"),
    without(&USER, "userName"),
    without(&USER, "email"),
    without(&USER, "firstName"),
    without(&USER, "lastName"),
    without(&USER, "externalId"),
    without_type(&USER, "type", wire::TYPE_OF_USER),
    without_type(&USER, "businessUnitId", Type::Int32),
];

/// A text property that is null.
const fn without(entity: &'static EntityType, name: &'static str) -> ReplacedProperty {
    without_type(entity, name, Type::String)
}

/// A property of a type that is null.
const fn without_type(
    entity: &'static EntityType,
    name: &'static str,
    ty: Type,
) -> ReplacedProperty {
    ReplacedProperty {
        entity: entity.name,
        by: Property {
            name,
            ty,
            nullable: true,
            column: Column::Expr(match ty {
                Type::Int32 => "CAST(NULL AS BIGINT)",
                _ => "CAST(NULL AS TEXT)",
            }),
        },
    }
}

/// `/v2/incidents/comments`: comments of incidents that are not in the trash.
pub static INCIDENT_COMMENT: EntityType = EntityType {
    name: "IncidentComment",
    table: "live_comments",
    key: "id",
    properties: &wire::IncidentCommentV2 {
        text: Source::of(Column::Indexed(
            "text",
            PartIndex {
                table: "comments_parts",
                column: "id",
            },
        )),
        ..wire::IncidentCommentV2::SAME
    }
    .properties(),
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
pub static INCIDENT_V2: EntityType = EntityType {
    name: "IncidentV2",
    table: "live_incidents",
    key: "id",
    properties: &wire::IncidentV2 {
        title: column("title").never_null(),
        type_id: column("incident_type_id"),
        // v1 has a date here, v2 an instant: the day's start, in ticks.
        incident_date: computed("({t}.incident_date * 864000000000)"),
        created_date: column("reported_date"),
        status_implemented_date: column("resolved_date"),
        evaluation_status: computed(
            "(CASE {t}.evaluation_status WHEN 'Medium' THEN 'Meh' WHEN 'Good' THEN 'Smile' WHEN 'Bad' THEN 'Frown' END)",
        ),
        owner: column("responsible"),
        owner_display_name: column("responsible_display_name"),
        owner_user_id: column("responsible_user_id"),
        created_by_user_id: column("reported_by_user_id"),
        created_by_user: column("reported_by_user_name"),
        created_by_user_display_name: column("reported_by"),
        group_id: column("reported_by_group_id"),
        attachment_count: ATTACHMENTS,
        action_list_count: column("number_of_actions"),
        ..wire::IncidentV2::SAME
    }
    .properties(),
    navigations: &[
        one("area", &AREA, "area_id"),
        one("group", &GROUP, "reported_by_group_id"),
        one("followUpGroup", &GROUP, "follow_up_group_id"),
        one("type", &INCIDENT_TYPE_V2, "incident_type_id"),
        one("ownerUser", &USER, "responsible_user_id"),
        many("comments", &INCIDENT_COMMENT, "incident_id"),
        many("tasks", &TASK, "incident_id"),
        many("attachments", &INCIDENT_ATTACHMENT, "incident_id"),
    ],
    search: Some(SearchIndex {
        table: "incidents_search",
        column: "id",
    }),
};

/// `/v2/incidents/types`: a type without its parts.
pub static INCIDENT_TYPE_V2: EntityType = EntityType {
    name: "IncidentTypeV2",
    table: "incident_types",
    key: "id",
    properties: &wire::IncidentType::SAME.properties(),
    navigations: &[],
    search: Some(SearchIndex {
        table: "incident_types_search",
        column: "id",
    }),
};

/// `/v2/improvements`
pub static IMPROVEMENT_V2: EntityType = EntityType {
    name: "ImprovementV2",
    table: "improvement_records",
    key: "id",
    properties: &wire::ImprovementV2::SAME.properties(),
    navigations: &[
        one("group", &GROUP, "group_id"),
        one("responsible", &USER, "responsible_user_id"),
    ],
    search: None,
};

/// `/v2/datasources`
pub static DATASOURCE_V2: EntityType = EntityType {
    name: "DatasourceV2",
    table: "datasources",
    key: "id",
    properties: &wire::DatasourceV2::SAME.properties(),
    navigations: &[many("values", &DATASOURCE_VALUE_V2, "datasource_id")],
    search: None,
};

/// `/v2/datasources/{datasourceId}/values`. The handler adds which datasource.
pub static DATASOURCE_VALUE_V2: EntityType = EntityType {
    name: "DatasourceValueV2",
    table: "datasource_values",
    key: "id",
    properties: &wire::DatasourceValueV2 {
        data_source_id: column("datasource_id"),
        ..wire::DatasourceValueV2::SAME
    }
    .properties(),
    navigations: &[],
    search: None,
};

/// The rollup of an entity's rows.
pub fn rollup(entity: &EntityType) -> Option<&'static Rollup> {
    static OF_VALUES: Rollup = Rollup {
        by_hour: rollups::by_hour,
        by_day: rollups::by_day,
        shared: "dataSourceId",
        instant: "valueDate",
        value: "value",
    };
    std::ptr::eq(entity, &DATASOURCE_VALUE_V2).then_some(&OF_VALUES)
}

/// Whether an entity's rows are joined from several tables to resolve names.
pub fn is_joined(entity: &EntityType) -> bool {
    matches!(
        entity.table,
        "incident_records"
            | "live_incidents"
            | "improvement_records"
            | "live_tasks"
            | "live_task_comments"
            | "live_incident_attachments"
            | "live_task_attachments"
    )
}

/// The column that orders an entity's records by default, before their id.
pub fn order_of(entity: &EntityType) -> Option<Column> {
    let ordered = [
        (&INCIDENT_CATEGORY, "sort_order"),
        (&INCIDENT_CAUSE, "sort_order"),
        (&INCIDENT_CUSTOM_FIELD, "sort_order"),
        // As they are clustered: by id, all values of the datasource would be sorted for each page.
        (&DATASOURCE_VALUE_V2, "value_date"),
    ];
    let found = ordered
        .iter()
        .find(|(ordered, _)| std::ptr::eq(*ordered, entity));
    found.map(|(_, column)| Column::Name(column))
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

/// Every entity of the model, for tests over all of them.
pub fn all() -> Vec<&'static EntityType> {
    vec![
        &AREA,
        &BOARD,
        &TASK,
        &TASK_COMMENT,
        &GROUP,
        &USER_GROUP,
        &USER,
        &USER_MEMBERSHIP,
        &USER_V1,
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
        &GROUP_V1,
        &DATASOURCE,
        &IMPROVEMENT,
        &IMPROVEMENT_V2,
        &DATASOURCE_VALUE,
        &DATASOURCE_V2,
        &DATASOURCE_VALUE_V2,
        &DATA_LIST,
        &DATA_LIST_ITEM,
        &PROJECT,
        &PROJECT_MILESTONE,
        &USER_GROUP_MEMBER,
        &TASK_INFO,
        &INCIDENT_ATTACHMENT,
        &TASK_ATTACHMENT,
        &ATTACHMENT,
    ]
}
