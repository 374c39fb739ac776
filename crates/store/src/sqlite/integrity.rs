//! Damage in the pages, tables and indexes of a file.
//!
//! `PRAGMA integrity_check` looks each row of a table up in each of its indexes. For values, which are stored
//! by datasource and indexed by id, that is a page of the index for each row, and takes several times as long
//! for each byte of a large file as of a small one. So the index of values is compared with its table by two
//! scans, each in its own order. Other tables are far smaller.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;

use crate::{Row, Session, StoreError};

/// Most faults that SQLite lists at once.
const MOST_FAULTS: usize = 100;

const VALUES: &str = "datasource_values";
const INDEX_OF_VALUES: &str = "datasource_values_by_id";
/// The table itself, by its primary key. NOT INDEXED would read the other index, as that has all columns that
/// are compared.
const TABLE_OF_VALUES: &str = "sqlite_autoindex_datasource_values_1";

/// Adds what SQLite finds. It does not look at conditions (CHECK), which a connection that only reads does
/// not know.
///
/// # Errors
/// The engine fails in another way than by damage, of which its error is a text.
pub(super) fn find_faults(
    session: &mut dyn Session,
    faults: &mut Vec<String>,
) -> Result<(), StoreError> {
    pragma(session, "quick_check", &MOST_FAULTS.to_string(), faults)?;
    let tables =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name";
    let tables = session.all(tables, &[], |row| Ok(row.string(0)?.unwrap_or_default()));
    for table in or_fault(tables, faults)?.unwrap_or_default() {
        // What stops the scans is named by the pragma.
        if table != VALUES || !index_of_values_is_sound(session).unwrap_or(false) {
            let name = format!("'{}'", table.replace('\'', "''"));
            pragma(session, "integrity_check", &name, faults)?;
        }
    }
    Ok(())
}

/// Adds the texts of a pragma that checks the file.
fn pragma(
    session: &mut dyn Session,
    name: &str,
    argument: &str,
    faults: &mut Vec<String>,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    let checked = session.query(&format!("PRAGMA {name}({argument})"), &[], &mut |row| {
        found.push(row.string(0)?.unwrap_or_default());
        Ok(ControlFlow::Continue(()))
    });
    for text in found {
        // Several checks may find the same.
        if text != "ok" && !faults.contains(&text) {
            faults.push(text);
        }
    }
    or_fault(checked, faults).map(drop)
}

/// Adds the text of an error that damage can cause, which ends a check.
fn or_fault<T>(
    checked: Result<T, StoreError>,
    faults: &mut Vec<String>,
) -> Result<Option<T>, StoreError> {
    match checked {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::Engine(cause)) => {
            let text = cause.to_string();
            if !faults.contains(&text) {
                faults.push(text);
            }
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// Whether the index of values has the keys of the table, both in their order and without doubles.
fn index_of_values_is_sound(session: &mut dyn Session) -> Result<bool, StoreError> {
    let index = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1";
    let is_there = session.first(index, &[INDEX_OF_VALUES.into()], |_| Ok(()))?;
    if is_there.is_none() {
        return Ok(false);
    }
    let table = scan(session, TABLE_OF_VALUES, |[datasource, date, id]| {
        [datasource, date, id]
    })?;
    let index = scan(session, INDEX_OF_VALUES, |[_, _, id]| [id, 0, 0])?;
    Ok(table.is_some() && table == index)
}

/// The keys of values, in any order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Keys {
    number: u64,
    /// A sum of their digests.
    sum: u64,
}

/// Reads all keys, of datasource, date and id, by one of the b-trees that have them; `None` if that is not in
/// the strict order of what `order_by` makes of them.
fn scan(
    session: &mut dyn Session,
    tree: &str,
    order_by: impl Fn([i64; 3]) -> [i64; 3],
) -> Result<Option<Keys>, StoreError> {
    let sql = format!("SELECT datasource_id, value_date, id FROM {VALUES} INDEXED BY {tree}");
    let mut keys = Keys::default();
    let mut last = None;
    let mut is_ordered = true;
    session.query(&sql, &[], &mut |row| {
        let key = key(row)?;
        let place = Some(order_by(key));
        is_ordered = last < place;
        last = place;
        keys.number += 1;
        let mut digest = DefaultHasher::new();
        key.hash(&mut digest);
        keys.sum = keys.sum.wrapping_add(digest.finish());
        Ok(if is_ordered {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    Ok(is_ordered.then_some(keys))
}

fn key(row: &dyn Row) -> Result<[i64; 3], StoreError> {
    let part = |place| Ok::<_, StoreError>(row.int(place)?.unwrap_or(i64::MIN));
    Ok([part(0)?, part(1)?, part(2)?])
}
