//! Scalar functions that databases lack or do differently, in plain Rust.
//!
//! The store registers every entry of [`SCALARS`] with its database in one loop; each is deterministic and free of side effects.

/// An argument as the database hands it over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg<'a> {
    /// NULL
    Null,
    /// INTEGER
    Int(i64),
    /// REAL
    Real(f64),
    /// TEXT
    Text(&'a str),
}

/// A result for the database.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    /// NULL
    Null,
    /// INTEGER
    Int(i64),
    /// REAL
    Real(f64),
    /// TEXT
    Text(String),
}

/// Why an evaluation failed: it depends on the rows, so it could not be refused when the query was bound. Answered with 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScalarError {
    /// A whole number divided by zero.
    #[error("odata: division by zero")]
    DivisionByZero,
    /// A result beyond 64 bits.
    #[error("odata: the result of an arithmetic operation is out of range")]
    OutOfRange,
    /// `substring` with a negative length.
    #[error("odata: substring was given a negative length")]
    NegativeLength,
}

/// A function to register.
#[derive(Debug, Clone, Copy)]
pub struct Scalar {
    /// The name in SQL.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: i32,
    /// The function.
    pub call: fn(&[Arg<'_>]) -> Result<Out, ScalarError>,
}

/// Every function the statements of this crate may call.
pub const SCALARS: &[Scalar] = &[];
