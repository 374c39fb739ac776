//! The Rust half: one macro call for each class and each body. The macros are in
//! `bindings/python/src/models`.

use super::schema::{Field, PropertyType, Spec};

const HEAD: &str = "\
// Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python/rust.rs.

";

/// `bindings/python/src/models/generated_records.rs`.
pub(super) fn records(spec: &Spec) -> String {
    let mut out = format!("{HEAD}use super::{{Field, enums, record, records}};\n\n");
    let names: Vec<&str> = spec
        .enums
        .iter()
        .map(|enumeration| enumeration.name.as_str())
        .collect();
    out.push_str(&format!("enums! {{ {} }}\n\n", names.join(" ")));
    let names: Vec<&str> = spec
        .records
        .iter()
        .map(|record| record.name.as_str())
        .collect();
    out.push_str(&format!("records! {{ {} }}\n", names.join(" ")));
    for record in &spec.records {
        out.push_str("\nrecord! {\n");
        docs(&mut out, "", &record.description);
        let (name, table) = (&record.name, table(&record.name));
        out.push_str(&format!("{name} {table} \"{name}\" {{\n"));
        for field in &record.fields {
            docs(&mut out, "    ", &field.description);
            out.push_str(&format!(
                "    {} = {}: {};\n",
                getter(&field.python),
                rust_field(&field.python),
                row(field)
            ));
        }
        out.push_str("} }\n");
    }
    out
}

/// `bindings/python/src/models/generated_bodies.rs`.
pub(super) fn bodies(spec: &Spec) -> String {
    let mut out = format!("{HEAD}use super::{{Field, body}};\n");
    for body in &spec.bodies {
        out.push_str(&format!(
            "\nbody! {{ {} \"{}\" {{\n",
            table(&body.name),
            body.name
        ));
        for field in &body.fields {
            out.push_str(&format!("    {};\n", row(field)));
        }
        out.push_str("} }\n");
    }
    out
}

/// One row of a table: `Field::required("id", "id")`, with its nested record and whether it is nullable.
fn row(field: &Field) -> String {
    let need = if field.required {
        "required"
    } else {
        "optional"
    };
    let mut row = format!("Field::{need}(\"{}\", \"{}\")", field.python, field.wire);
    match &field.kind {
        PropertyType::Object(name) => row.push_str(&format!(".one(&{})", table(name))),
        PropertyType::List(inner) => {
            if let PropertyType::Object(name) = &**inner {
                row.push_str(&format!(".many(&{})", table(name)));
            }
        }
        _ => {}
    }
    if field.nullable {
        row.push_str(".nullable()");
    }
    row
}

fn docs(out: &mut String, indent: &str, description: &str) {
    for line in description.lines() {
        out.push_str(format!("{indent}/// {line}").trim_end());
        out.push('\n');
    }
}

/// `IncidentCreate` → `INCIDENT_CREATE`.
pub(super) fn table(name: &str) -> String {
    let mut out = String::new();
    let mut before = 'A';
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !before.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
        before = letter;
    }
    out
}

/// The name of a getter: a keyword of Rust is written as a raw identifier, which Python does not see.
fn getter(python: &str) -> String {
    if python == "type" {
        "r#type".to_owned()
    } else {
        python.to_owned()
    }
}

/// The field in the model crate.
fn rust_field(python: &str) -> String {
    if python == "type" {
        "type_".to_owned()
    } else {
        python.to_owned()
    }
}
