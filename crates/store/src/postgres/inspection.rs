//! A session that reads a database as it is: it creates and migrates nothing.

use std::sync::Arc;

use super::address::Address;
use super::connection::PostgresConnection;
use super::migrate;
use super::server::{Role, Server};
use crate::connect::{Connection as _, Fault, Inspect};
use crate::{Session, StoreError, StoreOptions};

/// A database in one snapshot.
pub(crate) struct Inspected {
    connection: PostgresConnection,
    server: Arc<Server>,
}

impl Inspected {
    /// Connects; also returns the version of the schema. Blocks.
    pub(crate) fn open(url: &str, options: &StoreOptions) -> Result<(Self, i64), StoreError> {
        let address = Address::parse(url, |name| std::env::var(name).ok())?;
        let server = Server::new(address, options.clone())?;
        let mut connection = PostgresConnection::open(Arc::clone(&server), Role::Reader)?;
        connection.begin_read()?;
        let version = migrate::version(&mut connection, &server)?;
        if version == 0 {
            return Err(StoreError::NoDatabase(server.place()));
        }
        Ok((Inspected { connection, server }, version))
    }
}

impl Inspect for Inspected {
    fn session(&mut self) -> &mut dyn Session {
        &mut self.connection
    }

    /// The faults of the schema. The server checks its files itself.
    fn faults(&mut self) -> Result<Vec<Fault>, StoreError> {
        let found = migrate::differences(&mut self.connection, &self.server)?;
        Ok(found.map(Fault::Schema).into_iter().collect())
    }
}
