//! Checks on schemas: names that collide in Rust, enums, and our own extensions.

use serde_json::Value;

use super::Report;
use super::document::location_of;
use crate::naming::{pascal, snake};
use crate::operations::{parameters, raw};

/// Hand-written in the model, or the catch-all of an enum: a schema of that name would collide.
const RESERVED: [&str; 3] = ["Patch", "Timestamp", "Date"];

pub(super) fn check(report: &mut Report<'_>) {
    let document = report.spec.document();
    let schemas = document
        .pointer("/components/schemas")
        .and_then(Value::as_object);
    // The schemas `Area.v2` and `Area_v2` would give two types of one name.
    report.collisions(
        "schemas",
        "schemas",
        schemas.into_iter().flatten().map(|(name, _)| {
            let at = format!("/components/schemas/{}", crate::yaml::escape(name));
            (name.clone(), pascal(name), at)
        }),
    );
    for (name, schema) in schemas.into_iter().flatten() {
        let pointer = format!("/components/schemas/{}", crate::yaml::escape(name));
        if RESERVED.contains(&pascal(name).as_str()) {
            report.add(
                &pointer,
                &format!("schema `{name}`"),
                "the name belongs to a hand-written type of the model",
            );
        }
        check_schema(report, schema, &pointer);
    }
    for found in raw(document) {
        let at = format!("{}/parameters", found.pointer);
        for parameter in parameters(document, &found) {
            if let Some(schema) = parameter.get("schema") {
                check_schema(report, schema, &at);
            }
        }
        for part in ["requestBody", "responses"] {
            if let Some(node) = found.operation.get(part) {
                contents(report, node, &format!("{}/{part}", found.pointer));
            }
        }
    }
}

/// Checks the schemas written directly in a body or a response.
fn contents(report: &mut Report<'_>, node: &Value, pointer: &str) {
    match node {
        Value::Object(object) => {
            for (key, value) in object {
                let at = format!("{pointer}/{}", crate::yaml::escape(key));
                match key.as_str() {
                    "schema" => check_schema(report, value, &at),
                    "example" | "examples" => {}
                    _ => contents(report, value, &at),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                contents(report, item, &format!("{pointer}/{index}"));
            }
        }
        _ => {}
    }
}

fn check_schema(report: &mut Report<'_>, schema: &Value, pointer: &str) {
    let mut found = Vec::new();
    crate::schema::walk(schema, pointer, &mut |at, inner| {
        found.push((at.to_owned(), inner));
    });
    for (at, inner) in found {
        check_enum(report, inner, &at);
        check_properties(report, inner, &at);
        check_nullable(report, &at);
    }
}

fn check_enum(report: &mut Report<'_>, schema: &Value, pointer: &str) {
    let Some(values) = schema.get("enum").and_then(Value::as_array) else {
        return;
    };
    let location = location_of(pointer);
    // Only a named enum can be replaced by an open one; the generator's own would fail a whole page on a new
    // value.
    if pointer.matches('/').count() != 3 || !pointer.starts_with("/components/schemas/") {
        report.add(pointer, &location, "an enum inside another schema would be closed to new values; name it under `components.schemas`");
    }
    let mut names = Vec::new();
    for value in values {
        match value.as_str() {
            Some(value) => names.push((value.to_owned(), pascal(value), format!("{pointer}/enum"))),
            None => {
                let message = format!(
                    "the enum value `{value}` is not a string; say `nullable` where the enum is used"
                );
                report.add(&format!("{pointer}/enum"), &location, message);
            }
        }
    }
    names.push((
        "(a value this version does not know)".to_owned(),
        "Unknown".to_owned(),
        format!("{pointer}/enum"),
    ));
    // The generator panics on these.
    report.collisions(&location, "the enum values", names);
}

fn check_properties(report: &mut Report<'_>, schema: &Value, pointer: &str) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let location = location_of(pointer);
    // The fields `A` and `a` would give a struct with two fields of one name.
    report.collisions(
        &location,
        "properties",
        properties.keys().map(|name| {
            let at = format!("{pointer}/properties/{}", crate::yaml::escape(name));
            (name.clone(), snake(name), at)
        }),
    );
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for name in &required {
        if !properties.contains_key(*name) {
            report.add(
                &format!("{pointer}/required"),
                &location,
                format!("requires `{name}`, which is not among its properties"),
            );
        }
    }
    for (name, property) in properties {
        if property.get("x-obeya-patch") != Some(&Value::Bool(true)) {
            continue;
        }
        let at = format!("{pointer}/properties/{}", crate::yaml::escape(name));
        // Absent, null and a value are three different requests only if all three are allowed.
        if required.contains(&name.as_str()) || property.get("nullable") != Some(&Value::Bool(true))
        {
            report.add(
                &at,
                &location,
                format!("`{name}` has `x-obeya-patch` and must then be optional and nullable"),
            );
        }
    }
}

/// OpenAPI 3.0 ignores everything next to `$ref`, and `nullable` without a `type` next to it.
fn check_nullable(report: &mut Report<'_>, pointer: &str) {
    let written = report.spec.written().pointer(pointer);
    if written
        .is_some_and(|schema| schema.get("nullable").is_some() && schema.get("type").is_none())
    {
        report.add(
            &format!("{pointer}/nullable"),
            &location_of(pointer),
            "`nullable` has no effect without `type` next to it; for a reference write `anyOf: [{$ref: …}, {type: object, nullable: true, enum: [null]}]`",
        );
    }
}
