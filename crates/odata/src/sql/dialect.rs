//! Where databases differ.

/// A database's SQL, where it is forced to differ from the generic text that the default methods give.
pub trait Dialect: Sync {
    /// A name for logs and tests.
    fn name(&self) -> &'static str;
}

/// SQLite with the functions of [`crate::functions::SCALARS`] registered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sqlite;

impl Dialect for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }
}
