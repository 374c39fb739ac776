//! `Content-Disposition` of a file (RFC 6266): it is saved and never shown, under its name.

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is encoded in a parameter: all but `attr-char` (RFC 8187, 3.2.1).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// The header for a file of this name. Readers that do not know `filename*` get the name with `_` for each
/// character that a quoted text cannot have in all of them: others than ASCII, quotation marks, backslashes,
/// and the percent sign, which some readers decode.
pub(super) fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|character| match character {
            '"' | '\\' | '%' => '_',
            ' '..='~' => character,
            _ => '_',
        })
        .collect();
    let text = match plain == name {
        true => format!("attachment; filename=\"{plain}\""),
        false => {
            let encoded = utf8_percent_encode(name, ENCODED);
            format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
        }
    };
    HeaderValue::try_from(text).expect("visible ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_in_ascii_and_as_it_is() {
        for (name, expected) in [
            ("crack 1.png", "attachment; filename=\"crack 1.png\""),
            // The examples of RFC 8187, 3.2.2, in a file name.
            (
                "£ and € rates.pdf",
                "attachment; filename=\"_ and _ rates.pdf\"; filename*=UTF-8''%C2%A3%20and%20%E2%82%AC%20rates.pdf",
            ),
            (
                "a\"; filename=b%41.txt",
                "attachment; filename=\"a_; filename=b_41.txt\"; filename*=UTF-8''a%22%3B%20filename%3Db%2541.txt",
            ),
        ] {
            assert_eq!(attachment(name), expected);
        }
    }
}
