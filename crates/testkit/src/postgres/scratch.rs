//! Throw-away databases on the server that tests share.
//!
//! The schema takes longer to make than a clone, so a template is made once for each build of a test binary.
//! The first test makes it under another name and renames it when it is complete: a test that is killed
//! meanwhile leaves nothing that looks like a template.

use std::future::{Future, Ready};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, NoTls};

use super::{block_on, connect, on, server};

/// The advisory lock of the test that makes a template.
const MAKING: i64 = 0x0be7_a7e5;
/// How long a test waits until its database is dropped.
const DROP_TIMEOUT: Duration = Duration::from_secs(2);

/// A database of a test's own, dropped with this value.
pub struct Scratch {
    server: String,
    name: String,
    url: String,
}

impl Scratch {
    /// With nothing in it. Blocks, as a test has nothing better to do meanwhile.
    ///
    /// # Panics
    /// If the server for tests is not there.
    #[must_use]
    pub fn empty() -> Self {
        Self::create(None::<fn(String) -> Ready<()>>)
    }

    /// With a schema in it, cloned from a template. `make` writes the schema into the database at an address,
    /// if this build of the binary has not done so yet, and closes its connections.
    ///
    /// # Panics
    /// If the server for tests is not there.
    #[must_use]
    pub fn with_schema<F: Future<Output = ()> + Send>(
        make: impl FnOnce(String) -> F + Send,
    ) -> Self {
        Self::create(Some(make))
    }

    fn create<F: Future<Output = ()> + Send>(
        make: Option<impl FnOnce(String) -> F + Send>,
    ) -> Self {
        let server = server();
        // Processes that start at the same instant may have the same seed.
        let process = std::process::id();
        let name = format!("obeya_test_{process:x}_{:016x}", fastrand::u64(..));
        let url = on(&server, &name);
        block_on(async {
            let client = connect(&server).await;
            let mut create = format!("CREATE DATABASE {name}");
            if let Some(make) = make {
                let template = template(&client, &server, make).await;
                create.push_str(&format!(" TEMPLATE {template}"));
            }
            client.batch_execute(&create).await.expect("a database");
        });
        Scratch { server, name, url }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        block_on(async {
            // A server that is gone has taken the database along.
            if let Ok((client, connection)) = tokio_postgres::connect(&self.server, NoTls).await {
                tokio::spawn(connection);
                // The server waits for all its backends, for a minute if the client of one stands still
                // while it connects. That may be this test, whose runtime this blocks. The server goes on
                // when the test has ended.
                let _ = timeout(DROP_TIMEOUT, client.batch_execute(&drop)).await;
            }
        });
    }
}

/// The name of the database with the schema as this binary makes it. It exists when this returns.
async fn template<F: Future<Output = ()>>(
    client: &Client,
    server: &str,
    make: impl FnOnce(String) -> F,
) -> String {
    let (binary, build) = build();
    let template = format!("obeya_template_{binary:08x}_{build:016x}");
    if exists(client, &template).await {
        return template;
    }
    let lock = format!("SELECT pg_advisory_lock({MAKING})");
    client.batch_execute(&lock).await.expect("a turn");
    if !exists(client, &template).await {
        // Templates of earlier builds of this binary, whose tests have ended, and of a test that was killed.
        let older = format!("obeya_template_{binary:08x}\\_%");
        let older = databases(client, &older).await;
        let making = format!("obeya_template_{binary:08x}_making");
        for name in &older {
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            client.batch_execute(&drop).await.expect("dropped");
        }
        let create = format!("CREATE DATABASE {making}");
        client.batch_execute(&create).await.expect("a database");
        make(on(server, &making)).await;
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
