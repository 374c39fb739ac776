//! What is kept about a datasource's values beside them.

use super::{Session, StoreError};

/// Tells that `added` values more (or fewer, if negative) are there, or that some changed: keeps the count, and moves the counter by which readers see
/// that what they remember of the datasource no longer holds. To be called in the transaction of every change.
///
/// # Errors
/// What the engine says.
pub fn changed(
    session: &mut dyn Session,
    datasource_id: i32,
    added: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE datasources SET value_count = value_count + ?2, change_counter = change_counter + 1 WHERE id = ?1";
    session.send(sql, &[datasource_id.into(), added.into()])
}
