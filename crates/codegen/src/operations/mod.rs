//! The operations of a document: the list the router, the scope checks and the reviewable table come from.

mod emit;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conventions::{METHODS, SDK_NAME};
use crate::spec::resolve;

pub use emit::server_source;
pub(crate) use emit::tokens;

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
    /// The name of its method in the SDKs (`x-sdk-name`), such as `incidents.set_causes`.
    pub sdk_name: String,
    /// Its first tag, or the empty string.
    pub tag: String,
    /// Its summary, or the empty string.
    pub summary: String,
    /// The statuses and codes of the errors that its description lists, by status.
    pub errors: Vec<Error>,
    /// Every parameter with its description, in the order they are written.
    pub parameters: Vec<Parameter>,
    /// Whether the client also gets a variant that hands out the bytes (`x-raw-variant: true`).
    pub raw_variant: bool,
}

/// An error status with its codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Such as 409.
    pub status: u16,
    /// Such as `incident.transition`; none where the status is enough.
    pub codes: Vec<String>,
}

/// A path, query or header parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the wire.
    pub name: String,
    /// `path`, `query` or `header`.
    pub location: String,
    /// Its description, or the empty string.
    pub description: String,
}

/// The operations of a document, in document order. Operations that [`crate::lint`] rejects may be missing.
#[must_use]
pub fn operations(document: &Value) -> Vec<Operation> {
    raw(document)
        .filter_map(|found| operation(document, &found))
        .collect()
}

/// An operation object and its location.
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
            location: text(parameter, "in"),
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
            .filter(|parameter| parameter.location == "query")
            .map(|parameter| parameter.name.clone())
            .collect(),
        has_body: node.get("requestBody").is_some(),
        sdk_name: text(node, SDK_NAME),
        tag: node
            .pointer("/tags/0")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        summary: text(node, "summary"),
        errors: errors(&text(node, "description")),
        raw_variant: node.get("x-raw-variant") == Some(&Value::Bool(true)),
        parameters,
    })
}

/// Every scope of every alternative. The lint restricts each alternative to one scheme with one scope.
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

/// The errors in the list at the end of a description: `- 409 `incident.transition`: the status cannot
/// follow`.
fn errors(description: &str) -> Vec<Error> {
    match description.split_once(ERRORS) {
        Some((_, list)) => listed(list, code),
        None => Vec::new(),
    }
}

/// The errors that the description of an operation lists.
pub(crate) fn errors_of(description: &Value) -> Vec<Error> {
    errors(description.as_str().unwrap_or_default())
}

/// The codes that the description of `Problem.code` lists by status.
pub(crate) fn codes_of_problems(description: &Value) -> Vec<Error> {
    let any = |word: &str| Some(word.strip_prefix('`')?.strip_suffix('`')?.to_owned());
    let list = description.as_str().unwrap_or_default();
    listed(list, any)
}

/// Statuses, each at the start of an entry, and the codes after it.
fn listed(list: &str, code: impl Fn(&str) -> Option<String>) -> Vec<Error> {
    let mut errors: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    let mut current = None;
    // A number is a status only at the start of an entry: in prose it is any number.
    let mut begins = false;
    for written in list.split_whitespace() {
        let word = written.trim_matches(|c| ",;:().".contains(c));
        let status = word.parse().ok().filter(|_| begins);
        begins = written == "-"
            || written.ends_with(';')
            || (status.is_some() && written.ends_with(','));
        if let Some(status) = status {
            errors.entry(status).or_default();
            current = Some(status);
        } else if let Some(code) = code(word)
            && let Some(codes) = current.and_then(|status| errors.get_mut(&status))
            && !codes.contains(&code)
        {
            codes.push(code);
        }
    }
    errors
        .into_iter()
        .map(|(status, codes)| Error { status, codes })
        .collect()
}

/// The text that starts the list of errors in a description.
const ERRORS: &str = "Errors specific to this operation:";

/// The code between backticks: a family and a name, or `not_found`. Names of headers and values of enums do
/// not match.
fn code(word: &str) -> Option<String> {
    let code = word.strip_prefix('`')?.strip_suffix('`')?;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let is_code = match code.split_once('.') {
        Some((family, name)) => is_name(family) && is_name(name),
        None => code == "not_found",
    };
    is_code.then(|| code.to_owned())
}

/// The table people review: operation, method, path, scopes, errors.
#[must_use]
pub fn table(operations: &[Operation]) -> String {
    let mut text = String::from(
        "<!-- Written by `cargo xtask regen` from spec/openapi.yaml. -->\n\n\
         # Operations\n\n\
         Any one of the scopes suffices. Errors that any operation may return are listed in spec/README.md.\n\n\
         | operation | method | path | scopes | errors |\n|---|---|---|---|---|\n",
    );
    for operation in operations {
        let scopes: Vec<String> = operation
            .scopes
            .iter()
            .map(|scope| format!("`{scope}`"))
            .collect();
        let errors: Vec<String> = operation.errors.iter().map(shown).collect();
        text.push_str(&format!(
            "| {} | {} | `{}` | {} | {} |\n",
            operation.id,
            operation.method,
            operation.path,
            scopes.join(", "),
            errors.join("; ")
        ));
    }
    text
}

fn shown(error: &Error) -> String {
    let codes: Vec<String> = error.codes.iter().map(|code| format!("`{code}`")).collect();
    format!("{} {}", error.status, codes.join(", "))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_from_the_list_in_a_description() {
        let description = "It takes 400 ms.\n\nErrors specific to this operation:\n\n\
            - 400 `query.invalid` (a page of 500, or so), `odata.syntax`,\n  `odata.type`\n\
            - 401, 403\n\
            - 409 `incident.transition`: it was `Open`; 409 `incident.evaluation`: no\n\
            - 412 `precondition.failed`: not as `If-Match` names it\n\
            - 404 `not_found`: none\n\
            - 409 `improvement.transition`: never\n";
        let found: Vec<String> = errors(description).iter().map(shown).collect();
        assert_eq!(
            found,
            [
                "400 `query.invalid`, `odata.syntax`, `odata.type`",
                "401",
                "403",
                "404 `not_found`",
                "409 `incident.transition`, `incident.evaluation`, `improvement.transition`",
                "412 `precondition.failed`",
            ]
        );
    }
}
