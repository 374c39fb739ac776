//! The lease of the run that writes a copy: an object that it renews, so that another run is refused while
//! it lives and not much longer.
//!
//! Clocks decide only when a lease has expired. That two runs never write the same version of a table or of
//! the state is ensured by conditional writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::objects::{Objects, Put, Version, get, put_if, version_of};
use super::unique;

const LEASE: &str = "_obeya/lease.json";

/// How often the lease is renewed, and how long it lasts after that.
const RENEWAL: Duration = Duration::from_secs(15);
const DURATION: Duration = Duration::from_secs(60);

#[derive(Serialize, Deserialize)]
struct Content {
    held: bool,
    /// Different for each run.
    #[serde(default)]
    owner: String,
}

/// The lease of this run.
pub(super) struct Lease {
    objects: Objects,
    is_lost: Arc<AtomicBool>,
    owner: String,
    /// That of the lease as this run last wrote it. It is locked while the lease is being renewed.
    version: Arc<Mutex<Version>>,
    renewal: JoinHandle<()>,
    /// The last run did not end properly: it may have left files that no table has.
    pub(super) follows_failed_run: bool,
}

impl Lease {
    /// Takes the lease.
    ///
    /// # Errors
    /// When another run holds it.
    pub(super) fn take(objects: &Objects) -> Result<Self> {
        let found = objects.get(LEASE)?;
        let known = match &found {
            None => None,
            Some((meta, found)) => {
                let age = SystemTime::now().duration_since(meta.last_modified.into());
                // A time in the future is that of a clock that differs.
                if parse(found).held && age.unwrap_or_default() < DURATION {
                    bail!("another sync is writing it, or was stopped less than a minute ago");
                }
                Some(version_of(meta.clone()))
            }
        };
        let owner = unique();
        let Put::Written(version) = objects.put_if(LEASE, content(true, &owner), known)? else {
            bail!("another sync is writing it");
        };
        let is_lost = Arc::new(AtomicBool::new(false));
        let version = Arc::new(Mutex::new(version));
        let renewal = renew(
            objects.clone(),
            owner.clone(),
            Arc::clone(&version),
            Arc::clone(&is_lost),
        );
        Ok(Lease {
            renewal: tokio::spawn(renewal),
            objects: objects.clone(),
            is_lost,
            owner,
            version,
            follows_failed_run: found.is_some(),
        })
    }

    /// # Errors
    /// When another run has taken the lease, as this one was not able to renew it.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_lost.load(Ordering::Relaxed) {
            bail!("another sync is writing it");
        }
        Ok(())
    }

    /// Gives the lease back. `is_complete` says that no files are left that no table has.
    pub(super) fn release(&self, is_complete: bool) -> Result<()> {
        let version = self.objects.wait(self.version.lock());
        self.renewal.abort();
        self.check()?;
        let given_back =
            self.objects
                .put_if(LEASE, content(false, &self.owner), Some(version.clone()))?;
        match (given_back, is_complete) {
            (Put::Refused, _) => bail!("another sync is writing it"),
            (Put::Written(_), true) => self.objects.remove(vec![LEASE.to_owned()]),
            (Put::Written(_), false) => Ok(()),
        }
    }
}

async fn renew(
    objects: Objects,
    owner: String,
    version: Arc<Mutex<Version>>,
    is_lost: Arc<AtomicBool>,
) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        let mut version = version.lock().await;
        let known = Some(version.clone());
        match put_if(&*objects.store, LEASE, content(true, &owner), known).await {
            Ok(Put::Written(new)) => *version = new,
            // Perhaps by this run, and only the answer to an earlier attempt was lost.
            Ok(Put::Refused) => match get(&*objects.store, LEASE).await {
                Ok(Some((meta, found))) if parse(&found).owner == owner => {
                    *version = version_of(meta);
                }
                Ok(_) => {
                    is_lost.store(true, Ordering::Relaxed);
                    return;
                }
                Err(error) => tracing::warn!("the lease of the copy cannot be read: {error:#}"),
            },
            // The store did not respond: the next attempt may succeed, before the lease expires.
            Err(error) => tracing::warn!("the lease of the copy was not renewed: {error:#}"),
        }
    }
}

fn content(held: bool, owner: &str) -> Vec<u8> {
    let owner = owner.to_owned();
    serde_json::to_vec(&Content { held, owner }).expect("texts and flags")
}

/// What is no lease counts as one of another run.
fn parse(content: &[u8]) -> Content {
    serde_json::from_slice(content).unwrap_or(Content {
        held: true,
        owner: String::new(),
    })
}
