#![doc = include_str!("../README.md")]

pub mod ast;
pub mod bind;
pub mod build;
pub mod calendar;
mod clauses;
pub mod csdl;
pub mod edm;
mod error;
pub mod functions;
mod lex;
mod limits;
mod literal;
mod nearest;
mod options;
mod parse;
mod predicate;
mod print;
pub mod search;
pub mod sql;
mod time_zone;
mod value;
mod visibility;

pub use ast::options::{OptionName, Options};
pub use bind::{Bound, BoundExpand, Context, OutColumn, ResultColumn};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use nearest::{did_you_mean, is_one_edit, nearest};
pub use options::Parameters;
pub use visibility::{RowConditions, Visibility};
