//! The engine PostgreSQL, and servers with its protocol and language.
//!
//! All code for PostgreSQL's protocol is in this folder. It runs units of work; it knows no table except its
//! own.

mod address;
pub(super) mod capabilities;
mod catalogue;
mod connection;
mod copy;
mod errors;
mod link;
mod migrate;
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
use connection::Database;
pub use plain::connect;
use server::{Role, Server};

use super::connect::{Connect, Work};
use super::{StoreError, StoreOptions};

/// Creates the schema of an older version for a test, and runs these statements on it.
pub(super) fn make_old(url: &str, version: usize, rows: &str) {
    let address = Address::parse(url, |_| None).expect("an address");
    let server = Server::new(address, StoreOptions::default()).expect("a server");
    let mut database = Database::open(Arc::clone(&server), Role::Writer).expect("a connection");
    migrate::make_old(&mut database, &server, version).expect("a schema");
    database.control(rows).expect("rows");
}

/// One database.
pub(super) struct Postgres {
    server: Arc<Server>,
}

impl Postgres {
    /// Connects, and migrates the schema; also returns the connection that writes. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when the address is invalid, or the schema is not ours or too new;
    /// [`StoreError::Unavailable`] when no connection can be made.
    pub(super) fn open(url: &str, options: &StoreOptions) -> Result<(Self, Database), StoreError> {
        let address = Address::parse(url, |name| std::env::var(name).ok())?;
        let server = Server::new(address, options.clone())?;
        let mut writer = Database::open(Arc::clone(&server), Role::Writer)?;
        migrate::run(&mut writer, &server)?;
        Ok((Postgres { server }, writer))
    }
}

impl Connect for Postgres {
    type Connection = Database;

    const IN_PROCESS: bool = false;
    /// Of more than 64 (`PGPROC_MAX_CACHED_SUBXIDS`) the server keeps no list at hand, and everybody's
    /// snapshots look each of them up.
    const MOST_SAVEPOINTS: usize = 60;

    fn reader(&self, _: Work) -> Result<Database, StoreError> {
        Database::open(Arc::clone(&self.server), Role::Reader)
    }

    fn writer(&self) -> Result<Database, StoreError> {
        self.server.was_lost();
        Database::open(Arc::clone(&self.server), Role::Writer)
    }
}
