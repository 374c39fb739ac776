//! The entity model of the fixture; columns are named as their properties.

use obeya_odata::edm::{
    Cardinality, Column, EntityType, EnumType, Navigation, PartIndex, Property, SearchIndex, Type,
};

const fn property(name: &'static str, ty: Type, nullable: bool) -> Property {
    Property {
        name,
        ty,
        nullable,
        column: Column::Name(name),
    }
}

const fn to_one(name: &'static str, target: &'static EntityType, from: &'static str) -> Navigation {
    Navigation {
        name,
        target,
        cardinality: Cardinality::One,
        from,
        to: "id",
    }
}

const fn to_many(name: &'static str, target: &'static EntityType, to: &'static str) -> Navigation {
    Navigation {
        name,
        target,
        cardinality: Cardinality::Many,
        from: "id",
        to,
    }
}

/// Every entity, by the name the cases use.
pub static ENTITIES: [(&str, &EntityType); 6] = [
    ("areas", &AREA),
    ("groups", &GROUP),
    ("boards", &BOARD),
    ("incidentComments", &COMMENT),
    ("datasourceValues", &DATASOURCE_VALUE),
    ("incidents", &INCIDENT),
];

/// The entity the cases call `name`.
pub fn entity(name: &str) -> &'static EntityType {
    ENTITIES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, entity)| *entity)
        .expect("the cases use known entities")
}

static STATUS: EnumType = EnumType {
    name: "IncidentStatus",
    members: &["New", "InProgress", "Resolved", "Rejected"],
};
static SEVERITY: EnumType = EnumType {
    name: "IncidentSeverity",
    members: &["Low", "Medium", "High"],
};
static BOARD_TYPE: EnumType = EnumType {
    name: "BoardType",
    members: &["Weekly", "Kanban", "SmartActionList", "Yearly"],
};
static GROUP_TYPE: EnumType = EnumType {
    name: "GroupType",
    members: &["GENERAL", "BUSINESSUNIT", "PROJECT", "CUSTOMIZED"],
};

pub static AREA: EntityType = EntityType {
    name: "Area",
    table: "areas",
    key: "id",
    properties: &[
        property("id", Type::Int32, false),
        property("name", Type::String, false),
        property("description", Type::String, true),
    ],
    navigations: &[],
    search: None,
};

pub static GROUP: EntityType = EntityType {
    name: "Group",
    table: "groups",
    key: "id",
    properties: &[
        property("id", Type::Int32, false),
        property("type", Type::Enum(&GROUP_TYPE), false),
        property("name", Type::String, true),
        property("description", Type::String, true),
        property("parentId", Type::Int32, true),
        property("isSystemGroup", Type::Boolean, false),
        property("level", Type::Int32, true),
        property("sortOrder", Type::Int32, true),
        property("businessUnitId", Type::Int32, true),
        property("projectId", Type::Int32, true),
        property("externalId", Type::String, true),
        property("externalName", Type::String, true),
        property("isMember", Type::Boolean, false),
    ],
    navigations: &[
        to_one("parent", &GROUP, "parentId"),
        to_many("boards", &BOARD, "groupId"),
        to_many("children", &GROUP, "parentId"),
    ],
    search: None,
};

pub static BOARD: EntityType = EntityType {
    name: "Board",
    table: "boards",
    key: "id",
    properties: &[
        property("id", Type::Int32, false),
        property("name", Type::String, true),
        property("boardType", Type::Enum(&BOARD_TYPE), true),
        property("businessUnitId", Type::Int32, true),
        property("isMember", Type::Boolean, false),
        property("projectId", Type::Int32, true),
        property("isPublic", Type::Boolean, false),
        property("groupId", Type::Int32, true),
    ],
    navigations: &[to_one("group", &GROUP, "groupId")],
    search: None,
};

pub static COMMENT: EntityType = EntityType {
    name: "IncidentComment",
    table: "incidentComments",
    key: "id",
    properties: &[
        property("id", Type::Int32, false),
        Property {
            column: Column::Indexed(
                "text",
                PartIndex {
                    table: "comment_parts",
                    column: "id",
                },
            ),
            ..property("text", Type::String, false)
        },
        property("commentDate", Type::DateTimeOffset, false),
        property("commentedBy", Type::String, false),
        property("commentedByUserId", Type::String, false),
        property("parentId", Type::Int32, true),
        property("level", Type::Int32, false),
        property("incidentId", Type::Int32, false),
    ],
    navigations: &[
        to_one("parent", &COMMENT, "parentId"),
        to_one("incident", &INCIDENT, "incidentId"),
    ],
    search: Some(SearchIndex {
        table: "comment_words",
        column: "id",
    }),
};

pub static DATASOURCE_VALUE: EntityType = EntityType {
    name: "DatasourceValue",
    table: "datasourceValues",
    key: "id",
    properties: &[
        property("id", Type::Int32, false),
        property("dataSourceId", Type::Int32, false),
        property("registrationDate", Type::DateTimeOffset, false),
        property("areaId", Type::Int32, true),
        property("assetId", Type::Int32, true),
        property("projectId", Type::Int32, true),
        property("value", Type::Double, false),
        property("description", Type::String, true),
        property("dimension", Type::String, true),
        property("dimension2", Type::String, true),
        property("dimension3", Type::String, true),
        property("dimension4", Type::String, true),
        property("valueDate", Type::DateTimeOffset, false),
        property("externalId", Type::String, true),
    ],
    navigations: &[],
    search: None,
};

pub static INCIDENT: EntityType = EntityType {
    name: "Incident",
    table: "incidents",
    key: "id",
    properties: &[
        property("id", Type::Int32, false),
        property("status", Type::Enum(&STATUS), false),
        property("severity", Type::Enum(&SEVERITY), false),
        property("title", Type::String, false),
        property("text", Type::String, true),
        property("incidentDate", Type::Date, false),
        property("dueDate", Type::DateTimeOffset, true),
        property("resolvedDate", Type::DateTimeOffset, true),
        property("numberOfComments", Type::Int32, false),
        property("isAnonymous", Type::Boolean, false),
        property("areaId", Type::Int32, true),
        property("projectId", Type::Int32, true),
        property("followUpGroupId", Type::Int32, true),
        property("responsibleUserId", Type::String, true),
        property("externalId", Type::String, true),
    ],
    navigations: &[
        to_one("area", &AREA, "areaId"),
        to_many("comments", &COMMENT, "incidentId"),
    ],
    search: None,
};
