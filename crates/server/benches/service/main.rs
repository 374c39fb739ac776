//! The cost of the service against a lower bound: floor and result are measured alternately in the same run,
//! so that their ratio is comparable between machines. `cargo bench -p obeya-server --bench service` builds a
//! database of 1,000,000 values and 100,000 comments, measures, and prints a table; names after `--` (`cargo
//! bench … -- comments`) select subjects. With `postgres` as the first name it runs on the PostgreSQL that
//! `OBEYA_TEST_POSTGRES` names: `cargo xtask bench postgres` starts one.
//!
//! The service and the static reply run as separate processes (this program again, with a role), so that
//! memory and processor time are theirs alone.

mod comments;
mod filters;
mod groups;
mod isolation;
mod load;
mod overload;
mod pages;
mod plant;
mod postgres;
mod probe;
mod process;
mod pulls;
mod scale;
mod small;
mod soak;
mod steps;
mod table;
mod tails;
mod writes;

use std::time::Instant;

use obeya_server::admin::{self, NewClient};
use plant::Plant;
use process::Child;
use table::Table;

/// Rounds of each figure; the median counts.
const ROUNDS: usize = 7;
/// Connections of the loaded case.
const CONNECTIONS: usize = 32;

/// A subject, and what measures it.
type Subject = (&'static str, fn(&mut Table, &Bench));

const SUBJECTS: [Subject; 12] = [
    ("small", small::measure),
    ("comments", comments::measure),
    ("filters", filters::measure),
    ("groups", groups::measure),
    ("pages", pages::measure),
    ("pulls", pulls::measure),
    ("writes", writes::measure),
    ("tails", tails::measure),
    ("soak", soak::measure),
    ("overload", overload::measure),
    ("isolation", |table, bench| {
        isolation::measure(table, bench, &[20]);
    }),
    ("process", process_figures),
];

/// What every subject works on.
struct Bench {
    folder: tempfile::TempDir,
    plant: Plant,
    token: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Cargo adds an option.
    let words = arguments.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    match words[..] {
        ["role:service", db] => process::serve(db),
        ["role:service-with-log", db] => process::serve_with_log(db),
        ["role:static", file] => process::serve_static(file),
        ["scale"] => scale::sqlite(),
        ["scale", "postgres"] => scale::postgres(),
        ["postgres", ref names @ ..] => postgres::bench(names),
        ref names => bench(names),
    }
}

/// Which of these subjects are wanted: those that are named, or all if none is.
fn wanted<'n>(names: &'n [&str], subjects: &[&str]) -> impl Fn(&str) -> bool + 'n {
    for name in names {
        assert!(
            subjects.contains(name),
            "no subject {name}; there are {}",
            subjects.join(", ")
        );
    }
    |name| names.is_empty() || names.contains(&name)
}

fn bench(names: &[&str]) {
    let wanted = wanted(names, &SUBJECTS.map(|(name, _)| name));
    let mut table = Table::default();
    let folder = tempfile::tempdir().expect("a folder for the database");
    let db = format!("sqlite:{}", folder.path().join("plant.db").display());
    let plant = Plant::import(folder.path(), db);
    table.limit(IMPORT, plant.import_seconds, "s", 20.0);
    let bench = Bench::new(folder, plant);
    for (name, measure) in SUBJECTS {
        if wanted(name) {
            measure(&mut table, &bench);
        }
    }
    println!("{table}");
}

const IMPORT: &str = "import of 1,000,000 values and 100,000 comments";

impl Bench {
    fn new(folder: tempfile::TempDir, plant: Plant) -> Self {
        let token = Child::service(&plant.db).token(&plant);
        Self {
            folder,
            plant,
            token,
        }
    }

    /// Another client.
    fn client(&self, name: &str, scopes: &[&str]) -> NewClient {
        let added = admin::add_client(&self.plant.db, name, scopes);
        process::runtime().block_on(added).expect("a client")
    }

    /// Revokes a client.
    fn revoke(&self, client: &NewClient) {
        let revoked = admin::revoke_client(&self.plant.db, &client.client_id);
        process::runtime().block_on(revoked).expect("a client");
    }
}

/// Start and idle memory of a fresh process.
fn process_figures(table: &mut Table, bench: &Bench) {
    let mut starts = Vec::new();
    let mut idle = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let service = Child::service(&bench.plant.db);
        load::get(&service.address, "/v2/groups/1", &bench.token);
        starts.push(milliseconds(started));
        idle.push(service.resident_mib());
    }
    table.limit("cold start to first answer", median(starts), "ms", 100.0);
    table.limit("memory after the first answer", median(idle), "MiB", 30.0);
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
