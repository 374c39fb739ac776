//! Erasing a user: nothing of it is left, records stay, and copies learn of it.

use obeya_server::admin::{AdminError, Erasure, erase_user};
use obeya_server::store::audit::expire;
use obeya_server::store::{Session, StoreError};
use serde_json::{Value, json};

use crate::audit::verified;
use crate::incidents_plant::{fill, least, with};
use crate::support::{START, Service, sql};

/// The user, with texts that occur nowhere else. The quotation mark is another character in JSON.
const USER: [&str; 3] = ["u-zorn", "zeno.zorn@plant.example", "Zeno \"Z\" Zorn"];

const DRY_RUN: Erasure = Erasure {
    with_names: false,
    dry_run: true,
};

/// A plant in which the user occurs wherever a user can.
async fn plant() -> Service {
    let service = Service::start().await;
    let filled = service.store().write(|session| {
        fill(session)?;
        let sql = "INSERT INTO users (id, user_name, display_name, email) VALUES (?1, ?2, ?3, ?2)";
        session.execute(sql, &USER.map(Into::into))?;
        for statement in [
            "INSERT INTO group_members (group_id, user_id) VALUES (4, ?1)",
            "INSERT INTO project_members (project_id, user_id, role) VALUES (8, ?1, 'Owner')",
            "UPDATE data_lists SET last_modified_by_user_id = ?1 WHERE id = 9",
            "UPDATE incidents SET reported_by_user_id = ?1, reported_by = ?2, latitude = 59.66875, longitude = 9.64625, accuracy_in_meters = 12.5",
            // Only changed last by the user; 91 is anonymous.
            "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, is_anonymous, last_modified, latitude, last_modified_by_user_id)
                VALUES (90, 3, 10, 'New', 'Low', 'Slip', 20000, 0, 10, 60.5, ?1), (91, 3, 10, 'New', 'Low', 'Fall', 20000, 1, 10, 60.5, ?1)",
            "UPDATE incident_comments SET commented_by_user_id = ?1, commented_by = ?2 WHERE id = 2",
            "UPDATE improvements SET suggested_by_user_id = ?1, suggested_by = ?2 WHERE id = 317",
            "UPDATE improvements SET last_modified_by_user_id = ?1 WHERE id = 318",
            "UPDATE board_lines SET responsible_user_id = ?1 WHERE id = 75",
            "INSERT INTO tasks (id, title, status, responsible_user_id, last_modified_by_user_id, last_modified)
                VALUES (500, 'Clamp', 'NotStarted', ?1, NULL, 10), (501, 'Table', 'NotStarted', NULL, ?1, 10), (502, 'Rules', 'NotStarted', NULL, NULL, 10)",
            "INSERT INTO task_comments (id, task_id, text, comment_date, commented_by, commented_by_user_id)
                VALUES (600, 502, 'Seen', 10, ?2, ?1), (601, 502, 'Known', 10, 'Another', 'u-104')",
            "INSERT INTO type_custom_fields (id, incident_type_id, label, type) VALUES (64, 3, 'Seen by', 'user')",
            "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, registration_date) VALUES (100, 64, ?1, 1)",
            "INSERT INTO datasources (id, title, value_count) VALUES (1, 'Output', 0), (2, 'Scrap', 2)",
            "INSERT INTO datasource_elements (datasource_id, id, type, source_column) VALUES (2, 'who', 'user', 'Dimension2')",
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, dimension, dimension2)
                VALUES (2, 5, 1, 1.0, 5, 'early', ?1), (2, 6, 2, 1.0, 6, 'late', 'u-104')",
        ] {
            let binds = [USER[0].into(), USER[2].into()];
            let count = if statement.contains("?2") { 2 } else { statement.matches("?1").count().min(1) };
            session.execute(statement, &binds[..count])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    // And in the log: as a responsible user, as the author of an idea, and in a text.
    let responsible = json!({"followUpGroupId": 4, "responsibleUserId": USER[0]});
    let idea = json!({"title": "Light", "suggestedByUserId": USER[0]});
    let text = with(least(), &json!({"text": format!("Ask {}", USER[2])}));
    assert_eq!(
        service
            .put("/v1/Incidents/100/responsible", &responsible)
            .await
            .status,
        200
    );
    assert_eq!(service.post("/v1/Improvements", &idea).await.status, 200);
    assert_eq!(service.post("/v1/Incidents", &text).await.status, 200);
    service
}

/// Every table, as text.
async fn dump(service: &Service) -> String {
    const TABLES: [&str; 21] = [
        "users",
        "project_members",
        "data_lists",
        "group_members",
        "groups",
        "boards",
        "board_lines",
        "incidents",
        "incident_custom_fields",
        "incident_categories",
        "incident_comments",
        "improvements",
        "tasks",
        "task_comments",
        "datasources",
        "datasource_values",
        "audit_entries",
        "answers",
        "clients",
        "stamps",
        "type_custom_fields",
    ];
    let dumped = service.store().read(|session| {
        let tables = TABLES.iter().map(|table| sql::dump(session, table));
        tables.collect::<Result<String, StoreError>>()
    });
    dumped.await.expect("the tables")
}

fn counts(of: &obeya_server::store::users::Counts) -> Value {
    json!(of)
}

#[tokio::test]
async fn nothing_of_the_user_is_left_and_the_chain_is_whole() {
    let service = plant().await;
    let before = dump(&service).await;
    assert!(
        USER.iter()
            .all(|text| before.contains(&text.replace('"', "\\\""))),
        "{before}"
    );
    // Incidents 91 and 101 are anonymous and 102 in the trash; 103 is open, has the name in its text, and no
    // reporter.
    let expected = json!({"users": 1, "memberships": 1, "comments": 1, "taskComments": 1, "boardLines": 1, "projectMembers": 1, "dataLists": 1, "incidents": 3, "improvements": 3, "tasks": 2,
        "values": 1, "auditTexts": 3});
    let counted = erase_user(service.db(), USER[0], DRY_RUN)
        .await
        .expect("counted");
    assert_eq!(counts(&counted), expected);
    assert_eq!(dump(&service).await, before, "a dry run changes nothing");

    let erased = erase_user(service.db(), USER[0], Erasure::default())
        .await
        .expect("erased");
    assert_eq!(counts(&erased), expected);
    let after = dump(&service).await;
    for text in &USER[..2] {
        assert!(!after.contains(text), "{text}: {after}");
    }
    // A text that somebody wrote in a record stays; it is the only place with the name.
    assert_eq!(after.matches("Zorn").count(), 1, "{after}");
    let verified = verified(service.store(), None).await;
    assert_eq!((verified.fault, verified.erased), (None, 3));
    // The records are there, without the user.
    let comments = service.get("/v1/Incidents/100/comments").await.json();
    assert_eq!(comments[1]["comment"], "Known");
    assert_eq!(comments[1]["commentedBy"], Value::Null);
    let improvement = service.get("/v1/Improvements/317").await.json();
    assert_eq!(improvement["suggestedBy"], Value::Null);
    // Where the user was is gone too, and where others were is not.
    assert_eq!(with_a_place(&service).await, [90, 91]);
    let value = service.get("/v1/Datasources/2/values").await.json();
    assert_eq!(value["values"][0]["dimension"], "early");
    assert_eq!(value["values"][0]["dimension2"], Value::Null);

    let again = erase_user(service.db(), USER[0], Erasure::default()).await;
    assert!(
        matches!(again, Err(AdminError::UnknownUser(_))),
        "{again:?}"
    );
}

/// The incidents with a place.
async fn with_a_place(service: &Service) -> Vec<i32> {
    let asked = service.store().read(|session| {
        let sql = "SELECT id FROM incidents
            WHERE latitude IS NOT NULL OR longitude IS NOT NULL OR accuracy_in_meters IS NOT NULL ORDER BY id";
        session.all(sql, &[], |row| row.int32(0))
    });
    let ids: Result<Vec<Option<i32>>, StoreError> = asked.await;
    ids.expect("the ids").into_iter().flatten().collect()
}

/// A copy that follows the stamps sees every record that showed the user, and cannot tell what the user
/// reported in confidence.
#[tokio::test]
async fn the_records_that_showed_the_user_get_a_new_stamp_and_no_others() {
    let service = plant().await;
    let stamp = |table: &'static str, id: i32| {
        let store = service.store().clone();
        async move {
            let sql = format!("SELECT last_modified FROM {table} WHERE id = {id}");
            sql::number(&store, &sql).await
        }
    };
    let ids = [
        ("incidents", 90, true),
        ("incidents", 91, false),
        ("incidents", 100, true),
        ("incidents", 101, false),
        ("incidents", 102, true),
        ("incidents", 103, false),
        ("improvements", 317, true),
        ("improvements", 318, true),
        ("improvements", 319, false),
        ("tasks", 500, true),
        ("tasks", 501, true),
        ("tasks", 502, false),
    ];
    let mut before = Vec::new();
    for (table, id, _) in ids {
        before.push(stamp(table, id).await);
    }
    erase_user(service.db(), USER[0], Erasure::default())
        .await
        .expect("erased");
    for ((table, id, is_stamped), before) in ids.into_iter().zip(before) {
        assert_eq!(stamp(table, id).await > before, is_stamped, "{table} {id}");
    }
    // The state of the datasource is another one too, and the count of its values the same.
    let registered = "SELECT registration_date FROM datasource_values WHERE id";
    assert!(sql::number(service.store(), &format!("{registered} = 1")).await > 1_000);
    assert_eq!(
        sql::number(service.store(), &format!("{registered} = 2")).await,
        6
    );
    let count = "SELECT value_count FROM datasources WHERE id = 2";
    assert_eq!(sql::number(service.store(), count).await, 2);
}

/// Names that an import stored without an id: of the user by both of its names, and of others.
#[tokio::test]
async fn names_without_an_id_are_erased_on_request_where_they_are_exactly_those_of_the_user() {
    let service = plant().await;
    let filled = service.store().write(|session| {
        for (statement, name) in [
            ("UPDATE incidents SET reported_by_user_id = NULL, reported_by = ?1 WHERE id IN (100, 101)", USER[1]),
            ("UPDATE incidents SET reported_by_user_id = NULL, reported_by = ?1 WHERE id IN (102, 103)", "Zeno"),
            ("UPDATE improvements SET suggested_by_user_id = NULL, suggested_by = ?1 WHERE id = 319", USER[2]),
            ("INSERT INTO incident_comments (id, incident_id, text, comment_date, commented_by) VALUES (77, 103, 'Seen', 1, ?1)", USER[2]),
        ] {
            session.execute(statement, &[name.into()])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    let how = |with_names| Erasure {
        with_names,
        dry_run: true,
    };
    let without = erase_user(service.db(), USER[0], how(false)).await;
    assert!(!without.expect("counted").contains_key("names"));
    // Incident 100, comment 77 and improvement 319. Incident 101 is anonymous, so it is not counted.
    let counted = erase_user(service.db(), USER[0], how(true)).await;
    assert_eq!(counted.expect("counted")["names"], 3);

    let stamp = "SELECT last_modified FROM incidents WHERE id = ";
    let mut before = Vec::new();
    for id in [100, 101, 103] {
        before.push(sql::number(service.store(), &format!("{stamp}{id}")).await);
    }
    let how = Erasure {
        with_names: true,
        dry_run: false,
    };
    let erased = erase_user(service.db(), USER[0], how).await;
    assert_eq!(erased.expect("erased")["names"], 3);
    let after = dump(&service).await;
    for text in &USER[..2] {
        assert!(!after.contains(text), "{text}: {after}");
    }
    // The text that somebody wrote.
    assert_eq!(after.matches("Zorn").count(), 1, "{after}");
    // Another name, although a part of one is the same.
    let others = "SELECT count(*) FROM incidents WHERE reported_by = 'Zeno'";
    assert_eq!(sql::number(service.store(), others).await, 2);
    assert_eq!(with_a_place(&service).await, [90, 91, 102]);
    for ((id, is_stamped), before) in [(100, true), (101, false), (103, true)]
        .into_iter()
        .zip(before)
    {
        let now = sql::number(service.store(), &format!("{stamp}{id}")).await;
        assert_eq!(now > before, is_stamped, "{id}");
    }
}

/// Of the requests with a key only figures and ids are kept: there is nothing to erase.
#[tokio::test]
async fn kept_answers_have_nothing_of_a_user() {
    let service = plant().await;
    let body = with(
        least(),
        &json!({"createdByUserId": USER[0], "text": USER[2]}),
    );
    let headers = [("idempotency-key", "order-17")];
    let made = crate::etags::send(
        &service,
        (reqwest::Method::POST, "/v1/Incidents"),
        &headers,
        Some(&body),
    );
    assert_eq!(made.await.status, 200);
    let answers = service
        .store()
        .read(|session: &mut dyn Session| sql::dump(session, "answers"));
    let answers: String = answers.await.expect("the table");
    assert!(answers.contains("order-17"), "{answers}");
    assert!(!answers.contains("orn"), "{answers}");
}

/// A user whose id is a number may be in a column of numbers; and the statement of retention, which may
/// contain the characters of a name, is needed for the verification.
#[tokio::test]
async fn a_numeric_id_is_erased_and_the_statements_of_retention_stay() {
    let service = plant().await;
    let store = service.store();
    let filled = store.write(|session| {
        for statement in [
            "INSERT INTO users (id, user_name, display_name) VALUES ('517', 'count', 'hash')",
            "INSERT INTO datasources (id, title, value_count) VALUES (3, 'Checks', 0)",
            "INSERT INTO datasource_elements (datasource_id, id, type, source_column) VALUES (3, 'who', 'user', 'areaId')",
        ] {
            session.execute(statement, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    let ticks = |seconds: i64| (START + seconds) * 10_000_000;
    let expired = expire(store, ticks(1), ticks(60)).await;
    assert!(expired.expect("run") > 0);
    let value = json!({"value": 1, "valueDate": "2025-01-01T00:00:00Z", "areaId": 517});
    let other = json!({"value": 1, "valueDate": "2025-01-02T00:00:00Z", "assetId": 517});
    for value in [value, other] {
        let answer = service.post("/v1/Datasources/3/values", &value).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let erased = erase_user(service.db(), "517", Erasure::default())
        .await
        .expect("erased");
    assert_eq!((erased["values"], erased["auditTexts"]), (1, 1));
    let values = service.get("/v1/Datasources/3/values").await.json();
    let of = |property: &str| -> Vec<Value> {
        let values = values["values"].as_array().expect("a list").iter();
        let mut found: Vec<Value> = values.map(|value| value[property].clone()).collect();
        found.sort_by_key(Value::to_string);
        found
    };
    assert_eq!(of("areaId"), [Value::Null, Value::Null]);
    assert_eq!(of("assetId"), [json!(517), Value::Null]);
    let dumped = dump(&service).await;
    assert!(!dumped.contains(r#"\"areaId\":517"#), "{dumped}");
    assert!(dumped.contains(r#"\"assetId\":517"#), "{dumped}");
    assert_eq!(verified(store, None).await.fault, None);
}
