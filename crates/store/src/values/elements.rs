//! The datasource of new values with its elements, and the existing ones of the records that the values refer
//! to: one statement for each kind of record and any number of values.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;
use std::ops::ControlFlow;

use super::pieces;
use crate::engine::{Row, Value, present};
use crate::{Session, StoreError};
use obeya_rules::elements::{Element, Elements, Known};
use obeya_rules::enums::{ClosedEnum, ElementKind};
use obeya_rules::value::DatasourceValue;

/// A row for each element, and one without any for a datasource that has none. In the order of the key, which
/// the index has; SQLite would sort any other order in a temporary table, for each value that is written.
const ELEMENTS: &str =
    "SELECT e.id, e.label, e.type, e.is_mandatory, e.source_column, e.sort_order, d.rolled_up_until
    FROM datasources AS d LEFT JOIN datasource_elements AS e ON e.datasource_id = d.id
    WHERE d.id = ?1 ORDER BY e.id";

/// A datasource to which a unit of work writes values.
#[derive(Debug)]
pub struct Datasource {
    /// Its id.
    pub id: i32,
    /// Its elements, in their order.
    pub elements: Elements,
    /// The watermark of its rollups (ticks). Only one transaction writes at a time, so it does not change
    /// before the end of this unit of work. The next one in the same transaction may be a refresh.
    pub(super) rolled_up_until: i64,
}

/// Prefetches what [`datasource`] reads.
pub fn prefetch(session: &mut dyn Session, datasource: i32) -> Result<(), StoreError> {
    session.prefetch(ELEMENTS, &[datasource.into()])
}

/// The datasource, for this unit of work only; `None` when there is none with this id.
///
/// # Errors
/// The engine fails, here and below, or an element is stored that this program does not know.
pub fn datasource(session: &mut dyn Session, id: i32) -> Result<Option<Datasource>, StoreError> {
    let mut found = None;
    let mut elements = Vec::new();
    session.query(ELEMENTS, &[id.into()], &mut |row| {
        found = Some(present(row.int(6)?)?);
        if let Some(element) = element(row)? {
            elements.push((present(row.int(5)?)?, element));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found.map(|rolled_up_until| Datasource {
        id,
        elements: in_order(elements),
        rolled_up_until,
    }))
}

/// The elements in their order: elements of one order number stay in that of their ids.
fn in_order(mut elements: Vec<(i64, Element)>) -> Elements {
    elements.sort_by_key(|(order, _)| *order);
    Elements::new(elements.into_iter().map(|(_, element)| element).collect())
}

/// The element of a row; `None` where there is none, or where it describes no part of a value.
fn element(row: &dyn Row) -> Result<Option<Element>, StoreError> {
    let Some(id) = row.string(0)? else {
        return Ok(None);
    };
    let word = present(row.text(2)?)?;
    let kind = ElementKind::parse(word).ok_or_else(|| {
        StoreError::Schema(format!(
            "the stored element type {word:?} is not one this program knows"
        ))
    })?;
    let name = row.string(1)?.filter(|label| !label.is_empty());
    Ok(Element::new(
        name.unwrap_or(id),
        kind,
        row.flag(3)?,
        row.text(4)?,
    ))
}

/// The existing ones of the records that the values refer to.
pub fn known(
    session: &mut dyn Session,
    elements: &Elements,
    values: &[DatasourceValue],
) -> Result<Known, StoreError> {
    let named = elements.references(values);
    let number = |row: &dyn Row| present(row.int32(0)?);
    let numbers = |ids: &BTreeSet<i32>| ids.iter().map(|id| Value::from(*id)).collect::<Vec<_>>();
    let users: Vec<_> = named.users.iter().map(Value::from).collect();
    Ok(Known {
        areas: among(session, "areas", &numbers(&named.areas), number)?,
        boards: among(session, "boards", &numbers(&named.boards), number)?,
        projects: among(session, "projects", &numbers(&named.projects), number)?,
        users: among(session, "users", &users, |row| present(row.string(0)?))?,
    })
}

/// The ids that a table contains.
fn among<T: Hash + Eq>(
    session: &mut dyn Session,
    table: &str,
    ids: &[Value<'_>],
    read: impl Fn(&dyn Row) -> Result<T, StoreError>,
) -> Result<HashSet<T>, StoreError> {
    let mut found = HashSet::new();
    for (places, ids) in pieces::of(ids, 1) {
        let sql = format!("SELECT id FROM {table} WHERE id IN ({places})");
        session.query(&sql, &ids, &mut |row| {
            found.insert(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(found)
}
