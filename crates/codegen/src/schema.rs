//! Walking schemas without mistaking data for keywords: a property may well be called `minimum` or `default`.

use serde_json::{Value, json};

/// Keywords whose value is one schema.
const ONE: [&str; 3] = ["items", "not", "additionalProperties"];
/// Keywords whose value is a list of schemas.
const MANY: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Calls `visit` on a schema and every schema inside it, outermost first, with each one's pointer.
/// References are visited but not followed.
pub(crate) fn walk<'a>(schema: &'a Value, pointer: &str, visit: &mut dyn FnMut(&str, &'a Value)) {
    if !schema.is_object() {
        return;
    }
    visit(pointer, schema);
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            let at = format!("{pointer}/properties/{}", crate::yaml::escape(name));
            walk(property, &at, visit);
        }
    }
    for keyword in ONE {
        if let Some(inner) = schema.get(keyword) {
            walk(inner, &format!("{pointer}/{keyword}"), visit);
        }
    }
    for keyword in MANY {
        for (index, inner) in schema
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            walk(inner, &format!("{pointer}/{keyword}/{index}"), visit);
        }
    }
}

/// Whether a schema accepts null and nothing else.
pub(crate) fn is_null(schema: &Value) -> bool {
    schema["enum"] == json!([null])
}

/// Calls `change` on every schema inside `schema` and on itself, innermost first.
pub(crate) fn change(schema: &mut Value, apply: &mut dyn FnMut(&mut Value)) {
    if !schema.is_object() {
        return;
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for property in properties.values_mut() {
            change(property, apply);
        }
    }
    for keyword in ONE {
        if let Some(inner) = schema.get_mut(keyword) {
            change(inner, apply);
        }
    }
    for keyword in MANY {
        for inner in schema
            .get_mut(keyword)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            change(inner, apply);
        }
    }
    apply(schema);
}

/// Calls `apply` on every outermost schema of the document: components, parameters, bodies and responses.
pub(crate) fn roots(node: &mut Value, apply: &mut dyn FnMut(&mut Value)) {
    if let Some(schemas) = node
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut)
    {
        for schema in schemas.values_mut() {
            apply(schema);
        }
    }
    for section in [
        "/components/parameters",
        "/components/requestBodies",
        "/components/responses",
        "/paths",
    ] {
        if let Some(part) = node.pointer_mut(section) {
            keyed(part, apply);
        }
    }
}

/// Below paths and components, the key `schema` always introduces a schema, whose inside is not searched
/// again.
fn keyed(node: &mut Value, apply: &mut dyn FnMut(&mut Value)) {
    match node {
        Value::Object(object) => {
            for (key, value) in object {
                match key.as_str() {
                    "schema" => apply(value),
                    // Examples are data: a `schema` key in one is not a schema.
                    "example" | "examples" => {}
                    _ => keyed(value, apply),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| keyed(item, apply)),
        _ => {}
    }
}
