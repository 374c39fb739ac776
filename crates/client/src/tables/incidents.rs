//! Incidents as v1 tells them, what hangs on them, their types and the trash.

use obeya_model::{
    CategoryReference, CauseReference, EvaluationStatus, Incident, IncidentCommentV1,
    IncidentConsequence, IncidentCustomField, IncidentTypeSummary, TrashedIncident,
};

use super::cell::{Cell, Column, Field, Kind, fields};

/// The columns that an incident has in the trash as well.
macro_rules! incident_columns {
    ($($more:expr),* $(,)?) => {
        [
            Column::new("id", Kind::Int, false, |r| r.id.into()),
            Column::new("project", Kind::Text, true, |r| r.project.as_deref().into()),
            Column::new("incidentType", Kind::Word, false, |r| {
                (&*r.incident_type).into()
            }),
            Column::new("reportedByGroup", Kind::Word, true, |r| {
                r.reported_by_group.as_deref().into()
            }),
            Column::new("reportedByUserId", Kind::Text, true, |r| {
                r.reported_by_user_id.as_deref().into()
            }),
            Column::new("reportedBy", Kind::Text, true, |r| {
                r.reported_by.as_deref().into()
            }),
            Column::new("reportedDate", Kind::Instant, false, |r| {
                r.reported_date.into()
            }),
            Column::new("followUpGroup", Kind::Word, true, |r| {
                r.follow_up_group.as_deref().into()
            }),
            Column::new("responsible", Kind::Text, true, |r| {
                r.responsible.as_deref().into()
            }),
            Column::new("responsibleDisplayName", Kind::Text, true, |r| {
                r.responsible_display_name.as_deref().into()
            }),
            Column::new("lastModified", Kind::Instant, false, |r| {
                r.last_modified.into()
            }),
            Column::new("numberOfComments", Kind::Int, false, |r| {
                r.number_of_comments.into()
            }),
            Column::new("numberOfActions", Kind::Int, false, |r| {
                r.number_of_actions.into()
            }),
            Column::new("numberOfAttachments", Kind::Int, false, |r| {
                r.number_of_attachments.into()
            }),
            Column::new("status", Kind::Word, false, |r| r.status.as_str().into()),
            Column::new("incidentTypeId", Kind::Int, false, |r| {
                r.incident_type_id.into()
            }),
            Column::new("severity", Kind::Word, false, |r| {
                r.severity.as_str().into()
            }),
            Column::new("reportedByGroupId", Kind::Int, true, |r| {
                r.reported_by_group_id.into()
            }),
            Column::new("followUpGroupId", Kind::Int, true, |r| {
                r.follow_up_group_id.into()
            }),
            Column::new("responsibleUserId", Kind::Text, true, |r| {
                r.responsible_user_id.as_deref().into()
            }),
            Column::new("title", Kind::Text, false, |r| (&*r.title).into()),
            Column::new("text", Kind::Text, true, |r| r.text.as_deref().into()),
            Column::new("incidentDate", Kind::Day, false, |r| r.incident_date.into()),
            Column::new("resolvedDate", Kind::Instant, true, |r| {
                r.resolved_date.into()
            }),
            Column::new("dueDate", Kind::Instant, true, |r| r.due_date.into()),
            Column::new("evaluationStatus", Kind::Word, true, |r| {
                r.evaluation_status
                    .as_ref()
                    .map(EvaluationStatus::as_str)
                    .into()
            }),
            Column::new("evaluationText", Kind::Text, true, |r| {
                r.evaluation_text.as_deref().into()
            }),
            Column::new("isAnonymous", Kind::Bool, false, |r| r.is_anonymous.into()),
            Column::new("areaId", Kind::Int, true, |r| r.area_id.into()),
            Column::new("projectId", Kind::Int, true, |r| r.project_id.into()),
            Column::new("externalId", Kind::Text, true, |r| {
                r.external_id.as_deref().into()
            }),
            $($more),*
        ]
    };
}

/// An incident (v1), its lists last.
static INCIDENT: [Column<Incident>; 35] = incident_columns![
    Column::new(
        "consequences",
        Kind::List(&CONSEQUENCE_FIELDS),
        false,
        |r| Cell::list(&CONSEQUENCE_FIELDS, &CONSEQUENCE, &r.consequences),
    ),
    Column::new("categories", Kind::List(&CATEGORY_FIELDS), false, |r| {
        Cell::list(&CATEGORY_FIELDS, &CATEGORY, &r.categories)
    }),
    Column::new("causes", Kind::List(&CAUSE_FIELDS), false, |r| {
        Cell::list(&CAUSE_FIELDS, &CAUSE, &r.causes)
    }),
    Column::new(
        "customFields",
        Kind::List(&CUSTOM_FIELD_FIELDS),
        false,
        |r| Cell::list(&CUSTOM_FIELD_FIELDS, &CUSTOM_FIELD, &r.custom_fields),
    ),
];

/// An incident in the trash (v1).
static TRASHED: [Column<TrashedIncident>; 31] = incident_columns![];

/// A consequence of an incident.
static CONSEQUENCE: [Column<IncidentConsequence>; 4] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, false, |r| (&*r.title).into()),
    Column::new("amount", Kind::Number, true, |r| r.amount.into()),
    Column::new("unit", Kind::Word, true, |r| r.unit.as_deref().into()),
];
static CONSEQUENCE_FIELDS: [Field; 4] = fields(&CONSEQUENCE);

/// A category of an incident.
static CATEGORY: [Column<CategoryReference>; 2] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, false, |r| (&*r.title).into()),
];
static CATEGORY_FIELDS: [Field; 2] = fields(&CATEGORY);

/// A cause of an incident.
static CAUSE: [Column<CauseReference>; 2] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, false, |r| (&*r.title).into()),
];
static CAUSE_FIELDS: [Field; 2] = fields(&CAUSE);

/// A custom field of an incident, with its value.
static CUSTOM_FIELD: [Column<IncidentCustomField>; 8] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("label", Kind::Text, false, |r| (&*r.label).into()),
    Column::new("type", Kind::Word, false, |r| (&*r.type_).into()),
    Column::new("value", Kind::Text, true, |r| r.value.as_deref().into()),
    Column::new("dataListId", Kind::Int, true, |r| r.data_list_id.into()),
    Column::new("dataListName", Kind::Text, true, |r| {
        r.data_list_name.as_deref().into()
    }),
    Column::new("dataListValue", Kind::Text, true, |r| {
        r.data_list_value.as_deref().into()
    }),
    Column::new("registrationDate", Kind::Instant, true, |r| {
        r.registration_date.into()
    }),
];
static CUSTOM_FIELD_FIELDS: [Field; 8] = fields(&CUSTOM_FIELD);

/// A comment (v1).
static COMMENT: [Column<IncidentCommentV1>; 7] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("comment", Kind::Text, false, |r| (&*r.comment).into()),
    Column::new("commentDate", Kind::Instant, false, |r| {
        r.comment_date.into()
    }),
    Column::new("commentedBy", Kind::Text, true, |r| {
        r.commented_by.as_deref().into()
    }),
    Column::new("commentedByUserId", Kind::Text, true, |r| {
        r.commented_by_user_id.as_deref().into()
    }),
    Column::new("parentId", Kind::Int, true, |r| r.parent_id.into()),
    Column::new("level", Kind::Int, false, |r| r.level.into()),
];

/// An incident type (v1).
static TYPE: [Column<IncidentTypeSummary>; 3] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, false, |r| (&*r.title).into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
];

super::tabular! {
    Incident: INCIDENT;
    TrashedIncident: TRASHED;
    IncidentConsequence: CONSEQUENCE;
    CategoryReference: CATEGORY;
    CauseReference: CAUSE;
    IncidentCustomField: CUSTOM_FIELD;
    IncidentCommentV1: COMMENT;
    IncidentTypeSummary: TYPE;
}
