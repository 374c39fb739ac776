//! Texts of a request: parsed as ids, and shortened for messages.

/// The most characters of a request that a message repeats.
const QUOTED_CHARACTERS: usize = 40;

/// An int32 in a path: digits with an optional `-`, possibly percent-encoded.
pub fn int32(text: &str) -> Option<i32> {
    let decoded;
    let text = if text.contains('%') {
        decoded = percent_decode(text)?;
        decoded.as_str()
    } else {
        text
    };
    // `parse` alone also takes a leading `+`.
    if text.starts_with('+') {
        None
    } else {
        text.parse().ok()
    }
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// A text of the request, quoted and shortened for a message.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARACTERS) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_an_int32_and_nothing_else() {
        assert_eq!(int32("17"), Some(17));
        assert_eq!(int32("-1"), Some(-1));
        assert_eq!(int32("%31%37"), Some(17));
        assert_eq!(int32("2147483647"), Some(i32::MAX));
        for odd in [
            "2147483648",
            "+1",
            "1.0",
            "0x1",
            "",
            " 1",
            "1e3",
            "%",
            "%zz",
            "%ff",
            "١",
        ] {
            assert_eq!(int32(odd), None, "{odd}");
        }
    }
}
