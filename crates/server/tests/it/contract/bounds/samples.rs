//! Values at each bound and one step beyond it.

use serde_json::{Value, json};

use super::{Location, Place};
use crate::contract::schema::Described;

/// Values of one place.
pub(super) struct Samples {
    pub(super) allowed: Vec<Value>,
    pub(super) refused: Vec<Value>,
}

/// The samples of a place; nothing if nothing bounds it.
pub(super) fn samples(operation: &Described, place: &Place) -> Option<Samples> {
    let mut samples = Samples {
        allowed: Vec::new(),
        refused: Vec::new(),
    };
    let schema = place.schema;
    let number = |keyword: &str| schema[keyword].as_i64();
    if let Some(words) = schema["enum"].as_array() {
        samples.allowed.extend(words.iter().cloned());
        let others = words.iter().filter_map(Value::as_str);
        let others = others.flat_map(|word| [format!("{word}s"), word.to_lowercase()]);
        samples.refused.extend(others.map(Value::from));
    }
    if schema["pattern"].is_string() {
        samples.by_pattern(place);
    } else {
        let size = |size: i64| Value::from("ø".repeat(usize::try_from(size).expect("a length")));
        samples.add(number("minLength"), number("maxLength"), size);
    }
    samples.add(number("minimum"), number("maximum"), Value::from);
    let items = |size: i64| {
        let item = item(operation, place);
        std::iter::repeat_n(item, usize::try_from(size).expect("a size")).collect()
    };
    samples.add(number("minItems"), number("maxItems"), items);
    (!samples.allowed.is_empty()).then_some(samples)
}

impl Samples {
    /// Both ends of a range, as far as they are there.
    fn add(&mut self, min: Option<i64>, max: Option<i64>, value: impl Fn(i64) -> Value) {
        if let Some(min) = min {
            self.allowed.push(value(min));
            // There is no text of less than no characters, but a number below 0.
            if min > 0 || value(min).is_number() {
                self.refused.push(value(min - 1));
            }
        }
        if let Some(max) = max {
            self.allowed.push(value(max));
            self.refused.push(value(max + 1));
        }
    }

    /// Texts, sorted by whether the pattern of the place takes them and its length allows them.
    fn by_pattern(&mut self, place: &Place) {
        // An independent reader of JSON Schema decides.
        let mut schema = place.schema.clone();
        schema["type"] = json!("string");
        let schema = jsonschema::draft4::new(&schema).expect("a schema");
        let texts = match &place.location {
            Location::Query("language") => languages(),
            Location::Header("If-Match") => conditions(),
            Location::Header("Idempotency-Key") => keys(),
            Location::Body(path) if path.as_slice() == ["projectNumber"] => numbers(),
            Location::Body(path) if path.as_slice() == ["email"] => addresses(),
            Location::Path("role") => roles(),
            _ => panic!("{}: no texts for its pattern", place.pointer),
        };
        for text in texts {
            let text = Value::from(text);
            if schema.is_valid(&text) {
                self.allowed.push(text);
            } else {
                self.refused.push(text);
            }
        }
        assert!(!self.refused.is_empty() && !self.allowed.is_empty());
    }
}

/// An item as the operation's example has it, with what is required alone, so that many are no large body.
fn item(operation: &Described, place: &Place) -> Value {
    let content = operation.request_content().expect("a body");
    let mut example = &content["application/json"]["example"];
    let Location::Body(path) = &place.location else {
        panic!("a list in {}", place.pointer);
    };
    for name in path {
        example = &example[*name];
    }
    let (_, schema) = crate::contract::schema::followed(String::new(), &place.schema["items"]);
    let mut item = example[0].clone();
    if let Some(members) = item.as_object_mut() {
        let required = schema["required"].as_array().expect("required properties");
        members.retain(|name, _| required.iter().any(|one| one == name));
    }
    item
}

fn languages() -> Vec<String> {
    let mut texts: Vec<String> = [
        "nb",
        "NB",
        "gsw",
        "en-GB",
        "zh-Hant-TW",
        "es-419",
        "",
        "n",
        "nbno",
        "12",
        "nb_NO",
        "nb-",
        "nb-N",
        "nb-norwegian",
        "nb NO",
        "ø",
        "nb-NOø",
    ]
    .map(str::to_owned)
    .into();
    // 35 and 36 characters.
    let long = format!("nb{}", "-abcdefg".repeat(4));
    texts.extend([format!("{long}b"), format!("{long}bc")]);
    texts.extend([format!("{long}-"), format!("n{long}b")]);
    texts
}

fn conditions() -> Vec<String> {
    [
        "*",
        "\"a\"",
        "W/\"a\"",
        "\"a\", \"b\"",
        "\"a\" , W/\"b\"",
        "\"\"",
        "\"a,b\"",
        "a",
        "\"a",
        "w/\"a\"",
        "'a'",
        "\"a\" \"b\"",
        "\"a b\"",
        "*, \"a\"",
    ]
    .map(str::to_owned)
    .into()
}

fn numbers() -> Vec<String> {
    let mut texts: Vec<String> = ["P-1", "a b", "ø%2F", ".", "", "/", "a/b"]
        .map(str::to_owned)
        .into();
    texts.extend(["ø".repeat(255), "ø".repeat(256)]);
    texts
}

fn addresses() -> Vec<String> {
    let mut texts: Vec<String> = [
        "a@b",
        "ø@ø",
        "a.b+c@d.example",
        "",
        "a",
        "a@",
        "@b",
        "a@b@c",
        "a b@c",
        "a@b c",
        "a\t@b",
        "a@b\u{7f}",
    ]
    .map(str::to_owned)
    .into();
    texts.extend([253, 254].map(|length| format!("{}@b", "ø".repeat(length))));
    texts
}

fn roles() -> Vec<String> {
    let mut texts: Vec<String> = ["Lead", "Lead auditor", "ø/%2F", "a\"b", "a\\b", "a\nb"]
        .map(str::to_owned)
        .into();
    texts.extend(["ø".repeat(64), "ø".repeat(65)]);
    texts
}

fn keys() -> Vec<String> {
    let mut texts: Vec<String> = [
        "a", "!", "~", "\"a\"", "a b", "a\"b", "\"a", "\"a b\"", "\"\"",
    ]
    .map(str::to_owned)
    .into();
    for length in [255, 256] {
        texts.extend(["k".repeat(length), format!("\"{}\"", "k".repeat(length))]);
    }
    texts
}
