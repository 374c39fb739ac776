//! Statements over the secrets that every process over this store shares.

use super::engine::{Session, StoreError};

/// A secret by its name.
pub fn find(session: &mut dyn Session, name: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT value FROM secrets WHERE name = ?1";
    let value = session.first(sql, &[name.into()], |row| row.string(0))?;
    Ok(value.flatten())
}

/// Stores a secret unless there is one of that name; returns the stored one.
pub fn keep(
    session: &mut dyn Session,
    name: &str,
    value: &str,
) -> Result<Option<String>, StoreError> {
    let sql = "INSERT INTO secrets (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING";
    session.execute_deferred(sql, &[name.into(), value.into()])?;
    find(session, name)
}
