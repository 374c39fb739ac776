//! The bytes of a JSON body into a typed value, with every fault named by field.
//!
//! Two passes: a scan for what serde lets through (nesting, NUL in a text), then serde. Numbers out of range, NaN and lone surrogates
//! are refused by serde_json itself.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::objects::Objects;
use super::problem::Problem;

/// How deep arrays and objects may nest. The deepest described body has three levels.
const MAX_DEPTH: usize = 32;
/// How many unknown properties are named before the rest is left out.
const MAX_NAMED: usize = 20;

/// Parses a body. `strict` turns properties nobody reads into 400 `body.unknown_property`.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], strict: bool) -> Result<T, Problem> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Problem::malformed_body("The body is empty; expected JSON."));
    }
    scan(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let mut track = serde_path_to_error::Track::new();
    let tracked = Objects(serde_path_to_error::Deserializer::new(
        &mut deserializer,
        &mut track,
    ));
    let mut unknown = Vec::new();
    let parsed = if strict {
        serde_ignored::deserialize(tracked, |path| unknown.push(bracketed(&path.to_string())))
    } else {
        T::deserialize(tracked)
    };
    let value = match parsed {
        Ok(value) => value,
        Err(error) => return Err(fault(&error, &track.path().to_string())),
    };
    deserializer.end().map_err(|error| malformed(&error))?;
    if unknown.is_empty() {
        return Ok(value);
    }
    let start = Problem::new(
        http::StatusCode::BAD_REQUEST,
        "body.unknown_property",
        "The body has an unknown property",
        "",
    );
    Err(unknown.iter().take(MAX_NAMED).fold(start, |problem, path| {
        problem.field(path, "is not a property of this body")
    }))
}

/// A path of serde_ignored (`items.?.0.colour`) as serde_path_to_error writes it (`items[0].colour`).
fn bracketed(path: &str) -> String {
    let mut text = String::with_capacity(path.len() + 2);
    for segment in path.split('.').filter(|segment| *segment != "?") {
        if segment.bytes().all(|b| b.is_ascii_digit()) {
            text.extend(["[", segment, "]"]);
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(segment);
        }
    }
    text
}

/// Walks the raw text once: strings are skipped but for `\u0000`, brackets are counted.
fn scan(bytes: &[u8]) -> Result<(), Problem> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => {
                if bytes[at + 1..].starts_with(b"u0000") {
                    return Err(Problem::malformed_body(format!(
                        "A text holds the character U+0000 at byte {at}."
                    )));
                }
                // The escaped character, so that `\"` does not end the string and `\\u0000` is no escape.
                at += 1;
            }
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Problem::malformed_body(format!(
                        "The body nests deeper than {MAX_DEPTH} levels."
                    )));
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

fn fault(error: &serde_json::Error, path: &str) -> Problem {
    if error.classify() != Category::Data {
        return malformed(error);
    }
    let text = error.to_string();
    // serde_json appends the place, which the field already tells better.
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(text, _)| text);
    let path = if path == "." { "" } else { path };
    // serde reports a missing or doubled field at its parent; callers look for it under its own name.
    let named = |start| text.strip_prefix(start)?.strip_suffix('`');
    let (name, text) = match (named("missing field `"), named("duplicate field `")) {
        (Some(name), _) => (name, "is required"),
        (None, Some(name)) => (name, "is given more than once"),
        (None, None) => ("", text),
    };
    let text = in_words_of_json(text);
    match (path, name) {
        ("", "") => Problem::invalid_body("body", text),
        ("", name) => Problem::invalid_body(name, text),
        (path, "") => Problem::invalid_body(path, text),
        (path, name) => Problem::invalid_body(&format!("{path}.{name}"), text),
    }
}

/// What serde says in Rust's words, in the words of the format: `expected struct CauseInput` means an object to whoever wrote the body.
fn in_words_of_json(text: &str) -> String {
    let Some((found, expected)) = text.rsplit_once(", expected ") else {
        return text.to_owned();
    };
    let expected = match expected {
        "i32" => "an integer of 32 bits",
        "i64" | "u64" => "an integer",
        "f64" => "a number",
        "a string" | "str" | "string" => "a string",
        "a boolean" => "a boolean",
        "a sequence" => "an array",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    let found = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|start| found.strip_prefix(start))
        .unwrap_or(found);
    let found = match found {
        "sequence" => "an array",
        "map" => "an object",
        "unit value" => "null",
        other => other,
    };
    format!("expected {expected}, found {found}")
}

fn malformed(error: &serde_json::Error) -> Problem {
    Problem::malformed_body(format!("The body is not valid JSON: {error}."))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Item {
        id: i32,
        amount: Option<f64>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Body {
        title: String,
        #[serde(default)]
        items: Vec<Item>,
    }

    /// The code and the fields of the problem with which a body is refused.
    fn refused(text: &[u8], strict: bool) -> String {
        let problem = parse::<Body>(text, strict).expect_err("refused");
        problem.summary()
    }

    #[test]
    fn a_body_is_read_and_unknown_properties_are_ignored() {
        let body: Body = parse(
            br#"{"title":"a \\u0000 b","new":[{"x":1}],"items":[{"id":1,"amount":2.5}]}"#,
            false,
        )
        .expect("read");
        assert_eq!(
            body,
            Body {
                title: "a \\u0000 b".into(),
                items: vec![Item {
                    id: 1,
                    amount: Some(2.5)
                }]
            }
        );
    }

    #[test]
    fn strict_handling_names_each_unknown_property() {
        let text = br#"{"title":"a","items":[{"id":1,"colour":2}],"new":1}"#;
        assert_eq!(
            refused(text, true),
            "400 body.unknown_property items[0].colour new"
        );
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        let deep = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
        let cases: [&[u8]; 12] = [
            b"",
            b"  ",
            b"{",
            b"{\"title\":\"a\"} x",
            b"{\"title\":NaN}",
            b"{\"title\":\"a\",\"items\":[{\"id\":1,\"amount\":1e999}]}",
            b"{\"title\":\"\\ud800\"}",
            b"{\"title\":\"\\u0000\"}",
            b"{\"title\":\"a\",\"ignored\":\"x\\\\\\u0000\"}",
            b"{\"title\":\"\0\"}",
            b"{\"title\":\"\xff\"}",
            &deep,
        ];
        for text in cases {
            assert_eq!(
                refused(text, false),
                "400 body.malformed",
                "{}",
                String::from_utf8_lossy(&text[..text.len().min(60)])
            );
        }
    }

    #[test]
    fn what_breaks_the_schema_names_its_field() {
        assert_eq!(refused(b"{}", false), "400 body.invalid title");
        assert_eq!(
            refused(br#"{"title":null}"#, false),
            "400 body.invalid title"
        );
        assert_eq!(
            refused(br#"{"title":"a","title":"b"}"#, false),
            "400 body.invalid title"
        );
        assert_eq!(
            refused(br#"{"title":"a","items":[{"id":2147483648}]}"#, false),
            "400 body.invalid items[0].id"
        );
        assert_eq!(
            refused(br#"{"title":"a","items":[{}]}"#, false),
            "400 body.invalid items[0].id"
        );
        assert_eq!(
            refused(br#"{"title":"a","items":7}"#, false),
            "400 body.invalid items"
        );
        assert_eq!(refused(b"7", false), "400 body.invalid body");
    }

    #[test]
    fn messages_are_in_the_words_of_json() {
        let text = |body: &[u8]| {
            let problem = parse::<Body>(body, false).expect_err("refused");
            problem.first_text()
        };
        assert_eq!(
            text(br#"{"title":"a","items":[null]}"#),
            "expected an object, found null"
        );
        assert_eq!(
            text(br#"{"title":"a","items":{}}"#),
            "expected an array, found an object"
        );
        assert_eq!(
            text(br#"{"title":"a","items":[{"id":2147483648}]}"#),
            "expected an integer of 32 bits, found integer `2147483648`"
        );
        assert_eq!(
            text(br#"{"title":"a","items":[{"id":1,"amount":"x"}]}"#),
            "expected a number, found string \"x\""
        );
    }

    #[test]
    fn an_array_is_no_object() {
        assert_eq!(refused(br#"["a",[]]"#, false), "400 body.invalid body");
        assert_eq!(
            refused(br#"{"title":"a","items":[[1,2.5]]}"#, false),
            "400 body.invalid items[0]"
        );
    }
}
