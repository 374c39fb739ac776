//! Every error of a folder names file, line and field, and nothing of the folder is stored.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use obeya_server::import::{ImportOptions, OnConflict, import_dir};
use obeya_server::store::{Store, StoreError, StoreOptions};

use crate::import_folder::{Folder, PLANT, Target};

/// Imports the plant with one file spoilt; the message must be this, and the database empty.
async fn refused(target: &Target, file: &str, content: impl AsRef<[u8]>, expected: &str) {
    let folder = Folder::plant();
    folder.write(file, content);
    refused_folder(target, &folder, expected).await;
}

pub async fn refused_folder(target: &Target, folder: &Folder, expected: &str) {
    let fault = folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect_err("should be refused");
    assert_eq!(fault.to_string(), expected);
    assert_eq!(
        target.rows().await,
        0,
        "something was stored in spite of: {expected}"
    );
}

/// A file of the plant with one text in it replaced by another.
fn with(file: &str, old: &str, new: &str) -> String {
    let (_, lines) = PLANT
        .iter()
        .find(|(name, _)| *name == file)
        .expect("a file of the plant");
    assert!(lines.contains(old), "{old} stands nowhere in {file}");
    lines.replacen(old, new, 1)
}

/// The same, imported.
pub async fn spoilt(target: &Target, file: &str, old: &str, new: &str, expected: &str) {
    refused(
        target,
        file,
        with(file, old, new),
        &format!("{file}, line {expected}"),
    )
    .await;
}

#[tokio::test]
async fn a_value_of_another_type() {
    let target = Target::new();
    spoilt(
        &target,
        "areas.jsonl",
        "\"id\":2",
        "\"id\":\"2\"",
        "2, field id: found \"2\", expected an int32",
    )
    .await;
    spoilt(
        &target,
        "areas.jsonl",
        "\"Assembly\"",
        "7",
        "2, field name: found 7, expected a string",
    )
    .await;
    spoilt(
        &target,
        "areas.jsonl",
        "\"id\":2",
        "\"id\":2147483648",
        "2, field id: found 2147483648, expected an int32",
    )
    .await;
    spoilt(
        &target,
        "incidents.jsonl",
        "{\"id\":34,\"amount\":12.5",
        "{\"id\":34,\"amount\":\"12.5\"",
        "1, field consequences[0].amount: found \"12.5\", expected a number",
    )
    .await;
}

#[tokio::test]
async fn a_required_field_left_out() {
    let target = Target::new();
    spoilt(
        &target,
        "areas.jsonl",
        ",\"name\":\"Assembly\"",
        "",
        "2, field name: found nothing, expected a value",
    )
    .await;
    spoilt(
        &target,
        "incident_types.jsonl",
        "{\"id\":33,\"title\":\"Wear\"}",
        "{\"id\":33}",
        "1, field causes[0].title: found nothing, expected a value",
    )
    .await;
}

#[tokio::test]
async fn an_unknown_field() {
    let target = Target::new();
    spoilt(
        &target,
        "areas.jsonl",
        "\"name\"",
        "\"nmae\"",
        "1, field nmae: found an unknown field, expected one of the fields `id`, `name`, `description`",
    )
    .await;
}

#[tokio::test]
async fn a_word_that_is_none() {
    let target = Target::new();
    spoilt(
        &target,
        "incidents.jsonl",
        "\"High\"",
        "\"high\"",
        "1, field severity: found \"high\", expected one of None | Low | Medium | High",
    )
    .await;
    spoilt(&target,
        "improvements.jsonl",
        "\"Planned\"",
        "\"Activated\"",
        "1, field status: found \"Activated\", expected one of Suggested | Planned | InProgress | Implemented | Evaluated | Archived | Open",
    )
    .await;
}

#[tokio::test]
async fn a_date_that_is_none() {
    let target = Target::new();
    spoilt(
        &target,
        "incidents.jsonl",
        "2025-05-20T06:12:00.1234567Z",
        "2025-13-20T06:12:00Z",
        "1, field reportedDate: found \"2025-13-20T06:12:00Z\", expected a day the calendar has",
    )
    .await;
    spoilt(
        &target,
        "incidents.jsonl",
        "\"incidentDate\":\"2025-05-25\"",
        "\"incidentDate\":20250525",
        "2, field incidentDate: found 20250525, expected a date such as 2026-03-02",
    )
    .await;
}

#[tokio::test]
async fn a_reference_to_nothing() {
    let target = Target::new();
    let unknown = "the folder or in the database";
    for (file, old, new, expected) in [
        (
            "groups.jsonl",
            "\"parentId\":1",
            "\"parentId\":9",
            format!("1, field parentId: found 9, expected the id of a group in {unknown}"),
        ),
        (
            "users.jsonl",
            "[1,2]",
            "[1,9]",
            format!("1, field groups[1]: found 9, expected the id of a group in {unknown}"),
        ),
        (
            "users.jsonl",
            "[1,2]",
            "[1,{\"id\":9,\"role\":\"Owner\"}]",
            format!("1, field groups[1]: found 9, expected the id of a group in {unknown}"),
        ),
        (
            "boards.jsonl",
            "\"groupId\":2",
            "\"groupId\":9",
            format!("1, field groupId: found 9, expected the id of a group in {unknown}"),
        ),
        (
            "boards.jsonl",
            "\"u1\"",
            "\"u9\"",
            format!(
                "1, field rows[0].responsibleUserId: found \"u9\", expected the id of a user in {unknown}"
            ),
        ),
        (
            "incidents.jsonl",
            "\"incidentTypeId\":4",
            "\"incidentTypeId\":9",
            format!(
                "2, field incidentTypeId: found 9, expected the id of an incident type in {unknown}"
            ),
        ),
        (
            "incidents.jsonl",
            "\"followUpGroupId\":2",
            "\"followUpGroupId\":9",
            format!("1, field followUpGroupId: found 9, expected the id of a group in {unknown}"),
        ),
        (
            "incidents.jsonl",
            "\"areaId\":1",
            "\"areaId\":9",
            format!("1, field areaId: found 9, expected the id of an area in {unknown}"),
        ),
        (
            "incidents.jsonl",
            "\"projectId\":1",
            "\"projectId\":9",
            format!("1, field projectId: found 9, expected the id of a project in {unknown}"),
        ),
        (
            "incidents.jsonl",
            "\"responsibleUserId\":\"u1\"",
            "\"responsibleUserId\":\"u9\"",
            format!(
                "1, field responsibleUserId: found \"u9\", expected the id of a user in {unknown}"
            ),
        ),
        (
            "incidents.jsonl",
            "\"areaId\":1",
            "\"areaId\":1,\"lastModifiedByUserId\":\"u9\"",
            format!(
                "1, field lastModifiedByUserId: found \"u9\", expected the id of a user in {unknown}"
            ),
        ),
        (
            "incidents.jsonl",
            "\"areaId\":1",
            "\"areaId\":1,\"latitude\":-90,\"longitude\":180.5",
            "1, field longitude: found 180.5, expected a number from -180 to 180".to_owned(),
        ),
        (
            "incidents.jsonl",
            "\"areaId\":1",
            "\"areaId\":1,\"latitude\":90.25",
            "1, field latitude: found 90.25, expected a number from -90 to 90".to_owned(),
        ),
        (
            "incidents.jsonl",
            "\"areaId\":1",
            "\"areaId\":1,\"accuracyInMeters\":-0.5",
            "1, field accuracyInMeters: found -0.5, expected a number from 0 up".to_owned(),
        ),
        (
            "incident_comments.jsonl",
            "\"incidentId\":10",
            "\"incidentId\":9",
            format!("1, field incidentId: found 9, expected the id of an incident in {unknown}"),
        ),
        (
            "incident_comments.jsonl",
            "\"parentId\":100",
            "\"parentId\":9",
            format!("1, field parentId: found 9, expected the id of a comment in {unknown}"),
        ),
        (
            "improvements.jsonl",
            "\"groupId\":2",
            "\"groupId\":9",
            format!("1, field groupId: found 9, expected the id of a group in {unknown}"),
        ),
        (
            "datasource_values.jsonl",
            "\"dataSourceId\":4",
            "\"dataSourceId\":9",
            format!("1, field dataSourceId: found 9, expected the id of a datasource in {unknown}"),
        ),
    ] {
        spoilt(&target, file, old, new, &expected).await;
    }
}

#[tokio::test]
async fn a_part_of_another_type() {
    let target = Target::new();
    spoilt(&target,
        "incidents.jsonl",
        "[{\"id\":41}]",
        "[{\"id\":32}]",
        "2, field categories[0].id: found 32, a category of incident type 3, expected a category of incident type 4",
    )
    .await;
    spoilt(&target,
        "incident_types.jsonl",
        "{\"id\":41,",
        "{\"id\":32,",
        "2, field categories[0].id: found 32, which belongs to incident type 3, expected an id no other type uses",
    )
    .await;
    spoilt(&target,
        "incident_types.jsonl",
        "[{\"id\":32,\"title\":\"Lekkasje\"}]",
        "[{\"id\":41,\"title\":\"Lekkasje\"}]",
        "1, field translations.nb.categories[0].id: found 41, expected an id that the same line gives to what is translated",
    )
    .await;
}

#[tokio::test]
async fn an_id_that_stands_twice() {
    let target = Target::new();
    spoilt(
        &target,
        "areas.jsonl",
        "\"id\":2",
        "\"id\":1",
        "2, field id: found 1, which line 1 has already, expected each id once in a file",
    )
    .await;
    spoilt(
        &target,
        "datasource_values.jsonl",
        "901",
        "902",
        "2, field id: found 902, which line 1 has already, expected each id once in a file",
    )
    .await;
    spoilt(
        &target,
        "incidents.jsonl",
        "[{\"id\":33}]",
        "[{\"id\":33},{\"id\":33}]",
        "1, field causes: found 33 twice, expected each id once",
    )
    .await;
}

#[tokio::test]
async fn parents_that_go_round_in_a_circle() {
    let circle = "{\"id\":1,\"type\":\"GENERAL\",\"parentId\":2}\n{\"id\":2,\"type\":\"GENERAL\",\"parentId\":1}";
    let folder = Folder::empty();
    folder.write("groups.jsonl", circle);
    let fault = folder
        .import(Target::new().db(), OnConflict::Fail)
        .await
        .expect_err("a circle")
        .to_string();
    assert!(
        fault.ends_with("expected parents that end at one without a parent"),
        "{fault}"
    );
}

#[tokio::test]
async fn a_reply_to_a_comment_of_another_incident() {
    let target = Target::new();
    spoilt(&target,
        "incident_comments.jsonl",
        "\"incidentId\":10,\"text\":\"Takk",
        "\"incidentId\":11,\"text\":\"Takk",
        "1, field parentId: found 100, a comment of incident 10, expected a comment of the same incident",
    )
    .await;
}

#[tokio::test]
async fn texts_beyond_their_limits() {
    let target = Target::new();
    let title = "æ".repeat(101);
    spoilt(
        &target,
        "improvements.jsonl",
        "Shadow board",
        &title,
        "1, field title: found 101 characters, expected at most 100",
    )
    .await;
    spoilt(
        &target,
        "datasource_values.jsonl",
        "Line 3",
        &title,
        "1, field dimension: found 101 characters, expected at most 100",
    )
    .await;
    spoilt(
        &target,
        "datasource_values.jsonl",
        "cold start",
        &"x".repeat(256),
        "2, field description: found 256 characters, expected at most 255",
    )
    .await;
    spoilt(
        &target,
        "incidents.jsonl",
        "Entered twice",
        "",
        "2, field title: found an empty text, expected at least one character",
    )
    .await;
}

#[tokio::test]
async fn an_improvement_category_without_a_name_or_with_two() {
    let target = Target::new();
    spoilt(&target,
        "improvements.jsonl",
        ",\"category\":\"Safety\"",
        "",
        "1, field categoryId: found 1, expected the id of a category in the database, or the category's name in the field category",
    )
    .await;
    spoilt(
        &target,
        "improvements.jsonl",
        "\"title\":\"Old idea\"",
        "\"category\":\"Cost\"",
        "2, field category: found \"Cost\", expected \"Safety\", the name category 1 has already",
    )
    .await;
}

#[tokio::test]
async fn text_that_is_not_json_or_not_utf8_or_holds_nul() {
    let target = Target::new();
    refused(&target,
        "areas.jsonl",
        "{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"",
        "areas.jsonl, line 2: found malformed JSON at column 18 (EOF while parsing an object), expected one JSON object on the line",
    )
    .await;
    refused(
        &target,
        "areas.jsonl",
        b"{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"\xC3\"}",
        "areas.jsonl, line 2: found bytes that are not UTF-8 at column 17, expected text in UTF-8",
    )
    .await;
    spoilt(
        &target,
        "areas.jsonl",
        "Assembly",
        "A\\u0000",
        "2, field name: found a NUL character, expected text without NUL",
    )
    .await;
    spoilt(
        &target,
        "areas.jsonl",
        "{\"id\":2,\"name\":\"Assembly\"}",
        "[2,\"Assembly\"]",
        "2: found JSON of another kind, expected a JSON object",
    )
    .await;
    let folder = Folder::plant();
    folder.write("areas.jsonl", "{\"id\":1,\"name\":\"\\ud800\"}");
    let fault = folder
        .import(Target::new().db(), OnConflict::Fail)
        .await
        .expect_err("half a pair")
        .to_string();
    assert!(
        fault.starts_with("areas.jsonl, line 1: found malformed JSON"),
        "{fault}"
    );
}

#[tokio::test]
async fn files_that_are_none_of_an_import() {
    let folder = Folder::plant();
    folder.write("incident.jsonl", "{}");
    let target = Target::new();
    let fault = folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect_err("misspelt")
        .to_string();
    assert!(
        fault.starts_with("found incident.jsonl, expected one of store.jsonl, areas.jsonl, "),
        "{fault}"
    );
    assert_eq!(target.rows().await, 0);

    let fault = Folder::empty()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect_err("empty")
        .to_string();
    assert!(fault.contains("holds nothing to import"), "{fault}");

    let folder = Folder::plant();
    folder.write("datasource_values.csv", "id\n");
    let fault = folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect_err("both")
        .to_string();
    assert!(
        fault.contains("datasource_values.csv") && fault.ends_with("expected one of them"),
        "{fault}"
    );

    let folder = Folder::plant();
    folder.write("areas.csv", "id\n");
    let fault = folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect_err("csv")
        .to_string();
    assert_eq!(
        fault,
        "found areas.csv, expected areas.jsonl: only values may come as CSV"
    );
}

#[tokio::test]
async fn a_folder_that_is_not_there() {
    let gone = std::path::Path::new("surely/not/there");
    let fault = import_dir(
        gone,
        Target::new().db(),
        ImportOptions::default(),
        Arc::new(()),
    )
    .await
    .expect_err("no folder");
    assert_eq!(
        fault.to_string(),
        "the folder surely/not/there cannot be read"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_process_is_writing_to() {
    let target = Target::new();
    let other = Store::open(target.db(), &StoreOptions::default())
        .await
        .expect("opened");
    let (writing, begun) = mpsc::channel();
    let (done, wait) = mpsc::channel::<()>();
    let held = tokio::spawn({
        let other = other.clone();
        async move {
            let work = move |_: &mut dyn obeya_server::store::Session| {
                writing.send(()).expect("somebody waits");
                // Ends when the sender goes.
                let _ = wait.recv();
                Ok::<_, StoreError>(())
            };
            other.write(work).await
        }
    });
    tokio::task::spawn_blocking(move || begun.recv().expect("begun"))
        .await
        .expect("begun");
    let options = ImportOptions {
        lock_wait: Duration::from_millis(20),
        ..ImportOptions::default()
    };
    let folder = Folder::plant();
    let fault = import_dir(folder.path(), target.db(), options, Arc::new(()))
        .await
        .expect_err("locked");
    assert_eq!(fault.to_string(), "the database did not take the import");
    let cause = std::error::Error::source(&fault)
        .expect("a cause")
        .to_string();
    assert!(cause.contains("lock"), "{cause}");
    drop(done);
    held.await.expect("no panic").expect("written");
    other.close().await;
    assert_eq!(target.rows().await, 0);
}

#[tokio::test]
async fn a_comment_that_moves_to_another_incident_without_its_replies() {
    let target = Target::new();
    Folder::plant()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let moved = Folder::empty();
    let line = |id: i32, parent: &str| {
        format!(
            "{{\"id\":{id},\"incidentId\":11,\"text\":\"Moved\",\"commentDate\":\"2025-05-20T07:00:00\"{parent}}}\n"
        )
    };
    moved.write("incident_comments.jsonl", line(100, ""));
    let fault = moved
        .import(target.db(), OnConflict::Replace)
        .await
        .expect_err("101 answers 100, and stays with incident 10");
    assert_eq!(
        fault.to_string(),
        "incident_comments.jsonl, line 1, field incidentId: found 11, expected 10, the incident of comment 101, a reply to this one"
    );
    moved.write(
        "incident_comments.jsonl",
        line(100, "") + &line(101, ",\"parentId\":100"),
    );
    moved
        .import(target.db(), OnConflict::Replace)
        .await
        .expect("both moved");
}

#[tokio::test]
async fn categories_that_are_each_others_parents() {
    let target = Target::new();
    let folder = Folder::empty();
    folder.write(
        "incident_types.jsonl",
        r#"{"id":1,"title":"Safety","categories":[{"id":2,"title":"A","parentId":3},{"id":3,"title":"B","parentId":2}]}"#,
    );
    refused_folder(&target,
        &folder,
        "incident_types.jsonl, line 1, field categories[0].parentId: found a cycle of parents at 2, \
         expected parents that end at one without a parent",
    )
    .await;
}

#[tokio::test]
async fn an_id_that_leaves_none_for_new_records() {
    let target = Target::new();
    let expected = "found 2147483647, expected at most 2000000000, which leaves ids for new";
    spoilt(
        &target,
        "incidents.jsonl",
        "\"id\":10,",
        "\"id\":2147483647,",
        &format!("1, field id: {expected} incidents"),
    )
    .await;
    for (file, line, field, records) in [
        (
            "improvements.jsonl",
            r#"{"id":2147483647,"status":"Open"}"#,
            "id",
            "improvements",
        ),
        (
            "datasource_values.jsonl",
            r#"{"id":2147483647,"dataSourceId":4,"value":1,"valueDate":"2025-06-01T00:00:00Z"}"#,
            "id",
            "values",
        ),
        (
            "store.jsonl",
            r#"{"lastIncidentId":2147483647}"#,
            "lastIncidentId",
            "incidents",
        ),
        (
            "store.jsonl",
            r#"{"lastImprovementId":2147483647}"#,
            "lastImprovementId",
            "improvements",
        ),
        (
            "store.jsonl",
            r#"{"lastValueId":2147483647}"#,
            "lastValueId",
            "values",
        ),
    ] {
        let message = format!("{file}, line 1, field {field}: {expected} {records}");
        refused(&target, file, line, &message).await;
    }
}
