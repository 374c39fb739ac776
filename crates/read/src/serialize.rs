//! JSON of values that derive `Serialize`, with numbers as [`super::json`] writes them.
//!
//! Both ways of writing must agree; serde_json alone writes some doubles differently (`1e+16` for `1e16`).

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::json;

/// The initial capacity for a record, in bytes.
const INITIAL_CAPACITY: usize = 512;

/// Compact JSON with the number format of the read engine.
struct RowNumbers;

impl Formatter for RowNumbers {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let mut text = Vec::with_capacity(24);
        json::double(&mut text, value);
        writer.write_all(&text)
    }
}

/// Serializes a value as JSON.
///
/// # Errors
/// An error of the value's `Serialize`, such as a map key that is not a string.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(INITIAL_CAPACITY);
    value.serialize(&mut Serializer::with_formatter(&mut out, RowNumbers))?;
    Ok(out)
}

/// The same as a `String`.
///
/// # Errors
/// As [`to_vec`].
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    to_vec(value).map(|bytes| String::from_utf8(bytes).expect("JSON is written as UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The double as serde_json and as the read engine write it.
    fn both(value: f64) -> (String, String) {
        let mut row = Vec::new();
        json::double(&mut row, value);
        (to_string(&value).unwrap(), String::from_utf8(row).unwrap())
    }

    fn agree(text: &str) {
        let mut row = Vec::new();
        json::string(&mut row, text);
        assert_eq!(to_vec(text).unwrap(), row, "{text:?}");
    }

    #[test]
    fn a_double_is_written_as_in_a_row() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (-1e16, "-1e16"),
            (1.5e300, "1.5e300"),
            (1e-5, "0.00001"),
            (1e-7, "1e-7"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::MIN, "-1.7976931348623157e308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (f64::NAN, "null"),
            // Only rows may be infinite, those of `$apply`: serde_json writes `null`.
        ] {
            let (serde, row) = both(value);
            assert_eq!((serde.as_str(), row.as_str()), (expected, expected));
        }
    }

    #[test]
    fn every_double_and_every_text_is_written_as_in_a_row() {
        let mut random = obeya_testkit::rng();
        for _ in 0..200_000 {
            // Random bits, a number with few digits, and one with a power of ten.
            let bits = f64::from_bits(random.u64(..));
            let short = random.i32(..) as f64 / 10_f64.powi(random.i32(0..5));
            let power = random.u32(1..10_000) as f64 * 10_f64.powi(random.i32(-30..30));
            for value in [bits, short, power] {
                let (serde, row) = both(value);
                assert_eq!(serde, row, "{:#x}", value.to_bits());
                if value.is_finite() {
                    let back: f64 = serde.parse().unwrap();
                    assert_eq!(back.to_bits(), value.to_bits(), "{serde}");
                }
            }
        }
        (0..=u32::from(char::MAX))
            .filter_map(char::from_u32)
            .for_each(|character| agree(character.encode_utf8(&mut [0; 4])));
        // Characters that need an escape at the edges of a run of plain ones, or alone.
        let alphabet: Vec<char> = "\u{0}\u{1f}\"\\/\n\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{fffd}\u{ffff}\u{10000}\u{10ffff}ab"
            .chars()
            .collect();
        for _ in 0..50_000 {
            let text: String = (0..random.usize(0..40))
                .map(|_| alphabet[random.usize(..alphabet.len())])
                .collect();
            agree(&text);
        }
    }
}
