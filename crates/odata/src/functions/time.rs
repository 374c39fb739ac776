//! Functions of dates (days), instants, times of day and durations (ticks of 100 ns).

use super::number::real;
use super::{Arg, Out, ScalarError};
use crate::calendar::{
    TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, civil_from_days,
};

fn with_int(args: &[Arg<'_>], call: impl FnOnce(i64) -> i64) -> Result<Out, ScalarError> {
    Ok(match args {
        [Arg::Int(value)] => Out::Int(call(*value)),
        _ => Out::Null,
    })
}

fn day_of(ticks: i64) -> i64 {
    ticks.div_euclid(TICKS_PER_DAY)
}

/// The ticks since midnight, also of instants before 1970.
fn clock(ticks: i64) -> i64 {
    ticks.rem_euclid(TICKS_PER_DAY)
}

/// `year` of an instant
pub(super) fn year(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |ticks| civil_from_days(day_of(ticks)).0)
}

/// `month` of an instant
pub(super) fn month(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |ticks| civil_from_days(day_of(ticks)).1)
}

/// `day` of an instant
pub(super) fn day(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |ticks| civil_from_days(day_of(ticks)).2)
}

/// `year` of a date
pub(super) fn date_year(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |days| civil_from_days(days).0)
}

/// `month` of a date
pub(super) fn date_month(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |days| civil_from_days(days).1)
}

/// `day` of a date
pub(super) fn date_day(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |days| civil_from_days(days).2)
}

/// `hour`
pub(super) fn hour(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |ticks| clock(ticks) / TICKS_PER_HOUR)
}

/// `minute`
pub(super) fn minute(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |ticks| clock(ticks) / TICKS_PER_MINUTE % 60)
}

/// `second`, whole
pub(super) fn second(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, |ticks| clock(ticks) / TICKS_PER_SECOND % 60)
}

/// `fractionalseconds`: at least 0, less than 1
pub(super) fn fraction(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    Ok(match args {
        [Arg::Int(ticks)] => {
            Out::Real((clock(*ticks) % TICKS_PER_SECOND) as f64 / TICKS_PER_SECOND as f64)
        }
        _ => Out::Null,
    })
}

/// `date`: an instant's day in UTC
pub(super) fn date(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, day_of)
}

/// `time`: an instant's time of day in UTC
pub(super) fn time_of_day(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_int(args, clock)
}

/// A date and a duration: midnight of the date, moved, and cut to its day again.
pub(super) fn date_add(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    match args {
        [Arg::Int(days), Arg::Int(ticks)] => days
            .checked_add(day_of(*ticks))
            .map(Out::Int)
            .ok_or(ScalarError::OutOfRange),
        _ => Ok(Out::Null),
    }
}

/// `totalseconds`, with the fraction
pub(super) fn total_seconds(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    Ok(match args {
        [Arg::Int(ticks)] => Out::Real(*ticks as f64 / TICKS_PER_SECOND as f64),
        _ => Out::Null,
    })
}

/// Ticks as a double, cut back to a whole number if they fit.
fn ticks(value: f64) -> Result<Out, ScalarError> {
    // 2^63 is the first double that does not fit; NaN is in no range.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        Ok(Out::Int(value.round() as i64))
    } else {
        Err(ScalarError::OutOfRange)
    }
}

/// A duration times a number; exact for whole numbers.
pub(super) fn duration_mul(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    match args {
        [Arg::Int(duration), Arg::Int(number)] => duration
            .checked_mul(*number)
            .map(Out::Int)
            .ok_or(ScalarError::OutOfRange),
        [Arg::Int(duration), Arg::Real(number)] => ticks(*duration as f64 * number),
        _ => Ok(Out::Null),
    }
}

/// A duration divided by a number.
pub(super) fn duration_div(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    match args {
        [Arg::Int(duration), number] => match real(*number) {
            Some(0.0) => Err(ScalarError::DivisionByZero),
            Some(number) => ticks(*duration as f64 / number),
            None => Ok(Out::Null),
        },
        _ => Ok(Out::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One tick before the epoch is 1969-12-31T23:59:59.9999999Z.
    #[test]
    fn instants_before_the_epoch_have_proper_parts() {
        let of = |call: fn(&[Arg<'_>]) -> Result<Out, ScalarError>| call(&[Arg::Int(-1)]).unwrap();
        for (call, expected) in [
            (year as fn(&[Arg<'_>]) -> _, 1969),
            (month, 12),
            (day, 31),
            (hour, 23),
            (minute, 59),
            (second, 59),
            (date, -1),
            (time_of_day, TICKS_PER_DAY - 1),
        ] {
            assert_eq!(of(call), Out::Int(expected));
        }
        assert_eq!(of(fraction), Out::Real(0.999_999_9));
    }

    // The specification: today plus a positive duration under a day is today; today minus it is yesterday.
    #[test]
    fn a_date_moves_by_whole_days() {
        let add = |ticks| date_add(&[Arg::Int(100), Arg::Int(ticks)]);
        assert_eq!(add(TICKS_PER_HOUR), Ok(Out::Int(100)));
        assert_eq!(add(-TICKS_PER_HOUR), Ok(Out::Int(99)));
        assert_eq!(add(2 * TICKS_PER_DAY), Ok(Out::Int(102)));
    }

    #[test]
    fn durations_scale_or_fail() {
        assert_eq!(
            duration_mul(&[Arg::Int(10), Arg::Real(2.5)]),
            Ok(Out::Int(25))
        );
        assert_eq!(
            duration_mul(&[Arg::Int(i64::MAX), Arg::Int(2)]),
            Err(ScalarError::OutOfRange)
        );
        assert_eq!(duration_div(&[Arg::Int(10), Arg::Int(4)]), Ok(Out::Int(3)));
        assert_eq!(
            duration_div(&[Arg::Int(10), Arg::Int(0)]),
            Err(ScalarError::DivisionByZero)
        );
    }
}
