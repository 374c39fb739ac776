//! Parses a JSON body into a typed value; every error names its field.
//!
//! A body is scanned for input that serde accepts (deep nesting, NUL in a text), and then parsed. A list is
//! parsed first, and scanned only if the scan could find something. serde_json itself refuses numbers out of
//! range, NaN and lone surrogates.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::objects::Objects;
use super::problem::Problem;
use super::unknown_properties::UnknownProperties;

/// The deepest nesting of arrays and objects. The deepest described body has three levels.
const MAX_DEPTH: usize = 32;

/// Parses a body. An object of none but unknown properties is refused with 400 `body.unknown_property`; with
/// `strict`, every unknown property is, and every known one in another case.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], strict: bool) -> Result<T, Problem> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Problem::malformed_body("The body is empty; expected JSON."));
    }
    scan(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let mut track = serde_path_to_error::Track::new();
    let unknown = UnknownProperties::new(strict);
    let tracked = serde_path_to_error::Deserializer::new(&mut deserializer, &mut track);
    let parsed = T::deserialize(Objects::new(tracked, &unknown));
    let value = match parsed {
        Ok(value) => value,
        Err(_) if unknown.nothing_is_known() => return Err(unknown.into_problem()),
        Err(error) => return Err(invalid_value(&error, &track.path().to_string())),
    };
    deserializer.end().map_err(|error| malformed(&error))?;
    if strict && !unknown.is_empty() {
        return Err(unknown.into_problem());
    }
    Ok(value)
}

/// A list of which at most `MOST` items are kept, so that the number of items does not decide how much memory
/// a body takes.
#[derive(Debug, PartialEq)]
pub(crate) struct BoundedList<T, const MOST: usize> {
    pub(crate) items: Vec<T>,
    /// All items of the list. All are checked.
    pub(crate) count: usize,
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for BoundedList<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self {
            items: Vec::new(),
            count: 0,
        })
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for BoundedList<T, MOST> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self, A::Error> {
        while let Some(item) = items.next_element()? {
            self.count += 1;
            if self.count <= MOST {
                self.items.push(item);
            }
        }
        Ok(self)
    }
}

/// A type whose JSON has a fixed depth below [`MAX_DEPTH`]: no property is free-form JSON or a map, and the
/// type is not recursive.
pub(crate) trait FixedDepth: DeserializeOwned {}

impl FixedDepth for i32 {}

/// Parses a body that is a list. An error names up to `most` invalid items, not only the first.
///
/// A valid list is parsed without tracking the path, which would double the cost.
pub(crate) fn parse_items<T: FixedDepth, const MOST: usize>(
    bytes: &[u8],
    strict: bool,
    most: usize,
) -> Result<BoundedList<T, MOST>, Problem> {
    if !strict && let Some(items) = parse_valid_items(bytes) {
        return Ok(items);
    }
    let first = match parse(bytes, strict) {
        Ok(items) => return Ok(items),
        Err(problem) => problem,
    };
    let mut errors = ItemErrors::<T> {
        first: None,
        count: 0,
        most,
        strict,
        item: PhantomData,
    };
    // A body that is no list, or is truncated, has its error above.
    let _ = serde_json::Deserializer::from_slice(bytes).deserialize_seq(&mut errors);
    Err(errors.first.unwrap_or(first))
}

/// The list of a body without any error. It is scanned only if the scan could find something: a NUL in a text
/// is an escape, and only the values of unknown properties nest deeper than `T`.
fn parse_valid_items<T: FixedDepth, const MOST: usize>(
    bytes: &[u8],
) -> Option<BoundedList<T, MOST>> {
    let unknown = UnknownProperties::without_places();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let items = BoundedList::deserialize(Objects::new(&mut deserializer, &unknown)).ok()?;
    deserializer.end().ok()?;
    let has_escape = bytes.contains(&b'\\');
    if (has_escape || !unknown.is_empty()) && scan(bytes).is_err() {
        return None;
    }
    Some(items)
}

/// Collects the errors of the items of a list.
struct ItemErrors<T> {
    first: Option<Problem>,
    count: usize,
    most: usize,
    strict: bool,
    item: PhantomData<T>,
}

impl<'de, T: DeserializeOwned> Visitor<'de> for &mut ItemErrors<T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0;
        while self.count < self.most
            && let Some(item) = items.next_element::<&RawValue>()?
        {
            if let Err(problem) = parse::<T>(item.get().as_bytes(), self.strict) {
                self.count += 1;
                self.first = Some(match self.first.take() {
                    Some(first) => first.with_item(index, problem),
                    None => problem.of_item(index),
                });
            }
            index += 1;
        }
        Ok(())
    }
}

/// Scans the raw text once: skips strings except for `\u0000`, and counts brackets.
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
                // Skips the escaped character, so that `\"` does not end the string and `\\u0000` is no
                // escape.
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

fn invalid_value(error: &serde_json::Error, path: &str) -> Problem {
    if error.classify() != Category::Data {
        return malformed(error);
    }
    let text = error.to_string();
    // serde_json appends the line and column; the field is more useful.
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(text, _)| text);
    let path = if path == "." { "" } else { path };
    let named = |start| text.strip_prefix(start)?.split_once('`');
    let (path, name, text) = match (named("missing field `"), named("duplicate field `")) {
        // serde reports a missing field at its parent; clients look for it under its own name.
        (Some((name, _)), _) => (path, name, "is required".to_owned()),
        // The path ends with the key as spelled in the body; clients look for the name of the property.
        (None, Some((name, spellings))) => {
            let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
            (parent, name, format!("is given more than once{spellings}"))
        }
        (None, None) => (path, "", in_json_terms(text)),
    };
    match (path, name) {
        ("", "") => Problem::invalid_body("body", text),
        ("", name) => Problem::invalid_body(name, text),
        (path, "") => Problem::invalid_body(path, text),
        (path, name) => Problem::invalid_body(&format!("{path}.{name}"), text),
    }
}

/// Translates serde's message from Rust's terms to those of JSON: `expected struct CauseInput` means an
/// object to the author of the body.
fn in_json_terms(text: &str) -> String {
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

    impl FixedDepth for Item {}
    impl FixedDepth for String {}

    #[derive(Debug, Deserialize, PartialEq)]
    struct Body {
        title: String,
        #[serde(default)]
        items: Vec<Item>,
    }

    /// The code and the fields of the problem.
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

    /// The message for the first field of a refused body.
    fn first_text(body: &[u8]) -> String {
        let problem = parse::<Body>(body, false).expect_err("refused");
        problem.first_text()
    }

    #[test]
    fn properties_are_known_in_any_case() {
        let exact: Body =
            parse(br#"{"title":"a","items":[{"id":1,"amount":2.5}]}"#, true).expect("read");
        for text in [
            r#"{"Title":"a","Items":[{"Id":1,"Amount":2.5}]}"#,
            r#"{"ITEMS":[{"AMOUNT":2.5,"iD":1}],"TITLE":"a"}"#,
            r#"{"t\u0049tle":"a","item\u0053":[{"id":1,"amount":2.5}]}"#,
        ] {
            let read = parse::<Body>(text.as_bytes(), false);
            assert_eq!(read.expect("read"), exact, "{text}");
        }
        // Only ASCII letters are compared without case: the dotless i is a different letter.
        assert_eq!(
            refused("{\"t\u{131}tle\":\"a\"}".as_bytes(), false),
            "400 body.unknown_property t\u{131}tle"
        );
        assert_eq!(
            refused(
                br#"{"Title":"a","Colour":1,"Items":[{"Id":1,"Size":1}]}"#,
                true
            ),
            "400 body.unknown_property Colour Items Title items[0].Id items[0].Size"
        );
        assert_eq!(
            parse::<Body>(br#"{"Title":"a"}"#, true)
                .expect_err("refused")
                .first_text(),
            "is not a property of this body; did you mean `title`?"
        );
    }

    #[test]
    fn an_object_of_none_but_unknown_properties_is_refused() {
        for (text, named) in [
            (r#"{"tilte":"a"}"#, "tilte"),
            (r#"{"tilte":"a","colour":{"x":[1]}}"#, "colour tilte"),
            (
                r#"{"title":"a","items":[{"id":1},{"idd":1,"amnt":2}]}"#,
                "items[1].amnt items[1].idd",
            ),
        ] {
            for strict in [false, true] {
                let expected = format!("400 body.unknown_property {named}");
                assert_eq!(refused(text.as_bytes(), strict), expected, "{text}");
            }
        }
        assert_eq!(
            first_text(br#"{"tilte":"a"}"#),
            "is not a property of this body; did you mean `title`?"
        );
        assert_eq!(
            first_text(br#"{"colour":"a"}"#),
            "is not a property of this body"
        );
        // Names are not compared before the object is read to its end.
        assert_eq!(refused(br#"{"tilte":nil}"#, false), "400 body.malformed");
        assert_eq!(refused(b"{}", false), "400 body.invalid title");
        let item = br#"{"title":"a","items":[{}]}"#;
        assert_eq!(refused(item, false), "400 body.invalid items[0].id");
        assert_eq!(
            items_refused(r#"[{"id":1},{"x":1},{"y":1}]"#, false),
            "400 body.unknown_property [1].x [2].y"
        );
    }

    #[test]
    fn of_many_unknown_properties_some_are_named() {
        let many = (0..100).map(|number| format!("\"x{number:02}\":1"));
        let text = format!("{{{}}}", many.collect::<Vec<_>>().join(","));
        let named = refused(text.as_bytes(), false).matches(" x").count();
        assert_eq!(named, 20);
    }

    #[test]
    fn a_property_given_twice_is_reported_with_both_spellings() {
        for (text, field, message) in [
            (
                r#"{"title":"a","title":"b"}"#,
                "title",
                "is given more than once",
            ),
            (
                r#"{"Title":"a","Title":"b"}"#,
                "title",
                "is given more than once",
            ),
            (
                r#"{"title":"a","Title":"b"}"#,
                "title",
                "is given more than once, as `title` and as `Title`",
            ),
            (
                r#"{"title":"a","items":[{"id":1},{"ID":1,"amount":1,"Id":1}]}"#,
                "items[1].id",
                "is given more than once, as `ID` and as `Id`",
            ),
        ] {
            let expected = format!("400 body.invalid {field}");
            assert_eq!(refused(text.as_bytes(), false), expected, "{text}");
            assert_eq!(refused(text.as_bytes(), true), expected, "{text}");
            assert_eq!(first_text(text.as_bytes()), message, "{text}");
        }
        // An unknown property may be repeated.
        assert!(parse::<Body>(br#"{"title":"a","new":1,"New":2,"new":3}"#, false).is_ok());
    }

    /// The code and the fields of the problem.
    fn items_refused(text: &str, strict: bool) -> String {
        let problem = parse_items::<Item, 10>(text.as_bytes(), strict, 3).expect_err("refused");
        problem.summary()
    }

    #[test]
    fn every_item_that_is_wrong_is_named_up_to_a_number() {
        assert_eq!(
            parse_items::<Item, 10>(br#"[{"id":1},{"id":2,"more":[1]}]"#, false, 3)
                .expect("read")
                .items,
            [1, 2].map(|id| Item { id, amount: None })
        );
        let wrong = r#"[{"id":1},{"id":"x"},{"amount":1},{"id":4},7,null,[1],{"id":1,"id":1}]"#;
        assert_eq!(
            items_refused(wrong, false),
            "400 body.invalid [1].id [2].id [4]"
        );
        assert_eq!(
            parse_items::<Item, 2>(br#"[{"Id":1},{"ID":2,"AMOUNT":null}]"#, false, 3)
                .expect("read")
                .items,
            [1, 2].map(|id| Item { id, amount: None })
        );
        assert_eq!(
            items_refused(r#"[{"id":1},{"id":2,"Amount":1,"amount":2}]"#, false),
            "400 body.invalid [1].amount"
        );
        assert_eq!(items_refused("{}", false), "400 body.invalid body");
        assert_eq!(items_refused("[[1,2.5]]", false), "400 body.invalid [0]");
        for malformed in [
            "",
            "[{\"id\":1}",
            "[{\"id\":1},]",
            "[{\"id\":1}] x",
            "[{\"id\":NaN}]",
            "[\"\\u0000\"]",
        ] {
            assert_eq!(
                items_refused(malformed, false),
                "400 body.malformed",
                "{malformed}"
            );
        }
        assert_eq!(
            items_refused(
                r#"[{"id":1},{"id":2,"new":1},{"id":3,"amount":1,"b":2,"c":3}]"#,
                true
            ),
            "400 body.unknown_property [1].new [2].b [2].c"
        );
    }

    /// serde ignores what nests in an unknown property.
    #[test]
    fn a_list_is_scanned_where_serde_does_not_look() {
        let deep = |levels| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for ignored in [deep(MAX_DEPTH - 1), "\"\\u0000\"".into()] {
            let body = format!(r#"[{{"id":1}},{{"id":2,"new":{ignored}}}]"#);
            assert_eq!(items_refused(&body, false), "400 body.malformed", "{body}");
        }
        let body = format!(r#"[{{"id":1,"new":{}}}]"#, deep(MAX_DEPTH - 2));
        let read = parse_items::<Item, 10>(body.as_bytes(), false, 3);
        assert_eq!(read.expect("read").count, 1);
        let texts = parse_items::<String, 10>(br#"["a\\u0000b"]"#, false, 3);
        assert_eq!(texts.expect("read").items, ["a\\u0000b"]);
    }

    #[test]
    fn of_a_long_list_the_items_beyond_the_bound_are_checked_and_not_kept() {
        let long = format!("[{}1]", "7,".repeat(100_000));
        for strict in [false, true] {
            let list = parse_items::<i32, 10>(long.as_bytes(), strict, 3).expect("read");
            assert_eq!(list.items, [7; 10]);
            assert!(list.items.capacity() < 20, "{}", list.items.capacity());
            assert_eq!(list.count, 100_001);
            let wrong = long.replace("1]", "\"x\"]");
            let wrong = parse_items::<i32, 10>(wrong.as_bytes(), strict, 3).expect_err("refused");
            assert_eq!(wrong.summary(), "400 body.invalid [100000]");
        }
    }

    #[test]
    fn messages_are_in_the_words_of_json() {
        let text = first_text;
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
