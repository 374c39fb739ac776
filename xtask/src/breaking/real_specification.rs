//! The comparison on the real specification: whatever is taken away anywhere in it is named. What is
//! expected is collected by a plain search for keys, without the walk of the comparison.

use std::collections::BTreeSet;

use obeya_codegen::{Spec, operations};
use serde_json::Value;

use super::compare::compare;
use crate::process::root;

fn specification() -> Value {
    let spec = Spec::read(&root().join("spec/openapi.yaml")).expect("the specification");
    spec.document().clone()
}

/// What a rule finds between two documents.
fn found(rule: &str, old: &Value, new: &Value) -> BTreeSet<String> {
    let findings = compare(old, new).into_iter();
    findings
        .filter(|finding| finding.rule == rule)
        .map(|finding| finding.at)
        .collect()
}

/// Applies a change to every named schema, which returns the names of what it took away.
fn change_schemas(
    document: &mut Value,
    change: impl Fn(&mut Value) -> Vec<String>,
) -> BTreeSet<String> {
    let schemas = document["components"]["schemas"].as_object_mut();
    let schemas = schemas.into_iter().flatten();
    let names = schemas.flat_map(|(schema, node)| {
        let names = change(node).into_iter();
        names.map(move |name| format!("{schema}.{name}"))
    });
    names.collect()
}

#[test]
fn every_property_that_is_removed_is_named() {
    let old = specification();
    let mut new = old.clone();
    let expected = change_schemas(&mut new, |schema| {
        let mut gone = Vec::new();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            // References stay, so that every schema can still be reached.
            properties.retain(|name, property| {
                let stays = property.to_string().contains("$ref");
                if !stays {
                    gone.push(name.clone());
                }
                stays
            });
        }
        gone
    });
    assert!(expected.len() > 300, "{}", expected.len());
    assert_eq!(found("property-removed", &old, &new), expected);
}

#[test]
fn every_word_that_is_removed_is_named() {
    let old = specification();
    let mut new = old.clone();
    let expected = change_schemas(&mut new, |schema| {
        let words = schema.get_mut("enum").and_then(Value::as_array_mut);
        let last = words.and_then(Vec::pop);
        last.iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    });
    assert!(expected.len() >= 9, "{expected:?}");
    assert_eq!(found("word-removed", &old, &new), expected);
}

#[test]
fn every_parameter_that_is_removed_is_named() {
    let old = specification();
    let mut new = old.clone();
    for item in new["paths"].as_object_mut().into_iter().flatten() {
        for operation in item.1.as_object_mut().into_iter().flatten() {
            if let Some(operation) = operation.1.as_object_mut() {
                operation.shift_remove("parameters");
            }
        }
    }
    let operations = operations::operations(&old);
    let names = operations.iter().flat_map(|operation| {
        let parameters = operation.parameters.iter();
        parameters
            .map(|parameter| format!("{} {} {}", operation.method, operation.path, parameter.name))
    });
    let expected: BTreeSet<String> = names.collect();
    assert!(expected.len() > 200, "{}", expected.len());
    assert_eq!(found("parameter-removed", &old, &new), expected);
}

#[test]
fn every_scope_and_operation_that_is_removed_is_named() {
    let old = specification();
    let mut new = old.clone();
    new["paths"] = Value::Object(serde_json::Map::new());
    let operations = operations::operations(&old);
    let expected = operations.iter();
    let expected: BTreeSet<String> = expected
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    assert!(expected.len() >= 49, "{}", expected.len());
    assert_eq!(found("operation-removed", &old, &new), expected);

    let mut new = old.clone();
    for item in new["paths"].as_object_mut().into_iter().flatten() {
        for operation in item.1.as_object_mut().into_iter().flatten() {
            operation.1["security"] = serde_json::json!([{"oauth2": ["another"]}]);
        }
    }
    let scopes = operations.iter().flat_map(|operation| {
        let scopes = operation.scopes.iter();
        scopes.map(|scope| format!("{} {} {scope}", operation.method, operation.path))
    });
    assert_eq!(found("scope-refused", &old, &new), scopes.collect());
}
