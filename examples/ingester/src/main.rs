//! The program `ingester`: lines from standard input, or from connections over TCP.
//!
//! The environment says where the service is: `OBEYA_BASE_URL`, `OBEYA_CLIENT_ID`, `OBEYA_CLIENT_SECRET`.

use std::io::{BufRead as _, IsTerminal as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use obeya_ingester::deliver::Waits;
use obeya_ingester::line::Line;
use obeya_ingester::spool::Spool;
use obeya_ingester::topics::Topics;
use obeya_ingester::{Settings, Summary, ingest};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

/// Lines that were read and wait. When there are more, the sender of lines waits.
const READ_AHEAD: usize = 1024;

/// Sends lines `topic time value` to datasources of Obeya, and loses none while the service is away.
#[derive(Parser)]
struct Arguments {
    /// Where the values of each topic go, in TOML.
    #[arg(long, value_name = "FILE")]
    topics: PathBuf,
    /// The folder of what is not sent yet. It outlives this process.
    #[arg(long, value_name = "DIR")]
    spool: PathBuf,
    /// Takes connections at this address instead of reading standard input.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The most values of a batch.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    batch_values: u16,
    /// How many seconds a value may wait for others.
    #[arg(long, default_value_t = 1)]
    batch_seconds: u16,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let settings = Settings {
        topics: Topics::read(&arguments.topics)?,
        most_values: usize::from(arguments.batch_values),
        most_age: Duration::from_secs(arguments.batch_seconds.into()),
        waits: Waits {
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
        },
    };
    let spool = Spool::open(&arguments.spool)?;
    let client = obeya::Client::from_env()?;

    // Before the first line is taken: from then on a signal must not lose it.
    let end = end_signal()?;
    let (sender, lines) = mpsc::channel(READ_AHEAD);
    let (stop, stopped) = watch::channel(false);
    match arguments.listen {
        Some(address) => listen(address, sender).await?,
        None => read_input(sender),
    }
    tokio::spawn(async move {
        end.await;
        // The receivers are gone only when the process ends anyway.
        let _ = stop.send(true);
    });
    let summary = ingest(&client, &settings, &spool, lines, stopped).await?;
    println!("{}", shown(summary, spool.len()));
    let is_clean = summary.gathered.faulty == 0 && summary.delivered.refused == 0;
    Ok(if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn shown(summary: Summary, left: usize) -> String {
    let Summary {
        gathered,
        delivered,
    } = summary;
    format!(
        "{} values read, {} batches sent, {} refused, {left} left in the folder; left out: {} lines of topics \
         without a datasource, {} lines with a fault",
        gathered.values, delivered.sent, delivered.refused, gathered.unmapped, gathered.faulty
    )
}

/// Reads standard input in a thread: a read there cannot be cancelled, and would hold up the end.
fn read_input(sender: mpsc::Sender<Line>) {
    std::thread::spawn(move || {
        for (number, text) in (1..).zip(std::io::stdin().lock().lines()) {
            let Ok(text) = text else {
                tracing::error!("stdin, line {number}: found no UTF-8; no more is read");
                return;
            };
            let source = "stdin".to_owned();
            let line = Line {
                source,
                number,
                text,
            };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
}

/// Takes connections, and prints the address.
async fn listen(address: SocketAddr, sender: mpsc::Sender<Line>) -> Result<()> {
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("listening on {address}"))?;
    println!("listening on {}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, peer)) = listener.accept().await {
            tokio::spawn(read_lines(stream, peer, sender.clone()));
        }
    });
    Ok(())
}

/// Reads the lines of a connection. It is closed when all are taken, which its sender can wait for.
async fn read_lines(stream: TcpStream, peer: SocketAddr, sender: mpsc::Sender<Line>) {
    let mut lines = BufReader::new(stream).lines();
    for number in 1.. {
        match lines.next_line().await {
            Ok(Some(text)) => {
                let source = peer.to_string();
                let line = Line {
                    source,
                    number,
                    text,
                };
                if sender.send(line).await.is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!("{peer}, line {number}: {error}");
                return;
            }
        }
    }
}

/// Waits for Ctrl-C or the signal of a service manager, from when this function returns.
#[cfg(unix)]
fn end_signal() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
fn end_signal() -> Result<impl Future<Output = ()>> {
    Ok(async {
        // Without that signal nothing ends the process but the end of the input.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
