//! Statements over the clients that may request tokens.

use super::engine::{Row, Session, StoreError, Value, present};

/// A row of `clients`. Hashes are in PHC form; scopes, networks and grants are separated by spaces; instants
/// are ticks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct Client {
    pub id: String,
    pub name: String,
    pub secret_hash: String,
    pub scopes: String,
    pub created_at: i64,
    pub revoked_at: Option<i64>,
    pub previous_secret_hash: Option<String>,
    pub previous_secret_expires_at: Option<i64>,
    pub expires_at: Option<i64>,
    pub networks: Option<String>,
    pub rate_requests: Option<i64>,
    pub rate_seconds: Option<i64>,
    pub grants: Option<String>,
}

/// Adds a client. Of its settings only the grants are stored.
pub fn insert(session: &mut dyn Session, client: &Client) -> Result<(), StoreError> {
    let binds = [
        Value::from(&client.id),
        Value::from(&client.name),
        Value::from(&client.secret_hash),
        Value::from(&client.scopes),
        Value::from(client.created_at),
        Value::from(client.revoked_at),
        Value::from(client.grants.as_deref()),
    ];
    session.execute(
        "INSERT INTO clients (id, name, secret_hash, scopes, created_at, revoked_at, grants) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &binds,
    )?;
    Ok(())
}

const SELECT: &str = "SELECT id, name, secret_hash, scopes, created_at, revoked_at, previous_secret_hash, \
                      previous_secret_expires_at, expires_at, networks, rate_requests, rate_seconds, grants FROM clients";

/// The client of this id, revoked or not.
pub fn find(session: &mut dyn Session, id: &str) -> Result<Option<Client>, StoreError> {
    session.first(&format!("{SELECT} WHERE id = ?1"), &[id.into()], client)
}

/// All clients, oldest first.
pub fn list(session: &mut dyn Session) -> Result<Vec<Client>, StoreError> {
    session.all(&format!("{SELECT} ORDER BY created_at, id"), &[], client)
}

/// Revokes a client; `false` when there is none, or it was revoked before.
pub fn revoke(session: &mut dyn Session, id: &str, now: i64) -> Result<bool, StoreError> {
    let changed = session.execute(
        "UPDATE clients SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
        &[id.into(), now.into()],
    )?;
    Ok(changed > 0)
}

/// Stores the scopes and settings of a client.
pub fn set(session: &mut dyn Session, client: &Client) -> Result<(), StoreError> {
    let binds = [
        Value::from(&client.id),
        Value::from(&client.scopes),
        Value::from(client.expires_at),
        Value::from(client.networks.as_deref()),
        Value::from(client.rate_requests),
        Value::from(client.rate_seconds),
        Value::from(client.grants.as_deref()),
    ];
    session.execute_deferred(
        "UPDATE clients SET scopes = ?2, expires_at = ?3, networks = ?4, rate_requests = ?5, rate_seconds = ?6, \
         grants = ?7 WHERE id = ?1",
        &binds,
    )
}

/// Stores the hashes of a client's secrets.
pub fn set_secrets(session: &mut dyn Session, client: &Client) -> Result<(), StoreError> {
    let binds = [
        Value::from(&client.id),
        Value::from(&client.secret_hash),
        Value::from(client.previous_secret_hash.as_deref()),
        Value::from(client.previous_secret_expires_at),
    ];
    session.execute_deferred(
        "UPDATE clients SET secret_hash = ?2, previous_secret_hash = ?3, previous_secret_expires_at = ?4 \
         WHERE id = ?1",
        &binds,
    )
}

/// Replaces the hash of a client's secret, unless it changed meanwhile.
pub fn replace_hash(
    session: &mut dyn Session,
    id: &str,
    old: &str,
    new: &str,
) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE clients SET secret_hash = ?3 WHERE id = ?1 AND secret_hash = ?2",
        &[id.into(), old.into(), new.into()],
    )
}

fn client(row: &dyn Row) -> Result<Client, StoreError> {
    Ok(Client {
        id: text(row, 0)?,
        name: text(row, 1)?,
        secret_hash: text(row, 2)?,
        scopes: text(row, 3)?,
        created_at: present(row.int(4)?)?,
        revoked_at: row.int(5)?,
        previous_secret_hash: row.string(6)?,
        previous_secret_expires_at: row.int(7)?,
        expires_at: row.int(8)?,
        networks: row.string(9)?,
        rate_requests: row.int(10)?,
        rate_seconds: row.int(11)?,
        grants: row.string(12)?,
    })
}

/// A text column that the schema declares NOT NULL.
pub(super) fn text(row: &dyn Row, column: usize) -> Result<String, StoreError> {
    Ok(present(row.text(column)?)?.to_owned())
}
