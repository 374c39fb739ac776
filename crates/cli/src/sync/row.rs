//! Owned rows, and the tables of a copy.
//!
//! [`obeya::tables`] declares the columns of records; here they get snake_case names for SQL and data frames.
//! Nothing here depends on a target.

use obeya::model::Timestamp;

use obeya::tables::{Cell, Column, Kind};

/// An owned cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellValue {
    Null,
    Int(i32),
    Long(i64),
    Number(f64),
    Bool(bool),
    Text(String),
    Instant(Timestamp),
    /// Days since 1970-01-01.
    Day(i32),
}

impl CellValue {
    /// The value of an id column; every table begins with one.
    pub(super) fn id(&self) -> i32 {
        match self {
            CellValue::Int(id) => *id,
            other => unreachable!("{other:?} in an id column"),
        }
    }

    pub(super) fn text(text: Option<&str>) -> Self {
        text.map_or(CellValue::Null, |text| CellValue::Text(text.to_owned()))
    }
}

/// One value for each column of the table.
pub(super) type TableRow = Vec<CellValue>;

/// A column of the copy.
#[derive(Clone, Debug)]
pub(super) struct ColumnSpec {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// A table of the copy. Its first columns are the primary key and are integers.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The number of primary key columns.
    pub(super) key: usize,
    pub(super) columns: Vec<ColumnSpec>,
    /// The columns of a secondary index.
    pub(super) index: &'static [&'static str],
}

impl Table {
    /// A table with the columns of a record, after a column `owner` if the records are parts of another
    /// record.
    pub(super) fn of<T>(
        name: &'static str,
        key: usize,
        owner: Option<&str>,
        columns: &[Column<T>],
    ) -> Self {
        let owner = owner.map(|name| ColumnSpec {
            name: name.to_owned(),
            kind: Kind::Int,
        });
        // After its owner's id, a part's own id needs a qualified name.
        let own = |column: &Column<T>| match (column.field.name, &owner) {
            ("id", Some(_)) => format!("{}_id", singular_part(name)),
            (name, _) => snake_case(name),
        };
        let own = columns.iter().map(|column| ColumnSpec {
            name: own(column),
            kind: column.field.kind,
        });
        let own: Vec<ColumnSpec> = own.collect();
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

    /// Adds text columns.
    pub(super) fn add_texts<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.columns.extend(names.map(|name| ColumnSpec {
            name: name.to_owned(),
            kind: Kind::Text,
        }));
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The index of a column that exists.
    pub(super) fn column_index(&self, name: &str) -> usize {
        self.names()
            .position(|other| other == name)
            .expect("the column was declared in this module")
    }
}

/// The table of a record type and the tables of its parts, whose rows begin with the record's id.
#[derive(Clone, Debug)]
pub(super) struct TableGroup {
    pub(super) main: Table,
    pub(super) parts: Vec<Table>,
}

impl TableGroup {
    pub(super) fn single(main: Table) -> Self {
        TableGroup {
            main,
            parts: Vec::new(),
        }
    }

    /// The main table, then those of the parts.
    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.main).chain(&self.parts)
    }
}

/// Rows of a group: one list for each of its tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GroupRows(pub(super) Vec<Vec<TableRow>>);

impl GroupRows {
    /// No rows, for each table of the group.
    pub(super) fn none(group: &TableGroup) -> Self {
        GroupRows(vec![Vec::new(); 1 + group.parts.len()])
    }

    pub(super) fn main(&self) -> &[TableRow] {
        &self.0[0]
    }
}

/// The row of a record, after its owner's id if it has an owner.
pub(super) fn to_row<T>(owner: Option<i32>, columns: &[Column<T>], record: &T) -> TableRow {
    let own = columns
        .iter()
        .map(|column| to_cell_value(&(column.get)(record)));
    owner.map(CellValue::Int).into_iter().chain(own).collect()
}

fn to_cell_value(cell: &Cell<'_>) -> CellValue {
    match cell {
        Cell::Null => CellValue::Null,
        Cell::Int(number) => CellValue::Int(*number),
        Cell::Long(number) => CellValue::Long(*number),
        Cell::Number(number) => CellValue::Number(*number),
        Cell::Bool(value) => CellValue::Bool(*value),
        Cell::Text(text) => CellValue::Text((*text).to_owned()),
        Cell::Instant(instant) => CellValue::Instant(*instant),
        Cell::Day(day) => CellValue::Day(day.days()),
        Cell::Texts(_) | Cell::Row(..) | Cell::List(..) => {
            unreachable!("lists have their own tables")
        }
    }
}

/// `incident_categories` → `category`, `incident_custom_fields` → `custom_field`.
fn singular_part(table: &str) -> String {
    let parts = table.split_once('_').map_or(table, |(_, parts)| parts);
    match parts.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => parts.trim_end_matches('s').to_owned(),
    }
}

/// `lastModifiedByUserId` → `last_modified_by_user_id`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    match out.as_str() {
        // The wire has `dataSourceId` once and `datasourceId` everywhere else.
        "data_source_id" => "datasource_id".to_owned(),
        // An SQL keyword would have to be quoted in every query.
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
