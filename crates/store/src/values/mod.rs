//! The values of datasources: their counts, and the statements that write them. The rules check them, and the
//! crate `read` reads pages of them.

/// The columns of the table, as a constant and as a part of a statement's text (`listed!`).
macro_rules! columns {
    ($first:literal, $($further:literal),+ $(,)?) => {
        /// The columns of the table, in the order in which rows are written and read.
        pub const COLUMNS: [&str; 14] = [$first, $($further),+];

        macro_rules! listed {
            () => {
                concat!($first, $(", ", $further),+)
            };
        }
    };
}

columns![
    "datasource_id",
    "value_date",
    "id",
    "value",
    "registration_date",
    "area_id",
    "asset_id",
    "project_id",
    "description",
    "dimension",
    "dimension2",
    "dimension3",
    "dimension4",
    "external_id",
];

pub mod elements;
mod ids;
mod pieces;
pub mod rollups;
pub mod write;

pub use ids::{given, last_id};

use super::{Session, StoreError};

/// Records that `added` values were added (removed, if negative), or that some changed, at this instant
/// (ticks): updates the count, and advances the counter that invalidates caches of the datasource. Call this
/// in the transaction of every change, after its [`rollups`] have been marked as stale.
///
/// The counter follows the time. A plain count would repeat a number after a backup is restored, and a
/// client's tag of the former values would match the current ones.
///
/// # Errors
/// The engine fails.
pub fn changed(
    session: &mut dyn Session,
    datasource_id: i32,
    added: i64,
    at: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE datasources SET value_count = value_count + ?2,
        change_counter = CASE WHEN change_counter >= ?3 THEN change_counter + 1 ELSE ?3 END,
        marked_counter = CASE WHEN marked_counter <> change_counter THEN marked_counter
            WHEN change_counter >= ?3 THEN change_counter + 1 ELSE ?3 END
        WHERE id = ?1";
    session.execute_deferred(sql, &[datasource_id.into(), added.into(), at.into()])
}
