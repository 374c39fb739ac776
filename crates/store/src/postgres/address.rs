//! The address of a database: `postgres://user:password@host:port/database?parameter=value&…`, parsed like
//! libpq.
//!
//! The password goes only to the driver: messages show only the result of [`Address::place`] or [`masked`].

use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::tls::{Check, TlsFiles};
use crate::StoreError;

/// Default timeout of a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long sent data may stay unacknowledged before the connection is closed.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(20);
/// TCP keepalive: idle time before the first probe, interval between probes, and number of probes. The server
/// uses the same values, because a client machine that vanished may hold the writer lock.
pub(super) const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
pub(super) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
pub(super) const KEEPALIVE_RETRIES: u32 = 3;

/// A parsed address.
#[derive(Clone)]
pub(super) struct Address {
    /// The configuration for the driver.
    pub(super) config: Config,
    /// How the server's certificate is checked.
    pub(super) check: Check,
    pub(super) files: TlsFiles,
}

impl Address {
    /// Parses an address; `environment` returns environment variables, the defaults for missing parts.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when it is invalid.
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
            // The driver decodes parameter names, so it would accept an encoded name that is not recognised
            // here.
            if name.contains('%') {
                return Err(no_address("the name of a parameter is encoded"));
            }
            match name {
                "sslmode" => mode = Some(decoded()?),
                "sslrootcert" => files.root = Some(decoded()?.into()),
                "sslcert" => files.certificate = Some(decoded()?.into()),
                "sslkey" => files.key = Some(decoded()?.into()),
                _ => rest.push(pair),
            }
        }
        let mode = mode.or_else(|| environment("PGSSLMODE"));
        if files.root.is_none() {
            let root = environment("PGSSLROOTCERT").filter(|path| !path.is_empty());
            files.root = root.map(Into::into);
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
        // As in libpq: a Unix-domain socket does not leave the machine, and servers offer no TLS on it.
        config.ssl_mode(if is_local(&config) {
            SslMode::Disable
        } else {
            ssl_mode
        });
        complete(&mut config, environment);
        // The driver's default of two hours is too long.
        if !rest.iter().any(|pair| pair.starts_with("keepalives_idle=")) {
            config.keepalives_idle(KEEPALIVE_IDLE);
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

    /// User, host and database, for messages.
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

/// Whether the URL has a scheme of PostgreSQL.
pub(crate) fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// The address with stars for every password in it.
pub(crate) fn masked(url: &str) -> String {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut shown = base.to_owned();
    for (index, pair) in query.split('&').enumerate() {
        if index > 0 || !query.is_empty() {
            shown.push(if index == 0 { '?' } else { '&' });
        }
        match pair.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("pass") || name.contains('%') => {
                shown.push_str(name);
                shown.push_str("=***");
            }
            _ => shown.push_str(pair),
        }
    }
    // A password may contain an unencoded `@`, `/` or `?`: everything between the first colon after the
    // scheme and the last `@` counts as the password.
    if let Some(start) = shown.find("://").map(|place| place + 3)
        && let Some(end) = shown.rfind('@').filter(|&end| end >= start)
        && let Some(colon) = shown[start..end].find(':')
    {
        shown.replace_range(start + colon + 1..end, "***");
    }
    shown
}

/// Fills in the parts that the address omits.
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
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(KEEPALIVE_RETRIES);
    }
}

/// Whether every host is a Unix-domain socket.
fn is_local(config: &Config) -> bool {
    let hosts = config.get_hosts();
    #[cfg(unix)]
    let all = hosts.iter().all(|host| matches!(host, Host::Unix(_)));
    #[cfg(not(unix))]
    let all = false;
    all && !hosts.is_empty() && config.get_hostaddrs().is_empty()
}

/// The driver's reason for refusing an address. It names the parameter and never its value.
fn reason(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn parse(url: &str) -> Result<Address, StoreError> {
        Address::parse(url, |_| None)
    }

    fn refusal(url: &str) -> String {
        match parse(url) {
            Err(StoreError::Schema(text)) => text,
            other => panic!("{url}: {other:?}"),
        }
    }

    #[test]
    fn an_address_is_taken_apart_as_libpq_does() {
        for (url, place) in [
            ("postgres://u:p@h:5433/d", "postgres://u@h:5433/d"),
            ("postgresql://u@h/d", "postgres://u@h:5432/d"),
            ("postgres://u@h", "postgres://u@h:5432/u"),
            ("postgres://u%40x:p%2Fq@h/d", "postgres://u@x@h:5432/d"),
            ("postgres://u@a:1,b:2/d", "postgres://u@a:1,b:2/d"),
            ("postgres://u@[::1]:6/d", "postgres://u@::1:6/d"),
            (
                "postgres:///d?host=/run/pg&user=u&port=7",
                "postgres://u@/run/pg:7/d",
            ),
            (
                "postgres://u@h/d?sslmode=verify-full&connect_timeout=3",
                "postgres://u@h:5432/d",
            ),
        ] {
            assert_eq!(parse(url).expect(url).place(), place, "{url}");
            assert!(is_postgres(url));
        }
        let password = parse("postgres://u:a%2Fb%40c@h/d").unwrap();
        assert_eq!(password.config.get_password(), Some(&b"a/b@c"[..]));
        let options = parse("postgres://u@h/d?sslmode=disable&options=-c%20search_path%3Dplant");
        let options = options.unwrap();
        assert_eq!(options.config.get_options(), Some("-c search_path=plant"));
    }

    #[test]
    fn what_an_address_leaves_out_comes_from_the_environment_and_from_defaults() {
        let environment = |name: &str| match name {
            "PGPASSWORD" => Some("from outside".to_owned()),
            "PGUSER" => Some("somebody".to_owned()),
            "PGSSLMODE" => Some("verify-full".to_owned()),
            "PGSSLROOTCERT" => Some("/outside.crt".to_owned()),
            _ => None,
        };
        let address = Address::parse("postgres://h/d", environment).unwrap();
        assert_eq!(address.place(), "postgres://somebody@h:5432/d");
        assert_eq!(address.config.get_password(), Some(&b"from outside"[..]));
        assert_eq!(address.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(address.check, Check::ChainAndName);
        assert_eq!(address.files.root, Some("/outside.crt".into()));
        let own = "postgres://u@h/d?sslmode=require&sslrootcert=own.crt";
        let address = Address::parse(own, environment).unwrap();
        assert_eq!(address.check, Check::Chain);
        assert_eq!(address.files.root, Some("own.crt".into()));
        let address = Address::parse("postgres://u:p@h/d?keepalives_idle=60", environment).unwrap();
        assert_eq!(address.config.get_password(), Some(&b"p"[..]));
        assert_eq!(address.config.get_user(), Some("u"));
        assert_eq!(
            address.config.get_keepalives_idle(),
            Duration::from_secs(60)
        );
        let address = parse("postgres://u@h/d?application_name=plant7&connect_timeout=1").unwrap();
        assert_eq!(address.config.get_application_name(), Some("plant7"));
        assert_eq!(
            address.config.get_connect_timeout(),
            Some(&Duration::from_secs(1))
        );
        let address = parse("postgres://u@h/d").unwrap();
        assert_eq!(address.config.get_application_name(), Some("obeya"));
        assert_eq!(address.config.get_connect_timeout(), Some(&CONNECT_TIMEOUT));
        assert_eq!(address.config.get_keepalives_idle(), KEEPALIVE_IDLE);
    }

    #[test]
    fn the_modes_of_tls_are_those_of_libpq() {
        for (parameters, mode, check) in [
            ("", SslMode::Prefer, Check::Nothing),
            ("sslmode=disable", SslMode::Disable, Check::Nothing),
            (
                "sslmode=prefer&sslrootcert=r",
                SslMode::Prefer,
                Check::Nothing,
            ),
            ("sslmode=require", SslMode::Require, Check::Nothing),
            (
                "sslmode=require&sslrootcert=r",
                SslMode::Require,
                Check::Chain,
            ),
            (
                "sslrootcert=r&sslmode=verify-ca",
                SslMode::Require,
                Check::Chain,
            ),
            ("sslmode=verify-full", SslMode::Require, Check::ChainAndName),
        ] {
            let address = parse(&format!("postgres://u@h/d?{parameters}")).unwrap();
            assert_eq!(address.config.get_ssl_mode(), mode, "{parameters}");
            assert_eq!(address.check, check, "{parameters}");
        }
        let files = "sslrootcert=%2Fa%20b.crt&sslcert=c.crt&sslkey=k.key";
        let address = parse(&format!("postgres://u@h/d?{files}")).unwrap();
        let expected = TlsFiles {
            root: Some(PathBuf::from("/a b.crt")),
            certificate: Some("c.crt".into()),
            key: Some("k.key".into()),
        };
        assert_eq!(address.files, expected);
        let local = parse("postgres:///d?host=/run/pg&user=u&sslmode=require").unwrap();
        assert_eq!(local.config.get_ssl_mode(), SslMode::Disable);
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_password() {
        for (url, reason) in [
            ("postgres:///d", "it names no host"),
            ("postgres://u:hunter2@h/d?sslmode=maybe", "sslmode"),
            ("postgres://u:hunter2@h/d?colour=red", "`colour`"),
            ("postgres://u:hunter2@h:port/d", "`port`"),
            ("postgres://u:hun@ter2@h:x/d", "`port`"),
            ("postgres://u@h/d?password=hunter2&x=1", "`x`"),
            ("postgres://u@h/d?sslpassword=hunter2", "sslpassword"),
            ("postgres://h/d?sslcert=%ff", "UTF-8"),
            ("postgres://u@h/d?ssl%6dode=disable", "encoded"),
            ("postgres://u@h/d?p%61ssword=hunter2", "encoded"),
        ] {
            let text = refusal(url);
            assert!(text.contains(reason), "{url}: {text}");
            assert!(!text.contains("ter2"), "{url}: {text}");
        }
        let address = parse("postgres://u:hunter2@h/d").unwrap();
        assert!(!format!("{address:?}").contains("hunter2"));
    }

    #[test]
    fn passwords_are_masked_wherever_they_stand() {
        for (url, shown) in [
            ("postgres://u:p@h/d", "postgres://u:***@h/d"),
            (
                "postgres://u@h/d?sslmode=require",
                "postgres://u@h/d?sslmode=require",
            ),
            ("postgres://u:p@q/r@h/d", "postgres://u:***@h/d"),
            ("postgres://h:5432/d", "postgres://h:5432/d"),
            (
                "postgres://u@h/d?a=b&password=p%20q&c",
                "postgres://u@h/d?a=b&password=***&c",
            ),
            ("postgres://u:p?q@h/d", "postgres://u:***@h/d"),
            (
                "postgres://u@h:5/d?password=p@q",
                "postgres://u@h:5/d?password=***",
            ),
            ("sqlite:a.db", "sqlite:a.db"),
        ] {
            assert_eq!(masked(url), shown);
        }
    }
}
