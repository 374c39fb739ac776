//! One datasource of 1,000,000 values, filtered by one column: the first time, with nothing remembered, and again. The floor is the same page and the same count by
//! two plain statements in the database alone.

use std::time::Instant;

use crate::load::{self, Connection};
use crate::process::Child;
use crate::steps::Steps;
use crate::table::Table;
use crate::{Bench, median, milliseconds};

const TURNS: usize = 15;

/// A filter in the query language and in SQL, with `#` for what changes with every request, and the values of that.
const FILTERS: [(&str, &str, &str, &dyn Fn(usize) -> String); 11] = [
    ("value gt", "value gt #", "value > #", &|n| {
        (300 + n).to_string()
    }),
    ("value eq", "value eq #.42", "value = #.42", &|n| {
        (300 + n).to_string()
    }),
    (
        "dimension eq",
        "dimension eq '#'",
        "dimension = '#'",
        &|n| ["early", "late", "night"][n % 3].to_owned(),
    ),
    (
        "dimension2 ne",
        "dimension2 ne 'Press #'",
        "dimension2 IS NOT 'Press #'",
        &|n| (n % 12).to_string(),
    ),
    (
        "dimension3 in",
        "dimension3 in ('A-#','A-7')",
        "dimension3 IN ('A-#','A-7')",
        &|n| (n % 40).to_string(),
    ),
    ("areaId eq", "areaId eq #", "area_id = #", &|n| {
        (n % 7 + 1).to_string()
    }),
    (
        "description eq null",
        "description eq null",
        "description IS NULL",
        &|n| n.to_string(),
    ),
    (
        "contains(description)",
        "contains(description,'by h')",
        "instr(description, 'by h') > 0",
        &|n| n.to_string(),
    ),
    (
        "registrationDate lt",
        "registrationDate lt 2023-06-#T00:00:00Z",
        "registration_date < (unixepoch('2023-06-#')) * 10000000",
        &|n| (n % 20 + 10).to_string(),
    ),
    (
        "valueDate ge",
        "valueDate ge 2023-06-#T00:00:00Z",
        "value_date >= (unixepoch('2023-06-#')) * 10000000",
        &|n| (n % 20 + 10).to_string(),
    ),
    (
        "externalId eq",
        "externalId eq 'mes-#'",
        "external_id = 'mes-#'",
        &|n| (n * 7919 + 500_000).to_string(),
    ),
];

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let mut connection = Connection::open(&service.address);
    let steps = Steps::open(&bench.plant);
    for (name, filter, sql, literal) in FILTERS {
        let [mut first, mut again, mut floor] = [const { Vec::new() }; 3];
        for turn in 0..TURNS {
            let literal = literal(turn);
            let filter = filter.replace('#', &literal).replace(' ', "%20");
            let path = format!(
                "/v1/Datasources/1/values?$filter={filter}&$orderby=valueDate&pageSize=1000"
            );
            let request = load::request(&path, &bench.token);
            // What the service remembers of a datasource ends with its counter.
            steps.touch();
            for figures in [&mut first, &mut again] {
                let started = Instant::now();
                connection.ask(&request);
                figures.push(milliseconds(started));
            }
            floor.push(steps.filtered(&sql.replace('#', &literal)));
        }
        let [first, again, floor] = [first, again, floor].map(median);
        table.limited(
            &format!("{name}, for the first time"),
            first,
            floor,
            "ms, SQLite",
            50.0,
        );
        table.row("  again", again, floor, "ms, SQLite", None);
    }
}
