//! The lease of the run that writes a copy: an object that it renews, so that another run is refused while
//! it lives and not much longer. It also says what the last run has left to do.
//!
//! Clocks decide only when a lease has expired. A run that takes over an expired one first writes a commit to
//! each table and then the state, so the earlier run, if it goes on, can write neither.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use obeya_server::store::random::uuid;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::now;
use super::objects::{Objects, Put, Version, age, get, put_if, version_of};

pub(super) const LEASE: &str = "_obeya/lease.json";

/// How often the lease is renewed, and how long it lasts after that.
const RENEWAL: Duration = Duration::from_secs(15);
const DURATION: Duration = Duration::from_secs(60);

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Content {
    held: bool,
    /// Different for each run.
    owner: String,
    handover: Handover,
}

/// What a run leaves to the next one.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Handover {
    /// There may be files that no table has.
    pub(super) uncommitted: bool,
    /// A write of a run that failed may be under way, so the next one has to take the next versions first.
    pub(super) unfenced: bool,
    /// By table: files that were replaced before this time, in milliseconds since 1970, have been removed.
    pub(super) expired: BTreeMap<String, i64>,
}

/// The lease of this run.
pub(super) struct Lease {
    objects: Objects,
    renewed: Arc<Renewed>,
    renewal: JoinHandle<()>,
    /// What the last run has left.
    pub(super) handover: Handover,
}

/// The lease as this run last wrote it.
struct Renewed {
    content: Content,
    /// It is locked while the lease is being renewed.
    version: Mutex<Version>,
    /// When, in milliseconds since 1970; [`LOST`] if another run has it.
    at: AtomicI64,
}

/// A lease that was renewed then has expired.
const LOST: i64 = i64::MIN;

impl Lease {
    /// Takes the lease.
    ///
    /// # Errors
    /// When another run holds it, or the store ignores the conditions of writes.
    pub(super) fn take(objects: &Objects) -> Result<Self> {
        let (mut handover, mut known) = (Handover::default(), None);
        if let Some((meta, found)) = objects.get(LEASE)? {
            let found = parse(&found);
            if found.held && age(&meta) < DURATION {
                bail!("another sync is writing it, or was stopped less than a minute ago");
            }
            handover = found.handover;
            // A run that did not give its lease back may still be there.
            handover.uncommitted |= found.held;
            handover.unfenced |= found.held;
            known = Some(version_of(meta));
        }
        let content = Content {
            held: true,
            owner: uuid(),
            handover: handover.clone(),
        };
        let at = now();
        let Put::Written(version) = objects.put_once(LEASE, &to_bytes(&content), known)? else {
            bail!("another sync is writing it");
        };
        let other = Version {
            e_tag: Some("\"none\"".to_owned()),
            version: None,
        };
        for (condition, header) in [(None, "If-None-Match"), (Some(other), "If-Match")] {
            if let Put::Written(_) = objects.put_if(LEASE, to_bytes(&content), condition)? {
                bail!("the store ignores {header}, expected one with conditional writes");
            }
        }
        let renewed = Arc::new(Renewed {
            content,
            version: Mutex::new(version),
            at: AtomicI64::new(at),
        });
        Ok(Lease {
            renewal: tokio::spawn(renew(objects.clone(), Arc::clone(&renewed))),
            objects: objects.clone(),
            renewed,
            handover,
        })
    }

    /// What distinguishes this run from others.
    pub(super) fn owner(&self) -> &str {
        &self.renewed.content.owner
    }

    /// # Errors
    /// When this run was not able to renew the lease: another one may have taken it.
    pub(super) fn check(&self) -> Result<()> {
        let age = now().saturating_sub(self.renewed.at.load(Ordering::Relaxed));
        if u128::try_from(age).is_ok_and(|age| age > DURATION.as_millis()) {
            bail!("another sync is writing it, as this one was not able to renew its lease");
        }
        Ok(())
    }

    /// Gives the lease back.
    pub(super) fn release(&self, handover: Handover) -> Result<()> {
        let version = self.objects.wait(self.renewed.version.lock());
        self.renewal.abort();
        self.check()?;
        let content = Content {
            held: false,
            handover,
            ..self.renewed.content.clone()
        };
        let known = Some(version.clone());
        match self.objects.put_once(LEASE, &to_bytes(&content), known)? {
            Put::Written(_) => Ok(()),
            Put::Refused => bail!("another sync is writing it"),
        }
    }
}

async fn renew(objects: Objects, renewed: Arc<Renewed>) {
    let content = to_bytes(&renewed.content);
    loop {
        tokio::time::sleep(RENEWAL).await;
        let mut version = renewed.version.lock().await;
        let (at, known) = (now(), version.clone());
        let renewal = renew_once(&objects, &content, known);
        match tokio::time::timeout(RENEWAL, renewal).await {
            Ok(Ok(Some(new))) => *version = new,
            Ok(Ok(None)) => {
                renewed.at.store(LOST, Ordering::Relaxed);
                return;
            }
            // The store did not respond: the next attempt may succeed, before the lease expires.
            Ok(Err(_)) | Err(_) => continue,
        }
        renewed.at.store(at, Ordering::Relaxed);
    }
}

/// Writes the lease again. Returns its new version; `None` if another run has it.
async fn renew_once(objects: &Objects, content: &[u8], known: Version) -> Result<Option<Version>> {
    let store = &*objects.store;
    if let Put::Written(new) = put_if(store, LEASE, content.to_vec(), Some(known)).await? {
        return Ok(Some(new));
    }
    // Perhaps by this run, and only the answer to an earlier attempt was lost.
    Ok(match get(store, LEASE).await? {
        Some((meta, found)) if *found == *content => Some(version_of(meta)),
        _ => None,
    })
}

fn to_bytes(content: &Content) -> Vec<u8> {
    serde_json::to_vec(content).expect("texts, flags and numbers")
}

/// What is no lease counts as one of another run.
fn parse(content: &[u8]) -> Content {
    serde_json::from_slice(content).unwrap_or(Content {
        held: true,
        ..Content::default()
    })
}
