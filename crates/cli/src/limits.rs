//! The limits of `obeya serve`: a flag and an environment variable for each, with the defaults of the
//! service. `docs/limits.md` has all of them in one table, and a test compares it with the help of the
//! program.

use std::time::Duration;

use clap::value_parser;
use obeya_server::{InvalidRateLimit, Limits, RateLimit};

/// How much of everything a caller may use.
#[derive(clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// How many client connections may be open at a time; a further one closes the connection that has been
    /// idle longest, or else the oldest that has no request of a known client
    #[arg(long, env = "OBEYA_CONNECTIONS", value_name = "N", default_value_t = 1024, value_parser = value_parser!(u32).range(1..))]
    connections: u32,

    /// How many of them one address (of IPv6: one /64) may have, except trusted proxies; a further one is
    /// closed at once. Without this flag there is no such limit
    #[arg(long, env = "OBEYA_CONNECTIONS_PER_ADDRESS", value_name = "N", value_parser = value_parser!(u32).range(1..))]
    connections_per_address: Option<u32>,

    /// How many connections to --admin-listen may be open at a time
    #[arg(long, env = "OBEYA_ADMIN_CONNECTIONS", value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(1..))]
    admin_connections: u32,

    /// Timeout for idle connections, in seconds
    #[arg(long, env = "OBEYA_IDLE_TIMEOUT", value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u32).range(1..=86_400))]
    idle_timeout: u32,

    /// Timeout for reading the head of a request, from its first byte, in seconds
    #[arg(long, env = "OBEYA_HEAD_TIMEOUT", value_name = "SECONDS", default_value_t = 10, value_parser = value_parser!(u32).range(1..=86_400))]
    head_timeout: u32,

    /// Timeout for reading the body of a request, in seconds
    #[arg(long, env = "OBEYA_BODY_TIMEOUT", value_name = "SECONDS", default_value_t = 20, value_parser = value_parser!(u32).range(1..=86_400))]
    body_timeout: u32,

    /// Longest pause of a client while it sends a body, in seconds
    #[arg(long, env = "OBEYA_BODY_PAUSE", value_name = "SECONDS", default_value_t = 5, value_parser = value_parser!(u32).range(1..=86_400))]
    body_pause: u32,

    /// Longest time for which a client may take nothing of an answer, in seconds
    #[arg(long, env = "OBEYA_SEND_TIMEOUT", value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u32).range(1..=86_400))]
    send_timeout: u32,

    /// How many bytes of an answer a client must take in a second, on average; 0 sets no minimum
    #[arg(
        long,
        env = "OBEYA_MIN_SEND_RATE",
        value_name = "BYTES",
        default_value_t = 1024
    )]
    min_send_rate: u32,

    /// Timeout for answering a request, in seconds
    #[arg(long, env = "OBEYA_REQUEST_TIMEOUT", value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u32).range(1..=86_400))]
    request_timeout: u32,

    /// How long a service that was asked to stop waits for requests in flight, in seconds
    #[arg(long, env = "OBEYA_SHUTDOWN_TIMEOUT", value_name = "SECONDS", default_value_t = 10, value_parser = value_parser!(u32).range(1..=86_400))]
    shutdown_timeout: u32,

    /// Longest path and query of a request, in bytes
    #[arg(long, env = "OBEYA_URI_BYTES", value_name = "BYTES", default_value_t = 49_152, value_parser = value_parser!(u32).range(1..=65_536))]
    uri_bytes: u32,

    /// Most bytes in the names and values of all headers of a request
    #[arg(long, env = "OBEYA_HEADER_BYTES", value_name = "BYTES", default_value_t = 32_768, value_parser = value_parser!(u32).range(1..=65_536))]
    header_bytes: u32,

    /// Longest body of a request, except for lists of values, in bytes
    #[arg(long, env = "OBEYA_BODY_BYTES", value_name = "BYTES", default_value_t = 1_048_576, value_parser = value_parser!(u32).range(1..))]
    body_bytes: u32,

    /// Longest body that is a list of values, in bytes
    #[arg(long, env = "OBEYA_BATCH_BYTES", value_name = "BYTES", default_value_t = 16_777_216, value_parser = value_parser!(u32).range(1..=268_435_456))]
    batch_bytes: u32,

    /// Largest file that may be attached to an incident or a task, in bytes
    #[arg(long, env = "OBEYA_ATTACHMENT_BYTES", value_name = "BYTES", default_value_t = 4_194_304, value_parser = value_parser!(u32).range(1..=67_108_864))]
    attachment_bytes: u32,

    /// Memory for request bodies and unsent answers, all requests together, in bytes; what does not fit is
    /// answered with 503
    #[arg(long, env = "OBEYA_MEMORY", value_name = "BYTES", default_value_t = 268_435_456, value_parser = value_parser!(u64).range(1_048_576..))]
    memory: u64,

    /// How much of this memory one client may use, and of --client-reads while other clients have long reads
    /// too, in percent; 100 sets no limit
    #[arg(long, env = "OBEYA_CLIENT_SHARE", value_name = "PERCENT", default_value_t = 50, value_parser = value_parser!(u8).range(1..=100))]
    client_share: u8,

    /// How many long reads of one client may run at a time; processors means two for each processor, at least
    /// 4
    #[arg(long, env = "OBEYA_CLIENT_READS", value_name = "N", default_value = "processors", value_parser = client_reads)]
    client_reads: usize,

    /// How many records a page of a v2 list has at most
    #[arg(long, env = "OBEYA_PAGE_RECORDS", value_name = "N", default_value_t = 1000, value_parser = value_parser!(u32).range(1..))]
    page_records: u32,

    /// How many database connections may read at a time; one more writes, and one checks for revoked clients
    #[arg(long, env = "OBEYA_DB_CONNECTIONS", value_name = "N", default_value_t = 16, value_parser = value_parser!(u32).range(1..=1000))]
    db_connections: u32,

    /// How long a request may wait for one of them, in seconds
    #[arg(long, env = "OBEYA_DB_WAIT", value_name = "SECONDS", default_value_t = 5, value_parser = value_parser!(u32).range(1..=86_400))]
    db_wait: u32,

    /// Timeout for a statement in the database, in seconds
    #[arg(long, env = "OBEYA_STATEMENT_TIMEOUT", value_name = "SECONDS", default_value_t = 10, value_parser = value_parser!(u32).range(1..=86_400))]
    statement_timeout: u32,

    /// How many requests with an Idempotency-Key each client may send in 24 hours
    #[arg(long, env = "OBEYA_IDEMPOTENCY_KEYS", value_name = "N", default_value_t = 1_000_000, value_parser = value_parser!(u32).range(1..))]
    idempotency_keys: u32,

    /// How many requests each client may send, as requests/seconds, such as 600/60
    #[arg(long, env = "OBEYA_CLIENT_RATE", value_name = "RATE", default_value = "off", value_parser = rate)]
    client_rate: Rate,

    /// How many requests each address (of IPv6: one /64) may send, with or without a client
    #[arg(long, env = "OBEYA_ADDRESS_RATE", value_name = "RATE", default_value = "off", value_parser = rate)]
    address_rate: Rate,

    /// How many token requests of each address may have an unknown client or a wrong secret
    #[arg(long, env = "OBEYA_TOKEN_FAILURE_RATE", value_name = "RATE", default_value = "30/60", value_parser = rate)]
    token_failure_rate: Rate,

    /// How many refused requests are logged in a second; the others are counted in one line
    #[arg(long, env = "OBEYA_LOGGED_REFUSALS", value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    logged_refusals: u32,
}

/// A rate, or none.
#[derive(Clone, Copy)]
struct Rate(Option<RateLimit>);

fn rate(text: &str) -> Result<Rate, String> {
    if text == "off" {
        return Ok(Rate(None));
    }
    let rate = text.parse().map(|rate| Rate(Some(rate)));
    rate.map_err(|error: InvalidRateLimit| format!("{error}, or off"))
}

fn client_reads(text: &str) -> Result<usize, String> {
    if text == "processors" {
        return Ok(Limits::default().client_reads);
    }
    let reads = text.parse().ok().filter(|reads| (1..=1000).contains(reads));
    reads.ok_or_else(|| "a number from 1 to 1000, or processors".to_owned())
}

impl LimitArgs {
    /// Sets the limits of a service.
    pub(crate) fn apply(&self, limits: &mut Limits) -> anyhow::Result<()> {
        limits.connections = usize::try_from(self.connections)?;
        limits.connections_per_address = self
            .connections_per_address
            .map(usize::try_from)
            .transpose()?;
        limits.admin_connections = usize::try_from(self.admin_connections)?;
        limits.idle = seconds(self.idle_timeout);
        limits.header_read = seconds(self.head_timeout);
        limits.body_read = seconds(self.body_timeout);
        limits.body_pause = seconds(self.body_pause);
        limits.send = seconds(self.send_timeout);
        limits.min_send_rate = self.min_send_rate;
        limits.request = seconds(self.request_timeout);
        limits.grace = seconds(self.shutdown_timeout);
        limits.uri_bytes = usize::try_from(self.uri_bytes)?;
        limits.header_bytes = usize::try_from(self.header_bytes)?;
        limits.body_bytes = usize::try_from(self.body_bytes)?;
        limits.batch_bytes = usize::try_from(self.batch_bytes)?;
        limits.attachment_bytes = usize::try_from(self.attachment_bytes)?;
        limits.memory_bytes = usize::try_from(self.memory)?;
        limits.page_records = self.page_records;
        limits.database_connections = usize::try_from(self.db_connections)?;
        limits.database_wait = seconds(self.db_wait);
        limits.client_reads = self.client_reads;
        limits.client_share = self.client_share;
        limits.statement = seconds(self.statement_timeout);
        limits.idempotency_keys = self.idempotency_keys;
        limits.client_rate = self.client_rate.0;
        limits.address_rate = self.address_rate.0;
        limits.token_failure_rate = self.token_failure_rate.0;
        limits.logged_refusals = self.logged_refusals;
        Ok(())
    }
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        limits: LimitArgs,
    }

    #[test]
    fn without_flags_the_limits_are_those_of_the_service() {
        let mut limits = Limits::default();
        let command = Command::parse_from(["serve"]);
        command.limits.apply(&mut limits).expect("in range");
        assert_eq!(format!("{limits:?}"), format!("{:?}", Limits::default()));
    }
}
