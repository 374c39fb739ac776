//! Values divided by months, by the very statements of `docs/scale.md`: what the page says is run here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use obeya_server::import::{ImportError, OnConflict};
use obeya_server::store::{StoreError, Value};
use serde_json::Value as Json;
use tokio_postgres::{Client, NoTls};

use crate::import_folder::Folder;
use crate::support::Service;

const PAGE: &str = include_str!("../../../../docs/scale.md");
/// The months that the page divides into.
const MONTHS: usize = 24;
const DATASOURCES: [i32; 2] = [4, 5];

/// The statements that the page has under this name.
fn block(name: &str) -> &'static str {
    let mark = format!("```sql\n-- partitions: {name}\n");
    let (_, rest) = PAGE
        .split_once(&mark)
        .expect("the page has these statements");
    rest.split_once("```").expect("a fence ends them").0
}

/// A month of the page, the first being 0: its first day, and how many it has.
fn month(n: usize) -> (String, u32) {
    let (year, month) = (2024 + n / 12, n % 12 + 1);
    let days = match month {
        2 if year == 2024 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (format!("{year}-{month:02}"), days)
}

/// The partition of a month of the page.
fn name_of(n: usize) -> String {
    format!("datasource_values_{}", month(n).0.replace('-', "_"))
}

/// Values to import, with ids from a first one on.
struct Lines {
    text: String,
    id: i32,
}

impl Lines {
    fn from(id: i32) -> Self {
        Lines {
            text: String::new(),
            id,
        }
    }

    /// One for each datasource.
    fn add(&mut self, date: &str) {
        for datasource in DATASOURCES {
            let (id, value) = (self.id, f64::from(self.id % 17) / 2.0);
            let dimension = ["A", "B", "C"][self.id as usize % 3];
            let written = writeln!(
                self.text,
                r#"{{"id":{id},"dataSourceId":{datasource},"value":{value},"valueDate":"{date}","dimension":"{dimension}"}}"#
            );
            written.expect("a String takes all");
            self.id += 1;
        }
    }

    async fn import(&self, db: &str) -> Result<(), ImportError> {
        let folder = Folder::empty();
        folder.write("datasource_values.jsonl", &self.text);
        folder.import(db, OnConflict::Fail).await.map(drop)
    }
}

/// Three values a month for each datasource, at both ends of it and between, and one before and one after all months.
async fn fill(db: &str) {
    let folder = Folder::empty();
    folder.write(
        "datasources.jsonl",
        "{\"id\":4,\"title\":\"OEE\"}\n{\"id\":5,\"title\":\"Scrap\"}",
    );
    folder.import(db, OnConflict::Fail).await.expect("imported");
    let mut lines = Lines::from(1);
    lines.add("2023-12-31T23:59:59.9999999Z");
    for n in 0..MONTHS {
        let (month, days) = month(n);
        lines.add(&format!("{month}-01T00:00:00Z"));
        lines.add(&format!("{month}-15T12:00:00Z"));
        lines.add(&format!("{month}-{days}T23:59:59.9999999Z"));
    }
    lines.add("2026-01-01T00:00:00Z");
    lines.import(db).await.expect("imported");
}

/// One value more in each month, and before and after.
async fn fill_up(db: &str) {
    let mut lines = Lines::from(1_000);
    lines.add("1969-07-20T20:17:40Z");
    (0..MONTHS).for_each(|n| lines.add(&format!("{}-20T06:30:00Z", month(n).0)));
    lines.add("2031-05-05T05:05:05Z");
    lines.import(db).await.expect("imported");
}

/// A service with values in one table.
async fn filled() -> Service {
    let service = Service::start().await;
    fill(service.db()).await;
    service
}

/// The administrator's own connection.
async fn administrator(service: &Service) -> Client {
    let connected = tokio_postgres::connect(service.db(), NoTls).await;
    let (client, connection) = connected.expect("the server answers");
    tokio::spawn(connection);
    client
}

/// Runs what the page says.
async fn run(client: &Client, name: &str) {
    client.batch_execute(block(name)).await.expect(name);
}

/// The rows of each partition that has some.
async fn rows(client: &Client) -> BTreeMap<String, i64> {
    let sql = "SELECT tableoid::regclass::text, count(*) FROM datasource_values GROUP BY 1";
    let rows = client.query(sql, &[]).await.expect("the rows");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// So many rows in each month, and others in the partitions around them.
fn spread(earlier: i64, each: i64, later: i64) -> BTreeMap<String, i64> {
    (0..MONTHS)
        .map(|n| (name_of(n), each))
        .chain([
            ("datasource_values_earlier".to_owned(), earlier),
            ("datasource_values_later".to_owned(), later),
        ])
        .collect()
}

/// What the service answers to requests of every kind about values.
async fn answers(service: &Service) -> Vec<(String, String)> {
    let mut queries = vec![
        String::new(),
        "?pageSize=10000".to_owned(),
        "?from=2024-02-01T00:00:00Z&to=2024-04-01T00:00:00Z".to_owned(),
        "?from=2024-01-31T23:59:59.9999998Z&to=2024-02-01T00:00:00.0000001Z".to_owned(),
        "?from=2025-12-31T00:00:00Z".to_owned(),
        "?to=2024-01-01T00:00:00.0000001Z".to_owned(),
        "?from=2027-01-01T00:00:00Z&to=2028-01-01T00:00:00Z".to_owned(),
        "?$filter=dimension eq 'B'&pageSize=5&page=3".to_owned(),
        "?$filter=month(valueDate) eq 2".to_owned(),
        "?$filter=value gt 6 and valueDate lt 2024-07-01T00:00:00Z&$orderby=value desc,id".to_owned(),
        "?$orderby=valueDate desc&pageSize=9&page=2".to_owned(),
        "?$filter=dimension eq 'A'&from=2024-05-01T00:00:00Z&to=2025-05-01T00:00:00Z&$orderby=dimension,value".to_owned(),
    ];
    queries.extend((1..=13).map(|page| format!("?pageSize=8&page={page}")));
    let mut answers = Vec::new();
    for datasource in DATASOURCES {
        for query in &queries {
            let path = format!("/v1/Datasources/{datasource}/values{query}");
            let answer = service.get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            answers.push((path, answer.text()));
        }
    }
    answers
}

/// How many values there are, and the instants of those in a period.
async fn found(service: &Service, query: &str) -> (i64, Vec<String>) {
    let path = format!("/v1/Datasources/4/values{query}");
    let answer = service.get(&path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let page: Json = answer.json();
    let dates = page["values"].as_array().expect("values").iter();
    let dates = dates.map(|value| value["valueDate"].as_str().expect("a date").to_owned());
    (page["count"].as_i64().expect("a count"), dates.collect())
}

#[tokio::test]
async fn divided_by_months_values_are_those_of_one_table() {
    let (whole, divided) = (filled().await, filled().await);
    let client = administrator(&divided).await;
    let grant = "GRANT SELECT, INSERT ON datasource_values TO pg_monitor";
    client.batch_execute(grant).await.expect("granted");
    // What the service has prepared and remembered was about one table.
    let before = answers(&divided).await;
    run(&client, "divide").await;

    assert_eq!(rows(&client).await, spread(2, 6, 2));
    assert_eq!(answers(&divided).await, before);
    for service in [&whole, &divided] {
        fill_up(service.db()).await;
    }
    assert_eq!(rows(&client).await, spread(4, 8, 4));
    let after = answers(&divided).await;
    assert_ne!(after, before);
    assert_eq!(after, answers(&whole).await);

    let kept = "SELECT has_table_privilege('pg_monitor', 'datasource_values', 'SELECT') \
        AND has_table_privilege('pg_monitor', 'datasource_values', 'INSERT') AND NOT has_table_privilege('pg_monitor', 'datasource_values', 'DELETE')";
    let kept: bool = client.query_one(kept, &[]).await.expect("rights").get(0);
    assert!(kept);
}

/// Ends all other connections, as each tells what it looked into late, at its end at the latest.
async fn be_alone(client: &Client) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    let deadline = Instant::now() + Duration::from_secs(20);
    while !client.query(end, &[]).await.expect("ended").is_empty() {
        assert!(Instant::now() < deadline, "a connection does not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The partitions that others have looked into since the figures were set back.
async fn touched(client: &Client) -> Vec<String> {
    be_alone(client).await;
    let sql = "SELECT relname::text FROM pg_stat_user_tables \
        WHERE relname LIKE 'datasource\\_values%' AND coalesce(idx_scan, 0) + seq_scan > 0 ORDER BY 1";
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let rows = client.query(sql, &[]).await.expect("figures");
        if !rows.is_empty() {
            return rows.iter().map(|row| row.get(0)).collect();
        }
        assert!(Instant::now() < deadline, "the server tells no figures");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn only_the_months_that_a_request_is_about_are_looked_into() {
    let service = Service::start().await;
    let client = administrator(&service).await;
    // A value each hour: of fewer a server would rather read all.
    let hours = "INSERT INTO datasources (id, value_count) VALUES (4, 17544);
        INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date)
        SELECT 4, (1704067200 + hour * 3600) * 10000000, hour, hour, 0 FROM generate_series(0::bigint, 17543) AS hour";
    client.batch_execute(hours).await.expect("values");
    run(&client, "divide").await;
    drop(client);
    let client = administrator(&service).await;
    for (query, count, expected) in [
        (
            "?from=2024-05-01T00:00:00Z&to=2024-07-01T00:00:00Z",
            (31 + 30) * 24 - 1,
            vec![name_of(4), name_of(5)],
        ),
        // In order of date, until the page is full.
        (
            "?pageSize=3",
            17_544,
            vec![name_of(0), "datasource_values_earlier".to_owned()],
        ),
    ] {
        be_alone(&client).await;
        let reset = "SELECT pg_stat_reset()";
        client.execute(reset, &[]).await.expect("set back");
        // More often than a server makes a plan for the values at hand: from then on it has one for all.
        for round in 0..8 {
            // Another list each time, as they are remembered.
            let query = format!("{query}&round={round}");
            assert_eq!(found(&service, &query).await.0, count, "{query}");
        }
        assert_eq!(touched(&client).await, expected, "{query}");
    }

    // The tenth page begins after row 9,000, which is of the 9th of January 2025, and ends on the 20th of February.
    for page in 1..=9 {
        found(&service, &format!("?pageSize=1000&page={page}")).await;
    }
    be_alone(&client).await;
    client
        .execute("SELECT pg_stat_reset()", &[])
        .await
        .expect("set back");
    for _ in 0..8 {
        let (_, dates) = found(&service, "?pageSize=1000&page=10").await;
        assert_eq!(dates[0], "2025-01-10T00:00:00Z");
    }
    assert_eq!(touched(&client).await, [name_of(12), name_of(13)]);
}

#[tokio::test]
async fn an_id_that_stands_twice_is_refused_whatever_month_it_is_in() {
    let service = filled().await;
    let client = administrator(&service).await;
    run(&client, "divide").await;
    // 3 is at the beginning of January 2024.
    for date in [
        "2024-01-03T00:00:00Z",
        "2025-06-03T00:00:00Z",
        "2040-01-01T00:00:00Z",
    ] {
        let mut lines = Lines::from(3);
        lines.add(date);
        let error = lines.import(service.db()).await.expect_err(date);
        assert!(
            error
                .to_string()
                .contains("3, which the database has already"),
            "{error}"
        );
    }
    // Past the import: within a month the database refuses, in another one it does not, and the page says how to find it.
    let by_hand = async |date: i64| {
        let sql = "INSERT INTO datasource_values (datasource_id, value_date, id, registration_date) VALUES (4, ?1, 3, 0)";
        let write = service
            .store()
            .write(move |session| session.execute(sql, &[Value::Int(date)]));
        write.await
    };
    let january = 17_041_536_000_000_000;
    let refused = by_hand(january).await;
    assert!(
        matches!(refused, Err(StoreError::Constraint(_))),
        "{refused:?}"
    );
    by_hand(0).await.expect("another partition");
    let sql = "SELECT id FROM datasource_values GROUP BY id HAVING count(*) > 1";
    assert!(PAGE.contains(sql));
    let twice = client.query(sql, &[]).await.expect("ids");
    assert_eq!(
        twice.iter().map(|row| row.get(0)).collect::<Vec<i64>>(),
        [3]
    );
}

#[tokio::test]
async fn a_month_is_added_and_the_oldest_goes() {
    let service = filled().await;
    let client = administrator(&service).await;
    run(&client, "divide").await;
    let mut lines = Lines::from(500);
    lines.add("2026-01-31T23:59:59.9999999Z");
    lines.add("2026-02-01T00:00:00Z");
    lines.import(service.db()).await.expect("imported");
    let only_b = "?$filter=dimension eq 'B'&pageSize=1000";
    let before = found(&service, "?pageSize=1000").await;
    let before_b = found(&service, only_b).await;
    assert_eq!(before.0, 1 + 24 * 3 + 1 + 2);

    run(&client, "next month").await;
    let rows_now = rows(&client).await;
    assert_eq!(rows_now["datasource_values_2026_01"], 4);
    assert_eq!(rows_now["datasource_values_later"], 2);
    run(&client, "next month").await;
    let rows_now = rows(&client).await;
    assert_eq!(rows_now["datasource_values_2026_02"], 2);
    assert_eq!(rows_now.get("datasource_values_later"), None);
    assert_eq!(found(&service, "?pageSize=1000").await, before);

    run(&client, "drop a month").await;
    let is_left = |date: &&String| !date.starts_with("2024-01");
    for (query, (count, dates)) in [("?pageSize=1000", &before), (only_b, &before_b)] {
        let left: Vec<String> = dates.iter().filter(is_left).cloned().collect();
        assert!(left.len() < dates.len(), "{query}");
        let gone = i64::try_from(dates.len() - left.len()).expect("a small number");
        assert_eq!(
            found(&service, query).await,
            (count - gone, left),
            "{query}"
        );
    }
    // A value that comes late finds a place, and what was cut off stands alone.
    let mut lines = Lines::from(600);
    lines.add("2024-01-10T00:00:00Z");
    lines.import(service.db()).await.expect("imported");
    assert_eq!(rows(&client).await["datasource_values_earlier"], 4);
    let alone = "SELECT count(*) FROM datasource_values_2024_01";
    let alone: i64 = client.query_one(alone, &[]).await.expect("rows").get(0);
    assert_eq!(alone, 6);

    // Only the oldest: any other would leave a hole.
    let newer = block("drop a month").replace("'2024-01-01'", "'2024-03-01'");
    let refused = client.batch_execute(&newer).await;
    refused.expect_err("it overlaps February");
    client.batch_execute("ROLLBACK").await.expect("undone");
    assert_eq!(rows(&client).await[&name_of(2)], 6);
}

#[tokio::test]
async fn a_table_becomes_the_first_partition_without_being_moved() {
    let (whole, divided) = (Service::start().await, Service::start().await);
    for service in [&whole, &divided] {
        let folder = Folder::empty();
        folder.write("datasources.jsonl", "{\"id\":4}\n{\"id\":5}");
        let imported = folder.import(service.db(), OnConflict::Fail).await;
        imported.expect("imported");
        let mut lines = Lines::from(1);
        (0..MONTHS).for_each(|n| lines.add(&format!("{}-02T00:00:00Z", month(n).0)));
        lines.import(service.db()).await.expect("imported");
    }
    let client = administrator(&divided).await;
    let file = async |table: &str| {
        let sql = "SELECT pg_relation_filepath($1::text::regclass)";
        let row = client.query_one(sql, &[&table]).await.expect("a file");
        row.get::<_, String>(0)
    };
    let grant = "GRANT SELECT ON datasource_values TO pg_monitor";
    client.batch_execute(grant).await.expect("granted");
    let before = file("datasource_values").await;
    run(&client, "prepare").await;
    run(&client, "enclose").await;
    run(&client, "next month").await;
    assert_eq!(file("datasource_values_earlier").await, before);

    for service in [&whole, &divided] {
        fill_up(service.db()).await;
        let mut lines = Lines::from(700);
        lines.add("2026-01-01T00:00:00Z");
        lines.import(service.db()).await.expect("imported");
    }
    let expected = [
        ("datasource_values_2026_01".to_owned(), 2),
        ("datasource_values_earlier".to_owned(), 48 + 48 + 2),
        ("datasource_values_later".to_owned(), 2),
    ];
    assert_eq!(rows(&client).await, BTreeMap::from(expected));
    assert_eq!(answers(&divided).await, answers(&whole).await);
    let right = "SELECT has_table_privilege('pg_monitor', 'datasource_values', 'SELECT')";
    let right: bool = client.query_one(right, &[]).await.expect("rights").get(0);
    assert!(right);
}
