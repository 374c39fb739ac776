//! Aggregate functions that databases lack or do differently, in plain Rust.
//!
//! Nulls are ignored, and the result without any other value is null. A result does not depend on the order
//! of the values.

use super::exact_sum::ExactSum;
use super::number::real;
use super::{Arg, Out, ScalarError};

/// An aggregate function of one argument to register.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Aggregate {
    /// The name in SQL.
    pub name: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Of whole numbers, as one.
    Sum,
    /// Of whole numbers, as a double.
    Average,
    /// Of doubles.
    RealSum,
    RealAverage,
    /// Of doubles, as a text that the sums of doubles take as a value.
    ExactSum,
}

/// Every aggregate function the statements of this crate may call on a database without its own.
pub const AGGREGATES: &[Aggregate] = &[
    aggregate("odata_sum", Kind::Sum),
    aggregate("odata_average", Kind::Average),
    aggregate("odata_real_sum", Kind::RealSum),
    aggregate("odata_real_average", Kind::RealAverage),
    aggregate("odata_exact_sum", Kind::ExactSum),
];

const fn aggregate(name: &'static str, kind: Kind) -> Aggregate {
    Aggregate { name, kind }
}

/// The values of one group.
#[derive(Debug)]
pub struct Accumulator {
    sum: Sum,
    kind: Kind,
    /// The number of values.
    count: u64,
}

#[derive(Debug)]
enum Sum {
    /// 2^63 numbers of 64 bits do not pass its range.
    Whole(i128),
    Real(Box<ExactSum>),
}

impl Aggregate {
    /// A group without values.
    #[must_use]
    pub fn start(&self) -> Accumulator {
        Accumulator {
            sum: match self.kind {
                Kind::Sum | Kind::Average => Sum::Whole(0),
                Kind::RealSum | Kind::RealAverage | Kind::ExactSum => {
                    Sum::Real(Box::new(ExactSum::new()))
                }
            },
            kind: self.kind,
            count: 0,
        }
    }
}

impl Accumulator {
    /// Adds the value of a row. Null is ignored, and so is a value of a wrong type, which only a wrong entity
    /// model can cause.
    ///
    /// # Errors
    /// An infinite value, or a text that is no sum.
    pub fn add(&mut self, value: Arg<'_>) -> Result<(), ScalarError> {
        match (&mut self.sum, value) {
            (Sum::Whole(sum), Arg::Int(value)) => *sum += i128::from(value),
            // SQLite may store a whole double as an integer.
            (Sum::Real(sum), Arg::Int(_) | Arg::Real(_)) => {
                sum.add(real(value).unwrap_or_default())?;
            }
            (Sum::Real(sum), Arg::Text(text)) => sum.add_text(text)?,
            _ => return Ok(()),
        }
        self.count += 1;
        Ok(())
    }

    /// The result.
    ///
    /// # Errors
    /// A sum beyond 64 bits, or beyond the range of doubles.
    pub fn finish(self) -> Result<Out, ScalarError> {
        if self.count == 0 {
            return Ok(Out::Null);
        }
        let is_average = matches!(self.kind, Kind::Average | Kind::RealAverage);
        let sum = match self.sum {
            Sum::Whole(sum) if is_average => sum as f64,
            Sum::Whole(sum) => {
                return i64::try_from(sum)
                    .map(Out::Int)
                    .map_err(|_| ScalarError::OutOfRange);
            }
            Sum::Real(sum) if matches!(self.kind, Kind::ExactSum) => {
                return Ok(Out::Text(sum.into_text()));
            }
            Sum::Real(sum) => sum.rounded()?,
        };
        let divisor = if is_average { self.count as f64 } else { 1.0 };
        Ok(Out::Real(sum / divisor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, values: &[Arg<'_>]) -> Result<Out, ScalarError> {
        let function = AGGREGATES.iter().find(|it| it.name == name).unwrap();
        let mut group = function.start();
        for value in values {
            group.add(*value)?;
        }
        group.finish()
    }

    #[test]
    fn nulls_are_ignored_and_nothing_is_null() {
        for function in AGGREGATES {
            for nothing in [&[][..], &[Arg::Null, Arg::Null]] {
                assert_eq!(result(function.name, nothing), Ok(Out::Null));
            }
        }
        let whole = [Arg::Int(1), Arg::Null, Arg::Int(2)];
        let real = [Arg::Real(0.5), Arg::Null, Arg::Real(1.0)];
        assert_eq!(result("odata_sum", &whole), Ok(Out::Int(3)));
        assert_eq!(result("odata_average", &whole), Ok(Out::Real(1.5)));
        assert_eq!(result("odata_real_sum", &real), Ok(Out::Real(1.5)));
        assert_eq!(result("odata_real_average", &real), Ok(Out::Real(0.75)));
        let text = "60000p-18";
        assert_eq!(result("odata_exact_sum", &real), Ok(Out::Text(text.into())));
        let sums = [Arg::Text(text), Arg::Null, Arg::Real(1.0)];
        assert_eq!(result("odata_real_sum", &sums), Ok(Out::Real(2.5)));
    }

    #[test]
    fn only_the_whole_sum_must_fit() {
        let there_and_back = [Arg::Int(i64::MAX), Arg::Int(1), Arg::Int(-2)];
        let beyond = &there_and_back[..2];
        assert_eq!(
            result("odata_sum", &there_and_back),
            Ok(Out::Int(i64::MAX - 1))
        );
        assert_eq!(result("odata_sum", beyond), Err(ScalarError::OutOfRange));
        // 2^63 / 2
        assert_eq!(
            result("odata_average", beyond),
            Ok(Out::Real(2_f64.powi(62)))
        );
    }
}
