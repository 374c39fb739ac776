//! Every record type in every format equals what the service responds in JSON.

use std::collections::BTreeSet;
use std::path::Path;

use calamine::{Data, Reader as _, Xlsx, open_workbook};
use obeya::model::Timestamp;
use serde_json::Value;

use super::plant::{DATASOURCE, Plant, changed};
use super::read::{arrow, csv, in_columns, lines, objects, parquet, text};

/// The cells of a workbook's sheet.
fn workbook(file: &Path) -> Vec<Vec<Data>> {
    let mut book: Xlsx<_> = open_workbook(file).expect("a workbook");
    let range = book.worksheet_range_at(0).expect("a sheet").expect("cells");
    range.rows().map(<[Data]>::to_vec).collect()
}

/// Whether a cell has what the wire has. An instant is one to the millisecond.
fn is_cell_of(cell: &Data, wire: &Value) -> bool {
    match (cell, wire) {
        (Data::Empty, Value::Null) => true,
        (Data::Empty, Value::String(text)) => text.is_empty(),
        (Data::Bool(found), Value::Bool(expected)) => found == expected,
        (Data::Float(found), Value::Number(expected)) => Some(*found) == expected.as_f64(),
        (Data::String(found), Value::Array(_)) => {
            serde_json::from_str::<Value>(found).is_ok_and(|found| &found == wire)
        }
        (Data::String(found), Value::String(expected)) => found == expected,
        (Data::DateTime(date), Value::String(expected)) => {
            let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
            let text =
                format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
            let instant = |text: &str| text.parse::<Timestamp>().expect("an instant").ticks();
            let expected = match expected.contains('T') {
                true => instant(expected),
                false => instant(&format!("{expected}T00:00:00Z")),
            };
            // Half a millisecond, in ticks of 100 ns.
            (instant(&text) - expected).abs() <= 5_000
        }
        _ => false,
    }
}

/// Holds all forms of what `arguments` pull to records of the wire.
#[track_caller]
fn hold(plant: &Plant, arguments: &[&str], wire: &[Value]) {
    let name = arguments.join("-");
    let file = plant.pulled(arguments, &format!("{name}.ndjson"));
    let found = lines(&std::fs::read_to_string(file).expect("read"));
    assert_eq!(found.len(), wire.len(), "{name}");
    for (found, wire) in found.iter().zip(wire) {
        // Lists of v2 leave nulls out where they are decoded.
        let there =
            |(name, value): (&String, &Value)| !(value.is_null() && found.get(name).is_none());
        let wire = wire
            .as_object()
            .expect("an object")
            .iter()
            .filter(|entry| there(*entry));
        let wire = wire.map(|(name, value)| (name.clone(), value.clone()));
        assert_eq!(found, &Value::Object(wire.collect()), "{name}");
    }

    let file = plant.pulled(arguments, &format!("{name}.csv"));
    let (names, rows) = csv(&std::fs::read_to_string(file).expect("read"));
    assert_eq!(rows.len(), wire.len(), "{name}");
    let written: BTreeSet<&String> = names.iter().collect();
    for (row, wire) in rows.iter().zip(wire) {
        assert!(
            wire.as_object()
                .expect("an object")
                .keys()
                .all(|name| written.contains(name)),
            "{name}: {wire}"
        );
        for (name, found) in names.iter().zip(row) {
            let expected = wire.get(name).cloned().unwrap_or_default();
            match &expected {
                // Within a list the order of an object's names is not the wire's.
                Value::Array(_) => {
                    let found: Value = serde_json::from_str(found).expect("JSON");
                    assert_eq!(found, expected, "{name}");
                }
                other => assert_eq!(found, &text(other), "{name}"),
            }
        }
    }

    let file = plant.pulled(arguments, &format!("{name}.xlsx"));
    let sheet = workbook(&file);
    assert_eq!(
        sheet[0].iter().map(ToString::to_string).collect::<Vec<_>>(),
        names,
        "{name}"
    );
    assert_eq!(sheet.len(), wire.len() + 1, "{name}");
    for (row, wire) in sheet[1..].iter().zip(wire) {
        for (column, cell) in names.iter().zip(row) {
            let expected = wire.get(column).cloned().unwrap_or_default();
            assert!(
                is_cell_of(cell, &expected),
                "{name}, {column}: {cell:?} of {expected}"
            );
        }
    }

    let expected: Vec<Value> = wire.iter().map(|wire| in_columns(wire, &names)).collect();
    let file = plant.pulled(arguments, &format!("{name}.parquet"));
    let batches = parquet(&file);
    assert_eq!(objects(&batches), expected, "{name} in Parquet");
    let file = plant.pulled(arguments, &format!("{name}.arrow"));
    assert_eq!(objects(&arrow(&file)), expected, "{name} in Arrow");
}

#[test]
fn lists_are_what_the_service_answers() {
    let plants = Plant::on_each(0);
    for (what, path) in [
        ("areas", "/v2/areas"),
        ("boards", "/v2/boards"),
        ("groups", "/v2/groups"),
        ("comments", "/v2/incidents/comments"),
        ("incidents", "/v1/Incidents"),
        ("improvements", "/v1/Improvements"),
        ("data-lists", "/v1/Datalists"),
        ("projects", "/v1/Projects"),
        ("tasks", "/v2/tasks"),
        ("task-comments", "/v2/tasks/comments"),
        ("users", "/v2/users"),
    ] {
        for plant in &plants {
            let wire = plant.records(path);
            assert!(!wire.is_empty(), "{what}");
            hold(plant, &[what], &wire);
        }
    }
}

/// `--top`: of every kind of list, by pages of links, of numbers, and whole.
#[test]
fn a_limit_gives_the_first_of_what_the_service_answers() {
    let plant = Plant::with_values(345);
    for (arguments, path) in [
        (vec!["areas"], "/v2/areas"),
        (vec!["incidents"], "/v1/Incidents"),
        (vec!["improvements"], "/v1/Improvements"),
        (vec!["data-lists"], "/v1/Datalists"),
        (vec!["projects"], "/v1/Projects"),
        (
            vec!["values", DATASOURCE, "--page-size", "100"],
            &format!("/v1/Datasources/{DATASOURCE}/values"),
        ),
    ] {
        let wire = plant.records(path);
        assert!(!wire.is_empty(), "{path}");
        let some = (wire.len() * 2).div_ceil(3);
        for top in [1, some, wire.len() + 1] {
            let top = top.to_string();
            let limited = [&arguments[..], &["--top", &top]].concat();
            let first: usize = top.parse().expect("a number");
            hold(&plant, &limited, &wire[..first.min(wire.len())]);
        }
    }
}

#[test]
fn values_are_what_the_service_answers() {
    for plant in Plant::on_each(2_345) {
        hold_values(&plant);
    }
}

fn hold_values(plant: &Plant) {
    let wire = plant.values();
    assert_eq!(wire.len(), 2_345);
    let values = ["values", DATASOURCE, "--page-size", "500"];
    hold(plant, &values, &wire);

    // From the first instant on, before the other: one that is wanted stands exactly at each.
    let night = |place: usize| {
        let mut later = wire[place..].iter();
        let night = later.find(|value| value["dimension"] == "Night");
        &night.expect("a night")["valueDate"]
    };
    let (from, to) = (night(100), night(1900));
    let (from, to) = (from.as_str().expect("a text"), to.as_str().expect("a text"));
    let within = |value: &&Value| {
        let date = value["valueDate"].as_str().expect("a text");
        let [date, from, to] =
            [date, from, to].map(|text| text.parse::<Timestamp>().expect("an instant"));
        date >= from && date < to && value["dimension"] == "Night"
    };
    let some: Vec<Value> = wire.iter().filter(within).cloned().collect();
    assert!(some.len() > 400 && some.len() < 500, "{}", some.len());
    let narrowed = [
        "--from",
        from,
        "--to",
        to,
        "--where",
        "dimension eq 'Night'",
    ];
    let narrowed = [&values[..], &narrowed].concat();
    let file = plant.pulled(&narrowed, "some.ndjson");
    assert_eq!(lines(&std::fs::read_to_string(file).expect("read")), some);
    let file = plant.pulled(&narrowed, "some.parquet");
    let names: Vec<String> = wire[0]
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect();
    let expected: Vec<Value> = some.iter().map(|value| in_columns(value, &names)).collect();
    assert_eq!(objects(&parquet(&file)), expected);

    let ordered = [&values[..], &["--order-by", "id desc"]].concat();
    for name in ["ordered.parquet", "ordered.csv"] {
        let file = plant.pulled(&ordered, name);
        let mut ids: Vec<i64> = wire
            .iter()
            .map(|value| value["id"].as_i64().expect("an id"))
            .collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        let found: Vec<i64> = if name.ends_with("csv") {
            let (_, rows) = csv(&std::fs::read_to_string(file).expect("read"));
            rows.iter()
                .map(|row| row[0].parse().expect("an id"))
                .collect()
        } else {
            objects(&parquet(&file))
                .iter()
                .map(|row| row["id"].as_i64().expect("an id"))
                .collect()
        };
        assert_eq!(found, ids, "{name}");
    }
}

#[test]
fn a_pull_of_nothing_is_a_file_with_its_columns() {
    let plant = Plant::new();
    hold(&plant, &["values", DATASOURCE], &[]);
    hold(&plant, &["areas", "--where", "id eq 0"], &[]);
    let file = plant.pulled(&["values", DATASOURCE], "none.csv");
    assert_eq!(
        std::fs::read_to_string(file).expect("read"),
        "id,dataSourceId,registrationDate,areaId,assetId,projectId,value,description,dimension,dimension2,dimension3,dimension4,valueDate,externalId\n"
    );
    let file = plant.pulled(&["values", DATASOURCE], "none.parquet");
    let reader = std::fs::File::open(file).expect("open");
    let reader = ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(reader);
    assert_eq!(reader.expect("Parquet").schema().fields().len(), 14);
}

#[test]
fn a_file_that_is_there_is_replaced_when_the_new_one_is_whole() {
    let plant = Plant::new();
    std::fs::write(plant.file("areas.csv"), "old").expect("written");
    let file = plant.pulled(&["areas"], "areas.csv");
    let (names, rows) = csv(&std::fs::read_to_string(&file).expect("read"));
    assert_eq!((names[0].as_str(), rows.len()), ("id", 2));
    let kept = std::fs::read(&file).expect("read");
    let path = file.to_str().expect("UTF-8");
    plant
        .run(&["areas", "--where", "nonsense", "-o", path])
        .failure(1);
    assert_eq!(std::fs::read(&file).expect("read"), kept);
}

/// What a spreadsheet would run is guarded in CSV where asked, and nothing else changes.
#[test]
fn a_formula_is_guarded_for_spreadsheets_only_where_asked() {
    let plant = Plant::with_values(4);
    let database = rusqlite::Connection::open(plant.file("plant.db")).expect("open");
    changed(
        &database,
        "UPDATE datasource_values SET description = '=HYPERLINK(\"http://h\")', dimension = '@x', value = -1",
    );
    let what = &["values", DATASOURCE];
    let plain = plant.pulled(what, "plain.csv");
    let guarded = [&what[..], &["--guard-formulas"]].concat();
    let guarded = plant.pulled(&guarded, "guarded.csv");
    let [plain, guarded] =
        [plain, guarded].map(|file| std::fs::read_to_string(file).expect("text"));
    let ((names, plain), (_, guarded)) = (csv(&plain), csv(&guarded));
    assert_eq!(plain.len(), 4);
    for (plain, guarded) in plain.iter().zip(&guarded) {
        for ((name, plain), guarded) in names.iter().zip(plain).zip(guarded) {
            let expected = match name.as_str() {
                "description" => "'=HYPERLINK(\"http://h\")",
                "dimension" => "'@x",
                _ => plain,
            };
            assert_eq!(guarded, expected, "{name}");
        }
    }
}
