//! The spec as independent JSON Schema validators: one for each answer of an operation.
//!
//! OpenAPI 3.0 has its own dialect of schemas. This module translates only the differences from JSON Schema:
//! `nullable`, and the number formats. Objects are closed, so that an undescribed property is found.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

/// The described contract, as the service itself hands it out.
pub static SPEC: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../../spec/generated/openapi.json"))
        .expect("the normalised spec is JSON")
});

/// One described operation.
pub struct Described {
    pub id: String,
    pub method: String,
    pub path: String,
    operation: &'static Value,
    /// Where it is in the document.
    pub pointer: String,
}

/// Every operation of the spec.
pub fn operations() -> &'static [Described] {
    static ALL: LazyLock<Vec<Described>> = LazyLock::new(described);
    &ALL
}

impl Described {
    /// One of its texts; empty if it is absent.
    pub fn text(&self, name: &str) -> &'static str {
        self.operation[name].as_str().unwrap_or("")
    }

    /// The described content of its request body, by media type.
    pub fn request_content(&self) -> Option<&'static Map<String, Value>> {
        self.operation["requestBody"]["content"].as_object()
    }

    /// Its parameters and their pointers, references followed.
    pub fn parameters(&self) -> Vec<(String, &'static Value)> {
        let parameters = self.operation["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        let with_pointer = parameters.enumerate().map(|(number, parameter)| {
            followed(format!("{}/parameters/{number}", self.pointer), parameter)
        });
        with_pointer.collect()
    }

    /// Its path with the ids that the parameters have as examples.
    pub fn example_path(&self) -> String {
        let mut path = self.path.clone();
        for parameter in self.operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let parameter = resolve(parameter);
            if parameter["in"] == "path" {
                let name = parameter["name"].as_str().expect("a name");
                let example = &parameter["example"];
                let text = example.as_str().map_or(example.to_string(), str::to_owned);
                path = path.replace(&format!("{{{name}}}"), &text);
            }
        }
        path
    }

    /// The example of a parameter of its path.
    pub fn example_of_path(&self, name: &str) -> String {
        let parameters = self.operation["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten().map(resolve);
        let named = parameters.find(|it| it["in"] == "path" && it["name"] == name);
        let example = &named.expect("a parameter of the path")["example"];
        example.as_str().map_or(example.to_string(), str::to_owned)
    }

    /// The same with the query parameters that it requires.
    pub fn example_address(&self) -> String {
        let parameters = self.operation["parameters"].as_array();
        let required = parameters.into_iter().flatten().filter_map(|parameter| {
            let parameter = resolve(parameter);
            let is_wanted = parameter["in"] == "query" && parameter["required"] == true;
            let name = parameter["name"].as_str().filter(|_| is_wanted)?;
            Some(format!("{name}={}", parameter["example"].as_str()?))
        });
        let required: Vec<_> = required.collect();
        let path = self.example_path();
        if required.is_empty() {
            path
        } else {
            format!("{path}?{}", required.join("&"))
        }
    }

    /// The example of its success; null where that has no body.
    pub fn example_answer(&self) -> &'static Value {
        self.example_of("application/json")
    }

    /// The same in another media type.
    pub fn example_of(&self, media_type: &str) -> &'static Value {
        &self.operation["responses"]["200"]["content"][media_type]["example"]
    }
}

fn described() -> Vec<Described> {
    let paths = SPEC["paths"].as_object().expect("paths");
    let mut found = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("a path item") {
            if let Some(id) = operation["operationId"].as_str() {
                found.push(Described {
                    id: id.to_owned(),
                    method: method.to_uppercase(),
                    path: path.clone(),
                    operation,
                    pointer: format!("/paths/{}/{method}", path.replace('/', "~1")),
                });
            }
        }
    }
    found
}

/// The errors of answers by the spec. Validators are cached, because building one costs more than using it.
#[derive(Default)]
pub struct Judge {
    validators: HashMap<String, Validator>,
}

impl Judge {
    /// The faults of an answer: an undescribed status or media type, or a body that is not of the schema.
    pub fn faults(
        &mut self,
        operation: &Described,
        status: u16,
        media_type: &str,
        body: &[u8],
    ) -> Vec<String> {
        let responses = &operation.operation["responses"];
        let described = match &responses[status.to_string()] {
            Value::Null => &responses["default"],
            one => one,
        };
        let content = &resolve(described)["content"];
        if content.is_null() && media_type.is_empty() {
            return match body {
                [] => Vec::new(),
                _ => vec![format!("{status} with a body where none is described")],
            };
        }
        let Some((name, media)) = content.as_object().and_then(|all| {
            all.iter()
                .find(|(name, _)| same_media_type(name, media_type))
        }) else {
            return vec![format!("{status} with {media_type:?} is not described")];
        };
        let body: Value = match serde_json::from_slice(body) {
            Ok(body) => body,
            Err(error) => return vec![format!("{name}: {error}")],
        };
        let key = media["schema"].to_string();
        let validator = self
            .validators
            .entry(key)
            .or_insert_with(|| validator(&media["schema"]));
        validator
            .iter_errors(&body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }
}

/// A validator of one schema of the spec, references included.
pub fn validator(schema: &Value) -> Validator {
    let mut document = translate(schema);
    document["components"] = json!({ "schemas": SPEC["components"]["schemas"]
        .as_object().expect("schemas").iter()
        .map(|(name, schema)| (name.clone(), translate(schema))).collect::<Map<_, _>>() });
    jsonschema::options()
        .with_draft(Draft::Draft4)
        .should_validate_formats(true)
        .build(&document)
        .expect("a schema")
}

/// Follows a reference to a shared response or example.
fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'))
    {
        Some(pointer) => SPEC
            .pointer(pointer)
            .expect("the reference leads somewhere"),
        None => value,
    }
}

/// A part of the document and its pointer, or those that it refers to, alone or beside null in `anyOf`.
pub fn followed(pointer: String, part: &'static Value) -> (String, &'static Value) {
    let reference = match part["anyOf"].as_array().map(Vec::as_slice) {
        Some([one, null]) if is_null(null) => &one["$ref"],
        _ => &part["$ref"],
    };
    match reference.as_str().and_then(|path| path.strip_prefix('#')) {
        Some(target) => (
            target.to_owned(),
            SPEC.pointer(target).expect("the reference leads somewhere"),
        ),
        None => (pointer, part),
    }
}

/// Whether a schema accepts null and nothing else.
pub fn is_null(schema: &Value) -> bool {
    schema["enum"] == json!([null])
}

/// Whether two media types name the same thing; parameters count when the spec writes some.
fn same_media_type(described: &str, answered: &str) -> bool {
    let bare = |text: &str| text.replace(' ', "").to_ascii_lowercase();
    let answered = bare(answered);
    bare(described) == answered || bare(described) == answered.split(';').next().unwrap_or("")
}

/// From the dialect of OpenAPI 3.0 to JSON Schema draft 4, which it was made from.
fn translate(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut out = Map::new();
    for (name, value) in members {
        let translated = match (name.as_str(), value) {
            ("properties", Value::Object(all)) => all
                .iter()
                .map(|(name, one)| (name.clone(), translate(one)))
                .collect(),
            ("items" | "additionalProperties" | "not", one) => translate(one),
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => all.iter().map(translate).collect(),
            ("example" | "nullable", _) => continue,
            (_, other) => other.clone(),
        };
        out.insert(name.clone(), translated);
    }
    match members.get("format").and_then(Value::as_str) {
        Some("int32") => {
            out.entry("minimum").or_insert(json!(i32::MIN));
            out.entry("maximum").or_insert(json!(i32::MAX));
        }
        Some("int64") => {
            out.entry("minimum").or_insert(json!(i64::MIN));
            out.entry("maximum").or_insert(json!(i64::MAX));
        }
        _ => {}
    }
    if out.contains_key("properties") {
        out.entry("additionalProperties").or_insert(json!(false));
    }
    // It acts on the type beside it and on nothing else: an `enum` must list null, and all of `allOf` holds.
    if members.get("nullable") == Some(&json!(true))
        && let Some(of_type) = out.get_mut("type")
    {
        *of_type = json!([of_type, "null"]);
    }
    Value::Object(out)
}

/// A judge that finds nothing wrong with anything would let every other test here pass.
#[test]
fn the_judge_sees_what_is_wrong() {
    let operation = operations()
        .iter()
        .find(|operation| operation.id == "listIncidentComments")
        .expect("described");
    let mut judge = Judge::default();
    let mut faults = |status, media_type, change: fn(&mut Value)| {
        let mut body = operation.example_answer().clone();
        change(&mut body);
        let body = serde_json::to_vec(&body).expect("JSON");
        judge.faults(operation, status, media_type, &body).len()
    };
    assert_eq!(faults(200, "application/json", |_| ()), 0);
    assert_eq!(faults(200, "text/html", |_| ()), 1);
    assert_eq!(faults(404, "application/json", |_| ()), 1);
    assert!(faults(404, "application/problem+json", |_| ()) > 0);
    let wrong: [fn(&mut Value); 7] = [
        |page| page["more"] = json!(1),
        |page| page["value"][0]["more"] = json!(1),
        |page| page["value"][0]["text"] = Value::Null,
        |page| page["value"][0]["level"] = json!("0"),
        |page| page["value"][0]["level"] = json!(1_u64 << 31),
        |page| page["value"][0]["commentDate"] = json!("2026-13-02T07:05:00Z"),
        |page| *page = json!({}),
    ];
    for change in wrong {
        assert_eq!(faults(200, "application/json", change), 1);
    }
}
