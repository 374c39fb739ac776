//! How each kind of grants applies to the rows of each entity.
//!
//! A row of an entity without an entry here is hidden from every restricted client, and a test requires an
//! entry for each entity.

use std::collections::{BTreeMap, BTreeSet};

use obeya_odata::RowConditions;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{Predicate, Value};

use super::all;

/// A kind of records to which a client can be restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Areas, and the incidents in them.
    Area,
    /// Datasources, and their values.
    Datasource,
    /// Groups, and their boards, improvements and incidents.
    Group,
    /// Types of incidents, and the incidents of them.
    IncidentType,
}

/// What restricts the rows of an entity.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Restriction {
    /// Columns of its table.
    Columns(Columns),
    /// The incident with the id in the column `incident_id`.
    Incident,
    /// The columns of a task, or of the task of a comment. It has those of an incident only if it is of one.
    Task(Columns),
    /// The groups of which a user is a member.
    Member,
    /// Nothing: rows are only reached from a record, or under the address of one, to which the restrictions
    /// were applied.
    Owner,
}

/// The columns with the ids of each kind; empty if the entity has nothing to do with the kind. A row with
/// several such columns may be shown if one of the ids is granted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns {
    pub(crate) area: &'static [&'static str],
    pub(crate) datasource: &'static [&'static str],
    pub(crate) group: &'static [&'static str],
    pub(crate) incident_type: &'static [&'static str],
}

const NONE: Columns = Columns {
    area: &[],
    datasource: &[],
    group: &[],
    incident_type: &[],
};

/// An incident belongs to the group that reported it and to the one that follows it up.
const INCIDENT: Columns = Columns {
    area: &["area_id"],
    group: &["reported_by_group_id", "follow_up_group_id"],
    incident_type: &["incident_type_id"],
    ..NONE
};

/// A task belongs to the group of its board, and to what its incident belongs to.
const TASK: Columns = Columns {
    group: &[
        "board_group_id",
        "reported_by_group_id",
        "follow_up_group_id",
    ],
    ..INCIDENT
};

const OF_GROUP: Columns = Columns {
    group: &["group_id"],
    ..NONE
};

/// What restricts the rows of an entity; `None` if nobody has decided.
pub(crate) fn restriction(entity: &EntityType) -> Option<Restriction> {
    let columns = match entity.name {
        "Area" => Columns {
            area: &["id"],
            ..NONE
        },
        "Group" | "GroupV1" => Columns {
            group: &["id"],
            ..NONE
        },
        "Datasource" | "DatasourceV2" => Columns {
            datasource: &["id"],
            ..NONE
        },
        "IncidentTypeV2" => Columns {
            incident_type: &["id"],
            ..NONE
        },
        "IncidentV1" | "IncidentV2" => INCIDENT,
        "Board" | "BoardV1" | "Improvement" | "ImprovementV2" | "UserGroup" | "UserGroupMember"
        | "UserMembership" => OF_GROUP,
        // Of the whole plant.
        "DataList" | "DataListItem" | "Project" | "ProjectMilestone" => NONE,
        "IncidentComment" | "IncidentCommentV1" => return Some(Restriction::Incident),
        "User" | "UserV1" => return Some(Restriction::Member),
        "Task" | "TaskInfo" | "TaskComment" => return Some(Restriction::Task(TASK)),
        // Below an incident, a task or a datasource. The area of a value is a number of its sender's and not
        // checked.
        "IncidentConsequence"
        | "CategoryReference"
        | "CauseReference"
        | "IncidentCustomField"
        | "DatasourceValue"
        | "DatasourceValueV2"
        | "IncidentAttachment"
        | "TaskAttachment"
        | "Attachment" => return Some(Restriction::Owner),
        _ => return None,
    };
    Some(Restriction::Columns(columns))
}

/// The conditions that grants make for the rows of every entity.
pub(crate) fn row_conditions(granted: &BTreeMap<Kind, BTreeSet<i32>>) -> RowConditions {
    let entities = all().into_iter().filter_map(|entity| {
        let condition = match restriction(entity)? {
            Restriction::Owner => None,
            Restriction::Columns(columns) => condition(columns, "{t}", granted),
            Restriction::Task(columns) => of_task(columns, granted),
            Restriction::Member => condition(OF_GROUP, "m", granted).map(|groups| {
                let members = "SELECT m.user_id FROM group_members AS m";
                Predicate {
                    sql: format!("{{t}}.id IN ({members} WHERE {})", groups.sql).into(),
                    ..groups
                }
            }),
            Restriction::Incident => condition(INCIDENT, "granted", granted).map(|incident| {
                let exists =
                    "SELECT 1 FROM incidents AS granted WHERE granted.id = {t}.incident_id";
                Predicate {
                    sql: format!("EXISTS ({exists} AND {})", incident.sql).into(),
                    ..incident
                }
            }),
        };
        Some((entity.name, condition))
    });
    RowConditions::new(entities)
}

/// The condition for a task: areas and incident types say nothing about a task of no incident.
fn of_task(columns: Columns, granted: &BTreeMap<Kind, BTreeSet<i32>>) -> Option<Predicate> {
    let (group, others): (BTreeMap<_, _>, BTreeMap<_, _>) = granted
        .clone()
        .into_iter()
        .partition(|(kind, _)| *kind == Kind::Group);
    let by_group = condition(columns, "{t}", &group);
    let by_incident = condition(columns, "{t}", &others).map(|incident| {
        let sql = format!("({{t}}.incident_id IS NULL OR {})", incident.sql);
        Predicate::new(sql, incident.binds)
    });
    match (by_group, by_incident) {
        (Some(group), Some(incident)) => Some(Predicate::new(
            format!("{} AND {}", group.sql, incident.sql),
            [group.binds, incident.binds].concat(),
        )),
        (group, incident) => group.or(incident),
    }
}

/// The condition for a row with this alias; `None` if no grant is of a kind that applies to it.
fn condition(
    columns: Columns,
    alias: &str,
    granted: &BTreeMap<Kind, BTreeSet<i32>>,
) -> Option<Predicate> {
    let mut each = Vec::new();
    let mut binds = Vec::new();
    for (kind, ids) in granted {
        let columns = match kind {
            Kind::Area => columns.area,
            Kind::Datasource => columns.datasource,
            Kind::Group => columns.group,
            Kind::IncidentType => columns.incident_type,
        };
        let placeholders = vec!["?"; ids.len()].join(", ");
        let any = columns.iter().map(|column| {
            binds.extend(ids.iter().map(|id| Value::Int((*id).into())));
            format!("{alias}.{column} IN ({placeholders})")
        });
        let any: Vec<String> = any.collect();
        if !any.is_empty() {
            each.push(format!("({})", any.join(" OR ")));
        }
    }
    (!each.is_empty()).then(|| Predicate::new(each.join(" AND "), binds))
}
