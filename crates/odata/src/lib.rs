//! OData 4.01 query options: text → syntax tree → bound to an entity model → SQL with bound values.
//!
//! Pure: no I/O, no clock, no database. Each stage is a type and says what it may reject:
//!
//! | stage | type | rejects |
//! |---|---|---|
//! | query string → options | [`Options`] | encoding, unknown options, grammar, size |
//! | options → bound | [`Bound`] | unknown names, types, values, forbidden combinations |
//! | bound → SQL | [`sql::Statement`] | nothing |

pub mod ast;
pub mod bind;
mod calendar;
mod clauses;
pub mod edm;
mod error;
pub mod functions;
mod lex;
mod limits;
mod literal;
mod nearest;
mod options;
mod parse;
pub mod search;
pub mod sql;
mod value;

pub use bind::{Bound, BoundExpand, Context, OutColumn};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use options::{OptionName, Options, Parameters};
