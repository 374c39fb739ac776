//! Files that are attached over HTTP: what is accepted, what is read back, and what is removed with it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{everything, plant};
use crate::support::{Answer, FORM, Service, file_form, sql};

const INCIDENT: &str = "/v2/incidents/100";
/// The start of a PNG image, by its specification, and some more.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\0";
/// Its SHA-256, by sha256sum.
const PNG_SHA256: &str = "9b0e4ebbb01453e95389ea33349ae1130bd99748d30ca4bace569fa721ad5f9b";

/// Attaches a file; the attachment.
async fn attached(service: &Service, record: &str, name: &str, content: &[u8]) -> Value {
    let answer = service.attach(record, name, content).await;
    assert_eq!(answer.status, 200, "{name}: {}", answer.text());
    answer.json()
}

async fn contents(service: &Service) -> i64 {
    sql::number(service.store(), "SELECT count(*) FROM attachment_contents").await
}

async fn last_change(service: &Service) -> [String; 2] {
    let entry = service.store().read(|session| {
        let sql = "SELECT record, change FROM audit_entries ORDER BY number DESC LIMIT 1";
        session.first(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?].map(Option::unwrap_or_default))
        })
    });
    entry.await.expect("read").expect("an entry")
}

#[tokio::test]
async fn a_file_is_attached_and_read_back_as_it_was() {
    let service = plant().await;
    let answer = service
        .attach(
            INCIDENT,
            "Sprekk å \"1\".png".replace('"', "%22").as_str(),
            PNG,
        )
        .await;
    let attachment = answer.json();
    let file_id = attachment["fileId"].as_str().expect("a text").to_owned();
    assert_eq!(file_id.len(), 22, "128 random bits in base64: {file_id}");
    let expected = json!({
        "id": 1, "fileId": file_id, "fileName": "Sprekk å %221%22.png", "fileUrl": "/v2/incidents/100/attachments/1/content",
        "contentType": "image/png", "name": "Sprekk å %221%22", "previewFileName": null, "hasPreview": false, "fileExtension": "png",
        "eTag": PNG_SHA256, "fileSizeInBytes": PNG.len(), "fileSizeInKb": 1, "createdDate": "2025-06-02T08:00:00Z", "createdByUserId": null,
        "createdByUser": null, "lastModified": "2025-06-02T08:00:00Z", "lastModifiedByUserId": null, "lastModifiedByUser": null,
        "mimeType": "image/png", "isImage": true,
    });
    assert_eq!(attachment, expected);
    let address = service.url("/v2/incidents/100/attachments/1/content");
    assert_eq!(answer.header("location"), address);

    let content = service
        .get(expected["fileUrl"].as_str().expect("a text"))
        .await;
    assert_eq!((content.status, &content.body[..]), (200, PNG));
    for (header, value) in [
        ("content-type", "image/png"),
        (
            "content-disposition",
            "attachment; filename=\"Sprekk _ _221_22.png\"; filename*=UTF-8''Sprekk%20%C3%A5%20%25221%2522.png",
        ),
        ("x-content-type-options", "nosniff"),
        ("etag", &format!("\"{PNG_SHA256}\"")),
        ("cache-control", "private, no-cache"),
    ] {
        assert_eq!(content.header(header), value, "{header}");
    }
    let request = service.request(Method::GET, "/v2/incidents/100/attachments/1/content");
    let again = Answer::of(request.header("if-none-match", content.header("etag"))).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), content.header("etag"));
    // The record has changed with it.
    let incident = service.get(INCIDENT).await.json();
    assert_eq!(incident["attachmentCount"], 1);
    assert_eq!(incident["lastModified"], "2025-06-02T08:00:00Z");
}

#[tokio::test]
async fn a_text_is_read_in_utf_8_and_may_be_compressed_where_an_image_is_not() {
    let service = plant().await;
    let text = "Lekkasje på linje 2\r\n".repeat(200);
    attached(&service, INCIDENT, "a.csv", text.as_bytes()).await;
    attached(&service, INCIDENT, "b.png", &[PNG, &[0; 5_000]].concat()).await;
    let read = async |id: i32| {
        let path = format!("{INCIDENT}/attachments/{id}/content");
        let request = service.request(Method::GET, &path);
        Answer::of(request.header("accept-encoding", "gzip")).await
    };
    let text = read(1).await;
    assert_eq!(text.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(text.header("content-encoding"), "gzip");
    assert_eq!(read(2).await.header("content-encoding"), "");
}

#[tokio::test]
async fn the_name_the_type_and_the_size_of_a_file_are_checked() {
    let service = plant().await;
    let before = everything(&service).await;
    for (name, content, expected) in [
        (
            "a.exe",
            PNG,
            "expected a file name with one of the extensions png, jpg,",
        ),
        ("png", PNG, "found the file name \"png\""),
        ("a.html", b"<script>", "found the extension \"html\""),
        ("a.svg", b"<svg>", "found the extension \"svg\""),
        ("../a.png", PNG, "found a file name with U+002F"),
        (
            "a.png",
            b"<script>",
            "expected a content of image/png, as the extension says, found text in UTF-8",
        ),
        (
            "a.txt",
            PNG,
            "expected a content of text/plain, as the extension says, found a PNG image",
        ),
        ("a.png", b"", "found an empty file"),
    ] {
        let problem = service.attach(INCIDENT, name, content).await;
        let problem = problem.is_problem(400, "body.invalid");
        let text = problem["errors"]["file"][0].as_str().expect("a text");
        assert!(text.contains(expected), "{name}: {text}");
    }
    let long = format!("{}.png", "x".repeat(252));
    let problem = service.attach(INCIDENT, &long, PNG).await;
    let problem = problem.is_problem(400, "body.invalid");
    assert!(
        problem.to_string().contains("found 256 characters"),
        "{problem}"
    );
    // 4 MiB, and a byte more.
    let mut large = vec![b'x'; 4 << 20];
    large.push(b'x');
    service
        .attach(INCIDENT, "a.txt", &large)
        .await
        .is_problem(413, "body.too_large");
    assert_eq!(everything(&service).await, before);
    large.pop();
    let attachment = attached(&service, INCIDENT, "a.txt", &large).await;
    assert_eq!(attachment["fileSizeInKb"], 4096);
    let content = service.get("/v2/incidents/100/attachments/1/content").await;
    assert!(content.body == large);
}

#[tokio::test]
async fn a_body_that_is_no_form_with_one_file_is_refused() {
    let service = plant().await;
    let path = format!("{INCIDENT}/attachments");
    let send = async |media: &str, body: Vec<u8>| {
        let request = service.request(Method::POST, &path);
        Answer::of(request.header("content-type", media).body(body)).await
    };
    let json = send("application/json", b"{}".to_vec()).await;
    json.is_problem(415, "media_type.unsupported");
    assert_eq!(json.header("accept"), "multipart/form-data");
    let without = send("multipart/form-data", file_form("a.png", PNG)).await;
    without.is_problem(415, "media_type.unsupported");
    let request = service
        .request(Method::POST, &path)
        .header("content-encoding", "gzip");
    let encoded = Answer::of(
        request
            .header("content-type", FORM)
            .body(file_form("a.png", PNG)),
    )
    .await;
    encoded.is_problem(415, "media_type.unsupported");
    let mut cut = file_form("a.png", PNG);
    cut.truncate(cut.len() - 7);
    send(FORM, cut).await.is_problem(400, "body.malformed");

    let field = b"--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nseen\r\n".to_vec();
    let none = [&field[..], b"--b--\r\n"].concat();
    let problem = send(FORM, none).await.is_problem(400, "body.invalid");
    assert_eq!(
        problem["errors"]["file"][0],
        "expected one part with a file name, found 0"
    );
    let file = file_form("a.png", PNG);
    let open = &file[..file.len() - b"--b--\r\n".len()];
    let two = [open, &file].concat();
    let problem = send(FORM, two).await.is_problem(400, "body.invalid");
    assert_eq!(
        problem["errors"]["file"][0],
        "expected one part with a file name, found 2"
    );
    // Another field is ignored, and so is what the client says of the type.
    let typed = String::from_utf8_lossy(&field).replace(
        "name=\"note\"",
        "name=\"x\"; filename=\"a.txt\"\r\nContent-Type: text/html",
    );
    let both = [&field[..], typed.as_bytes(), b"--b--\r\n"].concat();
    let answer = send(FORM, both).await;
    assert_eq!(
        answer.json()["contentType"],
        "text/plain",
        "{}",
        answer.text()
    );
}

#[tokio::test]
async fn a_repeated_upload_adds_nothing_whatever_its_boundary() {
    let service = plant().await;
    let path = format!("{INCIDENT}/attachments");
    let send = async |boundary: &str, name: &str, content: &[u8]| {
        let form = String::from_utf8(file_form(name, content)).expect("UTF-8");
        let form = form.replace("--b", &format!("--{boundary}"));
        let request = service
            .request(Method::POST, &path)
            .header("idempotency-key", "k-1");
        let media = format!("multipart/form-data; boundary={boundary}");
        Answer::of(request.header("content-type", media).body(form)).await
    };
    let first = send("b", "a.txt", b"Worn").await;
    let again = send("another", "a.txt", b"Worn").await;
    assert_eq!((first.status, first.text()), (again.status, again.text()));
    assert_eq!(contents(&service).await, 1);
    for (name, content) in [("b.txt", &b"Worn"[..]), ("a.txt", b"New")] {
        let other = send("b", name, content).await;
        other.is_problem(422, "idempotency.mismatch");
    }
}

#[tokio::test]
async fn the_audit_log_has_the_digest_and_no_content_and_no_creator() {
    let service = plant().await;
    let attachment = attached(&service, INCIDENT, "a.txt", b"secret words").await;
    let [record, change] = last_change(&service).await;
    assert_eq!(record, "incidents/100/attachments/1");
    let change: Value = serde_json::from_str(&change).expect("JSON");
    // printf 'secret words' | sha256sum
    let expected = json!({"after": {
        "incidentId": 100, "fileId": attachment["fileId"], "name": "a", "fileExtension": "txt", "contentType": "text/plain",
        "fileSizeInBytes": 12, "sha256": "90e132a8e71a48078f8c7dd31c62b6518c497b07863ec1e70403b906e5e202d5", "createdDate": "2025-06-02T08:00:00Z",
    }});
    assert_eq!(change, expected);
    let by = service.store().write(|session| {
        session.execute("UPDATE attachments SET created_by_user_id = 'u-104'", &[])
    });
    by.await.expect("set");
    let delete = service.request(Method::DELETE, "/v2/incidents/100/attachments/1");
    assert_eq!(Answer::of(delete).await.status, 200);
    let [_, change] = last_change(&service).await;
    assert!(
        change.contains("\"before\"") && !change.contains("u-104"),
        "{change}"
    );
    assert!(!change.contains("secret"), "{change}");
}

#[tokio::test]
async fn a_deleted_attachment_is_gone_with_its_content_and_counts_no_more() {
    let service = plant().await;
    let figure = service.store().write(|session| {
        session.execute(
            "UPDATE incidents SET number_of_attachments = 7 WHERE id = 100",
            &[],
        )
    });
    figure.await.expect("set");
    attached(&service, INCIDENT, "a.png", PNG).await;
    let made = service
        .post("/v1/Tasks", &json!({"title": "Clamp"}))
        .await
        .json();
    let task = format!("/v2/tasks/{}", made["id"]);
    attached(&service, &task, "b.png", PNG).await;
    // Of another record, and of none.
    for path in [
        "/v2/incidents/100/attachments/2",
        "/v2/tasks/1/attachments/1",
        "/v2/incidents/101/attachments/1",
    ] {
        service
            .get(&format!("{path}/content"))
            .await
            .is_problem(404, "not_found");
        let delete = Answer::of(service.request(Method::DELETE, path)).await;
        delete.is_problem(404, "not_found");
    }
    assert_eq!(contents(&service).await, 2);
    service.clock.advance(60);
    let delete = service.request(Method::DELETE, "/v2/incidents/100/attachments/1");
    let wrong = delete
        .try_clone()
        .expect("no body")
        .header("if-match", "\"x\"");
    Answer::of(wrong)
        .await
        .is_problem(412, "precondition.failed");
    let answer = Answer::of(delete).await;
    assert_eq!((answer.status, answer.text()), (200, String::new()));
    assert_eq!(contents(&service).await, 1);
    let incident = service.get(INCIDENT).await.json();
    // Not the figure of the import again.
    assert_eq!(incident["attachmentCount"], 0);
    assert_eq!(incident["lastModified"], "2025-06-02T08:01:00Z");
    service
        .get("/v2/incidents/100/attachments/1/content")
        .await
        .is_problem(404, "not_found");
    // No id is issued twice.
    let next = attached(&service, INCIDENT, "a.png", PNG).await;
    assert_eq!(next["id"], 3);
}

#[tokio::test]
async fn an_attachment_is_hidden_in_the_trash_and_goes_with_its_record() {
    let service = plant().await;
    attached(&service, INCIDENT, "a.png", PNG).await;
    let content = "/v2/incidents/100/attachments/1/content";
    let delete = service.request(Method::DELETE, "/v1/Incidents/100");
    assert_eq!(Answer::of(delete).await.status, 200);
    service.get(content).await.is_problem(404, "not_found");
    service
        .attach(INCIDENT, "b.png", PNG)
        .await
        .is_problem(404, "not_found");
    let restore = service.request(Method::PUT, "/v1/Incidents/trash/100/restore");
    assert_eq!(Answer::of(restore).await.status, 200);
    assert_eq!(service.get(content).await.status, 200);

    // A task takes its attachments with it, and those of the tasks below it.
    let made = service
        .post("/v1/Tasks", &json!({"title": "Clamp"}))
        .await
        .json();
    let below = format!("/v1/Tasks/{}/SubTasks", made["id"]);
    let below = service.post(&below, &json!({"title": "Bolt"})).await.json();
    attached(
        &service,
        &format!("/v2/tasks/{}", below["id"]),
        "b.png",
        PNG,
    )
    .await;
    assert_eq!(contents(&service).await, 2);
    let delete = service.request(Method::DELETE, &format!("/v1/Tasks/{}", made["id"]));
    assert_eq!(Answer::of(delete).await.status, 200);
    assert_eq!(contents(&service).await, 1);
    let [_, change] = last_change(&service).await;
    assert!(change.contains("\"attachments\":[{\"id\":2"), "{change}");
    // And the purge those of incidents: 30 days and more.
    let delete = service.request(Method::DELETE, "/v1/Incidents/100");
    assert_eq!(Answer::of(delete).await.status, 200);
    let later = 17_488_512_000_000_000 + 31 * 86_400 * 10_000_000;
    let purged = obeya_server::store::incidents::purge(service.store(), later).await;
    purged.expect("purged");
    assert_eq!(contents(&service).await, 0);
}

#[tokio::test]
async fn contents_are_counted_as_memory() {
    let service = Service::start_with(|config| {
        config.limits.memory_bytes = 1;
        config.limits.body_bytes = 1_000;
        config.limits.batch_bytes = 1_000;
        config.limits.attachment_bytes = 100_000;
        config.limits.client_share = 100;
    })
    .await;
    let filled = service.store().write(crate::incidents_plant::fill).await;
    filled.expect("the rows fit");
    // Twice its size fits: in the body, and taken out of it.
    let most = vec![b'x'; 99_000];
    attached(&service, INCIDENT, "a.txt", &most).await;
    let large = service.store().write(|session| {
        let content = vec![b'x'; 300_000];
        obeya_server::store::attachments::put_content(session, 1, &content)?;
        session.execute("UPDATE attachments SET file_size_in_bytes = 300000", &[])
    });
    large.await.expect("set");
    let refused = service.get("/v2/incidents/100/attachments/1/content").await;
    refused.is_problem(503, "unavailable");
}
