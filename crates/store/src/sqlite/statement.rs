//! Prepared statements, implemented directly over SQLite's C API, and their cache.
//!
//! rusqlite makes five calls for a column and checks its index each time. A page of values has 140,000
//! columns, so this module makes two or three calls instead. Everything else uses rusqlite. All `unsafe` code
//! of the service is in this file: it runs statements and does not depend on their meaning.

use std::ffi::{c_int, c_uint};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use rusqlite::{Connection, ffi};

use super::errors::store_error;
use crate::lru_cache::LruCache;
use crate::{EachRow, Row, StoreError, Value};

/// The statements prepared on one connection.
///
/// Must be dropped before its connection: a connection cannot close while it has statements.
pub(super) struct Statements(LruCache<Statement>);

impl Statements {
    /// A cache of at most `capacity` statements, and at least one.
    pub(super) fn new(capacity: usize) -> Self {
        Self(LruCache::new(capacity))
    }

    /// The statement of this text on `connection`, which must be the same connection in each call.
    pub(super) fn get(
        &mut self,
        connection: &Connection,
        sql: &str,
    ) -> Result<&mut Statement, StoreError> {
        self.0.get(sql, || Statement::prepare(connection, sql))
    }
}

/// A prepared statement; between two runs it is reset and has no bound values.
pub(super) struct Statement {
    raw: NonNull<ffi::sqlite3_stmt>,
    parameters: usize,
}

// SAFETY: SQLite built with SQLITE_THREADSAFE=1 lets a connection opened with NO_MUTEX, and its statements,
// be used from any thread as long as it is one at a time. A statement moves only with its connection, as both
// are fields of one `SqliteConnection`, and runs only through `&mut`.
unsafe impl Send for Statement {}

impl Statement {
    fn prepare(connection: &Connection, sql: &str) -> Result<Self, StoreError> {
        let length = c_int::try_from(sql.len())
            .map_err(|_| StoreError::Engine("a statement is longer than 2 GiB".into()))?;
        // SAFETY: the handle is used for this call only and nothing is closed through it.
        let database = unsafe { connection.handle() };
        let flags = ffi::SQLITE_PREPARE_PERSISTENT as c_uint;
        let (mut raw, text) = (ptr::null_mut(), sql.as_ptr().cast());
        // SAFETY: `database` is open, as `connection` is borrowed; SQLite reads `length` bytes of `text` and
        // does not retain the pointer.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(database, text, length, flags, &mut raw, ptr::null_mut())
        };
        // SAFETY: as above.
        unsafe { checked(database, code)? };
        let raw = NonNull::new(raw)
            .ok_or_else(|| StoreError::Engine("a statement has no text".into()))?;
        // SAFETY: `raw` was just prepared.
        let parameters = unsafe { ffi::sqlite3_bind_parameter_count(raw.as_ptr()) };
        Ok(Self {
            raw,
            parameters: usize::try_from(parameters).unwrap_or_default(),
        })
    }

    /// Runs it with these values and calls `each` with each row, until it breaks or fails.
    pub(super) fn run(
        &mut self,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        let run = self.start(binds)?;
        while let Some(row) = run.step()? {
            if each(&row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Runs it for each row of as many values as it has parameters. Ignores rows that it returns.
    pub(super) fn run_for_rows(&mut self, values: &[Value<'_>]) -> Result<(), StoreError> {
        let mut rows = values.chunks(self.parameters.max(1));
        let Some(first) = rows.next() else {
            return Ok(());
        };
        let mut run = self.start(first)?;
        run.step()?;
        for row in rows {
            run.reset()?;
            run.bind_all(row)?;
            run.step()?;
        }
        Ok(())
    }

    /// A run with these values.
    fn start<'v>(&'v mut self, binds: &[Value<'v>]) -> Result<Run<'v>, StoreError> {
        let mut run = Run {
            raw: self.raw,
            parameters: self.parameters,
            borrowed: PhantomData,
        };
        run.bind_all(binds)?;
        Ok(run)
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: there is no other reference to the statement, and its connection is still open (see
        // `Statements`). The result is the error of its last run, which was already returned.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

/// A running statement. `drop` resets it however the run ends, also by a panic, and clears the borrowed
/// values.
struct Run<'v> {
    raw: NonNull<ffi::sqlite3_stmt>,
    parameters: usize,
    borrowed: PhantomData<Value<'v>>,
}

impl<'v> Run<'v> {
    /// Binds a value to each parameter of the statement.
    fn bind_all(&mut self, binds: &[Value<'v>]) -> Result<(), StoreError> {
        if self.parameters != binds.len() {
            // SQLite would bind NULL for a missing value.
            let text = format!(
                "a statement takes {} values and was given {}",
                self.parameters,
                binds.len()
            );
            return Err(StoreError::Engine(text.into()));
        }
        for (parameter, value) in (1..).zip(binds) {
            self.bind(parameter, value)?;
        }
        Ok(())
    }

    fn bind(&mut self, parameter: c_int, value: &Value<'v>) -> Result<(), StoreError> {
        let raw = self.raw.as_ptr();
        // SAFETY: the statement is reset. A text and bytes are not copied (SQLITE_STATIC): they live for
        // `'v`, and `drop` clears the binding before that ends, unless another value has replaced it. By
        // `&mut self`, `'v` is that of this run, and no row of it is borrowed. An empty slice has no null
        // pointer, which would be bound as NULL.
        let code = unsafe {
            match *value {
                Value::Null => ffi::sqlite3_bind_null(raw, parameter),
                Value::Int(value) => ffi::sqlite3_bind_int64(raw, parameter, value),
                Value::Real(value) => ffi::sqlite3_bind_double(raw, parameter, value),
                Value::Text(text) => ffi::sqlite3_bind_text64(
                    raw,
                    parameter,
                    text.as_ptr().cast(),
                    text.len() as u64,
                    ffi::SQLITE_STATIC(),
                    ffi::SQLITE_UTF8 as u8,
                ),
                Value::Bytes(bytes) => ffi::sqlite3_bind_blob64(
                    raw,
                    parameter,
                    bytes.as_ptr().cast(),
                    bytes.len() as u64,
                    ffi::SQLITE_STATIC(),
                ),
            }
        };
        self.checked(code)
    }

    /// The next row; `None` at the end.
    fn step(&self) -> Result<Option<Columns<'_>>, StoreError> {
        let raw = self.raw.as_ptr();
        // SAFETY: the statement is valid, and no reference to its row exists: `Columns` borrows from `self`
        // only until its callback returns.
        let (code, count) = unsafe { (ffi::sqlite3_step(raw), ffi::sqlite3_data_count(raw)) };
        match code {
            ffi::SQLITE_ROW => Ok(Some(Columns {
                raw: self.raw,
                count,
                row: PhantomData,
            })),
            ffi::SQLITE_DONE => Ok(None),
            code => self.checked(code).map(|()| None),
        }
    }

    /// Ends the run of these values, so that others can be bound.
    fn reset(&mut self) -> Result<(), StoreError> {
        // SAFETY: the statement is valid, and no reference to a row of it exists, as `self` is borrowed
        // mutably.
        let code = unsafe { ffi::sqlite3_reset(self.raw.as_ptr()) };
        self.checked(code)
    }

    fn checked(&self, code: c_int) -> Result<(), StoreError> {
        // SAFETY: a statement belongs to an open connection.
        unsafe { checked(ffi::sqlite3_db_handle(self.raw.as_ptr()), code) }
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement is valid. The result of reset is the error of the run, which was already
        // returned.
        unsafe {
            ffi::sqlite3_reset(self.raw.as_ptr());
            ffi::sqlite3_clear_bindings(self.raw.as_ptr());
        }
    }
}

/// The current row of a statement.
struct Columns<'r> {
    raw: NonNull<ffi::sqlite3_stmt>,
    count: c_int,
    row: PhantomData<&'r ()>,
}

impl Columns<'_> {
    /// A column's value and type.
    #[inline]
    fn look(&self, column: usize) -> Result<(*mut ffi::sqlite3_value, c_int), StoreError> {
        match c_int::try_from(column) {
            // SAFETY: the statement is on a row with this column. The value is unprotected, and may be read
            // because no other thread uses the connection meanwhile; it is valid until the next step.
            Ok(index) if index < self.count => unsafe {
                let value = ffi::sqlite3_column_value(self.raw.as_ptr(), index);
                Ok((value, ffi::sqlite3_value_type(value)))
            },
            _ => Err(StoreError::Engine(
                format!("column {column}: the row has {}", self.count).into(),
            )),
        }
    }
}

impl Row for Columns<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.look(column)? {
            (_, ffi::SQLITE_NULL) => Ok(None),
            // SAFETY: see `look`.
            (value, ffi::SQLITE_INTEGER) => Ok(Some(unsafe { ffi::sqlite3_value_int64(value) })),
            (_, other) => Err(mismatch(column, "an integer", other)),
        }
    }

    fn real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        match self.look(column)? {
            (_, ffi::SQLITE_NULL) => Ok(None),
            (value, ffi::SQLITE_FLOAT | ffi::SQLITE_INTEGER) => {
                // SAFETY: see `look`. An integer is widened.
                Ok(Some(unsafe { ffi::sqlite3_value_double(value) }))
            }
            (_, other) => Err(mismatch(column, "a double", other)),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        let value = match self.look(column)? {
            (_, ffi::SQLITE_NULL) => return Ok(None),
            (value, ffi::SQLITE_TEXT) => value,
            (_, other) => return Err(mismatch(column, "a text", other)),
        };
        // SAFETY: see `look`. The text is read before its length, as SQLite requires. Its pointer is valid
        // until the next step, because nothing here converts the value to another type or encoding, and the
        // borrow of `self` ends before that.
        let bytes = unsafe {
            let text = ffi::sqlite3_value_text(value);
            let length = ffi::sqlite3_value_bytes(value);
            if text.is_null() {
                return Err(StoreError::Engine("no memory was left for a text".into()));
            }
            std::slice::from_raw_parts(text, usize::try_from(length).unwrap_or_default())
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => Err(StoreError::Engine(Box::new(error))),
        }
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        let value = match self.look(column)? {
            (_, ffi::SQLITE_NULL) => return Ok(None),
            (value, ffi::SQLITE_BLOB) => value,
            (_, other) => return Err(mismatch(column, "bytes", other)),
        };
        // SAFETY: as for a text. The pointer of an empty blob is null.
        unsafe {
            let bytes = ffi::sqlite3_value_blob(value).cast::<u8>();
            let length = usize::try_from(ffi::sqlite3_value_bytes(value)).unwrap_or_default();
            match (bytes.is_null(), length) {
                (true, 0) => Ok(Some(&[])),
                (true, _) => Err(StoreError::Engine("no memory was left for bytes".into())),
                (false, _) => Ok(Some(std::slice::from_raw_parts(bytes, length))),
            }
        }
    }

    fn value(&self, column: usize) -> Result<Value<'_>, StoreError> {
        let (value, kind) = self.look(column)?;
        Ok(match kind {
            ffi::SQLITE_NULL => Value::Null,
            // SAFETY: see `look`.
            ffi::SQLITE_INTEGER => Value::Int(unsafe { ffi::sqlite3_value_int64(value) }),
            // SAFETY: see `look`.
            ffi::SQLITE_FLOAT => Value::Real(unsafe { ffi::sqlite3_value_double(value) }),
            ffi::SQLITE_BLOB => self.bytes(column)?.into(),
            _ => self.text(column)?.into(),
        })
    }
}

#[cold]
fn mismatch(column: usize, expected: &str, found: c_int) -> StoreError {
    let found = match found {
        ffi::SQLITE_INTEGER => "an integer",
        ffi::SQLITE_FLOAT => "a double",
        ffi::SQLITE_TEXT => "a text",
        _ => "bytes",
    };
    StoreError::Engine(format!("column {column}: expected {expected}, found {found}").into())
}

/// Converts a result code of SQLite into an error with the connection's message.
///
/// # Safety
/// `database` is open, and the code came from the last call that used it.
unsafe fn checked(database: *mut ffi::sqlite3, code: c_int) -> Result<(), StoreError> {
    if code == ffi::SQLITE_OK {
        return Ok(());
    }
    // SAFETY: by the contract. SQLite returns a text that ends with NUL and is valid until the next call; it
    // is copied here.
    let message = unsafe {
        std::ffi::CStr::from_ptr(ffi::sqlite3_errmsg(database))
            .to_string_lossy()
            .into_owned()
    };
    let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message));
    Err(store_error(error))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    fn rows(
        statements: &mut Statements,
        connection: &Connection,
        sql: &str,
        binds: &[Value<'_>],
    ) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        statements
            .get(connection, sql)?
            .run(binds, &mut |row: &dyn Row| {
                found.push(row.text(0)?.unwrap_or("NULL").to_owned());
                Ok(ControlFlow::Continue(()))
            })?;
        Ok(found)
    }

    #[test]
    fn values_go_in_and_come_out_as_they_are() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statements = Statements::new(4);
        let mut seen = 0;
        let sql = "SELECT ?1, ?2, ?3, ?4, 7, ?5, ?6";
        let binds = [
            Value::Null,
            Value::Int(i64::MIN),
            Value::Real(-0.5),
            Value::Text("Åpent"),
            Value::Bytes(b"\xff\0\x89"),
            Value::Bytes(b""),
        ];
        statements
            .get(&connection, sql)
            .unwrap()
            .run(&binds, &mut |row: &dyn Row| {
                assert_eq!(
                    (row.int(0)?, row.real(0)?, row.text(0)?),
                    (None, None, None)
                );
                assert_eq!(row.int(1)?, Some(i64::MIN));
                assert_eq!(row.real(2)?, Some(-0.5));
                assert_eq!(row.text(3)?, Some("Åpent"));
                assert_eq!(row.real(4)?, Some(7.0));
                assert_eq!(row.bytes(5)?, Some(&b"\xff\0\x89"[..]));
                assert_eq!((row.bytes(6)?, row.bytes(0)?), (Some(&b""[..]), None));
                assert!(row.bytes(3).is_err() && row.text(5).is_err());
                assert!(row.int(2).is_err() && row.int(3).is_err() && row.text(1).is_err());
                assert!(row.int(7).is_err() && row.int(usize::MAX).is_err());
                seen += 1;
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(seen, 1);
    }

    #[test]
    fn a_statement_runs_for_each_row() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT")
            .unwrap();
        let mut statements = Statements::new(4);
        let mut insert = |values: &[Value<'_>]| {
            let sql = "INSERT INTO t (a, b) VALUES (?1, ?2)";
            statements
                .get(&connection, sql)
                .unwrap()
                .run_for_rows(values)
        };
        insert(&[]).unwrap();
        let (one, two) = (String::from("one"), String::from("two"));
        insert(&[1.into(), (&one).into(), 2.into(), (&two).into()]).unwrap();
        // The second row of each of these fails: the key exists, and a value is missing.
        let again = insert(&[3.into(), Value::Null, 1.into(), Value::Null]);
        assert!(matches!(again, Err(StoreError::Constraint(_))), "{again:?}");
        let short = insert(&[4.into(), Value::Null, 5.into()]);
        assert!(matches!(short, Err(StoreError::Engine(_))), "{short:?}");
        insert(&[6.into(), Value::Null]).unwrap();
        let stored = rows(
            &mut statements,
            &connection,
            "SELECT a || coalesce(b, '') FROM t",
            &[],
        );
        assert_eq!(stored.unwrap(), ["1one", "2two", "3", "4", "6"]);
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_an_error_and_no_text() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statements = Statements::new(4);
        let sql = "SELECT CAST(x'ff41' AS TEXT)";
        assert!(rows(&mut statements, &connection, sql, &[]).is_err());
    }

    #[test]
    fn a_run_that_broke_failed_or_panicked_leaves_nothing_to_the_next() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statements = Statements::new(4);
        let sql = "SELECT ?1 UNION ALL SELECT 'more' UNION ALL SELECT abs(?2)";
        let short = String::from("first");
        let both = [Value::Text(&short), Value::Int(1)];
        let statement = statements.get(&connection, sql).unwrap();
        statement
            .run(&both, &mut |_| Ok(ControlFlow::Break(())))
            .unwrap();
        // abs() of the least integer is an error of the engine, after two rows.
        let least = [Value::Text(&short), Value::Int(i64::MIN)];
        let failed = statement.run(&least, &mut |_| Ok(ControlFlow::Continue(())));
        assert!(matches!(failed, Err(StoreError::Engine(_))));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            statement.run(&both, &mut |_| panic!("a callback"))
        }));
        assert!(caught.is_err());
        drop(short);
        assert!(
            statement
                .run(&[], &mut |_| Ok(ControlFlow::Continue(())))
                .is_err()
        );
        let binds = [Value::Text("again"), Value::Null];
        let found = rows(&mut statements, &connection, sql, &binds).unwrap();
        assert_eq!(found, ["again", "more", "NULL"]);
        assert!(connection.is_autocommit() && !connection.is_busy());
    }

    #[test]
    fn all_statements_go_before_the_connection() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statements = Statements::new(2);
        for sql in ["SELECT 'a'", "SELECT 'b'", "SELECT 'a'", "SELECT 'c'"] {
            assert_eq!(
                rows(&mut statements, &connection, sql, &[]).unwrap()[0],
                sql[8..9]
            );
        }
        drop(statements);
        // Closing fails while a statement exists.
        assert!(connection.close().is_ok());
    }
}
