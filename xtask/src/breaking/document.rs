//! Reads an OpenAPI document for a comparison: nodes with their references followed, operations by their
//! address. Judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use obeya_codegen::operations;
use serde_json::Value;

/// References in a row that are followed. A circle of references ends somewhere on it.
const REFERENCES: usize = 16;

const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// A node of a document, with its references followed.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    document: &'a Value,
    pub(super) value: &'a Value,
    /// The name under `components`, if a reference led here.
    pub(super) component: Option<&'a str>,
}

impl<'a> Node<'a> {
    /// The whole document.
    pub(super) fn root(document: &'a Value) -> Self {
        Self {
            document,
            value: document,
            component: None,
        }
    }

    /// Another node of the same document.
    fn beside(self, mut value: &'a Value) -> Self {
        let mut component = None;
        for _ in 0..REFERENCES {
            let reference = value.get("$ref").and_then(Value::as_str);
            let Some(pointer) = reference.and_then(|reference| reference.strip_prefix('#')) else {
                break;
            };
            let Some(target) = self.document.pointer(pointer) else {
                break;
            };
            component = pointer.rsplit('/').next();
            value = target;
        }
        Self {
            document: self.document,
            value,
            component,
        }
    }

    pub(super) fn get(self, key: &str) -> Option<Self> {
        Some(self.beside(self.value.get(key)?))
    }

    pub(super) fn text(self, key: &str) -> &'a str {
        self.value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub(super) fn flag(self, key: &str) -> bool {
        self.value.get(key) == Some(&Value::Bool(true))
    }

    /// The members of the object under a key; none if there is no object.
    pub(super) fn members(self, key: &str) -> BTreeMap<&'a str, Self> {
        let object = self.value.get(key).and_then(Value::as_object);
        let members = object.into_iter().flatten();
        members
            .map(|(name, value)| (name.as_str(), self.beside(value)))
            .collect()
    }

    /// The items of the list under a key; none if there is no list.
    pub(super) fn items(self, key: &str) -> Vec<Self> {
        let list = self.value.get(key).and_then(Value::as_array);
        let items = list.into_iter().flatten();
        items.map(|value| self.beside(value)).collect()
    }
}

/// An operation with everything that its path adds to it.
pub(super) struct Operation<'a> {
    /// Method and path as written: `GET /v1/Incidents`.
    pub(super) address: String,
    pub(super) node: Node<'a>,
    /// By [`parameter_key`].
    pub(super) parameters: BTreeMap<String, Node<'a>>,
    /// The alternatives, each the scopes that a token must have together, or the name of a scheme without
    /// scopes. None: no token is needed.
    pub(super) security: Vec<BTreeSet<&'a str>>,
    /// Status and code of the errors that its description lists.
    pub(super) errors: BTreeSet<String>,
}

/// The operations by what a client addresses: the method, and the path without the names of its parameters
/// and in lower case, since paths are case-insensitive.
pub(super) fn operations(document: &Value) -> BTreeMap<String, Operation<'_>> {
    let root = Node::root(document);
    let mut errors: BTreeMap<String, BTreeSet<String>> = operations::operations(document)
        .into_iter()
        .map(|operation| {
            let codes = operation.errors.iter().flat_map(|error| {
                let with_status = move |code: &String| format!("{} {code}", error.status);
                error.codes.iter().map(with_status)
            });
            (
                format!("{} {}", operation.method, operation.path),
                codes.collect(),
            )
        })
        .collect();
    let mut found = BTreeMap::new();
    for (path, item) in root.members("paths") {
        for method in METHODS {
            let Some(node) = item.get(method) else {
                continue;
            };
            let address = format!("{} {path}", method.to_uppercase());
            let both = [item.items("parameters"), node.items("parameters")];
            // The operation's own parameters come last and win.
            let parameters = both.into_iter().flatten();
            let operation = Operation {
                parameters: parameters
                    .map(|parameter| (parameter_key(path, parameter), parameter))
                    .collect(),
                security: security(root, node),
                errors: errors.remove(&address).unwrap_or_default(),
                address,
                node,
            };
            found.insert(format!("{method} {}", unnamed(path)), operation);
        }
    }
    found
}

/// A path with its parameters numbered: `/v1/incidents/{0}`.
fn unnamed(path: &str) -> String {
    let mut number = 0;
    let segments = path.split('/').map(|segment| {
        if segment.starts_with('{') {
            number += 1;
            format!("{{{}}}", number - 1)
        } else {
            segment.to_lowercase()
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// What identifies a parameter in a request: its position in the path, or where it is and its name.
fn parameter_key(path: &str, parameter: Node<'_>) -> String {
    let name = parameter.text("name");
    match parameter.text("in") {
        "path" => {
            let mut names = path.split('/').filter(|segment| segment.starts_with('{'));
            let position = names.position(|segment| segment == format!("{{{name}}}"));
            format!(
                "path {}",
                position.map_or(name.to_owned(), |at| at.to_string())
            )
        }
        "header" => format!("header {}", name.to_lowercase()),
        place => format!("{place} {name}"),
    }
}

/// The security of an operation, or of the document if it states none.
fn security<'a>(root: Node<'a>, operation: Node<'a>) -> Vec<BTreeSet<&'a str>> {
    let stated = if operation.value.get("security").is_some() {
        operation
    } else {
        root
    };
    let alternatives = stated.items("security").into_iter().map(|alternative| {
        let schemes = alternative.value.as_object().into_iter().flatten();
        let needed = schemes.flat_map(|(scheme, scopes)| {
            let scopes = scopes.as_array().into_iter().flatten();
            let scopes: Vec<&str> = scopes.filter_map(Value::as_str).collect();
            match scopes[..] {
                [] => vec![scheme.as_str()],
                _ => scopes,
            }
        });
        needed.collect()
    });
    alternatives.collect()
}
