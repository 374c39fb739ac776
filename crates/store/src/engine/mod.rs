//! The only interface to a database: sessions, statements with bound values, and rows.
//!
//! Statements are plain SQL that every engine understands, with `?1, ?2 …` for values. Nothing here knows an
//! engine, a table or HTTP.

use std::ops::ControlFlow;

use obeya_odata::sql;

mod capabilities;
mod commit_statements;
mod write_fault;

pub use capabilities::{Capabilities, SearchIndexQueries};
pub use commit_statements::CommitStatements;
pub use write_fault::WriteFault;

/// The SQL that a session speaks, for the few statements that an engine forces to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL, and what speaks its protocol and language.
    Postgres,
}

impl Dialect {
    /// Every one there is, in the order of the enum.
    pub const ALL: [Dialect; 2] = [Dialect::Sqlite, Dialect::Postgres];

    /// Its name, as in the folder of its schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.of_queries().name()
    }

    /// The dialect of the query language's statements.
    #[must_use]
    pub fn of_queries(self) -> &'static dyn sql::Dialect {
        match self {
            Dialect::Sqlite => &sql::Sqlite,
            Dialect::Postgres => &sql::Postgres,
        }
    }
}

/// A dialect that is missing in [`Dialect::ALL`] does not compile here.
const _: () = match Dialect::ALL[0] {
    Dialect::Sqlite | Dialect::Postgres => assert!(Dialect::ALL.len() == 2),
};

/// A value bound to a placeholder.
///
/// Instants travel as ticks of 100 ns since 1970-01-01T00:00Z, dates as days since then, booleans as 0 and 1
/// (all [`Value::Int`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL.
    Null,
    /// An integer, boolean, instant or date.
    Int(i64),
    /// A double.
    Real(f64),
    /// A text, without NUL.
    Text(&'a str),
    /// Bytes, such as the content of a file.
    Bytes(&'a [u8]),
}

/// The current row of a query, valid until the callback returns. Columns count from 0; `None` is SQL NULL.
pub trait Row {
    /// An integer column.
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError>;
    /// A double column; an integer is widened.
    fn real(&self, column: usize) -> Result<Option<f64>, StoreError>;
    /// A text column.
    fn text(&self, column: usize) -> Result<Option<&str>, StoreError>;
    /// A column of bytes.
    fn bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes)),
            Value::Int(_) | Value::Real(_) | Value::Text(_) => Err(StoreError::Engine(
                format!("column {column}: expected bytes").into(),
            )),
        }
    }
    /// A column of any type.
    fn value(&self, column: usize) -> Result<Value<'_>, StoreError>;
}

impl dyn Row + '_ {
    /// A text column, owned.
    pub fn string(&self, column: usize) -> Result<Option<String>, StoreError> {
        Ok(self.text(column)?.map(str::to_owned))
    }

    /// An integer column that holds an int32, such as an id.
    pub fn int32(&self, column: usize) -> Result<Option<i32>, StoreError> {
        let wide = self.int(column)?;
        wide.map(i32::try_from)
            .transpose()
            .map_err(|error| StoreError::Engine(Box::new(error)))
    }

    /// A boolean column; NULL is false.
    pub fn flag(&self, column: usize) -> Result<bool, StoreError> {
        Ok(self.int(column)?.is_some_and(|value| value != 0))
    }
}

/// The value of a column that the schema declares NOT NULL.
pub fn present<T>(value: Option<T>) -> Result<T, StoreError> {
    value.ok_or_else(|| StoreError::Engine("a column that cannot be NULL was NULL".into()))
}

/// What to do with each row; `Break` ends the query early.
pub type EachRow<'a> = dyn FnMut(&dyn Row) -> Result<ControlFlow<()>, StoreError> + 'a;

/// A version of all data as one connection saw it. Equal views have equal rows; unequal ones may have, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The connection, by a number that is unique in this process.
    pub reader: u64,
    /// Changes with every change of the data that the connection sees.
    pub version: i64,
}

/// A connection inside a transaction, for as long as one unit of work.
pub trait Session {
    /// The SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// The differences of its engine.
    fn capabilities(&self) -> &'static dyn Capabilities;

    /// Runs a statement that returns rows.
    fn query(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError>;

    /// Runs a statement that changes rows; returns their number.
    fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64, StoreError>;

    /// Runs a statement that changes rows without returning their number. An engine over a network does not
    /// wait for it (pipelining): a later call returns its error, at the latest the commit, which then fails.
    ///
    /// # Errors
    /// The engine fails, in this statement or in one sent before.
    fn execute_deferred(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        self.execute(sql, binds).map(drop)
    }

    /// Runs a statement that sets the number `?1` before the commit of the transaction, with the last number
    /// it was given, and thus once for all jobs of the transaction. Outside of one it runs at once. A job
    /// that fails before it has changed a row may leave its number, so this is for numbers that may be too
    /// high.
    ///
    /// # Errors
    /// The engine fails, in this statement or in one sent before.
    fn execute_at_commit(&mut self, sql: &'static str, number: i64) -> Result<(), StoreError> {
        let statements = self.commit_statements();
        if statements.is_some_and(|statements| statements.add(sql, number)) {
            return Ok(());
        }
        self.execute_deferred(sql, &[number.into()])
    }

    /// The number that a statement will set at the commit; `None` if it does not wait for one.
    fn number_at_commit(&mut self, sql: &str) -> Option<i64> {
        self.commit_statements()?.number(sql)
    }

    /// What the writer runs before it commits; `None` if the session is in no transaction.
    fn commit_statements(&mut self) -> Option<&mut CommitStatements> {
        None
    }

    /// Sends a query of a write ahead of [`Session::query`] with the same text and values. Over a network
    /// several prefetched queries then cost one round trip; changes in between are not in the result. A
    /// result that is not used is dropped at the end of the write.
    ///
    /// # Errors
    /// The engine fails, in this statement or in one sent before.
    fn prefetch(&mut self, _sql: &str, _binds: &[Value<'_>]) -> Result<(), StoreError> {
        Ok(())
    }

    /// Appends an entry to the audit log: runs [`Capabilities::append_audit_entry`] with these binds. Over a
    /// network the entries of a commit are written together, before it or before a statement of the
    /// transaction that names the table of the log; an error is returned as by
    /// [`Session::execute_deferred`].
    ///
    /// # Errors
    /// The engine fails, in this statement or in one sent before.
    fn append_audit_entry(&mut self, values: &[Value<'_>; 10]) -> Result<(), StoreError> {
        self.execute_deferred(self.capabilities().append_audit_entry(), values)
    }

    /// Adds many rows to a table in the fastest way of the engine. `values` are the values of all rows, one
    /// row after another.
    ///
    /// # Errors
    /// The engine fails; some of the rows may exist until the transaction is rolled back.
    fn append(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError>;

    /// The view of the session; `None` where it can change, as in a session that writes.
    ///
    /// # Errors
    /// The engine fails.
    fn view(&mut self) -> Result<Option<View>, StoreError>;
}

impl dyn Session + '_ {
    /// The first row, mapped; `None` when there is none.
    pub fn first<T>(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut found = None;
        self.query(sql, binds, &mut |row| {
            found = Some(map(row)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Every row, mapped, in the statement's order.
    pub fn all<T>(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.query(sql, binds, &mut |row| {
            rows.push(map(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(rows)
    }
}

/// An error of the store. Callers match on the kind; the cause is for the log only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A statement exceeded its time budget.
    #[error("the statement ran past its time budget")]
    Timeout,
    /// The database cannot take work now: shutting down, locked by another process, or out of connections.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The database takes no writes now; nothing was changed.
    #[error("the database takes no writes ({0}): {1}")]
    NotWritable(WriteFault, String),
    /// A unique or foreign key was violated.
    #[error("a constraint was violated: {0}")]
    Constraint(String),
    /// The database is of a newer or unknown schema, or the file is no database.
    #[error("{0}")]
    Schema(String),
    /// The file or the schema is empty, and its tables may not be created.
    #[error("{0} holds no database of this program")]
    NoDatabase(String),
    /// The files of the database do not belong together: one was replaced, as by a backup.
    #[error("{0}")]
    Mismatch(String),
    /// A function refused a value, such as an integer division by zero.
    #[error("{0}")]
    Data(String),
    /// A statement exceeds a limit of the engine, such as the number of tables in a join.
    #[error("{0}")]
    Limit(String),
    /// The connection was lost during the commit: the changes may be stored or not.
    #[error("the commit result is unknown: the change may or may not be stored: {0}")]
    Uncertain(String),
    /// Any other error of the engine.
    #[error("the database engine failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// A copy of the error for another caller: causes cannot be cloned, but their text can.
    pub(super) fn again(&self) -> Self {
        match self {
            StoreError::Timeout => StoreError::Timeout,
            StoreError::Unavailable(text) => StoreError::Unavailable(text.clone()),
            StoreError::NotWritable(fault, text) => StoreError::NotWritable(*fault, text.clone()),
            StoreError::Constraint(text) => StoreError::Constraint(text.clone()),
            StoreError::Schema(text) => StoreError::Schema(text.clone()),
            StoreError::NoDatabase(text) => StoreError::NoDatabase(text.clone()),
            StoreError::Mismatch(text) => StoreError::Mismatch(text.clone()),
            StoreError::Data(text) => StoreError::Data(text.clone()),
            StoreError::Limit(text) => StoreError::Limit(text.clone()),
            StoreError::Uncertain(text) => StoreError::Uncertain(text.clone()),
            StoreError::Engine(cause) => StoreError::Engine(cause.to_string().into()),
        }
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Value::Int(value.into())
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Int(value.into())
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Value::Real(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Value::Bytes(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}
