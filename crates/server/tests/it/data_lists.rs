//! Data lists and their items: reads, new items, and what an import and an export make of them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::{ImportOptions, OnConflict, import_dir};
use obeya_server::store::StoreError;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::support::{Answer, Service};

const ITEMS: &str = "/v1/Datalists/9/items";
/// 2025-06-02T08:00:00Z, when the clock of the tests starts.
const NOW: &str = "2025-06-02T08:00:00Z";

/// Three lists, one of them with items out of order.
pub async fn plant() -> Service {
    let service = Service::start().await;
    let filled = service.store().write(|session| {
        for sql in [
            "INSERT INTO users (id, user_name, display_name) VALUES ('u-1', 'kari', 'Kari Vik')",
            "INSERT INTO data_lists (id, name, description, last_modified, last_modified_by_user_id)
                VALUES (9, 'Machines', 'All presses', 17488512000000000, 'u-1')",
            "INSERT INTO data_lists (id, name) VALUES (10, 'Shifts'), (7, 'Areas')",
            "UPDATE stamps SET last = 17488512000000000",
            "INSERT INTO data_list_items (id, data_list_id, sort_order, identifier, name)
                VALUES (1, 9, 5, 'M-3', NULL), (2, 9, 2, 'M-1', 'Press 1'), (5, 9, 5, 'M-2', 'Press 2'), (9, 10, 1, 'M-1', 'Early')",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    service
}

async fn ids(service: &Service, path: &str) -> Vec<i64> {
    let answer = service.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let records = answer.json();
    let records = records.as_array().expect("an array").iter();
    records
        .map(|record| record["id"].as_i64().expect("an id"))
        .collect()
}

#[tokio::test]
async fn lists_are_filtered_and_ordered_and_show_who_changed_them_last() {
    let service = plant().await;
    assert_eq!(ids(&service, "/v1/Datalists").await, [7, 9, 10]);
    assert_eq!(
        ids(&service, "/v1/datalists?$orderby=name%20desc").await,
        [10, 9, 7]
    );
    assert_eq!(
        ids(&service, "/v1/Datalists?$filter=lastModified%20ne%20null").await,
        [9]
    );
    assert_eq!(
        ids(
            &service,
            "/v1/Datalists?$filter=lastModifiedByUser%20eq%20'Kari%20Vik'"
        )
        .await,
        [9]
    );
    let lists = service.get("/v1/Datalists").await.json();
    assert_eq!(
        lists[1],
        json!({"id": 9, "name": "Machines", "description": "All presses", "lastModified": NOW, "lastModifiedByUser": "Kari Vik"})
    );
    assert_eq!(
        lists[0],
        json!({"id": 7, "name": "Areas", "description": null, "lastModified": null, "lastModifiedByUser": null})
    );
    let wrong = service.get("/v1/Datalists?$filter=nosuch%20eq%201").await;
    wrong.is_problem(400, "odata.unknown_property");
}

#[tokio::test]
async fn items_are_in_their_order_and_of_one_list() {
    let service = plant().await;
    // By position, then by id.
    assert_eq!(ids(&service, ITEMS).await, [2, 1, 5]);
    assert_eq!(ids(&service, "/v1/Datalists/7/items").await, [0; 0]);
    assert_eq!(
        service.get(ITEMS).await.json()[0],
        json!({"id": 2, "sortOrder": 2, "identifier": "M-1", "name": "Press 1"})
    );
    let missing = service.get("/v1/Datalists/8/items").await;
    missing.is_problem(404, "not_found");
    let option = service
        .get("/v1/Datalists/9/items?$filter=id%20eq%201")
        .await;
    option.is_problem(400, "odata.option");
}

#[tokio::test]
async fn a_new_item_comes_after_the_others_and_changes_its_list() {
    let service = plant().await;
    service.clock.advance(60);
    let made = service
        .post(ITEMS, &json!({"identifier": "m-1", "name": "Press 4"}))
        .await;
    assert_eq!(made.status, 200, "{}", made.text());
    let list = made.json();
    assert_eq!(
        list,
        json!({"id": 9, "name": "Machines", "description": "All presses", "lastModified": "2025-06-02T08:01:00Z", "lastModifiedByUser": null})
    );
    // The record of the answer is the list, which was not created.
    assert_eq!(made.header("location"), "");
    assert!(!made.header("etag").is_empty());
    assert_eq!(service.get("/v1/Datalists").await.json()[1], list);
    // Above all ids of items, whatever their list.
    assert_eq!(ids(&service, ITEMS).await, [2, 1, 5, 10]);
    let items = service.get(ITEMS).await.json();
    assert_eq!(
        items[3],
        json!({"id": 10, "sortOrder": 6, "identifier": "m-1", "name": "Press 4"})
    );
    let nameless = service
        .post("/v1/Datalists/7/items", &json!({"identifier": "M-1"}))
        .await;
    assert_eq!(nameless.status, 200, "{}", nameless.text());
    assert_eq!(
        service.get("/v1/Datalists/7/items").await.json(),
        json!([{"id": 11, "sortOrder": 1, "identifier": "M-1", "name": null}])
    );
}

#[tokio::test]
async fn an_item_that_is_there_or_has_no_identifier_is_refused_and_nothing_changes() {
    let service = plant().await;
    let before = service.get("/v1/Datalists").await.text();
    let twice = service.post(ITEMS, &json!({"identifier": "M-2"})).await;
    twice.is_problem(409, "data_list.identifier_exists");
    for (body, field) in [
        (json!({"name": "Press"}), "identifier"),
        (json!({"identifier": null}), "identifier"),
        (json!({"identifier": ""}), "identifier"),
        (json!({"identifier": "ø".repeat(256)}), "identifier"),
        (json!({"identifier": "x", "name": "ø".repeat(256)}), "name"),
    ] {
        let refused = service.post(ITEMS, &body).await;
        let problem = refused.is_problem(400, "body.invalid");
        assert!(problem["errors"][field].is_array(), "{body}: {problem}");
    }
    let missing = service
        .post("/v1/Datalists/8/items", &json!({"identifier": "x"}))
        .await;
    missing.is_problem(404, "not_found");
    assert_eq!(service.get("/v1/Datalists").await.text(), before);
    assert_eq!(ids(&service, ITEMS).await, [2, 1, 5]);
}

async fn post_as(service: &Service, token: &str, key: Option<&str>, body: &Value) -> Answer {
    let request = service.http.post(service.url(ITEMS)).bearer_auth(token);
    let request = match key {
        Some(key) => request.header("idempotency-key", key),
        None => request,
    };
    Answer::of(request.json(body)).await
}

#[tokio::test]
async fn an_item_is_added_once_under_a_key_and_by_a_client_that_cannot_read() {
    let service = plant().await;
    let body = json!({"identifier": "M-9"});
    let token = service.token_for(&["Data.ReadWrite"]).await;
    let first = post_as(&service, &token, Some("k"), &body).await;
    assert_eq!(first.status, 200, "{}", first.text());
    let again = post_as(&service, &token, Some("k"), &body).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.json(), first.json());
    assert_eq!(ids(&service, ITEMS).await.len(), 4);
    let write_only = service.token_for(&["public.api.write"]).await;
    let shown = post_as(&service, &write_only, None, &json!({"identifier": "M-10"})).await;
    // Its own request sets nothing of the list.
    assert_eq!(shown.json()["description"], Value::Null);
    assert_eq!(shown.json()["name"], "Machines");
    let reader = service.token_for(&["Data.Read"]).await;
    let refused = post_as(&service, &reader, None, &json!({"identifier": "M-11"})).await;
    refused.is_problem(403, "scope.missing");
    let elsewhere = service.token_for(&["Projects.Read"]).await;
    let refused = service.get_as(Some(&elsewhere), "/v1/Datalists").await;
    refused.is_problem(403, "scope.missing");
}

/// Lists belong to the whole plant: no grant hides them.
#[tokio::test]
async fn a_restricted_client_reads_all_lists() {
    let service = plant().await;
    let token = restricted(&service, &["Data.Read"], &["area=3", "group=4"]).await;
    let lists = service.get_as(Some(&token), "/v1/Datalists").await;
    assert_eq!(lists.json().as_array().map(Vec::len), Some(3));
    let items = service.get_as(Some(&token), ITEMS).await;
    assert_eq!(items.json().as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn the_audit_log_has_the_item() {
    let service = plant().await;
    let body = json!({"identifier": "M-9", "name": "Press 9"});
    assert_eq!(service.post(ITEMS, &body).await.status, 200);
    let entries = service.store().read(|session| {
        let sql =
            "SELECT operation, record, change FROM audit_entries ORDER BY number DESC LIMIT 1";
        session.first(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?, row.string(2)?])
        })
    });
    let entry = entries.await.expect("read").expect("an entry");
    let [operation, record, change] = entry.map(Option::unwrap_or_default);
    assert_eq!(
        (operation.as_str(), record.as_str(), change.as_str()),
        (
            "createDataListItem",
            "datalists/9/items/10",
            r#"{"after":{"sortOrder":6,"identifier":"M-9","name":"Press 9"}}"#
        )
    );
}

async fn import(service: &Service, folder: &Path, on_conflict: OnConflict) -> Result<(), String> {
    let options = ImportOptions {
        on_conflict,
        ..ImportOptions::default()
    };
    let done = import_dir(folder, service.db(), options, Arc::new(())).await;
    done.map(drop).map_err(|fault| fault.to_string())
}

fn write(folder: &Path, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("data_lists.jsonl"), text).expect("a file");
}

#[tokio::test]
async fn what_is_exported_is_imported_and_no_id_of_an_item_is_issued_twice() {
    let service = plant().await;
    assert_eq!(
        service
            .post(ITEMS, &json!({"identifier": "M-9"}))
            .await
            .status,
        200
    );
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("first");
    let options = ExportOptions::default();
    export_dir(&first, service.db(), options, Arc::new(()))
        .await
        .expect("exported");
    let lists = fs::read_to_string(first.join("data_lists.jsonl")).expect("a file");
    assert!(
        lists.contains(r#"{"id":7,"name":"Areas"}"#)
            && lists.contains(r#""items":[{"id":1,"sortOrder":5,"identifier":"M-3"},{"id":2,"#),
        "{lists}"
    );
    let store = fs::read_to_string(first.join("store.jsonl")).expect("a file");
    assert!(store.contains(r#""lastDataListItemId":10"#), "{store}");

    let copy = Service::start().await;
    import(&copy, &first, OnConflict::Fail)
        .await
        .expect("imported");
    let second = folder.path().join("second");
    export_dir(&second, copy.db(), options, Arc::new(()))
        .await
        .expect("exported");
    for name in ["data_lists.jsonl", "store.jsonl"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(name)).expect("a file");
        assert_eq!(read(&first), read(&second), "{name}");
    }
    // A replaced list loses its items; the ids of these are gone for good.
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("a folder");
    write(
        &other,
        &[json!({"id": 9, "name": "Machines", "items": [{"id": 3, "identifier": "M-5"}]})],
    );
    import(&copy, &other, OnConflict::Replace)
        .await
        .expect("replaced");
    assert_eq!(ids(&copy, ITEMS).await, [3]);
    let list = copy.get("/v1/Datalists?$filter=id%20eq%209").await.json();
    // A change: it has the stamp of the import.
    assert!(list[0]["lastModified"].as_str() > Some(NOW), "{list}");
    assert_eq!(
        copy.post(ITEMS, &json!({"identifier": "M-6"})).await.status,
        200
    );
    assert_eq!(ids(&copy, ITEMS).await, [3, 11]);
}

#[tokio::test]
async fn a_wrong_line_is_named() {
    let service = plant().await;
    let folder = tempfile::tempdir().expect("a folder");
    let item = |id: i32, identifier: &str| json!({"id": id, "identifier": identifier});
    for (line, fault) in [
        (
            json!({"id": 1, "name": "x", "items": [item(20, "a"), item(20, "b")]}),
            "field items[1].id: found 20 twice, expected each id once",
        ),
        (
            json!({"id": 1, "name": "x", "items": [item(20, "a"), item(21, "a")]}),
            "field items[1].identifier: found \"a\" twice, expected each identifier once",
        ),
        (
            json!({"id": 1, "name": "x", "items": [item(2, "a")]}),
            "field items[0].id: found 2, an item of data list 9, expected an id of no other list",
        ),
        (
            json!({"id": 1, "name": "x", "items": [item(20, "")]}),
            "field items[0].identifier: found an empty text, expected at least one character",
        ),
        (
            json!({"id": 1, "name": "x", "items": [{"id": 20}]}),
            "field items[0].identifier: found nothing, expected a value",
        ),
        (
            json!({"id": 1, "name": "x", "lastModifiedByUserId": "u-9"}),
            "field lastModifiedByUserId: found \"u-9\", expected the id of a user in the folder or in the database",
        ),
        (
            json!({"id": 1, "name": "x", "lastModified": "2999-01-01T00:00:00Z"}),
            "field lastModified: found 2999-01-01T00:00:00Z, expected at most a day after now, as every later change has to have a later one",
        ),
    ] {
        write(folder.path(), &[line]);
        let found = import(&service, folder.path(), OnConflict::Fail).await;
        let expected = format!("data_lists.jsonl, line 1, {fault}");
        assert_eq!(found, Err(expected));
    }
    assert_eq!(ids(&service, "/v1/Datalists").await, [7, 9, 10]);
}
