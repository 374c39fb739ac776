//! Statements over the keys that sign tokens.

use super::clients::text;
use super::engine::{Row, Session, StoreError, Value, present};

/// A row of `signing_keys`. The private key is PKCS#8 DER in base64, or encrypted in a form that the service
/// knows; instants are ticks.
#[derive(Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct StoredKey {
    pub kid: String,
    pub private_key: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
}

/// The keys that have not expired, oldest first.
pub fn live(session: &mut dyn Session, now: i64) -> Result<Vec<StoredKey>, StoreError> {
    session.all(
        "SELECT kid, private_key, created_at, expires_at FROM signing_keys WHERE expires_at IS NULL OR expires_at > ?1 \
         ORDER BY created_at, kid",
        &[now.into()],
        key,
    )
}

fn key(row: &dyn Row) -> Result<StoredKey, StoreError> {
    Ok(StoredKey {
        kid: text(row, 0)?,
        private_key: text(row, 1)?,
        created_at: present(row.int(2)?)?,
        expires_at: row.int(3)?,
    })
}

/// Adds a key.
pub fn insert(session: &mut dyn Session, key: &StoredKey) -> Result<(), StoreError> {
    let binds = [
        Value::from(&key.kid),
        Value::from(&key.private_key),
        Value::from(key.created_at),
        Value::from(key.expires_at),
    ];
    session.execute("INSERT INTO signing_keys (kid, private_key, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)", &binds)?;
    Ok(())
}

/// Replaces the stored form of a private key, unless it changed meanwhile.
pub fn replace_private_key(
    session: &mut dyn Session,
    old: &StoredKey,
    private_key: &str,
) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE signing_keys SET private_key = ?3 WHERE kid = ?1 AND private_key = ?2",
        &[
            (&old.kid).into(),
            (&old.private_key).into(),
            private_key.into(),
        ],
    )
}

/// Sets the expiry of every key without one to `expires_at`, and removes those that have expired at `now`.
pub fn expire_others(
    session: &mut dyn Session,
    now: i64,
    expires_at: i64,
) -> Result<(), StoreError> {
    session.execute_deferred(
        "DELETE FROM signing_keys WHERE expires_at <= ?1",
        &[now.into()],
    )?;
    session.execute_deferred(
        "UPDATE signing_keys SET expires_at = ?1 WHERE expires_at IS NULL",
        &[expires_at.into()],
    )
}

/// Removes a key, so that it signs and verifies nothing whatever the clock of a process says.
pub fn delete(session: &mut dyn Session, kid: &str) -> Result<(), StoreError> {
    session.execute_deferred("DELETE FROM signing_keys WHERE kid = ?1", &[kid.into()])
}
