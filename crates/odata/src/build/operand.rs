//! The operands of an expression: another expression of the right type, or a Rust value.
//!
//! A value that OData cannot represent becomes the nearest one that it can. Conversions do not fail.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::{Duration as StdDuration, SystemTime};

use super::types::{
    Boolean, DateType, Double, Duration, Enum, Guid, Instant, InstantType, Int, Number, Text,
    TimeOfDay,
};
use super::value::{Computed, Value};
use crate::ast::Literal;
use crate::calendar::{MAX_TICKS, MIN_TICKS, TICKS_PER_DAY};

/// Types that can be an operand of type `T` in an expression about the entity `R`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't stand beside an expression of the type `{T}` about `{R}`",
    label = "expected a value or an expression of the type `{T}`"
)]
pub trait Operand<T, R> {
    /// The operand as an expression.
    fn into_value(self) -> Value<R, T>;
}

impl<R, T, K> Operand<T, R> for Value<R, T, K> {
    fn into_value(self) -> Value<R, T> {
        self.retyped()
    }
}

impl<R, K> Operand<Number, R> for Value<R, Int, K> {
    fn into_value(self) -> Value<R, Number> {
        self.retyped()
    }
}

impl<R, K> Operand<Number, R> for Value<R, Double, K> {
    fn into_value(self) -> Value<R, Number> {
        self.retyped()
    }
}

/// Rust types whose values are a single literal.
macro_rules! literals {
    ($($from:ty => $($to:ty),+: $literal:expr;)+) => {
        $($(impl<R> Operand<$to, R> for $from {
            fn into_value(self) -> Value<R, $to> {
                let literal: fn($from) -> Literal = $literal;
                Value::literal(literal(self))
            }
        })+)+
    };
}

literals! {
    i8 => Int, Number: |number| Literal::Int(number.into());
    i16 => Int, Number: |number| Literal::Int(number.into());
    i32 => Int, Number: |number| Literal::Int(number.into());
    i64 => Int, Number: Literal::Int;
    u8 => Int, Number: |number| Literal::Int(number.into());
    u16 => Int, Number: |number| Literal::Int(number.into());
    u32 => Int, Number: |number| Literal::Int(number.into());
    f32 => Number: |number| Literal::Double(number.into());
    f64 => Number: Literal::Double;
    bool => Boolean: Literal::Boolean;
    String => Text: Literal::String;
    &str => Text: |text| Literal::String(text.to_owned());
    &String => Text: |text| Literal::String(text.clone());
    Cow<'_, str> => Text: |text| Literal::String(text.into_owned());
    StdDuration => Duration: |duration| Literal::Duration(ticks(duration));
    StdDuration => TimeOfDay: |since_midnight| Literal::TimeOfDay(ticks(since_midnight).min(TICKS_PER_DAY - 1));
    SystemTime => Instant: |time| instant(since_1970(time));
    u128 => Guid: |bits| Literal::Guid(guid(bits));
}

impl<R, E: Display> Operand<Enum<E>, R> for E {
    fn into_value(self) -> Value<R, Enum<E>> {
        Value::literal(Literal::String(self.to_string()))
    }
}

impl<R, E: Display> Operand<Enum<E>, R> for &E {
    fn into_value(self) -> Value<R, Enum<E>> {
        Value::literal(Literal::String(self.to_string()))
    }
}

impl<R, T: InstantType> Value<R, T, Computed> {
    /// An instant: ticks of 100 ns since 1970-01-01T00:00Z. Values outside the years 0000 to 9999 become the
    /// first or the last instant of that range.
    pub fn from_ticks(ticks: i64) -> Self {
        Self::literal(instant(ticks))
    }
}

impl<R, T: DateType> Value<R, T, Computed> {
    /// A day: days since 1970-01-01. Values outside the years 0000 to 9999 become the first or the last day
    /// of that range.
    pub fn from_days(days: i64) -> Self {
        let first = MIN_TICKS / TICKS_PER_DAY;
        let last = MAX_TICKS / TICKS_PER_DAY;
        Self::literal(Literal::Date(days.clamp(first, last)))
    }
}

fn instant(ticks: i64) -> Literal {
    Literal::DateTimeOffset {
        ticks: ticks.clamp(MIN_TICKS, MAX_TICKS),
        offset_minutes: 0,
    }
}

/// Whole ticks of 100 ns, at most `i64::MAX`.
fn ticks(duration: StdDuration) -> i64 {
    i64::try_from(duration.as_nanos() / 100).unwrap_or(i64::MAX)
}

/// Ticks of 100 ns since 1970, rounded down.
fn since_1970(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => ticks(after),
        // Rounded away from zero, so that a tick begins before the instants in it.
        Err(before) => {
            let nanos = before.duration().as_nanos().div_ceil(100);
            i64::try_from(nanos).map_or(i64::MIN, |ticks| -ticks)
        }
    }
}

fn guid(bits: u128) -> String {
    let digits = format!("{bits:032x}");
    let parts = [
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..],
    ];
    parts.join("-")
}
