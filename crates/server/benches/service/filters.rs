//! One datasource of 1,000,000 values, filtered by one column: first with cold caches, then again. The floor
//! is the same page and the same count by two plain statements in the database alone.

use std::time::Instant;

use crate::load::{self, Connection};
use crate::process::Child;
use crate::steps::Steps;
use crate::table::Table;
use crate::{Bench, median, milliseconds};

const TURNS: usize = 15;

/// A filter in the query language and in SQL, with `#` for what changes with every request, and the values of
/// that.
struct Filter {
    name: &'static str,
    odata: &'static str,
    sql: &'static str,
    literal: fn(usize) -> String,
}

const fn filter(
    name: &'static str,
    odata: &'static str,
    sql: &'static str,
    literal: fn(usize) -> String,
) -> Filter {
    Filter {
        name,
        odata,
        sql,
        literal,
    }
}

const FILTERS: [Filter; 11] = [
    filter("value gt", "value gt #", "value > #", |n| {
        (300 + n).to_string()
    }),
    filter("value eq", "value eq #.42", "value = #.42", |n| {
        (300 + n).to_string()
    }),
    filter("dimension eq", "dimension eq '#'", "dimension = '#'", |n| {
        ["early", "late", "night"][n % 3].to_owned()
    }),
    filter(
        "dimension2 ne",
        "dimension2 ne 'Press #'",
        "dimension2 IS NOT 'Press #'",
        |n| (n % 12).to_string(),
    ),
    filter(
        "dimension3 in",
        "dimension3 in ('A-#','A-7')",
        "dimension3 IN ('A-#','A-7')",
        |n| (n % 40).to_string(),
    ),
    filter("areaId eq", "areaId eq #", "area_id = #", |n| {
        (n % 7 + 1).to_string()
    }),
    filter(
        "description eq null",
        "description eq null",
        "description IS NULL",
        |n| n.to_string(),
    ),
    filter(
        "contains(description)",
        "contains(description,'by h')",
        "instr(description, 'by h') > 0",
        |n| n.to_string(),
    ),
    filter(
        "registrationDate lt",
        "registrationDate lt 2023-06-#T00:00:00Z",
        "registration_date < unixepoch('2023-06-#') * 10000000",
        |n| (n % 20 + 10).to_string(),
    ),
    filter(
        "valueDate ge",
        "valueDate ge 2023-06-#T00:00:00Z",
        "value_date >= unixepoch('2023-06-#') * 10000000",
        |n| (n % 20 + 10).to_string(),
    ),
    filter(
        "externalId eq",
        "externalId eq 'mes-#'",
        "external_id = 'mes-#'",
        |n| (n * 7919 + 500_000).to_string(),
    ),
];

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let mut connection = Connection::open(&service.address);
    let steps = Steps::open(&bench.plant);
    for filter in FILTERS {
        let [mut first, mut again, mut floor] = [const { Vec::new() }; 3];
        for turn in 0..TURNS {
            let literal = (filter.literal)(turn);
            let text = filter.odata.replace('#', &literal).replace(' ', "%20");
            let path =
                format!("/v1/Datasources/1/values?$filter={text}&$orderby=valueDate&pageSize=1000");
            let request = load::request(&path, &bench.token);
            // A change of the counter invalidates the caches of a datasource.
            steps.touch();
            for figures in [&mut first, &mut again] {
                let started = Instant::now();
                connection.ask(&request);
                figures.push(milliseconds(started));
            }
            floor.push(steps.filtered(&filter.sql.replace('#', &literal)));
        }
        let [first, again, floor] = [first, again, floor].map(median);
        table.limited(
            &format!("{}, for the first time", filter.name),
            first,
            floor,
            "ms, SQLite",
            50.0,
        );
        table.row("  again", again, floor, "ms, SQLite", None);
    }
}
