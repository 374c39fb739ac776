//! Attachments of incidents and tasks, as lists and records show them.

use serde_json::{Value, json};

use crate::incidents_plant::plant;
use crate::support::Service;

const LIST: &str = "/v1/Incidents/100/attachments";

/// Incident 100 has attachments 1 and 2, the anonymous 101 has 3, 102 in the trash has 4; task 10 has 5, and
/// task 13 of incident 102 has 6.
async fn attached() -> Service {
    let service = plant().await;
    let filled = service.store().write(|session| {
        for sql in [
            "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
                VALUES (103, 3, 10, 'New', 'Low', 'Slip', 20000, 10)",
            "INSERT INTO tasks (id, title, status, incident_id, last_modified) VALUES (10, 'Clamp', 'Blocked', NULL, 10), (13, 'Gone', 'Blocked', 102, 10)",
            "INSERT INTO attachments (id, incident_id, task_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date, created_by_user_id)
                VALUES (1, 100, NULL, 'f-1', 'crack', 'png', 'image/png', 1024, 'aa', 17488512000000000, 'u-104'),
                    (2, 100, NULL, 'f-2', 'note.b', 'TXT', 'text/plain', 1025, 'bb', 17488512000000000, NULL),
                    (3, 101, NULL, 'f-3', 'c', 'pdf', 'application/pdf', 1, 'cc', 17488512000000000, 'u-104'),
                    (4, 102, NULL, 'f-4', 'd', 'pdf', 'application/pdf', 1, 'dd', 17488512000000000, NULL),
                    (5, NULL, 10, 'f-5', 'e', 'jpeg', 'image/jpeg', 0, 'ee', 17488512000000000, 'u-117'),
                    (6, NULL, 13, 'f-6', 'f', 'pdf', 'application/pdf', 1, 'ff', 17488512000000000, NULL)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, obeya_server::store::StoreError>(())
    });
    filled.await.expect("the rows fit");
    service
}

async fn read(service: &Service, path: &str) -> Value {
    let answer = service.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

#[tokio::test]
async fn the_attachments_of_an_incident_are_an_array_in_v1() {
    let service = attached().await;
    let expected = json!([
        {"id": "f-1", "fileName": "crack.png", "fileExtension": "png", "fileSizeInKb": 1, "url": "/v2/incidents/100/attachments/1/content",
            "createdDate": "2025-06-02T08:00:00Z", "createdByUserId": "u-104", "createdByUser": "Ingrid Solheim", "contentType": "image/png"},
        {"id": "f-2", "fileName": "note.b.TXT", "fileExtension": "TXT", "fileSizeInKb": 2, "url": "/v2/incidents/100/attachments/2/content",
            "createdDate": "2025-06-02T08:00:00Z", "createdByUserId": null, "createdByUser": null, "contentType": "text/plain"},
    ]);
    assert_eq!(read(&service, LIST).await, expected);
    assert_eq!(
        read(&service, "/v1/Incidents/103/attachments").await,
        json!([])
    );
    for path in [
        "/v1/Incidents/102/attachments",
        "/v1/Incidents/999/attachments",
    ] {
        service.get(path).await.is_problem(404, "not_found");
    }
    service
        .get(&format!("{LIST}?$top=1"))
        .await
        .is_problem(400, "odata.option");
}

#[tokio::test]
async fn a_record_of_v2_has_every_property_of_its_attachments() {
    let service = attached().await;
    let incident = read(
        &service,
        "/v2/incidents/100?$expand=attachments($top=1)&$select=id",
    )
    .await;
    let expected = json!({
        "id": 1, "fileId": "f-1", "fileName": "crack.png", "fileUrl": "/v2/incidents/100/attachments/1/content", "contentType": "image/png",
        "name": "crack", "previewFileName": null, "hasPreview": false, "fileExtension": "png", "eTag": "aa", "fileSizeInBytes": 1024,
        "fileSizeInKb": 1, "createdDate": "2025-06-02T08:00:00Z", "createdByUserId": "u-104", "createdByUser": "Ingrid Solheim",
        "lastModified": "2025-06-02T08:00:00Z", "lastModifiedByUserId": "u-104", "lastModifiedByUser": "Ingrid Solheim",
        "mimeType": "image/png", "isImage": true,
    });
    assert_eq!(incident, json!({"id": 100, "attachments": [expected]}));
    let task = read(&service, "/v2/tasks/10?$expand=attachments&$select=id").await;
    let attachment = &task["attachments"][0];
    assert_eq!(attachment["fileUrl"], "/v2/tasks/10/attachments/5/content");
    assert_eq!(
        (
            &attachment["fileSizeInKb"],
            &attachment["createdByUser"],
            &attachment["isImage"]
        ),
        (&json!(0), &json!("Tomas Berg"), &json!(true))
    );
}

#[tokio::test]
async fn records_are_filtered_ordered_and_counted_by_their_attachments() {
    let service = attached().await;
    for (query, expected) in [
        ("incidents?$filter=attachments/any()", vec![100, 101]),
        (
            "incidents?$filter=attachments/any(a:a/isImage and a/fileSizeInBytes ge 1024)",
            vec![100],
        ),
        (
            "incidents?$filter=attachments/any(a:a/fileName eq 'note.b.TXT')",
            vec![100],
        ),
        ("incidents?$filter=attachments/$count gt 1", vec![100]),
        ("incidents?$filter=attachmentCount eq 1", vec![101]),
        (
            "incidents?$filter=attachments/any(a:a/createdByUserId eq 'u-104')",
            vec![100],
        ),
        (
            "tasks?$filter=attachments/any(a:endswith(a/name,'e'))",
            vec![10],
        ),
        ("tasks?$filter=attachments/all(a:a/id eq 6)", vec![]),
    ] {
        let found = read(&service, &format!("/v2/{}", query.replace(' ', "%20"))).await;
        let found = found["value"].as_array().expect("an array").iter();
        let found: Vec<i64> = found
            .map(|record| record["id"].as_i64().expect("an id"))
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    // Addresses that tools derive.
    let list = read(&service, "/v2/incidents/100/attachments?$select=id").await;
    assert_eq!(list["value"], json!([{"id": 1}, {"id": 2}]));
    let count = service.get("/v2/tasks/10/attachments/$count").await;
    assert_eq!(count.text(), "1");
}

#[tokio::test]
async fn an_incident_counts_what_is_here_or_else_what_was_imported() {
    let service = attached().await;
    let figure = service.store().write(|session| {
        session.execute(
            "UPDATE incidents SET number_of_attachments = 7 WHERE id IN (100, 103)",
            &[],
        )
    });
    figure.await.expect("set");
    for (id, expected) in [(100, 2), (101, 1), (103, 7)] {
        let v1 = read(&service, &format!("/v1/Incidents/{id}")).await;
        assert_eq!(v1["numberOfAttachments"], expected, "{id}");
        let v2 = read(&service, &format!("/v2/incidents/{id}")).await;
        assert_eq!(v2["attachmentCount"], expected, "{id}");
    }
    let trash = read(&service, "/v1/Incidents/trash").await;
    assert_eq!(trash["values"][0]["numberOfAttachments"], 1, "{trash}");
}

#[tokio::test]
async fn who_attached_a_file_to_an_anonymous_incident_is_not_shown() {
    let service = attached().await;
    let incident = read(&service, "/v2/incidents/101?$expand=attachments").await;
    let attachment = &incident["attachments"][0];
    assert_eq!(attachment["fileName"], "c.pdf");
    for property in [
        "createdByUserId",
        "createdByUser",
        "lastModifiedByUserId",
        "lastModifiedByUser",
    ] {
        assert_eq!(attachment[property], Value::Null, "{property}");
    }
    let list = service.get("/v1/Incidents/101/attachments").await;
    assert!(
        !list.text().contains("u-104") && !list.text().contains("Ingrid"),
        "{}",
        list.text()
    );
}
