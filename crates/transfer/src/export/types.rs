//! `incident_types.jsonl`: types with their parts and translations.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::{Records, records};
use crate::jsonl::types::{Category, Cause, Consequence, CustomField, Label, TypeLine, Words};
use obeya_store::engine::{Row, Session, StoreError, present};

const OWNER: &str = "incident_type_id";

/// Writes `incident_types.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let what = "id, title, description FROM incident_types";
    records(session, what, kind, |session, mut types| {
        categories(session, &mut types)?;
        other_parts(session, &mut types)?;
        translations(session, &mut types)?;
        types
            .into_iter()
            .try_for_each(|(id, line)| out.write(id, &line))
    })
}

fn kind(row: &dyn Row) -> Result<TypeLine, StoreError> {
    Ok(TypeLine {
        id: present(row.int32(0)?)?,
        title: present(row.string(1)?)?,
        description: row.string(2)?,
        categories: Vec::new(),
        consequences: Vec::new(),
        causes: Vec::new(),
        custom_fields: Vec::new(),
        translations: Default::default(),
    })
}

/// All at one level, so that one order applies to them.
fn categories(session: &mut dyn Session, types: &mut Records<TypeLine>) -> Result<(), StoreError> {
    let what = "id, title, description, sort_order, parent_id FROM type_categories";
    types.parts(session, what, OWNER, "id", |line, row| {
        line.categories.push(Category {
            id: present(row.int32(1)?)?,
            title: present(row.string(2)?)?,
            description: row.string(3)?,
            sort_order: present(row.int32(4)?)?,
            parent_id: row.int32(5)?,
            children: Vec::new(),
        });
        Ok(())
    })
}

fn other_parts(session: &mut dyn Session, types: &mut Records<TypeLine>) -> Result<(), StoreError> {
    let what = "id, title, unit FROM type_consequences";
    types.parts(session, what, OWNER, "id", |line, row| {
        line.consequences.push(Consequence {
            id: present(row.int32(1)?)?,
            title: present(row.string(2)?)?,
            unit: row.string(3)?,
        });
        Ok(())
    })?;
    let what = "id, title, description, sort_order FROM type_causes";
    types.parts(session, what, OWNER, "id", |line, row| {
        line.causes.push(Cause {
            id: present(row.int32(1)?)?,
            title: present(row.string(2)?)?,
            description: row.string(3)?,
            sort_order: present(row.int32(4)?)?,
        });
        Ok(())
    })?;
    let what = "id, label, type, sort_order, data_list_id, is_mandatory FROM type_custom_fields";
    types.parts(session, what, OWNER, "id", |line, row| {
        line.custom_fields.push(CustomField {
            id: present(row.int32(1)?)?,
            label: present(row.string(2)?)?,
            kind: present(row.string(3)?)?,
            sort_order: present(row.int32(4)?)?,
            data_list_id: row.int32(5)?,
            is_mandatory: row.flag(6)?,
        });
        Ok(())
    })
}

fn translations(
    session: &mut dyn Session,
    types: &mut Records<TypeLine>,
) -> Result<(), StoreError> {
    let what = "language, kind, item_id, title, description FROM type_translations";
    let order = "language, kind, item_id";
    types.parts(session, what, OWNER, order, |line, row| {
        let language = present(row.string(1)?)?;
        let words = line.translations.entry(language).or_default();
        let item = Words {
            id: present(row.int32(3)?)?,
            title: row.string(4)?,
            description: row.string(5)?,
        };
        match present(row.text(2)?)? {
            "category" => words.categories.push(item),
            "consequence" => words.consequences.push(item),
            "cause" => words.causes.push(item),
            "custom_field" => words.custom_fields.push(Label {
                id: item.id,
                label: item.title,
            }),
            _ => {
                words.title = item.title;
                words.description = item.description;
            }
        }
        Ok(())
    })
}
