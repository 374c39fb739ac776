//! The typed properties for query options: `filter`, `orderby`, `select` and `expand`.
//!
//! A module for each entity, generated from the specification. A misspelt name does not compile, nor a
//! comparison of a number with a text, nor a condition on groups in a list of boards.
//!
//! ```
//! use obeya::fields::{board, group_v2, incident_comment_v2, now};
//! use obeya::model::{GroupType, Timestamp};
//! use std::time::Duration;
//!
//! let teams = group_v2::level().ge(1).and(group_v2::name().contains("Weld"));
//! assert_eq!(teams.to_string(), "level ge 1 and contains(name,'Weld')");
//!
//! let weekly = group_v2::type_()
//!     .eq(GroupType::General)
//!     .and(group_v2::boards().any(|board| board.is_public().and(board.name().starts_with("Line"))));
//! assert_eq!(
//!     weekly.to_string(),
//!     "type eq 'GENERAL' and boards/any(b:b/isPublic and startswith(b/name,'Line'))"
//! );
//!
//! let since: Timestamp = "2026-03-02T06:00:00Z".parse()?;
//! let comments = incident_comment_v2::comment_date()
//!     .ge(since)
//!     .or(incident_comment_v2::incident().due_date().lt(now().add(Duration::from_secs(86_400))));
//! assert_eq!(
//!     comments.to_string(),
//!     "commentDate ge 2026-03-02T06:00:00Z or incident/dueDate lt now() add duration'P1D'"
//! );
//!
//! # async fn example(client: obeya::Client) -> obeya::Result<()> {
//! let boards = client
//!     .boards()
//!     .list()
//!     .filter(board::group().name().eq("Assembly"))
//!     .orderby((board::board_type().asc(), board::name().desc()))
//!     .select((board::id(), board::name()))
//!     .expand(board::group().expand().select(group_v2::name()))
//!     .await?;
//! # Ok(())
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A word of a newer service (`Unknown`) is for answers: a request whose condition, order or expansion
//! compares with it is refused before it is sent. An option given as text is not checked; [`check_words`]
//! does it.
//!
//! What does not compile:
//!
//! ```compile_fail,E0425
//! obeya::fields::group_v2::nmae().eq("Weld");
//! ```
//!
//! ```compile_fail,E0277
//! obeya::fields::group_v2::name().eq(5);
//! ```
//!
//! ```compile_fail,E0277
//! # fn example(client: obeya::Client) {
//! client.boards().list().filter(obeya::fields::group_v2::level().ge(1));
//! # }
//! ```

use obeya_model::{Date as Day, Timestamp};
use obeya_odata::build::{Calendar, Clock, DateType, InstantType, Operand, Ordered, Type};

mod generated {
    #![allow(
        clippy::all,
        clippy::pedantic,
        clippy::restriction,
        missing_docs,
        unused_qualifications,
        rustdoc::all,
        reason = "generated; the specification carries the documentation"
    )]
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

pub use generated::*;

pub use crate::words::{Entity, UnknownWord, check_words};
pub use obeya_odata::build::{
    Aggregate, BinSize, Boolean, Clause, Compute, Double, Duration, Enum, Expand, Expansion,
    Filter, Int, Many, One, Order, Property, Select, Text, Value, all_of, any_of, count,
};

/// The type of instant properties; compared with [`Timestamp`].
#[derive(Debug)]
pub enum Instant {}

/// The type of date properties; compared with [`Date`](obeya_model::Date).
#[derive(Debug)]
pub enum Date {}

/// `now()`: the time at which the service reads the request.
pub fn now<R>() -> Value<R, Instant> {
    Value::now()
}

impl Type for Instant {
    type Compared = Self;
}

impl Ordered for Instant {}
impl Calendar for Instant {}
impl Clock for Instant {}

impl InstantType for Instant {
    type Date = Date;
}

impl Type for Date {
    type Compared = Self;
}

impl Ordered for Date {}
impl Calendar for Date {}
impl DateType for Date {}

impl<R> Operand<Instant, R> for Timestamp {
    fn into_value(self) -> Value<R, Instant> {
        Value::from_ticks(self.ticks())
    }
}

impl<R> Operand<Date, R> for Day {
    fn into_value(self) -> Value<R, Date> {
        Value::from_days(self.days().into())
    }
}
