//! Administration of what a client may do, and of its secrets.

use std::time::Duration;

use super::{AdminError, NewClient, grantable, instant, open, record};
use crate::auth::secrets;
use crate::config::{Clock, TICKS_PER_SECOND};
use crate::network::Network;
use crate::rate_limit::RateLimit;
use obeya_store::audit::Diff;
use obeya_store::clients::{self, Client};
use obeya_store::grants::{GrantedRecord, Grants, MOST_GRANTS};
use obeya_store::{Session, Store};

/// Changes of a client; `None` leaves a setting as it is.
#[derive(Debug, Clone, Default)]
pub struct ClientChanges {
    /// The scopes, instead of the present ones.
    pub scopes: Option<Vec<String>>,
    /// When the client expires; `Some(None)`: never.
    pub expires_at: Option<Option<jiff::Timestamp>>,
    /// The networks from which it may call; empty: all.
    pub networks: Option<Vec<Network>>,
    /// Its request rate; `Some(None)`: no rate of its own.
    pub rate: Option<Option<RateLimit>>,
    /// The records to which it is restricted; empty: not restricted.
    pub grants: Option<Vec<GrantedRecord>>,
}

/// Changes a client in the database at `db`. The changes apply to its tokens too.
///
/// # Errors
/// An unknown or revoked client, an invalid scope, or an error of the database.
pub async fn set_client(
    db: &str,
    client_id: &str,
    changes: &ClientChanges,
) -> Result<(), AdminError> {
    let store = open(db).await?;
    let set = set(&store, &Clock::system(), client_id, changes).await;
    store.close().await;
    set
}

/// Gives a client in the database at `db` a new secret. The present one remains valid for `overlap`; one
/// before it ends at once.
///
/// # Errors
/// An unknown or revoked client, or an error of the database.
pub async fn rotate_secret(
    db: &str,
    client_id: &str,
    overlap: Duration,
) -> Result<NewClient, AdminError> {
    let store = open(db).await?;
    let rotated = rotate_secret_in(&store, &Clock::system(), client_id, overlap).await;
    store.close().await;
    rotated
}

pub(crate) async fn set(
    store: &Store,
    clock: &Clock,
    client_id: &str,
    changes: &ClientChanges,
) -> Result<(), AdminError> {
    let scopes = changes.scopes.as_deref().map(grantable).transpose()?;
    let grants = changes.grants.as_deref().map(stored).transpose()?;
    let (id, changes, now) = (client_id.to_owned(), changes.clone(), clock.ticks());
    store
        .write(move |session| {
            let mut client = active(session, &id)?;
            let before = audited(&client);
            if let Some(scopes) = scopes {
                client.scopes = scopes.list();
            }
            if let Some(at) = changes.expires_at {
                client.expires_at = at.map(ticks);
            }
            if let Some(networks) = &changes.networks {
                let list: Vec<String> = networks.iter().map(ToString::to_string).collect();
                client.networks = (!list.is_empty()).then(|| list.join(" "));
            }
            if let Some(rate) = changes.rate {
                client.rate_requests = rate.map(|rate| rate.requests().into());
                client.rate_seconds = rate.map(|rate| rate.seconds().into());
            }
            if let Some(grants) = &grants {
                client.grants.clone_from(grants);
            }
            let changed = before
                .into_iter()
                .zip(audited(&client))
                .filter(|(old, new)| old != new);
            let diff = changed.fold(None, |diff: Option<Diff>, ((name, old), (_, new))| {
                Some(
                    diff.unwrap_or_default()
                        .property(name, Some(&old), Some(&new)),
                )
            });
            let Some(diff) = diff else {
                return Ok(());
            };
            clients::set(session, &client)?;
            Ok(record(session, now, "setClient", &id, diff)?)
        })
        .await
}

/// The grants as a column stores them.
pub(super) fn stored(grants: &[GrantedRecord]) -> Result<Option<String>, AdminError> {
    if grants.len() > MOST_GRANTS {
        return Err(AdminError::Grants(grants.len()));
    }
    let grants: Grants = grants.iter().copied().collect();
    Ok((!grants.are_unrestricted()).then(|| grants.to_string()))
}

/// The settings of a client, as the audit log shows them.
fn audited(client: &Client) -> [(&'static str, Option<String>); 6] {
    let number = |number: Option<i64>| number.map(|number| number.to_string());
    [
        ("scopes", Some(client.scopes.clone())),
        (
            "expiresAt",
            client.expires_at.map(|at| instant(at).to_string()),
        ),
        ("networks", client.networks.clone()),
        ("rateRequests", number(client.rate_requests)),
        ("rateSeconds", number(client.rate_seconds)),
        ("grants", client.grants.clone()),
    ]
}

pub(crate) async fn rotate_secret_in(
    store: &Store,
    clock: &Clock,
    client_id: &str,
    overlap: Duration,
) -> Result<NewClient, AdminError> {
    let secret = secrets::fresh();
    let hash = secrets::hash(&secret).map_err(|error| AdminError::Hash(error.to_string()))?;
    let (id, now) = (client_id.to_owned(), clock.ticks());
    let seconds = crate::config::lifetime_seconds(overlap.max(Duration::from_secs(1)));
    let end = (!overlap.is_zero()).then(|| now + seconds * TICKS_PER_SECOND);
    let client = store
        .write(move |session| {
            let mut client = active(session, &id)?;
            let present = std::mem::replace(&mut client.secret_hash, hash.clone());
            client.previous_secret_hash = end.map(|_| present);
            client.previous_secret_expires_at = end;
            clients::set_secrets(session, &client)?;
            // Neither secret nor hash.
            let diff = Diff::default()
                .property("secret", Some("previous"), Some("new"))
                .property(
                    "previousSecretExpiresAt",
                    None,
                    Some(&end.map(|end| instant(end).to_string())),
                );
            record(session, now, "rotateSecret", &id, diff)?;
            Ok::<_, AdminError>(client)
        })
        .await?;
    Ok(NewClient::of(client, secret))
}

/// A client that is not revoked.
fn active(session: &mut dyn Session, id: &str) -> Result<Client, AdminError> {
    match clients::find(session, id)? {
        Some(client) if client.revoked_at.is_none() => Ok(client),
        Some(_) => Err(AdminError::Revoked(id.to_owned())),
        None => Err(AdminError::UnknownClient(id.to_owned())),
    }
}

/// An instant as the store's ticks.
fn ticks(at: jiff::Timestamp) -> i64 {
    at.as_second() * TICKS_PER_SECOND + i64::from(at.subsec_nanosecond()).div_euclid(100)
}
