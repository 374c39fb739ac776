//! Functions of numbers.

use super::{Arg, Out, ScalarError};

/// A number as a double, if it is one.
pub(super) fn real(arg: Arg<'_>) -> Option<f64> {
    match arg {
        Arg::Int(value) => Some(value as f64),
        Arg::Real(value) => Some(value),
        Arg::Null | Arg::Text(_) => None,
    }
}

fn integers(args: &[Arg<'_>], call: fn(i64, i64) -> Option<i64>) -> Result<Out, ScalarError> {
    match args {
        [Arg::Int(_), Arg::Int(0)] => Err(ScalarError::DivisionByZero),
        [Arg::Int(left), Arg::Int(right)] => call(*left, *right)
            .map(Out::Int)
            .ok_or(ScalarError::OutOfRange),
        // Sums of integers that pass 64 bits reach here as doubles.
        [left, right] => match (real(*left), real(*right)) {
            (Some(_), Some(_)) => Err(ScalarError::OutOfRange),
            _ => Ok(Out::Null),
        },
        _ => Ok(Out::Null),
    }
}

/// A result of whole numbers as one of 64 bits. One that passes them reaches here as a double.
pub(super) fn narrow(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    match args {
        [Arg::Int(value)] => Ok(Out::Int(*value)),
        [Arg::Real(_)] => Err(ScalarError::OutOfRange),
        _ => Ok(Out::Null),
    }
}

/// `div` of whole numbers: cut towards zero.
pub(super) fn int_div(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    integers(args, i64::checked_div)
}

/// `mod` of whole numbers: the sign is the left one's.
pub(super) fn int_mod(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    // The remainder of the smallest integer by -1 is 0, though the quotient does not fit.
    integers(args, |left, right| Some(left.wrapping_rem(right)))
}

fn reals(args: &[Arg<'_>]) -> Option<(f64, f64)> {
    match args {
        [left, right] => Some((real(*left)?, real(*right)?)),
        _ => None,
    }
}

/// `div` of doubles and `divby`: by zero it is an infinity, or NaN for zero by zero.
pub(super) fn real_div(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    Ok(reals(args).map_or(Out::Null, |(left, right)| Out::Real(left / right)))
}

/// `mod` of doubles keeps the fraction; SQLite's `%` truncates both operands to whole numbers first.
pub(super) fn real_mod(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    match reals(args) {
        Some((_, 0.0)) => Err(ScalarError::DivisionByZero),
        Some((left, right)) => Ok(Out::Real(left % right)),
        None => Ok(Out::Null),
    }
}

fn rounded(args: &[Arg<'_>], call: fn(f64) -> f64) -> Result<Out, ScalarError> {
    Ok(match args {
        [Arg::Int(value)] => Out::Int(*value),
        [Arg::Real(value)] => Out::Real(call(*value)),
        _ => Out::Null,
    })
}

/// `round`: halves away from zero.
pub(super) fn round(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    rounded(args, f64::round)
}

/// `floor`
pub(super) fn floor(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    rounded(args, f64::floor)
}

/// `ceiling`
pub(super) fn ceiling(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    rounded(args, f64::ceil)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_the_rules_of_its_types() {
        let int = |call: fn(&[Arg<'_>]) -> _, a, b| call(&[Arg::Int(a), Arg::Int(b)]);
        assert_eq!(int(int_div, -7, 2), Ok(Out::Int(-3)));
        assert_eq!(int(int_mod, -7, 3), Ok(Out::Int(-1)));
        assert_eq!(int(int_div, 1, 0), Err(ScalarError::DivisionByZero));
        assert_eq!(int(int_mod, 1, 0), Err(ScalarError::DivisionByZero));
        assert_eq!(int(int_div, i64::MIN, -1), Err(ScalarError::OutOfRange));
        assert_eq!(int(int_mod, i64::MIN, -1), Ok(Out::Int(0)));
        assert_eq!(int(real_div, 1, 0), Ok(Out::Real(f64::INFINITY)));
        assert_eq!(real_mod(&[Arg::Real(5.5), Arg::Int(2)]), Ok(Out::Real(1.5)));
        assert_eq!(
            real_mod(&[Arg::Real(5.5), Arg::Int(0)]),
            Err(ScalarError::DivisionByZero)
        );
        assert_eq!(int_div(&[Arg::Null, Arg::Int(0)]), Ok(Out::Null));
    }

    #[test]
    fn halves_round_away_from_zero() {
        for (from, to) in [(2.5, 3.0), (-0.5, -1.0), (0.49, 0.0)] {
            assert_eq!(round(&[Arg::Real(from)]), Ok(Out::Real(to)));
        }
    }
}
