//! The configuration of a service: the address, the database, and a limit on everything. No environment
//! variable is read here.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The limits of query options.
pub use obeya_odata::Limits as QueryLimits;

pub use obeya_store::LeftoverWal;

use crate::key_encryption::KeyEncryptionKey;
use crate::network::Network;
use crate::rate_limit::RateLimit;

/// Ticks of 100 ns in a second.
pub(crate) const TICKS_PER_SECOND: i64 = 10_000_000;

/// More than a person mistypes in a minute, and far less than guessing needs.
const TOKEN_FAILURES: Option<RateLimit> = match (NonZeroU32::new(30), NonZeroU32::new(60)) {
    (Some(requests), Some(seconds)) => RateLimit::new(requests, seconds),
    _ => None,
};

/// The settings of a service. [`Config::new`] gives defaults that are safe on a loopback address.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// The database: `sqlite:FILE`, or `postgres://user:password@host/database`.
    pub db: String,
    /// Whether a missing SQLite file, or missing tables in an empty database, are created. Default true.
    pub create: bool,
    /// What to do with a write-ahead log that a killed service left next to a SQLite file. Default: it is
    /// applied if it belongs to the file.
    pub leftover_wal: LeftoverWal,
    /// The address to listen on; port 0 takes any free one. Default `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// The address of a second listener, which serves only `/healthz`, `/readyz` and `/metrics`, and has
    /// connections of its own. Default: none. The first listener serves them in any case.
    pub admin_listen: Option<SocketAddr>,
    /// The proxies whose [`Self::forwarded_header`] is believed, and whose connections
    /// [`Limits::connections_per_address`] does not limit. Default: none.
    pub trusted_proxies: Vec<Network>,
    /// The header in which the trusted proxies report the address of their client.
    pub forwarded_header: ForwardedHeader,
    /// The certificate and key of [`Self::listen`]. Default: none, which is plain HTTP.
    pub tls: Option<TlsFiles>,
    /// The origins (`https://app.example`) whose pages may read responses in a browser (CORS); `*` is any.
    /// Default: none.
    pub cors_origins: Vec<String>,
    /// Whether `/docs` shows the explorer, on which every operation can be called. Default true.
    pub has_explorer: bool,
    /// The URL under which clients reach the service, without a trailing slash: next links start with it.
    /// Default: `http://` (with [`Self::tls`] `https://`) and the request's `Host`. Set it behind a proxy
    /// that ends TLS or changes the host.
    pub base_url: Option<String>,
    /// The issuer of tokens, without a trailing slash: the `iss` of every token, and the issuer in the
    /// discovery document. Default: the base URL, or `http://` and the bound address, which serves
    /// `/connect/token` in any case. Set it when several replicas share one database, so that each accepts
    /// the others' tokens.
    pub auth_url: Option<String>,
    /// The lifetime of a new token. Default 24 hours; whole seconds.
    pub token_lifetime: Duration,
    /// Whether new incidents are stored without who reported them: `createdByUserId` is checked and not
    /// stored. Incidents that are stored already are left alone. Default false.
    pub never_store_reporter: bool,
    /// The key that encrypts the signing keys in the database. Keys that are stored without encryption are
    /// encrypted when the service starts. Default: none, and a database with encrypted keys is refused.
    pub key_encryption: Option<KeyEncryptionKey>,
    /// How long entries of the audit log are retained. Default: forever.
    pub audit_retention: Option<Duration>,
    /// The limits.
    pub limits: Limits,
    /// The clock of the service.
    pub clock: Clock,
}

/// The files of a certificate, in PEM. They are read again when they change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those of the authorities between it and a root.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// A header in which a proxy reports the address of its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`, which most proxies write. The default.
    #[default]
    XForwardedFor,
    /// `Forwarded` of RFC 7239.
    Forwarded,
}

/// A limit on everything that a client can make large or long.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Longest request body, in bytes, except for lists of values. Default 1 MiB.
    pub body_bytes: usize,
    /// Longest request body that is a list of values, in bytes. Default 16 MiB: 10,000 values with texts of
    /// the maximum length.
    pub batch_bytes: usize,
    /// Largest file that may be attached to a record, in bytes. Default 4 MiB; an import takes up to 64 MiB.
    pub attachment_bytes: usize,
    /// Bytes of request bodies and unsent answers in memory at a time. What does not fit is answered with 503
    /// `unavailable`. Bodies and answers of at most 16 KiB are not counted. At least the largest body fits.
    /// Default 256 MiB.
    pub memory_bytes: usize,
    /// Longest path and query, in bytes. Default 48 KiB: percent-encoding can triple the length of an option
    /// of 8 KiB. Beyond 64 KiB the connection is refused.
    pub uri_bytes: usize,
    /// Most bytes in all header names and values of a request. Default 32 KiB.
    pub header_bytes: usize,
    /// Most connections at a time. A further one closes the connection that has waited longest for another
    /// request, for at least 100 ms; if there is none, the oldest of those that have had no request yet and
    /// of the requests of unknown clients, once that is a second old; if there is none of these either, it
    /// waits in the listener's queue. Default 1,024.
    pub connections: usize,
    /// Most connections of one address (of IPv6: one /64) at a time; a further one is closed at once. Trusted
    /// proxies are exempt. Default: no limit.
    pub connections_per_address: Option<usize>,
    /// Most connections to [`Config::admin_listen`], as [`Self::connections`]. Default 64.
    pub admin_connections: usize,
    /// Time for a client to send the head of a request, from its first byte. Default 10 s.
    pub header_read: Duration,
    /// Time that a connection may wait for the first byte of a request, also of the first request. Default 60
    /// s.
    pub idle: Duration,
    /// Time for a client to send a body, from when the service starts to read it. Default 20 s.
    pub body_read: Duration,
    /// Longest pause of a client while it sends a body. Default 5 s.
    pub body_pause: Duration,
    /// Write timeout: a connection whose client takes nothing of its answer for this long is closed. Default
    /// 30 s.
    pub send: Duration,
    /// Bytes of an answer that a client must take in a second. For each second that the connection waits it
    /// loses one of [`Self::send`], and for so many bytes it gets one back. Progress is seen in steps of up
    /// to 95 KiB, so a client must also take one step within [`Self::send`]. 0: no minimum rate. Default
    /// 1,024.
    pub min_send_rate: u32,
    /// Time from the head of a request to the head of its answer. A list of v1 that has used its memory then
    /// waits for its client for at most the same time again, over all its waits, and a second more for each
    /// 4 KiB that the client takes; then it is cut off. Default 30 s.
    pub request: Duration,
    /// Time for requests in flight to finish when the service shuts down. Default 10 s.
    pub grace: Duration,
    /// Most records in one page of a v2 list; `@odata.nextLink` leads to the rest. Default 1,000.
    pub page_records: u32,
    /// The limits of one request's query options: parts of expressions, nesting, members of lists, expanded
    /// navigations. See its fields; a request beyond one is answered with 400 `odata.limit`, which names the
    /// limit.
    pub query: QueryLimits,
    /// argon2id hashes of client secrets computed at the same time; each takes 19 MiB. Only secrets that an
    /// earlier version stored have such a hash. Default 2.
    pub concurrent_hashes: usize,
    /// Verified tokens in the cache. Default 10,000.
    pub remembered_tokens: usize,
    /// Most connections to the database that read at the same time; one more writes. Default 16.
    pub database_connections: usize,
    /// Time to wait for one of them while all are in use. Default 5 s.
    pub database_wait: Duration,
    /// Most long reads of one client that run at the same time; its others wait. Default: two for each
    /// processor of the service, at least 4.
    pub client_reads: usize,
    /// What one client may use of [`Self::memory_bytes`], and, while others want some, of
    /// [`Self::client_reads`] and of the reads that may wait for slow clients, in percent. 100: no limit.
    /// Default 50.
    pub client_share: u8,
    /// Time that one statement may take in the database. Default 10 s.
    pub statement: Duration,
    /// The interval at which the service reads which clients were revoked, and which keys were made, by other
    /// processes. At most 20 s, because no token is accepted 60 s after the last successful read. Default 15
    /// s.
    pub auth_poll: Duration,
    /// Most `Idempotency-Key`s of the last 24 hours that one client may have, at least 1; another one is
    /// answered with 429 `idempotency.quota`. Each takes some 300 bytes of the database. Default 1,000,000.
    pub idempotency_keys: u32,
    /// Requests of one client; beyond it 429 `rate.limited`. Default: no limit.
    pub client_rate: Option<RateLimit>,
    /// Requests of one address (of IPv6: one /64), of whatever clients and without a client, except for
    /// health, readiness and metrics. Default: no limit.
    pub address_rate: Option<RateLimit>,
    /// Token requests of one address with an unknown client or a wrong secret; beyond it they are answered
    /// with 429. A correct secret is accepted in any case. Default 30 in 60 s.
    pub token_failure_rate: Option<RateLimit>,
    /// Most refused requests (4xx) that are logged in a second, as many failed ones (5xx), and as many
    /// refused token requests; the others are summarised. Default 20.
    pub logged_refusals: u32,
    /// The interval at which the service checks whether the files of its certificate have changed. Default 5
    /// s.
    pub certificate_check: Duration,
    /// The interval at which the service checks that the files of a SQLite database are in place, and whether
    /// writes work again after one found that they do not. Default 2 s.
    pub file_check: Duration,
    /// The interval at which incidents that were in the trash for 30 days are deleted, if they were due at a
    /// check after which the service has run for a day. Default 1 h.
    pub purge: Duration,
    /// The interval at which the rollups of values are refreshed, from which queries group values by
    /// time; the first time is one interval after the start. Default 60 s.
    pub rollups: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            batch_bytes: 16 << 20,
            attachment_bytes: 4 << 20,
            memory_bytes: 256 << 20,
            uri_bytes: 48 << 10,
            header_bytes: 32 << 10,
            connections: 1024,
            connections_per_address: None,
            admin_connections: 64,
            header_read: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            body_read: Duration::from_secs(20),
            body_pause: Duration::from_secs(5),
            send: Duration::from_secs(30),
            min_send_rate: 1024,
            request: Duration::from_secs(30),
            grace: Duration::from_secs(10),
            page_records: 1000,
            query: QueryLimits::default(),
            concurrent_hashes: 2,
            remembered_tokens: 10_000,
            database_connections: 16,
            database_wait: Duration::from_secs(5),
            client_reads: obeya_store::default_client_reads(),
            client_share: 50,
            statement: Duration::from_secs(10),
            auth_poll: Duration::from_secs(15),
            idempotency_keys: 1_000_000,
            client_rate: None,
            address_rate: None,
            token_failure_rate: TOKEN_FAILURES,
            logged_refusals: 20,
            certificate_check: Duration::from_secs(5),
            file_check: Duration::from_secs(2),
            purge: Duration::from_secs(3600),
            rollups: Duration::from_secs(60),
        }
    }
}

impl Config {
    /// The defaults, over a database such as `sqlite:plant.db`.
    #[must_use]
    pub fn new(db: impl Into<String>) -> Self {
        Self {
            db: db.into(),
            create: true,
            leftover_wal: LeftoverWal::Check,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            admin_listen: None,
            trusted_proxies: Vec::new(),
            forwarded_header: ForwardedHeader::default(),
            tls: None,
            cors_origins: Vec::new(),
            has_explorer: true,
            base_url: None,
            auth_url: None,
            token_lifetime: Duration::from_secs(86_400),
            never_store_reporter: false,
            key_encryption: None,
            audit_retention: None,
            limits: Limits::default(),
            clock: Clock::system(),
        }
    }

    /// The scheme of the URLs under which the service itself can be reached.
    pub(crate) fn scheme(&self) -> &'static str {
        match self.tls {
            Some(_) => "https",
            None => "http",
        }
    }

    /// Whether an address is that of a trusted proxy.
    pub(crate) fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        let mut proxies = self.trusted_proxies.iter();
        proxies.any(|proxies| proxies.contains(address))
    }
}

/// A lifetime in whole seconds, at least one and at most ten years, so that adding it to a time never
/// overflows.
pub(crate) fn lifetime_seconds(lifetime: Duration) -> i64 {
    const LONGEST: i64 = 10 * 366 * 86_400;
    i64::try_from(lifetime.as_secs())
        .unwrap_or(LONGEST)
        .clamp(1, LONGEST)
}

/// The clock of the service: the system's, or that of a test.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>,
    monotonic: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::new(jiff::Timestamp::now)
    }

    /// A clock that reads the time from `now`.
    #[must_use]
    pub fn new(now: impl Fn() -> jiff::Timestamp + Send + Sync + 'static) -> Self {
        let start = Instant::now();
        Self {
            now: Arc::new(now),
            monotonic: Arc::new(move || start.elapsed()),
        }
    }

    /// The same clock with `elapsed` for periods that must not depend on the time of day: the time since some
    /// moment, never decreasing. Default: the system's monotonic clock.
    #[must_use]
    pub fn with_monotonic(
        mut self,
        elapsed: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        self.monotonic = Arc::new(elapsed);
        self
    }

    /// Time since some fixed moment. Changes of the system time do not affect it.
    pub(crate) fn monotonic(&self) -> Duration {
        (self.monotonic)()
    }

    /// Seconds since 1970-01-01T00:00Z, rounded down.
    pub(crate) fn seconds(&self) -> i64 {
        self.ticks().div_euclid(TICKS_PER_SECOND)
    }

    /// 100 ns ticks since 1970-01-01T00:00Z, the store's unit of time.
    pub(crate) fn ticks(&self) -> i64 {
        let now = (self.now)();
        now.as_second() * TICKS_PER_SECOND + i64::from(now.subsec_nanosecond()).div_euclid(100)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_count_from_1970_also_backwards() {
        let at = |text: &'static str| Clock::new(move || text.parse().expect("a timestamp"));
        assert_eq!(at("1970-01-01T00:00:01.5Z").ticks(), 15_000_000);
        assert_eq!(at("1969-12-31T23:59:59.5Z").ticks(), -5_000_000);
        assert_eq!(at("1969-12-31T23:59:59.5Z").seconds(), -1);
    }
}
