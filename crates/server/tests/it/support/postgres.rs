//! The server that tests on PostgreSQL share: each has a database of its own there, cloned from one with the schema in it.
//!
//! The schema takes longer to make than a clone, so it is made once for each build of a binary. Whoever is first makes it under another name and renames it when
//! it is whole: a test that is stopped on the way leaves nothing that the next would take for a template.

use std::future::Future;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use obeya_server::store::{Store, StoreOptions};
use tokio_postgres::{Client, NoTls};

/// Held by whoever makes a template.
const MAKING: i64 = 0x0be7_a7e5;

/// The address of the server, whose role may make databases.
pub fn server() -> String {
    std::env::var("OBEYA_TEST_POSTGRES").expect(
        "OBEYA_TEST_POSTGRES names no server for tests on PostgreSQL: run them by `cargo xtask test`, or some of them by \
         `cargo xtask postgres -- cargo nextest run …`",
    )
}

/// The same server with another database.
pub fn on(server: &str, database: &str) -> String {
    let (address, options) = match server.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (server, String::new()),
    };
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |at| authority + at);
    format!("{}/{database}{options}", &address[..end])
}

/// Connects past the service.
pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .expect("the server for tests answers");
    // Ends with the client, or when a test ends the connection; the client then says so.
    tokio::spawn(async { drop(connection.await) });
    client
}

/// A database that goes with this.
pub struct Scratch {
    server: String,
    name: String,
    url: String,
}

impl Scratch {
    /// With the schema in it. Blocks for as long as the server takes, which a test has nothing better to do with.
    pub fn new() -> Self {
        Self::made(true)
    }

    /// With nothing in it.
    pub fn empty() -> Self {
        Self::made(false)
    }

    fn made(with_schema: bool) -> Self {
        let server = server();
        let name = format!("obeya_test_{:016x}", fastrand::u64(..));
        let url = on(&server, &name);
        aside(async {
            let client = connect(&server).await;
            let mut create = format!("CREATE DATABASE {name}");
            if with_schema {
                let template = template(&client, &server).await;
                create.push_str(&format!(" TEMPLATE {template}"));
            }
            client.batch_execute(&create).await.expect("a database");
        });
        Scratch { server, name, url }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        aside(async {
            // A server that is gone has taken the database along.
            if let Ok((client, connection)) = tokio_postgres::connect(&self.server, NoTls).await {
                tokio::spawn(connection);
                let _ = client.batch_execute(&drop).await;
            }
        });
    }
}

/// The name of the database with the schema as this binary makes it, which is there by now.
async fn template(client: &Client, server: &str) -> String {
    let (binary, build) = build();
    let template = format!("obeya_template_{binary:08x}_{build:016x}");
    if exists(client, &template).await {
        return template;
    }
    let lock = format!("SELECT pg_advisory_lock({MAKING})");
    client.batch_execute(&lock).await.expect("a turn");
    if !exists(client, &template).await {
        // Of earlier builds of this binary, whose tests have ended, and what one left that was stopped.
        let older = format!("obeya_template_{binary:08x}\\_%");
        let older = databases(client, &older).await;
        let making = format!("obeya_template_{binary:08x}_making");
        for name in &older {
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            client.batch_execute(&drop).await.expect("dropped");
        }
        let create = format!("CREATE DATABASE {making}");
        client.batch_execute(&create).await.expect("a database");
        let store = Store::open(&on(server, &making), &StoreOptions::default()).await;
        store.expect("the schema").close().await;
        // Backends end a moment after their connections do.
        let rename = format!("ALTER DATABASE {making} RENAME TO {template}");
        client.batch_execute(&rename).await.expect("a template");
    }
    let unlock = format!("SELECT pg_advisory_unlock({MAKING})");
    client.batch_execute(&unlock).await.expect("an end");
    template
}

async fn exists(client: &Client, name: &str) -> bool {
    !databases(client, name).await.is_empty()
}

async fn databases(client: &Client, like: &str) -> Vec<String> {
    let sql = "SELECT datname::text FROM pg_database WHERE datname LIKE $1";
    let rows = client.query(sql, &[&like]).await.expect("the databases");
    rows.iter().map(|row| row.get(0)).collect()
}

/// Which binary this is, and which build of it: another one may make another schema.
fn build() -> (u32, u64) {
    let path = std::env::current_exe().expect("a path");
    let file = std::fs::metadata(&path).expect("a file");
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let binary = (hasher.finish() & u64::from(u32::MAX)) as u32;
    (file.len(), file.modified().expect("a time")).hash(&mut hasher);
    (binary, hasher.finish())
}

/// Runs this on a thread of its own: a test may be inside of a runtime, which must not be blocked by another.
fn aside<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(work)
        });
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
