//! Writes JSON straight into a byte buffer.
//!
//! This module knows no row, entity or HTTP, and builds no tree: a value goes from its column to the bytes
//! that are sent.

/// Writes `text` as a JSON string, quotes included.
pub fn string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    // Room for the text, its quotes and a few escapes, so that the usual string grows the buffer at most
    // once.
    out.reserve(bytes.len() + 8);
    out.push(b'"');
    let mut rest = bytes;
    loop {
        let plain = plain_prefix(rest);
        out.extend_from_slice(&rest[..plain]);
        let Some(&special) = rest.get(plain) else {
            break;
        };
        escape(out, special);
        rest = &rest[plain + 1..];
    }
    out.push(b'"');
}

/// Writes a member's name and the colon behind it.
pub fn key(out: &mut Vec<u8>, name: &str) {
    string(out, name);
    out.push(b':');
}

/// Writes an integer.
pub fn int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a double as the shortest JSON number that reads back as the same double. JSON has none for an
/// infinity, which is `"INF"` or `"-INF"` (OData JSON 4.01, 7.1), and none for NaN, which is `null`, as
/// SQLite stores it.
///
/// A whole number ends in `.0`, so that readers that distinguish integers from floats (Python's `json`)
/// always see a float.
pub fn double(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        out.extend_from_slice(match value {
            f64::INFINITY => b"\"INF\"",
            f64::NEG_INFINITY => b"\"-INF\"",
            _ => b"null",
        });
    } else if let Some(thousandths) = as_thousandths(value) {
        fixed(out, thousandths);
    } else {
        out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    }
}

/// Writes `true` or `false`.
pub fn boolean(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Writes `null`.
pub fn null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

/// `value * 1000` if the value is exactly the double nearest to a number with at most three decimals.
///
/// Most measured values are, and the general algorithm for the shortest digits costs more than the rest of
/// the row. The limit bounds the digits to 15, where a decimal and its nearest double determine each other:
/// the result is the shortest form and reads back the same.
fn as_thousandths(value: f64) -> Option<i64> {
    const LIMIT: f64 = 1e11;
    if value.abs() >= LIMIT || (value == 0.0 && value.is_sign_negative()) {
        return None;
    }
    let thousandths = (value * 1000.0).round_ties_even() as i64;
    let back = thousandths as f64 / 1000.0;
    (back == value).then_some(thousandths)
}

/// Writes thousandths as a decimal with one to three digits after the point.
fn fixed(out: &mut Vec<u8>, thousandths: i64) {
    if thousandths < 0 {
        out.push(b'-');
    }
    let magnitude = thousandths.unsigned_abs();
    let mut buffer = itoa::Buffer::new();
    out.extend_from_slice(buffer.format(magnitude / 1000).as_bytes());
    let fraction = magnitude % 1000;
    let digits = [
        b'.',
        digit(fraction / 100),
        digit(fraction / 10 % 10),
        digit(fraction % 10),
    ];
    let length = match (fraction / 10 % 10, fraction % 10) {
        (0, 0) => 2,
        (_, 0) => 3,
        _ => 4,
    };
    out.extend_from_slice(&digits[..length]);
}

/// The ASCII digit of a number below 10.
fn digit(value: u64) -> u8 {
    b'0' + (value % 10).to_le_bytes()[0]
}

/// How many leading bytes need no escape. Eight bytes at a time: most strings have no special byte at all.
fn plain_prefix(bytes: &[u8]) -> usize {
    let mut done = 0;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let mut raw = [0; 8];
        raw.copy_from_slice(word);
        let special = special_bytes(u64::from_le_bytes(raw));
        if special != 0 {
            return done + (special.trailing_zeros() / 8) as usize;
        }
        done += 8;
    }
    done + words
        .remainder()
        .iter()
        .position(|&byte| is_special(byte))
        .unwrap_or(words.remainder().len())
}

/// The high bit of each byte of `word` that is a control character, a quote or a backslash. Bits above the
/// lowest true one may be false alarms, as a borrow runs upwards; only the lowest is used.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & HIGH;
    below(word, 0x20)
        | below(word ^ (ONES * u64::from(b'"')), 1)
        | below(word ^ (ONES * u64::from(b'\\')), 1)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn escape(out: &mut Vec<u8>, special: u8) {
    let short = match special {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let [high, low] = [special >> 4, special & 15].map(|half| HEX[usize::from(half)]);
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_escape_what_rfc_8259_says_and_nothing_else() {
        let cases = [
            ("", r#""""#),
            ("plain", r#""plain""#),
            ("say \"oil\"", r#""say \"oil\"""#),
            ("C:\\plant", r#""C:\\plant""#),
            ("a\nb\rc\td\u{8}e\u{c}f", r#""a\nb\rc\td\be\ff""#),
            ("\u{1}\u{1f}", "\"\\u0001\\u001f\""),
            ("\u{7f}/Åpent lager 🏭", "\"\u{7f}/Åpent lager 🏭\""),
        ];
        for (text, expected) in cases {
            assert_eq!(written(|out| string(out, text)), expected);
        }
    }

    #[test]
    fn a_special_byte_is_found_at_every_place_of_a_word() {
        for length in 0..40 {
            for index in 0..length {
                for special in ['"', '\\', '\u{0}', '\u{1f}'] {
                    let mut text = "\u{20}\u{7f}é~![]#"
                        .chars()
                        .cycle()
                        .take(length)
                        .collect::<Vec<_>>();
                    text[index] = special;
                    let text: String = text.into_iter().collect();
                    let json = written(|out| string(out, &text));
                    assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
                }
            }
        }
    }

    #[test]
    fn doubles_are_the_shortest_that_read_back() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (12.0, "12.0"),
            (12.5, "12.5"),
            (-3.25, "-3.25"),
            (0.001, "0.001"),
            (-0.05, "-0.05"),
            (99.7, "99.7"),
            (1.0e15, "1000000000000000.0"),
            (1.0e300, "1e300"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::NAN, "null"),
            (f64::INFINITY, "\"INF\""),
            (f64::NEG_INFINITY, "\"-INF\""),
        ];
        for (value, expected) in cases {
            assert_eq!(written(|out| double(out, value)), expected);
        }
    }

    #[test]
    fn the_short_way_for_doubles_agrees_with_the_general_one() {
        let mut random = obeya_testkit::rng();
        for _ in 0..200_000 {
            let value = random.i64(-1_000_000_000..1_000_000_000) as f64
                / [1.0, 10.0, 100.0, 1000.0, 3.0][random.usize(0..5)];
            let general = ryu::Buffer::new().format_finite(value).to_owned();
            assert_eq!(written(|out| double(out, value)), general);
        }
    }
}
