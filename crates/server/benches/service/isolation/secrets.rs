//! 200 token requests a second with a wrong secret: tokens of legitimate clients, and reads.

use std::time::{Duration, Instant};

use crate::Bench;
use crate::load::{self, Connection};
use crate::probe::{accepted, ask, closing, open_loop, quantile};
use crate::process::{Child, token_request};
use crate::table::Table;

/// Wrong secrets a second.
const WRONG: f64 = 200.0;
/// Legitimate token requests a second.
const RIGHT: f64 = 10.0;
/// The time of one round, and the number of rounds.
const TIME: Duration = Duration::from_secs(5);
const ROUNDS: usize = 4;

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let address = service.address.as_str();
    let right = closing(&token_request(&bench.plant.client));
    let mut stranger = bench.plant.client.clone();
    stranger.client_secret = "x".repeat(stranger.client_secret.len());
    let wrong = closing(&token_request(&stranger));
    let record = load::request("/v2/groups/1", &bench.token);
    let reads = || {
        let mut connection = Connection::open(address);
        let end = Instant::now() + TIME;
        let mut times = Vec::new();
        while Instant::now() < end {
            let asked = Instant::now();
            connection.ask(&record);
            times.push(asked.elapsed().as_secs_f64());
        }
        times
    };
    let [mut alone, mut beside] = [const { Vec::new() }; 2];
    let mut tokens = Vec::new();
    for _ in 0..ROUNDS {
        alone.extend(reads());
        std::thread::scope(|scope| {
            let refused = scope.spawn(|| open_loop(WRONG, TIME, || ask(address, &wrong)));
            let legitimate = scope.spawn(|| open_loop(RIGHT, TIME, || ask(address, &right)));
            beside.extend(reads());
            tokens.extend(legitimate.join().expect("no panic"));
            let refused = refused.join().expect("no panic");
            let is_refused = |status| [401, 429].contains(&status);
            assert!(refused.iter().all(|answer| is_refused(answer.status)));
        });
    }
    let (served, sent) = (accepted(&tokens).len() as f64, tokens.len() as f64);
    let goal = Some((served / sent, 1.0, true));
    let name = "200 wrong secrets a second: legitimate tokens";
    table.row(name, served, sent, "sent", goal);
    let [beside, alone] = [beside, alone].map(|times| quantile(&times, 0.99) * 1e3);
    let goal = Some((beside / alone, 1.5, false));
    let name = "200 wrong secrets a second: p99 of a record";
    table.row(name, beside, alone, "ms alone", goal);
}
