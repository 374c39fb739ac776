//! Values partitioned by month, with the statements of `docs/scale.md`: the tests run what the document says.

mod divided;
mod months;
mod pruned;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use obeya_server::import::{ImportError, OnConflict};
use serde_json::Value as Json;
use tokio_postgres::{Client, NoTls};

use crate::import_folder::Folder;
use crate::support::Service;

const PAGE: &str = include_str!("../../../../../docs/scale.md");
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

/// Three values a month for each datasource, at both ends of it and between, and one before and one after all
/// months.
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

/// Runs the statements of the document.
async fn run(client: &Client, name: &str) {
    client.batch_execute(block(name)).await.expect(name);
}

/// The rows of each partition that has some.
async fn rows(client: &Client) -> BTreeMap<String, i64> {
    let sql = "SELECT tableoid::regclass::text, count(*) FROM datasource_values GROUP BY 1";
    let rows = client.query(sql, &[]).await.expect("the rows");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// This many rows in each month, and others in the partitions around them.
fn spread(earlier: i64, each: i64, later: i64) -> BTreeMap<String, i64> {
    (0..MONTHS)
        .map(|n| (name_of(n), each))
        .chain([
            ("datasource_values_earlier".to_owned(), earlier),
            ("datasource_values_later".to_owned(), later),
        ])
        .collect()
}

/// The answers to requests of every kind about values.
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
            answers.push((path, unregistered(&answer.text())));
        }
    }
    answers
}

/// An answer without the instants of registration: those of values that are brought in later are the import's
/// own.
fn unregistered(answer: &str) -> String {
    let mut parts = answer.split("\"registrationDate\":\"");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, behind) = part.split_once("\",").expect("more members follow");
        rest.push_str(behind);
    }
    rest
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
