//! Batches in the folder → the service, one after the other. Nothing here reads lines.

use std::time::Duration;

use anyhow::Result;
use obeya::Client;
use tokio::sync::{mpsc, watch};

use crate::spool::{Batch, Spool};
use crate::stopped;

/// The pauses between attempts: each about twice as long as the one before, unless the service names one.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// After the first attempt.
    pub first: Duration,
    /// The longest.
    pub longest: Duration,
}

/// What became of the batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Batches that the service has.
    pub sent: u64,
    /// Batches that it refused: they are in the folder `refused`.
    pub refused: u64,
}

/// Sends batches until `woken` ends and none is left, or `stop` is true.
pub(crate) async fn deliver(
    client: &Client,
    waits: &Waits,
    spool: &Spool,
    mut woken: mpsc::Receiver<()>,
    stop: watch::Receiver<bool>,
) -> Result<Delivered> {
    let mut delivered = Delivered::default();
    let send_all = async {
        loop {
            while let Some((number, batch)) = spool.first()? {
                match send(client, waits, &batch).await {
                    Ok(()) => {
                        spool.remove(number)?;
                        delivered.sent += 1;
                    }
                    Err(reason) => {
                        tracing::error!(batch = number, "refused: {reason}");
                        spool.refuse(number, &reason.to_string())?;
                        delivered.refused += 1;
                    }
                }
            }
            if woken.recv().await.is_none() {
                return Ok(());
            }
        }
    };
    tokio::select! {
        result = send_all => result.map(|()| delivered),
        () = stopped(stop) => Ok(delivered),
    }
}

/// Sends a batch until the service has it; the error is that of a service that will never take it.
async fn send(client: &Client, waits: &Waits, batch: &Batch) -> Result<(), obeya::Error> {
    let client = client.idempotency_key(&*batch.key);
    let datasources = client.datasources();
    let mut wait = waits.first;
    loop {
        let Err(error) = datasources
            .create_values(batch.datasource, &batch.values)
            .await
        else {
            return Ok(());
        };
        if is_final(&error) {
            return Err(error);
        }
        // Many ingesters that lost the same service must not come back at the same moment.
        let wanted = wait.mul_f64(0.5 + fastrand::f64());
        let pause = error.retry_after().unwrap_or(wanted);
        tracing::warn!(?pause, "not sent: {error}");
        tokio::time::sleep(pause).await;
        wait = (wait * 2).min(waits.longest);
    }
}

/// Whether the service has read the batch and will never take it. Any other failure passes, or a person mends
/// it: a service that is away or overloaded, or a secret that was changed.
fn is_final(error: &obeya::Error) -> bool {
    matches!(error.status(), Some(400 | 404 | 409 | 413 | 422))
}
