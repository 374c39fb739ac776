//! The engine PostgreSQL, and servers with a compatible protocol and SQL.
//!
//! All code for PostgreSQL's protocol is in this folder. It runs units of work; it depends on no table except
//! its own.

mod address;
mod audit_entries;
pub(super) mod capabilities;
mod catalogue;
mod connection;
mod copy;
mod errors;
pub(super) mod inspection;
mod link;
mod migrate;
mod pipeline;
mod pipelines;
mod placeholders;
mod plain;
mod prefetched;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod tls;
mod transactions;
mod values;

use std::sync::Arc;

use address::Address;
pub(super) use address::{is_postgres, masked};
use connection::PostgresConnection;
use pipelines::Pipelines;
pub use plain::connect;
use server::{Role, Server};

use super::connect::{Connect, Work};
use super::{Row, StoreError, StoreOptions, Value, WriteFault};

/// 16 MiB, as much as a segment of the write-ahead log usually has; they stay in a file until the end.
const FILL_TEMPORARY_FILE: &str = "BEGIN; SET LOCAL work_mem = '64kB'; \
    WITH filling AS MATERIALIZED (SELECT repeat('x', 4096) AS text FROM generate_series(1, 4096)) SELECT count(*) FROM filling; \
    COMMIT";

/// Creates the schema of an older version for a test, and runs these statements on it.
pub(super) fn make_old(url: &str, version: usize, rows: &str) {
    let address = Address::parse(url, |_| None).expect("an address");
    let server = Server::new(address, StoreOptions::default()).expect("a server");
    let mut database =
        PostgresConnection::open(Arc::clone(&server), Role::Writer).expect("a connection");
    migrate::make_old(&mut database, &server, version).expect("a schema");
    database.control(rows).expect("rows");
}

/// A database.
pub(super) struct Postgres {
    server: Arc<Server>,
    pipelines: Arc<Pipelines>,
}

impl Postgres {
    /// Connects, and migrates the schema; also returns the connection that writes. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when the address is invalid, or the schema belongs to another program or is too
    /// new; [`StoreError::Unavailable`] when no connection can be made.
    pub(super) fn open(
        url: &str,
        options: &StoreOptions,
    ) -> Result<(Self, PostgresConnection), StoreError> {
        let address = Address::parse(url, |name| std::env::var(name).ok())?;
        let server = Server::new(address, options.clone())?;
        let mut writer = PostgresConnection::open(Arc::clone(&server), Role::Writer)?;
        migrate::run(&mut writer, &server)?;
        writer.prefer_indexes()?;
        let pipelines = Pipelines::new(Arc::clone(&server));
        Ok((Postgres { server, pipelines }, writer))
    }
}

impl Connect for Postgres {
    type Connection = PostgresConnection;

    const IN_PROCESS: bool = false;
    /// With more than 64 (`PGPROC_MAX_CACHED_SUBXIDS`) the server's cache of subtransactions overflows, and
    /// every snapshot must look up each of them.
    const MOST_SAVEPOINTS: usize = 60;

    /// At one probe every two seconds, ten seconds.
    const PROBES_AFTER_FULL_DISK: u32 = 5;

    fn reader(&self, work: Work) -> Result<PostgresConnection, StoreError> {
        let role = match work {
            Work::Poll => Role::Poll,
            _ => Role::Reader,
        };
        PostgresConnection::open(Arc::clone(&self.server), role)
    }

    async fn first<T: Send>(
        &self,
        sql: &'static str,
        key: Value<'_>,
        map: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> Option<Option<T>> {
        self.pipelines.first(sql, key, map).await
    }

    fn writer(&self) -> Result<PostgresConnection, StoreError> {
        self.server.was_lost();
        let mut writer = PostgresConnection::open(Arc::clone(&self.server), Role::Writer)?;
        writer.prefer_indexes()?;
        Ok(writer)
    }

    /// No statement says how much is free. So the server writes a temporary file, which needs no privilege
    /// and no write-ahead log: a server without space for its log stops.
    fn check_space(&self) -> Result<(), StoreError> {
        let mut database = PostgresConnection::open(Arc::clone(&self.server), Role::Reader)?;
        match database.control(FILL_TEMPORARY_FILE) {
            // It may have no code for what its system says of the file.
            Err(StoreError::Engine(cause)) => Err(StoreError::NotWritable(
                WriteFault::DiskFull,
                cause.to_string(),
            )),
            Err(full @ StoreError::NotWritable(..)) => Err(full),
            // It may allow no temporary file of this size, or not in this time.
            Err(error) if !database.link.is_lost() => {
                tracing::debug!(%error, "the space of the database server is not known");
                Ok(())
            }
            filled => filled,
        }
    }

    fn closed(&self) {
        self.pipelines.close();
    }
}
