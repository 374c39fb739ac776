//! Refused requests with long paths, as fast as they are answered: what they write to the log.

use std::io::{self, BufReader};
use std::time::{Duration, Instant};

use crate::Bench;
use crate::load::Connection;
use crate::process::Child;
use crate::table::Table;

const CONNECTIONS: usize = 16;
const TIME: Duration = Duration::from_secs(5);
/// The length of a path, within the limit for one.
const PATH_BYTES: usize = 48_000;
/// The lines of a second, 20 and a summary, at about half a kilobyte each.
const MOST_KB: f64 = 15.0;

pub fn measure(table: &mut Table, bench: &Bench) {
    let (service, log) = Child::with_log(&bench.plant.db);
    let written = std::thread::spawn(move || io::copy(&mut BufReader::new(log), &mut io::sink()));
    let path = "x".repeat(PATH_BYTES);
    let request = format!("GET /v2/{path} HTTP/1.1\r\nHost: bench\r\n\r\n");
    let end = Instant::now() + TIME;
    let refused = std::thread::scope(|scope| {
        let refuse = || {
            let mut connection = Connection::open(&service.address);
            let mut refused = 0;
            while Instant::now() < end {
                let status = connection.status(request.as_bytes());
                assert!([401, 404].contains(&status), "{status}");
                refused += 1;
            }
            refused
        };
        let connections: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(refuse)).collect();
        let refused = connections.into_iter();
        refused
            .map(|refused| refused.join().expect("no panic"))
            .sum::<u32>()
    });
    drop(service);
    let written = written.join().expect("no panic").expect("a log");
    let seconds = TIME.as_secs_f64();
    let sent = f64::from(refused) * PATH_BYTES as f64 / seconds / 1e6;
    let name = "refused requests with paths of 48 kB: log";
    let written = written as f64 / seconds / 1e3;
    table.limited(name, written, sent, "MB/s of paths (log in kB/s)", MOST_KB);
}
