//! Administration of the keys that sign tokens.

use std::time::Duration;

use super::{AdminError, instant, open};
use crate::auth::keys::{retire, rotate};
use crate::config::{Clock, lifetime_seconds};
use crate::key_encryption::{KeyEncryptionKey, is_encrypted};
use obeya_store::engine::StoreError;
use obeya_store::{Store, keys};

/// A signing key in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyInfo {
    /// The id, as in the header of a token.
    pub kid: String,
    /// When it was created.
    pub created_at: jiff::Timestamp,
    /// When the last token that it may have signed expires; none for the key that signs, or signs next.
    pub expires_at: Option<jiff::Timestamp>,
    /// Whether it is encrypted in the database.
    pub is_encrypted: bool,
}

/// The keys that have not expired in the database at `db`, oldest first.
///
/// # Errors
/// An error of the database.
pub async fn list_keys(db: &str) -> Result<Vec<KeyInfo>, AdminError> {
    let store = open(db).await?;
    let now = Clock::system().ticks();
    let listed = store.read(move |session| keys::live(session, now)).await;
    store.close().await;
    let listed: Result<Vec<keys::StoredKey>, StoreError> = listed;
    let info = |key: keys::StoredKey| KeyInfo {
        is_encrypted: is_encrypted(&key.private_key),
        kid: key.kid,
        created_at: instant(key.created_at),
        expires_at: key.expires_at.map(instant),
    };
    Ok(listed?.into_iter().map(info).collect())
}

/// Creates a new signing key in the database at `db`, and returns its id. Tokens signed with the old keys
/// stay valid for `token_lifetime`, which must be the longest that any service over this database uses.
///
/// # Errors
/// The keys of the database are encrypted with another key than `encryption`; or an error of the database.
pub async fn rotate_keys(
    db: &str,
    token_lifetime: Duration,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<String, AdminError> {
    let store = open(db).await?;
    let lifetime = lifetime_seconds(token_lifetime);
    let rotated = rotate_in(&store, &Clock::system(), lifetime, encryption).await;
    store.close().await;
    rotated
}

/// Removes a signing key from the database at `db`, for example because it leaked: its tokens are refused by
/// every process as soon as it reads the keys again. If no key is left to sign with, a new one is created,
/// and its id is returned.
///
/// # Errors
/// [`AdminError::UnknownKey`]; or as [`rotate_keys`].
pub async fn retire_key(
    db: &str,
    kid: &str,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<Option<String>, AdminError> {
    let store = open(db).await?;
    let retired = retire_in(&store, &Clock::system(), kid, encryption).await;
    store.close().await;
    retired
}

pub(crate) async fn rotate_in(
    store: &Store,
    clock: &Clock,
    lifetime_seconds: i64,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<String, AdminError> {
    let (now, encryption) = (clock.ticks(), encryption.cloned());
    let rotated = store
        .write(move |session| rotate(session, now, lifetime_seconds, encryption.as_ref()))
        .await?;
    Ok(rotated)
}

pub(crate) async fn retire_in(
    store: &Store,
    clock: &Clock,
    kid: &str,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<Option<String>, AdminError> {
    let (id, now) = (kid.to_owned(), clock.ticks());
    let encryption = encryption.cloned();
    let retired: Option<_> = store
        .write(move |session| retire(session, &id, now, encryption.as_ref()))
        .await?;
    retired.ok_or_else(|| AdminError::UnknownKey(kid.to_owned()))
}
