//! Compares the columns with the wire.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use obeya_model::{
    Area, Board, BoardSummary, Datasource, DatasourceValue, GroupV1, GroupV2, Improvement,
    IncidentCommentV1, IncidentCommentV2, IncidentType, IncidentTypeSummary, IncidentV1,
    IncidentV2, TaskComment, TaskInfo, Timestamp, TrashedIncident, UserV1, UserV2,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::*;

/// An Arrow value in its wire form.
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

/// Checks the columns of `T` against wire records: every property has a column with its name, position and
/// value.
fn check_columns<T: DeserializeOwned + Tabular>(wire: &[Value]) {
    let column_set = ColumnSet::<T>::all();
    let batch = check_column_set(&column_set, wire);
    assert_eq!(batch.schema(), schema::<T>());
    assert_eq!(batch, super::batch(&records::<T>(wire)).expect("a batch"));
}

fn records<T: DeserializeOwned>(wire: &[Value]) -> Vec<T> {
    let record = |record: &Value| serde_json::from_value(record.clone()).expect("a record");
    wire.iter().map(record).collect()
}

fn check_column_set<T: DeserializeOwned + Tabular>(
    column_set: &ColumnSet<T>,
    wire: &[Value],
) -> RecordBatch {
    let columns = &column_set.0;
    let records = records::<T>(wire);
    let batch = column_set.batch(&records).expect("a batch");
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
    batch
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
    check_columns::<IncidentV1>(&[full.clone(), bare.clone(), full.clone()]);
    let in_the_trash = |mut incident: Value| {
        let properties = incident.as_object_mut().expect("an object");
        properties.retain(|_, value| !value.is_array());
        incident
    };
    check_columns::<TrashedIncident>(&[in_the_trash(bare), in_the_trash(full)]);
    let single = scalars::<IncidentV1>().iter();
    assert!(
        single
            .map(|column| column.field.kind)
            .all(|kind| !matches!(kind, Kind::List(_)))
    );
    assert_eq!(
        scalars::<IncidentV1>().len() + 4,
        IncidentV1::columns().len()
    );
    assert_eq!(scalars::<Area>().len(), Area::columns().len());
}

#[test]
fn a_comment_on_a_task_has_its_columns() {
    let comment = json!({
        "id": 1, "parentId": 2, "level": 1, "text": "Ordered", "commentedBy": "Kari", "commentedByUserId": "u-1",
        "commentDate": "2026-03-05T12:30:00.25Z", "taskId": 3, "commentedByUserDisplayName": "Kari"
    });
    check_columns::<TaskComment>(&[comment, json!({"id": 2})]);
}

#[test]
fn a_task_keeps_all_it_has() {
    let full = json!({
        "id": 1, "parentId": 2, "lastModified": "2026-03-05T12:30:00.25Z", "responsibleUser": "Kari Vik", "externalId": "a-1", "boardId": 7,
        "title": "Clamp", "description": "Worn", "status": "Blocked", "responsibleUserId": "u-1", "dueDate": "2026-03-06T00:00:00Z",
        "startDate": "2026-03-04T00:00:00Z", "rowCategoryId": 70, "columnCategoryId": 75, "tags": ["5S", "a \"b\"", "5S"]
    });
    let bare = json!({
        "id": 2, "parentId": null, "lastModified": "2026-03-05T12:30:00Z", "responsibleUser": null, "externalId": null, "boardId": null,
        "title": "Oil", "description": null, "status": "NotStarted", "responsibleUserId": null, "dueDate": null, "startDate": null,
        "rowCategoryId": null, "columnCategoryId": null, "tags": []
    });
    check_columns::<TaskInfo>(&[full.clone(), bare, full]);
    // A list of texts is one column among the others, and has no table of its own.
    assert_eq!(scalars::<TaskInfo>().len(), TaskInfo::columns().len());
}

#[test]
fn a_user_keeps_all_it_has() {
    let full = json!({
        "id": "u-1", "roles": ["Lead", "5S"], "fullName": "Kari Vik", "userName": "kari", "email": "kari@plant.example", "useAD": true,
        "azureAdObjectId": "x-1", "firstName": "Kari", "lastName": "Vik", "screenName": "KV", "isInfoScreenUser": false, "isMobileUser": true,
        "businessUnitId": 4, "externalId": "H-1"
    });
    let bare = json!({
        "id": "u-2", "roles": [], "fullName": "Line 2", "userName": "line.2", "email": "", "useAD": false, "azureAdObjectId": null,
        "firstName": "", "lastName": "", "screenName": null, "isInfoScreenUser": true, "isMobileUser": false, "businessUnitId": null,
        "externalId": null
    });
    check_columns::<UserV1>(&[full.clone(), bare, full]);
    let full = json!({
        "id": "u-1", "userName": "kari", "email": "kari@plant.example", "firstName": "Kari", "lastName": "Vik", "displayName": "Kari Vik",
        "externalId": "H-1", "type": "MOBILE", "businessUnitId": 4
    });
    let bare = json!({"id": "u-2", "displayName": "Line 2"});
    check_columns::<UserV2>(&[full.clone(), bare, full]);
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
    check_columns::<Improvement>(&[bare, full]);
}

#[test]
fn the_rest_keeps_all_it_has_and_what_v2_leaves_out_is_null() {
    let comment = json!({
        "id": 1, "text": "Seen", "commentDate": "2026-03-02T08:00:00Z", "commentedBy": "Kari", "commentedByUserId": "u-1",
        "parentId": 3, "level": 1, "incidentId": 4711
    });
    check_columns::<IncidentCommentV2>(&[comment, json!({"id": 2})]);
    let area = json!({"id": 2, "name": "Line 3", "description": ""});
    check_columns::<Area>(&[area, json!({"id": 3})]);
    let board = json!({
        "id": 7, "name": "Daily", "boardType": "Weekly", "businessUnitId": 1, "isMember": true, "projectId": 2,
        "isPublic": false, "groupId": 4
    });
    check_columns::<Board>(&[board, json!({"id": 8})]);
    let group = json!({
        "id": 4, "type": "CUSTOMIZED", "name": "Line 3", "description": "d", "parentId": 1, "isSystemGroup": false, "level": 2,
        "sortOrder": 3, "businessUnitId": 5, "projectId": 6, "externalId": "x", "externalName": "X", "isMember": true
    });
    check_columns::<GroupV2>(&[group.clone(), json!({"id": 5})]);
    let mut whole = group;
    whole["buisnessUnitId"] = json!(5);
    let bare = json!({
        "id": 5, "type": "GENERAL", "name": null, "description": null, "parentId": null, "isSystemGroup": false, "level": null,
        "sortOrder": null, "businessUnitId": null, "buisnessUnitId": null, "projectId": null, "externalId": null,
        "externalName": null, "isMember": false
    });
    check_columns::<GroupV1>(&[whole, bare]);
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
    check_columns::<DatasourceValue>(&[value, bare]);
    assert_eq!(schema::<DatasourceValue>(), crate::value_schema());
}

#[test]
fn no_id_is_an_error_that_names_the_column() {
    let area: Area = serde_json::from_value(json!({"name": "Line 3"})).expect("a record");
    let error = batch(&[area]).expect_err("no id").to_string();
    assert!(error.contains("'id'"), "{error}");
}

fn incident_v2() -> Value {
    json!({
        "id": 4711, "title": "Housing cracked", "text": "At the start", "status": "InProgress", "severity": "High", "typeId": 3,
        "incidentDate": "2026-03-02T00:00:00Z", "createdDate": "2026-03-02T06:12:00Z", "lastModified": "2026-03-05T12:30:00.25Z",
        "dueDate": "2026-04-01T00:00:00Z", "statusModifiedDate": "2026-03-03T00:00:00Z", "statusNewDate": "2026-03-04T00:00:00Z",
        "statusInProgressDate": "2026-03-05T00:00:00Z", "statusImplementedDate": "2026-03-06T00:00:00Z",
        "statusRejectedDate": "2026-03-07T00:00:00Z", "archivedDate": "2026-03-08T00:00:00Z", "evaluationStatus": "Good",
        "evaluationText": "e", "owner": "ola", "ownerDisplayName": "Ola", "ownerUserId": "u-2", "createdByUserId": "u-1",
        "groupId": 8, "followUpGroupId": 9, "areaId": 2, "projectId": 5, "externalId": "c100", "isAnonymous": false,
        "attachmentCount": 3, "actionListCount": 1, "lastModifiedByUserId": "u-3", "lastModifiedByUser": "kim", "createdByUser": "kari",
        "createdByUserDisplayName": "Kari", "latitude": 59.66875, "longitude": -9.5, "accuracyInMeters": 12.5
    })
}

/// The record with `null` for what it leaves out.
fn filled<T: Tabular>(mut record: Value) -> Value {
    let properties = record.as_object_mut().expect("an object");
    for column in T::columns() {
        properties.entry(column.field.name).or_insert(Value::Null);
    }
    record
}

#[test]
fn what_the_other_lists_give_keeps_all_it_has() {
    check_columns::<IncidentV2>(&[incident_v2(), json!({"id": 1})]);
    let kind = json!({"id": 3, "title": "Safety", "description": "d"});
    check_columns::<IncidentType>(&[kind.clone(), json!({"id": 4})]);
    let bare = json!({"id": 4, "title": "Quality", "description": null});
    check_columns::<IncidentTypeSummary>(&[kind.clone(), bare.clone()]);
    check_columns::<Datasource>(&[kind, bare]);
    let comment = json!({
        "id": 1, "comment": "Seen", "commentDate": "2026-03-02T08:00:00Z", "commentedBy": "Kari", "commentedByUserId": "u-1",
        "parentId": 3, "level": 1
    });
    let bare = json!({
        "id": 2, "comment": "", "commentDate": "2026-03-02T08:00:00Z", "commentedBy": null, "commentedByUserId": null,
        "parentId": null, "level": 0
    });
    check_columns::<IncidentCommentV1>(&[comment, bare]);
    let board = json!({
        "id": 7, "name": "Daily", "description": "d", "boardType": "Weekly", "isPublic": false, "groupId": 4, "groupName": "Line 3"
    });
    let bare = json!({
        "id": 8, "name": null, "description": null, "boardType": null, "isPublic": true, "groupId": null, "groupName": null
    });
    check_columns::<BoardSummary>(&[board, bare]);
}

#[test]
fn what_is_expanded_is_a_row_or_rows_within_the_row() {
    let group = filled::<GroupV2>(
        json!({"id": 4, "type": "CUSTOMIZED", "name": "Line 3", "isMember": true}),
    );
    let area = filled::<Area>(json!({"id": 2, "name": "Hall"}));
    let comment = filled::<IncidentCommentV2>(json!({"id": 1, "text": "Seen"}));
    let kind = json!({"id": 3, "title": "Safety", "description": "d"});
    let mut incident = incident_v2();
    incident["area"] = area;
    incident["group"] = group.clone();
    // Properties omitted by `$select` within `$expand` are null, even the id.
    incident["followUpGroup"] = filled::<GroupV2>(json!({"name": "HSE"}));
    incident["type"] = kind;
    incident["comments"] = json!([comment, comment]);
    let all = "area,group,followUpGroup($select=name),type,comments";
    let bare = json!({"id": 2, "comments": []});
    check_column_set(
        &ColumnSet::<IncidentV2>::selected(None, Some(all)),
        &[incident, json!({"id": 1}), bare],
    );

    let mut below = comment.clone();
    below["parent"] = comment;
    below["incident"] = incident_v2();
    let links = ColumnSet::<IncidentCommentV2>::selected(None, Some("parent,incident"));
    check_column_set(&links, &[below, json!({"id": 9})]);

    let board = filled::<Board>(json!({"id": 7, "boardType": "Weekly"}));
    let mut with_group = board.clone();
    with_group["group"] = group.clone();
    check_column_set(
        &ColumnSet::<Board>::selected(None, Some("group")),
        &[json!({"id": 8}), with_group],
    );

    let mut linked = group.clone();
    linked["parent"] = group.clone();
    linked["children"] = json!([group]);
    linked["boards"] = json!([board]);
    linked["users"] = json!([{"id": "u-1", "userName": "kari", "displayName": null, "groupId": 4, "userId": "u-1", "role": "Owner"}]);
    let links = ColumnSet::<GroupV2>::selected(None, Some("parent,children,boards,users"));
    check_column_set(
        &links,
        &[
            linked,
            json!({"id": 5, "children": [], "boards": [], "users": []}),
        ],
    );
}

#[test]
fn only_what_is_selected_has_a_column_in_the_order_asked_for() {
    let names = |column_set: ColumnSet<Board>| -> Vec<String> {
        let schema = column_set.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    };
    let all = names(ColumnSet::all());
    assert_eq!(all.len(), 8);
    assert_eq!(names(ColumnSet::selected(None, None)), all);
    assert_eq!(names(ColumnSet::selected(Some(""), None)), all);
    assert_eq!(names(ColumnSet::selected(Some("*"), None)), all);
    assert_eq!(
        names(ColumnSet::selected(Some("name, id,name"), None)),
        ["name", "id"]
    );
    assert_eq!(
        names(ColumnSet::selected(
            Some("name,colour"),
            Some("group($select=id,name),owner")
        )),
        ["name", "group"]
    );
    let column_set = ColumnSet::<Board>::selected(Some("name"), Some("group"));
    // Without the id, which is not selected.
    check_column_set(
        &column_set,
        &[
            json!({"name": "Daily"}),
            json!({"name": null, "group": null}),
        ],
    );
}

/// OData 4.01, URL Conventions 5.1.3: `*` is all navigation properties, an item that names one takes
/// precedence, and `/$count` returns only the number.
#[test]
fn a_star_is_every_link_and_a_count_is_none() {
    let names = |expand| -> Vec<&str> {
        let ColumnSet(columns) = ColumnSet::<IncidentV2>::selected(Some("id"), Some(expand));
        columns.iter().map(|column| column.field.name).collect()
    };
    let all = [
        "id",
        "area",
        "group",
        "followUpGroup",
        "ownerUser",
        "type",
        "comments",
        "tasks",
        "attachments",
    ];
    assert_eq!(names("*"), all);
    assert_eq!(names("*($levels=2)"), all);
    let named_first = [
        "id",
        "type",
        "area",
        "group",
        "followUpGroup",
        "ownerUser",
        "comments",
        "tasks",
        "attachments",
    ];
    assert_eq!(names("*,type($select=id)"), named_first);
    assert_eq!(names("comments/$count,group"), ["id", "group"]);
    let without_comments = [
        "id",
        "area",
        "group",
        "followUpGroup",
        "ownerUser",
        "type",
        "tasks",
        "attachments",
    ];
    assert_eq!(
        names("* , comments/$count($filter=level eq 0)"),
        without_comments
    );
    assert_eq!(ColumnSet::<Area>::selected(None, Some("*")).0.len(), 3);
}

#[test]
fn rows_without_a_column_are_counted() {
    // A link's name alone selects no column, and the service accepts it.
    let column_set = ColumnSet::<Board>::selected(Some("group"), None);
    let records = records::<Board>(&[json!({}), json!({})]);
    let batch = column_set.batch(&records).expect("a batch");
    assert_eq!((batch.num_columns(), batch.num_rows()), (0, 2));
    let mut rows = Rows::new(&[]);
    for expected in [1, 0] {
        if expected > 0 {
            rows.push([]);
        }
        assert_eq!(rows.finish().expect("a batch").num_rows(), expected);
    }
}
