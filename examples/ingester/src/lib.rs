//! Sends a stream of values to datasources of Obeya. A line is a topic, a time and a value.
//!
//! Lines become batches ([`gather`]), a batch is a file in a folder until the service has it ([`spool`]), and
//! batches are sent in their order, each again and again with the same idempotency key ([`deliver`]). Nothing
//! here knows where lines come from: `main.rs` reads them.

pub mod deliver;
pub mod gather;
pub mod line;
pub mod spool;
pub mod topics;

use std::time::Duration;

use anyhow::Result;
use tokio::sync::{mpsc, watch};

use deliver::{Delivered, Waits, deliver};
use gather::{Gathered, gather};
use line::Line;
use spool::Spool;
use topics::Topics;

/// How an ingester works.
pub struct Settings {
    /// Where the values of each topic go.
    pub topics: Topics,
    /// The most values of a batch, 1 to 10,000: more the service refuses.
    pub most_values: usize,
    /// How long a value may wait for others before its batch is written.
    pub most_age: Duration,
    /// The pauses between attempts.
    pub waits: Waits,
}

/// What became of the lines, and of the batches that an earlier process left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The lines.
    pub gathered: Gathered,
    /// The batches.
    pub delivered: Delivered,
}

/// Takes lines until there are no more and sends their values, also those of batches in the folder. Ends when
/// all are sent. After `stop` has become true it takes the lines that were read, writes their batches to the
/// folder and ends: the next process sends them.
///
/// # Errors
/// The folder cannot be read or written. That the service is away, or refuses a batch, is no error.
pub async fn ingest(
    client: &obeya::Client,
    settings: &Settings,
    spool: &Spool,
    lines: mpsc::Receiver<Line>,
    stop: watch::Receiver<bool>,
) -> Result<Summary> {
    // One signal is enough: the sender looks for all batches that are there.
    let (wake, woken) = mpsc::channel(1);
    let (gathered, delivered) = tokio::try_join!(
        gather(settings, spool, lines, wake, stop.clone()),
        deliver(client, &settings.waits, spool, woken, stop),
    )?;
    Ok(Summary {
        gathered,
        delivered,
    })
}

/// Waits until `stop` is true, for ever if nobody can set it any more.
async fn stopped(mut stop: watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
