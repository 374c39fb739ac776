//! `data_lists.jsonl`: lists with their items. Incidents may have the name of a list as well; the lines of
//! one folder must agree.

use std::collections::HashSet;

use obeya_model::bounds::schemas::data_list_item_create;

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, leaves_ids, length, refer_user};
use obeya_store::data_lists::{Item, put_item, remove_items};
use obeya_store::tables::data_lists::{DataListLine, DataListRow, ItemLine};

/// Reads `data_lists.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, mut line: DataListLine| {
        let exists = run.known.data_lists.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        refer_user(
            location,
            "lastModifiedByUserId",
            line.last_modified_by_user_id.as_deref(),
            &run.known.users,
        )?;
        let items = std::mem::take(&mut line.items);
        let mut row = DataListRow::from_line(line);
        // A list that was never changed has no stamp; one that is replaced changes now.
        if row.last_modified.is_some() || action == LineAction::Replace {
            let stamp = run.stamps.assign(
                location,
                "lastModified",
                action,
                row.last_modified,
                i64::MAX,
            )?;
            row.last_modified = Some(obeya_store::wire::timestamp(stamp)?);
        }
        run.execute(&DataListRow::statements().upsert, &row.cells())?;
        if action == LineAction::Replace {
            remove_items(run.session, row.id)?;
        }
        self::items(run, location, row.id, items)?;
        run.known.data_lists.insert(row.id);
        run.collected.data_lists.insert(row.id, row.name);
        Ok(())
    })
}

fn items(
    run: &mut Run<'_>,
    location: Location<'_>,
    list: i32,
    items: Vec<ItemLine>,
) -> Result<(), ImportError> {
    let (mut ids, mut identifiers) = (HashSet::new(), HashSet::new());
    for (place, line) in (1..).zip(items) {
        let field = |name: &str| format!("items[{}].{name}", place - 1);
        leaves_ids(location, &field("id"), line.id, "items")?;
        if !ids.insert(line.id) {
            let found = format_args!("{} twice", line.id);
            return Err(location.field_error(&field("id"), found, "each id once"));
        }
        if let Some(other) = run.known.data_list_items.insert(line.id, list)
            && other != list
        {
            let found = format_args!("{}, an item of data list {other}", line.id);
            return Err(location.field_error(&field("id"), found, "an id of no other list"));
        }
        for (name, text, allowed) in [
            (
                "identifier",
                Some(line.identifier.as_str()),
                &data_list_item_create::identifier::LENGTH,
            ),
            (
                "name",
                line.name.as_deref(),
                &data_list_item_create::name::LENGTH,
            ),
        ] {
            length(location, &field(name), text, allowed)?;
        }
        if !identifiers.insert(line.identifier.clone()) {
            let found = format_args!("\"{}\" twice", line.identifier);
            return Err(location.field_error(&field("identifier"), found, "each identifier once"));
        }
        let item = Item {
            sort_order: line.sort_order.unwrap_or(place),
            identifier: line.identifier,
            name: line.name,
        };
        put_item(run.session, (list, line.id), &item)?;
    }
    Ok(())
}
