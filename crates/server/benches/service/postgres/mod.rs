//! The service on PostgreSQL against other clients of PostgreSQL: its own load generator if there is one, and
//! the driver alone.
//!
//! The server is the one that `OBEYA_TEST_POSTGRES` names; it should write commits to disk, as with `cargo
//! xtask bench`. The bench creates a database there and removes it.

mod costs;
mod creates;
mod pages;
mod peer;
mod reads;
pub mod server;

use peer::Peer;
use server::Server;

use crate::plant::Plant;
use crate::table::Table;
use crate::{Bench, IMPORT, comments, groups, isolation, overload, process_figures, writes};

/// A subject, and what measures it.
type Subject = (&'static str, fn(&mut Table, &Bench, &Server, &Peer));

const SUBJECTS: [Subject; 10] = [
    ("reads", reads::measure),
    ("comments", |table, bench, _, _| {
        comments::measure(table, bench);
    }),
    ("groups", |table, bench, server, _| {
        groups::against(table, bench, "ms, PostgreSQL", true, |sql| {
            server.seconds(sql) * 1e3
        });
    }),
    ("pages", pages::measure),
    ("creates", creates::measure),
    ("writes", measure_writes),
    ("costs", costs::measure),
    ("overload", |table, bench, _, _| {
        overload::measure(table, bench);
    }),
    ("isolation", |table, bench, _, _| {
        isolation::measure(table, bench, &[16, 64]);
    }),
    ("process", |table, bench, _, _| {
        process_figures(table, bench);
    }),
];

/// Batches of values against as many rows copied into a similar table.
fn measure_writes(table: &mut Table, bench: &Bench, server: &Server, _: &Peer) {
    server.run("CREATE TABLE bench_batch (LIKE datasource_values INCLUDING ALL)");
    let copy = "INSERT INTO bench_batch SELECT * FROM datasource_values WHERE id <= 10000";
    writes::batches(table, bench, "ms, INSERT … SELECT of as many", || {
        let took = server.seconds(copy) * 1e3;
        server.run("TRUNCATE bench_batch");
        took
    });
    server.run("DROP TABLE bench_batch");
}

/// Measures the subjects of these names, or all if there is none.
pub fn bench(names: &[&str]) {
    let wanted = crate::wanted(names, &SUBJECTS.map(|(name, ..)| name));
    let mut table = Table::default();
    let server = Server::named("plant");
    let peer = Peer::find(&server);
    let folder = tempfile::tempdir().expect("a folder for the lines");
    let plant = Plant::import(folder.path(), server.url());
    // The floor: the rows that are there, once more into a table like theirs.
    server.run("CREATE TABLE bench_copy (LIKE datasource_values INCLUDING ALL)");
    let floor = server.seconds("INSERT INTO bench_copy SELECT * FROM datasource_values");
    server.run("DROP TABLE bench_copy");
    table.limited(
        IMPORT,
        plant.import_seconds,
        floor,
        "s, INSERT … SELECT of the values",
        25.0,
    );
    // Work that the server would do within minutes, during the measurement.
    server.run("VACUUM (ANALYZE)");
    server.run("CHECKPOINT");
    println!("{}\n{table}", server.about());
    let bench = Bench::new(folder, plant);
    for (name, measure) in SUBJECTS {
        if wanted(name) {
            let mut table = Table::default();
            measure(&mut table, &bench, &server, &peer);
            // Immediately: a run takes minutes, and a later failure must not lose its results.
            println!("{table}");
        }
    }
}
