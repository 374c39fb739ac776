//! A separate schema for each test, on the server of the test run.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use obeya_testkit::postgres::{Cluster, server};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::postgres::Postgres;
use crate::postgres::address::Address;
use crate::postgres::connection::PostgresConnection;
use crate::postgres::server::{Role, Server};
use crate::{Session, StoreError, StoreOptions, Value};

static MADE: AtomicU32 = AtomicU32::new(0);

/// The password of the user `postgres` of a [`Cluster`]: one that has to be encoded in an address.
pub(super) const PASSWORD: &str = "s3cret-&-@long";

/// The address of a test's own server, for its user `postgres`.
pub(super) fn url(cluster: &Cluster, parameters: &str) -> String {
    let password = utf8_percent_encode(PASSWORD, NON_ALPHANUMERIC);
    url_of(
        cluster,
        "127.0.0.1",
        &format!("postgres:{password}"),
        parameters,
    )
}

/// Its address for another host name or user.
pub(super) fn url_of(cluster: &Cluster, host: &str, user: &str, parameters: &str) -> String {
    format!(
        "postgres://{user}@{host}:{}/postgres?hostaddr=127.0.0.1&{parameters}",
        cluster.port
    )
}

/// The address with an additional parameter.
pub(super) fn with(url: &str, parameter: &str) -> String {
    let mark = if url.contains('?') { '&' } else { '?' };
    format!("{url}{mark}{parameter}")
}

pub(super) fn options() -> StoreOptions {
    StoreOptions::default()
}

/// Connects to an address without checking its schema.
pub(super) fn connect(
    url: &str,
    role: Role,
    options: &StoreOptions,
) -> Result<PostgresConnection, StoreError> {
    let address = Address::parse(url, |_| None)?;
    PostgresConnection::open(Server::new(address, options.clone())?, role)
}

/// A schema, dropped with everything in it at the end.
pub(super) struct Scratch {
    pub(super) name: String,
    pub(super) url: String,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("obeya_link_{}_{number}", std::process::id());
        admin(&format!(
            "DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}"
        ));
        let url = with(&server(), &format!("options=-c%20search_path%3D{name}"));
        Scratch { name, url }
    }

    /// The same with the schema of this program.
    pub(super) fn migrated() -> (Self, Postgres, PostgresConnection) {
        let scratch = Scratch::new();
        let (postgres, writer) = Postgres::open(&scratch.url, &options()).unwrap();
        (scratch, postgres, writer)
    }

    pub(super) fn reader(&self) -> PostgresConnection {
        connect(&self.url, Role::Reader, &options()).unwrap()
    }

    pub(super) fn writer(&self) -> PostgresConnection {
        connect(&self.url, Role::Writer, &options()).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            admin(&format!("DROP SCHEMA {} CASCADE", self.name));
        }
    }
}

/// Runs statements on a separate connection.
pub(super) fn admin(sql: &str) {
    let mut database = connect(&server(), Role::Writer, &options()).unwrap();
    database.control(sql).unwrap();
}

/// The first column of the first row.
pub(super) fn one(
    database: &mut PostgresConnection,
    sql: &str,
    binds: &[Value<'_>],
) -> Result<Option<i64>, StoreError> {
    let session: &mut dyn Session = database;
    Ok(session.first(sql, binds, |row| row.int(0))?.flatten())
}

/// The id of the server process of a connection.
pub(super) fn process(database: &mut PostgresConnection) -> i64 {
    one(database, "SELECT pg_backend_pid()", &[])
        .unwrap()
        .unwrap()
}

/// Terminates the server process of a connection, and waits until it has ended.
pub(super) fn terminate(process: i64) {
    let mut database = connect(&server(), Role::Writer, &options()).unwrap();
    one(
        &mut database,
        "SELECT pg_terminate_backend(?1)::int",
        &[process.into()],
    )
    .unwrap();
    until(|| {
        let left = "SELECT count(*) FROM pg_stat_activity WHERE pid = ?1";
        one(&mut database, left, &[process.into()]).unwrap() == Some(0)
    });
}

/// Polls until a condition is true.
pub(super) fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < deadline, "it did not come to be so");
        std::thread::sleep(Duration::from_millis(5));
    }
}
