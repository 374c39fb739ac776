//! Small answers under load, each against a static reply of the same bytes: the most that any server over
//! this HTTP stack can give.

use std::time::Duration;

use crate::load::{self, Load, Target};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, CONNECTIONS, ROUNDS, median, plant};

/// How long requests are sent in one round.
const ROUND: Duration = Duration::from_millis(700);
const BOARDS: &str = "/v2/boards?$filter=groupId%20le%20100&$orderby=name&$top=50&$count=true";

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let group = |n: usize| format!("/v2/groups/{}", n % plant::GROUPS + 1);
    row(table, bench, &service, "group by id, with JWT", &group, 0.5);
    let boards = |_| BOARDS.to_owned();
    row(
        table,
        bench,
        &service,
        "50 boards: filter, order, count",
        &boards,
        0.25,
    );
    // Every request has a different text, so that no cache by text helps.
    let fresh = |n: usize| format!("{BOARDS}&n={n}").replace("100", &(n % 1000 + 20).to_string());
    row(
        table,
        bench,
        &service,
        "  the same, another filter each time",
        &fresh,
        0.0,
    );
}

/// Answers per second, over one connection and over many. `path` returns the path of the n-th request; all
/// answers have about the same length.
pub fn row(
    table: &mut Table,
    bench: &Bench,
    service: &Child,
    name: &str,
    path: &dyn Fn(usize) -> String,
    at_least: f64,
) {
    const PATHS: usize = 200;
    let body = load::get(&service.address, &path(PATHS / 2), &bench.token);
    let file = bench.folder.path().join("static");
    std::fs::write(&file, &body).expect("the folder can be written");
    let ceiling = Child::static_reply(&file);
    let requests = |count: usize| {
        (0..count)
            .map(|n| load::request(&path(n), &bench.token))
            .collect::<Vec<_>>()
    };
    let target = Target {
        address: &service.address,
        requests: &requests(PATHS),
    };
    let floor = Target {
        address: &ceiling.address,
        requests: &requests(1),
    };
    for connections in [1, CONNECTIONS] {
        let mut figures = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (target, figures) in [&target, &floor].into_iter().zip(&mut figures) {
                let load = Load {
                    connections,
                    time: ROUND,
                };
                figures.push(load.run(target));
            }
        }
        let [ours, theirs] = figures.map(median);
        table.row(
            &format!("{name}, {connections} connection(s)"),
            ours,
            theirs,
            "requests/s, static reply",
            (at_least > 0.0).then_some((ours / theirs, at_least, true)),
        );
    }
}
