//! Parts of an incident: categories, consequences, causes and the values of custom fields.

use crate::engine::{Row, present};
use crate::{Session, StoreError};

const CLEAR_CATEGORIES: &str = "DELETE FROM incident_categories WHERE incident_id = ?1";
const CLEAR_CONSEQUENCES: &str = "DELETE FROM incident_consequences WHERE incident_id = ?1";
const CLEAR_CAUSES: &str = "DELETE FROM incident_causes WHERE incident_id = ?1";
const CLEAR_CUSTOM_FIELDS: &str = "DELETE FROM incident_custom_fields WHERE incident_id = ?1";

const CUSTOM_FIELD: &str =
    "SELECT value FROM incident_custom_fields WHERE incident_id = ?1 AND custom_field_id = ?2";

/// The categories, by id.
pub static CATEGORIES: StoredParts<i32> = StoredParts {
    sql: "SELECT category_id FROM incident_categories WHERE incident_id = ?1 ORDER BY category_id",
    map: |row| present(row.int32(0)?),
};
/// The consequences with their amounts, by id.
pub static CONSEQUENCES: StoredParts<(i32, Option<f64>)> = StoredParts {
    sql: "SELECT consequence_id, amount FROM incident_consequences WHERE incident_id = ?1 ORDER BY consequence_id",
    map: |row| Ok((present(row.int32(0)?)?, row.real(1)?)),
};
/// The causes, by id.
pub static CAUSES: StoredParts<i32> = StoredParts {
    sql: "SELECT cause_id FROM incident_causes WHERE incident_id = ?1 ORDER BY cause_id",
    map: |row| present(row.int32(0)?),
};

/// The values of custom fields, by the id of the field.
pub static CUSTOM_FIELDS: StoredParts<(i32, Option<String>)> = StoredParts {
    sql: "SELECT custom_field_id, value FROM incident_custom_fields WHERE incident_id = ?1 ORDER BY custom_field_id",
    map: |row| Ok((present(row.int32(0)?)?, row.string(1)?)),
};

/// Query for the parts of one kind, ordered by id.
pub struct StoredParts<T> {
    sql: &'static str,
    map: fn(&dyn Row) -> Result<T, StoreError>,
}

impl<T> StoredParts<T> {
    /// Prefetches what [`Self::of`] reads.
    pub fn prefetch(&self, session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
        session.prefetch(self.sql, &[id.into()])
    }

    /// The parts of an incident.
    pub fn of(&self, session: &mut dyn Session, id: i32) -> Result<Vec<T>, StoreError> {
        session.all(self.sql, &[id.into()], self.map)
    }
}

/// The value of a custom field.
#[derive(Debug, Clone, Copy)]
pub struct FieldValue<'a> {
    /// The field.
    pub id: i32,
    /// What was entered.
    pub value: &'a str,
}

/// Removes every part, as when the type of the incident changes.
pub fn clear_parts(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    for sql in [
        CLEAR_CATEGORIES,
        CLEAR_CONSEQUENCES,
        CLEAR_CAUSES,
        CLEAR_CUSTOM_FIELDS,
    ] {
        session.execute_deferred(sql, &[id.into()])?;
    }
    Ok(())
}

/// Replaces the categories.
pub fn set_categories(
    session: &mut dyn Session,
    id: i32,
    categories: &[i32],
) -> Result<(), StoreError> {
    session.execute_deferred(CLEAR_CATEGORIES, &[id.into()])?;
    add_categories(session, id, categories.iter().copied())
}

/// Adds categories to an incident without any.
pub fn add_categories(
    session: &mut dyn Session,
    id: i32,
    categories: impl IntoIterator<Item = i32>,
) -> Result<(), StoreError> {
    for category in categories {
        let sql = "INSERT INTO incident_categories (incident_id, category_id) VALUES (?1, ?2)";
        session.execute_deferred(sql, &[id.into(), category.into()])?;
    }
    Ok(())
}

/// Replaces the consequences, each with its amount.
pub fn set_consequences(
    session: &mut dyn Session,
    id: i32,
    consequences: &[(i32, Option<f64>)],
) -> Result<(), StoreError> {
    session.execute_deferred(CLEAR_CONSEQUENCES, &[id.into()])?;
    add_consequences(session, id, consequences.iter().copied())
}

/// Adds consequences with their amounts to an incident without any.
pub fn add_consequences(
    session: &mut dyn Session,
    id: i32,
    consequences: impl IntoIterator<Item = (i32, Option<f64>)>,
) -> Result<(), StoreError> {
    for (consequence, amount) in consequences {
        let sql = "INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES (?1, ?2, ?3)";
        session.execute_deferred(sql, &[id.into(), consequence.into(), amount.into()])?;
    }
    Ok(())
}

/// Replaces the causes.
pub fn set_causes(session: &mut dyn Session, id: i32, causes: &[i32]) -> Result<(), StoreError> {
    session.execute_deferred(CLEAR_CAUSES, &[id.into()])?;
    add_causes(session, id, causes.iter().copied())
}

/// Adds causes to an incident without any.
pub fn add_causes(
    session: &mut dyn Session,
    id: i32,
    causes: impl IntoIterator<Item = i32>,
) -> Result<(), StoreError> {
    for cause in causes {
        let sql = "INSERT INTO incident_causes (incident_id, cause_id) VALUES (?1, ?2)";
        session.execute_deferred(sql, &[id.into(), cause.into()])?;
    }
    Ok(())
}

/// Prefetches what [`custom_field`] reads.
pub fn prefetch_custom_field(
    session: &mut dyn Session,
    id: i32,
    field: i32,
) -> Result<(), StoreError> {
    session.prefetch(CUSTOM_FIELD, &[id.into(), field.into()])
}

/// The value of one custom field, if the incident has one.
pub fn custom_field(
    session: &mut dyn Session,
    id: i32,
    field: i32,
) -> Result<Option<String>, StoreError> {
    let value = session.first(CUSTOM_FIELD, &[id.into(), field.into()], |row| {
        row.string(0)
    })?;
    Ok(value.flatten())
}

/// Replaces the value of one custom field.
pub fn set_custom_field(
    session: &mut dyn Session,
    id: i32,
    field: FieldValue<'_>,
    now: i64,
) -> Result<(), StoreError> {
    session.execute_deferred(
        "DELETE FROM incident_custom_fields WHERE incident_id = ?1 AND custom_field_id = ?2",
        &[id.into(), field.id.into()],
    )?;
    add_custom_fields(session, id, &[field], now)
}

/// Adds values of custom fields to an incident without any of these. For a field with a data list the value
/// is the chosen entry.
pub fn add_custom_fields(
    session: &mut dyn Session,
    id: i32,
    values: &[FieldValue<'_>],
    now: i64,
) -> Result<(), StoreError> {
    for field in values {
        let sql = "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, data_list_value, registration_date)
            SELECT ?1, f.id, ?3, CASE WHEN f.data_list_id IS NULL THEN NULL ELSE ?3 END, ?4
            FROM type_custom_fields AS f WHERE f.id = ?2";
        session.execute_deferred(
            sql,
            &[id.into(), field.id.into(), field.value.into(), now.into()],
        )?;
    }
    Ok(())
}
