//! Transforms the document for the generator. The changes are for the generated Rust only; the service and
//! every other reader use the document as written.

use serde_json::{Value, json};

use crate::conventions::{BY_EXECUTOR, FORM, MERGE_PATCH, METHODS, RAW_MARK, is_json};
use crate::{naming, schema, spec};

/// Keywords the generator would turn into narrower types, losing half of them on the way: `minimum: 1` alone
/// makes a `NonZeroU32`, a `default` in a body is then always sent, `additionalProperties: false` fails on a
/// new property.
const STRIPPED: [&str; 18] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "example",
    "readOnly",
    "writeOnly",
    "deprecated",
];

/// The document for the generator.
#[must_use]
pub fn normalise(document: &Value) -> Value {
    let mut out = document.clone();
    if let Some(object) = out.as_object_mut() {
        object.shift_remove("security");
        object.shift_remove("servers");
    }
    drop_forms(document, &mut out);
    schema::roots(&mut out, &mut |root| {
        schema::change(root, &mut change_schema);
    });
    tame_descriptions(&mut out);
    drop_parameters(document, &mut out);
    each_response(&mut out, &mut collapse_media_types);
    let paths = out.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in paths.into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get_mut(method) {
                change_operation(operation);
            }
        }
    }
    // After the media types: the twin's answer must not be collapsed.
    add_raw_variants(&mut out);
    out
}

/// Removes the operations whose body is a form, which the generator refuses. The API crate has their calls.
fn drop_forms(document: &Value, out: &mut Value) {
    let paths = out.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in paths.into_iter().flatten() {
        let Some(item) = item.as_object_mut() else {
            continue;
        };
        item.retain(|_, operation| {
            let body = operation.get("requestBody");
            let body = body.map(|body| spec::resolve(document, body));
            body.is_none_or(|body| body["content"].get(FORM).is_none())
        });
    }
}

/// `x-obeya-by-executor: true`: the executor adds this header to every call, so it is no parameter of a call.
fn drop_parameters(document: &Value, out: &mut Value) {
    let paths = out.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in paths.into_iter().flatten() {
        for method in METHODS {
            let parameters = item
                .get_mut(method)
                .and_then(|operation| operation.get_mut("parameters"))
                .and_then(Value::as_array_mut);
            if let Some(parameters) = parameters {
                parameters.retain(|parameter| {
                    let parameter = spec::resolve(document, parameter);
                    parameter.get(BY_EXECUTOR) != Some(&Value::Bool(true))
                });
            }
        }
    }
}

/// Descriptions become doc comments, where rustdoc would compile and run an indented or fenced block.
fn tame_descriptions(node: &mut Value) {
    match node {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "description" => *text = tame(text),
                    _ => tame_descriptions(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tame_descriptions),
        _ => {}
    }
}

fn tame(text: &str) -> String {
    let mut open = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            open = !open;
            lines.push(if open { "```text" } else { "```" }.to_owned());
        } else if !open && line.starts_with("    ") {
            // Three spaces still read as a continued list item, and never as code.
            lines.push(format!("   {}", line.trim_start()));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

/// The names of the schemas that are string enums: the generator leaves these to [`crate::generate`].
pub(crate) fn enums(document: &Value) -> Vec<(String, Vec<String>, String)> {
    document
        .pointer("/components/schemas")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, schema)| {
            let words = schema.get("enum")?.as_array()?;
            let words = words
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            let description = schema
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default();
            Some((name.clone(), words, description.to_owned()))
        })
        .collect()
}

fn change_schema(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for keyword in STRIPPED {
        object.shift_remove(keyword);
    }
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.shift_remove("additionalProperties");
    }
    // `allOf` of one reference is how OpenAPI 3.0 writes a described or nullable reference.
    if object.get("type").and_then(Value::as_str) == Some("string") {
        match object.get("format").and_then(Value::as_str) {
            Some("date-time") => {
                object.insert("x-rust-type".to_owned(), rust_type("Timestamp", &[]));
            }
            Some("date") => {
                object.insert("x-rust-type".to_owned(), rust_type("Date", &[]));
            }
            _ => {}
        }
    }
    plain_optionals(object);
    if object.shift_remove("x-obeya-patch") == Some(Value::Bool(true)) {
        let mut inner = object.clone();
        inner.shift_remove("nullable");
        inner.shift_remove("description");
        let inner = match single_reference(&inner) {
            Some(reference) => reference,
            None => Value::Object(inner),
        };
        object.insert("x-rust-type".to_owned(), rust_type("Patch", &[inner]));
        object.shift_remove("nullable");
        // The generator reads the extension only where the instance type is known.
        object.shift_remove("allOf");
        object.entry("type").or_insert_with(|| "string".into());
    }
    if let Some(xrust) = object.get("x-rust-type").cloned() {
        // Nullable makes the generator see a choice of two schemas, and lose the extension.
        if object.shift_remove("nullable") == Some(Value::Bool(true)) {
            let mut inner = object.clone();
            inner.insert("x-rust-type".to_owned(), xrust);
            let description = inner.shift_remove("description");
            let mut wrapper = json!({"nullable": true, "allOf": [inner]});
            if let Some(description) = description {
                wrapper["description"] = description;
            }
            *schema = wrapper;
        }
    }
}

/// An optional property becomes an `Option`, which is `None` for null too: with `nullable` the generator
/// would nest two options. An optional list or map, for which the generator would default to an empty one,
/// becomes an `Option` too: a record read without `$expand` does not have *no* members.
fn plain_optionals(object: &mut serde_json::Map<String, Value>) {
    let required: Vec<String> = object
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if required.contains(name) {
            continue;
        }
        let Some(property) = property.as_object_mut() else {
            continue;
        };
        let kind = property.get("type").and_then(Value::as_str);
        let map = kind == Some("object") && property.contains_key("additionalProperties");
        if kind == Some("array") || map {
            property.insert("nullable".to_owned(), true.into());
        } else {
            property.shift_remove("nullable");
        }
    }
}

/// `{allOf: [{$ref}]}` → `{$ref}`.
fn single_reference(object: &serde_json::Map<String, Value>) -> Option<Value> {
    match object.get("allOf")?.as_array()?.as_slice() {
        [only] if only.get("$ref").is_some() => Some(only.clone()),
        _ => None,
    }
}

/// A hand-written type of the model crate.
fn rust_type(name: &str, parameters: &[Value]) -> Value {
    json!({
        "crate": "obeya-model",
        "version": "*",
        "path": format!("obeya_model::{name}"),
        "parameters": parameters,
    })
}

fn each_response(document: &mut Value, apply: &mut dyn FnMut(&mut Value)) {
    let shared = document
        .pointer_mut("/components/responses")
        .and_then(Value::as_object_mut);
    for (_, response) in shared.into_iter().flatten() {
        apply(response);
    }
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in paths.into_iter().flatten() {
        for method in METHODS {
            let responses = item
                .get_mut(method)
                .and_then(|operation| operation.get_mut("responses"))
                .and_then(Value::as_object_mut);
            for (_, response) in responses.into_iter().flatten() {
                apply(response);
            }
        }
    }
}

/// Leaves one `application/json` with the schema they share. `application/problem+json` would become untyped
/// bytes.
fn collapse_media_types(response: &mut Value) {
    let Some(content) = response.get_mut("content").and_then(Value::as_object_mut) else {
        return;
    };
    let first = content.iter().find(|(media_type, _)| is_json(media_type));
    if let Some(schema) = first.and_then(|(_, value)| value.get("schema").cloned()) {
        content.clear();
        content.insert("application/json".to_owned(), json!({"schema": schema}));
    }
}

fn change_operation(operation: &mut Value) {
    if let Some(object) = operation.as_object_mut() {
        object.shift_remove("security");
    }
    // The client sends JSON; the generator panics on two types.
    if let Some(body) = operation.pointer_mut("/requestBody/content")
        && let Some(content) = body.as_object_mut()
    {
        content.shift_remove(MERGE_PATCH);
    }
    let Some(responses) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    // A `200` together with a `default` counts as two kinds of success, and panics; with `2XX` it does not.
    let success = responses
        .keys()
        .find(|status| status.starts_with('2'))
        .cloned();
    if let Some(response) = success.and_then(|status| responses.shift_remove(&status)) {
        responses.insert("2XX".to_owned(), response);
    }
    // One error response represents all: the lint has checked that they agree.
    let failures: Vec<String> = responses
        .keys()
        .filter(|status| status.starts_with(['4', '5']))
        .cloned()
        .collect();
    for status in failures {
        if let Some(response) = responses.shift_remove(&status) {
            responses.entry("default").or_insert(response);
        }
    }
}

/// `x-raw-variant: true` gives the operation a twin `<id>Raw` that returns the bytes, and takes an `Accept`
/// header.
fn add_raw_variants(document: &mut Value) {
    let shared = document.clone();
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let mut twins = Vec::new();
    for (path, item) in paths.iter().flat_map(|paths| paths.iter()) {
        for method in METHODS {
            let Some(operation) = item.get(method) else {
                continue;
            };
            if operation.get("x-raw-variant") == Some(&Value::Bool(true)) {
                twins.push((
                    format!("{path}{RAW_MARK}"),
                    method,
                    raw_variant(&shared, operation),
                    item.get("parameters").cloned(),
                ));
            }
        }
    }
    let Some(paths) = paths else {
        return;
    };
    for (path, method, operation, parameters) in twins {
        let mut item = json!({method: operation});
        if let Some(parameters) = parameters {
            item["parameters"] = parameters;
        }
        paths.insert(path, item);
    }
}

fn raw_variant(document: &Value, operation: &Value) -> Value {
    let mut twin = operation.clone();
    let id = twin["operationId"].as_str().unwrap_or_default();
    twin["operationId"] = format!("{}_raw", naming::snake(id)).into();
    twin["description"] =
        "The same request, answered with the bytes as they came, in whatever media type `accept` obtains.".into();
    let accept = json!({
        "name": "accept",
        "in": "header",
        "description": "The media types to ask for; the service answers JSON where it knows none of them.",
        "schema": {"type": "string"},
    });
    match twin.get_mut("parameters").and_then(Value::as_array_mut) {
        Some(parameters) => parameters.push(accept),
        None => twin["parameters"] = json!([accept]),
    }
    let bytes =
        json!({"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}});
    let description = spec::resolve(document, &twin["responses"]["2XX"])["description"].clone();
    twin["responses"]["2XX"] = json!({"description": description, "content": bytes});
    twin
}
