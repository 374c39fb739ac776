//! Texts of 100,000 comments: terms through `$search`, substrings through `contains`. Literals change with
//! every request.

use std::time::Instant;

use crate::load::{self, Connection};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, median, milliseconds, plant, small};

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let rare = |n: usize| {
        format!(
            "/v2/incidents/comments?$search={}&$top=50",
            plant::rare_word(n * 7)
        )
    };
    small::row(
        table,
        bench,
        &service,
        "search: 100 comments match, 50 asked for",
        &rare,
        0.15,
    );
    let common = |n: usize| {
        format!(
            "/v2/incidents/comments?$search={}&$top=50",
            plant::common_word(n)
        )
    };
    small::row(
        table,
        bench,
        &service,
        "search: 10,000 match, 50 asked for",
        &common,
        0.15,
    );
    let counted = |n: usize| format!("{}&$count=true", rare(n));
    small::row(
        table,
        bench,
        &service,
        "search: 100 match, 50 asked for, and the count",
        &counted,
        0.0,
    );

    let ticket = |n: usize| format!("T-{:05}", n * 97 % 10_000);
    contains(
        table,
        bench,
        &service,
        "contains: 10 match",
        "",
        &ticket,
        1.0,
    );
    contains(
        table,
        bench,
        &service,
        "contains: 10 match, and the count",
        "&$count=true",
        &ticket,
        1.0,
    );
    let part = |n: usize| plant::rare_word(n * 7)[1..].to_owned();
    contains(
        table,
        bench,
        &service,
        "contains: some hundred match, 50 asked for",
        "&$top=50",
        &part,
        1.0,
    );
    let common = |n: usize| plant::common_word(n)[1..].to_owned();
    contains(
        table,
        bench,
        &service,
        "contains: 10,000 match, 50 asked for",
        "&$top=50",
        &common,
        1.0,
    );
    contains(
        table,
        bench,
        &service,
        "  the same, and the count",
        "&$top=50&$count=true",
        &common,
        f64::INFINITY,
    );
    let absent = |n: usize| format!("absent {n}");
    contains(
        table,
        bench,
        &service,
        "contains: none match",
        "",
        &absent,
        1.0,
    );
    let any_of_60 = |turn: usize| {
        let parts: Vec<String> = (0..60)
            .map(|n| format!("contains(text,'shift, see {}')", ticket(60 * turn + n)))
            .collect();
        format!("/v2/incidents/comments?$filter={}", parts.join(" or "))
    };
    let name = "contains any of 60 parts, 600 match";
    answer(table, bench, &service, name, &any_of_60, 100.0);
    for (name, part) in [
        (
            "incidents with a comment that contains: none match",
            &absent as &dyn Fn(usize) -> String,
        ),
        ("  10 comments match", &ticket),
        ("  10,000 match", &common),
    ] {
        let path = |n: usize| {
            format!(
                "/v2/incidents?$filter=comments/any(c:contains(c/text,'{}'))",
                part(n)
            )
        };
        answer(table, bench, &service, name, &path, 50.0);
    }
}

/// Milliseconds to the comments with a part, over one connection.
fn contains(
    table: &mut Table,
    bench: &Bench,
    service: &Child,
    name: &str,
    more: &str,
    part: &dyn Fn(usize) -> String,
    limit: f64,
) {
    let path = |n: usize| {
        format!(
            "/v2/incidents/comments?$filter=contains(text,'{}'){more}",
            part(n)
        )
    };
    answer(table, bench, service, name, &path, limit);
}

/// Milliseconds to an answer over one connection.
fn answer(
    table: &mut Table,
    bench: &Bench,
    service: &Child,
    name: &str,
    path: &dyn Fn(usize) -> String,
    limit: f64,
) {
    const TURNS: usize = 101;
    let mut connection = Connection::open(&service.address);
    let figures = (0..TURNS).map(|turn| {
        let request = load::request(&path(turn).replace(' ', "%20"), &bench.token);
        let started = Instant::now();
        connection.ask(&request);
        milliseconds(started)
    });
    table.limit(name, median(figures.collect()), "ms", limit);
}
