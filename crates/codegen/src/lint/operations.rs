//! Checks on operations: ids, paths, parameters, bodies, scopes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Report, quoted_list, responses};
use crate::conventions::{BY_EXECUTOR, FORM, MERGE_PATCH, METHODS, SDK_NAME};
use crate::naming::{pascal, snake};
use crate::operations::{Found, parameters, raw};
use crate::yaml::escape;

pub(super) fn check(report: &mut Report<'_>) {
    let document = report.spec.document();
    let mut ids = Vec::new();
    let mut routes = Vec::new();
    let mut sdk_names = Vec::new();
    for found in raw(document) {
        let route = format!("{} {}", found.method.to_uppercase(), found.path);
        let location = match found.operation.get("operationId").and_then(Value::as_str) {
            Some(id) => {
                ids.push((id.to_owned(), found.pointer.clone()));
                format!("operation `{id}`")
            }
            None => {
                report.add(
                    &found.pointer,
                    &route,
                    "no `operationId`; it names the method, so every operation needs one",
                );
                route.clone()
            }
        };
        let shape = format!("{} {}", found.method, shape(found.path));
        routes.push((route, shape, found.pointer.clone()));
        check_parameters(report, &found, &location);
        check_body(report, &found, &location);
        check_security(report, &found, &location);
        check_tag(report, &found, &location);
        check_sdk_name(report, &found, &location, &mut sdk_names);
        responses::check(report, &found, &location);
    }
    check_path_items(report);
    // `get_a` and `getA` would give two variants, and mostly two methods, of one name.
    let names = ids
        .iter()
        .map(|(id, pointer)| (id.clone(), pascal(id), format!("{pointer}/operationId")));
    report.collisions("operations", "operationIds", names);
    // Paths match case-insensitively in the service: two that differ only so, or only in a parameter's name,
    // are one.
    let mut seen: Vec<(String, String)> = Vec::new();
    for (route, shape, pointer) in routes {
        if let Some((first, _)) = seen.iter().find(|(_, other)| *other == shape) {
            let message =
                format!("matches the same requests as {first}: paths match without regard to case");
            report.add(&pointer, &route, message);
        } else {
            seen.push((route, shape));
        }
    }
}

/// A path in lower case, its parameters nameless.
pub(super) fn shape(path: &str) -> String {
    path.split('/')
        .map(|part| {
            if part.starts_with('{') {
                "{}".to_owned()
            } else {
                part.to_lowercase()
            }
        })
        .collect::<Vec<_>>()
        .join("/")
}

/// The generator rejects references in place of path items, and knows no keys but methods and shared parts.
fn check_path_items(report: &mut Report<'_>) {
    let document = report.spec.document();
    let items = document.get("paths").and_then(Value::as_object);
    for (path, item) in items.into_iter().flatten() {
        let pointer = format!("/paths/{}", escape(path));
        let known = |key: &str| {
            METHODS.contains(&key)
                || key.starts_with("x-")
                || ["parameters", "summary", "description", "servers"].contains(&key)
        };
        for key in item
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys())
        {
            if !known(key) {
                report.add(
                    &format!("{pointer}/{}", escape(key)),
                    &format!("path {path}"),
                    format!(
                        "`{key}` is not an HTTP method; the generator refuses it (and `$ref` here)"
                    ),
                );
            }
        }
    }
}

fn check_parameters(report: &mut Report<'_>, found: &Found<'_>, location: &str) {
    let document = report.spec.document();
    let pointer = format!("{}/parameters", found.pointer);
    let text = |parameter: &Value, key: &str| {
        parameter
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let list = parameters(document, found);
    let template: BTreeSet<&str> = found
        .path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
        .collect();
    let mut declared = BTreeSet::new();
    let mut names = Vec::new();
    for parameter in &list {
        let (name, kind) = (text(parameter, "name"), text(parameter, "in"));
        names.push((name.clone(), snake(&name), pointer.clone()));
        match kind.as_str() {
            "path" => {
                // The generator asserts this, so it would panic.
                if parameter.get("required") != Some(&Value::Bool(true)) {
                    report.add(
                        &pointer,
                        location,
                        format!("path parameter `{name}` must say `required: true`"),
                    );
                }
                if !template.contains(name.as_str()) {
                    let message =
                        format!("path parameter `{name}` does not occur in {}", found.path);
                    report.add(&pointer, location, message);
                }
                declared.insert(name.clone());
            }
            "query" | "header" => {}
            "cookie" => report.add(
                &pointer,
                location,
                format!(
                    "cookie parameter `{name}`: the generator knows only path, query and header"
                ),
            ),
            other => {
                report.add(
                    &pointer,
                    location,
                    format!("parameter `{name}` is in `{other}`; expected path, query or header"),
                );
            }
        }
        let style = parameter.get("style").and_then(Value::as_str);
        let plain = if kind == "query" { "form" } else { "simple" };
        if let Some(style) = style.filter(|style| *style != plain) {
            let message = format!(
                "parameter `{name}` has style `{style}`; the generator knows only `{plain}` here"
            );
            report.add(&pointer, location, message);
        }
        if parameter.get("schema").is_none() {
            report.add(
                &pointer,
                location,
                format!("parameter `{name}` has no schema"),
            );
        }
        // A call without it must be a whole call.
        let is_optional = kind == "header" && parameter.get("required") != Some(&true.into());
        if parameter.get(BY_EXECUTOR).is_some() && !is_optional {
            let message = format!("`{BY_EXECUTOR}` on `{name}`, which is no optional header");
            report.add(&pointer, location, message);
        }
    }
    for name in template {
        if !declared.contains(name) {
            report.add(
                &found.pointer,
                location,
                format!("`{{{name}}}` in the path is not declared under `parameters`"),
            );
        }
    }
    if found.operation.get("requestBody").is_some() {
        names.push((
            "(the request body)".to_owned(),
            "body".to_owned(),
            pointer.clone(),
        ));
    }
    // `$filter` and `filter` would give a method two arguments of one name.
    report.collisions(location, "parameters", names);
}

fn check_body(report: &mut Report<'_>, found: &Found<'_>, location: &str) {
    let Some(body) = found.operation.get("requestBody") else {
        return;
    };
    let pointer = format!("{}/requestBody", found.pointer);
    let body = report.spec.resolve(body);
    let content = body.get("content").and_then(Value::as_object);
    let types: Vec<&str> = content
        .into_iter()
        .flatten()
        .map(|(media_type, _)| media_type.as_str())
        .collect();
    // `application/*+json` is refused; text would lose its schema. Of two the client sends the
    // first, and the generator gets only that.
    let is_expected = match types.as_slice() {
        // Calls with a form are written by hand.
        ["application/json"] | [FORM] => true,
        ["application/json", MERGE_PATCH] => {
            let schema =
                |media_type| body.pointer(&format!("/content/{}/schema", escape(media_type)));
            found.method == "patch" && schema("application/json") == schema(MERGE_PATCH)
        }
        _ => false,
    };
    if !is_expected {
        let message = format!(
            "a request body must be offered as exactly `application/json` or `{FORM}`, and that of a PATCH perhaps as `{MERGE_PATCH}` too, with the same schema; found {}",
            quoted_list(&types)
        );
        report.add(&pointer, location, message);
    }
    // The generated method always sends a body.
    if body.get("required") != Some(&Value::Bool(true)) {
        report.add(
            &pointer,
            location,
            "the request body must say `required: true`: the generated method always sends one",
        );
    }
}

/// The service grants on any one scope; a requirement of two at once, or of none, would be read wrongly.
fn check_security(report: &mut Report<'_>, found: &Found<'_>, location: &str) {
    let document = report.spec.document();
    let pointer = format!("{}/security", found.pointer);
    let security = found
        .operation
        .get("security")
        .or_else(|| document.get("security"));
    let alternatives = security.and_then(Value::as_array);
    let Some(alternatives) = alternatives.filter(|list| !list.is_empty()) else {
        report.add(
            &found.pointer,
            location,
            "no `security`: anybody could call it; list the scopes of which one suffices",
        );
        return;
    };
    for alternative in alternatives {
        let schemes: Vec<(&String, &Value)> =
            alternative.as_object().into_iter().flatten().collect();
        let [(scheme, scopes)] = schemes.as_slice() else {
            report.add(
                &pointer,
                location,
                "each security alternative must name exactly one scheme",
            );
            continue;
        };
        let scopes: Vec<&str> = scopes
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let [scope] = scopes.as_slice() else {
            report.add(
                &pointer,
                location,
                format!(
                    "a security alternative must name exactly one scope, found {}",
                    quoted_list(&scopes)
                ),
            );
            continue;
        };
        let known = document
            .pointer(&format!(
                "/components/securitySchemes/{scheme}/flows/clientCredentials/scopes"
            ))
            .and_then(|scopes| scopes.get(*scope))
            .is_some();
        if !known {
            report.add(
                &pointer,
                location,
                format!("the scope `{scope}` is not among the scopes of the scheme `{scheme}`"),
            );
        }
    }
}

/// The methods of the SDKs get this name, which does not follow from the operationId.
fn check_sdk_name(
    report: &mut Report<'_>,
    found: &Found<'_>,
    location: &str,
    seen: &mut Vec<(String, String)>,
) {
    let pointer = format!("{}/{SDK_NAME}", found.pointer);
    let Some(name) = found.operation.get(SDK_NAME).and_then(Value::as_str) else {
        let message = format!(
            "no `{SDK_NAME}`; it names the method of the SDKs, so every operation needs one, such as `incidents.set_causes`"
        );
        report.add(&found.pointer, location, message);
        return;
    };
    // `type` and other keywords get an underscore in Rust, and would then differ from this name.
    let parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 2 || parts.iter().any(|part| snake(part) != *part) {
        let message = format!(
            "`{SDK_NAME}: {name}` must be a resource and a method in snake_case, such as `incidents.set_causes`, or a method of the client, such as `ping`"
        );
        report.add(&pointer, location, message);
    }
    match seen.iter().find(|(other, _)| other == name) {
        Some((_, first)) => {
            let message =
                format!("`{SDK_NAME}: {name}` is the name of {first} already; choose another");
            report.add(&pointer, location, message);
        }
        None => seen.push((name.to_owned(), location.to_owned())),
    }
}

/// Handlers, scopes and documentation are grouped by it.
fn check_tag(report: &mut Report<'_>, found: &Found<'_>, location: &str) {
    let tags = found.operation.get("tags").and_then(Value::as_array);
    if tags.map_or(0, Vec::len) != 1 {
        report.add(&found.pointer, location, "must have exactly one tag");
    }
}
