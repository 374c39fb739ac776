//! The lists of v1 over HTTP: which records are on which page, in what form, and what narrows them.

use std::collections::BTreeSet;

use obeya_server::store::{Session, StoreError};
use serde_json::json;

use crate::incidents_plant::{accepted, least_update, plant};
use crate::reads_plant::ids;
use crate::support::Service;

const INCIDENTS: &str = "/v1/Incidents";
const IMPROVEMENTS: &str = "/v1/Improvements";

/// More than are read at a time, and no multiple of it.
const MANY: i64 = 1_203;

async fn change(service: &Service, statements: Vec<String>) {
    let ran = service
        .store()
        .write(move |session| run(session, &statements));
    ran.await.expect("the statements fit the schema");
}

fn run(session: &mut dyn Session, statements: &[String]) -> Result<(), StoreError> {
    statements
        .iter()
        .try_for_each(|sql| session.execute(sql, &[]).map(drop))
}

/// Incidents 1000, 1001 … beside those of the plant: a category and a consequence each, three with each stamp.
async fn with_many(service: &Service) {
    let rows = |row: &dyn Fn(i64) -> String| {
        let rows: Vec<String> = (0..MANY).map(row).collect();
        rows.join(", ")
    };
    let incidents = rows(&|at| {
        format!(
            "({}, 3, 10, 'New', 'Low', 'Number {at}', {}, {})",
            1000 + at,
            20_000 - at % 7,
            1_000 + (MANY - at) / 3
        )
    });
    let categories = rows(&|at| format!("({}, {})", 1000 + at, 31 + at % 3));
    let consequences = rows(&|at| format!("({}, 51, {at}.5)", 1000 + at));
    change(service, vec![
        format!("INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified) VALUES {incidents}"),
        format!("INSERT INTO incident_categories (incident_id, category_id) VALUES {categories}"),
        format!("INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES {consequences}"),
    ])
    .await;
}

/// Total and ids of a page.
async fn found(service: &Service, query: &str) -> (i64, Vec<i64>) {
    found_in(service, INCIDENTS, query).await
}

async fn found_in(service: &Service, list: &str, query: &str) -> (i64, Vec<i64>) {
    let answer = service.get(&format!("{list}?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let answer = answer.json();
    (
        answer["total"].as_i64().expect("a number"),
        ids(&answer["values"]),
    )
}

/// The bytes of the records in a page.
fn records(page: &str) -> &str {
    let (_, values) = page.split_once("\"values\":[").expect("values");
    values.strip_suffix("]}").expect("the end")
}

#[tokio::test]
async fn a_listed_record_has_the_bytes_of_the_record_alone_and_of_the_answer_to_a_write() {
    let service = plant().await;
    change(
        &service,
        vec![
            "INSERT INTO incident_categories (incident_id, category_id) VALUES (100, 30), (100, 32), (100, 33)".to_owned(),
            "INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES (100, 52, NULL)".to_owned(),
            "INSERT INTO incident_causes (incident_id, cause_id) VALUES (100, 42)".to_owned(),
            "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, data_list_value, registration_date)
                VALUES (100, 62, 'Press 2', 'Press 2', 17), (100, 61, 'M-1 \"ø\"', NULL, 18)".to_owned(),
            "UPDATE incidents SET project_id = 8, area_id = 2, reported_by_group_id = 5, follow_up_group_id = 4, responsible_user_id = 'u-104',
                text = 'Left', evaluation_text = 'x' WHERE id = 100".to_owned(),
        ],
    )
    .await;
    let answer = accepted(&service, "PUT", "/v1/Incidents/100", &least_update()).await;
    // By their place in the type, then by id: categories 32 and 33 come first, then 30 and 31; cause 42 before 41.
    let of = |name: &str| ids(&answer[name]);
    assert_eq!(of("categories"), [32, 33, 30, 31]);
    assert_eq!(
        (of("consequences"), of("causes"), of("customFields")),
        (vec![51, 52], vec![42, 41], vec![61, 62])
    );

    let page = service
        .get(&format!("{INCIDENTS}?$filter=id eq 100"))
        .await
        .text();
    let alone = service.get("/v1/Incidents/100").await;
    assert_eq!(alone.status, 200);
    assert_eq!(records(&page), alone.text());
    assert_eq!(alone.json(), answer);
    let names: Vec<&str> = r#""numberOfAttachments": "consequences": "categories": "causes": "customFields": "status":"#.split(' ').collect();
    let places: Vec<usize> = names
        .iter()
        .map(|name| page.find(name).expect(name))
        .collect();
    assert!(places.is_sorted(), "{page}");

    // One without anything, and one whose reporter is hidden.
    let both = service
        .get(&format!("{INCIDENTS}?$filter=id gt 99"))
        .await
        .text();
    let second = service.get("/v1/Incidents/101").await.text();
    assert_eq!(records(&both), format!("{},{second}", alone.text()));

    let page = service.get(IMPROVEMENTS).await.text();
    let mut alone = Vec::new();
    for id in [317, 318, 319] {
        alone.push(service.get(&format!("{IMPROVEMENTS}/{id}")).await.text());
    }
    assert_eq!(
        page,
        format!(
            "{{\"total\":3,\"page\":1,\"values\":[{}]}}",
            alone.join(",")
        )
    );
    let answer = accepted(&service, "PUT", "/v1/Improvements/317", &json!({})).await;
    assert_eq!(service.get("/v1/Improvements/317").await.json(), answer);
}

#[tokio::test]
async fn what_is_in_the_trash_or_nowhere_is_not_found() {
    let service = plant().await;
    assert_eq!(found(&service, "").await, (2, vec![100, 101]));
    assert_eq!(found(&service, "$filter=id eq 102").await, (0, vec![]));
    service
        .get("/v1/Incidents/102")
        .await
        .is_problem(404, "not_found");
    service
        .get("/v1/Incidents/7")
        .await
        .is_problem(404, "not_found");
    service
        .get("/v1/Incidents/x")
        .await
        .is_problem(400, "path.invalid");
    service
        .get("/v1/Improvements/7")
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn pages_hold_every_record_once_and_in_order_and_the_total_is_that_of_all() {
    let service = plant().await;
    with_many(&service).await;
    let mut by_id = vec![100, 101];
    by_id.extend(1000..1000 + MANY);
    let total = MANY + 2;
    // What the statement above gives each: (stamp, id).
    let mut stamped: Vec<(i64, i64)> = (0..MANY)
        .map(|at| (1_000 + (MANY - at) / 3, 1000 + at))
        .collect();
    stamped.extend([(10, 100), (10, 101)]);
    stamped.sort_unstable();
    let up: Vec<i64> = stamped.iter().map(|(_, id)| *id).collect();
    stamped.sort_by_key(|(stamp, id)| (-stamp, *id));
    let down: Vec<i64> = stamped.iter().map(|(_, id)| *id).collect();

    for (order, expected) in [
        ("", &by_id),
        ("&$orderby=lastModified,id", &up),
        ("&$orderby=lastModified desc", &down),
    ] {
        assert_eq!(
            found(&service, &format!("pageSize=10000{order}")).await,
            (total, expected.clone()),
            "{order}"
        );
        for size in [400, 601, 1000] {
            let mut all = Vec::new();
            for page in 1..=total / size + 1 {
                let (counted, ids) =
                    found(&service, &format!("pageSize={size}&page={page}{order}")).await;
                assert_eq!(counted, total);
                all.extend(ids);
            }
            assert_eq!(&all, expected, "{size} {order}");
        }
    }
    assert_eq!(found(&service, "").await, (total, by_id[..1000].to_vec()));
    assert_eq!(
        service
            .get(&format!("{INCIDENTS}?page=3&pageSize=1000"))
            .await
            .text(),
        format!(r#"{{"total":{total},"page":3,"values":[]}}"#)
    );
    // The last page is full to the last record.
    assert_eq!(found(&service, "page=3&pageSize=402").await.1.len(), 401);
    assert_eq!(
        found(&service, "page=241&pageSize=5").await.1,
        by_id[1200..]
    );
    assert_eq!(found(&service, "page=242&pageSize=5").await.1, [0; 0]);

    // As many as are read at a time, once and twice.
    for end in [1500, 2000] {
        let query = format!("$filter=id ge 1000 and id lt {end}&pageSize=10000");
        assert_eq!(
            found(&service, &query).await,
            (end - 1000, (1000..end).collect())
        );
    }
    // Each has its own parts, in whichever stretch it is.
    let page = service
        .get(&format!("{INCIDENTS}?$filter=id ge 1000&pageSize=10000"))
        .await
        .json();
    for (at, incident) in (0..).zip(page["values"].as_array().expect("values")) {
        assert_eq!(ids(&incident["categories"]), [31 + at % 3], "{incident}");
        let at = i32::try_from(at).expect("small");
        assert_eq!(incident["consequences"][0]["amount"], f64::from(at) + 0.5);
    }
}

#[tokio::test]
async fn bounds_exclude_themselves_to_the_tick() {
    let service = plant().await;
    // 2025-06-02T08:00:00Z in ticks, and one more.
    change(&service, vec![
        "UPDATE incidents SET last_modified = 17488512000000000 WHERE id = 100".to_owned(),
        "UPDATE incidents SET last_modified = 17488512000000001, incident_date = 20001 WHERE id = 101".to_owned(),
        "UPDATE improvements SET last_modified = 17488512000000000 WHERE id = 317".to_owned(),
        "UPDATE improvements SET last_modified = 17488512000000001 WHERE id = 318".to_owned(),
    ])
    .await;
    let instant = "2025-06-02T08:00:00";
    for (query, expected, improvements) in [
        (format!("LastModifiedFrom={instant}Z"), vec![101], vec![318]),
        (
            format!("LastModifiedFrom={instant}.0000001Z"),
            vec![],
            vec![],
        ),
        (format!("LastModifiedTo={instant}Z"), vec![], vec![319]),
        (
            format!("LastModifiedTo={instant}.0000001Z"),
            vec![100],
            vec![317, 319],
        ),
        (
            format!("LastModifiedTo={instant}.0000002Z"),
            vec![100, 101],
            vec![317, 318, 319],
        ),
        (
            format!("LastModifiedFrom={instant}Z&LastModifiedTo={instant}.0000002"),
            vec![101],
            vec![318],
        ),
        // As other clients spell it, and without an offset, which is UTC; with one.
        (format!("lastmodifiedfrom={instant}"), vec![101], vec![318]),
        (
            "LastModifiedFrom=2025-06-02T10:00:00%2B02:00".to_owned(),
            vec![101],
            vec![318],
        ),
    ] {
        assert_eq!(found(&service, &query).await.1, expected, "{query}");
        assert_eq!(
            found_in(&service, IMPROVEMENTS, &query).await.1,
            improvements,
            "{query}"
        );
    }
    // Day 20,000 after 1970 is 4 October 2024.
    for (query, expected) in [
        ("IncidentDateFrom=2024-10-04", vec![101]),
        ("IncidentDateFrom=2024-10-04T00:00:00Z", vec![101]),
        (
            "IncidentDateFrom=2024-10-03T23:59:59.9999999Z",
            vec![100, 101],
        ),
        ("IncidentDateFrom=2024-10-04T00:00:00.0000001Z", vec![101]),
        ("IncidentDateFrom=2024-10-05T00:00:00Z", vec![]),
        ("IncidentDateTo=2024-10-05T00:00:00Z", vec![100]),
        (
            "IncidentDateTo=2024-10-05T00:00:00.0000001Z",
            vec![100, 101],
        ),
        ("IncidentDateTo=2024-10-04T23:59:59Z", vec![100]),
        ("IncidentDateTo=2024-10-04", vec![]),
        (
            "IncidentDateFrom=2024-10-03&IncidentDateTo=2024-10-05",
            vec![100],
        ),
        ("IncidentDateFrom=1960-01-01", vec![100, 101]),
        ("IncidentDateTo=1960-01-01T12:00:00Z", vec![]),
    ] {
        assert_eq!(found(&service, query).await.1, expected, "{query}");
    }
}

#[tokio::test]
async fn type_filter_and_bounds_must_all_hold() {
    let service = plant().await;
    with_many(&service).await;
    assert_eq!(found(&service, "TypeId=6").await, (0, vec![]));
    assert_eq!(
        found(&service, "TypeId=3&pageSize=3").await,
        (MANY + 2, vec![100, 101, 1000])
    );
    assert_eq!(
        found(&service, "typeid=3&$filter=id lt 1001").await.1,
        [100, 101, 1000]
    );
    // Stamps go down as ids go up; the 3 last have 1000 and 1001.
    let query = "LastModifiedTo=1970-01-01T00:00:00.0001002Z&$filter=id ge 1000";
    assert_eq!(
        found(&service, query).await.1,
        (1000 + MANY - 5..1000 + MANY).collect::<Vec<_>>()
    );
    // What belongs to a record can be asked for as well.
    assert_eq!(
        found(&service, "$filter=consequences/any(c:c/amount gt 1200)")
            .await
            .1,
        [2200, 2201, 2202]
    );
    assert_eq!(
        found(
            &service,
            "$filter=categories/any(c:c/title eq 'Supplier') and id lt 1010"
        )
        .await
        .1,
        [1001, 1004, 1007]
    );
    assert_eq!(found(&service, "$filter=causes/$count eq 1").await.1, [100]);
    assert_eq!(
        found(&service, "$filter=customFields/any(f:f/label eq 'Machine')")
            .await
            .1,
        [0; 0]
    );
    assert_eq!(
        found_in(
            &service,
            IMPROVEMENTS,
            "$filter=status eq 'Archived' and suggestionDate lt 2026-01-01T00:00:00Z"
        )
        .await,
        (1, vec![318])
    );
    assert_eq!(
        found_in(
            &service,
            IMPROVEMENTS,
            "$orderby=title desc&pageSize=2&page=2"
        )
        .await,
        (3, vec![319])
    );
}

#[tokio::test]
async fn who_reported_an_anonymous_incident_is_told_by_no_filter_and_no_order() {
    let service = plant().await;
    // Both were reported by the same user; 101 anonymously, and with a name of its own as well.
    for filter in [
        "reportedByUserId eq 'u-117'",
        "contains(reportedBy,'Tomas')",
        "reportedBy ne null",
        "length(reportedBy) gt 0",
        "reportedBy in ('Tomas','Tomas Berg')",
    ] {
        assert_eq!(
            found(&service, &format!("$filter={filter}")).await.1,
            [100],
            "{filter}"
        );
    }
    for key in ["reportedBy", "reportedByUserId"] {
        assert_eq!(
            found(&service, &format!("$orderby={key}")).await.1,
            [101, 100]
        );
        assert_eq!(
            found(&service, &format!("$orderby={key} desc")).await.1,
            [100, 101]
        );
    }
    let alone = service.get("/v1/Incidents/101").await;
    assert!(
        !alone.text().contains("u-117") && !alone.text().contains("Tomas"),
        "{}",
        alone.text()
    );
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_by_its_name() {
    let service = plant().await;
    for (list, queries) in [
        (
            INCIDENTS,
            &[
                (
                    "TypeId",
                    "TypeId=x",
                    "found `x`, expected an integer of 32 bits",
                ),
                (
                    "TypeId",
                    "TypeId=3000000000",
                    "found `3000000000`, expected an integer of 32 bits",
                ),
                (
                    "TypeId",
                    "TypeId=",
                    "found ``, expected an integer of 32 bits",
                ),
                (
                    "TypeId",
                    "TypeId=3&typeId=3",
                    "is given more than once; expected one value",
                ),
                (
                    "IncidentDateFrom",
                    "IncidentDateFrom=today",
                    "found `today`, expected a date and time such as 2025-03-01T06:30:00Z",
                ),
                (
                    "IncidentDateFrom",
                    "IncidentDateFrom=2025-02-30",
                    "found `2025-02-30`, expected a date and time such as 2025-03-01T06:30:00Z",
                ),
                (
                    "IncidentDateFrom",
                    "IncidentDateFrom=2025-03-02&IncidentDateTo=2025-03-01",
                    "lies after `IncidentDateTo`; expected an instant before it",
                ),
            ][..],
        ),
        (IMPROVEMENTS, &[]),
    ] {
        let both = [
            (
                "LastModifiedTo",
                "LastModifiedTo=1",
                "found `1`, expected a date and time such as 2025-03-01T06:30:00Z",
            ),
            (
                "LastModifiedFrom",
                "LastModifiedFrom=2025-03-02T00:00:00Z&LastModifiedTo=2025-03-01T00:00:00Z",
                "lies after `LastModifiedTo`; expected an instant before it",
            ),
            (
                "page",
                "page=0",
                "found `0`, expected an integer from 1 to 2147483647",
            ),
            (
                "page",
                "page=1&page=2",
                "is given more than once; expected one value",
            ),
            (
                "pageSize",
                "pageSize=0",
                "found `0`, expected an integer from 1 to 10000",
            ),
            (
                "pageSize",
                "pageSize=10001",
                "found `10001`, expected an integer from 1 to 10000",
            ),
            (
                "pageSize",
                "pageSize=-1",
                "found `-1`, expected an integer from 1 to 10000",
            ),
        ];
        for (name, query, text) in queries.iter().chain(&both) {
            let problem = service
                .get(&format!("{list}?{query}"))
                .await
                .is_problem(400, "query.invalid");
            assert_eq!(problem["errors"], json!({*name: [*text]}), "{query}");
        }
        for (query, code, name) in [
            ("$filter=nosuch eq 1", "odata.unknown_property", "$filter"),
            ("$filter=id eq", "odata.syntax", "$filter"),
            ("$filter=id eq 'x'", "odata.type", "$filter"),
            ("$filter=id div 0 eq 1", "odata.value", "$filter"),
            ("$orderby=nosuch", "odata.unknown_property", "$orderby"),
            ("$top=1", "odata.option", "$top"),
            ("$expand=causes", "odata.option", "$expand"),
            ("$select=id", "odata.option", "$select"),
            ("$search=x", "odata.option", "$search"),
        ] {
            let problem = service
                .get(&format!("{list}?{query}"))
                .await
                .is_problem(400, code);
            let named: BTreeSet<&String> = problem["errors"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name)
                .collect();
            assert!(
                named.iter().all(|found| *found == name) && problem.to_string().contains(name),
                "{query}: {problem}"
            );
        }
    }
    // Equal bounds hold nothing and are no fault.
    let nothing = "LastModifiedFrom=2025-03-01T00:00:00Z&LastModifiedTo=2025-03-01T00:00:00Z";
    assert_eq!(found(&service, nothing).await, (0, vec![]));
}

#[tokio::test]
async fn a_division_by_zero_further_on_is_an_error_and_no_broken_page() {
    let service = plant().await;
    with_many(&service).await;
    service
        .get(&format!(
            "{INCIDENTS}?$filter=1 div (id sub 2200) lt 2&pageSize=10000"
        ))
        .await
        .is_problem(400, "odata.value");
    // The count does not look at the order; the first row that does is on the page.
    let answer = service
        .get(&format!(
            "{INCIDENTS}?$orderby=1 div (id sub 2200)&pageSize=10000"
        ))
        .await;
    answer.is_problem(400, "odata.value");
}

#[tokio::test]
async fn a_stream_gives_each_record_once_whatever_happens_meanwhile() {
    let service = plant().await;
    with_many(&service).await;
    let client = sdk(&service).await;
    let mut stream = client.incidents().list().page_size(100).stream();
    let mut seen = Vec::new();
    while let Some(incident) = stream.next().await {
        seen.push(i64::from(incident.expect("an incident").id));
        if seen.len() == 150 {
            // By number, the pages after would now begin 40 records further on.
            change(
                &service,
                vec![
                    "UPDATE incidents SET deleted_date = 17488000000000000 WHERE id < 1040"
                        .to_owned(),
                    "UPDATE incidents SET last_modified = 5000 WHERE id > 1100 AND id < 1600"
                        .to_owned(),
                ],
            )
            .await;
        }
    }
    let mut expected = vec![100, 101];
    expected.extend(1000..1000 + MANY);
    assert_eq!(seen, expected);

    let filtered = client
        .incidents()
        .list()
        .filter("id lt 1040 or id gt 2199")
        .page_size(2);
    let found: Vec<i32> = filtered
        .stream()
        .all()
        .await
        .expect("all")
        .iter()
        .map(|incident| incident.id)
        .collect();
    assert_eq!(found, [2200, 2201, 2202]);
    let ordered = client.improvements().list().orderby("id desc").page_size(2);
    let found: Vec<i32> = ordered
        .stream()
        .all()
        .await
        .expect("all")
        .iter()
        .map(|improvement| improvement.id)
        .collect();
    assert_eq!(found, [319, 318, 317]);
}

async fn sdk(service: &Service) -> obeya::Client {
    let client = service
        .running
        .add_client("lists", &["public.api.read"])
        .await
        .expect("a client");
    obeya::Client::builder()
        .base_url(service.running.base_url())
        .client_id(client.client_id)
        .client_secret(client.client_secret)
        .build()
        .expect("a client")
}

#[tokio::test]
async fn types_are_listed_in_the_words_of_a_language_as_far_as_it_goes() {
    let service = plant().await;
    let list = async |language: &str| {
        let path = format!("/v1/Incidents/types{language}");
        service.get(&path).await.json()
    };
    let own = json!([
        {"id": 3, "title": "Quality deviation", "description": "Not as it should be"},
        {"id": 6, "title": "Near miss", "description": null},
    ]);
    assert_eq!(list("").await, own);
    assert_eq!(list("?language=fr").await, own);
    for (language, title, description) in [
        ("NB-no", "Kvalitetsavvik (bokmål)", "Ikke som det skal"),
        ("nb", "Kvalitetsavvik", "Ikke som det skal"),
        ("sv-SE", "Kvalitetsavvikelse", "Not as it should be"),
    ] {
        let mut expected = own.clone();
        expected[0] = json!({"id": 3, "title": title, "description": description});
        assert_eq!(list(&format!("?language={language}")).await, expected);
    }
    let path = "/v1/Incidents/types?language=n";
    let problem = service.get(path).await.is_problem(400, "query.invalid");
    assert_eq!(
        problem["errors"],
        json!({"language": ["expected a language code such as nb or en-GB, found `n`"]})
    );
}

#[tokio::test]
async fn the_comments_of_an_incident_come_in_one_array() {
    let service = plant().await;
    let path = "/v1/Incidents/100/comments";
    assert_eq!(
        service.get(path).await.text(),
        r#"[{"id":1,"comment":"Seen","commentDate":"1970-01-01T00:00:00.000002Z","commentedBy":"Ingrid Solheim","commentedByUserId":"u-104","parentId":null,"level":0},{"id":2,"comment":"Known","commentDate":"1970-01-01T00:00:00.000003Z","commentedBy":null,"commentedByUserId":null,"parentId":null,"level":0}]"#
    );
    assert_eq!(service.get("/v1/Incidents/101/comments").await.text(), "[]");
    for missing in [7, 102] {
        let path = format!("/v1/Incidents/{missing}/comments");
        service.get(&path).await.is_problem(404, "not_found");
    }
    let path = "/v1/Incidents/x/comments";
    service.get(path).await.is_problem(400, "path.invalid");
    // A filter that is not heeded would give more than was asked for.
    let path = "/v1/Incidents/100/comments?$filter=id eq 1";
    service.get(path).await.is_problem(400, "odata.option");

    // More than are read at a time.
    let rows: Vec<String> = (1000..2000)
        .map(|id| format!("({id}, 101, 'Number {id}', {id})"))
        .collect();
    let rows = rows.join(", ");
    change(
        &service,
        vec![format!(
            "INSERT INTO incident_comments (id, incident_id, text, comment_date) VALUES {rows}"
        )],
    )
    .await;
    let all = service.get("/v1/Incidents/101/comments").await.json();
    assert_eq!(ids(&all), (1000..2000).collect::<Vec<_>>());
}

#[tokio::test]
async fn boards_groups_and_datasources_come_in_arrays() {
    let service = plant().await;
    change(
        &service,
        vec![
            "INSERT INTO datasources (id, title, description, object_source, unit_of_time, primary_input_source)
                VALUES (12, 'OEE', 'Percent', 'Machine', 'Shift', 'MES'), (13, NULL, NULL, NULL, NULL, NULL)".to_owned(),
            "INSERT INTO datasource_elements (datasource_id, id, label, type, is_mandatory, source_column, data_list_id, sort_order)
                VALUES (12, 'a', NULL, 'list', 0, NULL, 9, 3), (12, 'z', 'Shift', 'text', 1, 'dimension', NULL, 1), (12, 'm', 'By', 'user', 0, 'dimension2', NULL, 2)".to_owned(),
        ],
    )
    .await;
    assert_eq!(
        service.get("/v1/Boards").await.text(),
        r#"[{"id":7,"name":"Assembly daily","description":"Where the team meets","boardType":"Weekly","isPublic":true,"groupId":4,"groupName":"Assembly team"},{"id":8,"name":null,"description":null,"boardType":null,"isPublic":false,"groupId":null,"groupName":null}]"#
    );
    // Whole records, as the list of v2 gives them.
    let groups = service.get("/v1/Groups").await;
    assert_eq!(ids(&groups.json()), [4, 5]);
    let v2 = service.get("/v2/groups").await.text();
    assert_eq!(v2, format!("{{\"value\":{}}}", groups.text()));

    assert_eq!(
        service.get("/v1/Datasources").await.text(),
        r#"[{"id":12,"title":"OEE","description":"Percent"},{"id":13,"title":null,"description":null}]"#
    );
    let path = "/v1/Datasources?$filter=startswith(title,'O') or id gt 13";
    assert_eq!(ids(&service.get(path).await.json()), [12]);
    assert_eq!(
        service.get("/v1/Datasources/12").await.text(),
        r#"{"id":12,"title":"OEE","description":"Percent","objectSource":"Machine","unitOfTime":"Shift","primaryInputSource":"MES","elements":[{"id":"z","label":"Shift","type":"text","isMandatory":true,"sourceColumn":"dimension","dataListId":null},{"id":"m","label":"By","type":"user","isMandatory":false,"sourceColumn":"dimension2","dataListId":null},{"id":"a","label":null,"type":"list","isMandatory":false,"sourceColumn":null,"dataListId":9}]}"#
    );
    assert_eq!(
        service.get("/v1/Datasources/13").await.text(),
        r#"{"id":13,"title":null,"description":null,"objectSource":null,"unitOfTime":null,"primaryInputSource":null,"elements":[]}"#
    );
    let missing = service.get("/v1/Datasources/14").await;
    missing.is_problem(404, "not_found");
    for path in [
        "/v1/Boards?$filter=id eq 7",
        "/v1/Groups?$top=1",
        "/v1/Datasources?$orderby=id",
    ] {
        service.get(path).await.is_problem(400, "odata.option");
    }
}
