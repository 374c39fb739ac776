//! What the specification binds everybody to, without the prose around it: the form whose snapshot is reviewed.
//!
//! Names, types, bounds, defaults, media types, scopes and errors stay; descriptions, summaries and examples go, so that
//! better wording never hides a changed promise in a long diff.

use serde_json::Value;

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
    let mut out = document.clone();
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
