//! Pipelined look-ups with a real server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::scratch::{Scratch, admin, one, options, terminate, until, with};
use crate::postgres::address::Address;
use crate::postgres::connection::PostgresConnection;
use crate::postgres::pipelines::{LOOK_UPS_BEFORE_FIRST, MAX_IN_FLIGHT, Pipelines};
use crate::postgres::server::Server;
use crate::{Store, StoreOptions, Value};

const NAME: &str = "SELECT name FROM t WHERE id = ?1";
/// The server process, with a key like any look-up.
const PROCESS: &str = "SELECT pg_backend_pid() WHERE ?1 = 1::bigint";
/// The same, where it is not that of a reader.
const PIPELINE: &str = "SELECT pg_backend_pid() WHERE ?1 = 1::bigint AND current_setting('statement_timeout') = '500ms'";
/// When a look-up that waits is given up. Others have answers by then, also on a machine that is busy.
const SOON: Duration = Duration::from_millis(250);
const ROWS: i64 = 1_000;

/// Connections of a test, and a runtime that drives them.
struct LookUps {
    runtime: Runtime,
    pipelines: Arc<Pipelines>,
}

impl LookUps {
    fn new(url: &str) -> Self {
        Self::with(url, 16, Duration::from_secs(10))
    }

    fn with(url: &str, readers: usize, look_up_wait: Duration) -> Self {
        let address = Address::parse(url, |_| None).unwrap();
        let options = StoreOptions {
            readers,
            look_up_wait,
            ..options()
        };
        let server = Server::new(address, options).unwrap();
        let look_ups = LookUps {
            runtime: runtime(),
            pipelines: Pipelines::new(server),
        };
        for _ in 0..LOOK_UPS_BEFORE_FIRST {
            assert_eq!(look_ups.process(), None);
        }
        look_ups
    }

    fn name(&self, id: i64) -> Option<Option<String>> {
        self.runtime.block_on(name(&self.pipelines, id))
    }

    fn process(&self) -> Option<i64> {
        let found = self.pipelines.first(PROCESS, 1.into(), |row| row.int(0));
        self.runtime.block_on(found).flatten().flatten()
    }

    /// The server process of a connection, once it has statements.
    fn opened(&self) -> i64 {
        until(|| self.name(1).is_some());
        self.until_process()
    }

    fn until_process(&self) -> i64 {
        let mut process = None;
        until(|| {
            process = self.process();
            process.is_some()
        });
        process.unwrap()
    }
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

async fn name(pipelines: &Arc<Pipelines>, id: i64) -> Option<Option<String>> {
    let found = pipelines.first(NAME, id.into(), |row| row.string(0)).await;
    found.map(Option::flatten)
}

/// A schema with a table of rows.
fn table() -> Scratch {
    let scratch = Scratch::new();
    admin(&format!(
        "CREATE TABLE {0}.t (id bigint PRIMARY KEY, name text); \
         INSERT INTO {0}.t SELECT n, 'row ' || n FROM generate_series(1, {ROWS}) AS n",
        scratch.name
    ));
    scratch
}

/// A connection that locks the table until it commits.
fn locking(scratch: &Scratch) -> PostgresConnection {
    let mut connection = scratch.writer();
    connection.control("BEGIN; LOCK TABLE t").unwrap();
    connection
}

fn connections(scratch: &Scratch, condition: &str, value: Value<'_>) -> i64 {
    let count = format!("SELECT count(*) FROM pg_stat_activity WHERE {condition} = ?1");
    one(&mut scratch.reader(), &count, &[value])
        .unwrap()
        .unwrap()
}

fn until_ended(scratch: &Scratch, process: i64) {
    until(|| connections(scratch, "pid", process.into()) == 0);
}

#[test]
fn few_look_ups_open_no_connection() {
    let scratch = table();
    let application = format!("application_name={}", scratch.name);
    let look_ups = LookUps::new(&with(&scratch.url, &application));
    let name = Value::Text(&scratch.name);
    assert_eq!(connections(&scratch, "application_name", name), 0);
    look_ups.opened();
    let name = Value::Text(&scratch.name);
    assert_eq!(connections(&scratch, "application_name", name), 1);
}

#[test]
fn each_of_many_look_ups_gets_its_own_row_on_few_connections() {
    let scratch = table();
    let application = format!("application_name={}", scratch.name);
    let look_ups = LookUps::new(&with(&scratch.url, &application));
    look_ups.opened();
    let mut answered = 0;
    for round in 0..5 {
        let asked: Vec<_> = (0..2 * ROWS)
            .map(|id| {
                let pipelines = Arc::clone(&look_ups.pipelines);
                let asked = async move { (id, name(&pipelines, id).await) };
                let asked = look_ups.runtime.spawn(asked);
                (id, asked)
            })
            .collect();
        // Some callers go before they have an answer.
        for (_, asked) in asked.iter().filter(|(id, _)| id % 7 == round) {
            asked.abort();
        }
        let asked = asked.into_iter().map(|(_, asked)| asked);
        for ended in look_ups.runtime.block_on(join_all(asked)) {
            let Ok((id, Some(found))) = ended else {
                continue;
            };
            let expected = (1..=ROWS).contains(&id).then(|| format!("row {id}"));
            assert_eq!(found, expected, "{id}");
            answered += 1;
        }
    }
    assert!(answered > MAX_IN_FLIGHT, "{answered} were answered");
    let name = Value::Text(&scratch.name);
    let connections = connections(&scratch, "application_name", name);
    assert!((1..=4).contains(&connections), "{connections}");
}

#[test]
fn a_look_up_that_waits_for_a_lock_is_given_up_with_its_connection() {
    let scratch = table();
    let look_ups = LookUps::with(&scratch.url, 16, SOON);
    let first = look_ups.opened();
    let mut other = locking(&scratch);
    assert_eq!(look_ups.name(1), None);
    // Look-ups in other tables would wait behind the next one.
    assert_eq!(look_ups.process(), None);
    until_ended(&scratch, first);
    other.control("COMMIT").unwrap();
    assert_ne!(look_ups.opened(), first);
}

#[test]
fn a_look_up_does_not_wait_until_its_statement_is_prepared() {
    let scratch = table();
    let look_ups = LookUps::new(&scratch.url);
    let first = look_ups.until_process();
    let mut other = locking(&scratch);
    let found = look_ups.runtime.block_on(async {
        let soon = Duration::from_secs(5);
        timeout(soon, name(&look_ups.pipelines, 1)).await
    });
    assert_eq!(found, Ok(None));
    other.control("COMMIT").unwrap();
    assert_eq!(look_ups.opened(), first);
}

#[test]
fn a_statement_that_cannot_be_prepared_is_tried_again() {
    let scratch = table();
    let look_ups = LookUps::new(&scratch.url);
    let first = look_ups.opened();
    let later = "SELECT id FROM later WHERE id = ?1";
    let id = || {
        let id = look_ups.pipelines.first(later, 1.into(), |row| row.int(0));
        look_ups.runtime.block_on(id)
    };
    for _ in 0..10 {
        assert_eq!(id(), None);
        assert_eq!(look_ups.process(), Some(first));
    }
    let name = &scratch.name;
    admin(&format!(
        "CREATE TABLE {name}.later (id bigint PRIMARY KEY)"
    ));
    until(|| id() == Some(None));
}

#[test]
fn a_connection_that_waits_ends_also_when_the_callers_of_its_look_ups_left() {
    let scratch = table();
    let look_ups = LookUps::with(&scratch.url, 16, SOON);
    let first = look_ups.opened();
    let _other = locking(&scratch);
    look_ups.runtime.block_on(async {
        let found = timeout(Duration::from_millis(20), name(&look_ups.pipelines, 1)).await;
        assert!(found.is_err());
    });
    // The server itself would end the statement only.
    until_ended(&scratch, first);
}

#[test]
fn a_connection_takes_only_so_many_look_ups_at_a_time() {
    let scratch = table();
    let look_ups = LookUps::with(&scratch.url, 1, Duration::from_secs(10));
    look_ups.opened();
    // Each is begun before one is polled again; few end when they are polled first.
    let names = (0..3 * MAX_IN_FLIGHT).map(|_| name(&look_ups.pipelines, 1));
    let found = look_ups.runtime.block_on(join_all(names));
    let answered = found.iter().filter(|name| name.is_some()).count();
    let expected = MAX_IN_FLIGHT..2 * MAX_IN_FLIGHT;
    assert!(expected.contains(&answered), "{answered}");
}

#[test]
fn a_connection_that_died_is_replaced() {
    let scratch = table();
    let look_ups = LookUps::new(&scratch.url);
    let first = look_ups.opened();
    terminate(first);
    assert_ne!(look_ups.opened(), first);
}

#[test]
fn a_connection_goes_with_the_runtime_that_drives_it() {
    let scratch = table();
    let mut look_ups = LookUps::new(&scratch.url);
    let first = look_ups.opened();
    look_ups.runtime = runtime();
    assert_ne!(look_ups.opened(), first);
}

#[test]
fn a_statement_whose_table_was_changed_meanwhile_is_prepared_on_another_connection() {
    let scratch = table();
    let look_ups = LookUps::new(&scratch.url);
    let first = look_ups.opened();
    let name = &scratch.name;
    admin(&format!("ALTER TABLE {name}.t ALTER name TYPE varchar(9)"));
    assert_eq!(look_ups.name(2), None);
    assert_ne!(look_ups.opened(), first);
    assert_eq!(look_ups.name(2), Some(Some("row 2".into())));
}

#[test]
fn a_look_up_that_the_server_refuses_ends_no_connection() {
    let scratch = table();
    let look_ups = LookUps::new(&scratch.url);
    let first = look_ups.opened();
    let by_name = "SELECT id FROM t WHERE name = ?1";
    // As unavailable as a table whose rows the user may not read.
    let file = "SELECT 1 FROM pg_read_file(?1)";
    for (sql, found, refused) in [(by_name, "row 1", "a\0b"), (file, "PG_VERSION", "/none")] {
        let id = |key: &str| {
            let id = look_ups.pipelines.first(sql, key.into(), |row| row.int(0));
            look_ups.runtime.block_on(id)
        };
        until(|| id(found).is_some());
        assert_eq!(id(refused), None);
    }
    assert_eq!(look_ups.process(), Some(first));
}

#[test]
fn once_closed_there_is_no_connection_and_none_is_opened() {
    let scratch = table();
    let application = format!("application_name={}", scratch.name);
    let look_ups = LookUps::new(&with(&scratch.url, &application));
    let first = look_ups.opened();
    look_ups.pipelines.close();
    until_ended(&scratch, first);
    // One would be there after the first of these look-ups.
    for _ in 0..5 {
        assert_eq!(look_ups.name(1), None);
        let name = Value::Text(&scratch.name);
        assert_eq!(connections(&scratch, "application_name", name), 0);
    }
}

/// The readers answer what a connection does not.
#[test]
fn no_look_up_fails_while_connections_die() {
    let (scratch, _, mut writer) = Scratch::migrated();
    writer
        .control(
            "INSERT INTO areas (id, name) SELECT n, 'row ' || n FROM generate_series(1, 1000) AS n",
        )
        .unwrap();
    let runtime = runtime();
    let options = StoreOptions {
        look_up_wait: Duration::from_secs(10),
        ..options()
    };
    let store = runtime
        .block_on(Store::open(&scratch.url, &options))
        .unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let asking: Vec<_> = (0..8)
        .map(|_| {
            let (store, is_over) = (store.clone(), Arc::clone(&is_over));
            runtime.spawn(async move {
                for id in (1..=ROWS).cycle() {
                    let area = "SELECT name FROM areas WHERE id = ?1";
                    let found = store.point(area, id.into(), |row| row.string(0)).await;
                    assert_eq!(found.unwrap().flatten(), Some(format!("row {id}")));
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            })
        })
        .collect();
    let mut killed = 0;
    while killed < 3 && !asking.iter().any(JoinHandle::is_finished) {
        let found = store.point(PIPELINE, 1.into(), |row| row.int(0));
        if let Some(process) = runtime.block_on(found).unwrap().flatten() {
            terminate(process);
            killed += 1;
        }
    }
    is_over.store(true, Ordering::Relaxed);
    for asked in asking {
        runtime.block_on(asked).unwrap();
    }
    runtime.block_on(store.close());
}
