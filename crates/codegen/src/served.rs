//! The document as the service serves it, without the extensions that only the generators of this project
//! read.

use serde_json::Value;

use crate::conventions::{METHODS, SDK_NAME};

/// The document without the names of operations in the SDKs.
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
}
