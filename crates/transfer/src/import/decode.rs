//! Decodes a line, and turns errors of the parser into errors that name a field.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_path_to_error::Segment;

use super::error::{ImportError, Location};

/// Most characters of a value in an error.
const SHOWN: usize = 60;

/// Decodes one JSON line.
pub(super) fn json<T: DeserializeOwned>(
    location: Location<'_>,
    line: &str,
) -> Result<T, ImportError> {
    // A struct would also be decoded from an array of its fields' values.
    if !line.starts_with('{') {
        let found = serde_json::from_str::<IgnoredAny>(line)
            .map_or("text that is no JSON", |_| "JSON of another kind");
        return Err(location.line_error(found, "a JSON object"));
    }
    // Tracking the path costs time on every field, so it is only done once there is an error.
    let decoded = serde_json::from_str(line).map_err(|_| explain::<T>(location, line))?;
    // A NUL can only come in as this escape. After an escaped backslash it is plain text, which is checked
    // below.
    if line.contains("\\u0000")
        && let Ok(value) = serde_json::from_str(line)
        && let Some(field) = field_with_nul(&value, &mut String::new())
    {
        return Err(location.field_error(&field, "a NUL character", "text without NUL"));
    }
    Ok(decoded)
}

fn explain<T: DeserializeOwned>(location: Location<'_>, line: &str) -> ImportError {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Err(fault) => {
            let found = value_at(line, fault.path());
            let path = fault.path().to_string();
            let inner = fault.into_inner();
            let said = without_position(&inner.to_string()).into_owned();
            if inner.is_data() {
                data_fault(location, path, &said, &found)
            } else {
                let column = inner.column();
                location.line_error(
                    format_args!("malformed JSON at column {column} ({said})"),
                    "one JSON object on the line",
                )
            }
        }
        // The value is valid, so something follows it.
        Ok(_) => location.line_error("more text behind the object", "one JSON object on the line"),
    }
}

/// The value at a path as JSON, shortened if it is long.
fn value_at(line: &str, path: &serde_path_to_error::Path) -> String {
    let Ok(root) = serde_json::from_str::<Value>(line) else {
        return "what is not valid".to_owned();
    };
    let value = path.iter().try_fold(&root, |value, segment| match segment {
        Segment::Seq { index } => value.get(index),
        Segment::Map { key } => value.get(key),
        _ => None,
    });
    let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Removes the position that serde_json appends: it is relative to the line, and the error has the line in
/// the file.
fn without_position(message: &str) -> Cow<'_, str> {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(said, _)| said)
        .into()
}

/// The error for a message of the decoder about the field at `path`, whose value is `found`.
fn data_fault(location: Location<'_>, path: String, message: &str, found: &str) -> ImportError {
    let parent = (path != "." && !path.is_empty()).then_some(path);
    if let Some(field) = quoted(message, "missing field `") {
        return location.error(Some(inside(parent, field)), "nothing", "a value");
    }
    if let Some(field) = quoted(message, "duplicate field `") {
        return location.error(Some(inside(parent, field)), "the field twice", "it once");
    }
    if let Some(field) = quoted(message, "unknown field `") {
        let expected = message
            .split_once(", expected ")
            .map_or("no further field", |(_, expected)| expected);
        let name = parent.unwrap_or_else(|| field.to_owned());
        let expected = expected.replace("one of ", "one of the fields ");
        return location.error(Some(name), "an unknown field", expected);
    }
    // Messages of our types only have what was expected; those of serde begin with what was found.
    let expected = match message.strip_prefix("expected ") {
        Some(expected) => expected,
        None => message
            .rsplit_once(", expected ")
            .map_or("a valid value", |(_, expected)| expected),
    };
    location.error(parent, found, plain(expected))
}

fn quoted<'a>(message: &'a str, prefix: &str) -> Option<&'a str> {
    message.strip_prefix(prefix)?.split('`').next()
}

/// The path of `field` in `parent`. For a missing field the decoder has the path of its object only.
fn inside(parent: Option<String>, field: &str) -> String {
    match parent {
        // For a duplicate field the path is already the field's.
        Some(parent) if parent == field || parent.ends_with(&format!(".{field}")) => parent,
        Some(parent) => format!("{parent}.{field}"),
        None => field.to_owned(),
    }
}

/// Names of Rust types in plain English.
fn plain(expected: &str) -> Cow<'_, str> {
    match expected {
        "i32" => "an int32".into(),
        "f64" => "a number".into(),
        "a sequence" => "an array".into(),
        "a map" => "an object".into(),
        other => other.into(),
    }
}

fn field_with_nul(value: &Value, path: &mut String) -> Option<String> {
    let length = path.len();
    let mut step = |name: &str, value: &Value| {
        path.push_str(name);
        let found = field_with_nul(value, path);
        path.truncate(length);
        found
    };
    match value {
        Value::String(text) => text
            .contains('\0')
            .then(|| path.trim_start_matches('.').to_owned()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(n, item)| step(&format!("[{n}]"), item)),
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, field)| step(&format!(".{name}"), field)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
    struct Part {
        #[expect(dead_code, reason = "only its decoding is looked at")]
        part_id: i32,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
    struct Line {
        #[expect(dead_code, reason = "only its decoding is looked at")]
        id: i32,
        #[serde(default)]
        #[expect(dead_code, reason = "only its decoding is looked at")]
        title: Option<String>,
        #[serde(default)]
        #[expect(dead_code, reason = "only its decoding is looked at")]
        parts: Vec<Part>,
    }

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let location = Location {
            file: "x.jsonl",
            line: 7,
        };
        let fault = json::<Line>(location, line).expect_err("the line should be refused");
        assert_eq!(
            fault.to_string().strip_prefix("x.jsonl, line 7").unwrap(),
            expected
        );
    }

    #[test]
    fn a_fault_names_its_field() {
        check(
            r#"{"id":"7"}"#,
            ", field id: found \"7\", expected an int32",
        );
        check(
            r#"{"id":2147483648}"#,
            ", field id: found 2147483648, expected an int32",
        );
        check(
            r#"{"title":"a"}"#,
            ", field id: found nothing, expected a value",
        );
        check(
            r#"{"id":1,"parts":[{"partId":1},{"partId":true}]}"#,
            ", field parts[1].partId: found true, expected an int32",
        );
        check(
            r#"{"id":1,"parts":[{}]}"#,
            ", field parts[0].partId: found nothing, expected a value",
        );
        check(
            r#"{"id":1,"id":2}"#,
            ", field id: found the field twice, expected it once",
        );
        check(
            r#"{"id":1,"name":"a"}"#,
            ", field name: found an unknown field, expected one of the fields `id`, `title`, `parts`",
        );
    }

    #[test]
    fn a_line_that_is_no_object_is_a_fault_of_the_line() {
        check(
            "[1]",
            ": found JSON of another kind, expected a JSON object",
        );
        check(
            "id 1",
            ": found text that is no JSON, expected a JSON object",
        );
        check(
            "{\"id\":1",
            ": found malformed JSON at column 7 (EOF while parsing an object), expected one JSON object on the line",
        );
        check(
            "{\"id\":1} {}",
            ": found more text behind the object, expected one JSON object on the line",
        );
    }

    #[test]
    fn a_nul_is_found_and_an_escaped_backslash_before_u0000_is_none() {
        check(
            r#"{"id":1,"title":"a\u0000b"}"#,
            ", field title: found a NUL character, expected text without NUL",
        );
        json::<Line>(
            Location {
                file: "x.jsonl",
                line: 1,
            },
            r#"{"id":1,"title":"a\\u0000b"}"#,
        )
        .expect("six ordinary characters");
    }

    #[test]
    fn half_a_surrogate_pair_is_malformed() {
        check(
            r#"{"id":1,"title":"\ud800"}"#,
            ": found malformed JSON at column 24 (unexpected end of hex escape), expected one JSON object on the line",
        );
    }
}
