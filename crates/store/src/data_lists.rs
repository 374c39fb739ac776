//! Statements over data lists and their items.

use super::engine::present;
use super::tables::data_lists::DataListRow;
use super::{Session, StoreError, sequences};

/// The table of items, whose ids are issued by a counter.
pub const ITEMS: &str = "data_list_items";

/// An item of a data list, without the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its position: higher than those of the items before it.
    pub sort_order: i32,
    /// What identifies it in the list.
    pub identifier: String,
    /// Its text.
    pub name: Option<String>,
}

/// The list as it is stored.
///
/// # Errors
/// The engine fails, here and below.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<DataListRow>, StoreError> {
    let sql = &DataListRow::statements().find;
    session.first(sql, &[id.into()], DataListRow::read)
}

/// Whether the list has an item of this identifier.
pub fn has_item(
    session: &mut dyn Session,
    list: i32,
    identifier: &str,
) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM data_list_items WHERE data_list_id = ?1 AND identifier = ?2";
    let found = session.first(sql, &[list.into(), identifier.into()], |_| Ok(()))?;
    Ok(found.is_some())
}

/// The position of the next item of a list: after all others, as long as there is a higher number.
pub fn next_position(session: &mut dyn Session, list: i32) -> Result<i32, StoreError> {
    let sql = "SELECT max(sort_order) FROM data_list_items WHERE data_list_id = ?1";
    let last = session.first(sql, &[list.into()], |row| row.int32(0))?;
    Ok(last.flatten().unwrap_or_default().saturating_add(1))
}

/// Adds an item to a list, which changes with it; the id of the item. An API client is not a user, so the
/// change of the list has no author.
pub fn add_item(
    session: &mut dyn Session,
    list: i32,
    item: &Item,
    stamp: i64,
) -> Result<i32, StoreError> {
    let id = sequences::issue(session, ITEMS)?;
    put_item(session, (list, id), item)?;
    let sql =
        "UPDATE data_lists SET last_modified = ?2, last_modified_by_user_id = NULL WHERE id = ?1";
    session.execute_deferred(sql, &[list.into(), stamp.into()])?;
    Ok(id)
}

/// Stores an item under this id, which must be free.
pub fn put_item(
    session: &mut dyn Session,
    (list, id): (i32, i32),
    item: &Item,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO data_list_items (id, data_list_id, sort_order, identifier, name) VALUES (?1, ?2, ?3, ?4, ?5)";
    let binds = [
        id.into(),
        list.into(),
        item.sort_order.into(),
        (&item.identifier).into(),
        item.name.as_deref().into(),
    ];
    session.execute_deferred(sql, &binds)
}

/// Removes the items of a list; their ids are not issued again.
pub fn remove_items(session: &mut dyn Session, list: i32) -> Result<(), StoreError> {
    sequences::retain(session, ITEMS)?;
    session.execute_deferred(
        "DELETE FROM data_list_items WHERE data_list_id = ?1",
        &[list.into()],
    )
}

/// Reads an item from four columns of a row: its id, position, identifier and name.
pub fn read_item(row: &dyn super::Row, from: usize) -> Result<(i32, Item), StoreError> {
    let item = Item {
        sort_order: present(row.int32(from + 1)?)?,
        identifier: present(row.string(from + 2)?)?,
        name: row.string(from + 3)?,
    };
    Ok((present(row.int32(from)?)?, item))
}
