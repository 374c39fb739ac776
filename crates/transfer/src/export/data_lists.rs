//! `data_lists.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::records;
use obeya_store::data_lists::read_item;
use obeya_store::engine::{Row, Session};
use obeya_store::tables::data_lists::{DataListRow, ItemLine};

const ITEM: &str = "id, sort_order, identifier, name FROM data_list_items";

/// Writes `data_lists.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let what = &DataListRow::statements().columns_from;
    let list = |row: &dyn Row| DataListRow::read(row).map(DataListRow::into_line);
    records(session, what, list, |session, mut lists| {
        lists.parts(session, ITEM, "data_list_id", "id", |list, row| {
            let (id, item) = read_item(row, 1)?;
            list.items.push(ItemLine {
                id,
                sort_order: Some(item.sort_order),
                identifier: item.identifier,
                name: item.name,
            });
            Ok(())
        })?;
        lists
            .into_iter()
            .try_for_each(|(id, list)| out.write(id, &list))
    })
}
