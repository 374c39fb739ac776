//! The values of datasources: what is kept about them, and the statements that write them. What they must be
//! like is the domain's matter, which pages of them are read `read`'s.

/// The columns of the table: as a constant, and by `listed!` as a part of a statement's text.
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
pub mod write;

pub use ids::{given, last_id};

use super::{Session, StoreError};

/// Tells that `added` values more (or fewer, if negative) are there, or that some changed, at this moment
/// (ticks): keeps the count, and moves the counter by which readers see that what they remember of the
/// datasource no longer holds. To be called in the transaction of every change.
///
/// The counter follows the time: counted from what was there, it would come to the same number again where an
/// older copy of the database is put back or another one in its place, and a client's tag of the values that
/// were there would be taken for one of those that are.
///
/// # Errors
/// What the engine says.
pub fn changed(
    session: &mut dyn Session,
    datasource_id: i32,
    added: i64,
    at: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE datasources SET value_count = value_count + ?2,
        change_counter = CASE WHEN change_counter >= ?3 THEN change_counter + 1 ELSE ?3 END WHERE id = ?1";
    session.execute_deferred(sql, &[datasource_id.into(), added.into(), at.into()])
}
