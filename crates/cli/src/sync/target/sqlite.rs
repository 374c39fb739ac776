//! SQLite.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result};
use obeya::model::Date;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, ToSql, params_from_iter};

use super::files::lock;
use super::sql::{self, SqlEngine, quoted};
use crate::durable;
use crate::sync::row::{CellValue, ColumnSpec, TableRow};
use crate::sync::state::State;
use obeya::tables::Kind;

/// A database file, and the lock against concurrent runs.
pub(in crate::sync) struct Sqlite {
    connection: Connection,
    _lock: File,
}

impl Sqlite {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// When another run is writing the copy, or the file cannot be opened.
    pub(in crate::sync) fn open(path: &Path) -> Result<Self> {
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".sync-lock");
        let lock = lock(Path::new(&lock_path))?;
        // SQLite would create a file that everyone may read. Its `-wal` and `-shm` get the mode of the file.
        // An existing file is not opened here: closing a second handle would drop the locks that this process
        // has on it.
        if !path.exists() {
            durable::create(path)
                .with_context(|| format!("{} cannot be created", path.display()))?;
        }
        let connection = Connection::open(path)?;
        // WAL: readers do not block the run, and committed steps survive a kill. A power failure may lose the
        // last steps, together with their state.
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 30000")
            .context("it is not a SQLite database")?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Sqlite {
            connection,
            _lock: lock,
        })
    }

    /// Reads the stored state without changing the file.
    pub(in crate::sync) fn read_state(path: &Path) -> Result<Option<State>> {
        if !path.exists() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        let found = "SELECT count(*) FROM sqlite_schema WHERE name = 'obeya_sync'";
        if connection.query_row(found, [], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(None);
        }
        let text: Option<String> = connection
            .query_row(sql::SELECT_STATE, [], |row| row.get(0))
            .optional()?;
        text.map(|text| State::parse(&text)).transpose()
    }
}

impl SqlEngine for Sqlite {
    const BEGIN: &'static str = "BEGIN IMMEDIATE";

    fn type_of(kind: Kind) -> &'static str {
        match kind {
            Kind::Int | Kind::Long | Kind::Bool => "INTEGER",
            Kind::Number => "REAL",
            Kind::Text
            | Kind::DictionaryText
            | Kind::Instant
            | Kind::Day
            | Kind::Texts
            | Kind::Row(_)
            | Kind::List(_) => "TEXT",
        }
    }

    fn month_of(column: &str) -> String {
        format!("substr({column}, 1, 7)")
    }

    fn run(&mut self, sql: &str) -> Result<()> {
        Ok(self.connection.execute_batch(sql)?)
    }

    fn execute(&mut self, sql: &str, binds: &[CellValue]) -> Result<u64> {
        let changed = self
            .connection
            .execute(sql, params_from_iter(binds.iter().map(Bound)))?;
        Ok(changed as u64)
    }

    fn pairs(&mut self, sql: &str, binds: &[CellValue]) -> Result<Vec<(String, i64)>> {
        let mut statement = self.connection.prepare(sql)?;
        let binds = params_from_iter(binds.iter().map(Bound));
        let pairs = statement.query_map(binds, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs.collect::<Result<_, _>>()?)
    }

    fn append(&mut self, table: &str, columns: &[ColumnSpec], rows: &[TableRow]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        let places = vec!["?"; columns.len()].join(", ");
        let sql = format!(
            "INSERT INTO {table} ({}) VALUES ({places})",
            names.join(", ")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        for row in rows {
            statement.execute(params_from_iter(row.iter().map(Bound)))?;
        }
        Ok(())
    }

    fn tables(&mut self) -> Result<BTreeSet<String>> {
        let sql = "SELECT name, 0 FROM sqlite_schema WHERE type IN ('table', 'view')";
        let pairs = self
            .pairs(sql, &[])
            .context("it is not a SQLite database")?;
        Ok(pairs.into_iter().map(|(name, _)| name).collect())
    }

    fn columns(&mut self, table: &str) -> Result<BTreeSet<String>> {
        let sql = "SELECT name, 0 FROM pragma_table_info(?1)";
        let pairs = self.pairs(sql, &[CellValue::Text(table.to_owned())])?;
        Ok(pairs.into_iter().map(|(name, _)| name).collect())
    }
}

/// A value as a SQLite parameter. Instants and days are texts that SQLite's date functions accept and that
/// sort; instants have all seven digits.
struct Bound<'a>(&'a CellValue);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            CellValue::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            CellValue::Int(number) => (*number).into(),
            CellValue::Long(number) => (*number).into(),
            CellValue::Number(number) => (*number).into(),
            CellValue::Bool(value) => (*value).into(),
            CellValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            CellValue::Instant(instant) => instant_text(&instant.to_string()).into(),
            CellValue::Day(day) => match Date::from_days(*day) {
                Some(day) => day.to_string().into(),
                None => ToSqlOutput::Borrowed(ValueRef::Null),
            },
        })
    }
}

/// `2026-03-02T06:12:00Z` → `2026-03-02T06:12:00.0000000Z`: with all digits, texts sort in the order of time.
fn instant_text(text: &str) -> String {
    let (seconds, fraction) = text
        .trim_end_matches('Z')
        .split_once('.')
        .unwrap_or((text.trim_end_matches('Z'), ""));
    format!("{seconds}.{fraction:0<7}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_instants_are_in_the_order_of_time() {
        assert_eq!(
            instant_text("2026-03-02T06:12:00Z"),
            "2026-03-02T06:12:00.0000000Z"
        );
        assert_eq!(
            instant_text("2026-03-02T06:12:00.25Z"),
            "2026-03-02T06:12:00.2500000Z"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_its_owners_alone_and_one_that_exists_keeps_its_mode() {
        use std::fs::{Permissions, metadata, set_permissions};
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mode = |name: &str| metadata(path(name)).unwrap().permissions().mode() & 0o777;
        let open = || {
            let mut copy = Sqlite::open(&path("copy.db")).unwrap();
            copy.run("CREATE TABLE IF NOT EXISTS t (x)").unwrap();
            copy
        };
        let copy = open();
        for name in ["copy.db", "copy.db-wal", "copy.db-shm"] {
            assert_eq!(mode(name), 0o600, "{name}");
        }
        drop(copy);
        set_permissions(path("copy.db"), Permissions::from_mode(0o640)).unwrap();
        let _copy = open();
        assert_eq!(mode("copy.db"), 0o640);
    }
}
