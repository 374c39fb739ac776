//! The lists of v1 over HTTP: pages, formats, and parameters that narrow them.

mod arrays;
mod narrowed;
mod slow;

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

/// Incidents 1000, 1001 … in addition to those of the plant: each with a category and a consequence, three
/// with each stamp.
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
    // By their position in the type, then by id: categories 32 and 33 come first, then 30 and 31; cause 42
    // before 41.
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
    // The result of the statement above: (stamp, id).
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

/// With an order, pages are numbered: the total shows that records were deleted, and everything is read
/// again.
#[tokio::test]
async fn a_stream_in_an_order_loses_no_record_when_others_are_deleted() {
    let service = plant().await;
    with_many(&service).await;
    let client = sdk(&service).await;
    let list = client.incidents().list().orderby("title,id").page_size(100);
    let expected = list.clone().stream().all().await.expect("all");
    let expected: Vec<i32> = expected.iter().map(|incident| incident.id).collect();
    let mut stream = list.stream();
    let mut seen = Vec::new();
    while let Some(incident) = stream.next().await {
        seen.push(incident.expect("an incident").id);
        if seen.len() == 150 {
            let given: Vec<String> = seen[..40].iter().map(i32::to_string).collect();
            let given = given.join(",");
            let delete = format!(
                "UPDATE incidents SET deleted_date = 17488000000000000 WHERE id IN ({given})"
            );
            change(&service, vec![delete]).await;
        }
    }
    assert_eq!(seen, expected);
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
