//! What requests cost as values become many: the same datasources, alone and among a hundred times as many.
//! Each datasource has 100,000 values, one a minute, so that only the size of the table differs.
//!
//! The values are written by statements of the engine, in the order of the table, and their rollups by the
//! service's own code. `OBEYA_BENCH_VALUES` is their number in the larger database.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use obeya_server::{backup, check};

use crate::load::{self, Connection};
use crate::plant::{self, Plant};
use crate::postgres::server::Server;
use crate::process::{self, Child};
use crate::table::Table;
use crate::{median, milliseconds};

/// Values of a datasource.
const EACH: usize = 100_000;
/// Datasources of the smaller database: those that are read in both.
const FEW: usize = 10;
/// What a cost may be of that in the smaller database.
const MOST: f64 = 1.3;
const TURNS: usize = 41;

/// The columns of a value that are generated. `n` counts from 0; the ids of the datasources alternate, as
/// values are registered minute by minute.
const COLUMNS: &str = "datasource_id, value_date, id, value, registration_date, area_id, dimension";
const ROW: &str = "{datasource}, 17040672000000000 + n * 600000000, n * {datasources} + {datasource}, \
    (n * 7919) % 1000 / 8.0, 17040672000000000 + n * 600000000 + 70000000, n % 7 + 1, 'Shift ' || (n / 480 % 3)";
/// The date of the first value, in seconds since 1970: the partitions of `docs/scale.md` begin with it.
const START: i64 = 1_704_067_200;

/// A database with values, and a service on it.
struct Scaled {
    plant: Plant,
    token: String,
    datasources: usize,
    service: Child,
    connection: Connection,
}

/// On two SQLite files.
pub fn sqlite() {
    let mut table = Table::default();
    let folder = tempfile::tempdir().expect("a folder for the databases");
    let database = |datasources: usize| {
        let folder = folder.path().join(datasources.to_string());
        let file = folder.join("plant.db");
        let plant = new_plant(&folder, datasources, format!("sqlite:{}", file.display()));
        fill_sqlite(&file, datasources);
        plant::make_rollups(&plant.db);
        (plant, datasources)
    };
    let databases = [FEW, number_of_datasources(100_000_000)].map(database);
    let [mut few, mut many] = databases.map(Scaled::new);
    requests(&mut table, &mut few, &mut many);
    println!("{table}");
    let mut table = Table::default();
    files(&mut table, folder.path(), &few, &many);
    println!("{table}");
}

/// On two databases of the PostgreSQL server that the environment names, with a partition for each month.
pub fn postgres() {
    let mut table = Table::default();
    let folder = tempfile::tempdir().expect("a folder for the lines");
    let servers = [FEW, number_of_datasources(20_000_000)].map(|datasources| {
        let server = Server::named(&format!("scale_{datasources}"));
        let folder = folder.path().join(datasources.to_string());
        let plant = new_plant(&folder, datasources, server.url());
        server.run(&divide());
        for datasource in 1..=datasources {
            let series = format!("SELECT generate_series(0, {}::bigint)", EACH - 1);
            server.run(&insert(datasource, datasources, &series));
        }
        server.run(&counters(datasources));
        server.run("VACUUM (ANALYZE)");
        server.run("CHECKPOINT");
        plant::make_rollups(&plant.db);
        ((plant, datasources), server)
    });
    let [(few, _server), (many, _other)] = servers;
    let [mut few, mut many] = [few, many].map(Scaled::new);
    requests(&mut table, &mut few, &mut many);
    println!("{table}");
}

impl Scaled {
    /// Only once both databases are filled: the service closes a connection that is idle for minutes.
    fn new((plant, datasources): (Plant, usize)) -> Self {
        let service = Child::service(&plant.db);
        Self {
            token: service.token(&plant),
            connection: Connection::open(&service.address),
            plant,
            datasources,
            service,
        }
    }

    /// Milliseconds for a request.
    fn ask(&mut self, path: &str) -> f64 {
        let request = load::request(&path.replace(' ', "%20"), &self.token);
        let started = Instant::now();
        self.connection.ask(&request);
        milliseconds(started)
    }

    fn create(&mut self, datasource: usize, turn: usize) -> f64 {
        let value = format!(r#"{{"value":1.5,"valueDate":"{}"}}"#, date(EACH + turn));
        let path = format!("/v1/Datasources/{datasource}/values");
        let body = ("application/json", value.as_str());
        let request = load::request_with("POST", &path, Some(&self.token), body);
        let started = Instant::now();
        self.connection.ask(&request);
        milliseconds(started)
    }
}

/// Requests to both services in turns, on the datasources that both have.
fn requests(table: &mut Table, few: &mut Scaled, many: &mut Scaled) {
    let values = |version: &str, datasource: usize, query: &str| match version {
        "v1" => format!("/v1/Datasources/{datasource}/values?{query}"),
        _ => format!("/v2/datasources/{datasource}/values?{query}"),
    };
    let by_day = "$apply=compute(bin(valueDate,'day','UTC') as day)/groupby((day),aggregate(value with average as mean))";
    let period = {
        let [from, to] = [50_000, 51_000].map(date);
        format!("$filter=valueDate ge {from} and valueDate lt {to}&$top=1000")
    };
    let lists: [_; 5] = [
        ("page 1 of 10 values", "v1", "pageSize=10&page=1"),
        ("page 5,000 of 10 values", "v1", "pageSize=10&page=5000"),
        ("page 10,000, the last one", "v1", "pageSize=10&page=10000"),
        ("a period of 1,000 values", "v2", &period),
        ("$apply: means of 70 days", "v2", by_day),
    ];
    for (name, version, query) in lists {
        let mut took = [const { Vec::new() }; 2];
        for turn in 0..TURNS {
            let path = values(version, turn % FEW + 1, query);
            took[0].push(few.ask(&path));
            took[1].push(many.ask(&path));
        }
        add(table, name, took);
    }
    let mut took = [const { Vec::new() }; 2];
    for turn in 0..TURNS {
        for (took, scaled) in took.iter_mut().zip([&mut *few, &mut *many]) {
            let datasources = scaled.datasources;
            let id = turn * datasources + turn % FEW + 1;
            let query = format!("$filter=id eq {id}");
            took.push(scaled.ask(&values("v2", turn % FEW + 1, &query)));
        }
    }
    add(table, "a value by its id", took);
    let mut took = [const { Vec::new() }; 2];
    for turn in 0..TURNS {
        took[0].push(few.create(turn % FEW + 1, turn));
        took[1].push(many.create(turn % FEW + 1, turn));
    }
    add(table, "a value created", took);
    table.row(
        "memory of the service",
        many.service.resident_mib(),
        few.service.resident_mib(),
        "MiB, 1,000,000 values",
        None,
    );
}

/// Adds a line, with its bound.
fn add(table: &mut Table, name: &str, took: [Vec<f64>; 2]) {
    let [few, many] = took.map(median);
    let goal = Some((many / few, MOST, false));
    table.row(name, many, few, "ms, 1,000,000 values", goal);
}

/// A backup and a check of both files, for each GB of the file.
fn files(table: &mut Table, folder: &Path, few: &Scaled, many: &Scaled) {
    let mut took = [[const { Vec::new() }; 2], [const { Vec::new() }; 2]];
    let mut size = 0.0;
    for (scaled, turns) in [(few, 3), (many, 1)] {
        for _ in 0..turns {
            let to = folder.join("backup.db");
            let started = Instant::now();
            let done = backup::backup(&scaled.plant.db, &to, Arc::new(()));
            let report = process::runtime().block_on(done).expect("a backup");
            size = report.bytes as f64 / 1e9;
            let place = usize::from(scaled.datasources > FEW);
            took[0][place].push(started.elapsed().as_secs_f64() / size);
            std::fs::remove_file(to).expect("it is there");
            let started = Instant::now();
            let checked = check::check(&scaled.plant.db, Arc::new(()));
            let checked = process::runtime().block_on(checked).expect("a result");
            assert!(checked.findings.is_empty(), "{:?}", checked.findings);
            took[1][place].push(started.elapsed().as_secs_f64() / size);
        }
    }
    for (name, took) in ["backup, read back", "check"].into_iter().zip(took) {
        let [few, many] = took.map(median);
        let goal = Some((many / few, MOST, false));
        table.row(
            &format!("{name}, for each GB"),
            many,
            few,
            "s, 1,000,000 values",
            goal,
        );
    }
    table.alone("the larger database", size, "GB");
}

/// The number of datasources of the larger database, by the number of its values.
fn number_of_datasources(default: usize) -> usize {
    let values = std::env::var("OBEYA_BENCH_VALUES").map_or(default, |given| {
        given.parse().expect("OBEYA_BENCH_VALUES is a number")
    });
    (values / EACH).max(FEW)
}

/// A plant with datasources and no values, in a new folder.
fn new_plant(folder: &Path, datasources: usize, db: String) -> Plant {
    std::fs::create_dir(folder).expect("a new folder");
    let line = |id| format!("{{\"id\":{id},\"title\":\"Meter {id}\"}}\n");
    let lines: String = (1..=datasources).map(line).collect();
    Plant::import_lines(folder, db, |folder| {
        std::fs::write(folder.join("datasources.jsonl"), lines).expect("the disk has room");
    })
}

/// The statement that writes the values of a datasource; `series` selects the numbers from 0.
fn insert(datasource: usize, datasources: usize, series: &str) -> String {
    let row = ROW
        .replace("{datasource}", &datasource.to_string())
        .replace("{datasources}", &datasources.to_string());
    format!("INSERT INTO datasource_values ({COLUMNS}) SELECT {row} FROM ({series}) AS series(n)")
}

/// The statements that say which id was given last, and how many values a datasource has.
fn counters(datasources: usize) -> String {
    let last = datasources * EACH;
    format!(
        "UPDATE datasources SET value_count = {EACH};
        INSERT INTO counters (name, last) VALUES ('datasource_values', {last}) ON CONFLICT (name) DO UPDATE SET last = {last}"
    )
}

fn fill_sqlite(file: &Path, datasources: usize) {
    /// Those of a transaction.
    const TOGETHER: usize = 20;
    let connection = rusqlite::Connection::open(file).expect("the database is there");
    let run = |sql: &str| connection.execute_batch(sql).expect(sql);
    run("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;");
    let index: String = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE name = 'datasource_values_by_id'",
            [],
            |row| row.get(0),
        )
        .expect("the index of values by id");
    // It is written at the end, in its own order.
    run("DROP INDEX datasource_values_by_id");
    let series = format!(
        "WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < {}) SELECT n FROM counted",
        EACH - 1
    );
    for first in (1..=datasources).step_by(TOGETHER) {
        run("BEGIN");
        for datasource in first..=datasources.min(first + TOGETHER - 1) {
            run(&insert(datasource, datasources, &series).replace("AS series(n)", ""));
        }
        run("COMMIT");
    }
    run(&index);
    run(&counters(datasources));
    run("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)");
}

/// The statements of `docs/scale.md` that make a partition for each month.
fn divide() -> String {
    let page = include_str!("../../../../docs/scale.md");
    let begin = page.find("-- partitions: divide").expect("the statements");
    let block = &page[begin..];
    block[..block.find("```").expect("the end")].to_owned()
}

/// The date of the n-th value of each datasource.
fn date(n: usize) -> String {
    let minutes = i64::try_from(n).expect("a small number");
    let instant = jiff::Timestamp::from_second(START + 60 * minutes);
    instant.expect("within range").to_string()
}
