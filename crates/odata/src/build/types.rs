//! The types an expression can have, as types of Rust that have no values.
//!
//! They decide which operators there are and what may stand beside them; what a value is written as is not
//! said here.

use std::marker::PhantomData;

/// A type of an expression.
///
/// Implemented outside this crate only for an [`InstantType`] or a [`DateType`] of one's own.
pub trait Type {
    /// What a value may be compared with: its own type, and for numbers any number.
    type Compared;
}

/// Types whose values can be told smaller and larger.
pub trait Ordered: Type {}

/// Types with a year, a month and a day, which a duration can be added to.
pub trait Calendar: Ordered {}

/// Types with an hour, a minute and a second.
pub trait Clock: Ordered {}

/// `Edm.DateTimeOffset`: instants.
///
/// [`Instant`] is one. A crate that wants instants to be compared with a timestamp of another crate declares
/// a type of its own, and implements [`Operand`](super::Operand) of that type for the timestamp.
pub trait InstantType: Calendar + Clock + Type<Compared = Self> + Sized {
    /// What `date(…)` gives.
    type Date: DateType;
}

/// `Edm.Date`: days. [`Date`] is one; see [`InstantType`] for others.
pub trait DateType: Calendar + Type<Compared = Self> + Sized {}

/// `Edm.String`.
#[derive(Debug)]
pub enum Text {}

/// `Edm.Int32` and `Edm.Int64`.
#[derive(Debug)]
pub enum Int {}

/// `Edm.Double`.
#[derive(Debug)]
pub enum Double {}

/// A number of either kind, as what an [`Int`] or a [`Double`] may be compared with.
#[derive(Debug)]
pub enum Number {}

/// `Edm.Boolean`, which is what a condition has.
#[derive(Debug)]
pub enum Boolean {}

/// `Edm.DateTimeOffset`, compared with [`SystemTime`](std::time::SystemTime).
#[derive(Debug)]
pub enum Instant {}

/// `Edm.Date`, made by [`Value::from_days`](super::Value::from_days).
#[derive(Debug)]
pub enum Date {}

/// `Edm.TimeOfDay`, compared with a [`Duration`](std::time::Duration) since midnight.
#[derive(Debug)]
pub enum TimeOfDay {}

/// `Edm.Duration`, compared with [`Duration`](std::time::Duration).
#[derive(Debug)]
pub enum Duration {}

/// `Edm.Guid`, compared with its 128 bits.
#[derive(Debug)]
pub enum Guid {}

/// An enumeration, compared with `E`, whose `Display` is the member's name on the wire.
#[derive(Debug)]
pub struct Enum<E>(PhantomData<fn() -> E>);

/// Types that are compared with themselves only.
macro_rules! compared_with_itself {
    ($($name:ident),+) => {
        $(impl Type for $name {
            type Compared = Self;
        })+
    };
}

compared_with_itself!(
    Text, Number, Boolean, Instant, Date, TimeOfDay, Duration, Guid
);

impl Type for Int {
    type Compared = Number;
}

impl Type for Double {
    type Compared = Number;
}

impl<E> Type for Enum<E> {
    type Compared = Self;
}

impl Ordered for Text {}
impl Ordered for Int {}
impl Ordered for Double {}
impl Ordered for Number {}
impl Ordered for Instant {}
impl Ordered for Date {}
impl Ordered for TimeOfDay {}
impl Ordered for Duration {}

impl Calendar for Instant {}
impl Calendar for Date {}
impl Clock for Instant {}
impl Clock for TimeOfDay {}

impl InstantType for Instant {
    type Date = Date;
}

impl DateType for Date {}
