//! Functions that databases lack or do differently, in plain Rust: scalar ones and aggregates.
//!
//! The store registers every entry of [`SCALARS`] and of [`AGGREGATES`] with its database in a loop; each
//! is deterministic and free of side effects. A null argument gives null, as OData defines it for every
//! function; so does one of a wrong type, which only a wrong entity model can cause.
//!
//! ```
//! use obeya_odata::functions::{Arg, Out, SCALARS, ScalarError};
//!
//! let divide = SCALARS.iter().find(|scalar| scalar.name == "odata_int_div").unwrap();
//! assert_eq!((divide.call)(&[Arg::Int(-7), Arg::Int(2)]), Ok(Out::Int(-3)));
//! assert_eq!((divide.call)(&[Arg::Int(1), Arg::Int(0)]), Err(ScalarError::DivisionByZero));
//! ```

mod aggregate;
pub(crate) mod bin;
mod cast;
mod ecmascript;
mod exact_sum;
mod number;
pub(crate) mod pattern;
pub mod postgres;
mod text;
mod time;

pub use aggregate::{AGGREGATES, Accumulator, Aggregate};

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
    /// REAL; the database stores a NaN in its own way (SQLite: as NULL).
    Real(f64),
    /// TEXT
    Text(String),
}

/// Why an evaluation failed: it depends on the rows, so it could not be refused when the query was bound.
/// Answered with 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScalarError {
    /// A whole number divided by zero, or any number's remainder by zero.
    #[error("division by zero in at least one row")]
    DivisionByZero,
    /// A result beyond 64 bits, or a date outside the calendar.
    #[error("a number or date out of range in at least one row")]
    OutOfRange,
    /// `substring` with a negative length.
    #[error("`substring` with a negative length in at least one row")]
    NegativeLength,
    /// A pattern that a database can't compile, though our own engine could.
    #[error("a pattern of `matchespattern` is too large for the database")]
    Pattern,
}

/// A function to register.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Scalar {
    /// The name in SQL.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: i32,
    /// The function.
    pub call: fn(&[Arg<'_>]) -> Result<Out, ScalarError>,
    /// How often it may pass over each byte of its texts, for functions that do so more than once. Used to
    /// bound the cost of a statement, because a call is one step to the database however long it takes.
    pub weight: u32,
}

const fn scalar(
    name: &'static str,
    arity: i32,
    call: fn(&[Arg<'_>]) -> Result<Out, ScalarError>,
) -> Scalar {
    Scalar {
        name,
        arity,
        call,
        weight: 1,
    }
}

/// A pattern is matched at many positions at a time.
const MATCHES: Scalar = Scalar {
    weight: 64,
    ..scalar("odata_matches", 3, pattern::matches)
};

/// Every function the statements of this crate may call.
pub const SCALARS: &[Scalar] = &[
    scalar("odata_lower", 1, text::lower),
    scalar("odata_upper", 1, text::upper),
    scalar("odata_trim", 1, text::trim),
    scalar("odata_substring", 2, text::substring),
    scalar("odata_substring", 3, text::substring),
    scalar("odata_starts_with", 2, text::starts_with),
    scalar("odata_ends_with", 2, text::ends_with),
    MATCHES,
    scalar("odata_int_div", 2, number::int_div),
    scalar("odata_int_mod", 2, number::int_mod),
    scalar("odata_real_div", 2, number::real_div),
    scalar("odata_real_mod", 2, number::real_mod),
    scalar("odata_narrow", 1, number::narrow),
    scalar("odata_round", 1, number::round),
    scalar("odata_floor", 1, number::floor),
    scalar("odata_ceiling", 1, number::ceiling),
    scalar("odata_year", 1, time::year),
    scalar("odata_month", 1, time::month),
    scalar("odata_day", 1, time::day),
    scalar("odata_date_year", 1, time::date_year),
    scalar("odata_date_month", 1, time::date_month),
    scalar("odata_date_day", 1, time::date_day),
    scalar("odata_hour", 1, time::hour),
    scalar("odata_minute", 1, time::minute),
    scalar("odata_second", 1, time::second),
    scalar("odata_fraction", 1, time::fraction),
    scalar("odata_date", 1, time::date),
    scalar("odata_time", 1, time::time_of_day),
    scalar("odata_bin", 3, bin::bin),
    scalar("odata_date_add", 2, time::date_add),
    scalar("odata_total_seconds", 1, time::total_seconds),
    scalar("odata_duration_mul", 2, time::duration_mul),
    scalar("odata_duration_div", 2, time::duration_div),
    scalar("odata_cast", 3, cast::cast),
];
