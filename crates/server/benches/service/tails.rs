//! The slowest of a thousand writes, on SQLite: of values, and of incidents, whose words are merged into an
//! index now and then. The limit is ten times the median, and what the disk itself took at most: a thread
//! beside the service writes a page to another file of the disk over and over.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::load::{self, Load, Target};
use crate::probe::quantile;
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, milliseconds};

/// How long the writes of a row last.
const TIME: Duration = Duration::from_secs(12);
/// For how long of that a reader holds its snapshot, if it does.
const HELD: Duration = Duration::from_secs(5);
/// Between two writes of the monitor, so that it takes little of the disk.
const PAUSE: Duration = Duration::from_millis(2);
const CONNECTIONS: [usize; 3] = [1, 16, 64];
/// Requests with different words.
const DIFFERENT: usize = 997;
const PAGE: [u8; 4096] = [7; 4096];

pub fn measure(table: &mut Table, bench: &Bench) {
    let values: Vec<Vec<u8>> = (0..DIFFERENT).map(|n| value(n, &bench.token)).collect();
    let incidents: Vec<Vec<u8>> = (0..DIFFERENT).map(|n| incident(n, &bench.token)).collect();
    let service = Child::service(&bench.plant.db);
    for (what, requests) in [("values", &values), ("incidents", &incidents)] {
        let target = Target {
            address: &service.address,
            requests,
        };
        for connections in CONNECTIONS {
            let name = format!("p99.9 of creates of {what}, {connections} connections");
            row(table, bench, &name, connections, &target, None);
        }
        let name = format!("p99.9 of creates of {what}, 16, while a snapshot is held");
        row(table, bench, &name, 16, &target, Some(HELD));
    }
}

fn row(
    table: &mut Table,
    bench: &Bench,
    name: &str,
    connections: usize,
    target: &Target<'_>,
    held: Option<Duration>,
) {
    let load = Load {
        connections,
        time: TIME,
    };
    let is_over = AtomicBool::new(false);
    let (took, slowest_flush) = std::thread::scope(|scope| {
        let monitor = scope.spawn(|| slowest_flush(bench.folder.path(), &is_over));
        let reader = held.map(|held| scope.spawn(move || hold_snapshot(bench, held)));
        let took = load.latencies(target);
        is_over.store(true, Ordering::Relaxed);
        if let Some(reader) = reader {
            reader.join().expect("no panic");
        }
        (took, monitor.join().expect("no panic"))
    });
    let milliseconds = |part: f64| quantile(&took, part) * 1e3;
    let (median, slow) = (milliseconds(0.5), milliseconds(0.999));
    let allowed = 10.0 * median + slowest_flush;
    let unit = format!(
        "ms, 10 x {median:.2} + flush {slowest_flush:.1}; {} writes, at most {:.0}",
        took.len(),
        milliseconds(1.0)
    );
    table.row(
        name,
        slow,
        allowed,
        &unit,
        Some((slow / allowed, 1.0, false)),
    );
}

/// The longest time in which a page came to the disk, in milliseconds.
fn slowest_flush(folder: &Path, is_over: &AtomicBool) -> f64 {
    let mut file = File::create(folder.join("monitor")).expect("a file");
    let mut slowest = 0.0_f64;
    while !is_over.load(Ordering::Relaxed) {
        let started = Instant::now();
        file.seek(SeekFrom::Start(0)).expect("a file");
        file.write_all(&PAGE).expect("the disk has room");
        file.sync_data().expect("on the disk");
        slowest = slowest.max(milliseconds(started));
        std::thread::sleep(PAUSE);
    }
    slowest
}

/// Holds a snapshot of the database from the start on.
fn hold_snapshot(bench: &Bench, held: Duration) {
    let path = bench.plant.db.trim_start_matches("sqlite:");
    let mut reader = rusqlite::Connection::open(path).expect("the database");
    let snapshot = reader.transaction().expect("a transaction");
    let sql = "SELECT count(*) FROM areas";
    let count = snapshot.query_row(sql, [], |row| row.get::<_, i64>(0));
    count.expect("a count");
    std::thread::sleep(held);
}

/// A request that creates a value.
pub fn value(n: usize, token: &str) -> Vec<u8> {
    let body = format!(
        r#"{{"value":{n}.5,"valueDate":"2091-01-01T{:02}:{:02}:00Z","description":"measured by hand","dimension":"early","externalId":"mes-{n}"}}"#,
        n / 60,
        n % 60,
    );
    let path = "/v1/Datasources/1/values";
    load::request_with("POST", path, Some(token), ("application/json", &body))
}

/// A request that creates an incident.
pub fn incident(n: usize, token: &str) -> Vec<u8> {
    let body = format!(
        r#"{{"incidentTypeId":1,"title":"Press {n} stopped at station {}","description":"Valve {} leaks oil since shift {}, part {} was changed","severity":"Low","incidentDate":"2026-01-05","isAnonymous":false,"status":"New","categories":[{{"id":1}}]}}"#,
        n * 7919 % 1009,
        n * 104_729 % 10_007,
        n % 31,
        n * 31 % 4001,
    );
    let path = "/v1/Incidents";
    load::request_with("POST", path, Some(token), ("application/json", &body))
}
