//! A year of one-minute values, 525,600 of the 1,000,000 of a datasource, aggregated by `$apply`: from the
//! values and from their rollups. The floor is a plain statement over the values in the database alone, which
//! adds up in doubles, and on SQLite knows no time zone. Then ten years, whose groups are compared with those
//! of a week.

use std::time::Instant;

use crate::load::{self, Connection};
use crate::process::Child;
use crate::steps::Steps;
use crate::table::Table;
use crate::{Bench, median, milliseconds};

const TURNS: usize = 9;
/// Milliseconds from the rollups.
const MOST_MS: f64 = 5.0;
/// The year, in the query language.
const YEAR: &str = "valueDate ge 2023-01-01T00:00:00Z and valueDate lt 2024-01-01T00:00:00Z";
/// The same in SQL.
const SQL_YEAR: &str = "value_date >= 16725312000000000 AND value_date < 17040672000000000";
/// True for every value of the plant, and no rollup can know it. Means and maxima leave out nulls anyway.
const OF_VALUES: &str = "value ne null";

/// A grouping in the query language and in SQL.
struct Grouping {
    name: &'static str,
    odata: &'static str,
    sql: &'static str,
    /// The statement of a database that knows time zones, if it differs.
    zoned: Option<&'static str>,
}

const GROUPINGS: [Grouping; 4] = [
    Grouping {
        name: "mean of a year of values",
        odata: "aggregate(value with average as v)",
        sql: "SELECT avg(value) FROM datasource_values WHERE datasource_id = 1 AND {year}",
        zoned: None,
    },
    Grouping {
        name: "  their maxima by day",
        odata: "compute(bin(valueDate,'day','UTC') as k)/groupby((k),aggregate(value with max as v))",
        sql: "SELECT value_date / 864000000000 AS k, max(value) FROM datasource_values WHERE datasource_id = 1 AND {year} GROUP BY 1 ORDER BY 1",
        zoned: None,
    },
    Grouping {
        name: "  their means by day",
        odata: "compute(bin(valueDate,'day','UTC') as k)/groupby((k),aggregate(value with average as v))",
        sql: "SELECT value_date / 864000000000 AS k, avg(value) FROM datasource_values WHERE datasource_id = 1 AND {year} GROUP BY 1 ORDER BY 1",
        zoned: None,
    },
    Grouping {
        name: "  their means by day in Oslo",
        odata: "compute(bin(valueDate,'day','Europe/Oslo') as k)/groupby((k),aggregate(value with average as v))",
        sql: "SELECT value_date / 864000000000 AS k, avg(value) FROM datasource_values WHERE datasource_id = 1 AND {year} GROUP BY 1 ORDER BY 1",
        zoned: Some(
            "SELECT date_trunc('day', to_timestamp(value_date / 10000000) AT TIME ZONE 'Europe/Oslo') AS k, avg(value) FROM datasource_values WHERE datasource_id = 1 AND {year} GROUP BY 1 ORDER BY 1",
        ),
    },
];

/// A datasource with a value an hour for ten years.
const TEN_YEARS: usize = 900;
const WEEK_BY_HOUR: &str = "filter(valueDate ge 2020-06-01T00:00:00Z and valueDate lt 2020-06-08T00:00:00Z)/compute(bin(valueDate,'hour','Europe/Oslo') as k)/groupby((k),aggregate(value with average as v))";
/// The period by which ten years are grouped, its zone, and what that may cost, as a multiple of the week.
const PERIODS: [(&str, &str, f64); 4] = [
    ("year", "UTC", 3.0),
    ("month", "UTC", 3.0),
    ("month", "Europe/Oslo", 6.0),
    ("week", "Europe/Oslo", 20.0),
];

/// On a SQLite file.
pub fn measure(table: &mut Table, bench: &Bench) {
    let steps = Steps::open(&bench.plant);
    against(table, bench, "ms, SQLite", false, |sql| steps.all(sql));
}

/// Against `floor`, which returns the milliseconds of a statement, on a database that may know time zones.
pub fn against(
    table: &mut Table,
    bench: &Bench,
    unit: &str,
    has_zones: bool,
    mut floor: impl FnMut(&str) -> f64,
) {
    bench.plant.add_ten_years(TEN_YEARS);
    let service = Child::service(&bench.plant.db);
    let mut connection = Connection::open(&service.address);
    let mut ask = |datasource: usize, apply: &str| {
        let apply = apply.replace(' ', "%20");
        let path = format!("/v2/datasources/{datasource}/values?$apply={apply}");
        let request = load::request(&path, &bench.token);
        let started = Instant::now();
        connection.ask(&request);
        milliseconds(started)
    };
    for Grouping {
        name,
        odata,
        sql,
        zoned,
    } in GROUPINGS
    {
        let sql = zoned.filter(|_| has_zones).unwrap_or(sql);
        let of_values = format!("filter({OF_VALUES} and {YEAR})/{odata}");
        let odata = format!("filter({YEAR})/{odata}");
        let sql = sql.replace("{year}", SQL_YEAR);
        let [mut rolled_up, mut read, mut plain] = [const { Vec::new() }; 3];
        for _ in 0..TURNS {
            rolled_up.push(ask(1, &odata));
            read.push(ask(1, &of_values));
            plain.push(floor(&sql));
        }
        let [rolled_up, read, plain] = [rolled_up, read, plain].map(median);
        let goal = Some((read / plain, 1.5, false));
        table.row(&format!("{name}, from the values"), read, plain, unit, goal);
        let name = format!("{name}, from rollups");
        table.limited(&name, rolled_up, plain, unit, MOST_MS);
    }
    for (period, zone, most) in PERIODS {
        let apply = format!(
            "compute(bin(valueDate,'{period}','{zone}') as k)/groupby((k),aggregate(value with average as v))"
        );
        let [mut years, mut week] = [const { Vec::new() }; 2];
        for _ in 0..5 * TURNS {
            years.push(ask(TEN_YEARS, &apply));
            week.push(ask(TEN_YEARS, WEEK_BY_HOUR));
        }
        let [years, week] = [years, week].map(median);
        let name = format!("ten years of hours by {period}, {zone}");
        table.row(
            &name,
            years,
            week,
            "ms, a week by hour",
            Some((years / week, most, false)),
        );
    }
}
