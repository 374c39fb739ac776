//! The address of a database: `postgres://user:password@host:port/database?parameter=value&…`, read as PostgreSQL's own library reads it.
//!
//! The password goes to the driver and to nowhere else: everything that is shown of an address comes from [`Address::place`] or [`masked`].

use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::tls::{Check, TlsFiles};
use crate::store::StoreError;

/// How long to wait for a server to answer a new connection, unless the address says.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long what was sent may stay unanswered by the other machine before it counts as gone.
const UNANSWERED: Duration = Duration::from_secs(20);
/// How long a connection is silent before the other machine is asked whether it is still there, and how long it has for an answer.
const SILENCE: Duration = Duration::from_secs(15);
const ANSWER: Duration = Duration::from_secs(5);

/// An address, taken apart.
#[derive(Clone)]
pub(super) struct Address {
    /// What the driver connects by.
    pub(super) config: Config,
    /// How the server's certificate is checked.
    pub(super) check: Check,
    pub(super) files: TlsFiles,
}

impl Address {
    /// Takes an address apart; `environment` gives the variables that stand in for what it leaves out.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when it is none.
    pub(super) fn parse(
        url: &str,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, StoreError> {
        let no_address = |reason: &str| {
            let address = masked(url);
            StoreError::Schema(format!(
                "the database address `{address}` cannot be used: {reason}"
            ))
        };
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut rest = Vec::new();
        let (mut mode, mut files) = (None, TlsFiles::default());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = || {
                let decoded = percent_decode_str(value).decode_utf8();
                decoded
                    .map(String::from)
                    .map_err(|_| no_address(&format!("`{name}` is not UTF-8")))
            };
            match name {
                "sslmode" => mode = Some(decoded()?),
                "sslrootcert" => files.root = Some(decoded()?.into()),
                "sslcert" => files.certificate = Some(decoded()?.into()),
                "sslkey" => files.key = Some(decoded()?.into()),
                _ => rest.push(pair),
            }
        }
        let address = match rest.is_empty() {
            true => base.to_owned(),
            false => format!("{base}?{}", rest.join("&")),
        };
        let mut config: Config = address
            .parse()
            .map_err(|error| no_address(&reason(&error)))?;
        let (ssl_mode, check) = Check::of(mode.as_deref(), files.root.is_some())
            .map_err(|expected| no_address(&expected))?;
        // As in PostgreSQL's own library: nothing leaves the machine on such a way, and servers offer no TLS there.
        config.ssl_mode(if is_local(&config) {
            SslMode::Disable
        } else {
            ssl_mode
        });
        complete(&mut config, environment);
        // The driver's default of two hours notices nothing in time.
        if !rest.iter().any(|pair| pair.starts_with("keepalives_idle=")) {
            config.keepalives_idle(SILENCE);
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(no_address(
                "it names no host, expected postgres://user@host/database",
            ));
        }
        Ok(Address {
            config,
            check,
            files,
        })
    }

    /// Whom, where and what it names, for messages.
    pub(super) fn place(&self) -> String {
        let config = &self.config;
        let ports = config.get_ports();
        let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
            let host = match host {
                Host::Tcp(host) => host.clone(),
                #[cfg(unix)]
                Host::Unix(folder) => folder.display().to_string(),
            };
            let port = ports.get(index).or(ports.first()).copied();
            format!("{host}:{}", port.unwrap_or(5432))
        });
        let mut hosts: Vec<String> = hosts.collect();
        if hosts.is_empty() {
            hosts.extend(config.get_hostaddrs().iter().map(ToString::to_string));
        }
        let user = config.get_user().unwrap_or_default();
        let database = config.get_dbname().unwrap_or(user);
        format!("postgres://{user}@{}/{database}", hosts.join(","))
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.place())
    }
}

/// Whether this is an address of PostgreSQL.
pub(in crate::store) fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// The address with stars for every password in it.
pub(in crate::store) fn masked(url: &str) -> String {
    let (base, query) = match url.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (url, None),
    };
    // A password may hold an unencoded `@` or `/`: whatever stands between the first colon after the scheme and the last `@` is taken for it.
    let start = base.find("://").map_or(0, |place| place + 3);
    let mut shown = base.to_owned();
    if let Some(end) = base.rfind('@').filter(|&end| end >= start)
        && let Some(colon) = base[start..end].find(':')
    {
        shown.replace_range(start + colon + 1..end, "***");
    }
    if let Some(query) = query {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("pass") => {
                format!("{name}=***")
            }
            _ => pair.to_owned(),
        });
        shown.push('?');
        shown.push_str(&pairs.collect::<Vec<_>>().join("&"));
    }
    shown
}

/// What the address leaves out.
fn complete(config: &mut Config, environment: impl Fn(&str) -> Option<String>) {
    if config.get_user().is_none()
        && let Some(user) = environment("PGUSER").or_else(|| environment("USER"))
    {
        config.user(user);
    }
    if config.get_password().is_none()
        && let Some(password) = environment("PGPASSWORD")
    {
        config.password(password);
    }
    if config.get_application_name().is_none() {
        config.application_name("obeya");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNANSWERED);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(ANSWER);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(3);
    }
}

/// Whether every way to the server is a socket in the file system.
fn is_local(config: &Config) -> bool {
    let hosts = config.get_hosts();
    #[cfg(unix)]
    let all = hosts.iter().all(|host| matches!(host, Host::Unix(_)));
    #[cfg(not(unix))]
    let all = false;
    all && !hosts.is_empty() && config.get_hostaddrs().is_empty()
}

/// What the driver has against an address. It names the parameter and never its value.
fn reason(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
