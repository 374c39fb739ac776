//! `obeya serve`: runs the service on a database until a signal stops it.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use listenfd::ListenFd;
use obeya_server::store::StoreError;
use obeya_server::{Config, ForwardedHeader, LeftoverWal, Network, Server, StartError, TlsFiles};
use tracing_subscriber::EnvFilter;

use crate::database::DatabaseArg;
use crate::keys::KeyEncryptionArg;
use crate::limits::LimitArgs;
use crate::log::{LogFormat, log_to_stderr};
use crate::settings::{ConfigArg, Parsed};
use crate::stop::{ReloadSignal, StopSignal};

const NO_DATABASE: &str = "the service did not start; --create creates a new database";

/// Runs the service on a database.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArg,

    #[command(flatten)]
    database: DatabaseArg,

    /// Creates the SQLite file, or the tables in an empty PostgreSQL database, if there are none; without
    /// this flag, a wrong or unmounted path and an empty database are errors
    #[arg(long)]
    create: bool,

    /// Applies the write-ahead log (-wal) that a killed service left, even if it was written for another
    /// database file. This corrupts a file that was restored from a backup
    #[arg(long, conflicts_with = "discard_wal")]
    keep_wal: bool,

    /// Serves the SQLite file without the write-ahead log (-wal) that a killed service left: the log is
    /// renamed, and its changes are not served
    #[arg(long)]
    discard_wal: bool,

    /// The address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// A second address, which serves only /healthz, /readyz and /metrics, and is reachable when
    /// --connections are in use
    #[arg(long, env = "OBEYA_ADMIN_LISTEN", value_name = "ADDR")]
    admin_listen: Option<SocketAddr>,

    /// An address or network (10.0.0.0/8) of proxies whose --forwarded-header names the address of the
    /// client; may be repeated, or a list with commas
    #[arg(
        long,
        env = "OBEYA_TRUSTED_PROXY",
        value_name = "NETWORK",
        value_delimiter = ','
    )]
    trusted_proxy: Vec<Network>,

    /// The header in which they name it; the other one is ignored, because proxies pass it on unchecked
    #[arg(long, env = "OBEYA_FORWARDED_HEADER", value_name = "NAME", value_enum, default_value_t = ForwardedHeaderName::XForwardedFor)]
    forwarded_header: ForwardedHeaderName,

    /// The certificate of --listen, in PEM, followed by those of the authorities above it. Without it the
    /// service speaks plain HTTP. It is read again after SIGHUP, and when it changes
    #[arg(
        long,
        env = "OBEYA_TLS_CERTIFICATE",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_certificate: Option<PathBuf>,

    /// The private key of the certificate, in PEM
    #[arg(
        long,
        env = "OBEYA_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate"
    )]
    tls_key: Option<PathBuf>,

    /// An origin (https://app.example) whose pages may use the service in a browser (CORS), or * for any; may
    /// be repeated, or a list with commas
    #[arg(long, env = "OBEYA_CORS_ORIGIN", value_name = "ORIGIN", value_delimiter = ',', value_parser = origin)]
    cors_origin: Vec<String>,

    /// Serves no explorer at /docs, and no guide
    #[arg(long, env = "OBEYA_NO_DOCS")]
    no_docs: bool,

    /// The public URL of the service, if requests do not carry it (behind a proxy that terminates TLS)
    #[arg(long, value_name = "URL", value_parser = public_url)]
    base_url: Option<String>,

    /// The URL of the token issuer, if it is not the base URL (several services on one database)
    #[arg(long, value_name = "URL", value_parser = public_url)]
    auth_url: Option<String>,

    /// How many days entries of the audit log are retained. By default they are never removed
    #[arg(long, env = "OBEYA_AUDIT_RETENTION", value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    audit_retention: Option<u32>,

    /// Lifetime of an access token, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u64).range(1..=315_360_000))]
    token_lifetime: u64,

    /// Stores new incidents without the user who reported them
    #[arg(long, env = "OBEYA_NEVER_STORE_REPORTER")]
    never_store_reporter: bool,

    #[command(flatten)]
    key_encryption: KeyEncryptionArg,

    /// Log filter: a level, or levels by module, such as warn,obeya_server=debug,obeya_store=debug
    #[arg(long, value_name = "FILTER", default_value = "info", value_parser = filter)]
    log: String,

    /// Format of the log
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,

    #[command(flatten)]
    limits: LimitArgs,
}

/// The command as clap has it, for those who describe its flags.
pub(crate) fn command() -> clap::Command {
    <Args as clap::Args>::augment_args(clap::Command::new("serve"))
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ForwardedHeaderName {
    /// X-Forwarded-For
    XForwardedFor,
    /// Forwarded (RFC 7239)
    Forwarded,
}

/// An origin as browsers send it: scheme, host and a port that is not the usual one.
fn origin(text: &str) -> Result<String, String> {
    let host = text.split_once("://").map(|(_, host)| host);
    let is_origin = host.is_some_and(|host| {
        !host.is_empty()
            && !host.contains(['/', '?', '#', '@', ' '])
            && *text == *text.to_lowercase()
    });
    if is_origin || text == "*" {
        return Ok(text.to_owned());
    }
    Err(
        "expected an origin such as https://app.example, in lower case and without a path, or *"
            .into(),
    )
}

/// A URL that clients are given, and to which paths are added.
fn public_url(text: &str) -> Result<String, String> {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let is_url = rest.is_some_and(|rest| {
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#@\"<>\\^`{|}".contains(&byte);
        !rest.is_empty() && !rest.starts_with(['/', ':']) && rest.bytes().all(is_plain)
    });
    if is_url {
        return Ok(text.to_owned());
    }
    Err("expected http or https and a host, without user, query and fragment, in ASCII, such as https://obeya.example/plant".into())
}

fn filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

/// Serves until SIGINT or SIGTERM; a second signal aborts requests in flight. `parsed` says where the
/// arguments came from.
pub(crate) async fn run(args: Args, parsed: &Parsed) -> Result<()> {
    log_to_stderr(&args.log, args.log_format)?;
    if let Some(file) = &parsed.file {
        let file = std::path::absolute(file)?;
        tracing::info!(file = %file.display(), "read settings from a file");
        if parsed.has_readable_password() {
            tracing::warn!(file = %file.display(), "the file has a password, and everybody on this machine may read it");
        }
    }
    if !args.create {
        let existing = args.database.existing();
        existing.context(NO_DATABASE)?;
    }
    let mut config = Config::new(args.database.url);
    config.create = args.create;
    config.leftover_wal = match (args.keep_wal, args.discard_wal) {
        (true, _) => LeftoverWal::Apply,
        (_, true) => LeftoverWal::Discard,
        _ => LeftoverWal::Check,
    };
    config.listen = args.listen;
    config.base_url = args.base_url;
    config.auth_url = args.auth_url;
    config.admin_listen = args.admin_listen;
    config.tls = args
        .tls_certificate
        .zip(args.tls_key)
        .map(|(certificate, key)| TlsFiles { certificate, key });
    config.cors_origins = args.cors_origin;
    config.has_explorer = !args.no_docs;
    config.trusted_proxies = args.trusted_proxy;
    config.forwarded_header = match args.forwarded_header {
        ForwardedHeaderName::XForwardedFor => ForwardedHeader::XForwardedFor,
        ForwardedHeaderName::Forwarded => ForwardedHeader::Forwarded,
    };
    args.limits.apply(&mut config.limits)?;
    let days = args.audit_retention.map(u64::from);
    config.audit_retention = days.map(|days| Duration::from_secs(days * 86_400));
    config.token_lifetime = Duration::from_secs(args.token_lifetime);
    config.never_store_reporter = args.never_store_reporter;
    config.key_encryption = args.key_encryption.read()?;
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    // Caught before the service is ready, as the signals to stop.
    let mut reload = match &config.tls {
        Some(_) => Some(ReloadSignal::catch().context("signals cannot be caught")?),
        None => None,
    };
    let running = match inherited_socket()? {
        Some(socket) => Server::start_on(config, socket).await,
        None => Server::start(config).await,
    };
    let running = running.map_err(|error| {
        let is_empty = matches!(
            error,
            StartError::Store {
                source: StoreError::NoDatabase(_),
                ..
            }
        );
        let context = if is_empty {
            NO_DATABASE
        } else {
            "the service did not start"
        };
        anyhow::Error::new(error).context(context)
    })?;
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    // Exactly this one line: supervisors wait for it and read the port from it.
    let mut out = io::stdout();
    writeln!(out, "listening on {scheme}://{}", running.address())
        .and_then(|()| out.flush())
        .context("the address could not be printed")?;
    loop {
        tokio::select! {
            () = stop.received() => break,
            // The service has logged a certificate that it cannot use, and goes on with the last one.
            () = received(&mut reload) => drop(running.reload_certificate().await),
        }
    }
    tokio::select! {
        () = running.shutdown() => Ok(()),
        () = stop.received() => bail!("stopped at once: requests in flight were cut off"),
    }
}

/// The socket that a supervisor such as systemd listens on for the service, if it does.
fn inherited_socket() -> Result<Option<TcpListener>> {
    let socket = ListenFd::from_env().take_tcp_listener(0);
    socket.context("the supervisor passed something else than a socket for TCP (LISTEN_FDS)")
}

/// Returns when the signal came; never without one.
async fn received(signal: &mut Option<ReloadSignal>) {
    match signal {
        Some(signal) => signal.received().await,
        None => std::future::pending().await,
    }
}
