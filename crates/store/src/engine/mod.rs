//! The one door to a database: what a statement takes, and what a row gives.
//!
//! Statements are plain SQL that every engine understands, with `?1, ?2 …` for values. Nothing here knows an
//! engine, a table or HTTP.

use std::ops::ControlFlow;

use obeya_odata::sql;

mod capabilities;

pub use capabilities::Capabilities;

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
}

/// A row under the cursor; it is gone when the callback returns. Columns count from 0; `None` is SQL NULL.
pub trait Row {
    /// An integer column.
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError>;
    /// A double column; an integer is widened.
    fn real(&self, column: usize) -> Result<Option<f64>, StoreError>;
    /// A text column.
    fn text(&self, column: usize) -> Result<Option<&str>, StoreError>;
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

/// A state of all data as one connection saw it. Equal views have equal rows; of unequal ones nothing
/// follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The connection, by a number no other has in this process.
    pub reader: u64,
    /// Moves with every change of the data that the connection comes to see.
    pub version: i64,
}

/// A connection inside a transaction, for as long as one unit of work.
pub trait Session {
    /// The SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// What its engine does differently.
    fn capabilities(&self) -> &'static dyn Capabilities;

    /// Runs a statement that gives rows.
    fn query(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError>;

    /// Runs a statement that changes rows; the number changed.
    fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64, StoreError>;

    /// Runs a statement that changes rows, whose number nobody asks for. An engine at the end of a wire need
    /// not wait for it: what it fails with is then told by a later call, at the latest by the commit, which
    /// does not happen.
    ///
    /// # Errors
    /// What the engine says, of this statement or of one sent before.
    fn execute_deferred(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        self.execute(sql, binds).map(drop)
    }

    /// Says that a write will ask this soon, by [`Session::query`] with the same text and values. An engine
    /// at the end of a wire answers it together with whatever is asked next, so that several answers are
    /// waited for once; what is written in between is then not in it. One that nobody asks for is dropped
    /// with the write.
    ///
    /// # Errors
    /// What the engine says, of this statement or of one sent before.
    fn prefetch(&mut self, _sql: &str, _binds: &[Value<'_>]) -> Result<(), StoreError> {
        Ok(())
    }

    /// Adds rows to a table, many at a time and the fastest way there is. `values` are the rows' one after
    /// another, as many of each as there are `columns`.
    ///
    /// # Errors
    /// What the engine says; some of the rows may be there then, until the transaction is undone.
    fn append(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError>;

    /// What the session sees until it ends; `None` where that can change meanwhile, as in a session that
    /// writes.
    ///
    /// # Errors
    /// What the engine says.
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

/// Why the store did not do what it was asked. Callers match on the kind; the cause is for the log only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A statement ran past its budget.
    #[error("the statement ran past its time budget")]
    Timeout,
    /// The database cannot take work now: shutting down, locked by another process, or out of connections.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// A unique or foreign key was violated.
    #[error("a constraint was violated: {0}")]
    Constraint(String),
    /// The database is of a newer or unknown schema, or the file is no database.
    #[error("{0}")]
    Schema(String),
    /// The files of the database do not belong together: one was replaced, as by a backup.
    #[error("{0}")]
    Mismatch(String),
    /// A value a registered function refused, such as an integer division by zero.
    #[error("{0}")]
    Data(String),
    /// A statement comes to more than the engine takes at once, such as tables in a join.
    #[error("{0}")]
    Limit(String),
    /// The connection was lost while the database committed: what was to be written may be there or not.
    #[error("the database did not say whether it kept the change: {0}")]
    Uncertain(String),
    /// Anything else the engine said.
    #[error("the database engine failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// The same failure once more, for the next one it concerns: causes cannot be cloned, their text can.
    pub(super) fn again(&self) -> Self {
        match self {
            StoreError::Timeout => StoreError::Timeout,
            StoreError::Unavailable(text) => StoreError::Unavailable(text.clone()),
            StoreError::Constraint(text) => StoreError::Constraint(text.clone()),
            StoreError::Schema(text) => StoreError::Schema(text.clone()),
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

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}
