//! The bodies of updates: which properties of a record they need, and how an edit sets them.

use obeya_codegen::{edits, generate};

use crate::small::spoilt;

/// The small document, with the record of its update replaced.
fn edited(by: &str) -> obeya_codegen::Spec {
    let passage =
        "    AreaUpdate:\n      type: object\n      required: [kind]\n      properties:\n";
    let named = spoilt(passage, &format!("{passage}{by}"));
    let text = serde_json::to_string(named.written()).expect("JSON");
    let text = text.replace("\"updateArea\"", "\"updateIncident\"");
    obeya_codegen::Spec::parse(&text).expect("YAML")
}

const RECORD: &str = "        closed: {type: string, format: date-time, nullable: true}\n";

#[test]
fn a_property_of_an_update_must_be_one_of_the_record() {
    let error = edits(&edited(RECORD)).expect_err("text is no property of an area");
    assert_eq!(
        error.to_string(),
        "the generated code is not what was expected: `AreaUpdate.text` is no property of `Area` that an edit can compare: mend crates/codegen/src/updates.rs"
    );
}

/// Required, or empty if it is absent.
#[test]
fn an_update_from_a_record_has_what_the_request_needs() {
    let model = generate(&edited(RECORD)).expect("generates").model;
    let (_, from) = model
        .split_once("impl ::std::convert::From<&Area> for AreaUpdate")
        .expect("the update is made of a record");
    let body = from
        .split_once("Self {")
        .and_then(|(_, rest)| rest.split_once('}'));
    let fields: Vec<&str> = body.expect("a struct").0.lines().map(str::trim).collect();
    assert!(fields.contains(&"kind: record.kind.clone(),"), "{fields:?}");
    assert!(
        fields.contains(&"closed: record.closed.clone(),"),
        "{fields:?}"
    );
    assert!(
        fields.contains(&"text: ::std::default::Default::default(),"),
        "{fields:?}"
    );
}
