//! A database of an older version with rows is upgraded, and then answers like a file that was upgraded and
//! like a new database with the same rows imported.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::{ImportOptions, import_dir};
use obeya_server::migrate::verify;
use obeya_server::store::{Store, StoreError, StoreOptions, stamp, testing};
use obeya_server::{Clock, Config, Server};

use obeya_testkit::postgres::Scratch;

/// The version before idempotency records, the counter of value ids, and the list of incidents.
const OLD: usize = 4;

/// Earlier than the stamps of the rows, to show that new stamps are later than those.
const NOW: &str = "2025-03-01T08:00:00Z";

/// Rows of that version, for every table that a later one reads or extends. The search terms of records are
/// those of the program of that time.
const ROWS: &str = "
INSERT INTO users (id, user_name, display_name) VALUES ('u-1', 'ingrid.solheim', 'Ingrid Solheim'), ('u-2', 'tomas.berg', 'Tomas Berg');
INSERT INTO projects (id, name) VALUES (8, 'New line');
INSERT INTO areas (id, name, description) VALUES (2, 'Press hall', 'Ø-blokka');
INSERT INTO groups (id, type, name) VALUES (4, 'GENERAL', 'Assembly team');
INSERT INTO group_members (group_id, user_id) VALUES (4, 'u-1');
INSERT INTO data_lists (id, name) VALUES (9, 'Machines');
INSERT INTO incident_types (id, title, description) VALUES (3, 'Quality deviation', 'Not as it should be'), (6, 'Near miss', NULL);
INSERT INTO type_categories (id, incident_type_id, parent_id, title, sort_order) VALUES
    (30, 3, NULL, 'Origin', 2), (31, 3, 30, 'Own process', 2), (32, 3, 30, 'Supplier', 1), (60, 6, NULL, 'Falling object', 1);
INSERT INTO type_consequences (id, incident_type_id, title, unit) VALUES (51, 3, 'Scrapped parts', 'pcs'), (52, 3, 'Downtime', NULL);
INSERT INTO type_causes (id, incident_type_id, title, sort_order) VALUES (41, 3, 'Worn fixture', 2), (42, 3, 'Wrong setting', 1);
INSERT INTO type_custom_fields (id, incident_type_id, label, type, sort_order, data_list_id) VALUES
    (61, 3, 'Order number', 'text', 2, NULL), (62, 3, 'Machine', 'list', 1, 9);
INSERT INTO incidents (id, incident_type_id, project_id, area_id, reported_by_group_id, reported_by_user_id, reported_by, reported_date, follow_up_group_id,
        responsible_user_id, status, severity, title, text, incident_date, resolved_date, due_date, evaluation_status, evaluation_text, is_anonymous,
        external_id, number_of_actions, number_of_attachments, status_new_date, last_modified, deleted_date) VALUES
    (100, 3, 8, 2, 4, 'u-2', NULL, 17400000000000000, 4, 'u-1', 'Resolved', 'High', 'Crack', 'Left flange', 20148, 17401000000000001, 17402000000000000, 'Good',
        'Held', 0, 'c7', 3, 2, 17400000000000000, 17401000000000001, NULL),
    (101, 3, NULL, NULL, NULL, 'u-2', 'Tomas', 17400000000000000, NULL, NULL, 'New', 'Low', 'Theft', NULL, 20147, NULL, NULL, NULL, NULL, 1, NULL, 0, 0, NULL,
        17408160000000300, NULL),
    (102, 3, NULL, 2, NULL, NULL, 'Kari', 17400000000000000, NULL, NULL, 'New', 'None', 'Gone', NULL, 20146, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, NULL,
        17403000000000000, 17403000000000000),
    (103, 6, NULL, NULL, NULL, NULL, NULL, 17400000000000000, NULL, NULL, 'InProgress', 'Medium', 'Slipped', NULL, 20149, NULL, NULL, NULL, NULL, 0, NULL, 0, 0,
        NULL, 17404000000000000, NULL);
INSERT INTO incidents_search (rowid, document) VALUES (100, ' crack left flange '), (101, ' theft '), (102, ' gone '), (103, ' slipped ');
INSERT INTO incident_categories (incident_id, category_id) VALUES (100, 31), (100, 32), (102, 31);
INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES (100, 51, 14.5), (100, 52, NULL), (102, 51, 1.0);
INSERT INTO incident_causes (incident_id, cause_id) VALUES (100, 41), (100, 42), (102, 42);
INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, data_list_value, registration_date) VALUES
    (100, 61, 'M-1', NULL, 17400000000000000), (100, 62, 'Press 2', 'Press 2', 17400000000000001), (102, 61, '', NULL, 17400000000000000);
INSERT INTO incident_comments (id, incident_id, text, comment_date, commented_by, commented_by_user_id, parent_id, level) VALUES
    (1, 100, 'Seen at the press', 17400000000000000, NULL, 'u-1', NULL, 0), (2, 100, 'Known', 17400000000000001, 'Somebody', NULL, 1, 1),
    (3, 102, 'Seen no more', 17400000000000002, NULL, NULL, NULL, 0);
INSERT INTO comments_search (rowid, document) VALUES (1, ' seen at the press '), (2, ' known '), (3, ' seen no more ');
INSERT INTO improvement_categories (id, title) VALUES (12, 'Quality');
INSERT INTO improvements (id, status, archived_from, title, group_id, category_id, suggested_by_user_id, suggestion_date, archived_date, cost_of_investment,
        like_count, last_modified) VALUES
    (317, 'Planned', NULL, 'Second clamp', 4, 12, 'u-2', 17400000000000000, NULL, 4200.5, 5, 17408160000000400),
    (318, 'Archived', 'InProgress', 'Old idea', NULL, NULL, NULL, 17400000000000000, 17401000000000000, NULL, 0, 17401000000000000);
INSERT INTO datasources (id, title, value_count, change_counter) VALUES (1, 'Output', 3, 7), (2, 'Nothing yet', 0, 0);
INSERT INTO datasource_elements (datasource_id, id, label, type, source_column, sort_order) VALUES (1, 'e1', 'Shift', 'text', 'dimension', 2),
    (1, 'Line', NULL, 'list', 'dimension2', 1), (1, '2', NULL, 'text', 'dimension3', 3), (1, '02', NULL, 'text', 'dimension4', 4), (1, '2147483648', NULL, 'text', NULL, 5),
    (2, '2147483647', NULL, 'text', NULL, 1), (2, '', NULL, 'text', NULL, 0), (2, '-1', NULL, 'text', NULL, 2);
INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, area_id, dimension) VALUES
    (1, 17400000000000000, 40, 0.1, 17408160000000500, 2, 'Day'), (1, 17400000000000000, 5, -3.0, 17400000000000000, NULL, NULL),
    (1, 17399000000000000, 12, 1e300, 17400000000000000, NULL, 'Natt');
UPDATE stamps SET last = 17408160000000200;
";

/// The requests to every database; the answers are equal.
const QUESTIONS: [&str; 29] = [
    "/v1/Incidents",
    "/v1/Incidents?pageSize=1&page=2",
    "/v1/Incidents?TypeId=3&$orderby=lastModified desc",
    "/v1/Incidents?LastModifiedFrom=2025-02-20T10:00:00Z&IncidentDateTo=2025-03-02",
    "/v1/Incidents?$filter=consequences/any(c:c/amount gt 10) and causes/$count eq 2",
    "/v1/Incidents?$filter=customFields/any(f:f/dataListName eq 'Machines')",
    "/v1/Incidents/100",
    "/v1/Incidents/101",
    "/v1/Incidents/trash",
    "/v1/Incidents/types",
    "/v1/Incidents/100/comments",
    "/v1/Improvements",
    "/v1/Improvements/318",
    "/v1/Datasources",
    "/v1/Datasources/1",
    "/v1/Datasources/2",
    "/v1/Datasources/1/values",
    "/v1/Datasources/2/values",
    "/v2/incidents?$count=true&$expand=area,group,followUpGroup,type,comments",
    "/v2/incidents?$orderby=title desc&$filter=createdByUserId eq null",
    "/v2/incidents?$search=flange",
    "/v2/incidents?$search=gone",
    "/v2/areas?$search=blokk*",
    "/v2/incidents?$search=LÉFT",
    "/v2/incidents/types?$search=deviation OR miss",
    "/v2/incidents/types/6",
    "/v2/incidents/comments?$search=seen",
    "/v2/incidents/comments?$filter=contains(text,'the press')&$expand=incident",
    "/v2/incidents/comments?$filter=contains(text,'no more')",
];

/// The writes to every database; the answers are equal: with the next id and the next stamp.
const WRITES: [(&str, &str); 3] = [
    (
        "/v1/Incidents",
        r#"{"incidentTypeId": 3, "severity": "Low", "title": "Burr", "incidentDate": "2025-03-01", "categories": [{"id": 32}]}"#,
    ),
    (
        "/v1/Improvements",
        r#"{"title": "Better light", "suggestedByUserId": "u-1"}"#,
    ),
    (
        "/v1/Datasources/1/values",
        r#"{"value": 1.5, "valueDate": "2025-03-01T06:00:00Z"}"#,
    ),
];

/// Connections to PostgreSQL block, so waiting code has a separate runtime.
fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(work)
}

fn url_of(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// The schema of an older version in PostgreSQL, with these rows.
fn old(version: usize, rows: &str) -> Scratch {
    let scratch = Scratch::empty();
    testing::make_old(scratch.url(), version, rows);
    scratch
}

/// The answers of the service on a database.
async fn answers(url: &str) -> Vec<(String, Json)> {
    // The client is built with TLS although this speaks plain HTTP; a second installation fails and changes
    // nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut config = Config::new(url);
    let now = NOW.parse().expect("a timestamp");
    config.clock = Clock::new(move || now);
    // URLs in an answer are then equal, too.
    config.base_url = Some("http://plant.example".to_owned());
    let running = Server::start(config).await.expect("a service");
    let scopes = ["public.api.read", "public.api.write"];
    let address = format!("http://{}", running.address());
    let client = running.add_client("test", &scopes).await.expect("a client");
    let http = reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", &client.client_id),
        ("client_secret", &client.client_secret),
    ];
    let ask = async |request: reqwest::RequestBuilder| {
        let response = request.send().await.expect("an answer");
        let status = response.status();
        let text = response.text().await.expect("a body");
        assert_eq!(status, 200, "{text}");
        serde_json::from_str::<Json>(&text).expect("JSON")
    };
    let token = ask(http.post(format!("{address}/connect/token")).form(&form)).await;
    let token = token["access_token"].as_str().expect("a token");
    let mut answers = Vec::new();
    for path in QUESTIONS {
        let request = http.get(format!("{address}{path}"));
        answers.push((path.to_owned(), ask(request.bearer_auth(token)).await));
    }
    // The last value that was there goes, and its id with it.
    let last = http.delete(format!("{address}/v1/Datasources/1/values/40"));
    let gone = last.bearer_auth(token).send().await.expect("an answer");
    assert_eq!(gone.status(), 200);
    for (path, body) in WRITES {
        let request = http.post(format!("{address}{path}"));
        let request = request
            .header("content-type", "application/json")
            .body(body);
        answers.push((body.to_owned(), ask(request.bearer_auth(token)).await));
    }
    running.shutdown().await;
    answers
}

fn of<'a>(answers: &'a [(String, Json)], asked: &str) -> &'a Json {
    let found = answers.iter().find(|(question, _)| question == asked);
    &found.expect("it was asked").1
}

#[test]
fn a_database_with_rows_is_brought_up_to_date_as_a_file_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let scratch = old(OLD, ROWS);
    let file = folder.path().join("old.db");
    testing::make_old(&url_of(&file), OLD, ROWS);
    let file = url_of(&file);

    // Every row of every table.
    let compared = wait(verify(&file, scratch.url(), Arc::new(())));
    let compared = compared.expect("both are read");
    assert!(
        compared.differences.is_empty(),
        "{:?}",
        compared.differences
    );

    let lines = folder.path().join("lines");
    let with_reporters = ExportOptions {
        with_reporters: true,
    };
    let exported = export_dir(&lines, scratch.url(), with_reporters, Arc::new(()));
    wait(exported).expect("an export");
    let fresh = url_of(&folder.path().join("fresh.db"));
    let fresh_scratch = Scratch::empty();
    for url in [fresh.as_str(), fresh_scratch.url()] {
        let imported = import_dir(&lines, url, ImportOptions::default(), Arc::new(()));
        wait(imported).expect("an import");
    }

    let expected = wait(answers(&file));
    for url in [scratch.url(), fresh.as_str(), fresh_scratch.url()] {
        for ((asked, expected), (_, found)) in expected.iter().zip(wait(answers(url))) {
            assert_eq!(&found, expected, "{asked}");
        }
    }

    // And these are right, not only alike.
    let ids = |asked: &str| -> Vec<i64> {
        let answer = of(&expected, asked);
        let records = ["values", "value"]
            .iter()
            .find_map(|member| answer[member].as_array());
        let ids = records
            .expect("records")
            .iter()
            .map(|record| record["id"].as_i64());
        ids.map(|id| id.expect("an id")).collect()
    };
    assert_eq!(ids("/v1/Incidents"), [100, 101, 103]);
    assert_eq!(ids("/v1/Incidents/trash"), [102]);
    assert_eq!(ids(QUESTIONS[4]), [100]);
    assert_eq!(ids(QUESTIONS[5]), [100]);
    assert_eq!(ids("/v2/incidents?$search=flange"), [100]);
    assert_eq!(ids("/v2/incidents?$search=gone"), [0; 0]);
    assert_eq!(ids("/v2/areas?$search=blokk*"), [2]);
    assert_eq!(ids("/v2/incidents?$search=LÉFT"), [100]);
    assert_eq!(ids("/v2/incidents/types?$search=deviation OR miss"), [3, 6]);
    assert_eq!(ids("/v2/incidents/comments?$search=seen"), [1]);
    assert_eq!(ids("/v1/Datasources/1/values"), [12, 5, 40]);
    let crack = of(&expected, "/v1/Incidents/100");
    assert_eq!(
        of(&expected, "/v1/Incidents")["values"][0],
        *crack,
        "a list has the parts of the record itself"
    );
    assert_eq!(crack["customFields"][0]["dataListName"], "Machines");
    let elements = |asked: &str| -> Vec<Json> {
        let elements = of(&expected, asked)["elements"].as_array();
        let ids = elements.expect("elements").iter();
        ids.map(|one| json!([one["id"], one["key"]])).collect()
    };
    assert_eq!(
        elements("/v1/Datasources/1"),
        [
            json!([1, "Line"]),
            json!([3, "e1"]),
            json!([2, "2"]),
            json!([4, "02"]),
            json!([5, "2147483648"])
        ]
    );
    assert_eq!(
        elements("/v1/Datasources/2"),
        [
            json!([1, ""]),
            json!([2147483647, "2147483647"]),
            json!([2, "-1"])
        ]
    );
    // The latest stamp was that of a value, although lower stamps were later; the next one belonged to a
    // deleted value, whose id is not reused.
    for ((_, body), (id, member, stamp)) in WRITES.iter().zip([
        (104, "lastModified", "2025-03-01T08:00:00.0000502Z"),
        (319, "lastModified", "2025-03-01T08:00:00.0000503Z"),
        (41, "registrationDate", "2025-03-01T08:00:00.0000504Z"),
    ]) {
        let made = of(&expected, body);
        assert_eq!(
            (&made["id"], &made[member]),
            (&json!(id), &json!(stamp)),
            "{body}"
        );
    }
}

#[test]
fn stamps_go_on_after_the_latest_wherever_it_stands() {
    const LATEST: i64 = 17_408_160_000_009_000;
    for (table, column) in [
        ("stamps", "last"),
        ("incidents", "last_modified"),
        ("improvements", "last_modified"),
        ("datasource_values", "registration_date"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("old.db");
        let rows = format!("{ROWS} UPDATE {table} SET {column} = {LATEST};");
        let scratch = old(OLD, &rows);
        testing::make_old(&url_of(&file), OLD, &rows);
        for url in [url_of(&file).as_str(), scratch.url()] {
            let last = wait(async {
                let store = Store::open(url, &StoreOptions::default())
                    .await
                    .expect("up to date");
                let last = store.read(|session| stamp::last(session)).await;
                store.close().await;
                last.expect("a stamp")
            });
            assert_eq!(last, Some(LATEST), "{table}");
        }
    }
}

/// Of an answer with a record its id stays, and nothing else of it.
#[test]
fn answers_that_were_kept_become_ids_of_their_records() {
    /// The last version that stored them.
    const KEPT: usize = 9;
    const ROWS: &str = r#"
        INSERT INTO answers (client_id, operation, key, fingerprint, body, answered_at) VALUES
            ('c', 'createIncident', 'k', 'f', '{"id":7,"project":null,"reportedBy":"Ingrid Solheim","categories":[{"id":31}]}', 1),
            ('c', 'updateDatasourceValue', 'k', 'f', '{"id":2147483647,"dataSourceId":1}', 2),
            ('c', 'createDatasourceValues', 'k', 'f', '{"total":3}', 3),
            ('c', 'deleteDatasourceValues', 'k', 'f', '2', 4),
            ('c', 'deleteIncident', 'k', 'f', NULL, 5);"#;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("old.db");
    testing::make_old(&url_of(&file), KEPT, ROWS);
    let scratch = old(KEPT, ROWS);
    for url in [url_of(&file).as_str(), scratch.url()] {
        let kept = wait(async {
            let store = Store::open(url, &StoreOptions::default())
                .await
                .expect("up to date");
            let kept = store.read(|session| {
                let sql = "SELECT record_id, body FROM answers ORDER BY answered_at";
                session.all(sql, &[], |row| Ok((row.int(0)?, row.string(1)?)))
            });
            let kept: Result<_, StoreError> = kept.await;
            store.close().await;
            kept.expect("rows")
        });
        let figures = |text: &str| (None, Some(text.to_owned()));
        let expected = [
            (Some(7), None),
            (Some(i64::from(i32::MAX)), None),
            figures(r#"{"total":3}"#),
            figures("2"),
            (None, None),
        ];
        assert_eq!(kept, expected, "{url}");
    }
}
