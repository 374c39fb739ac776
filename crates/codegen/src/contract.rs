//! What the specification binds everybody to, without the prose around it: the form whose snapshot is reviewed.
//!
//! Names, types, bounds, defaults, media types, scopes and errors stay; descriptions, summaries and examples go, so that
//! better wording never hides a changed promise in a long diff.

use serde_json::Value;

use crate::conventions::{METHODS, SDK_NAME};

/// The document as the service serves it: without what only the generators of this project read.
#[must_use]
pub fn served(document: &Value) -> Value {
    let mut out = document.clone();
    let items = out.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in items.into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) {
                operation.shift_remove(SDK_NAME);
            }
        }
    }
    out
}

/// Keywords that only explain.
const PROSE: [&str; 6] = [
    "description",
    "summary",
    "example",
    "examples",
    "externalDocs",
    "title",
];

/// The document without prose.
#[must_use]
pub fn contract(document: &Value) -> Value {
    let mut out = served(document);
    strip(&mut out, true);
    if let Some(object) = out.as_object_mut() {
        object.shift_remove("tags");
        object.shift_remove("servers");
    }
    out
}

/// `keywords` says whether the keys of `node` are keywords, or names that may be spelled like one.
fn strip(node: &mut Value, keywords: bool) {
    match node {
        Value::Object(object) => {
            if keywords {
                for keyword in PROSE {
                    object.shift_remove(keyword);
                }
            }
            for (key, value) in object {
                let names = keywords
                    && value.is_object()
                    && matches!(
                        key.as_str(),
                        "properties"
                            | "schemas"
                            | "responses"
                            | "parameters"
                            | "headers"
                            | "scopes"
                    );
                strip(value, !names);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, true)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_names_of_the_sdks_are_not_served() {
        let document = json!({"paths": {"/a": {"get": {"operationId": "a", "x-sdk-name": "a.b", "tags": ["A"]}}}});
        let served = super::served(&document);
        assert_eq!(
            served,
            json!({"paths": {"/a": {"get": {"operationId": "a", "tags": ["A"]}}}})
        );
    }

    #[test]
    fn a_property_called_description_is_no_prose() {
        let document = json!({
            "info": {"title": "T", "version": "1"},
            "components": {"schemas": {"A": {
                "description": "prose",
                "properties": {"description": {"type": "string", "description": "prose", "maxLength": 255}},
            }}},
        });
        assert_eq!(
            super::contract(&document),
            json!({
                "info": {"version": "1"},
                "components": {"schemas": {"A": {
                    "properties": {"description": {"type": "string", "maxLength": 255}},
                }}},
            })
        );
    }
}
