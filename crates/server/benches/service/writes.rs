//! Writes of values, each on disk when it is answered: ten thousand at once against the same rows in one
//! transaction of the database alone; creates and replacements one by one, over many connections, against
//! writers with group commit and nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ToSql, Transaction, params};

use crate::load::{self, Load, Target};
use crate::plant;
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, ROUNDS, median, milliseconds};

/// Values in a batch.
pub const BATCH: usize = 10_000;
/// Batches. The first ones take longer.
const BATCHES: usize = 3 * ROUNDS;
/// Connections of the single writes, and threads of their peer.
const WRITERS: usize = 16;
/// Values that are replaced.
const REPLACED: usize = 100;
/// How long they write in one round.
const ROUND: Duration = Duration::from_millis(1500);
/// Milliseconds that a batch may take.
const MOST_MS: f64 = 150.0;

const TABLE: &str = "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE datasource_values (
        datasource_id INTEGER NOT NULL, value_date INTEGER NOT NULL, id INTEGER NOT NULL, value REAL, registration_date INTEGER NOT NULL, area_id INTEGER,
        asset_id INTEGER, project_id INTEGER, description TEXT, dimension TEXT, dimension2 TEXT, dimension3 TEXT, dimension4 TEXT, external_id TEXT,
        PRIMARY KEY (datasource_id, value_date, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX datasource_values_by_id ON datasource_values (id);
    CREATE TABLE stamps (id INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
    INSERT INTO stamps VALUES (1, 0);
    CREATE TABLE counters (name TEXT PRIMARY KEY NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO counters VALUES ('datasource_values', 0);
    CREATE TABLE datasources (id INTEGER PRIMARY KEY, title TEXT, value_count INTEGER NOT NULL, change_counter INTEGER NOT NULL) STRICT;
    INSERT INTO datasources VALUES (1, 'Output', 0, 0);
    CREATE TABLE audit_entries (
        number INTEGER PRIMARY KEY, at INTEGER NOT NULL, client_id TEXT, address TEXT, operation TEXT NOT NULL, record TEXT, request_id TEXT,
        change TEXT, salt TEXT, digest TEXT, hash TEXT NOT NULL
    ) STRICT;";
const INSERT: &str = "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, area_id, asset_id, project_id, description,
        dimension, dimension2, dimension3, dimension4, external_id)
    VALUES (1, ?1, ?2, ?3, ?4, ?5, NULL, NULL, 'measured by hand', 'early', ?6, ?7, NULL, ?8)";
/// What a create leaves besides its row.
const ADVANCE: &str = "UPDATE counters SET last = last + 1 WHERE name = 'datasource_values'";
const COUNT: &str = "UPDATE datasources SET value_count = value_count + 1, change_counter = change_counter + 1 WHERE id = 1";
const STAMP: &str = "UPDATE stamps SET last = last + 1 WHERE id = 1";
/// An entry of the audit log, with as many bytes as one of the service.
const ENTRY: &str = r#"INSERT INTO audit_entries (at, client_id, address, operation, record, request_id, change, salt, digest, hash)
    VALUES (?1, 'bench', '127.0.0.1', 'createDatasourceValue', 'datasources/1/values/' || ?2, '00000000-0000-7000-8000-' || printf('%012d', ?2),
        '{"after":{"id":' || ?2 || ',"dataSourceId":1,"registrationDate":"2026-01-01T00:00:00.0000000Z","areaId":3,"value":12.5,"description":"measured by hand","dimension":"early","dimension2":"Press 3","dimension3":"A-7","valueDate":"2090-01-01T06:00:00Z","externalId":"mes-1"}}',
        printf('%032x', ?2), printf('%064x', ?2), printf('%064x', -?2))"#;
const UPDATE: &str = "UPDATE datasource_values SET value = ?3, registration_date = ?4, area_id = ?5, description = 'measured by hand', dimension = 'early',
        dimension2 = 'Press 3', dimension3 = 'A-7', external_id = 'mes-1' WHERE datasource_id = 1 AND value_date = ?1 AND id = ?2";

pub fn measure(table: &mut Table, bench: &Bench) {
    let mut floor = Floor::open(bench.folder.path());
    batches(table, bench, "ms, the same rows in SQLite", || {
        floor.batch()
    });
    creates(table, bench, &mut floor);
    replacements(table, bench, &mut floor);
}

/// A batch against `floor`, which returns the milliseconds of its baseline.
pub fn batches(table: &mut Table, bench: &Bench, unit: &str, mut floor: impl FnMut() -> f64) {
    let service = Child::service(&bench.plant.db);
    let mut connection = load::Connection::open(&service.address);
    let path = "/v1/Datasources/1/values/batch";
    let [mut ours, mut theirs] = [const { Vec::new() }; 2];
    for round in 0..BATCHES {
        let body = batch(round);
        let body = ("application/json", body.as_str());
        let request = load::request_with("POST", path, Some(&bench.token), body);
        let started = Instant::now();
        connection.ask(&request);
        ours.push(milliseconds(started));
        theirs.push(floor());
    }
    let name = "batch create of 10,000 values";
    table.limited(name, median(ours), median(theirs), unit, MOST_MS);
}

/// The body of a batch with texts, a minute apart and after all existing values.
pub fn batch(round: usize) -> String {
    let mut body = String::from("[");
    for n in 0..BATCH {
        let (year, minute) = (2030 + round, n);
        let (day, hour, minute) = (minute / 1440 + 1, minute / 60 % 24, minute % 60);
        let _ = write!(
            body,
            r#"{}{{"value":{}.{:02},"valueDate":"{year}-01-{day:02}T{hour:02}:{minute:02}:00Z","areaId":{},"description":"measured by hand","dimension":"early","dimension2":"Press {}","dimension3":"A-{}","externalId":"mes-{round}-{n}"}}"#,
            if n == 0 { "" } else { "," },
            n * 7919 % 1000,
            n % 100,
            n % 7 + 1,
            n % 12,
            n % 40,
        );
    }
    body.push(']');
    body
}

fn creates(table: &mut Table, bench: &Bench, floor: &mut Floor) {
    let body = r#"{"value":12.5,"valueDate":"2090-01-01T06:00:00Z","areaId":3,"description":"measured by hand","dimension":"early","dimension2":"Press 3","dimension3":"A-7","externalId":"mes-1"}"#;
    let body = ("application/json", body);
    let path = "/v1/Datasources/1/values";
    let requests = [load::request_with("POST", path, Some(&bench.token), body)];
    for (peer, write) in [
        (
            "shared commits in SQLite",
            Floor::write as fn(&mut Floor, usize),
        ),
        ("the same, of all rows that a create writes", Floor::create),
    ] {
        let floor = || floor.shared_commits(write);
        singles(table, bench, ("creates", peer, 0.5), &requests, floor);
    }
}

/// Replaces values that are far from each other, each with another content than it had: between two requests
/// with the same content, other connections replace the value.
fn replacements(table: &mut Table, bench: &Bench, floor: &mut Floor) {
    let requests: Vec<Vec<u8>> = (0..WRITERS * REPLACED)
        .map(|n| {
            let place = (n % REPLACED + n / REPLACED * (REPLACED / WRITERS)) % REPLACED;
            let id = place * 10_000 + 1;
            let body = format!(
                r#"{{"value":{n}.5,"valueDate":"{}","areaId":3,"description":"measured by hand","dimension":"early","dimension2":"Press 3","dimension3":"A-7","externalId":"mes-1"}}"#,
                plant::value_date(id),
            );
            let path = format!("/v1/Datasources/1/values/{id}");
            let body = ("application/json", body.as_str());
            load::request_with("PUT", &path, Some(&bench.token), body)
        })
        .collect();
    let floor = || floor.shared_commits(Floor::replace);
    let peer = "shared commits in SQLite";
    singles(table, bench, ("replacements", peer, 0.35), &requests, floor);
}

/// Single writes a second against `floor`, which returns those of the peer; `limit` is the lowest ratio.
fn singles(
    table: &mut Table,
    bench: &Bench,
    (what, peer, limit): (&str, &str, f64),
    requests: &[Vec<u8>],
    mut floor: impl FnMut() -> f64,
) {
    let service = Child::service(&bench.plant.db);
    let target = Target {
        address: &service.address,
        requests,
    };
    let load = Load {
        connections: WRITERS,
        time: ROUND,
    };
    let [mut ours, mut theirs] = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        ours.push(load.run(&target));
        theirs.push(floor());
    }
    let (ours, theirs) = (median(ours), median(theirs));
    table.row(
        &format!("durable {what} of values, {WRITERS} connections"),
        ours,
        theirs,
        &format!("rows/s, {peer}"),
        Some((ours / theirs, limit, true)),
    );
}

/// A table like that of the service, in a separate database.
struct Floor {
    connection: Connection,
    rows: i64,
    replaced: i64,
}

impl Floor {
    fn open(folder: &Path) -> Self {
        let connection = Connection::open(folder.join("floor.db")).expect("a new file");
        connection.execute_batch(TABLE).expect("the table");
        Self {
            connection,
            rows: 0,
            replaced: 0,
        }
    }

    /// Milliseconds for the rows of a batch, the commit included.
    fn batch(&mut self) -> f64 {
        let started = Instant::now();
        self.write(BATCH);
        milliseconds(started)
    }

    fn write(&mut self, rows: usize) {
        self.write_each(rows, |_, _| {});
    }

    /// The same, with the rows that the service writes for each and for the commit.
    fn create(&mut self, rows: usize) {
        self.write_each(rows, |transaction, n| {
            let run = |sql, values: &[&dyn ToSql]| {
                let mut statement = transaction.prepare_cached(sql).expect("the statement");
                assert_eq!(statement.execute(values).expect("a row"), 1);
            };
            run(ADVANCE, &[]);
            run(COUNT, &[]);
            run(ENTRY, &[&(n * 600_000_000), &n]);
            if n % rows as i64 == 0 {
                run(STAMP, &[]);
            }
        });
    }

    fn write_each(&mut self, rows: usize, each: impl Fn(&Transaction<'_>, i64)) {
        let transaction = self.connection.transaction().expect("a transaction");
        let mut insert = transaction.prepare_cached(INSERT).expect("the statement");
        for _ in 0..rows {
            self.rows += 1;
            let n = self.rows;
            let (press, part) = (format!("Press {}", n % 12), format!("A-{}", n % 40));
            let row = params![
                n * 600_000_000,
                n,
                n as f64 / 8.0,
                n,
                n % 7,
                press,
                part,
                format!("mes-{n}")
            ];
            insert.execute(row).expect("a row");
            each(&transaction, n);
        }
        drop(insert);
        transaction.commit().expect("on the disk");
    }

    /// Replaces as many rows, far from each other.
    fn replace(&mut self, rows: usize) {
        let transaction = self.connection.transaction().expect("a transaction");
        let mut update = transaction.prepare_cached(UPDATE).expect("the statement");
        for _ in 0..rows {
            self.replaced += 1;
            let n = self.replaced;
            let id = n % REPLACED as i64 * (self.rows / REPLACED as i64) + 1;
            let row = params![id * 600_000_000, id, n as f64 / 8.0, n, n % 7];
            assert_eq!(update.execute(row).expect("a row"), 1);
        }
        drop(update);
        transaction.commit().expect("on the disk");
    }

    /// Rows per second that as many threads write as the service has connections, each waiting until its row
    /// is on disk. One of them owns the database, and the others share its commit: the limit of group commit
    /// without reading, parsing and checks.
    fn shared_commits(&mut self, write: fn(&mut Self, usize)) -> f64 {
        let (send, receive) = mpsc::channel::<Sender<()>>();
        let started = Instant::now();
        let end = started + ROUND;
        let written = std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                let send = send.clone();
                scope.spawn(move || {
                    while Instant::now() < end {
                        let (done, wait) = mpsc::channel();
                        send.send(done).expect("the writer is there");
                        wait.recv().expect("it is on the disk");
                    }
                });
            }
            drop(send);
            self.commit_all(&receive, write)
        });
        written as f64 / started.elapsed().as_secs_f64()
    }

    fn commit_all(&mut self, receive: &Receiver<Sender<()>>, write: fn(&mut Self, usize)) -> usize {
        let mut written = 0;
        while let Ok(first) = receive.recv() {
            let mut waiting = vec![first];
            waiting.extend(receive.try_iter());
            write(self, waiting.len());
            written += waiting.len();
            for done in waiting {
                done.send(()).expect("it waits");
            }
        }
        written
    }
}
