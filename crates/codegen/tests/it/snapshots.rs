//! The reviewed views of the specification: the public surface of the generated code. The document itself and
//! the table of its operations and errors are reviewed in `spec/generated`. A change of the specification
//! fails here until its effects have been reviewed.

use std::path::Path;

use obeya_codegen::{Spec, edits, fields, generate, surface};

fn spec() -> Spec {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/openapi.yaml");
    match obeya_codegen::read(&path) {
        Ok(spec) => spec,
        Err(error) => panic!("spec/openapi.yaml:\n{error}"),
    }
}

/// Compares with the reviewed file of that name; the failure names the command that mends it.
fn reviewed(name: &str, content: &str) {
    insta::with_settings!({
        description => "If this change is meant: `cargo xtask regen`, then review the diff.",
        omit_expression => true,
        prepend_module_to_snapshot => false,
    }, {
        insta::assert_snapshot!(name, content);
    });
}

#[test]
fn public_surface_of_the_model() {
    let model = generate(&spec())
        .expect("the specification generates")
        .model;
    reviewed("model", &surface(&model).expect("generated Rust"));
}

#[test]
fn public_surface_of_the_client() {
    let client = generate(&spec())
        .expect("the specification generates")
        .client;
    reviewed("client", &surface(&client).expect("generated Rust"));
}

#[test]
fn public_surface_of_the_fields() {
    let fields = fields(&spec()).expect("the specification generates");
    reviewed("fields", &surface(&fields).expect("generated Rust"));
}

#[test]
fn public_surface_of_the_edits() {
    let edits = edits(&spec()).expect("the specification generates");
    reviewed("edits", &surface(&edits).expect("generated Rust"));
}
