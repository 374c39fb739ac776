//! The sum of doubles without any error before the last step: the exact sum of their values, rounded once to
//! the nearest double, as Python's `math.fsum` defines it.
//!
//! The result does not depend on the order of the values, so every database returns the same bits, and so do
//! sums of sums that were kept exact.

use std::fmt::Write as _;

use super::ScalarError;

/// Bits of a limb. Limbs are signed and wider than that: carries wait until [`ExactSum::MOST_ADDED`] values
/// were added.
const LIMB: u32 = 32;
/// The least double is 2^-1074, the bit 0 of the lowest limb. The greatest is below 2^1024; 2^63 of it are
/// below 2^1087, which is the bit 2161.
const LIMBS: usize = 69;
/// The bit 0 of the lowest limb is 2 to the negative power of this.
const LEAST_EXPONENT: i64 = 1074;

/// A sum of doubles as a fixed-point number that holds every one of them exactly.
#[derive(Debug, Clone)]
pub(super) struct ExactSum {
    limbs: [i64; LIMBS],
    /// Values added since carries were passed on.
    added: u32,
}

impl ExactSum {
    /// Each value changes a limb by less than 2^32, so that 2^30 of them do not pass the range of a limb.
    const MOST_ADDED: u32 = 1 << 30;

    pub(super) fn new() -> Self {
        Self {
            limbs: [0; LIMBS],
            added: 0,
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// It is infinite or NaN.
    pub(super) fn add(&mut self, value: f64) -> Result<(), ScalarError> {
        if !value.is_finite() {
            return Err(ScalarError::OutOfRange);
        }
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        // At most 2047, since the value is finite.
        let exponent = (bits >> 52 & 0x7ff) as u32;
        // The value is `digits` · 2^(shift - 1074).
        let (digits, shift) = match exponent {
            0 => (fraction, 0),
            _ => (fraction | 1 << 52, exponent - 1),
        };
        let mut rest = u128::from(digits) << (shift % LIMB);
        let mut limb = (shift / LIMB) as usize;
        while rest > 0 {
            let part = (rest & 0xffff_ffff) as i64;
            self.limbs[limb] += if value.is_sign_negative() {
                -part
            } else {
                part
            };
            rest >>= LIMB;
            limb += 1;
        }
        self.count_added();
        Ok(())
    }

    /// Adds a sum that [`Self::into_text`] wrote.
    ///
    /// # Errors
    /// It is no such text, or its value is beyond any sum of doubles.
    pub(super) fn add_text(&mut self, text: &str) -> Result<(), ScalarError> {
        let parsed = parse(text).ok_or(ScalarError::OutOfRange)?;
        let places = self.limbs.get_mut(parsed.lowest_limb..).unwrap_or_default();
        let digits = parsed.digits.as_bytes().rchunks(8);
        if digits.len() > places.len() {
            return Err(ScalarError::OutOfRange);
        }
        for (limb, digits) in places.iter_mut().zip(digits) {
            let part = digits.iter().try_fold(0, |part, digit| {
                let digit = char::from(*digit).to_digit(16)?;
                Some(part << 4 | i64::from(digit))
            });
            let part = part.ok_or(ScalarError::OutOfRange)?;
            *limb += if parsed.is_negative { -part } else { part };
        }
        self.count_added();
        Ok(())
    }

    /// The sum without rounding, as a hexadecimal number with a binary exponent: `-1a8p-50` is -424 · 2^-50.
    /// The exponent is that of a limb. C's `strtod` and Python's `float.fromhex` read the same form.
    pub(super) fn into_text(mut self) -> String {
        let is_negative = self.take_sign();
        let lowest = self.limbs.iter().position(|limb| *limb != 0).unwrap_or(0);
        let top = self.limbs.iter().rposition(|limb| *limb != 0).unwrap_or(0);
        let mut text = String::from(if is_negative { "-" } else { "" });
        // No limb is negative or has more than 32 bits.
        let _ = write!(text, "{:x}", self.limbs[top]);
        for limb in self.limbs[lowest..top].iter().rev() {
            let _ = write!(text, "{limb:08x}");
        }
        let _ = write!(
            text,
            "p{}",
            lowest as i64 * i64::from(LIMB) - LEAST_EXPONENT
        );
        text
    }

    /// The nearest double; the one with an even last bit if two are as near.
    ///
    /// # Errors
    /// No double is as great.
    pub(super) fn rounded(mut self) -> Result<f64, ScalarError> {
        let is_negative = self.take_sign();
        let Some(top) = self.limbs.iter().rposition(|limb| *limb != 0) else {
            return Ok(0.0);
        };
        // No limb is negative or has more than 32 bits.
        let length = top as u32 * LIMB + (64 - self.limbs[top].leading_zeros());
        // The bits from the one that is the last of a double; subnormal numbers have fewer above it.
        let shift = length.saturating_sub(53);
        let mut digits = 0_u64;
        for place in (shift..length).rev() {
            digits = digits << 1 | u64::from(self.bit(place));
        }
        let half = shift > 0 && self.bit(shift - 1);
        let beyond_half = half && (0..shift - 1).any(|place| self.bit(place));
        if half && (beyond_half || digits & 1 == 1) {
            // 53 ones become 2^53, which the exponent takes over.
            digits += 1;
        }
        // The first of 53 digits is implicit in a double, where it stands for one in the exponent.
        let bits = (u64::from(shift) << 52) + digits;
        let magnitude = f64::from_bits(bits);
        if !magnitude.is_finite() || shift > 2_046 {
            return Err(ScalarError::OutOfRange);
        }
        Ok(if is_negative { -magnitude } else { magnitude })
    }

    /// Makes the sum its absolute value, with limbs of 32 bits; returns whether it was negative.
    fn take_sign(&mut self) -> bool {
        self.carry();
        let is_negative = self.limbs[LIMBS - 1] < 0;
        if is_negative {
            self.limbs.iter_mut().for_each(|limb| *limb = -*limb);
            self.carry();
        }
        is_negative
    }

    /// Passes carries on before a limb can overflow.
    fn count_added(&mut self) {
        self.added += 1;
        if self.added == Self::MOST_ADDED {
            self.carry();
        }
    }

    /// Makes every limb but the last a number of 32 bits that is not negative.
    fn carry(&mut self) {
        let mut carried = 0;
        for limb in &mut self.limbs[..LIMBS - 1] {
            let whole = *limb + carried;
            *limb = whole & 0xffff_ffff;
            carried = whole >> LIMB;
        }
        self.limbs[LIMBS - 1] += carried;
        self.added = 0;
    }

    fn bit(&self, place: u32) -> bool {
        self.limbs[(place / LIMB) as usize] >> (place % LIMB) & 1 == 1
    }
}

/// A text of [`ExactSum::into_text`]. The digits are not checked.
struct Parsed<'a> {
    is_negative: bool,
    digits: &'a str,
    lowest_limb: usize,
}

fn parse(text: &str) -> Option<Parsed<'_>> {
    let (number, exponent) = text.split_once('p')?;
    let (is_negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number),
    };
    let shift = exponent.parse::<i64>().ok()?.checked_add(LEAST_EXPONENT)?;
    let is_limb = shift % i64::from(LIMB) == 0 && !digits.is_empty();
    Some(Parsed {
        is_negative,
        digits,
        lowest_limb: usize::try_from(shift / i64::from(LIMB))
            .ok()
            .filter(|_| is_limb)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> Result<f64, ScalarError> {
        let mut sum = ExactSum::new();
        for value in values {
            sum.add(*value)?;
        }
        sum.rounded()
    }

    /// The expected sums are those of Python's `math.fsum`.
    #[test]
    fn sums_are_rounded_once() {
        let least = f64::from_bits(1);
        let cases: [(&[f64], f64); 14] = [
            (&[], 0.0),
            (&[-0.0], 0.0),
            (&[0.1; 10], 1.0),
            (&[0.1, 0.2], 0.300_000_000_000_000_04),
            (&[1e16, 1.0, 1e-16], 10_000_000_000_000_002.0),
            (&[1e100, 1.0, -1e100, 1e-100, 1e50, -1.0, -1e50], 1e-100),
            (&[1e308, 1e308, -1e308], 1e308),
            (&[-1e308, 1e-320, 1e308], 1e-320),
            (&[least, least], 1e-323),
            (&[f64::MIN_POSITIVE, -least], 2.225_073_858_507_201e-308),
            (&[9_007_199_254_740_992.0, 1.0], 9_007_199_254_740_992.0),
            (&[9_007_199_254_740_994.0, 1.0], 9_007_199_254_740_996.0),
            (
                &[9_007_199_254_740_992.0, 1.0, least],
                9_007_199_254_740_994.0,
            ),
            (
                &[-9_007_199_254_740_991.0, -1.0, -0.5],
                -9_007_199_254_740_992.0,
            ),
        ];
        for (values, expected) in cases {
            let found = sum(values).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{values:?}: {found:e}");
        }
    }

    #[test]
    fn a_sum_without_a_double_is_an_error() {
        let half_an_ulp = 2_f64.powi(970);
        assert_eq!(sum(&[f64::MAX, half_an_ulp.next_down()]), Ok(f64::MAX));
        for values in [
            &[f64::MAX, half_an_ulp][..],
            &[-f64::MAX, -f64::MAX],
            &[f64::INFINITY],
            &[f64::NAN],
            &[f64::MAX; 2_000],
        ] {
            assert_eq!(sum(values), Err(ScalarError::OutOfRange));
        }
    }

    /// The expected texts are of `fractions.Fraction` in Python, written as multiples of the limb.
    #[test]
    fn a_sum_can_be_written_and_added_again() {
        for (values, expected) in [
            (&[][..], "0p-1074"),
            (&[1.0], "40000p-18"),
            (&[-424.0, 0.0], "-6a00000p-18"),
            (&[0.1, 0.2], "133333333333338000000p-82"),
            (&[f64::from_bits(1)], "1p-1074"),
            (&[1e300, -1e300, 0.5], "20000p-18"),
        ] {
            let mut of_values = ExactSum::new();
            values.iter().for_each(|it| of_values.add(*it).unwrap());
            assert_eq!(of_values.into_text(), expected, "{values:?}");
        }
        let mut random = obeya_testkit::rng();
        for _ in 0..200 {
            let values: Vec<f64> = (0..random.usize(1..40))
                .map(|_| f64::from_bits(random.u64(..)))
                .filter(|value| value.abs() < 1e300)
                .collect();
            let mut merged = ExactSum::new();
            for part in values.chunks(7) {
                let mut of_part = ExactSum::new();
                part.iter().for_each(|it| of_part.add(*it).unwrap());
                merged.add_text(&of_part.into_text()).unwrap();
            }
            assert_eq!(merged.rounded(), sum(&values), "{values:?}");
        }
    }

    #[test]
    fn other_texts_are_no_sums() {
        let beyond = format!("{}p1102", "f".repeat(17));
        for text in [
            "", "p-50", "-p-50", "1p-51", "1p-1106", "gp-50", "1p", "1", "é1p-50", &beyond,
        ] {
            let mut sum = ExactSum::new();
            assert_eq!(sum.add_text(text), Err(ScalarError::OutOfRange), "{text}");
        }
    }

    #[test]
    fn carries_are_passed_on_in_time() {
        let mut all = ExactSum::new();
        all.limbs[0] = i64::MAX >> 1;
        all.added = ExactSum::MOST_ADDED - 1;
        all.add(f64::from_bits(1)).unwrap();
        assert_eq!(all.added, 0);
        assert!(all.limbs[0] < 1 << LIMB && all.limbs[1] > 0);
        // 2^62 units of 2^-1074.
        assert_eq!(all.rounded(), Ok(2_f64.powi(62 - 1074)));
    }

    #[test]
    fn the_order_has_no_effect() {
        let mut random = obeya_testkit::rng();
        for _ in 0..200 {
            let mut values: Vec<f64> = (0..50)
                .map(|_| f64::from_bits(random.u64(..)))
                .filter(|value| value.abs() < 1e300)
                .collect();
            let first = sum(&values).unwrap();
            random.shuffle(&mut values);
            assert_eq!(sum(&values).unwrap().to_bits(), first.to_bits());
            let negated: Vec<f64> = values.iter().map(|value| -value).collect();
            assert_eq!(sum(&negated).unwrap(), -first);
        }
    }
}
