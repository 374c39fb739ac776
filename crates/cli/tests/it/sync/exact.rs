//! Full at first, then only what changed; each time what the service has.

use obeya::Client;
use obeya::model::{
    CategoryInput, CauseInput, ConsequenceInput, CustomFieldInput, DatasourceValueInput,
    ImprovementCreate, IncidentCreate, IncidentSeverity, IncidentStatus,
};
use serde_json::json;

use super::copy::{Copy, assert_same};
use super::plant::{Plant, WHISTLER};
use super::wire::{FIELDS, tables};

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_what_the_service_has_at_first_and_after_every_kind_of_change() {
    let plant = Plant::new(60, 1200);
    let client = plant.client();
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        let to = copy.to();
        plant.sync(&to, &[]).success();
        assert_same(&copy.tables().await, &tables(&client, FIELDS).await, &to);
        let again = plant.sync(&to, &[]).success();
        for (table, rows) in [("incidents", "60"), ("values", "1\u{2009}200")] {
            assert_eq!(
                counts(&again, table),
                [rows, "0", "0", "0", rows],
                "{again}"
            );
        }
    }
    change(&client).await;
    let service = tables(&client, FIELDS).await;
    for copy in &copies {
        let to = copy.to();
        let out = plant.sync(&to, &[]).success();
        assert_same(
            &copy.tables().await,
            &service,
            &format!("{to} changed\n{out}"),
        );
    }
}

/// Every operation that writes, at least once.
async fn change(client: &Client) {
    let incidents = client.incidents();
    for id in [2, 3, 4, 5] {
        incidents.delete(id).await.expect("deleted");
    }
    incidents.restore(4).await.expect("restored");
    incidents
        .set_status(6, IncidentStatus::InProgress)
        .await
        .expect("set");
    incidents
        .set_severity(7, IncidentSeverity::High)
        .await
        .expect("set");
    incidents
        .set_consequences(8, &[ConsequenceInput::new(52)])
        .await
        .expect("set");
    incidents
        .set_causes(10, &[] as &[CauseInput])
        .await
        .expect("set");
    incidents
        .set_categories(12, &[CategoryInput::new(32)])
        .await
        .expect("set");
    incidents
        .set_custom_field(14, 62, "Press 2")
        .await
        .expect("set");
    let created = IncidentCreate {
        custom_fields: Some(vec![CustomFieldInput {
            value: Some("1,8 m".to_owned()),
            ..CustomFieldInput::new(63)
        }]),
        is_anonymous: Some(true),
        ..IncidentCreate::new(
            6,
            IncidentSeverity::Low,
            "New one",
            "2026-04-01".parse().expect("a day"),
            vec![CategoryInput::new(60)],
        )
    };
    let created = incidents.create(&created).await.expect("created");
    let gone = IncidentCreate::new(
        6,
        IncidentSeverity::Low,
        "Never seen",
        "2026-04-01".parse().expect("a day"),
        vec![CategoryInput::new(60)],
    );
    let gone = incidents.create(&gone).await.expect("created");
    incidents.delete(gone.id).await.expect("deleted");
    assert!(created.id > 60);
    let improvements = client.improvements();
    improvements
        .create(&ImprovementCreate::new("Another", "u-1"))
        .await
        .expect("created");
    for id in [3, 29] {
        improvements.delete(id).await.expect("deleted");
    }
    let datasources = client.datasources();
    let value = |number: f64, date: &str| DatasourceValueInput {
        dimension: Some("Day".to_owned()),
        ..DatasourceValueInput::new(number, date.parse().expect("an instant"))
    };
    datasources
        .create_value(13, &value(1.0, "2024-02-29T00:00:00Z"))
        .await
        .expect("created");
    // Into another month, within its month, and out of a month of one's own.
    datasources
        .update_value(12, 1, &value(-0.5, "2030-01-01T00:00:00Z"))
        .await
        .expect("updated");
    datasources
        .update_value(12, 2, &value(0.1, "2025-01-31T23:59:59.9999999Z"))
        .await
        .expect("updated");
    datasources.delete_value(12, 3).await.expect("deleted");
    datasources
        .delete_values(14, &[5, 10, 15])
        .await
        .expect("deleted");
    let batch: Vec<_> = (0..50)
        .map(|minute| value(f64::from(minute), &format!("2026-05-01T00:{minute:02}:00Z")))
        .collect();
    datasources
        .create_values(12, &batch)
        .await
        .expect("created");
    let (from, to) = ("2025-03-01T00:00:00Z", "2025-03-31T00:00:00Z");
    let inside = [value(7.0, "2025-03-05T00:00:00Z")];
    datasources
        .replace_values(
            12,
            from.parse().expect("an instant"),
            to.parse().expect("an instant"),
            &inside,
        )
        .await
        .expect("replaced");
    // As many as are created elsewhere: the number alone would not tell.
    datasources.delete_value(14, 20).await.expect("deleted");
    datasources
        .create_value(14, &value(2.0, "2025-01-02T00:00:00Z"))
        .await
        .expect("created");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_for_good_is_found_without_a_trash() {
    let plant = Plant::new(3000, 0);
    let client = plant.client();
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        plant
            .sync(&copy.to(), &["--only", "improvements"])
            .success();
    }
    for id in [1, 700, 701, 1500] {
        client.improvements().delete(id).await.expect("deleted");
    }
    for copy in &copies {
        let out = plant
            .sync(&copy.to(), &["--only", "improvements"])
            .success();
        assert_eq!(
            counts(&out, "improvements"),
            ["1\u{2009}496", "0", "0", "4", "1\u{2009}496"],
            "{out}"
        );
        let ids: Vec<i64> = copy
            .rows("improvements")
            .await
            .iter()
            .map(|row| row["id"].as_i64().expect("an id"))
            .collect();
        assert_eq!(ids.len(), 1496);
        assert!([1, 700, 701, 1500].iter().all(|id| !ids.contains(id)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_field_keeps_its_column_and_its_old_label_is_no_way_to_it() {
    let plant = Plant::new(8, 0);
    let client = plant.client();
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        plant.sync(&copy.to(), &[]).success();
    }
    // The field with the label "Order number" is now "Purchase", and a new one has that label.
    plant.import_more("incident_types.jsonl", &[json!({"id": 3, "title": "Quality of parts",
        "customFields": [{"id": 61, "label": "Purchase", "type": "text"}, {"id": 62, "label": "Machine no.", "type": "text"}, {"id": 65, "label": "Status", "type": "text"}, {"id": 66, "label": "Order number", "type": "text"}],
        "categories": [{"id": 31, "title": "Own process"}, {"id": 32, "title": "Supplier"}],
        "consequences": [{"id": 51, "title": "Scrap", "unit": "pcs"}, {"id": 52, "title": "Downtime", "unit": "min"}],
        "causes": [{"id": 41, "title": "Worn fixture"}, {"id": 42, "title": "Haste"}]})]);
    client
        .incidents()
        .set_custom_field(2, 66, "the new one")
        .await
        .expect("set");
    let fields = [
        (61, "order_number"),
        (63, "order_number_63"),
        (65, "status_65"),
        (66, "order_number_66"),
    ];
    let service = tables(&client, &fields).await;
    for copy in &copies {
        let to = copy.to();
        plant.sync(&to, &[]).success();
        assert_same(&copy.tables().await, &service, &to);
        let rows = copy.rows("incidents").await;
        let row = rows
            .iter()
            .find(|row| row["id"] == json!(2))
            .expect("there");
        assert_eq!(
            (&row["order_number"], &row["order_number_66"]),
            (&json!("M-2"), &json!("the new one"))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reported_anonymously_is_in_no_table_of_what_was_reported() {
    let plant = Plant::new(20, 0);
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        plant.sync(&copy.to(), &[]).success();
        for table in [
            "incidents",
            "comments",
            "groups",
            "incident_custom_fields",
            "tasks",
            "task_comments",
        ] {
            let rows = format!("{:?}", copy.rows(table).await);
            assert!(
                !rows.contains(WHISTLER) && !rows.contains("u-9"),
                "{table} of {}",
                copy.to()
            );
        }
        let rows = copy.rows("incidents").await;
        assert_eq!(
            rows.iter()
                .filter(|row| row["reported_by"] == json!("Ingrid"))
                .count(),
            10
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_read_anew_when_asked_for() {
    let plant = Plant::new(10, 100);
    let client = plant.client();
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        plant.sync(&to, &[]).success();
        let out = plant.sync(&to, &["--full"]).success();
        assert_eq!(
            counts(&out, "incidents"),
            ["10", "0", "0", "0", "10"],
            "{out}"
        );
        assert_eq!(
            counts(&out, "values"),
            ["100", "0", "0", "0", "100"],
            "{out}"
        );
        assert_same(&copy.tables().await, &tables(&client, FIELDS).await, &to);
    }
}

/// What nobody changed is read anew too: no stamp and no number shows that a row is wrong.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_wrong_are_right_once_everything_was_read_anew() {
    let plant = Plant::new(10, 100);
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    plant.sync(&to, &[]).success();
    let spoilt = rusqlite::Connection::open(plant.file("copy.db")).expect("a database");
    for (table, column) in [
        ("incidents", "title"),
        ("comments", "text"),
        ("improvements", "title"),
        ("areas", "name"),
        ("datasource_values", "dimension"),
    ] {
        let sql = format!("UPDATE {table} SET {column} = 'spoilt' WHERE id = 2");
        assert_eq!(spoilt.execute(&sql, []).expect("updated"), 1, "{table}");
    }
    drop(spoilt);
    plant.sync(&to, &["--full"]).success();
    let service = tables(&plant.client(), FIELDS).await;
    assert_same(&copy.tables().await, &service, &to);
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_a_datasource_that_is_gone_are_gone_from_the_copy() {
    let plant = Plant::new(2, 60);
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        plant.sync(&copy.to(), &[]).success();
    }
    // No operation deletes a datasource.
    let database = rusqlite::Connection::open(plant.file("plant.db")).expect("a database");
    let sql = "DELETE FROM datasource_values WHERE datasource_id = 14; DELETE FROM datasources WHERE id = 14";
    database.execute_batch(sql).expect("deleted");
    for copy in &copies {
        let to = copy.to();
        let out = plant.sync(&to, &[]).success();
        assert!(out.contains("is up to date"), "{out}");
        assert_eq!(counts(&out, "values"), ["48", "0", "0", "12", "48"], "{to}");
        let rows = copy.rows("datasource_values").await;
        assert_eq!(rows.len(), 48, "{to}");
        assert!(
            rows.iter().all(|row| row["datasource_id"] == json!(12)),
            "{to}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_read_anew_once_when_a_group_or_a_type_changed_and_all_lists_are_taken_along() {
    let plant = Plant::new(10, 0);
    let copy = Copy::Sqlite(plant.folder.path().join("copy.db"));
    let to = copy.to();
    // What a run does not read stays as it is made here.
    let spoil = || {
        let copy = rusqlite::Connection::open(plant.file("copy.db")).expect("a database");
        for table in ["incidents", "improvements"] {
            let sql = format!("UPDATE {table} SET title = 'spoilt' WHERE id = 1");
            assert_eq!(copy.execute(&sql, []).expect("updated"), 1);
        }
    };
    let spoilt = async || {
        let mut spoilt = Vec::new();
        for table in ["incidents", "improvements"] {
            let rows = copy.rows(table).await;
            if rows.iter().any(|row| row["title"] == json!("spoilt")) {
                spoilt.push(table);
            }
        }
        spoilt
    };
    plant.sync(&to, &[]).success();
    spoil();
    for only in ["incidents,comments", "groups", "types,improvements"] {
        plant.sync(&to, &["--only", only]).success();
        plant.sync(&to, &[]).success();
        assert_eq!(spoilt().await, ["incidents", "improvements"], "{only}");
    }
    // A group that no record names, so that none is stamped.
    let renamed = json!({"id": 1, "type": "BUSINESSUNIT", "name": "Sørvik"});
    plant.import_more("groups.jsonl", &[renamed]);
    let some = ["--only", "groups,types,incidents"];
    plant.sync(&to, &some).success();
    assert_eq!(spoilt().await, ["improvements"]);
    plant.sync(&to, &[]).success();
    assert_eq!(spoilt().await, [] as [&str; 0]);
    spoil();
    plant.sync(&to, &[]).success();
    assert_eq!(spoilt().await, ["incidents", "improvements"]);
}

/// The figures of a line.
pub fn counts(out: &str, table: &str) -> Vec<String> {
    let line = out.lines().find(|line| {
        line.split('┆')
            .next()
            .is_some_and(|name| name.trim_matches([' ', '│']) == table)
    });
    let line = line.unwrap_or_else(|| panic!("no {table} in\n{out}"));
    line.split('┆')
        .skip(1)
        .map(|cell| cell.trim_matches([' ', '│']).to_owned())
        .collect()
}
