//! The server under measurement: its database for the bench, and the processor time of its processes.

use std::time::Instant;

use tokio::runtime::Runtime;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, NoTls, Row, SimpleQueryMessage, Statement};

use crate::process::Stat;

/// A server, with a database that goes with this value.
pub struct Server {
    address: String,
    database: String,
    runtime: Runtime,
    client: Client,
}

impl Server {
    /// The one that the environment names, with a database of this name.
    pub fn named(name: &str) -> Self {
        let address = std::env::var("OBEYA_TEST_POSTGRES")
            .expect("OBEYA_TEST_POSTGRES names no server: `cargo xtask bench postgres` starts one");
        let database = format!("obeya_bench_{name}_{}", std::process::id());
        // A separate thread drives the connection, so that rows arrive while we process them, as in any
        // program.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let server = connect(&runtime, &address);
        let create = format!("CREATE DATABASE {database}");
        runtime
            .block_on(server.batch_execute(&create))
            .expect("the role may make databases");
        let client = connect(&runtime, &on(&address, &database));
        Self {
            address,
            database,
            runtime,
            client,
        }
    }

    /// The address of the database.
    pub fn url(&self) -> String {
        on(&self.address, &self.database)
    }

    /// What PostgreSQL's own programs need to find it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let config: Config = self.url().parse().expect("it was connected to");
        let host = config.get_hosts().first().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(folder) => folder.display().to_string(),
        });
        let password = config.get_password().map(String::from_utf8_lossy);
        let pairs = [
            ("PGHOST", host),
            ("PGPORT", config.get_ports().first().map(u16::to_string)),
            ("PGUSER", config.get_user().map(str::to_owned)),
            ("PGPASSWORD", password.map(String::from)),
            ("PGDATABASE", Some(self.database.clone())),
        ];
        let given = |(name, value): (_, Option<String>)| Some((name, value?));
        pairs.into_iter().filter_map(given).collect()
    }

    /// Runs statements.
    pub fn run(&self, sql: &str) {
        self.runtime
            .block_on(self.client.batch_execute(sql))
            .expect(sql);
    }

    /// Runs statements; how long it took.
    pub fn seconds(&self, sql: &str) -> f64 {
        let started = Instant::now();
        self.run(sql);
        started.elapsed().as_secs_f64()
    }

    /// Prepares a statement.
    pub fn prepare(&self, sql: &str) -> Statement {
        let prepared = self.runtime.block_on(self.client.prepare(sql));
        prepared.expect(sql)
    }

    /// Fetches the rows of a prepared statement, in binary.
    pub fn fetch(&self, statement: &Statement, binds: &[i64]) -> Vec<Row> {
        let binds: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> =
            binds.iter().map(|bind| bind as _).collect();
        let rows = self.runtime.block_on(self.client.query(statement, &binds));
        rows.expect("the statement was prepared")
    }

    /// Whether commits are written to disk.
    pub fn is_durable(&self) -> bool {
        self.first("SHOW fsync") == "on" && self.first("SHOW synchronous_commit") != "off"
    }

    /// Its description, for readers of the results.
    pub fn about(&self) -> String {
        let show = |name| format!("{name} {}", self.first(&format!("SHOW {name}")));
        let names = [
            "server_version",
            "fsync",
            "synchronous_commit",
            "shared_buffers",
        ];
        format!("PostgreSQL: {}", names.map(show).join(", "))
    }

    /// Processor time taken by all its processes until now, in milliseconds; NaN when they are not here.
    pub fn processor_ms(&self) -> f64 {
        let ours: u32 = self
            .first("SELECT pg_backend_pid()")
            .parse()
            .expect("a number");
        self.processes(ours).unwrap_or(f64::NAN)
    }

    fn processes(&self, ours: u32) -> Option<f64> {
        let name = std::fs::read_to_string(format!("/proc/{ours}/comm")).ok()?;
        if !name.starts_with("postgres") {
            return None;
        }
        let first = Stat::of(ours)?.parent;
        let postmaster = Stat::of(first)?;
        let all = std::fs::read_dir("/proc").ok()?.flatten();
        let all = all.filter_map(|entry| Stat::of(entry.file_name().to_str()?.parse().ok()?));
        let children = all.filter(|stat| stat.parent == first);
        // Ended connections are counted with their parent process.
        let total: f64 = children.map(|stat| stat.own_ms).sum();
        Some(total + postmaster.own_ms + postmaster.ended_ms)
    }

    /// The first column of the first row, as text.
    fn first(&self, sql: &str) -> String {
        let rows = self.runtime.block_on(self.client.simple_query(sql));
        let rows = rows.expect(sql);
        let first = rows.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        first.unwrap_or_default().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let server = connect(&self.runtime, &self.address);
        let drop = format!("DROP DATABASE {} WITH (FORCE)", self.database);
        // A database that could not be removed is reported; the results are still valid.
        if let Err(error) = self.runtime.block_on(server.batch_execute(&drop)) {
            eprintln!("{drop}: {error}");
        }
    }
}

fn connect(runtime: &Runtime, address: &str) -> Client {
    let connected = runtime.block_on(tokio_postgres::connect(address, NoTls));
    let (client, connection) = connected.expect("the server answers");
    runtime.spawn(async { drop(connection.await) });
    client
}

/// The same server with another database.
fn on(address: &str, database: &str) -> String {
    let (address, options) = match address.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (address, String::new()),
    };
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find('/');
    let end = end.map_or(address.len(), |at| authority + at);
    format!("{}/{database}{options}", &address[..end])
}
