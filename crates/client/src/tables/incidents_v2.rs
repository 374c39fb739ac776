//! Incidents, their types and comments as v2 tells them. Only the id is sure to be there: v2 promises no property.

use obeya_model::{
    EvaluationStatusV2, IncidentComment, IncidentSeverity, IncidentStatus, IncidentTypeV2,
    IncidentV2,
};

use super::cell::{Cell, Column, Field, Kind, nullable_fields};
use super::organisation::{AREA, GROUP, LINKED_AREA, LINKED_GROUP};

/// An incident.
static INCIDENT: [Column<IncidentV2>; 30] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, true, |r| r.title.as_deref().into()),
    Column::new("text", Kind::Text, true, |r| r.text.as_deref().into()),
    Column::new("status", Kind::Word, true, |r| {
        r.status.as_ref().map(IncidentStatus::as_str).into()
    }),
    Column::new("severity", Kind::Word, true, |r| {
        r.severity.as_ref().map(IncidentSeverity::as_str).into()
    }),
    Column::new("typeId", Kind::Int, true, |r| r.type_id.into()),
    Column::new("incidentDate", Kind::Instant, true, |r| {
        r.incident_date.into()
    }),
    Column::new("createdDate", Kind::Instant, true, |r| {
        r.created_date.into()
    }),
    Column::new("lastModified", Kind::Instant, true, |r| {
        r.last_modified.into()
    }),
    Column::new("dueDate", Kind::Instant, true, |r| r.due_date.into()),
    Column::new("statusModifiedDate", Kind::Instant, true, |r| {
        r.status_modified_date.into()
    }),
    Column::new("statusNewDate", Kind::Instant, true, |r| {
        r.status_new_date.into()
    }),
    Column::new("statusInProgressDate", Kind::Instant, true, |r| {
        r.status_in_progress_date.into()
    }),
    Column::new("statusImplementedDate", Kind::Instant, true, |r| {
        r.status_implemented_date.into()
    }),
    Column::new("statusRejectedDate", Kind::Instant, true, |r| {
        r.status_rejected_date.into()
    }),
    Column::new("archivedDate", Kind::Instant, true, |r| {
        r.archived_date.into()
    }),
    Column::new("evaluationStatus", Kind::Word, true, |r| {
        r.evaluation_status
            .as_ref()
            .map(EvaluationStatusV2::as_str)
            .into()
    }),
    Column::new("evaluationText", Kind::Text, true, |r| {
        r.evaluation_text.as_deref().into()
    }),
    Column::new("owner", Kind::Text, true, |r| r.owner.as_deref().into()),
    Column::new("ownerDisplayName", Kind::Text, true, |r| {
        r.owner_display_name.as_deref().into()
    }),
    Column::new("ownerUserId", Kind::Text, true, |r| {
        r.owner_user_id.as_deref().into()
    }),
    Column::new("createdByUserId", Kind::Text, true, |r| {
        r.created_by_user_id.as_deref().into()
    }),
    Column::new("groupId", Kind::Int, true, |r| r.group_id.into()),
    Column::new("followUpGroupId", Kind::Int, true, |r| {
        r.follow_up_group_id.into()
    }),
    Column::new("areaId", Kind::Int, true, |r| r.area_id.into()),
    Column::new("projectId", Kind::Int, true, |r| r.project_id.into()),
    Column::new("externalId", Kind::Text, true, |r| {
        r.external_id.as_deref().into()
    }),
    Column::new("isAnonymous", Kind::Bool, true, |r| r.is_anonymous.into()),
    Column::new("attachmentCount", Kind::Int, true, |r| {
        r.attachment_count.into()
    }),
    Column::new("actionListCount", Kind::Int, true, |r| {
        r.action_list_count.into()
    }),
];
static LINKED_INCIDENT: [Field; 30] = nullable_fields(&INCIDENT);

static INCIDENT_LINKS: [Column<IncidentV2>; 5] = [
    Column::new("area", Kind::Row(&LINKED_AREA), true, |r| {
        Cell::row(&LINKED_AREA, &AREA, r.area.as_ref())
    }),
    Column::new("group", Kind::Row(&LINKED_GROUP), true, |r| {
        Cell::row(&LINKED_GROUP, &GROUP, r.group.as_ref())
    }),
    Column::new("followUpGroup", Kind::Row(&LINKED_GROUP), true, |r| {
        Cell::row(&LINKED_GROUP, &GROUP, r.follow_up_group.as_ref())
    }),
    Column::new("type", Kind::Row(&LINKED_TYPE), true, |r| {
        Cell::row(&LINKED_TYPE, &TYPE, r.type_.as_ref())
    }),
    Column::new("comments", Kind::List(&LINKED_COMMENT), true, |r| {
        Cell::list_of(&LINKED_COMMENT, &COMMENT, r.comments.as_deref())
    }),
];

/// A type.
static TYPE: [Column<IncidentTypeV2>; 3] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, true, |r| r.title.as_deref().into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
];
static LINKED_TYPE: [Field; 3] = nullable_fields(&TYPE);

/// A comment.
static COMMENT: [Column<IncidentComment>; 8] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("text", Kind::Text, true, |r| r.text.as_deref().into()),
    Column::new("commentDate", Kind::Instant, true, |r| {
        r.comment_date.into()
    }),
    Column::new("commentedBy", Kind::Text, true, |r| {
        r.commented_by.as_deref().into()
    }),
    Column::new("commentedByUserId", Kind::Text, true, |r| {
        r.commented_by_user_id.as_deref().into()
    }),
    Column::new("parentId", Kind::Int, true, |r| r.parent_id.into()),
    Column::new("level", Kind::Int, true, |r| r.level.into()),
    Column::new("incidentId", Kind::Int, true, |r| r.incident_id.into()),
];
static LINKED_COMMENT: [Field; 8] = nullable_fields(&COMMENT);

static COMMENT_LINKS: [Column<IncidentComment>; 2] = [
    Column::new("parent", Kind::Row(&LINKED_COMMENT), true, |r| {
        Cell::row(&LINKED_COMMENT, &COMMENT, r.parent.as_deref())
    }),
    Column::new("incident", Kind::Row(&LINKED_INCIDENT), true, |r| {
        Cell::row(&LINKED_INCIDENT, &INCIDENT, r.incident.as_ref())
    }),
];

super::tabular! {
    IncidentV2: INCIDENT, INCIDENT_LINKS;
    IncidentTypeV2: TYPE;
    IncidentComment: COMMENT, COMMENT_LINKS;
}
