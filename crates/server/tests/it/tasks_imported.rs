//! What an import and an export make of tasks.

use std::fs;
use std::sync::Arc;

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::OnConflict;

use crate::import_folder::{Folder, PLANT, Target};

const FILE: &str = "tasks.jsonl";

/// The lines of the plant, with one text replaced by another.
fn with(old: &str, new: &str) -> String {
    let (_, lines) = PLANT
        .iter()
        .find(|(name, _)| *name == FILE)
        .expect("a file of the plant");
    assert!(lines.contains(old), "{old} stands nowhere");
    lines.replacen(old, new, 1)
}

async fn import(target: &Target, lines: &str, on_conflict: OnConflict) -> Result<(), String> {
    let folder = Folder::plant();
    folder.write(FILE, lines);
    let done = folder.import(target.db(), on_conflict).await;
    done.map(drop).map_err(|fault| fault.to_string())
}

#[tokio::test]
async fn each_error_names_its_line_and_field() {
    let target = Target::new();
    let long = format!("\"{}\"", "x".repeat(256));
    let many = vec!["\"x\""; 101].join(",");
    for (old, new, fault) in [
        (
            "\"New seal\"",
            "\"\"",
            "2, field title: found an empty text, expected at least one character",
        ),
        (
            "\"Blocked\"",
            "\"Done\"",
            "2, field status: found \"Done\", expected one of NotStarted | Completed | Blocked",
        ),
        (
            "\"boardId\":7",
            "\"boardId\":8",
            "2, field boardId: found 8, expected the id of a board in the folder or in the database",
        ),
        (
            "\"boardId\":7,",
            "",
            "2, field rowCategoryId: found 1, expected nothing, as there is no boardId",
        ),
        (
            "\"u1\"",
            "\"u9\"",
            "1, field responsibleUserId: found \"u9\", expected the id of a user in the folder or in the database",
        ),
        (
            "\"parentId\":20",
            "\"parentId\":22",
            "1, field parentId: found 22, expected the id of a task in the folder or in the database",
        ),
        (
            "[\"oil\"]",
            "[\"oil\",\"\"]",
            "2, field tags[1]: found an empty text, expected at least one character",
        ),
        (
            "[\"oil\"]",
            &format!("[{long}]"),
            "2, field tags[0]: found 256 characters, expected at most 255",
        ),
        (
            "[\"oil\"]",
            &format!("[{many}]"),
            "2, field tags: found 101 tags, expected at most 100",
        ),
        (
            "\"id\":20",
            "\"id\":2000000001",
            "2, field id: found 2000000001, expected at most 2000000000, which leaves ids for new tasks",
        ),
        (
            "\"incidentId\":10,\"responsible",
            "\"responsible",
            "1, field incidentId: found none of task 21, expected 10, that of task 20, which it is a part of",
        ),
    ] {
        let fault = format!("{FILE}, line {fault}");
        let found = import(&target, &with(old, new), OnConflict::Fail).await;
        assert_eq!(found, Err(fault));
        assert_eq!(target.rows().await, 0);
    }
    let circle = with("\"id\":20,", "\"id\":20,\"parentId\":21,");
    let found = import(&target, &circle, OnConflict::Fail).await;
    let found = found.expect_err("20 and 21 are each other's parent");
    assert!(found.contains("leads to a cycle of parents"), "{found}");
}

#[tokio::test]
async fn a_new_name_of_the_person_responsible_stamps_the_task() {
    let target = Target::new();
    let plant = with("\"oil\"", "\"oil\"");
    import(&target, &plant, OnConflict::Fail)
        .await
        .expect("imported");
    // The stamp of the line; the task before it has none, and gets that of the import.
    let stamp = async |id: i32| {
        let sql = format!("SELECT last_modified FROM tasks WHERE id = {id}");
        target.number(&sql).await
    };
    // 2025-05-21T10:00:00Z in ticks.
    assert_eq!(stamp(20).await, 17_478_216_000_000_000);
    let before = stamp(21).await;
    assert!(before > 17_478_216_000_000_000);

    let folder = Folder::empty();
    let renamed = r#"{"id":"u1","userName":"kari.vik","displayName":"Kari Lie"}"#;
    folder.write("users.jsonl", renamed);
    let done = folder.import(target.db(), OnConflict::Replace).await;
    done.expect("imported");
    assert!(stamp(21).await > before);
    assert_eq!(stamp(20).await, 17_478_216_000_000_000);
}

#[tokio::test]
async fn a_task_is_exported_as_it_is_imported_without_what_is_empty() {
    let target = Target::new();
    let lines = r#"{"id":20,"title":"New seal","status":"NotStarted","lastModified":"2025-05-21T10:00:00Z"}
{"id":21,"parentId":20,"title":"Oil","description":"All","status":"Blocked","boardId":7,"projectId":1,"responsibleUserId":"u1","startDate":"2025-05-01T00:00:00Z","dueDate":"2025-05-02T00:00:00Z","rowCategoryId":1,"columnCategoryId":1,"tags":["a \"b\"","ø"],"externalId":"x","lastModified":"2025-05-22T10:00:00Z","lastModifiedByUserId":"u2"}
"#;
    import(&target, lines, OnConflict::Fail)
        .await
        .expect("imported");
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("export");
    let options = ExportOptions::default();
    let report = export_dir(&folder, target.db(), options, Arc::new(())).await;
    report.expect("exported");
    let exported = fs::read_to_string(folder.join(FILE)).expect("the file");
    assert_eq!(exported, lines);
    let store = fs::read_to_string(folder.join("store.jsonl")).expect("the file");
    assert!(store.contains("\"lastTaskId\":21"), "{store}");
}
