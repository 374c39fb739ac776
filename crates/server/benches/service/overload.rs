//! Four times as many costly filters of one client as the machine can answer: how long the accepted ones take
//! against half a load, what another client gets meanwhile, and how soon all is as before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::probe::{Answer, accepted, ask, closed_loop, get, open_loop, quantile};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, median};

/// How long each load lasts.
const TIME: Duration = Duration::from_secs(20);
/// How long the overload and the half load last: a p99 of fewer answers would be the longest of them.
const LONG: Duration = Duration::from_secs(60);
/// The begin of the overload, which is measured apart. Until the queue of the client stands, the service
/// takes the load for a burst, which it absorbs by longer waits.
const BURST: Duration = Duration::from_secs(5);
/// The longest time for recovery that is measured.
const RECOVERY: Duration = Duration::from_secs(20);
/// How long a filter takes, about: those that once made other clients wait took some seconds.
const FILTER: Duration = Duration::from_secs(2);
/// How much longer a filter of another client may take than alone: nothing but the sharing of caches and of
/// the memory's bandwidth.
const SHARED: f64 = 1.5;
/// The most parts of a filter, each of which changes the texts of all comments four times and searches them.
const MAX_PARTS: usize = 19;

const TEXT: &str = "toupper(tolower(toupper(tolower(text))))";

/// Costly filters of one client.
pub struct Filters<'c> {
    address: &'c str,
    token: String,
    /// No two requests are equal, so that no cache answers.
    number: &'c AtomicUsize,
    parts: usize,
}

/// Measures the service under overload.
pub fn measure(table: &mut Table, bench: &Bench) {
    let other = bench.client("other", &["public.api.read"]);
    let service = Child::service(&bench.plant.db);
    let number = AtomicUsize::new(0);
    let heavy = Filters::of(&service.address, bench.token.clone(), &number);
    let other = heavy.with_token(service.token_of(&other));

    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let capacity = closed_loop(processors, TIME, || heavy.ask());
    let rate = capacity.len() as f64 / TIME.as_secs_f64();
    let half = accepted(&open_loop(rate / 2.0, LONG, || heavy.ask()));
    let alone = accepted(&closed_loop(1, TIME, || other.ask()));
    let (overload, shared, recovery) = std::thread::scope(|scope| {
        let load = scope.spawn(|| open_loop(rate * 4.0, LONG, || heavy.ask()));
        let shared = scope.spawn(|| closed_loop(1, LONG, || other.ask()));
        std::thread::sleep(LONG);
        // Nothing more is sent, and much is still waiting.
        let recovery = heavy.recovery(median(half.clone()));
        let [load, shared] = [load, shared].map(|load| load.join().expect("no panic"));
        (load, shared, recovery)
    });

    // Requests stand in the order in which they were sent.
    let sent_in_burst = (rate * 4.0 * BURST.as_secs_f64()).ceil() as usize;
    let (burst, standing) = overload.split_at(sent_in_burst.min(overload.len()));
    let [burst, times] = [burst, standing].map(accepted);
    let (p99, p99_half) = (quantile(&times, 0.99), quantile(&half, 0.99));
    let goal = Some((p99 / p99_half, 3.0, false));
    let name = "4x overload: p99 of accepted filters of the client";
    let unit = format!("ms at half a load; {} accepted", times.len());
    table.row(name, p99 * 1e3, p99_half * 1e3, &unit, goal);
    let name = "4x overload: longest accepted filter of its first 5 s";
    let longest = quantile(&burst, 1.0);
    table.row(
        name,
        longest * 1e3,
        p99_half * 1e3,
        "ms at half a load",
        None,
    );
    let accepted_rate = times.len() as f64 / (LONG - BURST).as_secs_f64();
    let name = "4x overload: accepted filters of the client, per second";
    table.row(name, accepted_rate, rate, "at its capacity", None);
    let served = accepted(&shared).len() as f64;
    let goal = Some((served / shared.len() as f64, 1.0, true));
    let name = "4x overload: accepted filters of another client";
    table.row(name, served, shared.len() as f64, "sent", goal);
    let name = "4x overload: median of another client's filters";
    let (median_shared, median_alone) = (median(accepted(&shared)), median(alone));
    let goal = Some((median_shared / median_alone, SHARED, false));
    table.row(
        name,
        median_shared * 1e3,
        median_alone * 1e3,
        "ms alone",
        goal,
    );
    table.limit("4x overload: recovery after its end", recovery, "s", 5.0);
}

impl<'c> Filters<'c> {
    /// Filters that take about two seconds on this machine.
    pub fn of(address: &'c str, token: String, number: &'c AtomicUsize) -> Self {
        let mut filters = Self {
            address,
            token,
            number,
            parts: 4,
        };
        // The first opens connections and fills caches.
        let four = [filters.ask(), filters.ask()][1].seconds;
        let parts = (4.0 * FILTER.as_secs_f64() / four).ceil() as usize;
        filters.parts = parts.clamp(1, MAX_PARTS);
        filters
    }

    /// The same filters of another client.
    pub fn with_token(&self, token: String) -> Self {
        Self { token, ..*self }
    }

    pub fn ask(&self) -> Answer {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let parts: Vec<String> = (0..self.parts)
            .map(|part| format!("indexof({TEXT},'N{number}-{part}')%20gt%200"))
            .collect();
        let filter = parts.join("%20or%20");
        let path = format!("/v2/incidents/comments?$filter={filter}");
        let answer = ask(self.address, &get(&path, &self.token));
        assert!([200, 503].contains(&answer.status), "{}", answer.status);
        answer
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
}
