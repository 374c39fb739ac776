//! Owned rows, and the tables of a copy.
//!
//! [`obeya::tables`] declares the columns of records; here they get snake_case names for SQL and data frames.
//! Nothing here depends on a target.

use obeya::model::Timestamp;

use obeya::tables::{Cell, Column, Kind, Tabular};

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

/// The value of a key column. Texts are in the order of their code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyValue<'a> {
    Number(i32),
    /// That of a user.
    Text(&'a str),
}

impl CellValue {
    /// The value of a key column; every table begins with one.
    pub(super) fn key(&self) -> KeyValue<'_> {
        match self {
            CellValue::Int(id) => KeyValue::Number(*id),
            CellValue::Text(id) => KeyValue::Text(id),
            other => unreachable!("{other:?} in a key column"),
        }
    }

    /// The value of an id column of integers.
    pub(super) fn id(&self) -> i32 {
        match self.key() {
            KeyValue::Number(id) => id,
            other @ KeyValue::Text(_) => unreachable!("{other:?} in a column of integers"),
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

/// The column that a table of parts begins with: the id of the record that a part belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    column: &'static str,
    kind: Kind,
}

impl Owner {
    /// A record whose id is an integer.
    pub(super) const fn by_number(column: &'static str) -> Self {
        let kind = Kind::Int;
        Owner { column, kind }
    }

    /// A record whose id is a text.
    pub(super) const fn by_text(column: &'static str) -> Self {
        let kind = Kind::Text;
        Owner { column, kind }
    }

    fn spec(self) -> ColumnSpec {
        ColumnSpec {
            name: self.column.to_owned(),
            kind: self.kind,
        }
    }

    /// The name of a part's own id: of `incident_id` and `incident_categories` it is `category_id`.
    fn part_id(self, table: &str) -> String {
        let owner = self.column.trim_end_matches("id");
        let parts = table.strip_prefix(owner).unwrap_or(table);
        match parts.strip_suffix("ies") {
            Some(stem) => format!("{stem}y_id"),
            None => format!("{}_id", parts.trim_end_matches('s')),
        }
    }
}

/// A table of the copy. Its first columns, at most two, are the primary key: integers, or texts.
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
    /// A table with these columns of a record, after the owner's if the records are parts of another record.
    pub(super) fn of<'a, T: 'static>(
        name: &'static str,
        key: usize,
        owner: Option<Owner>,
        columns: impl IntoIterator<Item = &'a Column<T>>,
    ) -> Self {
        // After its owner's id, a part's own id needs a qualified name.
        let own_name = |column: &Column<T>| match (column.field.name, owner) {
            ("id", Some(owner)) => owner.part_id(name),
            (name, _) => snake_case(name),
        };
        let own = columns.into_iter().map(|column| ColumnSpec {
            name: own_name(column),
            kind: column.field.kind,
        });
        let columns = owner.map(Owner::spec).into_iter().chain(own).collect();
        Table {
            name,
            key,
            columns,
            index: &[],
        }
    }

    /// A table for a list of texts, with the rows of [`text_rows`].
    pub(super) fn of_texts(name: &'static str, owner: Owner, text: &str) -> Self {
        let column = |name: &str, kind| ColumnSpec {
            name: name.to_owned(),
            kind,
        };
        let order = column("sort_order", Kind::Int);
        Table {
            name,
            key: 2,
            columns: vec![owner.spec(), order, column(text, Kind::Text)],
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

    /// The key of a row.
    pub(super) fn row_key<'a>(&self, row: &'a TableRow) -> RowKey<'a> {
        row_key(self.key, row)
    }
}

/// The values of the one or two key columns of a row.
pub(super) type RowKey<'a> = (KeyValue<'a>, Option<KeyValue<'a>>);

/// The key of a row of a table with this many key columns.
pub(super) fn row_key(key: usize, row: &TableRow) -> RowKey<'_> {
    (row[0].key(), (key > 1).then(|| row[1].key()))
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

    /// Sorts the rows of each table by their keys.
    pub(super) fn sort(&mut self, group: &TableGroup) {
        for (table, rows) in group.tables().zip(&mut self.0) {
            rows.sort_by(|one, other| table.row_key(one).cmp(&table.row_key(other)));
        }
    }
}

/// The columns of a record that have one value: lists and related records have tables of their own.
pub(super) fn value_columns<T: Tabular>() -> impl Iterator<Item = &'static Column<T>> + Clone {
    let columns = T::columns().iter();
    columns.filter(|column| {
        !matches!(
            column.field.kind,
            Kind::Texts | Kind::Row(_) | Kind::List(_)
        )
    })
}

/// The row of a record, after its owner's id if it has an owner.
pub(super) fn to_row<'a, T: 'static>(
    owner: Option<i32>,
    columns: impl IntoIterator<Item = &'a Column<T>>,
    record: &T,
) -> TableRow {
    to_part_row(owner.map(CellValue::Int), columns, record)
}

/// The row of a part of a record, whose id may be a text.
pub(super) fn to_part_row<'a, T: 'static>(
    owner: Option<CellValue>,
    columns: impl IntoIterator<Item = &'a Column<T>>,
    record: &T,
) -> TableRow {
    let own = columns
        .into_iter()
        .map(|column| to_cell_value(&(column.get)(record)));
    owner.into_iter().chain(own).collect()
}

/// The rows of a list of texts: its owner's id, the place in the list from 1, and the text.
pub(super) fn text_rows(
    owner: &CellValue,
    texts: Option<&[String]>,
) -> impl Iterator<Item = TableRow> {
    let numbered = (1..).zip(texts.unwrap_or_default());
    numbered.map(|(number, text)| {
        let text = CellValue::Text(text.clone());
        vec![owner.clone(), CellValue::Int(number), text]
    })
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
    use obeya::model::{CategoryReference, DataListItem, Improvement, IncidentConsequence, Task};

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
        fn names<T: Tabular>(table: &'static str, owner: &'static str) -> Vec<String> {
            let owner = Some(Owner::by_number(owner));
            let table = Table::of(table, 2, owner, value_columns::<T>());
            table.names().map(str::to_owned).collect()
        }
        let categories = names::<CategoryReference>("incident_categories", "incident_id");
        assert_eq!(categories, ["incident_id", "category_id", "title"]);
        let consequences = names::<IncidentConsequence>("incident_consequences", "incident_id");
        assert_eq!(consequences[1], "consequence_id");
        let items = names::<DataListItem>("data_list_items", "data_list_id");
        assert_eq!(items[..2], ["data_list_id", "item_id"]);
    }

    #[test]
    fn a_list_of_texts_has_its_own_table_in_its_own_order() {
        let is_list = |column: &Column<Task>| column.field.name == "tags";
        assert!(Task::columns().iter().any(is_list));
        assert!(!value_columns::<Task>().any(is_list));
        let tags = ["b", "a"].map(str::to_owned);
        let rows: Vec<TableRow> = text_rows(&CellValue::Int(7), Some(&tags)).collect();
        let row = |number, text: &str| {
            vec![
                CellValue::Int(7),
                CellValue::Int(number),
                CellValue::Text(text.to_owned()),
            ]
        };
        assert_eq!(rows, [row(1, "b"), row(2, "a")]);
    }

    #[test]
    fn rows_are_sorted_by_both_columns_of_a_key_and_texts_by_code_point() {
        let owner = Owner::by_text("user_id");
        let table = Table::of_texts("user_words", owner, "word");
        let key = |id: &str, number| (id.to_owned(), number);
        let keys = [
            key("\u{1F600}", 1),
            key("a", 2),
            key("\u{FF5E}", 1),
            key("Z", 1),
            key("a", 1),
        ];
        let row = |(id, number): (String, i32)| {
            vec![CellValue::Text(id), CellValue::Int(number), CellValue::Null]
        };
        let mut rows = GroupRows(vec![keys.map(row).into()]);
        rows.sort(&TableGroup::single(table));
        // In UTF-16 the last two would be the other way round.
        let sorted = [
            key("Z", 1),
            key("a", 1),
            key("a", 2),
            key("\u{FF5E}", 1),
            key("\u{1F600}", 1),
        ];
        assert_eq!(rows.0[0], sorted.map(row));
    }
}
