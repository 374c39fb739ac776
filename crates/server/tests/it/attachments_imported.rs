//! What an import and an export make of attachments and their contents.

use std::fs;
use std::sync::Arc;

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::OnConflict;

use crate::import_folder::{Folder, Target};
use crate::support::sql;

const FILE: &str = "attachments.jsonl";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
/// Of an incident and of a task.
const LINES: &str = r#"{"id":5,"incidentId":10,"name":"crack","fileExtension":"PNG","createdDate":"2025-05-20T07:00:00Z","createdByUserId":"u1"}
{"id":6,"taskId":20,"fileId":"f-6","name":"note","fileExtension":"txt","createdDate":"2025-05-20T08:00:00Z"}
"#;

/// The plant with these lines and their contents.
fn folder(lines: &str) -> Folder {
    let folder = Folder::plant();
    folder.write(FILE, lines);
    folder.write_content("5.png", PNG);
    folder.write_content("6.txt", "Worn");
    folder
}

async fn import(target: &Target, folder: &Folder) -> Result<(), String> {
    let done = folder.import(target.db(), OnConflict::Fail).await;
    done.map(drop).map_err(|fault| fault.to_string())
}

#[tokio::test]
async fn each_error_names_its_line_and_field() {
    let target = Target::new();
    for (old, new, fault) in [
        (
            "\"incidentId\":10,",
            "\"incidentId\":99,",
            "1, field incidentId: found 99, expected the id of an incident in the folder or in the database",
        ),
        (
            "\"taskId\":20,",
            "",
            "2, field incidentId: found neither it nor taskId, expected one of them",
        ),
        (
            "\"incidentId\":10,",
            "\"incidentId\":10,\"taskId\":20,",
            "1, field taskId: found 20 beside an incidentId, expected one of them",
        ),
        (
            "\"u1\"",
            "\"u9\"",
            "1, field createdByUserId: found \"u9\", expected the id of a user in the folder or in the database",
        ),
        (
            "\"f-6\"",
            "\"5\"",
            "2, field fileId: found \"5\", that of attachment 5, expected a text of no other attachment",
        ),
        (
            "\"name\":\"note\"",
            "\"name\":\"../note\"",
            "2, field name: found a file name with U+002F, expected a name without / and \\, without control characters and marks of writing direction",
        ),
        (
            "\"fileId\":\"f-6\"",
            "\"contentType\":\"text/html\"",
            "2, field contentType: found \"text/html\", expected text/plain",
        ),
        (
            "\"fileId\":\"f-6\"",
            "\"fileSizeInBytes\":5",
            "2, field fileSizeInBytes: found 5, expected 4, the size of the content",
        ),
        (
            "\"fileId\":\"f-6\"",
            "\"sha256\":\"0\"",
            // printf Worn | sha256sum
            "2, field sha256: found 0, expected 31a0a549d3df608d95c0baec819a49537e76fcfe8fb1d680c5d4f8a00d809b1c, the digest of the content",
        ),
        (
            "\"id\":6",
            "\"id\":7",
            "2: found no file attachments/7.txt in the folder, expected the content of the attachment, of at most 67108864 bytes",
        ),
        (
            "\"id\":6",
            "\"id\":2000000001",
            "2, field id: found 2000000001, expected at most 2000000000, which leaves ids for new attachments",
        ),
    ] {
        assert!(LINES.contains(old), "{old}");
        let found = import(&target, &folder(&LINES.replacen(old, new, 1))).await;
        assert_eq!(found, Err(format!("{FILE}, line {fault}")));
        assert_eq!(target.rows().await, 0);
    }
}

#[tokio::test]
async fn a_content_of_another_type_and_one_without_a_line_are_refused() {
    let target = Target::new();
    let wrong = folder(LINES);
    wrong.write_content("5.png", "<script>");
    let found = import(&target, &wrong).await.expect_err("no PNG");
    assert_eq!(
        found,
        format!(
            "{FILE}, line 1, field fileExtension: found text in UTF-8, expected a content of image/png, as the extension says"
        )
    );
    let more = folder(LINES);
    more.write_content("7.png", PNG);
    more.write_content(".hidden", "");
    let found = import(&target, &more).await.expect_err("no line");
    assert_eq!(
        found,
        format!("found attachments/7.png, expected a line of {FILE} that names it")
    );
    assert_eq!(target.rows().await, 0);
}

#[tokio::test]
async fn an_attachment_is_exported_as_it_is_imported_with_its_content() {
    let target = Target::new();
    import(&target, &folder(LINES)).await.expect("imported");
    let exports = tempfile::tempdir().expect("a folder");
    let export = exports.path().join("export");
    let options = ExportOptions::default();
    let report = export_dir(&export, target.db(), options, Arc::new(())).await;
    report.expect("exported");
    // sha256sum of both contents.
    let expected = r#"{"id":5,"incidentId":10,"fileId":"5","name":"crack","fileExtension":"PNG","contentType":"image/png","fileSizeInBytes":16,"sha256":"02a3e298f1533f62558c58e4c70edcab9af5a50d62d925fd5390942020fb0fb8","createdDate":"2025-05-20T07:00:00Z","createdByUserId":"u1"}
{"id":6,"taskId":20,"fileId":"f-6","name":"note","fileExtension":"txt","contentType":"text/plain","fileSizeInBytes":4,"sha256":"31a0a549d3df608d95c0baec819a49537e76fcfe8fb1d680c5d4f8a00d809b1c","createdDate":"2025-05-20T08:00:00Z"}
"#;
    assert_eq!(
        fs::read_to_string(export.join(FILE)).expect("the file"),
        expected
    );
    let content = |name: &str| fs::read(export.join("attachments").join(name)).expect("a content");
    assert_eq!(content("5.png"), PNG);
    assert_eq!(content("6.txt"), b"Worn");
    let store = fs::read_to_string(export.join("store.jsonl")).expect("the file");
    assert!(store.contains("\"lastAttachmentId\":6"), "{store}");
}

#[tokio::test]
async fn a_record_that_was_there_gets_a_stamp_with_its_attachments() {
    let target = Target::new();
    let plant = Folder::plant();
    import(&target, &plant).await.expect("imported");
    let stamp = async |table: &str, id: i32| {
        let sql = format!("SELECT last_modified FROM {table} WHERE id = {id}");
        target.number(&sql).await
    };
    let before = [
        stamp("incidents", 10).await,
        stamp("tasks", 20).await,
        stamp("tasks", 21).await,
    ];
    let only = Folder::empty();
    only.write(FILE, LINES);
    only.write_content("5.png", PNG);
    only.write_content("6.txt", "Worn");
    import(&target, &only).await.expect("imported");
    let after = [
        stamp("incidents", 10).await,
        stamp("tasks", 20).await,
        stamp("tasks", 21).await,
    ];
    assert!(
        after[0] > before[0] && after[1] > before[1] && after[2] == before[2],
        "{before:?} {after:?}"
    );

    // Replaced: another content, of another record.
    only.write(FILE, LINES.replace("\"incidentId\":10", "\"taskId\":21"));
    only.write_content("5.png", [PNG, b"more"].concat());
    let done = only.import(target.db(), OnConflict::Replace).await;
    done.expect("imported");
    assert!(stamp("incidents", 10).await > after[0], "it has lost one");
    assert!(stamp("tasks", 21).await > after[2]);
    let store = target.database.open().await;
    let rows = store
        .read(|session| sql::dump(session, "attachment_contents"))
        .await;
    let rows = rows.expect("the contents");
    store.close().await;
    assert_eq!(rows.lines().count(), 2);
    assert!(rows.contains("109, 111, 114, 101"), "{rows}");
}

#[tokio::test]
async fn who_attached_a_file_to_an_anonymous_incident_is_exported_only_on_request() {
    let target = Target::new();
    let plant = folder(LINES);
    plant.write(
        "incidents.jsonl",
        r#"{"id":10,"incidentTypeId":3,"title":"Leak","incidentDate":"2025-05-20","isAnonymous":true}"#,
    );
    plant.write("incident_comments.jsonl", "");
    import(&target, &plant).await.expect("imported");
    let exports = tempfile::tempdir().expect("a folder");
    for with_reporters in [false, true] {
        let export = exports.path().join(format!("{with_reporters}"));
        let options = ExportOptions { with_reporters };
        let report = export_dir(&export, target.db(), options, Arc::new(())).await;
        report.expect("exported");
        let lines = fs::read_to_string(export.join(FILE)).expect("the file");
        assert_eq!(lines.contains("\"u1\""), with_reporters, "{lines}");
    }
}
