//! Four times as many costly filters of one client as the machine can answer: how long the accepted ones take
//! against half a load, what another client gets meanwhile, and how soon all is as before.
//!
//! Requests are sent at a fixed rate, whether earlier ones were answered or not (open loop), so that a slow
//! service does not lower its own load.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use obeya_server::admin;

use crate::load;
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, median};

/// How long each load lasts.
const TIME: Duration = Duration::from_secs(20);
/// The longest time for recovery that is measured.
const RECOVERY: Duration = Duration::from_secs(20);
/// How long a filter takes, about: those that once made other clients wait took some seconds.
const FILTER: Duration = Duration::from_secs(2);
/// The most parts of a filter, each of which searches the texts of all comments.
const MAX_PARTS: usize = 16;

/// One answer.
struct Answer {
    status: u16,
    seconds: f64,
}

/// The requests of one client.
struct Client<'c> {
    address: &'c str,
    token: String,
    /// No two requests are equal, so that no cache answers.
    number: &'c AtomicUsize,
    /// The parts of its filters.
    parts: usize,
}

/// Measures the service under overload.
pub fn measure(table: &mut Table, bench: &Bench) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let added = admin::add_client(&bench.plant.db, "other", &["public.api.read"]);
    let other = runtime.block_on(added).expect("a client");
    let service = Child::service(&bench.plant.db);
    let number = AtomicUsize::new(0);
    let client = |token, parts| Client {
        address: &service.address,
        token,
        number: &number,
        parts,
    };
    // The first opens connections and fills caches.
    let four = client(bench.token.clone(), 4);
    let four = [four.ask(), four.ask()][1].seconds;
    let parts = (4.0 * FILTER.as_secs_f64() / four).ceil() as usize;
    let parts = parts.clamp(1, MAX_PARTS);
    let heavy = client(bench.token.clone(), parts);
    let other = client(service.token_of(&other), parts);

    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let capacity = heavy.closed_loop(processors);
    let rate = capacity.len() as f64 / TIME.as_secs_f64();
    let half = accepted(&heavy.open_loop(rate / 2.0));
    let alone = accepted(&other.closed_loop(1));
    let (overload, shared, recovery) = std::thread::scope(|scope| {
        let load = scope.spawn(|| heavy.open_loop(rate * 4.0));
        let shared = scope.spawn(|| other.closed_loop(1));
        std::thread::sleep(TIME);
        // Nothing more is sent, and much is still waiting.
        let recovery = heavy.recovery(median(half.clone()));
        let [load, shared] = [load, shared].map(|load| load.join().expect("no panic"));
        (load, shared, recovery)
    });

    let times = accepted(&overload);
    let (p99, p99_half) = (quantile(&times, 0.99), quantile(&half, 0.99));
    let goal = Some((p99 / p99_half, 3.0, false));
    let name = "4x overload: p99 of accepted filters of the client";
    table.row(name, p99 * 1e3, p99_half * 1e3, "ms at half a load", goal);
    let accepted_rate = times.len() as f64 / TIME.as_secs_f64();
    let name = "4x overload: accepted filters of the client, per second";
    table.row(name, accepted_rate, rate, "at its capacity", None);
    let served = accepted(&shared).len() as f64;
    let goal = Some((served / shared.len() as f64, 1.0, true));
    let name = "4x overload: accepted filters of another client";
    table.row(name, served, shared.len() as f64, "sent", goal);
    let name = "4x overload: median of another client's filters";
    let (median_shared, median_alone) = (median(accepted(&shared)), median(alone));
    table.row(
        name,
        median_shared * 1e3,
        median_alone * 1e3,
        "ms alone",
        None,
    );
    table.limit("4x overload: recovery after its end", recovery, "s", 5.0);
}

impl Client<'_> {
    /// As many connections as this, each with one request after another.
    fn closed_loop(&self, connections: usize) -> Vec<Answer> {
        let end = Instant::now() + TIME;
        std::thread::scope(|scope| {
            let ask = || {
                let mut answers = Vec::new();
                while Instant::now() < end {
                    answers.push(self.ask());
                }
                answers
            };
            let connections: Vec<_> = (0..connections).map(|_| scope.spawn(ask)).collect();
            let answers = connections.into_iter();
            answers
                .flat_map(|connection| connection.join().expect("no panic"))
                .collect()
        })
    }

    /// This many requests a second, each on a connection of its own.
    fn open_loop(&self, rate: f64) -> Vec<Answer> {
        let began = Instant::now();
        let requests = (TIME.as_secs_f64() * rate).ceil() as usize;
        std::thread::scope(|scope| {
            let send = |request: usize| {
                let due = Duration::from_secs_f64(request as f64 / rate);
                std::thread::sleep(due.saturating_sub(began.elapsed()));
                scope.spawn(|| self.ask())
            };
            let requests: Vec<_> = (0..requests).map(send).collect();
            let answers = requests.into_iter();
            answers
                .map(|request| request.join().expect("no panic"))
                .collect()
        })
    }

    /// The seconds until a request is sent whose answer takes at most twice this time.
    fn recovery(&self, usual: f64) -> f64 {
        let began = Instant::now();
        while began.elapsed() < RECOVERY {
            let asked = began.elapsed().as_secs_f64();
            let answer = self.ask();
            if answer.status == 200 && answer.seconds <= 2.0 * usual {
                return asked;
            }
        }
        RECOVERY.as_secs_f64()
    }

    fn ask(&self) -> Answer {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let parts: Vec<String> = (0..self.parts)
            .map(|part| format!("indexof(toupper(text),'N{number}-{part}')%20gt%200"))
            .collect();
        let filter = parts.join("%20or%20");
        let path = format!("/v2/incidents/comments?$filter={filter}");
        let request = String::from_utf8(load::request(&path, &self.token)).expect("UTF-8");
        let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        let began = Instant::now();
        let mut stream = TcpStream::connect(self.address).expect("the service listens");
        stream
            .write_all(request.as_bytes())
            .expect("the connection stays");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("an answer in UTF-8");
        let seconds = began.elapsed().as_secs_f64();
        let status = answer.get(9..12).and_then(|status| status.parse().ok());
        let status = status.expect("a status");
        assert!([200, 503].contains(&status), "{answer}");
        Answer { status, seconds }
    }
}

/// The times of the accepted requests.
fn accepted(answers: &[Answer]) -> Vec<f64> {
    let accepted = answers.iter().filter(|answer| answer.status == 200);
    accepted.map(|answer| answer.seconds).collect()
}

fn quantile(times: &[f64], part: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * part).round() as usize]
}
