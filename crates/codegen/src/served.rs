//! The document as the service serves it: without the extensions that only the generators of this project
//! read, and with the codes of errors, which its descriptions list, in a form for programs.

use serde_json::{Map, Value};

use crate::conventions::{ERROR_CODES, METHODS, SDK_NAME};
use crate::operations::{Error, codes_of_problems, errors_of};

/// The document without the names of operations in the SDKs. Each operation has the codes of its errors by
/// status, and `Problem.code` has all codes.
#[must_use]
pub fn served(document: &Value) -> Value {
    let mut out = document.clone();
    let items = out.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in items.into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) {
                operation.shift_remove(SDK_NAME);
                let errors = errors_of(&operation.get("description").cloned().unwrap_or_default());
                add_codes(operation, &errors);
            }
        }
    }
    let code = out.pointer_mut("/components/schemas/Problem/properties/code");
    if let Some(code) = code.and_then(Value::as_object_mut) {
        let codes = codes_of_problems(&code.get("description").cloned().unwrap_or_default());
        add_codes(code, &codes);
    }
    out
}

/// `{"404": ["not_found"], …}`, unless there is none.
fn add_codes(object: &mut Map<String, Value>, errors: &[Error]) {
    if errors.is_empty() {
        return;
    }
    let by_status = errors
        .iter()
        .map(|error| (error.status.to_string(), error.codes.clone().into()));
    object.insert(ERROR_CODES.to_owned(), Value::Object(by_status.collect()));
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
    fn the_codes_of_errors_are_served_by_status() {
        let description = "An area.\n\nErrors specific to this operation:\n\n- 401\n- 404 `not_found`: no such `id`";
        let all = "New codes may be added.\n- 404: `not_found`\n- 500: `internal`";
        let document = json!({
            "paths": {"/a": {"get": {"description": description}}},
            "components": {"schemas": {"Problem": {"properties": {"code": {"description": all}}}}},
        });
        let served = super::served(&document);
        let codes = &served["paths"]["/a"]["get"]["x-obeya-error-codes"];
        assert_eq!(*codes, json!({"401": [], "404": ["not_found"]}));
        let problem = &served["components"]["schemas"]["Problem"]["properties"];
        let codes = &problem["code"]["x-obeya-error-codes"];
        assert_eq!(*codes, json!({"404": ["not_found"], "500": ["internal"]}));
    }
}
