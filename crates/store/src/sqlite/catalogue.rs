//! The objects of a file, as SQLite lists them.

use std::collections::{BTreeMap, BTreeSet};

use crate::schema::catalogue::{Catalogue, constants};
use crate::{Session, StoreError};

/// Tables of the schema, without those of SQLite itself, of its full text search, and of this engine.
const TABLES: &str = "SELECT l.name, l.type, m.sql FROM pragma_table_list AS l
    JOIN sqlite_schema AS m ON m.name = l.name
    WHERE l.schema = 'main' AND l.type <> 'shadow' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND l.name NOT LIKE 'obeya\\_%' ESCAPE '\\'";
const COLUMNS: &str = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_xinfo(?1)";
const FOREIGN_KEYS: &str =
    "SELECT group_concat(\"from\", ', '), \"table\", group_concat(\"to\", ', '), on_delete
    FROM pragma_foreign_key_list(?1) GROUP BY id";
const INDEXES: &str = "SELECT l.name, l.\"unique\", m.sql FROM pragma_index_list(?1) AS l
    JOIN sqlite_schema AS m ON m.name = l.name WHERE l.origin = 'c'";
const INDEX_COLUMNS: &str =
    "SELECT coalesce(name, '(expression)'), desc FROM pragma_index_xinfo(?1) WHERE key = 1";
const TRIGGERS: &str = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";

/// Reads the catalogue; changes nothing.
///
/// # Errors
/// Errors of the engine.
pub(super) fn read(session: &mut dyn Session) -> Result<Catalogue, StoreError> {
    let mut catalogue = Catalogue::new();
    let tables = session.all(TABLES, &[], |row| {
        Ok((
            text(row.string(0)?),
            text(row.string(1)?),
            text(row.string(2)?),
        ))
    })?;
    for (name, kind, sql) in tables {
        match kind.as_str() {
            "table" => {
                table(session, &mut catalogue, &name, &one_line(&sql))?;
            }
            "view" => {
                let columns = session.all(COLUMNS, &[(&name).into()], |row| row.string(0))?;
                let columns: Vec<String> = columns.into_iter().flatten().collect();
                catalogue.insert(format!("view {name}"), columns.join(", "));
            }
            _ => {
                catalogue.insert(format!("full text search {name}"), one_line(&sql));
            }
        }
    }
    let triggers = session.all(TRIGGERS, &[], |row| {
        Ok((text(row.string(0)?), text(row.string(1)?)))
    })?;
    for (name, sql) in triggers {
        catalogue.insert(format!("trigger {name}"), one_line(&sql));
    }
    Ok(catalogue)
}

/// A table with its columns, keys, conditions and indexes.
fn table(
    session: &mut dyn Session,
    catalogue: &mut Catalogue,
    table: &str,
    sql: &str,
) -> Result<(), StoreError> {
    // Some properties are only in the CREATE statement.
    let items = items(sql);
    let of_column = |column: &str| {
        let item = items
            .iter()
            .find(|item| item.split(' ').next() == Some(column));
        item.map(String::as_str).unwrap_or_default()
    };
    let columns = session.all(COLUMNS, &[table.into()], |row| {
        let is_required = row.flag(2)? || row.flag(4)?;
        Ok((
            text(row.string(0)?),
            text(row.string(1)?),
            is_required,
            row.string(3)?,
            row.int(4)?,
        ))
    })?;
    let mut key = BTreeMap::new();
    for (name, kind, is_required, default, place) in &columns {
        let mut definition = kind.to_lowercase();
        if *is_required {
            definition.push_str(" not null");
        }
        if let Some(default) = default {
            definition.push_str(" default ");
            definition.push_str(default);
        }
        if of_column(name).contains("AUTOINCREMENT") {
            definition.push_str(" sequence");
        }
        catalogue.insert(format!("column {table}.{name}"), definition);
        if let Some(place @ 1..) = place {
            key.insert(*place, name.clone());
        }
    }
    let names: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
    catalogue.insert(format!("table {table}"), names.join(", "));
    let key: Vec<String> = key.into_values().collect();
    catalogue.insert(format!("primary key {table}"), key.join(", "));

    let references = session.all(FOREIGN_KEYS, &[table.into()], |row| {
        let (to, on_delete) = (text(row.string(2)?), text(row.string(3)?));
        Ok((text(row.string(0)?), text(row.string(1)?), to, on_delete))
    })?;
    for (from, other, to, on_delete) in references {
        let mut definition = format!("{other} ({to})");
        if on_delete != "NO ACTION" {
            definition.push_str(&format!(" on delete {}", on_delete.to_lowercase()));
        }
        if of_column(&from).contains("DEFERRABLE INITIALLY DEFERRED") {
            definition.push_str(" deferred");
        }
        catalogue.insert(format!("foreign key {table} ({from})"), definition);
    }
    for item in &items {
        if let Some((_, condition)) = item.split_once("CHECK (") {
            let column = condition.split(' ').next().unwrap_or_default();
            catalogue.insert(format!("check {table} ({column})"), constants(condition));
        }
    }
    indexes(session, catalogue, table, &key)
}

fn indexes(
    session: &mut dyn Session,
    catalogue: &mut Catalogue,
    table: &str,
    key: &[String],
) -> Result<(), StoreError> {
    let indexes = session.all(INDEXES, &[table.into()], |row| {
        Ok((text(row.string(0)?), row.flag(1)?, text(row.string(2)?)))
    })?;
    for (name, is_unique, sql) in indexes {
        let mut columns = session.all(INDEX_COLUMNS, &[(&name).into()], |row| {
            let descending = if row.flag(1)? { " desc" } else { "" };
            Ok(format!("{}{descending}", text(row.string(0)?)))
        })?;
        if !is_unique {
            // Each index entry implicitly ends with the key of its row.
            let said: BTreeSet<String> = columns.iter().cloned().collect();
            columns.extend(key.iter().filter(|column| !said.contains(*column)).cloned());
        }
        let sql = one_line(&sql);
        let condition = sql.split_once(" WHERE ").map(|(_, condition)| condition);
        let unique = if is_unique { "unique " } else { "" };
        let condition = condition.map(|condition| format!(" where {condition}"));
        let definition = format!(
            "{unique}{table} ({}){}",
            columns.join(", "),
            condition.unwrap_or_default()
        );
        catalogue.insert(format!("index {name}"), definition);
    }
    Ok(())
}

/// A statement without its comments, with single spaces.
fn one_line(sql: &str) -> String {
    let lines = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

/// The columns and constraints of a CREATE TABLE.
fn items(sql: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0_i32;
    let mut is_quoted = false;
    for c in sql.chars() {
        is_quoted ^= c == '\'';
        match c {
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 1 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        let is_opening = depth == 1 && c == '(' && items.len() == 1 && !items[0].contains('(');
        if let Some(item) = items.last_mut() {
            item.push(c);
            if is_opening {
                item.clear();
            }
        }
    }
    items.iter().map(|item| item.trim().to_owned()).collect()
}

fn text(value: Option<String>) -> String {
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_cut_at_the_commas_between_its_columns() {
        let sql = one_line(
            "CREATE TABLE t (\n  id INTEGER, -- a, b\n  x TEXT CHECK (x IN ('a,(', 'b')),\n  PRIMARY KEY (a, b)\n) STRICT",
        );
        assert_eq!(
            items(&sql),
            [
                "id INTEGER",
                "x TEXT CHECK (x IN ('a,(', 'b'))",
                "PRIMARY KEY (a, b) ) STRICT"
            ]
        );
    }
}
