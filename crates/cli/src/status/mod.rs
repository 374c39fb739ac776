//! `obeya status`: shows on one screen how a service is.
//!
//! It asks only what the service answers to everybody, and with credentials how many records there are. It
//! never writes.

mod counts;
mod public;
mod samples;

use std::io::{self, Write};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::connect::IssuerArgs;
use crate::table::{format_duration, group_digits};
use crate::terminal::EscapingWriter;
use counts::Counts;
use public::{Health, Public};
use samples::Samples;

/// Shows how a service is. Exits with 1 if it is not ready.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The address of the service, such as http://127.0.0.1:8080
    #[arg(value_name = "URL")]
    url: String,

    /// The address of its --admin-listen, if only that serves /metrics
    #[arg(long, value_name = "URL")]
    admin_url: Option<String>,

    /// A client, to count the records that it may read. Its secret is read from OBEYA_CLIENT_SECRET or
    /// --secret-file
    #[arg(
        long,
        value_name = "ID",
        env = "OBEYA_CLIENT_ID",
        help_heading = "Service"
    )]
    client_id: Option<String>,

    #[command(flatten)]
    issuer: IssuerArgs,

    /// Prints the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Asks the service, and prints what it says.
pub(crate) async fn run(args: Args) -> Result<()> {
    let url = args.url.trim().trim_end_matches('/');
    let client_id = args.client_id.as_deref().map(str::trim);
    let public = public::ask(url, args.admin_url.as_deref()).await?;
    let counts = match client_id.filter(|id| !id.is_empty()) {
        // A service that does not answer is not asked again.
        Some(_) if public.health.is_err() => None,
        Some(id) => {
            let client = args.issuer.builder(url, id)?.build()?;
            Some(counts::ask(&client).await)
        }
        None => None,
    };
    if args.json {
        writeln!(io::stdout(), "{}", object(url, &public, counts.as_ref()))?;
    } else {
        let mut out = EscapingWriter::new(io::stdout());
        screen(&mut out, url, &public, counts.as_ref())?;
    }
    match &public.readiness {
        Ok(Health { is_well: true, .. }) => Ok(()),
        _ => bail!("the service is not ready"),
    }
}

fn screen(
    out: &mut impl Write,
    url: &str,
    public: &Public,
    counts: Option<&Counts>,
) -> io::Result<()> {
    let samples = public.metrics.as_ref().ok();
    let label = |name| samples.and_then(|samples| samples.label("obeya_build_info", name));
    writeln!(
        out,
        "Obeya {} at {url}",
        label("version").unwrap_or("(unknown version)")
    )?;
    line(out, "health", &in_words(&public.health, "ok"))?;
    line(out, "readiness", &in_words(&public.readiness, "ready"))?;
    match samples {
        Some(samples) => {
            for (name, text) in rows(samples) {
                line(out, name, &text)?;
            }
        }
        None => {
            let reason = public.metrics.as_ref().err().map_or("", String::as_str);
            line(
                out,
                "metrics",
                &format!("{reason}; --admin-url names the address that serves them"),
            )?;
        }
    }
    match counts {
        None => Ok(()),
        Some(Err(reason)) => line(out, "records", reason),
        Some(Ok(counts)) => counts.iter().try_for_each(|(name, count)| match count {
            Ok(count) => line(out, name, &group_digits(*count)),
            Err(reason) => line(out, name, reason),
        }),
    }
}

/// One line: what a server says must not begin another.
fn line(out: &mut impl Write, name: &str, text: &str) -> io::Result<()> {
    let text = text.replace('\n', "\\n").replace('\t', "\\t");
    writeln!(out, "{name:<14}{text}")
}

fn in_words(health: &Result<Health, String>, well: &str) -> String {
    match health {
        Ok(health) if health.is_well => format!("{well}, after {}", format_duration(health.after)),
        Ok(health) => format!("no: {}", health.reason),
        Err(reason) => format!("no answer: {reason}"),
    }
}

/// What the metrics say, for people.
fn rows(samples: &Samples) -> Vec<(&'static str, String)> {
    let number = |name: &str| samples.value(name).map(whole);
    let bytes = |name: &str| samples.value(name).map(in_bytes);
    let mut rows = Vec::new();
    if let Some(takes_writes) = samples.value("obeya_store_takes_writes") {
        let word = if takes_writes == 1.0 {
            "work"
        } else {
            "do not work"
        };
        let queued = number("obeya_store_queued_writes").unwrap_or_default();
        rows.push(("writes", format!("{word}, {queued} wait")));
    }
    if let Some(engine) = samples.label("obeya_build_info", "engine") {
        rows.push(("engine", engine.to_owned()));
    }
    if let Some(file) = bytes("obeya_store_file_bytes") {
        let wal = bytes("obeya_store_wal_bytes").unwrap_or_default();
        rows.push(("database", format!("{file}, write-ahead log {wal}")));
    }
    if let Some(free) = bytes("obeya_store_free_bytes") {
        rows.push(("disk", format!("{free} free")));
    }
    let connections = samples.labelled("obeya_http_connections", "listener", "main");
    let limit = samples.labelled("obeya_http_connections_limit", "listener", "main");
    if let Some((open, limit)) = connections.zip(limit) {
        let requests = number("obeya_http_requests_in_flight").unwrap_or_default();
        let (open, limit) = (whole(open), whole(limit));
        rows.push((
            "connections",
            format!("{open} of {limit}, requests in flight: {requests}"),
        ));
    }
    if let Some(resident) = bytes("process_resident_memory_bytes") {
        rows.push(("memory", format!("{resident} resident")));
    }
    if let Some(age) = samples.value("obeya_auth_read_age_seconds") {
        rows.push(("clients", format!("read {} s ago", whole(age))));
    }
    let errors = ["500", "503", "504"].map(|status| {
        let count = samples.labelled("obeya_http_server_errors_total", "status", status);
        format!("{} × {status}", whole(count.unwrap_or_default()))
    });
    rows.push(("errors", format!("{} since the start", errors.join(", "))));
    rows
}

fn whole(number: f64) -> String {
    format!("{number:.0}")
}

fn in_bytes(number: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let mut scaled = number;
    let mut unit = 0;
    while scaled >= 1000.0 && unit + 1 < units.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0);
    format!("{scaled:.digits$} {}", units[unit])
}

fn object(url: &str, public: &Public, counts: Option<&Counts>) -> Value {
    let health = |health: &Result<Health, String>| match health {
        Ok(health) => json!({
            "ok": health.is_well, "reason": (!health.is_well).then_some(&health.reason),
            "seconds": health.after.as_secs_f64(),
        }),
        Err(reason) => json!({ "ok": false, "reason": reason, "seconds": null }),
    };
    let samples = public.metrics.as_ref().ok();
    let label = |name| samples.and_then(|samples| samples.label("obeya_build_info", name));
    let takes_writes = samples.and_then(|samples| samples.value("obeya_store_takes_writes"));
    let counted = |(name, count): &(&'static str, Result<i64, String>)| {
        let count = count.as_ref().map_or(Value::Null, |count| json!(count));
        ((*name).to_owned(), count)
    };
    json!({
        "url": url,
        "version": label("version"),
        "engine": label("engine"),
        "health": health(&public.health),
        "readiness": health(&public.readiness),
        "takes_writes": takes_writes.map(|value| value == 1.0),
        "metrics": samples.map(Samples::without_labels),
        "metrics_error": public.metrics.as_ref().err(),
        "records": match counts {
            Some(Ok(counts)) => Value::Object(counts.iter().map(counted).collect()),
            _ => Value::Null,
        },
        "records_error": counts.and_then(|counts| counts.as_ref().err()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_unit_that_leaves_few_digits() {
        for (number, text) in [
            (0.0, "0 bytes"),
            (999.0, "999 bytes"),
            (1_500.0, "1.5 kB"),
            (2.5e12, "2.5 TB"),
            (3e15, "3000.0 TB"),
        ] {
            assert_eq!(in_bytes(number), text);
        }
    }

    #[test]
    fn a_server_cannot_begin_a_line() {
        let mut out = Vec::new();
        line(&mut out, "readiness", "no: \nwrites  work").unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "readiness     no: \\nwrites  work\n"
        );
    }
}
