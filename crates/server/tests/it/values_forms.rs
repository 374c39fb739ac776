//! A page of values as JSON, as CSV and as Arrow: the same rows in every format, compared with the input and
//! not with each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use obeya_model::Timestamp;
use obeya_server::store::engine::Value;
use reqwest::Method;
use serde_json::Value as Json;

use crate::reads_plant::Plant;
use crate::support::Answer;

const ARROW: &str = "application/vnd.apache.arrow.stream";
const CSV: &str = "text/csv";
const PATH: &str = "/v1/Datasources/3/values";

const NAMES: [&str; 14] = [
    "id",
    "dataSourceId",
    "registrationDate",
    "areaId",
    "assetId",
    "projectId",
    "value",
    "description",
    "dimension",
    "dimension2",
    "dimension3",
    "dimension4",
    "valueDate",
    "externalId",
];

/// The content of one field of a value.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Null,
    Int(i64),
    Double(f64),
    /// 100 ns since 1970.
    Instant(i64),
    Text(String),
}

type Line = Vec<Cell>;

/// The content of a field, by its name.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int,
    Double,
    Instant,
    Text,
}

fn kind(name: &str) -> Kind {
    match name {
        "value" => Kind::Double,
        "valueDate" | "registrationDate" => Kind::Instant,
        _ if name.ends_with('d') && name.starts_with("external") => Kind::Text,
        _ if name == "id" || name.ends_with("Id") => Kind::Int,
        _ => Kind::Text,
    }
}

/// Lines for datasource 3 with everything that is hard to hand on, in the order of their dates.
fn lines(count: i64) -> Vec<Line> {
    const TEXTS: [&str; 9] = [
        "",
        "Night",
        "a,b",
        "say \"oil\"",
        "two\r\nlines",
        "=1+1",
        "Åpent lager 🏭",
        " ",
        "\u{1}\t\\",
    ];
    const DOUBLES: [f64; 10] = [
        0.0,
        -1.5,
        1e300,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        0.1 + 0.2,
        123_456_789.123,
        1e15,
    ];
    const IDS: [i64; 5] = [0, -1, 7, i32::MAX as i64, i32::MIN as i64];
    let mut random = fastrand::Rng::with_seed(5);
    let first: Timestamp = "0001-01-01T00:00:00Z".parse().expect("an instant");
    let last: Timestamp = "9999-12-31T23:59:59.9999999Z".parse().expect("an instant");
    let mut dates: Vec<i64> = (0..count)
        .map(|n| match n {
            0 => first.ticks(),
            1 => last.ticks(),
            2 => -1,
            _ => random.i64(-10_000_000_000..20_000_000_000_000_000),
        })
        .collect();
    dates.sort_unstable();
    let dated = dates.into_iter().enumerate();
    dated
        .map(|(n, date)| {
            let id = match n {
                0 => i64::from(i32::MAX),
                n => 1_000 + i64::try_from(n).expect("few"),
            };
            let place = |random: &mut fastrand::Rng| match random.usize(0..=IDS.len()) {
                0 => Cell::Null,
                n => Cell::Int(IDS[n - 1]),
            };
            let text = |random: &mut fastrand::Rng| match random.usize(0..=TEXTS.len()) {
                0 => Cell::Null,
                n => Cell::Text(TEXTS[n - 1].to_owned()),
            };
            let value = match random.usize(0..=DOUBLES.len()) {
                0 => random.f64() * 1e6,
                n => DOUBLES[n - 1],
            };
            vec![
                Cell::Int(id),
                Cell::Int(3),
                Cell::Instant(random.i64(0..20_000_000_000_000_000)),
                place(&mut random),
                place(&mut random),
                place(&mut random),
                Cell::Double(value),
                text(&mut random),
                text(&mut random),
                text(&mut random),
                Cell::Null,
                text(&mut random),
                Cell::Instant(date),
                text(&mut random),
            ]
        })
        .collect()
}

/// The plant with these lines in datasource 3.
async fn plant(lines: &[Line]) -> Plant {
    const COLUMNS: [&str; 14] = [
        "id",
        "datasource_id",
        "registration_date",
        "area_id",
        "asset_id",
        "project_id",
        "value",
        "description",
        "dimension",
        "dimension2",
        "dimension3",
        "dimension4",
        "value_date",
        "external_id",
    ];
    let plant = Plant::new().await;
    let lines = lines.to_vec();
    let wrote = plant.service().store().write(move |session| {
        let cells: Vec<Value<'_>> = lines
            .iter()
            .flatten()
            .map(|cell| match cell {
                Cell::Null => Value::Null,
                Cell::Int(value) | Cell::Instant(value) => Value::Int(*value),
                Cell::Double(value) => Value::Real(*value),
                Cell::Text(text) => Value::Text(text),
            })
            .collect();
        session.append("datasource_values", &COLUMNS, &cells)?;
        let count = Value::Int(i64::try_from(lines.len()).expect("few"));
        let sql = "UPDATE datasources SET value_count = ?1, change_counter = change_counter + 1 WHERE id = 3";
        session.execute(sql, &[count]).map(drop)
    });
    wrote.await.expect("the lines fit the schema");
    plant
}

async fn ask(plant: &Plant, path: &str, accept: &str) -> Answer {
    let request = plant.service().request(Method::GET, path);
    Answer::of(request.header("accept", accept)).await
}

/// A page in a format, which the answer must declare.
async fn page(plant: &Plant, query: &str, form: &str) -> (Answer, Vec<Line>) {
    let answer = ask(plant, &format!("{PATH}{query}"), form).await;
    assert_eq!(answer.status, 200, "{query} {form}");
    let named = answer.header("content-type").to_owned();
    let lines = match form {
        ARROW => {
            assert_eq!(named, ARROW);
            of_arrow(&batch(&answer.body))
        }
        CSV => {
            assert_eq!(named, "text/csv; charset=utf-8");
            of_csv(&answer.body)
        }
        _ => {
            assert_eq!(named, "application/json");
            of_json(&answer.json()["values"])
        }
    };
    (answer, lines)
}

fn of_json(values: &Json) -> Vec<Line> {
    let cell = |value: &Json, name: &&str| match (&value[*name], kind(name)) {
        (Json::Null, _) => Cell::Null,
        (found, Kind::Int) => Cell::Int(found.as_i64().expect("an integer")),
        (found, Kind::Double) => Cell::Double(found.as_f64().expect("a double")),
        (found, Kind::Instant) => Cell::Instant(ticks(found.as_str().expect("an instant"))),
        (found, Kind::Text) => Cell::Text(found.as_str().expect("a text").to_owned()),
    };
    let line = |value: &Json| {
        assert_eq!(value.as_object().expect("an object").len(), NAMES.len());
        NAMES.iter().map(|name| cell(value, name)).collect()
    };
    let values = values.as_array().expect("an array");
    values.iter().map(line).collect()
}

/// By a reader that takes `""` and nothing for the same: both come as an empty text.
fn of_csv(body: &[u8]) -> Vec<Line> {
    let mut reader = csv::Reader::from_reader(body);
    assert_eq!(reader.headers().expect("a line of names"), &NAMES[..]);
    let cell = |text: &str, name: &&str| match kind(name) {
        Kind::Text => Cell::Text(text.to_owned()),
        _ if text.is_empty() => Cell::Null,
        Kind::Int => Cell::Int(text.parse().expect("an integer")),
        Kind::Double => Cell::Double(text.parse().expect("a double")),
        Kind::Instant => Cell::Instant(ticks(text)),
    };
    let line = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.expect("a whole line");
        let cells = record.iter().zip(&NAMES);
        cells.map(|(text, name)| cell(text, name)).collect()
    };
    reader.records().map(line).collect()
}

/// The one batch of a stream, read by Arrow itself.
fn batch(body: &[u8]) -> RecordBatch {
    let reader = StreamReader::try_new(body, None).expect("a schema");
    let mut batches: Vec<_> = reader.map(|batch| batch.expect("a batch")).collect();
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

fn of_arrow(batch: &RecordBatch) -> Vec<Line> {
    assert_eq!(batch.schema(), obeya::value_schema());
    let cell = |row: usize, place: usize| {
        let column = batch.column(place);
        if column.is_null(row) {
            return Cell::Null;
        }
        match kind(NAMES[place]) {
            Kind::Int => Cell::Int(column.as_primitive::<Int32Type>().value(row).into()),
            Kind::Double => Cell::Double(column.as_primitive::<Float64Type>().value(row)),
            Kind::Instant => {
                let column = column.as_primitive::<TimestampMicrosecondType>();
                Cell::Instant(column.value(row) * 10)
            }
            Kind::Text => Cell::Text(match column.as_string_opt::<i32>() {
                Some(column) => column.value(row).to_owned(),
                None => {
                    let column = column.as_dictionary::<Int32Type>();
                    let words = column.downcast_dict::<StringArray>().expect("texts");
                    let mut all = words.into_iter();
                    all.nth(row).flatten().expect("a word").to_owned()
                }
            }),
        }
    };
    (0..batch.num_rows())
        .map(|row| (0..NAMES.len()).map(|place| cell(row, place)).collect())
        .collect()
}

fn ticks(text: &str) -> i64 {
    text.parse::<Timestamp>().expect("an instant").ticks()
}

/// The known losses of a format, and nothing else.
fn as_in(form: &str, lines: &[Line]) -> Vec<Line> {
    let cell = |cell: &Cell, name: &&str| match (form, cell) {
        (ARROW, Cell::Instant(ticks)) => Cell::Instant(ticks.div_euclid(10) * 10),
        (CSV, Cell::Null) if kind(name) == Kind::Text => Cell::Text(String::new()),
        _ => cell.clone(),
    };
    let lines = lines.iter();
    lines
        .map(|line| line.iter().zip(&NAMES).map(|(c, n)| cell(c, n)).collect())
        .collect()
}

#[tokio::test]
async fn every_form_holds_what_was_put_in() {
    let all = lines(1_500);
    let plant = plant(&all).await;
    for form in ["application/json", CSV, ARROW] {
        for (query, expected) in [
            ("?pageSize=10000", &all[..]),
            ("?pageSize=700&page=2", &all[700..1_400]),
            ("?pageSize=700&page=3", &all[1_400..]),
            ("?pageSize=700&page=4", &[]),
        ] {
            let (answer, found) = page(&plant, query, form).await;
            assert_eq!(found.len(), expected.len(), "{query} {form}");
            for (found, expected) in found.iter().zip(as_in(form, expected)) {
                assert_eq!(*found, expected, "{query} {form}");
            }
            let size = if query.contains("10000") {
                "10000"
            } else {
                "700"
            };
            let number = query.split_once("&page=").map_or("1", |(_, number)| number);
            let header = |name| answer.header(name);
            assert_eq!(
                [
                    header("obeya-page-size"),
                    header("obeya-page-no"),
                    header("obeya-count"),
                    header("vary")
                ],
                [size, number, "1500", "accept"],
                "{query} {form}"
            );
        }
    }
}

/// By their bits, which `==` does not compare.
#[tokio::test]
async fn doubles_are_the_same_to_the_last_bit_in_every_form() {
    let mut random = obeya_testkit::rng();
    let doubles = std::iter::repeat_with(|| f64::from_bits(random.u64(..)));
    let mut doubles: Vec<f64> = doubles.filter(|d| d.is_finite()).take(500).collect();
    doubles.push(-0.0);
    let mut all = lines(501);
    for (line, double) in all.iter_mut().zip(&doubles) {
        line[6] = Cell::Double(*double);
    }
    let plant = plant(&all).await;
    let bits = |lines: &[Line]| -> Vec<u64> {
        let values = lines.iter().map(|line| match line[6] {
            Cell::Double(value) => value.to_bits(),
            _ => panic!("{line:?}"),
        });
        values.collect()
    };
    let mut expected: Vec<u64> = doubles.iter().map(|double| double.to_bits()).collect();
    // The store does not preserve the sign of zero, on either engine.
    expected[500] = 0.0_f64.to_bits();
    for form in ["application/json", CSV, ARROW] {
        let (_, found) = page(&plant, "?pageSize=10000", form).await;
        assert_eq!(bits(&found), expected, "{form}");
    }
}

#[tokio::test]
async fn filter_order_and_bounds_are_the_same_in_every_form() {
    let plant = plant(&lines(600)).await;
    for query in [
        "?$filter=dimension eq 'Night'",
        "?$filter=dimension eq 'Night' and areaId eq null&$orderby=value desc",
        "?$filter=dimension eq 'nowhere'",
        "?$orderby=externalId,id desc&pageSize=50&page=3",
        "?from=1990-01-01T00:00:00Z&to=2010-01-01T00:00:00Z&pageSize=20",
    ] {
        let (answer, json) = page(&plant, query, "application/json").await;
        let count = answer.json()["count"].to_string();
        assert_eq!(answer.header("obeya-count"), count, "{query}");
        for form in [CSV, ARROW] {
            let (answer, found) = page(&plant, query, form).await;
            assert_eq!(found, as_in(form, &json), "{query} {form}");
            assert_eq!(answer.header("obeya-count"), count, "{query} {form}");
        }
    }
}

/// Written by hand, from RFC 4180 and the rules in the spec.
#[tokio::test]
async fn csv_is_what_the_rfc_says() {
    let plant = Plant::new().await;
    plant
        .change(&[
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, area_id, description, dimension, dimension2, dimension3, external_id)
             VALUES (3, 10000001, 77, -0.5, 17200000000000000, -7, 'a, \"b\"', '', '=1+1', ' x ', 'e')",
            "UPDATE datasources SET value_count = 1, change_counter = change_counter + 1 WHERE id = 3",
        ])
        .await;
    let answer = ask(&plant, PATH, CSV).await;
    assert_eq!(
        answer.text(),
        "id,dataSourceId,registrationDate,areaId,assetId,projectId,value,description,dimension,dimension2,dimension3,dimension4,valueDate,externalId\r\n\
         77,3,2024-07-03T09:46:40Z,-7,,,-0.5,\"a, \"\"b\"\"\",\"\",=1+1, x ,,1970-01-01T00:00:01.0000001Z,e\r\n"
    );
    let empty = ask(&plant, "/v1/Datasources/3/values?page=2", CSV).await;
    assert_eq!(empty.text().lines().count(), 1);
}

#[tokio::test]
async fn who_asks_gets_the_form_and_everybody_else_json() {
    let plant = Plant::new().await;
    let json = "application/json";
    let csv = "text/csv; charset=utf-8";
    for (accept, expected) in [
        ("*/*", json),
        ("application/*", json),
        ("application/json", json),
        (
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            json,
        ),
        ("text/csv", csv),
        ("text/*", csv),
        ("TEXT/CSV;header=present", csv),
        ("text/csv;q=0.5, application/json;q=0.4", csv),
        ("text/csv;q=0.5, application/json", json),
        (ARROW, ARROW),
        (
            "application/vnd.apache.arrow.stream, application/json;q=0.9",
            ARROW,
        ),
        ("application/vnd.apache.arrow.stream;q=0.1, */*;q=0.2", json),
        ("application/json;q=0, application/*", ARROW),
    ] {
        let answer = ask(&plant, PATH, accept).await;
        assert_eq!(answer.header("content-type"), expected, "{accept}");
    }
    for accept in [
        "application/vnd.apache.arrow.file",
        "image/png",
        "text/csv;q=0",
    ] {
        let answer = ask(&plant, PATH, accept).await;
        let problem = answer.is_problem(406, "media_type.not_acceptable");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains(ARROW) && detail.contains(CSV), "{detail}");
    }
}

#[tokio::test]
async fn errors_are_problems_whatever_was_asked_for() {
    let plant = Plant::new().await;
    for form in [ARROW, CSV] {
        for (path, status, code) in [
            ("/v1/Datasources/4/values", 404, "not_found"),
            ("/v1/Datasources/x/values", 400, "path.invalid"),
            ("/v1/Datasources/3/values?page=0", 400, "query.invalid"),
            (
                "/v1/Datasources/3/values?$filter=nosuch eq 1",
                400,
                "odata.unknown_property",
            ),
        ] {
            ask(&plant, path, form).await.is_problem(status, code);
        }
        // Found out row by row, when there is no answer yet.
        let fault = "/v1/Datasources/1/values?$filter=1 div (id sub 5) eq 1";
        let answer = ask(&plant, fault, form).await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
}

/// The SDK with the service: it requests Arrow, gets it, and reads the same values as from JSON.
#[tokio::test]
async fn the_sdk_reads_arrow() {
    let all = lines(2_300);
    let plant = plant(&all).await;
    let arrow = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&arrow);
    let observer = move |exchange: &obeya::Exchange<'_>| {
        if exchange.content_type == Some(ARROW) {
            seen.fetch_add(1, Ordering::SeqCst);
        }
    };
    let client = obeya::Client::builder()
        .base_url(plant.base_url())
        .token(plant.service().token())
        .observe(Arc::new(observer))
        .build()
        .expect("a client");
    let values = client.datasources().values(3).page_size(1_000);
    let mut pages = values.clone().arrow_pages();
    let mut found = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.expect("a page");
        assert_eq!(page.count, Some(2_300));
        found.extend(of_arrow(&page.batch));
    }
    assert_eq!(arrow.load(Ordering::SeqCst), 3);
    assert_eq!(found, as_in(ARROW, &all));
    let error = client.datasources().values(4).to_arrow().await;
    assert_eq!(error.expect_err("unknown").status(), Some(404));
    let none = values.filter("id eq 0").to_arrow().await.expect("nothing");
    assert_eq!((none.len(), none[0].num_rows()), (1, 0));
}
