//! Direct writes to and reads from tables, where the engines differ.

use std::fmt::Write as _;

use obeya_server::store::{Dialect, Session, Store, StoreError, Value};

/// The names of a table's columns.
pub fn columns(session: &mut dyn Session, table: &str) -> Result<Vec<String>, StoreError> {
    let sql = match session.dialect() {
        Dialect::Postgres => {
            "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?1 ORDER BY ordinal_position"
        }
        _ => "SELECT name FROM pragma_table_info(?1)",
    };
    let names = session.all(sql, &[Value::Text(table)], |row| row.string(0))?;
    Ok(names.into_iter().flatten().collect())
}

/// The rows of a table as text, in an order of their own: equal text means equal rows.
pub fn dump(session: &mut dyn Session, table: &str) -> Result<String, StoreError> {
    let columns = columns(session, table)?;
    let order: Vec<String> = (1..=columns.len()).map(|place| place.to_string()).collect();
    let sql = format!(
        "SELECT {} FROM {table} ORDER BY {}",
        columns.join(", "),
        order.join(", ")
    );
    let rows = session.all(&sql, &[], |row| {
        let values: Result<Vec<_>, _> = (0..columns.len())
            .map(|at| Ok(format!("{:?}", row.value(at)?)))
            .collect();
        values
    })?;
    let mut text = String::new();
    for row in rows {
        writeln!(text, "{table}: {}", row.join(", ")).expect("a String takes all");
    }
    Ok(text)
}

/// Adds these search terms to a row, as the code that writes records does.
pub fn put_words(
    session: &mut dyn Session,
    index: &str,
    id: i64,
    words: &str,
) -> Result<(), StoreError> {
    let sql = format!("INSERT INTO {index} (rowid, document) VALUES (?1, ?2)");
    let document = format!(" {words} ");
    session
        .execute(&sql, &[id.into(), (&document).into()])
        .map(drop)
}

/// The rows that a term index has for all of these terms.
pub async fn with_words(store: &Store, index: &str, words: &[&str]) -> Vec<i64> {
    let (sql, words) = match store.dialect() {
        Dialect::Postgres => (
            format!(
                "SELECT rowid FROM {index} WHERE words @@ CAST(CAST(?1 AS text) AS tsquery) ORDER BY rowid"
            ),
            words.join(" & "),
        ),
        _ => (
            format!("SELECT rowid FROM {index} WHERE {index} MATCH ?1 ORDER BY rowid"),
            words.join(" AND "),
        ),
    };
    let found = store.read(move |session| session.all(&sql, &[(&words).into()], |row| row.int(0)));
    let found: Result<_, StoreError> = found.await;
    found.expect("rows").into_iter().flatten().collect()
}

/// The number that a statement returns.
pub async fn number(store: &Store, sql: &str) -> i64 {
    let text = sql.to_owned();
    let number = store.read(move |session| session.first(&text, &[], |row| row.int(0)));
    let number: Result<_, StoreError> = number.await;
    number.expect(sql).flatten().expect("a number")
}
