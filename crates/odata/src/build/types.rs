//! The types of expressions: uninhabited Rust types, used only as type parameters.
//!
//! They decide which operators exist and which operand types are allowed. Serialization is elsewhere.

use std::marker::PhantomData;

/// A type of an expression.
///
/// Other crates implement it only for their own [`InstantType`] or [`DateType`].
pub trait Type {
    /// The type of operand it may be compared with: itself, or [`Number`] for a numeric type.
    type Compared;
}

/// Types with an order: `lt`, `le`, `gt` and `ge`.
pub trait Ordered: Type {}

/// Types with a year, a month and a day, which a duration can be added to.
pub trait Calendar: Ordered {}

/// Types with an hour, a minute and a second.
pub trait Clock: Ordered {}

/// `Edm.DateTimeOffset`: instants.
///
/// [`Instant`] is one. To compare instants with the timestamp type of another crate, declare an instant type
/// and implement [`Operand`](super::Operand) of it for that timestamp type.
pub trait InstantType: Calendar + Clock + Type<Compared = Self> + Sized {
    /// The result type of `date(…)`.
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

/// Any number: the operand type of comparisons with an [`Int`] or a [`Double`].
#[derive(Debug)]
pub enum Number {}

/// `Edm.Boolean`, the type of a condition.
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

/// `Collection(Edm.String)`. It can be selected, and no operator takes it: it is no [`Type`].
#[derive(Debug)]
pub enum Texts {}

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
