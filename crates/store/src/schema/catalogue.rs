//! The objects of a database in a form that is the same on every engine, and the objects of each version of
//! the schema.
//!
//! `catalogue.txt` lists the objects of every version. A database that was made before checksums were stored
//! is compared with it. Only objects of the schema are compared: additional indexes, views, tables, columns,
//! triggers and constraints are ignored.

use std::collections::BTreeMap;

use crate::{Dialect, StoreError};

/// The objects of a database, such as `column boards.name`, and the definition of each, such as `text not
/// null`.
pub type Catalogue = BTreeMap<String, String>;

/// What stands in front of the name of a partitioned table in a catalogue.
pub(crate) const PARTITIONED: &str = "partitioned ";

/// Lines of `VERSIONS ENGINE OBJECT: DEFINITION`. Versions are `FIRST-LAST`, or `FIRST-` where all later ones
/// have it; the engine is the name of one, or `both`.
const OBJECTS: &str = include_str!("catalogue.txt");

/// Most differences in a message.
const MOST_NAMED: usize = 5;

/// Compares a database with the result of the migrations up to `version`.
///
/// # Errors
/// [`StoreError::Schema`] when an object of the schema is missing, or is another one.
pub fn compare(
    found: &Catalogue,
    dialect: Dialect,
    version: i64,
    place: &str,
) -> Result<(), StoreError> {
    let differences: Vec<String> = expected(dialect, version)
        .filter(|(object, definition)| !is_same(found, object, definition))
        .map(|(object, definition)| match found.get(object) {
            Some(other) => format!("{object}: found `{other}`, expected `{definition}`"),
            None => format!("{object}: found none, expected `{definition}`"),
        })
        .collect();
    if differences.is_empty() {
        return Ok(());
    }
    let more = match differences.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let named = &differences[..differences.len().min(MOST_NAMED)];
    Err(StoreError::Schema(format!(
        "{place} is not as version {version} of the schema made it ({}{more}); nothing was changed: change it back, \
         or restore a backup",
        named.join("; ")
    )))
}

fn is_same(found: &Catalogue, object: &str, definition: &str) -> bool {
    match found.get(object) {
        // Columns may have been added; those of ours are objects of their own.
        Some(_) if object.starts_with("table ") => true,
        Some(other) if other == definition => true,
        // A unique index needs the partition key, so a partitioned table has indexes of its operator's
        // choice.
        _ if object.starts_with("index ") => {
            let on = definition.strip_prefix("unique ").unwrap_or(definition);
            let table = on.split(' ').next().unwrap_or_default();
            found.contains_key(&format!("{PARTITIONED}{table}"))
        }
        _ => false,
    }
}

/// The objects that a version has on an engine.
fn expected(dialect: Dialect, version: i64) -> impl Iterator<Item = (&'static str, &'static str)> {
    lines().filter_map(move |line| {
        let has = line.engine == "both" || line.engine == dialect.name();
        (has && line.versions.0 <= version && version <= line.versions.1)
            .then_some((line.object, line.definition))
    })
}

/// A line of [`OBJECTS`].
struct Line {
    versions: (i64, i64),
    engine: &'static str,
    object: &'static str,
    definition: &'static str,
}

/// The lines of [`OBJECTS`]; a test reads all of them.
fn lines() -> impl Iterator<Item = Line> {
    OBJECTS.lines().filter_map(|line| {
        let (versions, rest) = line.split_once(' ')?;
        let (engine, rest) = rest.trim_start().split_once(' ')?;
        let (object, definition) = rest.trim_start().split_once(": ")?;
        let (first, last) = versions.split_once('-')?;
        Some(Line {
            versions: (first.parse().ok()?, last.parse().unwrap_or(i64::MAX)),
            engine,
            object,
            definition,
        })
    })
}

/// The constants of a condition, in their order: the values that a CHECK lets a column have.
pub(crate) fn constants(condition: &str) -> String {
    let mut constants = Vec::new();
    let mut rest = condition;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        if first == '\'' || first.is_ascii_digit() {
            constants.push(piece);
        }
        rest = after;
    }
    constants.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue_of(version: i64) -> Catalogue {
        expected(Dialect::Postgres, version)
            .map(|(object, definition)| (object.to_owned(), definition.to_owned()))
            .collect()
    }

    fn refusal(found: &Catalogue, version: i64) -> String {
        match compare(found, Dialect::Postgres, version, "the plant") {
            Err(StoreError::Schema(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_line_is_read() {
        assert_eq!(lines().count(), OBJECTS.lines().count());
    }

    #[test]
    fn constants_are_those_of_the_condition_however_it_is_written() {
        for condition in [
            "status IN ('New', 'Resolved')",
            "((status = ANY (ARRAY['New'::text, 'Resolved'::text])))",
        ] {
            assert_eq!(constants(condition), "'New', 'Resolved'");
        }
        assert_eq!(
            constants("dimension2 = ANY (ARRAY[(0)::bigint, (1)::bigint])"),
            "0, 1"
        );
    }

    #[test]
    fn a_version_has_the_objects_of_its_time() {
        let index = "index incidents_by_type";
        let (old, new) = (catalogue_of(7), catalogue_of(8));
        assert_eq!(
            old[index],
            "incidents (incident_type_id, incident_date, id)"
        );
        assert_eq!(new[index], "incidents (incident_type_id, id)");
        assert!(refusal(&old, 8).contains(index));
    }

    #[test]
    fn what_is_missing_or_different_is_named_and_what_was_added_is_not() {
        let mut found = catalogue_of(10);
        found.insert("index mine".into(), "incidents (title)".into());
        found.insert("column incidents.mine".into(), "text".into());
        found.insert("table incidents".into(), "id, mine".into());
        compare(&found, Dialect::Postgres, 10, "the plant").expect("nothing of ours was changed");
        found.remove("index boards_by_name");
        found.insert("column boards.name".into(), "integer".into());
        assert_eq!(
            refusal(&found, 10),
            "the plant is not as version 10 of the schema made it (column boards.name: found `integer`, expected \
             `text`; index boards_by_name: found none, expected `boards (name, id)`); nothing was changed: change it \
             back, or restore a backup"
        );
        found.retain(|object, _| !object.starts_with("column users."));
        assert!(refusal(&found, 10).contains("; and 1 more); nothing"));
    }

    #[test]
    fn a_partitioned_table_may_lack_our_indexes_and_nothing_else() {
        let mut found = catalogue_of(10);
        found.remove("index datasource_values_by_id");
        assert!(refusal(&found, 10).contains("datasource_values_by_id"));
        found.insert(format!("{PARTITIONED}datasource_values"), String::new());
        compare(&found, Dialect::Postgres, 10, "the plant").expect("an operator's choice");
        found.remove("primary key datasource_values");
        assert!(refusal(&found, 10).contains("primary key"));
    }
}
