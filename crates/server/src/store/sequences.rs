//! The counters of the tables that give ids: no id that was ever given is given again, not even that of a record that is gone.

use super::{Dialect, Session, StoreError};

/// The highest id that a table has given, or has.
pub(crate) fn last(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let given = counter(session, table)?;
    let sql = format!("SELECT max(id) FROM {table}");
    let there = session.first(&sql, &[], |row| row.int(0))?;
    Ok(there.flatten().unwrap_or_default().max(given))
}

/// What a table's counter stands at: the next id is a higher one.
pub(crate) fn counter(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let sql = match session.dialect() {
        Dialect::Sqlite => format!("SELECT max(seq) FROM sqlite_sequence WHERE name = '{table}'"),
        Dialect::Postgres => {
            let sql = "SELECT pg_get_serial_sequence(CAST(?1 AS text), 'id')";
            let name = session.first(sql, &[table.into()], |row| row.string(0))?;
            // The server gives the name ready for use, in quotes where it needs them.
            let name = name.flatten().ok_or_else(|| {
                StoreError::Schema(format!("the table {table} has no sequence of ids"))
            })?;
            format!("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {name}")
        }
    };
    let given = session.first(&sql, &[], |row| row.int(0))?;
    Ok(given.flatten().unwrap_or_default())
}

/// Moves a table's counter on, if it stands lower. On PostgreSQL it stays so whatever becomes of the transaction: to be done at the end.
pub(crate) fn pass(session: &mut dyn Session, table: &str, last: i64) -> Result<(), StoreError> {
    if counter(session, table)? >= last {
        return Ok(());
    }
    let binds = [table.into(), last.into()];
    match session.dialect() {
        Dialect::Sqlite => {
            let update = "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1";
            let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            if session.execute(update, &binds)? == 0 {
                session.execute(insert, &binds)?;
            }
            Ok(())
        }
        Dialect::Postgres => {
            let sql =
                "SELECT setval(pg_get_serial_sequence(CAST(?1 AS text), 'id'), CAST(?2 AS bigint))";
            session.first(sql, &binds, |_| Ok(())).map(drop)
        }
    }
}
