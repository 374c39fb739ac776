//! Statements over the clients that may request tokens.

use super::engine::{Row, Session, StoreError, Value, present};

/// A row of `clients`. The hash is in PHC form; scopes are separated by spaces; instants are ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct Client {
    pub id: String,
    pub name: String,
    pub secret_hash: String,
    pub scopes: String,
    pub created_at: i64,
    pub revoked_at: Option<i64>,
}

/// Adds a client.
pub fn insert(session: &mut dyn Session, client: &Client) -> Result<(), StoreError> {
    let binds = [
        Value::from(&client.id),
        Value::from(&client.name),
        Value::from(&client.secret_hash),
        Value::from(&client.scopes),
        Value::from(client.created_at),
        Value::from(client.revoked_at),
    ];
    session.execute(
        "INSERT INTO clients (id, name, secret_hash, scopes, created_at, revoked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &binds,
    )?;
    Ok(())
}

/// The client of this id, revoked or not.
pub fn find(session: &mut dyn Session, id: &str) -> Result<Option<Client>, StoreError> {
    session.first(
        "SELECT id, name, secret_hash, scopes, created_at, revoked_at FROM clients WHERE id = ?1",
        &[id.into()],
        client,
    )
}

/// All clients, oldest first.
pub fn list(session: &mut dyn Session) -> Result<Vec<Client>, StoreError> {
    session.all(
        "SELECT id, name, secret_hash, scopes, created_at, revoked_at FROM clients ORDER BY created_at, id",
        &[],
        client,
    )
}

/// Revokes a client; `false` when there is none, or it was revoked before.
pub fn revoke(session: &mut dyn Session, id: &str, now: i64) -> Result<bool, StoreError> {
    let changed = session.execute(
        "UPDATE clients SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
        &[id.into(), now.into()],
    )?;
    Ok(changed > 0)
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

/// Whether a client that is not revoked has a secret with an argon2id hash, as earlier versions stored it.
pub fn has_argon2id(session: &mut dyn Session) -> Result<bool, StoreError> {
    let sql =
        "SELECT 1 FROM clients WHERE revoked_at IS NULL AND secret_hash LIKE '$argon2id$%' LIMIT 1";
    Ok(session.first(sql, &[], |_| Ok(()))?.is_some())
}

/// The ids of all revoked clients.
pub fn revoked(session: &mut dyn Session) -> Result<Vec<String>, StoreError> {
    session.all(
        "SELECT id FROM clients WHERE revoked_at IS NOT NULL",
        &[],
        |row| text(row, 0),
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
    })
}

/// A text column that the schema declares NOT NULL.
pub(super) fn text(row: &dyn Row, column: usize) -> Result<String, StoreError> {
    Ok(present(row.text(column)?)?.to_owned())
}
