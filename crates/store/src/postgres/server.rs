//! The server as an engine: opens and configures connections.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;
use tokio_postgres::{Client, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{self, Address};
use super::errors::{Failure, connect_error};
use super::link::{self, Link};
use super::pipeline;
use super::tls;
use crate::{StoreError, StoreOptions};

/// The oldest supported version.
const OLDEST: u32 = 13;
/// Multiplies the cache size of the options, because preparing a statement costs a round trip. A prepared
/// statement costs the server about 50 KiB.
const STATEMENTS_FACTOR: usize = 4;
/// Added to the statement timeout for the response timeout: latency of the network and a busy machine.
const GRACE: Duration = Duration::from_secs(5);
/// `idle_in_transaction_session_timeout`, in addition to an intended pause of readers: by then the client is
/// gone, and may hold the writer lock.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(60);

/// The number of epochs in this process.
static EPOCHS: AtomicU64 = AtomicU64::new(0);

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads; the server refuses anything else.
    Reader,
    /// The same for the poll, which also looks whether another server has the address.
    Poll,
    /// The same for look-ups of many requests, none of which may wait.
    Pipeline,
    /// Reads and writes.
    Writer,
}

/// A server, and the options of its connections.
pub(super) struct Server {
    address: Address,
    tls: MakeRustlsConnect,
    options: StoreOptions,
    known: Mutex<Known>,
    /// Connections opened so far, except those that only looked.
    opened: AtomicU64,
    /// When [`Server::look_again`] last did so.
    looked: Mutex<Instant>,
}

/// The origin of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// Connections of one epoch are to the same start of one server; it may have crashed and recovered since.
    pub(super) epoch: u64,
    /// The sequence number of this connection; 0 if it is not counted.
    pub(super) number: u64,
    /// The number of the server that was followed when it was opened.
    server: u64,
}

/// The server that is followed: that of the first connection, and then that of the latest one to a primary.
#[derive(Default)]
struct Known {
    /// The start time that it reports.
    started: String,
    epoch: u64,
    /// Counts the servers that were followed.
    server: u64,
    is_primary: bool,
}

impl Known {
    /// Epoch and server of a new connection to a server with this start time.
    fn connected(&mut self, started: &str, is_primary: bool) -> (u64, u64) {
        if self.started != started {
            if !is_primary && !self.started.is_empty() {
                // The address may have several servers, and two standbys would replace each other. Its
                // transactions are not those of the server that is followed.
                return (next_epoch(), self.server);
            }
            *self = Known {
                started: started.to_owned(),
                epoch: next_epoch(),
                server: self.server + 1,
                is_primary,
            };
        }
        self.is_primary = is_primary;
        (self.epoch, self.server)
    }
}

impl Server {
    /// Prepares the options of connections. Reads files; does not connect.
    pub(super) fn new(address: Address, options: StoreOptions) -> Result<Arc<Self>, StoreError> {
        Ok(Arc::new(Server {
            tls: tls::connector(address.check, &address.files)?,
            address,
            options,
            known: Mutex::default(),
            opened: AtomicU64::new(0),
            looked: Mutex::new(Instant::now()),
        }))
    }

    /// Opens a connection and configures it; also returns its origin. Blocks.
    pub(super) fn connect(&self, role: Role) -> Result<(Link, Origin), StoreError> {
        let (link, mut origin) = self.open(role)?;
        // Counted only after connecting: a view from before a crash of the server must have a lower number
        // than any connection after the crash.
        origin.number = self.opened.fetch_add(1, Ordering::SeqCst) + 1;
        Ok((link, origin))
    }

    /// The same without counting it, as every count makes the views before it stale.
    fn open(&self, role: Role) -> Result<(Link, Origin), StoreError> {
        let config = &self.address.config;
        let mut link = Link::open(config, &self.tls, self.response_timeout())?
            .map_err(|error| connect_error(&error, &self.place()))?;
        self.check(|name| link.parameter(name))?;
        let client = link.client();
        let set_up = self.set_up(role);
        let said = link
            .wait(client.simple_query(&set_up))
            .map_err(|failure| failure.error)?;
        Ok((link, self.follow(&said)))
    }

    /// Opens and configures a connection for the current runtime, where a task drives it, and which has no
    /// views. Without the client the task ends.
    pub(super) async fn open_driven(&self) -> Result<(Client, AbortHandle, Origin), StoreError> {
        let limit = self.response_timeout();
        let (client, wire) = link::dial(&self.address.config, &self.tls, limit)
            .await?
            .map_err(|error| connect_error(&error, &self.place()))?;
        self.check(|name| wire.parameter(name))?;
        let driver = tokio::spawn(wire).abort_handle();
        let set_up = self.set_up(Role::Pipeline);
        let said = match tokio::time::timeout(limit, client.simple_query(&set_up)).await {
            Ok(said) => said.map_err(|error| Failure::from(error).error)?,
            Err(_) => {
                driver.abort();
                return Err(StoreError::Timeout);
            }
        };
        Ok((client, driver, self.follow(&said)))
    }

    pub(super) fn options(&self) -> &StoreOptions {
        &self.options
    }

    /// How long a connection waits for a response.
    fn response_timeout(&self) -> Duration {
        self.options.statement_budget + self.options.busy_timeout + GRACE
    }

    /// Checks the parameters that the server reported on connecting.
    fn check<'a>(&self, parameter: impl Fn(&str) -> Option<&'a str>) -> Result<(), StoreError> {
        let place = self.place();
        let version = parameter("server_version").unwrap_or_default();
        if major(version).is_some_and(|major| major < OLDEST) {
            return Err(StoreError::Schema(format!(
                "{place} is PostgreSQL {version}, expected {OLDEST} or newer"
            )));
        }
        let encoding = parameter("server_encoding").unwrap_or("UTF8");
        if encoding != "UTF8" {
            return Err(StoreError::Schema(format!(
                "{place} holds texts in {encoding}, expected a database with the encoding UTF8"
            )));
        }
        Ok(())
    }

    /// The origin of a connection, from the answer to [`Server::set_up`].
    fn follow(&self, said: &[SimpleQueryMessage]) -> Origin {
        let row = said.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some((row.get(0)?, row.get(1)?)),
            _ => None,
        });
        let (started, is_standby) = row.unwrap_or_default();
        let (epoch, server) = self.known().connected(started, is_standby != "t");
        Origin {
            epoch,
            number: 0,
            server,
        }
    }

    /// Whether no other server has been found at the address since this connection was opened. The one before
    /// may still answer after a failover, with data of before.
    pub(super) fn is_current(&self, origin: &Origin) -> bool {
        self.known().server == origin.server
    }

    /// Looks which server has the address now, if that is due: by a new connection, as the name may lead
    /// elsewhere. If there is none, those that are open are used on.
    pub(super) fn look_again(&self) {
        {
            let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            if looked.elapsed() < self.options.server_check {
                return;
            }
            *looked = Instant::now();
        }
        let before = self.known().server;
        if let Err(error) = self.open(Role::Reader) {
            tracing::debug!(%error, "cannot look which server has the address of the database");
        } else if self.known().server != before {
            tracing::warn!(
                "another server has the address of the database: connections are opened again"
            );
        }
    }

    /// Connections opened so far, except those that only looked.
    pub(super) fn opened(&self) -> u64 {
        self.opened.load(Ordering::SeqCst)
    }

    /// Whether to create missing tables.
    pub(super) fn makes_tables(&self) -> bool {
        self.options.make_tables
    }

    /// User, host and database, for messages.
    pub(super) fn place(&self) -> String {
        self.address.place()
    }

    /// For a second connection while one is in use.
    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.tls.clone()
    }

    /// The timeout of a statement.
    pub(super) fn statement_budget(&self) -> Duration {
        self.options.statement_budget
    }

    /// How many prepared statements a connection caches.
    pub(super) fn statements(&self) -> usize {
        self.options
            .cached_statements
            .saturating_mul(STATEMENTS_FACTOR)
    }

    /// A connection was lost. Another server may now have this address, with other transaction numbers.
    pub(super) fn was_lost(&self) {
        self.known().epoch = next_epoch();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Consistent after each change, so a poisoned lock is safe to use.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_up(&self, role: Role) -> String {
        // 0 would mean no limit.
        let millis = |time: Duration| time.as_millis().clamp(1, i32::MAX as u128);
        let forgotten = match role {
            Role::Reader | Role::Poll => {
                IDLE_IN_TRANSACTION.saturating_add(self.options.reader_pause)
            }
            Role::Pipeline | Role::Writer => IDLE_IN_TRANSACTION,
        };
        let statement_timeout = match role {
            Role::Pipeline => pipeline::STATEMENT_TIMEOUT,
            Role::Reader | Role::Poll | Role::Writer => self.options.statement_budget,
        };
        let common = format!(
            "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; \
             SET tcp_keepalives_idle = {}; SET tcp_keepalives_interval = {}; SET tcp_keepalives_count = {}; \
             SET jit = off; SET client_min_messages = warning; SET timezone = 'UTC'; ",
            millis(statement_timeout),
            millis(self.options.busy_timeout),
            millis(forgotten),
            address::KEEPALIVE_IDLE.as_secs(),
            address::KEEPALIVE_INTERVAL.as_secs(),
            address::KEEPALIVE_RETRIES,
        );
        let of_role = match role {
            Role::Reader | Role::Poll => "SET default_transaction_read_only = on; ",
            // Its statements are all by primary key, see `PostgresConnection::prefer_indexes`.
            Role::Pipeline => "SET default_transaction_read_only = on; SET enable_seqscan = off; ",
            // A confirmed write must be on disk, whatever the server's default is. Stricter settings are not
            // changed.
            Role::Writer => {
                "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; "
            }
        };
        format!("{common}{of_role}SELECT pg_postmaster_start_time(), pg_is_in_recovery()")
    }
}

fn next_epoch() -> u64 {
    EPOCHS.fetch_add(1, Ordering::Relaxed) + 1
}

/// The major version of a version such as `15.18 (Debian 15.18-0)`.
fn major(version: &str) -> Option<u32> {
    let end = version
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(version.len());
    version[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_primary_is_followed_and_a_standby_beside_one_is_not() {
        let mut known = Known::default();
        let first = known.connected("monday", true);
        assert_eq!(known.connected("monday", true), first);
        let standby = known.connected("tuesday", false);
        assert_eq!(standby.1, first.1);
        assert_ne!(standby.0, first.0, "its transactions have other numbers");
        assert_eq!(known.connected("monday", true), first);
        let promoted = known.connected("tuesday", true);
        assert!(promoted.0 > first.0 && promoted.1 > first.1);
        // It becomes a standby itself, by a restart, and there is no other server.
        let restarted = known.connected("tuesday", false);
        assert_eq!(restarted, promoted);
        // Two standbys behind one address do not replace each other.
        let beside = known.connected("wednesday", false);
        assert_eq!(beside.1, promoted.1);
        assert_ne!(beside.0, promoted.0);
        assert_eq!(known.connected("tuesday", false), promoted);
        let third = known.connected("wednesday", true);
        assert!(third.0 > promoted.0 && third.1 > promoted.1);
    }

    #[test]
    fn a_version_begins_with_its_number() {
        for (version, number) in [
            ("15.18 (Debian 15.18-0+deb12u1)", Some(15)),
            ("9.6.24", Some(9)),
            ("18beta1", Some(18)),
            ("", None),
            ("unknown", None),
        ] {
            assert_eq!(major(version), number, "{version}");
        }
    }
}
