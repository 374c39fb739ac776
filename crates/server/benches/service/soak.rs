//! Memory of the service while 32 connections do a bit of everything for a minute.

use std::time::Duration;

use crate::load::{self, Load, Target};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, CONNECTIONS, plant, tails};

const TIME: Duration = Duration::from_secs(60);
/// Rounds of different requests.
const ROUNDS: usize = 50;
const MOST_MIB: f64 = 120.0;

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let requests: Vec<Vec<u8>> = (0..ROUNDS).flat_map(|n| round(n, &bench.token)).collect();
    let target = Target {
        address: &service.address,
        requests: &requests,
    };
    let load = Load {
        connections: CONNECTIONS,
        time: TIME,
    };
    let (answers, seconds) = load.count(&target);
    let name = format!(
        "memory after {answers} requests of {} kinds in {seconds:.0} s",
        requests.len() / ROUNDS
    );
    table.limit(&name, service.resident_mib(), "MiB", MOST_MIB);
    let peak = service.peak_mib();
    table.limit("  at most until then", peak, "MiB", MOST_MIB);
}

/// One request of each kind.
fn round(n: usize, token: &str) -> Vec<Vec<u8>> {
    let (group, incident, id) = (n + 1, n * 7 + 1, n * 19_000 + 1);
    let (common, rare) = (plant::common_word(n), plant::rare_word(n * 7));
    let page = n % 90 + 1;
    let (from, to) = (plant::value_date(id), plant::value_date(id + 1000));
    let paths = [
        format!("/v2/groups/{group}"),
        format!("/v2/incidents/{incident}?$expand=comments"),
        format!("/v2/incidents/comments?$search={rare}"),
        format!("/v2/incidents/comments?$search={common}&$count=true&$top=50"),
        "/v2/incidents/comments?$filter=contains(text,'leaking')&$orderby=commentDate%20desc&$top=20"
            .to_owned(),
        format!("/v1/Datasources/1/values?pageSize=1000&page={page}"),
        format!("/v1/Datasources/1/values?pageSize=10000&page={page}"),
        format!("/v2/datasources/1/values?$filter=valueDate%20ge%20{from}%20and%20valueDate%20lt%20{to}"),
        "/v2/datasources/1/values?$apply=compute(bin(valueDate,'month','Europe/Oslo')%20as%20k)/groupby((k),aggregate(value%20with%20average%20as%20v))"
            .to_owned(),
    ];
    let reads = paths.iter().map(|path| load::request(path, token));
    let writes = [tails::value(n, token), tails::incident(n, token)];
    reads.chain(writes).collect()
}
