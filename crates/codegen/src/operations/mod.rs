//! The operations of a document: the list the router, the scope checks and the reviewable table come from.

mod emit;

use serde_json::Value;

use crate::conventions::METHODS;
use crate::spec::resolve;

pub(crate) use emit::client_tokens;
pub use emit::server_source;

/// One operation of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The operationId, as written.
    pub id: String,
    /// `GET`, `PUT`, …
    pub method: String,
    /// The path template, as written: `/v2/areas/{areaId}`.
    pub path: String,
    /// The scopes of which any one suffices, in the order they are written.
    pub scopes: Vec<String>,
    /// The media types its success answer is offered in, in the order they are written.
    pub produces: Vec<String>,
    /// The names of its query parameters, in the order they are written.
    pub query: Vec<String>,
    /// Whether it takes a request body.
    pub has_body: bool,
    /// Its first tag, or the empty string.
    pub tag: String,
    /// Its summary, or the empty string.
    pub summary: String,
    /// Every parameter with its description, in the order they are written.
    pub parameters: Vec<Parameter>,
    /// Whether the client also gets a variant that hands out the bytes (`x-raw-variant: true`).
    pub raw_variant: bool,
}

/// A path, query or header parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the wire.
    pub name: String,
    /// `path`, `query` or `header`.
    pub place: String,
    /// Its description, or the empty string.
    pub description: String,
}

/// The operations of a document, in the order they are written. What [`crate::lint`] refuses may be missing here.
#[must_use]
pub fn operations(document: &Value) -> Vec<Operation> {
    raw(document)
        .filter_map(|found| operation(document, &found))
        .collect()
}

/// An operation object where it stands.
pub(crate) struct Found<'a> {
    pub(crate) pointer: String,
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    pub(crate) item: &'a Value,
    pub(crate) operation: &'a Value,
}

/// Every operation object under `paths`, complete or not.
pub(crate) fn raw(document: &Value) -> impl Iterator<Item = Found<'_>> {
    document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .flat_map(|(path, item)| {
            METHODS.iter().filter_map(move |method| {
                Some(Found {
                    pointer: format!("/paths/{}/{method}", crate::yaml::escape(path)),
                    method,
                    path,
                    item,
                    operation: item.get(*method)?,
                })
            })
        })
}

/// The parameters of an operation and of its path item, references followed. The operation's own win.
pub(crate) fn parameters<'a>(document: &'a Value, found: &Found<'a>) -> Vec<&'a Value> {
    let list = |node: &'a Value| {
        node.get("parameters")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|parameter| resolve(document, parameter))
    };
    let own: Vec<&Value> = list(found.operation).collect();
    let inherited = list(found.item).filter(|shared| {
        !own.iter()
            .any(|mine| mine["name"] == shared["name"] && mine["in"] == shared["in"])
    });
    inherited.chain(own.iter().copied()).collect()
}

fn operation(document: &Value, found: &Found<'_>) -> Option<Operation> {
    let node = found.operation;
    let text = |node: &Value, key: &str| {
        node.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let parameters: Vec<Parameter> = parameters(document, found)
        .into_iter()
        .map(|parameter| Parameter {
            name: text(parameter, "name"),
            place: text(parameter, "in"),
            description: text(parameter, "description"),
        })
        .collect();
    let success = node
        .get("responses")
        .and_then(Value::as_object)?
        .iter()
        .find(|(status, _)| status.starts_with('2'))
        .map(|(_, response)| resolve(document, response));
    Some(Operation {
        id: node.get("operationId")?.as_str()?.to_owned(),
        method: found.method.to_uppercase(),
        path: found.path.to_owned(),
        scopes: scopes(node.get("security").or_else(|| document.get("security"))),
        produces: success
            .and_then(|response| response.get("content"))
            .and_then(Value::as_object)
            .map(|content| content.keys().cloned().collect())
            .unwrap_or_default(),
        query: parameters
            .iter()
            .filter(|parameter| parameter.place == "query")
            .map(|parameter| parameter.name.clone())
            .collect(),
        has_body: node.get("requestBody").is_some(),
        tag: node
            .pointer("/tags/0")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        summary: text(node, "summary"),
        raw_variant: node.get("x-raw-variant") == Some(&Value::Bool(true)),
        parameters,
    })
}

/// Every scope of every alternative. The lint holds each alternative to one scheme with one scope.
fn scopes(security: Option<&Value>) -> Vec<String> {
    security
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flat_map(|requirement| requirement.values())
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The table people review: operation, method, path, scopes.
#[must_use]
pub fn table(operations: &[Operation]) -> String {
    let mut text = String::from(
        "<!-- Written by `cargo xtask regen` from spec/openapi.yaml. -->\n\n\
         # Operations\n\n\
         Any one of the scopes suffices.\n\n\
         | operation | method | path | scopes |\n|---|---|---|---|\n",
    );
    for operation in operations {
        let scopes: Vec<String> = operation
            .scopes
            .iter()
            .map(|scope| format!("`{scope}`"))
            .collect();
        text.push_str(&format!(
            "| {} | {} | `{}` | {} |\n",
            operation.id,
            operation.method,
            operation.path,
            scopes.join(", ")
        ));
    }
    text
}
