//! Checks on the document as a whole: version, references, media types without a schema.

use serde_json::Value;

use super::Report;

pub(super) fn check(report: &mut Report<'_>) {
    let document = report.spec.document();
    let version = document.get("openapi").and_then(Value::as_str);
    // The generator refuses everything else, without a line.
    if !version.is_some_and(|version| version.starts_with("3.0.")) {
        let found = version.unwrap_or("nothing");
        report.add(
            "/openapi",
            "document",
            format!("`openapi` must be 3.0.x, found {found}; the generator knows no other version"),
        );
    }
    let info_version = document.pointer("/info/version").and_then(Value::as_str);
    // It becomes a header value, where any other character panics at run time.
    if !info_version
        .is_some_and(|text| !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic()))
    {
        report.add(
            "/info/version",
            "document",
            "`info.version` must be plain ASCII without spaces, such as `0.1.0`",
        );
    }
    nodes(report, document, "", true);
}

/// Visits every node that is not an example.
fn nodes(report: &mut Report<'_>, node: &Value, pointer: &str, keywords: bool) {
    match node {
        Value::Object(object) => {
            if keywords {
                if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                    check_reference(report, reference, pointer);
                }
                if let Some(content) = object.get("content").and_then(Value::as_object) {
                    check_content(report, content, pointer);
                }
            }
            for (key, value) in object {
                let at = format!("{pointer}/{}", crate::yaml::escape(key));
                match key.as_str() {
                    "example" | "examples" | "default" | "enum" if keywords => {}
                    // Below these the keys are names, and `$ref` or `content` may be one of them.
                    "properties" | "schemas" | "responses" | "parameters"
                        if keywords && value.is_object() =>
                    {
                        nodes(report, value, &at, false);
                    }
                    _ => nodes(report, value, &at, true),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                nodes(report, item, &format!("{pointer}/{index}"), true);
            }
        }
        _ => {}
    }
}

/// The generator panics on a dangling reference, and knows only those into the same file.
fn check_reference(report: &mut Report<'_>, reference: &str, pointer: &str) {
    let target = reference
        .strip_prefix('#')
        .and_then(|target| report.spec.document().pointer(target));
    if target.is_none() {
        let message = format!(
            "`{reference}` points at nothing in this file; check the spelling, or add the component"
        );
        report.add(&format!("{pointer}/$ref"), &place_of(pointer), message);
    }
}

/// The generator panics on JSON without a schema.
fn check_content(report: &mut Report<'_>, content: &serde_json::Map<String, Value>, pointer: &str) {
    for (media_type, value) in content {
        if value.get("schema").is_none() {
            let at = format!("{pointer}/content/{}", crate::yaml::escape(media_type));
            report.add(
                &at,
                &place_of(pointer),
                format!("`{media_type}` has no schema; give it one, if only `type: object`"),
            );
        }
    }
}

/// Names the part of the document that a pointer leads to.
pub(super) fn place_of(pointer: &str) -> String {
    let unescape = |token: &str| token.replace("~1", "/").replace("~0", "~");
    let tokens: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    match tokens.as_slice() {
        ["paths", path, method, ..] => format!("{} {path}", method.to_uppercase()),
        ["paths", path] => format!("path {path}"),
        ["components", "schemas", name, ..] => format!("schema `{name}`"),
        ["components", section, name, ..] => {
            format!("{} `{name}`", section.strip_suffix('s').unwrap_or(section))
        }
        _ => "document".to_owned(),
    }
}
