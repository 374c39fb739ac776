//! Rows that belong to themselves, and the tables they go into.
//!
//! What a record's columns are is said in [`obeya::tables`]; here they get the names that SQL and data frames
//! are at ease with. Nothing here knows a target.

use obeya::model::Timestamp;

use obeya::tables::{Cell, Column, Kind};

/// One value, owned.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Int(i32),
    Number(f64),
    Bool(bool),
    Text(String),
    Instant(Timestamp),
    /// Days since 1970-01-01.
    Day(i32),
}

impl Value {
    /// An id, which every table begins with.
    pub(super) fn id(&self) -> i32 {
        match self {
            Value::Int(id) => *id,
            other => unreachable!("{other:?} where the interface has an id"),
        }
    }

    pub(super) fn text(text: Option<&str>) -> Self {
        text.map_or(Value::Null, |text| Value::Text(text.to_owned()))
    }
}

/// As many values as its table has columns.
pub(super) type Row = Vec<Value>;

/// A column of the copy.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// A table of the copy. Its rows are known by their first columns, which are integers.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// How many columns a row is known by.
    pub(super) key: usize,
    pub(super) columns: Vec<Named>,
    /// Columns by which a database finds rows as well.
    pub(super) index: &'static [&'static str],
}

impl Table {
    /// The table of records with these columns, behind `owner`'s id where they hang on another record.
    pub(super) fn of<T>(
        name: &'static str,
        key: usize,
        owner: Option<&str>,
        columns: &[Column<T>],
    ) -> Self {
        let owner = owner.map(|name| Named {
            name: name.to_owned(),
            kind: Kind::Int,
        });
        // Beside its owner's id, a part's own is no longer "the id".
        let own = |column: &Column<T>| match (column.field.name, &owner) {
            ("id", Some(_)) => format!("{}_id", part(name)),
            (name, _) => snake(name),
        };
        let own = columns.iter().map(|column| Named {
            name: own(column),
            kind: column.field.kind,
        });
        let own: Vec<Named> = own.collect();
        Table {
            name,
            key,
            columns: owner.into_iter().chain(own).collect(),
            index: &[],
        }
    }

    pub(super) fn indexed(mut self, columns: &'static [&'static str]) -> Self {
        self.index = columns;
        self
    }

    /// Adds columns of texts.
    pub(super) fn add_texts<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.columns.extend(names.map(|name| Named {
            name: name.to_owned(),
            kind: Kind::Text,
        }));
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The place of a column that is there.
    pub(super) fn place(&self, name: &str) -> usize {
        self.names()
            .position(|other| other == name)
            .expect("asked for by the name it was given here")
    }
}

/// A record's table and the tables of its parts, whose rows begin with the record's id.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) main: Table,
    pub(super) parts: Vec<Table>,
}

impl Group {
    pub(super) fn alone(main: Table) -> Self {
        Group {
            main,
            parts: Vec::new(),
        }
    }

    /// The record's table, then those of its parts.
    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.main).chain(&self.parts)
    }
}

/// Rows of a group: one list for each of its tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows(pub(super) Vec<Vec<Row>>);

impl Rows {
    /// None, for a group of so many tables.
    pub(super) fn none(group: &Group) -> Self {
        Rows(vec![Vec::new(); 1 + group.parts.len()])
    }

    pub(super) fn main(&self) -> &[Row] {
        &self.0[0]
    }
}

/// The row of a record, behind its owner's id where it has one.
pub(super) fn row<T>(owner: Option<i32>, columns: &[Column<T>], record: &T) -> Row {
    let own = columns.iter().map(|column| owned(&(column.get)(record)));
    owner.map(Value::Int).into_iter().chain(own).collect()
}

fn owned(cell: &Cell<'_>) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(number) => Value::Int(*number),
        Cell::Number(number) => Value::Number(*number),
        Cell::Bool(value) => Value::Bool(*value),
        Cell::Text(text) => Value::Text((*text).to_owned()),
        Cell::Instant(instant) => Value::Instant(*instant),
        Cell::Day(day) => Value::Day(day.days()),
        Cell::Row(..) | Cell::List(..) => unreachable!("lists are tables of their own here"),
    }
}

/// `incident_categories` → `category`, `incident_custom_fields` → `custom_field`.
fn part(table: &str) -> String {
    let parts = table.split_once('_').map_or(table, |(_, parts)| parts);
    match parts.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => parts.trim_end_matches('s').to_owned(),
    }
}

/// `lastModifiedByUserId` → `last_modified_by_user_id`.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    match out.as_str() {
        // Once apart from its twin: `dataSourceId` of the wire and `datasourceId` of everything else.
        "data_source_id" => "datasource_id".to_owned(),
        // Words of SQL, which no table should have to quote.
        "group" => "group_name".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use obeya::model::{CategoryReference, Improvement, IncidentConsequence};
    use obeya::tables::Tabular as _;

    use super::*;

    #[test]
    fn columns_have_the_names_of_tables() {
        let improvements = Table::of("improvements", 1, None, Improvement::columns());
        assert_eq!(improvements.columns[0].name, "id");
        for name in ["last_modified_by_user_id", "group_name", "group_id"] {
            assert!(improvements.names().any(|other| other == name), "{name}");
        }
    }

    #[test]
    fn a_part_is_known_by_its_owner_and_its_own_id() {
        let categories = Table::of(
            "incident_categories",
            2,
            Some("incident_id"),
            CategoryReference::columns(),
        );
        let names: Vec<&str> = categories.names().collect();
        assert_eq!(names, ["incident_id", "category_id", "title"]);
        let consequences = Table::of(
            "incident_consequences",
            2,
            Some("incident_id"),
            IncidentConsequence::columns(),
        );
        assert_eq!(consequences.columns[1].name, "consequence_id");
    }
}
