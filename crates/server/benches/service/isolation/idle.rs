//! Connections on which nothing comes: silent ones, idle ones, and bodies that were announced and are not
//! sent.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::probe::{Answer, ask, closing, get};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, load, writes};

/// As many connections as there may be.
const ALL: usize = 1_024;
/// More than there may be.
const MORE: usize = 1_100;
/// The time between two connections. The system would drop some of a burst, and try these again after a
/// second.
const BETWEEN: Duration = Duration::from_micros(500);
/// The time for the service to accept them.
const ACCEPTED: Duration = Duration::from_millis(200);
/// The milliseconds that others may wait if connections are open and have no request.
const AT_ONCE: f64 = 1e3;
/// The same if each connection is in a request: a client may pause for five seconds.
const PAUSE: f64 = 6e3;

pub fn measure(table: &mut Table, bench: &Bench) {
    let token_request = "POST /connect/token HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ngrant_type=";
    let token = &bench.token;
    let batch = format!(
        "POST /v1/Datasources/1/values/batch HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n"
    );
    let whole = "GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n";
    for (name, connections, sent, limit) in [
        ("1,024 silent connections", ALL, "", AT_ONCE),
        ("1,024 idle connections", ALL, whole, AT_ONCE),
        ("1,100 stalled token requests", MORE, token_request, PAUSE),
        ("1,100 stalled batches", MORE, &batch, PAUSE),
    ] {
        let service = Child::service(&bench.plant.db);
        let held = connections_with(&service, connections, sent);
        if sent == whole {
            held.iter().for_each(read_some);
        }
        std::thread::sleep(ACCEPTED);
        let honest = get("/v2/groups/1", token);
        let health = get("/healthz", "");
        let answers = std::thread::scope(|scope| {
            let answers = [&health, &honest].map(|request| {
                let address = service.address.as_str();
                scope.spawn(move || ask(address, request))
            });
            answers.map(|answer| answer.join().expect("no panic"))
        });
        for (what, answer) in ["/healthz", "a record"].iter().zip(answers) {
            table.limit(
                &format!("{name}: {what}"),
                milliseconds(answer),
                "ms",
                limit,
            );
        }
        drop(held);
    }
    batches(table, bench, &batch);
}

/// Four bodies of 16 MB that were announced and are not sent, and an honest batch.
fn batches(table: &mut Table, bench: &Bench, announced: &str) {
    let service = Child::service(&bench.plant.db);
    // In a year that no other batch has.
    let body = writes::batch(40);
    let path = "/v1/Datasources/1/values/batch";
    let body = ("application/json", body.as_str());
    let request = closing(&load::request_with("POST", path, Some(&bench.token), body));
    let batch = || milliseconds(ask(&service.address, &request));
    // The first opens connections.
    let alone = [batch(), batch()][1];
    let held = connections_with(&service, 4, announced);
    std::thread::sleep(ACCEPTED);
    let beside = batch();
    let name = "4 announced bodies of 16 MB: a batch";
    let goal = Some((beside / alone, 2.0, false));
    table.row(name, beside, alone, "ms alone", goal);
    drop(held);
}

/// How long an accepted request took; infinite if it was refused.
fn milliseconds(answer: Answer) -> f64 {
    if answer.status == 200 {
        answer.seconds * 1e3
    } else {
        f64::INFINITY
    }
}

fn connections_with(service: &Child, connections: usize, sent: &str) -> Vec<TcpStream> {
    let open = |_| {
        let mut connection = TcpStream::connect(&service.address).expect("the service listens");
        connection.write_all(sent.as_bytes()).expect("sent");
        std::thread::sleep(BETWEEN);
        connection
    };
    (0..connections).map(open).collect()
}

/// The beginning of an answer: the rest is in the buffer of the system.
fn read_some(mut connection: &TcpStream) {
    let read = connection.read(&mut [0; 1024]);
    assert!(read.expect("the connection stays") > 0, "no answer");
}
