//! `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): the client's name for one request, repeated
//! with each retry. `ops/writing.rs` decides how a repeated request is answered.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::etag::invalid_header;
use super::problem::Problem;
use obeya_read::text::quoted;

/// The header with the key of a request.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header that marks the answer to a request that was already carried out.
pub(crate) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The most characters of a key.
const KEY_MAX: usize = 255;

/// The key of a request, if it has one; 400 `header.invalid` if it is malformed.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(&IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(invalid("it is given more than once"));
    }
    let text = String::from_utf8_lossy(value.as_bytes());
    match unquoted(text.trim()) {
        Some(key) if (1..=KEY_MAX).contains(&key.len()) => Ok(Some(key)),
        Some(key) => Err(invalid(format!(
            "expected 1 to {KEY_MAX} characters, found {}",
            key.len()
        ))),
        None => Err(invalid(format!(
            "expected visible ASCII characters, plain or as a string in double quotes, found {}",
            quoted(&text)
        ))),
    }
}

/// The header that marks such an answer.
pub(crate) fn replayed() -> (HeaderName, HeaderValue) {
    (IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"))
}

/// The draft defines the key as a string of RFC 8941, in quotes; most existing clients send it without them.
/// Both denote the same key.
fn unquoted(text: &str) -> Option<String> {
    let is_visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let Some(inside) = text.strip_prefix('"') else {
        return (is_visible(text) && !text.contains('"')).then(|| text.to_owned());
    };
    let inside = inside.strip_suffix('"')?;
    let mut key = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => key.push(characters.next().filter(|c| matches!(c, '"' | '\\'))?),
            '"' => return None,
            other => key.push(other),
        }
    }
    is_visible(&key).then_some(key)
}

fn invalid(text: impl Into<String>) -> Problem {
    invalid_header("Idempotency-Key", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Result<Option<String>, Problem> {
        let values = values.iter().map(|value| {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header's value");
            (IDEMPOTENCY_KEY, value)
        });
        key(&values.collect())
    }

    #[test]
    fn a_key_is_read_with_and_without_quotes() {
        assert_eq!(of(&[]).expect("none"), None);
        let longest = "k".repeat(255);
        for (sent, meant) in [
            ("8e03978e-40d5", "8e03978e-40d5"),
            ("\"8e03978e-40d5\"", "8e03978e-40d5"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            (&longest, &longest),
        ] {
            assert_eq!(of(&[sent]).expect(sent).as_deref(), Some(meant));
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let long = "k".repeat(256);
        for odd in [
            "",
            "\"\"",
            "a b",
            "\"a b\"",
            "\"a",
            "a\"",
            "\"a\"b\"",
            r#""a\b""#,
            "\"\\\"",
            "ø",
            "\"a\";x=1",
            &long,
        ] {
            let problem = of(&[odd]).expect_err(odd);
            assert_eq!(
                problem.summary(),
                "400 header.invalid Idempotency-Key",
                "{odd}"
            );
        }
        assert!(of(&["a", "a"]).is_err());
    }
}
