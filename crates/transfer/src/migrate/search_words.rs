//! Rebuilds the search index of copied records: it is not copied, as each engine stores it in another way.

use obeya_store::table::Table;
use obeya_store::{Session, StoreError, Value, search};

/// Indexes these rows, if their table is searchable.
pub(super) fn put(
    session: &mut dyn Session,
    table: &Table,
    values: &[Value<'_>],
) -> Result<(), StoreError> {
    match table.name {
        "areas" => texts(table, values, ["name", "description"]).each(|id, [name, description]| {
            search::put_area(session, id, name.unwrap_or_default(), description)
        }),
        "groups" => texts(table, values, ["name", "description"])
            .each(|id, [name, description]| search::put_group(session, id, name, description)),
        "boards" => texts(table, values, ["name", "description"])
            .each(|id, [name, description]| search::put_board(session, id, name, description)),
        "incident_types" => {
            texts(table, values, ["title", "description"]).each(|id, [title, description]| {
                search::put_incident_type(session, id, title.unwrap_or_default(), description)
            })
        }
        "incidents" => texts(table, values, ["title", "text"]).each(|id, [title, text]| {
            search::put_incident(session, id, title.unwrap_or_default(), text)
        }),
        "tasks" => {
            texts(table, values, ["title", "description"]).each(|id, [title, description]| {
                search::put_task(session, id, title.unwrap_or_default(), description)
            })
        }
        "task_comments" => texts(table, values, ["text"])
            .each(|id, [text]| search::put_task_comment(session, id, text.unwrap_or_default())),
        "users" => {
            let names = [
                "display_name",
                "first_name",
                "last_name",
                "user_name",
                "email",
            ];
            texts(table, values, names).each_text(|id, texts| search::put_user(session, id, &texts))
        }
        "incident_comments" => {
            let mut comments = Vec::new();
            texts(table, values, ["text"]).each(|id, [text]| {
                comments.push((id, text.unwrap_or_default()));
                Ok(())
            })?;
            search::add_comments(session, comments.into_iter())
        }
        _ => Ok(()),
    }
}

/// Rows of a table, and which of their texts to read.
struct Rows<'v, const N: usize> {
    table: &'v Table,
    values: &'v [Value<'v>],
    names: [&'static str; N],
}

fn texts<'v, const N: usize>(
    table: &'v Table,
    values: &'v [Value<'v>],
    names: [&'static str; N],
) -> Rows<'v, N> {
    Rows {
        table,
        values,
        names,
    }
}

impl<'v, const N: usize> Rows<'v, N> {
    fn each(
        &self,
        mut each: impl FnMut(i32, [Option<&'v str>; N]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.rows(|id, texts| {
            let id = match id {
                Value::Int(id) => i32::try_from(id).ok(),
                _ => None,
            };
            let name = self.table.name;
            let id =
                id.ok_or_else(|| StoreError::Schema(format!("an id of {name} is no int32")))?;
            each(id, texts)
        })
    }

    /// The same where ids are texts.
    fn each_text(
        &self,
        mut each: impl FnMut(&'v str, [Option<&'v str>; N]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.rows(|id, texts| match id {
            Value::Text(id) => each(id, texts),
            _ => {
                let name = self.table.name;
                Err(StoreError::Schema(format!("an id of {name} is no text")))
            }
        })
    }

    fn rows(
        &self,
        mut each: impl FnMut(Value<'v>, [Option<&'v str>; N]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let columns = self.table.names();
        let index = |name: &str| {
            let index = columns.iter().position(|column| *column == name);
            index.expect("the list of tables has the columns that are searched")
        };
        let (id, indexes) = (index("id"), self.names.map(index));
        for row in self.values.chunks(columns.len()) {
            let texts = indexes.map(|index| match row[index] {
                Value::Text(text) => Some(text),
                _ => None,
            });
            each(row[id], texts)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use obeya_store::table::ColumnType;
    use obeya_store::{Store, StoreOptions};

    use super::*;
    use crate::migrate::TABLES;

    #[tokio::test]
    async fn a_copied_row_of_every_searched_table_is_indexed() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("plant.db").display());
        let store = Store::open(&url, &StoreOptions::default()).await;
        let store = store.expect("a store");
        for index in search::INDEXES {
            let table = TABLES.iter().find(|table| table.name == index.table);
            let table = table.expect("a copied table");
            let row = table.columns.iter().map(|column| match column.column_type {
                ColumnType::Int => Value::Int(7),
                ColumnType::Real => Value::Real(0.5),
                ColumnType::Text => Value::Text("Near miss"),
            });
            let row: Vec<Value<'_>> = row.collect();
            let found = store.write(move |session| {
                put(session, table, &row)?;
                let sql = format!("SELECT count(*) FROM {} WHERE rowid = 7", index.name);
                session.first(&sql, &[], |row| row.int(0))
            });
            assert_eq!(found.await.expect("read"), Some(Some(1)), "{}", index.name);
        }
    }
}
