//! The JSON Schema of every type, reviewed, and the open enums on the wire.

use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};

use obeya_model::{GroupType, IncidentSeverity, IncidentUpdate, Patch};

#[test]
fn json_schemas() {
    insta::with_settings!({
        description => "If this change is meant: `cargo xtask regen`, then review the diff.",
        omit_expression => true,
        prepend_module_to_snapshot => false,
    }, {
        for (name, mut schema) in obeya_model::json_schemas() {
            // Every definition has a file of its own, and better wording is no change of a type.
            schema.remove("$defs");
            RecursiveTransform(|part: &mut Schema| {
                part.remove("description");
            })
            .transform(&mut schema);
            let text = serde_json::to_string_pretty(&schema).expect("a JSON value");
            insta::assert_snapshot!(name, text);
        }
    });
}

#[test]
fn a_word_of_a_newer_server_is_kept_as_it_came() {
    let known: GroupType = serde_json::from_str(r#""BUSINESSUNIT""#).expect("a word");
    assert_eq!(known, GroupType::Businessunit);
    let unknown: GroupType = serde_json::from_str(r#""businessunit""#).expect("a word");
    assert_eq!(unknown, GroupType::Unknown("businessunit".to_owned()));
    assert_eq!(
        serde_json::to_string(&unknown).expect("a string"),
        r#""businessunit""#
    );
    assert_eq!(
        format!("{:>6}|{known}", IncidentSeverity::Low),
        "   Low|BUSINESSUNIT"
    );
    assert!(serde_json::from_str::<GroupType>("1").is_err());
}

#[test]
fn an_update_tells_null_from_absent() {
    let text = r#"{"incidentTypeId":3,"severity":"High","title":"t","incidentDate":"2026-03-02","dueDate":null,"text":"x"}"#;
    let update: IncidentUpdate = serde_json::from_str(text).expect("an update");
    assert_eq!(update.due_date, Patch::Null);
    assert_eq!(update.text, Patch::Value("x".to_owned()));
    assert_eq!(update.resolved_date, Patch::Absent);
    let again: serde_json::Value = serde_json::to_value(&update).expect("a value");
    assert_eq!(
        again,
        serde_json::from_str::<serde_json::Value>(text).expect("a value")
    );
}

#[test]
fn an_empty_property_may_be_null_or_absent() {
    let line = |style: &str| format!(r#"{{"id":1,"isColumnCategory":false,"sortOrder":1{style}}}"#);
    for text in [line(""), line(r#","style":null,"name":null"#)] {
        let line: obeya_model::BoardLine = serde_json::from_str(&text).expect("a line");
        assert_eq!(line.style, None);
    }
}
