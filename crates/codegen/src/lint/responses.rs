//! Checks on responses: the generated method returns one type on success and one on failure.

use serde_json::Value;

use super::{Report, quoted_list};
use crate::conventions::is_json;
use crate::operations::Found;

/// How the generator classifies a response.
#[derive(PartialEq)]
enum Kind<'a> {
    Typed(&'a Value),
    Bytes,
    Empty,
}

pub(super) fn check(report: &mut Report<'_>, found: &Found<'_>, location: &str) {
    let pointer = format!("{}/responses", found.pointer);
    let responses: Vec<(&str, &Value)> = found
        .operation
        .get("responses")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(status, response)| (status.as_str(), report.spec.resolve(response)))
        .collect();

    let success: Vec<&(&str, &Value)> = responses
        .iter()
        .filter(|(status, _)| status.starts_with('2'))
        .collect();
    let statuses: Vec<&str> = success.iter().map(|(status, _)| *status).collect();
    // Two success answers (`200` and `204`) panic the generator.
    if success.len() != 1 {
        report.add(
            &pointer,
            location,
            format!(
                "must have exactly one success response, found {}",
                quoted_list(&statuses)
            ),
        );
    }
    let raw = found.operation.get("x-raw-variant");
    for (status, response) in &success {
        let pointer = format!("{pointer}/{status}");
        check_media_types(report, response, &pointer, location);
        if raw.is_none() {
            check_bytes(report, response, &pointer, location);
        }
    }

    let failures: Vec<&(&str, &Value)> = responses
        .iter()
        .filter(|(status, _)| status.starts_with(['4', '5']) || *status == "default")
        .collect();
    if failures.is_empty() {
        report.add(
            &pointer,
            location,
            "no error response; refer to the shared `default` one",
        );
    }
    // A bodyless `401` together with a typed `default` panics the generator.
    let first = failures
        .first()
        .map(|(status, response)| (*status, kind(response)));
    if let Some((first, expected)) = first {
        for (status, response) in failures.iter().skip(1) {
            if kind(response) != expected {
                let message = format!(
                    "the error responses `{first}` and `{status}` have different bodies; a method has one error type"
                );
                report.add(&format!("{pointer}/{status}"), location, message);
            }
        }
    }
    for (status, _) in &responses {
        if !status.starts_with(['2', '4', '5']) && *status != "default" {
            report.add(
                &format!("{pointer}/{status}"),
                location,
                format!("the generated method cannot answer with status `{status}`"),
            );
        }
    }
    if raw.is_some()
        && success
            .iter()
            .any(|(_, response)| !matches!(kind(response), Kind::Typed(_)))
    {
        report.add(
            &format!("{}/x-raw-variant", found.pointer),
            location,
            "`x-raw-variant` needs a JSON success response",
        );
    }
}

/// Several media types of one answer are collapsed to JSON for the generator, which is right only if they
/// have one schema. Bytes are for raw calls, and never parsed as that type.
fn check_media_types(report: &mut Report<'_>, response: &Value, pointer: &str, location: &str) {
    let content = response.get("content").and_then(Value::as_object);
    let described: Vec<(&str, &Value)> = content
        .into_iter()
        .flatten()
        .filter(|(media_type, _)| is_json(media_type) || media_type.starts_with("text/"))
        .filter_map(|(media_type, value)| Some((media_type.as_str(), value.get("schema")?)))
        .filter(|(_, schema)| !is_bytes(schema))
        .collect();
    if let Some((first, expected)) = described.first() {
        for (media_type, schema) in &described {
            if schema != expected {
                let message = format!(
                    "`{media_type}` and `{first}` have different schemas; the client reads all of them as one type"
                );
                report.add(pointer, location, message);
            }
        }
    }
}

/// A method that parses JSON could never return bytes that are offered besides JSON.
fn check_bytes(report: &mut Report<'_>, response: &Value, pointer: &str, location: &str) {
    let content = response.get("content").and_then(Value::as_object);
    let is_typed = matches!(kind(response), Kind::Typed(_));
    for (media_type, value) in content.into_iter().flatten() {
        if is_typed && value.get("schema").is_some_and(is_bytes) {
            let message = format!(
                "`{media_type}` returns bytes as well as JSON; set `x-raw-variant: true`, or no client can ask for them"
            );
            report.add(pointer, location, message);
        }
    }
}

fn is_bytes(schema: &Value) -> bool {
    schema["type"] == "string" && schema["format"] == "binary"
}

fn kind(response: &Value) -> Kind<'_> {
    let content = response.get("content").and_then(Value::as_object);
    let mut content = content.into_iter().flatten().peekable();
    if content.peek().is_none() {
        return Kind::Empty;
    }
    content
        .find(|(media_type, _)| is_json(media_type))
        .and_then(|(_, value)| value.get("schema"))
        .map_or(Kind::Bytes, Kind::Typed)
}
