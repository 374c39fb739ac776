//! The OData entity model over the tables: what a query option may name, and where it lives.
//!
//! Every identifier of a read statement comes from here. Names on the wire and their order are the spec's; nothing here is a rule or a statement.
//! Who reported an anonymous incident is hidden here and not in what is written out: filtering, ordering and searching would tell it as well.

use obeya_odata::edm::{
    Cardinality, Column, EntityType, EnumType, Navigation, PartIndex, Property, SearchIndex, Type,
};

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

static INCIDENT_CONSEQUENCE: EntityType = EntityType {
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

static INCIDENT_CATEGORY: EntityType = EntityType {
    name: "CategoryReference",
    table: "incident_category_records",
    key: "id",
    properties: &[key(), required("title", Type::String, "title")],
    navigations: &[],
    search: None,
};

static INCIDENT_CAUSE: EntityType = EntityType {
    name: "CauseReference",
    table: "incident_cause_records",
    key: "id",
    properties: &[key(), required("title", Type::String, "title")],
    navigations: &[],
    search: None,
};

static INCIDENT_CUSTOM_FIELD: EntityType = EntityType {
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
static TRASHED_COMMENT: EntityType = EntityType {
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

static BOARD_TYPE: EnumType = EnumType {
    name: "BoardType",
    members: &["Weekly", "Kanban", "SmartActionList", "Yearly"],
};

static GROUP_TYPE: EnumType = EnumType {
    name: "GroupType",
    members: &["GENERAL", "BUSINESSUNIT", "PROJECT", "CUSTOMIZED"],
};

static INCIDENT_STATUS: EnumType = EnumType {
    name: "IncidentStatus",
    members: &["New", "InProgress", "Resolved", "Rejected"],
};

static INCIDENT_SEVERITY: EnumType = EnumType {
    name: "IncidentSeverity",
    members: &["None", "Low", "Medium", "High"],
};

static IMPROVEMENT_STATUS: EnumType = EnumType {
    name: "ImprovementStatus",
    members: &[
        "Suggested",
        "Planned",
        "InProgress",
        "Implemented",
        "Evaluated",
        "Archived",
        "Activated",
        "Open",
    ],
};

static IMPROVEMENT_PRIORITY_STATUS: EnumType = EnumType {
    name: "ImprovementPriorityStatus",
    members: &[
        "NotPrioritized",
        "LowEffortHighEffect",
        "HighEffortHighEffect",
        "LowEffortLowEffect",
        "HighEffortLowEffect",
    ],
};

static EVALUATION_STATUS: EnumType = EnumType {
    name: "EvaluationStatus",
    members: &["Medium", "Good", "Bad"],
};

static EVALUATION_STATUS_V2: EnumType = EnumType {
    name: "EvaluationStatusV2",
    members: &["Meh", "Smile", "Frown"],
};

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
        &INCIDENT_CONSEQUENCE,
        &INCIDENT_CATEGORY,
        &INCIDENT_CAUSE,
        &INCIDENT_CUSTOM_FIELD,
        &TRASHED_INCIDENT,
        &TRASHED_COMMENT,
        &INCIDENT_COMMENT_V1,
        &BOARD_V1,
        &DATASOURCE,
        &IMPROVEMENT,
        &DATASOURCE_VALUE,
    ]
}

#[cfg(test)]
mod tests {
    use obeya_odata::{Context, Limits, OptionName, Options, sql};

    use super::*;
    use crate::store::{Store, StoreOptions, Value};

    #[test]
    fn the_model_is_sound() {
        let faults: Vec<_> = all().iter().flat_map(|entity| entity.check()).collect();
        assert!(faults.is_empty(), "{faults:#?}");
    }

    /// How the database goes about a list, a line for each step.
    async fn plan(entity: &'static EntityType, query: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("plant.db").display());
        let store = Store::open(&url, &StoreOptions::default()).await.unwrap();
        let limits = Limits::default();
        let (options, _) = Options::parse(query, OptionName::ALL, &limits).unwrap();
        let bound = options.bind(entity, &Context { now: 0, limits }).unwrap();
        let statement = sql::select(&bound, &sql::Sqlite, &sql::Scope::default());
        let steps = store.read(move |session| {
            let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
            let binds = vec![Value::Null; statement.binds.len()];
            session.all(&sql, &binds, |row| row.string(3))
        });
        let steps: Vec<String> = steps.await.unwrap().into_iter().flatten().collect();
        steps.join("\n")
    }

    #[tokio::test]
    async fn comments_are_led_to_by_their_indexes_one_by_one() {
        for query in [
            "$filter=contains(text,'bearing')",
            "$filter=startswith(text,'Bea') or text eq 'Seal'&$orderby=id desc&$top=5",
            "$search=bearing&$top=5",
        ] {
            let plan = plan(&INCIDENT_COMMENT, query).await;
            let steps: Vec<&str> = plan.lines().collect();
            assert!(
                steps[0].starts_with("SCAN t1 VIRTUAL TABLE INDEX")
                    && steps[1] == "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"
                    && !plan.contains("TEMP B-TREE"),
                "{query}\n{plan}"
            );
        }
    }

    /// The read engine reads link values as integers.
    #[test]
    fn every_link_is_an_integer() {
        for entity in all() {
            for navigation in entity.navigations {
                let column = |property: &&Property| matches!(property.column, Column::Name(name) if name == navigation.from);
                let from = entity
                    .properties
                    .iter()
                    .find(column)
                    .map(|property| property.ty);
                assert_eq!(
                    from,
                    Some(Type::Int32),
                    "{}.{}",
                    entity.name,
                    navigation.name
                );
            }
        }
    }
}
