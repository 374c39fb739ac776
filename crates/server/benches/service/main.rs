//! What the service costs, beside what it cannot cost less than: floor and figure are measured in the same run, in turns, so that their ratio holds on any
//! machine. `cargo bench -p obeya-server --bench service` builds a database of 1,000,000 values, measures, and prints a table.
//!
//! The service and the static reply run as processes of their own (this program again, with a role), so that memory and processor time are theirs alone.

mod load;
mod plant;
mod process;
mod table;

use std::time::{Duration, Instant};

use load::{Load, Target};
use process::Child;
use table::Table;

/// Rounds of each figure; the median counts.
const ROUNDS: usize = 7;
/// How long requests are sent in one round.
const ROUND: Duration = Duration::from_millis(700);
/// Connections of the loaded case.
const CONNECTIONS: usize = 32;
const BOARDS: &str = "/v2/boards?$filter=groupId%20le%20100&$orderby=name&$top=50&$count=true";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "role:service", db] => process::serve(db),
        [_, "role:static", file] => process::serve_static(file),
        _ => bench(),
    }
}

fn bench() {
    let mut table = Table::default();
    let folder = tempfile::tempdir().expect("a folder for the database");
    let plant = plant::Plant::import(folder.path(), &mut table);
    let service = Child::service(&plant.db);
    let token = service.token(&plant);

    small(
        &mut table,
        &service,
        &token,
        folder.path(),
        "group by id, with JWT",
        &|n| format!("/v2/groups/{}", n % plant::GROUPS + 1),
        0.5,
    );
    small(
        &mut table,
        &service,
        &token,
        folder.path(),
        "50 boards: filter, order, count",
        &|_| BOARDS.to_owned(),
        0.2,
    );
    pages(&mut table, &service, &token, &plant);
    drop(service);
    process_figures(&mut table, &plant, &token);
    println!("{table}");
}

/// Requests for a second of a small answer, against a static reply of the same bytes.
fn small(
    table: &mut Table,
    service: &Child,
    token: &str,
    folder: &std::path::Path,
    name: &str,
    path: &dyn Fn(usize) -> String,
    at_least: f64,
) {
    let body = load::get(&service.address, &path(0), token);
    let file = folder.join("static");
    std::fs::write(&file, &body).expect("the folder can be written");
    let ceiling = Child::static_reply(&file);
    let requests = |count: usize| {
        (0..count)
            .map(|n| load::request(&path(n), token))
            .collect::<Vec<_>>()
    };
    let target = Target {
        address: &service.address,
        requests: &requests(plant::GROUPS),
    };
    let floor = Target {
        address: &ceiling.address,
        requests: &requests(1),
    };
    for connections in [1, CONNECTIONS] {
        let mut figures = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (target, figures) in [&target, &floor].into_iter().zip(&mut figures) {
                figures.push(
                    Load {
                        connections,
                        time: ROUND,
                    }
                    .run(target),
                );
            }
        }
        let [ours, theirs] = figures.map(median);
        table.row(
            &format!("{name}, {connections} connection(s)"),
            ours,
            theirs,
            "requests/s, static reply",
            Some((ours / theirs, at_least, true)),
        );
    }
}

/// A page of 10,000 values against stepping over its rows in the database alone, and a far page against the first.
fn pages(table: &mut Table, service: &Child, token: &str, plant: &plant::Plant) {
    const TURNS: usize = 60;
    let mut steps = plant::Steps::open(plant);
    let mut connection = load::Connection::open(&service.address);
    let mut page = |number: usize| {
        let request = load::request(
            &format!("/v1/Datasources/1/values?pageSize=10000&page={number}"),
            token,
        );
        let started = Instant::now();
        let bytes = connection.ask(&request);
        assert!(bytes > 1_000_000, "a page of 10,000 values");
        started.elapsed().as_secs_f64() * 1e3
    };
    let cold = page(90);
    let [mut first, mut far, mut floor, mut bare] = [const { Vec::new() }; 4];
    let before = service.processor_ms();
    for turn in 0..TURNS {
        first.push(page(1));
        far.push(page(90));
        // The rows of page 1 and those of page 90 in turns, as the service reads both.
        let start = if turn % 2 == 0 { 0 } else { 890_000 };
        floor.push(steps.step(start, true));
        bare.push(steps.step(start, false));
    }
    let [first, far, floor, bare] = [first, far, floor, bare].map(median);
    let processor = (service.processor_ms() - before) / (2 * TURNS) as f64;
    table.row(
        "page 1 of 10,000 of 1,000,000 values",
        first,
        floor,
        "ms, rows and columns in SQLite",
        Some((first / floor, 1.5, false)),
    );
    table.row(
        "  the same, against rows without columns",
        first,
        bare,
        "ms, rows in SQLite",
        None,
    );
    table.row(
        "  processor time of the service for a page",
        processor,
        floor,
        "ms, rows and columns in SQLite",
        None,
    );
    table.row(
        "page 90",
        far,
        first,
        "ms, page 1",
        Some((far / first, 1.5, false)),
    );
    table.row(
        "page 90, asked for the first time",
        cold,
        first,
        "ms, page 1",
        None,
    );

    let requests: Vec<_> = (1..=100)
        .map(|n| {
            load::request(
                &format!("/v1/Datasources/1/values?pageSize=10000&page={n}"),
                token,
            )
        })
        .collect();
    let target = Target {
        address: &service.address,
        requests: &requests,
    };
    let loaded = Load {
        connections: CONNECTIONS,
        time: Duration::from_secs(4),
    }
    .run(&target);
    table.row(
        "pages of 10,000, 32 connections",
        loaded,
        1e3 / floor,
        "pages/s, one thread in SQLite",
        None,
    );
    table.limit(
        "memory with 32 connections of pages",
        service.peak_mib(),
        "MiB, peak",
        200.0,
    );
}

/// Start and idle memory of a fresh process.
fn process_figures(table: &mut Table, plant: &plant::Plant, token: &str) {
    let mut starts = Vec::new();
    let mut idle = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let service = Child::service(&plant.db);
        load::get(&service.address, "/v2/groups/1", token);
        starts.push(started.elapsed().as_secs_f64() * 1e3);
        idle.push(service.resident_mib());
    }
    table.limit("cold start to first answer", median(starts), "ms", 100.0);
    table.limit("memory after the first answer", median(idle), "MiB", 30.0);
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
