//! The columns against the wire.

use std::fmt::Debug;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use obeya::model::{
    Area, Board, DatasourceValue, Group, Improvement, Incident, IncidentComment, Timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::*;

fn batch<T: 'static>(columns: &'static [Column<T>], records: &[T]) -> RecordBatch {
    let mut rows = Rows::new(columns.iter().map(|column| &column.field));
    for record in records {
        rows.push(columns.iter().map(|column| (column.get)(record)));
    }
    rows.finish().expect("a batch")
}

/// What Arrow holds, as the wire would have it.
fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let instant = |ticks| Timestamp::from_ticks(ticks).expect("in range");
    match array.data_type() {
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Dictionary(..) => {
            let words = array.as_dictionary::<Int32Type>();
            let key = words.keys().value(row);
            words.values().as_string::<i32>().value(key as usize).into()
        }
        DataType::Timestamp(..) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            json!(instant(micros * 10))
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            json!(instant(i64::from(days) * 864_000_000_000).date())
        }
        DataType::List(_) => {
            let items: ArrayRef = array.as_list::<i32>().value(row);
            (0..items.len()).map(|row| value(&items, row)).collect()
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let entries = fields.iter().zip(columns);
            let entries = entries.map(|(field, column)| (field.name().clone(), value(column, row)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => panic!("{other:?}"),
    }
}

/// Holds the columns of `T` to records of the wire: every property has a column of its name, in its place, with its value.
fn hold<T: DeserializeOwned + Debug + 'static>(columns: &'static [Column<T>], wire: &[Value]) {
    let records: Vec<T> = wire
        .iter()
        .map(|record| serde_json::from_value(record.clone()).expect("a record"))
        .collect();
    let batch = batch(columns, &records);
    for (row, wire) in wire.iter().enumerate() {
        let wire = wire.as_object().expect("an object");
        let names: Vec<&str> = columns.iter().map(|column| column.field.name).collect();
        for name in wire.keys() {
            assert!(names.contains(&name.as_str()), "no column {name}");
        }
        for (place, column) in columns.iter().enumerate() {
            let name = column.field.name;
            let expected = wire.get(name).cloned().unwrap_or_default();
            let cell = serde_json::to_value((column.get)(&records[row])).expect("JSON");
            assert_eq!(cell, expected, "{name}");
            assert_eq!(batch.schema().field(place).name(), name);
            assert_eq!(value(batch.column(place), row), expected, "{name} in Arrow");
        }
    }
}

#[test]
fn an_incident_keeps_all_it_has() {
    let full = json!({
        "id": 4711, "project": "Ramp-up", "incidentType": "Safety", "reportedByGroup": "Line 3", "reportedByUserId": "u-1",
        "reportedBy": "Kari", "reportedDate": "2026-03-02T06:12:00Z", "followUpGroup": "HSE", "responsible": "ola",
        "responsibleDisplayName": "Ola Nordmann", "lastModified": "2026-03-05T12:30:00.25Z", "numberOfComments": 2,
        "numberOfActions": 1, "numberOfAttachments": 3,
        "consequences": [
            {"id": 31, "title": "Lost time", "amount": 2.5, "unit": "hours"},
            {"id": 32, "title": "Scrap", "amount": null, "unit": null}
        ],
        "categories": [{"id": 12, "title": "Cut"}], "causes": [{"id": 21, "title": "Worn"}],
        "customFields": [
            {"id": 41, "label": "Machine no.", "type": "number", "value": "7", "dataListId": null, "dataListName": null,
             "dataListValue": null, "registrationDate": "2026-03-02T06:12:00Z"},
            {"id": 42, "label": "Shift", "type": "list", "value": "2", "dataListId": 3, "dataListName": "Shifts",
             "dataListValue": "Night", "registrationDate": null}
        ],
        "status": "InProgress", "incidentTypeId": 3, "severity": "High", "reportedByGroupId": 8, "followUpGroupId": 9,
        "responsibleUserId": "u-2", "title": "Housing cracked", "text": "Ved vakt\u{00ad}start", "incidentDate": "2026-03-02",
        "resolvedDate": "2026-03-04T00:00:00Z", "dueDate": "9999-12-31T23:59:59Z", "evaluationStatus": "Good",
        "evaluationText": "", "isAnonymous": false, "areaId": 2, "projectId": 5, "externalId": "c100"
    });
    let mut bare = full.clone();
    for (name, value) in bare.as_object_mut().expect("an object") {
        if value.is_array() {
            *value = json!([]);
        }
        if [
            "project",
            "reportedByGroup",
            "reportedByUserId",
            "reportedBy",
            "followUpGroup",
            "responsible",
            "responsibleDisplayName",
            "reportedByGroupId",
            "followUpGroupId",
            "responsibleUserId",
            "text",
            "resolvedDate",
            "dueDate",
            "evaluationStatus",
            "evaluationText",
            "areaId",
            "projectId",
            "externalId",
        ]
        .contains(&name.as_str())
        {
            *value = Value::Null;
        }
    }
    hold::<Incident>(&INCIDENT, &[full.clone(), bare, full]);
    let scalars = incident_scalars().iter();
    assert!(
        scalars
            .map(|column| column.field.kind)
            .all(|kind| !matches!(kind, Kind::List(_)))
    );
    assert_eq!(incident_scalars().len() + 4, INCIDENT.len());
}

#[test]
fn an_improvement_keeps_all_it_has() {
    let full = json!({
        "id": 1, "status": "InProgress", "priorityStatus": "High", "groupId": 4, "group": "Line 3", "text": "t", "title": "T",
        "categoryId": 6, "category": "Waste", "projectId": 7, "project": "P", "lastModified": "2026-03-05T12:30:00.25Z",
        "lastModifiedByUserId": "u-1", "suggestedByUserId": "u-2", "suggestedBy": "Ola",
        "suggestionDate": "2026-01-01T00:00:00Z", "dueDate": "2026-01-02T00:00:00Z", "plannedDate": "2026-01-03T00:00:00Z",
        "inProgressDate": "2026-01-04T00:00:00Z", "implementedDate": "2026-01-05T00:00:00Z",
        "evaluatedDate": "2026-01-06T00:00:00Z", "archivedDate": "2026-01-07T00:00:00Z", "responsibleUserId": "u-3",
        "responsibleUser": "kari", "responsibleDisplayName": "Kari", "attachmentCount": 1, "actionListCount": 2,
        "commentCount": 3, "likeCount": 4, "externalId": "x", "costOfInvestment": 1.5, "gainOfInvestment": 2.5,
        "costOfInvestmentHours": 3.5, "gainOfInvestmentHours": 4.5, "estimatedCostOfInvestment": 5.5,
        "estimatedGainOfInvestment": 6.5, "estimatedCostOfInvestmentHours": 7.5, "estimatedGainOfInvestmentHours": 8.5,
        "evaluationStatus": "Bad", "evaluationText": "e"
    });
    let mut bare = full.clone();
    let required = [
        "id",
        "status",
        "priorityStatus",
        "lastModified",
        "attachmentCount",
        "actionListCount",
        "commentCount",
        "likeCount",
    ];
    for (name, value) in bare.as_object_mut().expect("an object") {
        if !required.contains(&name.as_str()) {
            *value = Value::Null;
        }
    }
    hold::<Improvement>(&IMPROVEMENT, &[bare, full]);
}

#[test]
fn the_rest_keeps_all_it_has_and_what_v2_leaves_out_is_null() {
    let comment = json!({
        "id": 1, "text": "Seen", "commentDate": "2026-03-02T08:00:00Z", "commentedBy": "Kari", "commentedByUserId": "u-1",
        "parentId": 3, "level": 1, "incidentId": 4711
    });
    hold::<IncidentComment>(&COMMENT, &[comment, json!({"id": 2})]);
    let area = json!({"id": 2, "name": "Line 3", "description": ""});
    hold::<Area>(&AREA, &[area, json!({"id": 3})]);
    let board = json!({
        "id": 7, "name": "Daily", "boardType": "Weekly", "businessUnitId": 1, "isMember": true, "projectId": 2,
        "isPublic": false, "groupId": 4
    });
    hold::<Board>(&BOARD, &[board, json!({"id": 8})]);
    let group = json!({
        "id": 4, "type": "CUSTOMIZED", "name": "Line 3", "description": "d", "parentId": 1, "isSystemGroup": false, "level": 2,
        "sortOrder": 3, "businessUnitId": 5, "projectId": 6, "externalId": "x", "externalName": "X", "isMember": true
    });
    hold::<Group>(&GROUP, &[group, json!({"id": 5})]);
}

#[test]
fn a_value_has_the_columns_of_the_sdk() {
    let value = json!({
        "id": i32::MAX, "dataSourceId": 12, "registrationDate": "2026-03-02T14:05:01.031234Z", "areaId": 2, "assetId": -3,
        "projectId": 4, "value": -0.5, "description": "d", "dimension": "Night", "dimension2": "Press 2", "dimension3": "c",
        "dimension4": "d", "valueDate": "1969-12-31T23:59:59.999999Z", "externalId": "mes-1"
    });
    let bare = json!({
        "id": i32::MIN, "dataSourceId": 12, "registrationDate": "0000-01-01T00:00:00Z", "areaId": null, "assetId": null,
        "projectId": null, "value": 5e-324, "description": null, "dimension": null, "dimension2": null, "dimension3": null,
        "dimension4": null, "valueDate": "9999-12-31T23:59:59.999999Z", "externalId": null
    });
    hold::<DatasourceValue>(&VALUE, &[value, bare]);
    assert_eq!(
        schema(VALUE.iter().map(|column| &column.field)),
        obeya::value_schema()
    );
}

#[test]
fn no_id_is_an_error_that_names_the_column() {
    let area: Area = serde_json::from_value(json!({"name": "Line 3"})).expect("a record");
    let mut rows = Rows::new(AREA.iter().map(|column| &column.field));
    rows.push(AREA.iter().map(|column| (column.get)(&area)));
    let error = rows.finish().expect_err("no id").to_string();
    assert!(error.contains("'id'"), "{error}");
}
