//! Statements over incident types: one type with all its parts, translated into a language.

mod translations;
mod tree;

use obeya_model::{
    IncidentTypeCustomField, IncidentTypeDetail, IncidentTypeSummary, TypeCause, TypeConsequence,
};

use super::engine::present;
use super::{Session, StoreError};
use translations::{Kind, Words};
use tree::{Flat, tree};

/// The type. `language` is a tag such as `nb-NO` in any letter case: a text without that translation is in
/// the base language, or else untranslated.
pub fn detail(
    session: &mut dyn Session,
    id: i32,
    language: Option<&str>,
) -> Result<Option<IncidentTypeDetail>, StoreError> {
    let sql = "SELECT title, description FROM incident_types WHERE id = ?1";
    let found = session.first(sql, &[id.into()], |row| {
        Ok((present(row.string(0)?)?, row.string(1)?))
    })?;
    let Some((title, description)) = found else {
        return Ok(None);
    };
    let mut words = match language {
        Some(language) => Words::load(session, id, language)?,
        None => Words::default(),
    };
    let (title, description) = words.of(Kind::Type, id, title, description);
    Ok(Some(IncidentTypeDetail {
        id,
        title,
        description,
        custom_fields: custom_fields(session, id, &mut words)?,
        categories: categories(session, id, &mut words)?,
        consequences: consequences(session, id, &mut words)?,
        causes: causes(session, id, &mut words)?,
    }))
}

/// Every type without its parts, translated as far as possible.
pub fn list(
    session: &mut dyn Session,
    language: Option<&str>,
) -> Result<Vec<IncidentTypeSummary>, StoreError> {
    let sql = "SELECT id, title, description FROM incident_types ORDER BY id";
    let mut types = session.all(sql, &[], |row| {
        Ok(IncidentTypeSummary {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
            description: row.string(2)?,
        })
    })?;
    let Some(language) = language else {
        return Ok(types);
    };
    let mut words = Words::of_types(session, language)?;
    for one in &mut types {
        let (title, description) = (std::mem::take(&mut one.title), one.description.take());
        (one.title, one.description) = words.of(Kind::Type, one.id, title, description);
    }
    Ok(types)
}

fn custom_fields(
    session: &mut dyn Session,
    id: i32,
    words: &mut Words,
) -> Result<Vec<IncidentTypeCustomField>, StoreError> {
    let sql = "SELECT id, label, type, sort_order, data_list_id, is_mandatory
        FROM type_custom_fields WHERE incident_type_id = ?1 ORDER BY sort_order, id";
    let mut fields = session.all(sql, &[id.into()], |row| {
        Ok(IncidentTypeCustomField {
            id: present(row.int32(0)?)?,
            label: present(row.string(1)?)?,
            type_: present(row.string(2)?)?,
            sort_order: present(row.int32(3)?)?,
            data_list_id: row.int32(4)?,
            is_mandatory: row.flag(5)?,
        })
    })?;
    for field in &mut fields {
        (field.label, _) = words.of(
            Kind::CustomField,
            field.id,
            std::mem::take(&mut field.label),
            None,
        );
    }
    Ok(fields)
}

fn categories(
    session: &mut dyn Session,
    id: i32,
    words: &mut Words,
) -> Result<Vec<obeya_model::Category>, StoreError> {
    let sql = "SELECT id, title, description, sort_order, parent_id
        FROM type_categories WHERE incident_type_id = ?1 ORDER BY sort_order, id";
    let mut flat = session.all(sql, &[id.into()], |row| {
        Ok(Flat {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
            description: row.string(2)?,
            sort_order: present(row.int32(3)?)?,
            parent_id: row.int32(4)?,
        })
    })?;
    for category in &mut flat {
        let (title, description) = (
            std::mem::take(&mut category.title),
            category.description.take(),
        );
        (category.title, category.description) =
            words.of(Kind::Category, category.id, title, description);
    }
    Ok(tree(flat))
}

fn consequences(
    session: &mut dyn Session,
    id: i32,
    words: &mut Words,
) -> Result<Vec<TypeConsequence>, StoreError> {
    let sql =
        "SELECT id, title, unit FROM type_consequences WHERE incident_type_id = ?1 ORDER BY id";
    let mut consequences = session.all(sql, &[id.into()], |row| {
        Ok(TypeConsequence {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
            unit: row.string(2)?,
        })
    })?;
    for consequence in &mut consequences {
        (consequence.title, _) = words.of(
            Kind::Consequence,
            consequence.id,
            std::mem::take(&mut consequence.title),
            None,
        );
    }
    Ok(consequences)
}

fn causes(
    session: &mut dyn Session,
    id: i32,
    words: &mut Words,
) -> Result<Vec<TypeCause>, StoreError> {
    let sql = "SELECT id, title, description, sort_order FROM type_causes WHERE incident_type_id = ?1 ORDER BY sort_order, id";
    let mut causes = session.all(sql, &[id.into()], |row| {
        Ok(TypeCause {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
            description: row.string(2)?,
            sort_order: present(row.int32(3)?)?,
        })
    })?;
    for cause in &mut causes {
        let (title, description) = (std::mem::take(&mut cause.title), cause.description.take());
        (cause.title, cause.description) = words.of(Kind::Cause, cause.id, title, description);
    }
    Ok(causes)
}
