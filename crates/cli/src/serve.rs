//! `obeya serve`: runs the service on a database until a signal stops it.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use obeya_server::{Config, LeftoverWal, Server};
use tracing_subscriber::EnvFilter;

use crate::database::{self, DatabaseArg};
use crate::keys::KeyEncryptionArg;
use crate::stop::StopSignal;

/// Runs the service on a database.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    database: DatabaseArg,

    /// Creates the SQLite file if it does not exist; without this flag, a wrong or unmounted path is an error
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

    /// The public URL of the service, if requests do not carry it (behind a proxy that terminates TLS)
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// The URL of the token issuer, if it is not the base URL (several services on one database)
    #[arg(long, value_name = "URL")]
    auth_url: Option<String>,

    /// How many database connections may read at a time; one more writes, and one checks for revoked clients
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    db_connections: u16,

    /// How many client connections may be open at a time; a further one closes the connection that has been
    /// idle longest
    #[arg(long, env = "OBEYA_CONNECTIONS", value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,

    /// Timeout for reading the head of a request, from its first byte, in seconds
    #[arg(long, env = "OBEYA_HEAD_TIMEOUT", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    head_timeout: u32,

    /// Timeout for idle connections, in seconds
    #[arg(long, env = "OBEYA_IDLE_TIMEOUT", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    idle_timeout: u32,

    /// How many requests with an Idempotency-Key each client may send in 24 hours
    #[arg(long, env = "OBEYA_IDEMPOTENCY_KEYS", value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    idempotency_keys: u32,

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
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LogFormat {
    /// Plain text
    Text,
    /// One JSON object per line
    Json,
}

fn filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

/// Serves until SIGINT or SIGTERM; a second signal aborts requests in flight.
pub(crate) async fn run(args: Args) -> Result<()> {
    log_to_stderr(&args.log, args.log_format)?;
    let is_file = database::sqlite_file(&args.database.url).is_some();
    if !args.create {
        let existing = args.database.existing();
        existing.context("the service did not start; --create creates a new database")?;
    }
    let mut config = Config::new(args.database.url);
    config.create = args.create || !is_file;
    config.leftover_wal = match (args.keep_wal, args.discard_wal) {
        (true, _) => LeftoverWal::Apply,
        (_, true) => LeftoverWal::Discard,
        _ => LeftoverWal::Check,
    };
    config.listen = args.listen;
    config.base_url = args.base_url;
    config.auth_url = args.auth_url;
    config.limits.database_connections = args.db_connections.into();
    config.limits.connections = usize::try_from(args.connections)?;
    config.limits.header_read = Duration::from_secs(args.head_timeout.into());
    config.limits.idle = Duration::from_secs(args.idle_timeout.into());
    config.limits.idempotency_keys = args.idempotency_keys;
    config.token_lifetime = Duration::from_secs(args.token_lifetime);
    config.never_store_reporter = args.never_store_reporter;
    config.key_encryption = args.key_encryption.read()?;
    let running = Server::start(config)
        .await
        .context("the service did not start")?;
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    // Exactly this one line: supervisors wait for it and read the port from it.
    let mut out = io::stdout();
    writeln!(out, "listening on http://{}", running.address())
        .and_then(|()| out.flush())
        .context("the address could not be printed")?;
    stop.received().await;
    tokio::select! {
        () = running.shutdown() => Ok(()),
        () = stop.received() => bail!("stopped at once: requests in flight were cut off"),
    }
}

fn log_to_stderr(filter: &str, format: LogFormat) -> Result<()> {
    let lines = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_new(filter)?)
        .with_writer(io::stderr);
    let set = match format {
        LogFormat::Text => lines
            .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
            .try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    set.map_err(|error| anyhow::anyhow!("the log cannot be set up: {error}"))
}
