//! The functions and the arithmetic of instants, days, times of day and durations. Parts of an instant are
//! those in UTC.

use super::operand::Operand;
use super::types::{
    Calendar, Clock, Double, Duration, Instant, InstantType, Int, Number, TimeOfDay,
};
use super::value::{Computed, Value};
use crate::ast::{BinaryOp, Expr, ExprKind, Literal};
use crate::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE};

/// The length of the periods of [`bin`](Value::bin).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinSize {
    /// Minutes that divide a day, such as 15. The service refuses others.
    Minutes(u16),
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A week from Monday.
    Week,
    /// A month.
    Month,
    /// A quarter of a year.
    Quarter,
    /// A year.
    Year,
}

impl BinSize {
    fn literal(self) -> Literal {
        match self {
            Self::Minutes(minutes) => Literal::Duration(i64::from(minutes) * TICKS_PER_MINUTE),
            Self::Hour => Literal::Duration(TICKS_PER_HOUR),
            Self::Day => Literal::Duration(TICKS_PER_DAY),
            Self::Week => Literal::String("week".to_owned()),
            Self::Month => Literal::String("month".to_owned()),
            Self::Quarter => Literal::String("quarter".to_owned()),
            Self::Year => Literal::String("year".to_owned()),
        }
    }
}

/// `now()`: when the service reads the request.
///
/// An [`Instant`]; for another [`InstantType`] there is [`Value::now`].
pub fn now<R>() -> Value<R, Instant> {
    Value::now()
}

impl<R, T: InstantType> Value<R, T, Computed> {
    /// `now()`: when the service reads the request.
    pub fn now() -> Self {
        Self::call("now", Vec::new())
    }

    /// `mindatetime()`: the earliest instant there is.
    pub fn min_date_time() -> Self {
        Self::call("mindatetime", Vec::new())
    }

    /// `maxdatetime()`: the latest instant there is.
    pub fn max_date_time() -> Self {
        Self::call("maxdatetime", Vec::new())
    }
}

#[expect(
    clippy::should_implement_trait,
    reason = "called as OData calls it, and without an import"
)]
impl<R, T: Calendar, K> Value<R, T, K> {
    /// `year(…)`
    pub fn year(self) -> Value<R, Int> {
        self.function("year")
    }

    /// `month(…)`, 1 to 12.
    pub fn month(self) -> Value<R, Int> {
        self.function("month")
    }

    /// `day(…)` of the month, 1 to 31.
    pub fn day(self) -> Value<R, Int> {
        self.function("day")
    }

    /// `add`: that much later.
    pub fn add(self, duration: impl Operand<Duration, R>) -> Value<R, T> {
        self.binary(BinaryOp::Add, duration.into_value().into_expr())
    }

    /// `sub`: that much earlier.
    pub fn sub(self, duration: impl Operand<Duration, R>) -> Value<R, T> {
        self.binary(BinaryOp::Sub, duration.into_value().into_expr())
    }

    /// `sub`: the time that has passed since the other; negative where that is later.
    pub fn since(self, earlier: impl Operand<T, R>) -> Value<R, Duration> {
        self.binary(BinaryOp::Sub, earlier.into_value().into_expr())
    }
}

impl<R, T: Clock, K> Value<R, T, K> {
    /// `hour(…)`, 0 to 23.
    pub fn hour(self) -> Value<R, Int> {
        self.function("hour")
    }

    /// `minute(…)`, 0 to 59.
    pub fn minute(self) -> Value<R, Int> {
        self.function("minute")
    }

    /// `second(…)`, 0 to 59.
    pub fn second(self) -> Value<R, Int> {
        self.function("second")
    }

    /// `fractionalseconds(…)`: the fraction of the second, from 0 to less than 1.
    pub fn fractional_seconds(self) -> Value<R, Double> {
        self.function("fractionalseconds")
    }
}

impl<R, T: InstantType, K> Value<R, T, K> {
    /// `bin(…,size)`: the start of the period that it falls into, in UTC.
    pub fn bin(self, size: BinSize) -> Value<R, T> {
        self.binned(size, None)
    }

    /// `bin(…,size,zone)`: the same by the clock of a time zone of the IANA database, such as `Europe/Oslo`.
    /// A day may then have 23 or 25 hours. The service refuses a name that is not known.
    pub fn bin_in(self, size: BinSize, zone: impl Into<String>) -> Value<R, T> {
        self.binned(size, Some(zone.into()))
    }

    fn binned(self, size: BinSize, zone: Option<String>) -> Value<R, T> {
        let literal = |literal| Expr {
            at: 0,
            kind: ExprKind::Literal(literal),
        };
        let mut arguments = vec![self.into_expr(), literal(size.literal())];
        arguments.extend(zone.map(|zone| literal(Literal::String(zone))));
        Value::call("bin", arguments)
    }

    /// `date(…)`: the day it falls on.
    pub fn date(self) -> Value<R, T::Date> {
        self.function("date")
    }

    /// `time(…)`: the time of that day.
    pub fn time(self) -> Value<R, TimeOfDay> {
        self.function("time")
    }

    /// `totaloffsetminutes(…)`: the UTC offset that it was written with; 0 where the service stores UTC.
    pub fn total_offset_minutes(self) -> Value<R, Int> {
        self.function("totaloffsetminutes")
    }
}

#[expect(
    clippy::should_implement_trait,
    reason = "called as OData calls it, and without an import"
)]
impl<R, K> Value<R, Duration, K> {
    /// `totalseconds(…)`
    pub fn total_seconds(self) -> Value<R, Double> {
        self.function("totalseconds")
    }

    /// `add`
    pub fn add(self, other: impl Operand<Duration, R>) -> Value<R, Duration> {
        self.binary(BinaryOp::Add, other.into_value().into_expr())
    }

    /// `sub`
    pub fn sub(self, other: impl Operand<Duration, R>) -> Value<R, Duration> {
        self.binary(BinaryOp::Sub, other.into_value().into_expr())
    }

    /// `mul`
    pub fn mul(self, factor: impl Operand<Number, R>) -> Value<R, Duration> {
        self.binary(BinaryOp::Mul, factor.into_value().into_expr())
    }

    /// `div`. The service refuses to divide by zero.
    pub fn div(self, divisor: impl Operand<Number, R>) -> Value<R, Duration> {
        self.binary(BinaryOp::Div, divisor.into_value().into_expr())
    }

    /// `-…`
    pub fn negate(self) -> Value<R, Duration> {
        Value::new(ExprKind::Negate(Box::new(self.into_expr())))
    }
}
