//! Pages of 10,000 values against fetching their rows through the driver, and a distant page against the
//! first.

use std::time::Instant;

use super::peer::Peer;
use super::server::Server;
use crate::load;
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, median, milliseconds};

const TURNS: usize = 41;

/// The rows of a page, all their columns.
const ROWS: &str = r#"SELECT id, datasource_id, registration_date, area_id, asset_id, project_id, value, description, dimension, dimension2, dimension3,
    dimension4, value_date, external_id FROM datasource_values
    WHERE datasource_id = 1 AND (value_date, id) > ($1, $2) ORDER BY value_date, id LIMIT 10000"#;

pub fn measure(table: &mut Table, bench: &Bench, server: &Server, _: &Peer) {
    let service = Child::service(&bench.plant.db);
    let mut connection = load::Connection::open(&service.address);
    let mut page = |number: usize| {
        let path = format!("/v1/Datasources/1/values?pageSize=10000&page={number}");
        let request = load::request(&path, &bench.token);
        let started = Instant::now();
        let bytes = connection.ask(&request);
        assert!(bytes > 1_000_000, "a page of 10,000 values");
        milliseconds(started)
    };
    let statement = server.prepare(ROWS);
    let fetch = |start: i64| {
        let date = (1_672_531_200 + start * 60) * 10_000_000;
        let started = Instant::now();
        let rows = server.fetch(&statement, &[date, start]);
        let took = milliseconds(started);
        assert_eq!(rows.len(), 10_000);
        took
    };
    // The rows are in the server's memory; the caches of the service are cold.
    fetch(890_000);
    let cold = page(90);
    let [mut first, mut far, mut first_floor, mut far_floor] = [const { Vec::new() }; 4];
    let before = service.processor_ms();
    for _ in 0..TURNS {
        first.push(page(1));
        first_floor.push(fetch(0));
        far.push(page(90));
        far_floor.push(fetch(890_000));
    }
    let processor = (service.processor_ms() - before) / (2 * TURNS) as f64;
    let [first, far, first_floor, far_floor] = [first, far, first_floor, far_floor].map(median);
    let unit = "ms, rows through tokio-postgres";
    let (ratio, far_ratio) = (first / first_floor, far / far_floor);
    table.row(
        "page 1 of 10,000 of 1,000,000 values",
        first,
        first_floor,
        unit,
        Some((ratio, 1.5, false)),
    );
    table.row(
        "  processor time of the service for a page",
        processor,
        first_floor,
        unit,
        None,
    );
    table.row(
        "page 90",
        far,
        far_floor,
        unit,
        Some((far_ratio, 1.5, false)),
    );
    let to_first = Some((far / first, 1.5, false));
    table.row("  against page 1", far, first, "ms, page 1", to_first);
    let to_first = Some((cold / first, 1.5, false));
    table.row(
        "page 90, asked for first of all",
        cold,
        first,
        "ms, page 1",
        to_first,
    );
}
