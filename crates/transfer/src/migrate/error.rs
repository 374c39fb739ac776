//! Errors of a migration, with what is needed to resolve them. Messages include no values of rows except ids:
//! other values may be secrets.

use std::fmt;

use obeya_store::StoreError;

/// Which of the two databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one that is read.
    Source,
    /// The one that is written.
    Target,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Source => "source",
            Side::Target => "target",
        })
    }
}

/// Why a migration was rolled back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The source has no record and never had one: it was probably not the one that was meant.
    #[error("the source database is empty")]
    Nothing,
    /// Both addresses are of the same database.
    #[error("source and target are the same database")]
    Same,
    /// The target contains records.
    #[error("the target is not empty: its table {table} has rows; expected a new database")]
    NotEmpty {
        /// The first table that has rows.
        table: &'static str,
    },
    /// One of the databases failed.
    #[error("the {side} database failed{}", of_table(*.table))]
    Store {
        /// Which of them.
        side: Side,
        /// The table it was about, if it was about one.
        table: Option<&'static str>,
        /// Its error.
        source: StoreError,
    },
    /// A value that cannot be copied.
    #[error("{table} {key}, column {column}, of the {side}: {reason}")]
    Value {
        /// Which of the databases holds it.
        side: Side,
        /// The table.
        table: &'static str,
        /// The key of the row.
        key: String,
        /// The column.
        column: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A row of the source refers to one that is not there.
    #[error(
        "{table} {key} of the source refers in {column} to {found}, which {referred} does not have"
    )]
    Dangling {
        /// The table.
        table: &'static str,
        /// The key of the row.
        key: String,
        /// The column.
        column: &'static str,
        /// The id it holds.
        found: String,
        /// The table that should have it.
        referred: &'static str,
    },
    /// The target refused rows of the source.
    #[error("the target refused one of the rows of {table} from {first} to {last}")]
    Refused {
        /// The table.
        table: &'static str,
        /// The key of the first of the rows that were written together.
        first: String,
        /// The key of the last one.
        last: String,
        /// The error of the target.
        source: StoreError,
    },
    /// The target differs from the source although everything was written.
    #[error("the target differs from the data written to it: {0}")]
    Different(Difference),
    /// The migration was stopped by its caller.
    #[error("stopped; the target is unchanged")]
    Stopped,
}

/// Where two databases differ.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A row is in the source alone.
    Missing {
        /// The table.
        table: &'static str,
        /// The key of the row.
        key: String,
    },
    /// A row is in the target alone.
    Added {
        /// The table.
        table: &'static str,
        /// The key of the row.
        key: String,
    },
    /// A row is not the same in both.
    Changed {
        /// The table.
        table: &'static str,
        /// The key of the row.
        key: String,
        /// The first column that differs.
        column: &'static str,
    },
    /// The digests differ, and the rows do not: one of the databases changed meanwhile.
    Unsteady {
        /// The table.
        table: &'static str,
    },
    /// The target would issue ids that the source has issued already.
    Ids {
        /// The table.
        table: &'static str,
        /// The highest id that the source has issued.
        source: i64,
        /// The highest id issued according to the target.
        target: i64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Missing { table, key } => {
                write!(f, "{table} {key} is in the source alone")
            }
            Difference::Added { table, key } => write!(f, "{table} {key} is in the target alone"),
            Difference::Changed { table, key, column } => {
                write!(f, "{table} {key} differs in {column}")
            }
            Difference::Unsteady { table } => write!(f, "{table} changed while it was read"),
            Difference::Ids {
                table,
                source,
                target,
            } => write!(
                f,
                "the last id of {table} is {source} in the source and {target} in the target"
            ),
        }
    }
}

impl MigrateError {
    /// A failure of one of the databases.
    pub(super) fn store(side: Side, source: StoreError) -> Self {
        MigrateError::Store {
            side,
            table: None,
            source,
        }
    }

    /// A failure of one of the databases about a table.
    pub(super) fn of(side: Side, table: &'static str, source: StoreError) -> Self {
        MigrateError::Store {
            side,
            table: Some(table),
            source,
        }
    }

    /// Whether a constraint of the target refused rows of the source.
    pub(super) fn is_constraint(&self) -> bool {
        let (MigrateError::Store { source, .. } | MigrateError::Refused { source, .. }) = self
        else {
            return false;
        };
        matches!(source, StoreError::Constraint(_))
    }
}

fn of_table(table: Option<&str>) -> String {
    table.map_or_else(String::new, |table| format!(" at its table {table}"))
}
