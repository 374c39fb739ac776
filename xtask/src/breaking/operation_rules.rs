//! What breaks in operations, parameters, bodies and responses. Schemas are compared elsewhere.

use std::collections::BTreeSet;

use super::document::{Node, Operation, operations};
use super::rules::Break;

/// Prose, names, and what the rules compare.
const KNOWN_OF_PARAMETERS: [&str; 7] = [
    "name",
    "in",
    "required",
    "description",
    "schema",
    "example",
    "examples",
];

fn about(subject: impl std::fmt::Display, message: impl Into<String>) -> Break {
    (format!(" {subject}"), message.into())
}

pub(super) fn removed(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let new = operations(new.value);
    let gone = operations(old.value).into_iter();
    gone.filter(|(key, _)| !new.contains_key(key))
        .map(|(_, operation)| {
            let id = operation.node.text("operationId");
            let same = new
                .values()
                .find(|other| other.node.text("operationId") == id);
            let message = match same {
                Some(moved) => format!("is now {}", moved.address),
                None => "is gone".to_owned(),
            };
            (operation.address, message)
        })
        .collect()
}

pub(super) fn schema_removed(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let names = |root: Node<'_>| -> BTreeSet<String> {
        let components = root.get("components");
        let schemas = components.map(|components| components.members("schemas"));
        schemas
            .unwrap_or_default()
            .into_keys()
            .map(str::to_owned)
            .collect()
    };
    let gone = &names(old) - &names(new);
    gone.into_iter()
        .map(|name| (name, "the schema is gone".to_owned()))
        .collect()
}

/// The flows of OAuth: each by its name, with its address for tokens and its scopes.
fn flows(root: Node<'_>) -> Vec<(String, Node<'_>)> {
    let schemes = root
        .get("components")
        .map(|components| components.members("securitySchemes"));
    let mut found = Vec::new();
    for (scheme, node) in schemes.unwrap_or_default() {
        let flows = node.members("flows").into_iter();
        found.extend(flows.map(|(flow, node)| (format!("{scheme} {flow}"), node)));
    }
    found
}

pub(super) fn scope_removed(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let scopes = |root| -> BTreeSet<String> {
        let scopes = flows(root).into_iter().flat_map(|(name, flow)| {
            let scopes = flow.members("scopes").into_keys();
            scopes
                .map(move |scope| format!("{name} {scope}"))
                .collect::<Vec<_>>()
        });
        scopes.collect()
    };
    let gone = &scopes(old) - &scopes(new);
    gone.into_iter()
        .map(|scope| (scope, "no token has this scope any more".to_owned()))
        .collect()
}

pub(super) fn token_address(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let new = flows(new);
    let mut changed = Vec::new();
    for (name, flow) in flows(old) {
        let now = new.iter().find(|(other, _)| *other == name);
        let (was, is) = (
            flow.text("tokenUrl"),
            now.map(|(_, flow)| flow.text("tokenUrl")),
        );
        if is != Some(was) {
            let is = is.unwrap_or("gone");
            changed.push((name, format!("tokenUrl was `{was}`, is `{is}`")));
        }
    }
    changed
}

fn text_changed(key: &str, old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    let (was, is) = (old.node.text(key), new.node.text(key));
    // A name that is new renames nothing.
    if was.is_empty() || was == is {
        return Vec::new();
    }
    vec![(String::new(), format!("{key} was `{was}`, is `{is}`"))]
}

pub(super) fn renamed(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    text_changed("operationId", old, new)
}

pub(super) fn sdk_method(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    text_changed("x-sdk-name", old, new)
}

/// A token that was enough must still be.
pub(super) fn scope_refused(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    let enough = |scopes: &BTreeSet<&str>| {
        new.security.is_empty() || new.security.iter().any(|needed| needed.is_subset(scopes))
    };
    if old.security.is_empty() && !enough(&BTreeSet::new()) {
        return vec![(String::new(), "needs a token now".to_owned())];
    }
    let refused = old.security.iter().filter(|scopes| !enough(scopes));
    refused
        .map(|scopes| {
            let scopes: Vec<_> = scopes.iter().copied().collect();
            about(scopes.join("+"), "is not enough any more")
        })
        .collect()
}

/// A code that an operation no longer has was probably renamed.
pub(super) fn error_code(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    let gone = &old.errors - &new.errors;
    gone.into_iter()
        .map(|code| about(code, "the error code is gone"))
        .collect()
}

pub(super) fn parameter_removed(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    let gone = old
        .parameters
        .iter()
        .filter(|(key, _)| !new.parameters.contains_key(*key));
    gone.map(|(_, parameter)| about(parameter.text("name"), "the parameter is gone"))
        .collect()
}

pub(super) fn parameter_required(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    let required = new.parameters.iter().filter(|(key, parameter)| {
        let before = old.parameters.get(*key);
        parameter.flag("required") && !before.is_some_and(|before| before.flag("required"))
    });
    required
        .map(|(_, parameter)| about(parameter.text("name"), "the parameter is required now"))
        .collect()
}

fn body<'a>(operation: &Operation<'a>) -> Option<Node<'a>> {
    operation.node.get("requestBody")
}

pub(super) fn body_removed(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    match (body(old), body(new)) {
        (Some(_), None) => vec![about("body", "there is no body any more")],
        _ => Vec::new(),
    }
}

pub(super) fn body_required(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    let required = |operation| body(operation).is_some_and(|body| body.flag("required"));
    if required(new) && !required(old) {
        return vec![about("body", "the body is required now")];
    }
    Vec::new()
}

/// The response for a status: stated for it or for its class; errors also by `default`.
pub(super) fn response<'a>(operation: &Operation<'a>, status: &str) -> Option<Node<'a>> {
    let responses = operation.node.members("responses");
    let class = format!("{}XX", status.get(..1).unwrap_or_default());
    let stated = responses
        .get(status)
        .or_else(|| responses.get(class.as_str()));
    let is_error = status.starts_with(['4', '5']);
    stated
        .or_else(|| responses.get("default").filter(|_| is_error))
        .copied()
}

fn unanswered(of: &Operation<'_>, by: &Operation<'_>, message: &str) -> Vec<Break> {
    let statuses = of.node.members("responses").into_keys();
    statuses
        .filter(|status| response(by, status).is_none())
        .map(|status| about(status, message))
        .collect()
}

pub(super) fn status_removed(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    unanswered(old, new, "the status is gone")
}

pub(super) fn status_added(old: &Operation<'_>, new: &Operation<'_>) -> Vec<Break> {
    unanswered(new, old, "the status is new")
}

/// Only the position of a parameter in the path is on the wire; generated methods have its name.
pub(super) fn parameter_renamed(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let (was, is) = (old.text("name"), new.text("name"));
    // A header's name has no case.
    if was.eq_ignore_ascii_case(is) {
        return Vec::new();
    }
    vec![(String::new(), format!("the name was `{was}`, is `{is}`"))]
}

/// How a parameter is written (`style`, `explode`), or a keyword that nobody thought of.
pub(super) fn parameter_keyword(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let keys = |node: Node<'_>| -> BTreeSet<String> {
        let keys = node
            .value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key);
        keys.filter(|key| !KNOWN_OF_PARAMETERS.contains(&key.as_str()) && !key.starts_with("x-"))
            .cloned()
            .collect()
    };
    let changed = &keys(old) | &keys(new);
    changed
        .into_iter()
        .filter(|key| *key != "deprecated" && old.value.get(key) != new.value.get(key))
        .map(|key| about(&key, "the keyword changed, and no rule compares it"))
        .collect()
}

pub(super) fn media_type(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    gone(old, new, "content", "the media type is gone")
}

pub(super) fn header_removed(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    gone(old, new, "headers", "the header is gone")
}

fn gone(old: Node<'_>, new: Node<'_>, key: &str, message: &str) -> Vec<Break> {
    let new = new.members(key);
    let gone = old
        .members(key)
        .into_keys()
        .filter(|name| !new.contains_key(name));
    gone.map(|name| about(name, message)).collect()
}

pub(super) fn header_optional(old: Node<'_>, new: Node<'_>) -> Vec<Break> {
    let new = new.members("headers");
    let optional = old.members("headers").into_iter().filter(|(name, header)| {
        let now = new.get(name);
        header.flag("required") && now.is_some_and(|now| !now.flag("required"))
    });
    optional
        .map(|(name, _)| about(name, "the header may be missing now"))
        .collect()
}
