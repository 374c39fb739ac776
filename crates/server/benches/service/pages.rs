//! Pages of 10,000 values against reading their rows in the database alone, and a distant page against the
//! first.

use std::time::{Duration, Instant};

use crate::load::{self, Load, Target};
use crate::process::Child;
use crate::steps::Steps;
use crate::table::Table;
use crate::{Bench, CONNECTIONS, median, milliseconds};

pub fn measure(table: &mut Table, bench: &Bench) {
    const TURNS: usize = 60;
    let service = Child::service(&bench.plant.db);
    let token = &bench.token;
    let mut steps = Steps::open(&bench.plant);
    let mut connection = load::Connection::open(&service.address);
    let mut page = |number: usize| {
        let request = load::request(
            &format!("/v1/Datasources/1/values?pageSize=10000&page={number}"),
            token,
        );
        let started = Instant::now();
        let bytes = connection.ask(&request);
        assert!(bytes > 1_000_000, "a page of 10,000 values");
        milliseconds(started)
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
