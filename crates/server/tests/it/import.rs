//! Import, read back over HTTP, also into a database that has records already.

use obeya_server::import::{FileReport, OnConflict};
use serde_json::json;

use crate::import_folder::{Folder, PLANT, Target};
use crate::support::Service;
use crate::support::sql::with_words;

/// The service on a database that the plant was imported into while it ran.
async fn served() -> Service {
    let service = Service::start().await;
    Folder::plant()
        .import(service.db(), OnConflict::Fail)
        .await
        .expect("imported");
    service
}

#[tokio::test]
async fn every_file_is_read_in_the_order_of_its_references() {
    let target = Target::new();
    let report = Folder::plant()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let files: Vec<_> = report.files.iter().map(|file| file.file.as_str()).collect();
    assert_eq!(files, PLANT.map(|(file, _)| file));
    let read: u64 = report.files.iter().map(|file| file.read).sum();
    assert_eq!(read, 23, "as many as the plant has lines");
    assert!(report.files.iter().all(|file| file.inserted == file.read));
}

#[tokio::test]
async fn an_incident_keeps_its_id_its_timestamps_and_its_parts() {
    let service = served().await;
    // Any write returns the incident; this one changes nothing.
    let answer = service
        .put("/v1/Incidents/10/externalId", &json!("c100"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let incident = answer.json();
    for (field, expected) in [
        ("reportedDate", json!("2025-05-20T06:12:00.1234567Z")),
        ("resolvedDate", json!("2025-05-21T09:59:00Z")),
        ("incidentDate", json!("2025-05-20")),
        ("reportedBy", json!("Kari Vik")),
        ("responsible", json!("kari.vik")),
        ("followUpGroup", json!("Mechanics")),
        ("project", json!("Nordlys")),
        ("areaId", json!(1)),
        ("numberOfComments", json!(2)),
        ("categories", json!([{"id": 32, "title": "Leak"}])),
        ("causes", json!([{"id": 33, "title": "Wear"}])),
        (
            "consequences",
            json!([{"id": 34, "title": "Downtime", "unit": "min", "amount": 12.5}]),
        ),
    ] {
        assert_eq!(incident[field], expected, "{field}");
    }
    assert_eq!(incident["customFields"][0]["value"], "M-7");
    assert_eq!(incident["customFields"][0]["label"], "Machine");
}

#[tokio::test]
async fn a_line_with_a_deleted_date_is_in_the_trash_and_not_elsewhere() {
    let service = served().await;
    let trash = service.get("/v1/Incidents/trash").await.json();
    assert_eq!(trash["total"], 1);
    assert_eq!(trash["values"][0]["id"], 11);
    assert_eq!(
        trash["values"][0]["reportedDate"], "2025-05-25T00:00:00Z",
        "the day it happened"
    );
    service
        .put("/v1/Incidents/11/externalId", &json!("x"))
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn a_type_speaks_the_languages_of_its_translations() {
    let service = served().await;
    let nb = service
        .get("/v1/Incidents/types/3?language=nb-NO")
        .await
        .json();
    assert_eq!(nb["title"], "Utstyrsfeil");
    assert_eq!(nb["categories"][0]["title"], "Hydraulics", "not translated");
    assert_eq!(nb["categories"][0]["children"][0]["title"], "Lekkasje");
    assert_eq!(nb["categories"][0]["children"][0]["parentId"], 31);
    assert_eq!(nb["customFields"][0]["label"], "Maskin");
    let en = service.get("/v1/Incidents/types/3").await.json();
    assert_eq!(en["title"], "Equipment failure");
}

#[tokio::test]
async fn groups_members_boards_and_comments_are_found() {
    let service = served().await;
    let group = service
        .get("/v2/groups/2?$expand=users,parent")
        .await
        .json();
    assert_eq!(group["users"][0]["displayName"], "Kari Vik");
    assert_eq!(group["parent"]["name"], "Plant");
    let board = service.get("/v1/Boards/7").await.json();
    assert_eq!(board["groupName"], "Mechanics");
    assert_eq!(board["rows"][0]["responsibleUser"], "kari.vik");
    assert_eq!(board["columns"][0]["weekDay"], "Monday");
    // Found by a term, so the index was written; the level was derived from the parent.
    let found = service
        .get("/v2/incidents/comments?$search=takk")
        .await
        .json();
    assert_eq!(found["value"][0]["id"], 101);
    assert_eq!(found["value"][0]["level"], 1);
    assert_eq!(found["value"][0]["commentedBy"], "Kari Vik");
    let areas = service.get("/v2/areas?$search=st%C3%B8peri").await.json();
    assert_eq!(areas["value"][0]["id"], 1);
}

#[tokio::test]
async fn improvements_and_values_come_as_they_are_in_their_lines() {
    let service = served().await;
    let improvement = service.put("/v1/Improvements/5", &json!({})).await.json();
    assert_eq!(improvement["status"], "Planned");
    assert_eq!(improvement["category"], "Safety");
    assert_eq!(improvement["plannedDate"], "2025-02-01T09:00:00Z");
    assert_eq!(improvement["estimatedGainOfInvestment"], 1200.5);
    // An archived one returns to the stage that its dates imply.
    let activated = service
        .put("/v1/Improvements/6", &json!({"status": "Activated"}))
        .await
        .json();
    assert_eq!(activated["status"], "Planned");
    let page = service.get("/v1/Datasources/4/values").await.json();
    assert_eq!(page["count"], 2);
    assert_eq!(page["values"][0]["id"], 901);
    assert_eq!(
        page["values"][0]["valueDate"], "2025-05-01T06:00:00Z",
        "without an offset it is UTC"
    );
    assert_eq!(
        page["values"][0]["registrationDate"],
        "2025-05-01T06:00:01.1234567Z"
    );
    assert_eq!(page["values"][0]["description"], "cold start");
    assert_eq!(page["values"][1]["dimension"], "Line 3");
}

#[tokio::test]
async fn values_may_come_as_csv() {
    let folder = Folder::plant();
    folder.remove("datasource_values.jsonl");
    folder.write(
        "datasource_values.csv",
        "valueDate,id,dataSourceId,value,dimension,description\r\n\
         2025-05-02T06:00:00Z,902,4,71.25,Line 3,\r\n\r\n\
         2025-05-01T06:00:00,901,4,64,,\"Gearbox, \"\"spare\"\"\"\r\n",
    );
    let service = Service::start().await;
    folder
        .import(service.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let page = service.get("/v1/Datasources/4/values").await.json();
    assert_eq!(page["count"], 2);
    assert_eq!(page["values"][0]["description"], "Gearbox, \"spare\"");
    assert_eq!(page["values"][0]["dimension"], json!(null));
    assert_eq!(page["values"][1]["value"], 71.25);
    assert_eq!(page["values"][1]["description"], json!(null));
}

#[tokio::test]
async fn byte_order_marks_line_ends_of_windows_and_blank_lines_are_no_fault() {
    let folder = Folder::empty();
    folder.write(
        "areas.jsonl",
        b"\xEF\xBB\xBF{\"id\":1,\"name\":\"A\"}\r\n\r\n   \n{\"id\":2,\"name\":\"B\"}\r\n",
    );
    folder.write("README.md", "what this folder is");
    let target = Target::new();
    let report = folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    assert_eq!(report.files.len(), 1);
    assert_eq!(report.files[0].read, 2);
    assert_eq!(
        target
            .number("SELECT length(name) FROM areas WHERE id = 1")
            .await,
        1
    );
}

#[tokio::test]
async fn a_field_that_is_null_is_a_field_left_out() {
    let folder = Folder::empty();
    folder.write(
        "boards.jsonl",
        r#"{"id":1,"name":null,"isPublic":null,"groupId":null,"rows":null,"columns":null,"groupName":null}"#,
    );
    folder.write(
        "incident_types.jsonl",
        r#"{"id":1,"title":"T","description":null,"categories":[{"id":1,"title":"C","sortOrder":null,"children":null}],"causes":null,"translations":null}"#,
    );
    folder.write(
        "incidents.jsonl",
        r#"{"id":1,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","status":null,"severity":null,"isAnonymous":null,"causes":null,"dueDate":null}"#,
    );
    let target = Target::new();
    folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let sql = "SELECT count(*) FROM incidents WHERE status = 'New' AND severity = 'None' AND due_date IS NULL";
    assert_eq!(target.number(sql).await, 1);
}

/// Imports the plant twice, the second time with another area; returns the effect of the second import on the
/// areas.
async fn twice(on_conflict: OnConflict) -> (Target, FileReport) {
    let target = Target::new();
    Folder::plant()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let again = Folder::plant();
    again.write(
        "areas.jsonl",
        "{\"id\":2,\"name\":\"Renamed\"}\n{\"id\":3,\"name\":\"New\"}",
    );
    let report = again
        .import(target.db(), on_conflict)
        .await
        .expect("imported again");
    let areas = report
        .files
        .iter()
        .find(|file| file.file == "areas.jsonl")
        .cloned();
    (target, areas.expect("a report on the areas"))
}

#[tokio::test]
async fn what_is_there_already_fails_the_import_unless_requested_otherwise() {
    let target = Target::new();
    Folder::plant()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let before = target.rows().await;
    let folder = Folder::empty();
    folder.write(
        "areas.jsonl",
        "{\"id\":3,\"name\":\"New\"}\n{\"id\":2,\"name\":\"Renamed\"}",
    );
    let fault = folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect_err("2 is there");
    assert_eq!(
        fault.to_string(),
        "areas.jsonl, line 2, field id: found 2, which the database has already, \
         expected an id that is new (or the choice to skip or to replace what is there)"
    );
    assert_eq!(
        target.rows().await,
        before,
        "the new area of line 1 is not there either"
    );
}

#[tokio::test]
async fn skip_leaves_what_is_there_and_adds_what_is_new() {
    let (target, areas) = twice(OnConflict::Skip).await;
    assert_eq!(
        (areas.read, areas.inserted, areas.replaced, areas.skipped),
        (2, 1, 0, 1)
    );
    assert_eq!(
        target
            .number("SELECT count(*) FROM areas WHERE name IN ('Støperi', 'Assembly', 'New')")
            .await,
        3
    );
    assert_eq!(
        target
            .number("SELECT value_count FROM datasources WHERE id = 4")
            .await,
        2
    );
}

#[tokio::test]
async fn replace_gives_records_the_fields_of_their_lines_and_doubles_nothing() {
    let (target, areas) = twice(OnConflict::Replace).await;
    assert_eq!(
        (areas.read, areas.inserted, areas.replaced, areas.skipped),
        (2, 1, 1, 0)
    );
    assert_eq!(
        target
            .number("SELECT count(*) FROM areas WHERE name IN ('Støperi', 'Renamed', 'New')")
            .await,
        3
    );
    for (sql, expected) in [
        ("SELECT value_count FROM datasources WHERE id = 4", 2),
        ("SELECT count(*) FROM datasource_values", 2),
        ("SELECT count(*) FROM group_members", 2),
        ("SELECT count(*) FROM board_lines", 2),
        ("SELECT count(*) FROM incident_categories", 2),
        ("SELECT count(*) FROM type_translations", 3),
    ] {
        assert_eq!(target.number(sql).await, expected, "{sql}");
    }
    let store = target.database.open().await;
    let found = async |word| with_words(&store, "areas_search", &[word]).await.len();
    assert_eq!(found("assembly").await, 0);
    assert_eq!(found("renamed").await, 1);
}

#[tokio::test]
async fn elements_keep_their_ids() {
    let target = Target::new();
    let folder = Folder::empty();
    let import = async |elements: &str, expected: &[(&str, i64)]| {
        folder.write(
            "datasources.jsonl",
            format!(r#"{{"id":4,"elements":[{elements}]}}"#),
        );
        folder
            .import(target.db(), OnConflict::Replace)
            .await
            .expect("imported");
        for (key, id) in expected {
            let sql = format!("SELECT number FROM datasource_elements WHERE id = '{key}'");
            assert_eq!(target.number(&sql).await, *id, "{key}");
        }
        let sql = "SELECT count(*) FROM datasource_elements WHERE datasource_id = 4";
        assert_eq!(target.number(sql).await, expected.len() as i64);
    };
    // As in the folders of earlier versions.
    import(
        r#"{"id":"shift","type":"text"},{"id":"2","type":"text"},{"id":"line","type":"list"}"#,
        &[("shift", 1), ("2", 2), ("line", 3)],
    )
    .await;
    // In another order, without the first, whose id is not given to another.
    import(
        r#"{"id":"new","type":"text"},{"id":"line","type":"list"},{"id":"2","type":"text"}"#,
        &[("new", 4), ("line", 3), ("2", 2)],
    )
    .await;
    // Explicit ids are what they say, also where a key had that id, or is that number.
    import(
        r#"{"id":"line","type":"list"},{"id":3,"key":"shift","type":"text"},{"id":7,"type":"text"},{"id":"8","type":"text"},{"id":8,"key":"new","type":"text"}"#,
        &[("line", 1), ("shift", 3), ("7", 7), ("8", 5), ("new", 8)],
    )
    .await;
}

#[tokio::test]
async fn an_incident_type_is_found_by_the_words_of_its_last_line() {
    let target = Target::new();
    let folder = Folder::empty();
    for (line, conflict) in [
        (
            r#"{"id":3,"title":"Leak","description":"Oil or water"}"#,
            OnConflict::Fail,
        ),
        (r#"{"id":3,"title":"Spill"}"#, OnConflict::Replace),
        (r#"{"id":3,"title":"Skipped"}"#, OnConflict::Skip),
    ] {
        folder.write("incident_types.jsonl", line);
        folder
            .import(target.db(), conflict)
            .await
            .expect("imported");
        let store = target.database.open().await;
        let found = async |word| {
            let found = with_words(&store, "incident_types_search", &[word]).await;
            found == [3]
        };
        let words = [found("water").await, found("spill").await];
        assert_eq!(
            words,
            [conflict == OnConflict::Fail, conflict != OnConflict::Fail]
        );
        assert!(!found("skipped").await);
    }
}

#[tokio::test]
async fn a_replaced_value_moves_to_its_new_date_and_datasource() {
    let target = Target::new();
    Folder::plant()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let folder = Folder::empty();
    folder.write("datasources.jsonl", r#"{"id":8,"title":"Scrap"}"#);
    folder.write(
        "datasource_values.jsonl",
        r#"{"id":901,"dataSourceId":8,"value":1,"valueDate":"2025-06-01T00:00:00Z"}"#,
    );
    folder
        .import(target.db(), OnConflict::Replace)
        .await
        .expect("imported");
    assert_eq!(
        target
            .number("SELECT value_count FROM datasources WHERE id = 4")
            .await,
        1
    );
    assert_eq!(
        target
            .number("SELECT value_count FROM datasources WHERE id = 8")
            .await,
        1
    );
    assert_eq!(
        target
            .number("SELECT datasource_id FROM datasource_values WHERE id = 901")
            .await,
        8
    );
}

#[tokio::test]
async fn a_replaced_type_keeps_the_parts_that_incidents_use() {
    let target = Target::new();
    Folder::plant()
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let folder = Folder::empty();
    folder.write(
        "incident_types.jsonl",
        r#"{"id":4,"title":"Environment","categories":[{"id":42,"title":"Noise"}]}"#,
    );
    let fault = folder
        .import(target.db(), OnConflict::Replace)
        .await
        .expect_err("41 is in use");
    assert_eq!(
        fault.to_string(),
        "incident_types.jsonl, line 1, field categories: found none with id 41, which incidents use, \
         expected the line to keep it"
    );
    assert_eq!(
        target
            .number("SELECT count(*) FROM type_categories WHERE id = 42")
            .await,
        0
    );
}

#[tokio::test]
async fn replace_renames_what_has_no_file_of_its_own_and_a_folder_agrees_with_itself() {
    let target = Target::new();
    let folder = Folder::empty();
    let write = |category: &str, list: &str| {
        folder.write(
            "improvements.jsonl",
            format!(r#"{{"id":5,"categoryId":1,"category":"{category}"}}"#),
        );
        folder.write(
            "incident_types.jsonl",
            r#"{"id":3,"title":"Leak","customFields":[{"id":35,"label":"Machine","type":"list","dataListId":7}]}"#,
        );
        folder.write(
            "incidents.jsonl",
            format!(
                r#"{{"id":10,"incidentTypeId":3,"title":"Oil","incidentDate":"2025-05-20","customFields":[{{"id":35,"dataListId":7,"dataListName":"{list}","dataListValue":"M-7"}}]}}"#
            ),
        );
    };
    write("Safety", "Machines");
    folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    write("Health", "Presses");
    folder
        .import(target.db(), OnConflict::Replace)
        .await
        .expect("renamed");
    for sql in [
        "SELECT count(*) FROM improvement_categories WHERE id = 1 AND title = 'Health'",
        "SELECT count(*) FROM data_lists WHERE id = 7 AND name = 'Presses'",
    ] {
        assert_eq!(target.number(sql).await, 1, "{sql}");
    }

    folder.write(
        "improvements.jsonl",
        "{\"id\":5,\"categoryId\":1,\"category\":\"Safety\"}\n{\"id\":6,\"categoryId\":1,\"category\":\"Cost\"}",
    );
    let fault = folder
        .import(target.db(), OnConflict::Replace)
        .await
        .expect_err("two names");
    assert_eq!(
        fault.to_string(),
        "improvements.jsonl, line 2, field category: found \"Cost\", expected \"Safety\", the name category 1 has already"
    );
}

#[tokio::test]
async fn a_list_has_one_name_in_a_folder() {
    let folder = Folder::empty();
    folder.write(
        "incident_types.jsonl",
        r#"{"id":3,"title":"Leak","customFields":[{"id":35,"label":"Machine","type":"list","dataListId":7}]}"#,
    );
    let line = |id: i32, name: &str| {
        format!(
            "{{\"id\":{id},\"incidentTypeId\":3,\"title\":\"Oil\",\"incidentDate\":\"2025-05-20\",\"customFields\":[{{\"id\":35,\"dataListId\":7,\"dataListName\":\"{name}\"}}]}}\n"
        )
    };
    folder.write(
        "incidents.jsonl",
        line(10, "Machines") + &line(11, "Presses"),
    );
    let fault = folder
        .import(Target::new().db(), OnConflict::Fail)
        .await
        .expect_err("two names");
    assert_eq!(
        fault.to_string(),
        "incidents.jsonl, line 2, field customFields[0].dataListName: found \"Presses\", expected \"Machines\", the name list 7 has already"
    );
}

/// Values of datasource 4 with these ids, a minute apart.
fn values(ids: impl Iterator<Item = u32>) -> String {
    ids.map(|id| {
        let (hour, minute) = (id / 60 % 24, id % 60);
        format!(
            "{{\"id\":{id},\"dataSourceId\":4,\"value\":{id},\"valueDate\":\"2025-01-02T{hour:02}:{minute:02}:00Z\"}}\n"
        )
    })
    .collect()
}

#[tokio::test]
async fn values_are_compared_with_those_that_are_there_many_at_a_time() {
    let target = Target::new();
    let first = Folder::plant();
    first.write("datasource_values.jsonl", values((1..=3000).step_by(2)));
    first
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");

    let again = Folder::empty();
    again.write("datasource_values.jsonl", values(1..=2500));
    let counts = |report: obeya_server::import::ImportReport| {
        let file = report.files[0].clone();
        (file.read, file.inserted, file.replaced, file.skipped)
    };
    let skipped = again.import(target.db(), OnConflict::Skip).await;
    assert_eq!(counts(skipped.expect("imported")), (2500, 1250, 0, 1250));
    let replaced = again.import(target.db(), OnConflict::Replace).await;
    assert_eq!(counts(replaced.expect("imported")), (2500, 0, 2500, 0));
    for sql in [
        "SELECT count(*) FROM datasource_values",
        "SELECT value_count FROM datasources WHERE id = 4",
    ] {
        assert_eq!(target.number(sql).await, 2500 + 250, "{sql}");
    }
}

#[tokio::test]
async fn the_first_fault_among_values_is_reported_whichever_way_it_is_found() {
    let target = Target::new();
    let first = Folder::plant();
    first.write("datasource_values.jsonl", values(1..=1));
    first
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let there = "line 3, field id: found 1, which the database has already, \
                 expected an id that is new (or the choice to skip or to replace what is there)";
    for (lines, expected) in [
        // Errors that only the database shows, before those that the line itself shows.
        (values([7, 8, 1].into_iter()) + "{\"id\":9}\n", there),
        (
            values([7, 8].into_iter()) + "{\"id\":9}\n" + &values(1..=1),
            "line 3, field dataSourceId: found nothing, expected a value",
        ),
        (
            values(1001..=2001) + &values(1..=1),
            "line 1002, field id: found 1, which the database has already, \
                 expected an id that is new (or the choice to skip or to replace what is there)",
        ),
    ] {
        let again = Folder::empty();
        again.write("datasource_values.jsonl", &lines);
        let fault = again.import(target.db(), OnConflict::Fail).await;
        let fault = fault.expect_err("a fault").to_string();
        assert_eq!(fault, format!("datasource_values.jsonl, {expected}"));
    }
    assert_eq!(
        target
            .number("SELECT count(*) FROM datasource_values")
            .await,
        1
    );
}
