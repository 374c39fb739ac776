//! Each rule with a change that it finds, and what is found when that change is taken back.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::compare::compare;
use super::rules::RULES;

/// One operation with everything, and a record that contains records of its kind.
fn base() -> Value {
    json!({
        "paths": {"/v1/Things/{thingId}": {"put": {
            "operationId": "updateThing",
            "x-sdk-name": "things.update",
            "description": "Errors specific to this operation:\n\n- 409 `thing.state`, `thing.gone`\n",
            "security": [{"oauth2": ["Things.ReadWrite"]}, {"oauth2": ["api.write"]}],
            "parameters": [
                {"name": "thingId", "in": "path", "required": true, "schema": {"type": "integer", "format": "int32"}},
                {"name": "mode", "in": "query", "required": false, "schema": {"type": "string", "default": "keep"}},
                {"$ref": "#/components/parameters/Top"},
            ],
            "requestBody": {"required": false, "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/Update"}},
                "text/json": {"schema": {"$ref": "#/components/schemas/Update"}},
            }},
            "responses": {
                "200": {
                    "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}},
                        "text/csv": {"schema": {"type": "string"}},
                    },
                },
                "202": {"description": "Later"},
                "default": {"$ref": "#/components/responses/Problem"},
            },
        }}},
        "components": {
            "securitySchemes": {"oauth2": {"flows": {"clientCredentials": {
                "tokenUrl": "/token",
                "scopes": {"Things.ReadWrite": "Things", "api.write": "All", "Unused.Read": "Nothing"},
            }}}},
            "parameters": {"Top": {"name": "$top", "in": "query", "required": false,
                "schema": {"type": "integer", "minimum": 0, "maximum": 1000}}},
            "responses": {"Problem": {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}},
            "schemas": {
                "Colour": {"type": "string", "enum": ["Red", "Green"]},
                "Update": {"type": "object", "required": ["title"], "properties": {
                    "title": {"type": "string", "maxLength": 100},
                    "note": {"type": "string", "nullable": true, "x-obeya-patch": true},
                    "colour": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/Colour"}]},
                    "tags": {"type": "array", "minItems": 0, "items": {"type": "string"}},
                    "amount": {"type": "number", "format": "double"},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Update"}},
                }},
                "Thing": {"type": "object", "required": ["id", "title"], "properties": {
                    "id": {"type": "integer", "format": "int32"},
                    "title": {"type": "string", "maxLength": 100, "pattern": "^[^ ]"},
                    "colour": {"$ref": "#/components/schemas/Colour"},
                    "parent": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/Thing"}]},
                    "children": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
                    "text": {"type": "string"},
                }},
                "Problem": {"type": "object", "properties": {
                    "errors": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
                }},
                "Alone": {"type": "string"},
            },
        },
    })
}

/// Sets the value under a pointer, whose parent must exist; null removes it.
fn set(document: &mut Value, pointer: &str, value: &Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let key = key.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent) {
        Some(Value::Array(items)) if value.is_null() => {
            items.remove(key.parse().expect("an index"));
        }
        Some(Value::Array(items)) if key == "-" => items.push(value.clone()),
        Some(Value::Array(items)) => items[key.parse::<usize>().expect("an index")] = value.clone(),
        Some(Value::Object(object)) => match value {
            Value::Null => assert!(
                object.shift_remove(&key).is_some(),
                "{pointer} is not there"
            ),
            value => _ = object.insert(key, value.clone()),
        },
        _ => panic!("{parent} is not there"),
    }
}

fn found(old: &Value, new: &Value) -> BTreeSet<(String, String)> {
    let findings = compare(old, new).into_iter();
    findings
        .map(|finding| (finding.rule.to_owned(), finding.at))
        .collect()
}

type Names<'a> = &'a [(&'a str, &'a str)];

/// What is found when the value under a pointer becomes another, and when it is taken back.
struct Case {
    pointer: String,
    value: Value,
    forth: Names<'static>,
    back: Names<'static>,
}

fn case(pointer: &str, value: Value, forth: Names<'static>, back: Names<'static>) -> Case {
    let pointer = pointer
        .replacen("OP", "/paths/~1v1~1Things~1{thingId}/put", 1)
        .replacen("SENT", "/components/schemas/Update/properties", 1)
        .replacen("GOT", "/components/schemas/Thing/properties", 1);
    Case {
        pointer,
        value,
        forth,
        back,
    }
}

const OP: &str = "PUT /v1/Things/{thingId}";

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    const NONE: Names<'static> = &[];
    vec![
        // Operations.
        case("/paths/~1v1~1Things~1{thingId}/put", Value::Null, &[("operation-removed", OP)], NONE),
        case("OP/operationId", json!("changeThing"), &[("operation-renamed", OP)], &[("operation-renamed", OP)]),
        case("OP/x-sdk-name", json!("things.change"), &[("sdk-method-renamed", OP)], &[("sdk-method-renamed", OP)]),
        case("OP/x-sdk-name", Value::Null, &[("sdk-method-renamed", OP)], NONE),
        case("OP/description", json!("Errors specific to this operation:\n\n- 409 `thing.state`\n"),
            &[("error-code-removed", "PUT /v1/Things/{thingId} 409 thing.gone")], NONE),
        case("OP/summary", json!("Update"), NONE, NONE),
        case("OP/security/1", Value::Null, &[("scope-refused", "PUT /v1/Things/{thingId} api.write")], NONE),
        case("OP/security/1/oauth2/-", json!("More"), &[("scope-refused", "PUT /v1/Things/{thingId} api.write")], NONE),
        // A scheme without scopes is another thing than no scheme.
        case("OP/security/1", json!({"key": []}), &[("scope-refused", "PUT /v1/Things/{thingId} api.write")],
            &[("scope-refused", "PUT /v1/Things/{thingId} key")]),
        case("OP/security", json!([]), NONE, &[("scope-refused", OP)]),
        case("/components/securitySchemes/oauth2/flows/clientCredentials/scopes/Unused.Read", Value::Null,
            &[("scope-removed", "oauth2 clientCredentials Unused.Read")], NONE),
        case("/components/securitySchemes/oauth2/flows/clientCredentials/tokenUrl", json!("/login"),
            &[("token-address-changed", "oauth2 clientCredentials")], &[("token-address-changed", "oauth2 clientCredentials")]),
        case("/components/schemas/Alone", Value::Null, &[("schema-removed", "Alone")], NONE),
        // Parameters.
        case("OP/parameters/1", Value::Null, &[("parameter-removed", "PUT /v1/Things/{thingId} mode")], NONE),
        case("OP/parameters/1/required", json!(true), &[("parameter-required", "PUT /v1/Things/{thingId} mode")], NONE),
        case("OP/parameters/-", json!({"name": "page", "in": "query", "required": true, "schema": {"type": "integer"}}),
            &[("parameter-required", "PUT /v1/Things/{thingId} page")], &[("parameter-removed", "PUT /v1/Things/{thingId} page")]),
        case("OP/parameters/1/style", json!("spaceDelimited"), &[("parameter-keyword", "PUT /v1/Things/{thingId} mode style")],
            &[("parameter-keyword", "PUT /v1/Things/{thingId} mode style")]),
        case("OP/parameters/1/deprecated", json!(true), NONE, NONE),
        case("OP/parameters/1/schema/default", json!("drop"), &[("default-changed", "PUT /v1/Things/{thingId} mode")],
            &[("default-changed", "PUT /v1/Things/{thingId} mode")]),
        case("OP/parameters/1/schema/default", Value::Null, &[("default-changed", "PUT /v1/Things/{thingId} mode")], NONE),
        case("/components/parameters/Top/schema/maximum", json!(500), &[("bound-narrowed", "parameter Top")], NONE),
        case("/components/parameters/Top/schema/minimum", json!(1), &[("bound-narrowed", "parameter Top")], NONE),
        // Bodies and responses.
        case("OP/requestBody", Value::Null, &[("body-removed", "PUT /v1/Things/{thingId} body")], NONE),
        case("OP/requestBody/required", json!(true), &[("body-required", "PUT /v1/Things/{thingId} body")], NONE),
        case("OP/requestBody/content/text~1json", Value::Null,
            &[("media-type-removed", "PUT /v1/Things/{thingId} body text/json")], NONE),
        case("OP/responses/200/content/text~1csv", Value::Null,
            &[("media-type-removed", "PUT /v1/Things/{thingId} 200 text/csv")], NONE),
        case("OP/responses/202", Value::Null, &[("status-removed", "PUT /v1/Things/{thingId} 202")],
            &[("status-added", "PUT /v1/Things/{thingId} 202")]),
        // `default` has always covered a 404.
        case("OP/responses/404", json!({"$ref": "#/components/responses/Problem"}), NONE, NONE),
        case("OP/responses/200/headers/ETag", Value::Null, &[("header-removed", "PUT /v1/Things/{thingId} 200 ETag")], NONE),
        case("OP/responses/200/headers/ETag/required", json!(false),
            &[("header-optional", "PUT /v1/Things/{thingId} 200 ETag")], NONE),
        case("/components/responses/Problem/content/application~1problem+json", Value::Null,
            &[("media-type-removed", "response Problem application/problem+json")], NONE),
        // Schemas: what is accepted may grow, what is answered may not.
        case("SENT/amount/type", json!("integer"), &[("type-narrowed", "Update.amount")], NONE),
        case("SENT/amount/format", json!("float"), &[("type-narrowed", "Update.amount")], NONE),
        case("SENT/amount/format", Value::Null, NONE, &[("type-narrowed", "Update.amount")]),
        case("SENT/amount/type", json!("string"), &[("type-narrowed", "Update.amount")], &[("type-narrowed", "Update.amount")]),
        case("SENT/tags/items/type", json!("integer"), &[("type-narrowed", "Update.tags[]")], &[("type-narrowed", "Update.tags[]")]),
        case("GOT/id/format", json!("int64"), &[("type-widened", "Thing.id")], NONE),
        case("GOT/id/type", json!("number"), &[("type-widened", "Thing.id")], NONE),
        case("GOT/id/type", json!("string"), &[("type-widened", "Thing.id")], &[("type-widened", "Thing.id")]),
        case("/components/schemas/Problem/properties/errors/additionalProperties/items/type", json!("object"),
            &[("type-widened", "Problem.errors.*[]")], &[("type-widened", "Problem.errors.*[]")]),
        case("SENT/colour/nullable", json!(false), &[("null-refused", "Update.colour")], NONE),
        case("SENT/note/nullable", json!(false), &[("null-refused", "Update.note")], NONE),
        case("GOT/text/nullable", json!(true), &[("null-added", "Thing.text")], NONE),
        case("SENT/tags", Value::Null, &[("property-removed", "Update.tags")], NONE),
        case("GOT/text", Value::Null, &[("property-removed", "Thing.text")], NONE),
        case("/components/schemas/Update/required/-", json!("tags"), &[("property-required", "Update.tags")], NONE),
        case("/components/schemas/Thing/required/-", json!("text"), NONE, &[("property-optional", "Thing.text")]),
        case("/components/schemas/Colour/enum/1", Value::Null, &[("word-removed", "Colour.Green")], NONE),
        case("SENT/title/enum", json!(["A"]), &[("words-closed", "Update.title")], NONE),
        case("GOT/title/enum", json!(["A"]), NONE, &[("words-opened", "Thing.title")]),
        case("SENT/title/maxLength", json!(99), &[("bound-narrowed", "Update.title")], NONE),
        case("SENT/title/minLength", json!(1), &[("bound-narrowed", "Update.title")], NONE),
        case("SENT/title/minLength", json!(0), NONE, NONE),
        case("SENT/tags/maxItems", json!(9), &[("bound-narrowed", "Update.tags")], NONE),
        case("GOT/title/maxLength", json!(101), &[("bound-widened", "Thing.title")], NONE),
        case("SENT/title/pattern", json!("^a"), &[("pattern-narrowed", "Update.title")], NONE),
        case("GOT/title/pattern", json!("^a"), &[("pattern-widened", "Thing.title")], &[("pattern-widened", "Thing.title")]),
        case("GOT/title/pattern", Value::Null, &[("pattern-widened", "Thing.title")], NONE),
        case("SENT/note/x-obeya-patch", Value::Null, &[("patch-changed", "Update.note")], &[("patch-changed", "Update.note")]),
        case("SENT/tags/uniqueItems", json!(true), &[("keyword-changed", "Update.tags")], &[("keyword-changed", "Update.tags")]),
        case("SENT/title/description", json!("Prose"), NONE, NONE),
        case("GOT/new", json!({"type": "string"}), NONE, &[("property-removed", "Thing.new")]),
        case("SENT/new", json!({"type": "string"}), NONE, &[("property-removed", "Update.new")]),
        // A nullable reference in another form is the same.
        case("GOT/parent", json!({"anyOf": [{"$ref": "#/components/schemas/Thing"}, {"enum": [null]}]}), NONE, NONE),
        case("GOT/text", json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
            &[("alternatives-changed", "Thing.text")], &[("alternatives-changed", "Thing.text")]),
        case("GOT/parent/nullable", json!(false), NONE, &[("null-added", "Thing.parent")]),
    ]
}

fn names(names: Names<'_>) -> BTreeSet<(String, String)> {
    let names = names.iter();
    names
        .map(|(rule, at)| ((*rule).to_owned(), (*at).to_owned()))
        .collect()
}

#[test]
fn each_change_is_found_by_its_rule_alone() {
    let base = base();
    assert_eq!(found(&base, &base), BTreeSet::new());
    for case in cases() {
        let mut changed = base.clone();
        set(&mut changed, &case.pointer, &case.value);
        let change = format!("{} = {}", case.pointer, case.value);
        assert_eq!(
            found(&changed, &changed),
            BTreeSet::new(),
            "{change}, with itself"
        );
        assert_eq!(found(&base, &changed), names(case.forth), "{change}");
        assert_eq!(
            found(&changed, &base),
            names(case.back),
            "{change}, taken back"
        );
    }
}

#[test]
fn each_rule_has_a_case() {
    let cases = cases();
    let named = cases
        .iter()
        .flat_map(|case| case.forth.iter().chain(case.back));
    let mut named: BTreeSet<&str> = named.map(|(rule, _)| *rule).collect();
    // It has a test of its own, because the path changes with the name.
    named.insert("parameter-renamed");
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(named, rules);
}

/// `/v1/Things/{thingId}` under another path, with another name for its parameter.
fn moved(path: &str, name: &str) -> Value {
    let mut document = base();
    let item = document["paths"]["/v1/Things/{thingId}"].take();
    document["paths"] = json!({path: item});
    document["paths"][path]["put"]["parameters"][0]["name"] = json!(name);
    document
}

#[test]
fn a_parameter_of_the_path_is_known_by_its_place() {
    let renamed = moved("/v1/things/{id}", "id");
    let at = "PUT /v1/Things/{thingId} thingId";
    assert_eq!(
        found(&base(), &renamed),
        names(&[("parameter-renamed", at)])
    );
    assert_eq!(
        found(&renamed, &base()),
        names(&[("parameter-renamed", "PUT /v1/things/{id} id")])
    );
    // Paths are case-insensitive.
    assert_eq!(
        found(&base(), &moved("/V1/THINGS/{thingId}", "thingId")),
        names(&[])
    );
}

#[test]
fn a_moved_operation_is_named_with_its_new_address() {
    let findings = compare(&base(), &moved("/v2/things/{thingId}", "thingId"));
    let messages: Vec<_> = findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(messages, ["is now PUT /v2/things/{thingId}"]);
}

/// `Thing` contains itself twice, and `Update` once; a change inside is found once, under its own name.
#[test]
fn circular_schemas_end_and_are_named_once() {
    let mut changed = base();
    set(
        &mut changed,
        "/components/schemas/Thing/properties/text/type",
        &json!("integer"),
    );
    set(
        &mut changed,
        "/components/schemas/Update/properties/amount/type",
        &json!("integer"),
    );
    let expected = [
        ("type-widened", "Thing.text"),
        ("type-narrowed", "Update.amount"),
    ];
    assert_eq!(found(&base(), &changed), names(&expected));
    // A circle of references without any schema has an end too.
    let circle = json!({"$ref": "#/components/schemas/Alone"});
    set(&mut changed, "/components/schemas/Alone", &circle);
    set(
        &mut changed,
        "/components/schemas/Thing/properties/text",
        &circle,
    );
    assert_eq!(found(&changed, &changed), BTreeSet::new());
}

/// A strict reader of OpenAPI 3.0 needs null among the words, so in a schema of its own.
#[test]
fn a_nullable_reference_may_lead_to_a_nullable_twin() {
    let twin = json!({"type": "string", "nullable": true, "enum": ["Red", "Green", null]});
    let mut new = base();
    set(&mut new, "/components/schemas/ColourOrNull", &twin);
    let reference = json!({"$ref": "#/components/schemas/ColourOrNull"});
    let sent = "/components/schemas/Update/properties/colour";
    set(&mut new, sent, &reference);
    assert_eq!(found(&base(), &new), names(&[]));
    assert_eq!(
        found(&new, &base()),
        names(&[("schema-removed", "ColourOrNull")])
    );
    // Where null was not answered before, the twin adds it.
    set(
        &mut new,
        "/components/schemas/Thing/properties/colour",
        &reference,
    );
    assert_eq!(
        found(&base(), &new),
        names(&[("null-added", "Thing.colour")])
    );
    // And a word that the twin lacks is gone.
    set(
        &mut new,
        "/components/schemas/ColourOrNull/enum/0",
        &Value::Null,
    );
    let expected = [
        ("null-added", "Thing.colour"),
        ("word-removed", "Colour.Red"),
    ];
    assert_eq!(found(&base(), &new), names(&expected));
}

/// A schema that goes both ways is judged for each of them.
#[test]
fn a_schema_of_requests_and_responses_may_neither_narrow_nor_widen() {
    let pointer = "/paths/~1v1~1Things~1{thingId}/put/requestBody/content/text~1json/schema";
    let both = json!({"$ref": "#/components/schemas/Thing"});
    let mut old = base();
    set(&mut old, pointer, &both);
    let mut new = old.clone();
    set(
        &mut new,
        "/components/schemas/Thing/properties/title/maxLength",
        &json!(50),
    );
    assert_eq!(
        found(&old, &new),
        names(&[("bound-narrowed", "Thing.title")])
    );
    assert_eq!(
        found(&new, &old),
        names(&[("bound-widened", "Thing.title")])
    );
}
