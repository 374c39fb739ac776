//! Tests that compare the descriptions of a record: the specification, the entities, the tables and the
//! checks of the schema. Each failure names the file to edit.

mod enums;
mod properties;
mod restrictions;

use std::collections::BTreeSet;

use crate::{Session, Store, StoreError, StoreOptions};

/// Queries a fresh SQLite database. PostgreSQL's has the same columns and checks.
async fn with_store<T: Send + 'static>(
    ask: impl Fn(&mut dyn Session) -> Result<T, StoreError> + Send + 'static,
) -> T {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("plant.db").display());
    let store = Store::open(&url, &StoreOptions::default()).await.unwrap();
    store.read(move |session| ask(session)).await.unwrap()
}

/// The columns of a table or view.
fn columns(session: &mut dyn Session, table: &str) -> Result<BTreeSet<String>, StoreError> {
    let sql = "SELECT name FROM pragma_table_info(?1)";
    let names = session.all(sql, &[table.into()], |row| row.string(0))?;
    Ok(names.into_iter().flatten().collect())
}
