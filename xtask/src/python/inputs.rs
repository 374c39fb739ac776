//! The types of arguments: `obeya/types.py`, with the values of each enum and a typed dictionary of the
//! keyword arguments of each body. It is plain Python, so that annotations can name the types at run time.

use super::schema::{Field, Object, PropertyType, Spec};
use super::{Docs, HEAD};

/// `obeya/types.py`.
pub(super) fn module(spec: &Spec) -> String {
    let mut out = format!(
        "{HEAD}\"\"\"Types of arguments, for annotations: the values of enums, and the keyword arguments of request bodies.

An answer may contain values that are not listed here, because a newer service may have more.
\"\"\"

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Literal, TypedDict

from obeya import models

"
    );
    out.push_str("__all__ = [\n");
    for name in names(spec) {
        out.push_str(&format!("    \"{name}\",\n"));
    }
    out.push_str("]\n");
    for enumeration in &spec.enums {
        let list: Vec<String> = enumeration
            .values
            .iter()
            .map(|word| format!("    \"{word}\",\n"))
            .collect();
        out.push_str(&format!(
            "\n{} = Literal[\n{}]\n",
            enumeration.name,
            list.concat()
        ));
        Docs {
            indent: 0,
            text: &enumeration.description,
        }
        .write(&mut out);
    }
    for body in &spec.bodies {
        dictionary(&mut out, spec, body);
        if is_update(body) {
            changes(&mut out, spec, body);
        }
    }
    out
}

fn names(spec: &Spec) -> Vec<String> {
    let mut names: Vec<String> = spec
        .enums
        .iter()
        .map(|enumeration| enumeration.name.clone())
        .collect();
    for body in &spec.bodies {
        names.push(body.name.clone());
        if is_update(body) {
            names.push(changes_name(body));
        }
    }
    names.sort_unstable();
    names
}

/// An update whose required fields can be taken from the record that it changes.
fn is_update(body: &Object) -> bool {
    let is_of_a_value = body.name == "DatasourceValueInput";
    let is_named_so = body.name.ends_with("Update") || is_of_a_value;
    is_named_so && body.fields.iter().any(|field| field.required)
}

fn changes_name(body: &Object) -> String {
    let end = body.name.rfind("Update").or(body.name.rfind("Input"));
    format!("{}Changes", &body.name[..end.unwrap_or(body.name.len())])
}

/// Python 3.10 has no `Required`, so required keys are in a base class.
fn dictionary(out: &mut String, spec: &Spec, body: &Object) {
    let (required, optional): (Vec<&Field>, Vec<&Field>) =
        body.fields.iter().partition(|field| field.required);
    let mut base = "TypedDict".to_owned();
    if !required.is_empty() {
        base = format!("_{}Required", body.name);
        out.push_str(&format!("\n\nclass {base}(TypedDict):\n"));
        fields(out, spec, &required);
    }
    out.push_str(&format!("\n\nclass {}({base}, total=False):\n", body.name));
    Docs {
        indent: 4,
        text: &body.description,
    }
    .write(out);
    if !optional.is_empty() {
        out.push('\n');
    }
    fields(out, spec, &optional);
}

fn changes(out: &mut String, spec: &Spec, body: &Object) {
    out.push_str(&format!(
        "\n\nclass {}(TypedDict, total=False):\n",
        changes_name(body)
    ));
    let text =
        "Any part of an update: missing required fields are taken from the record that is updated.";
    Docs { indent: 4, text }.write(out);
    out.push('\n');
    fields(out, spec, &body.fields.iter().collect::<Vec<_>>());
}

fn fields(out: &mut String, spec: &Spec, fields: &[&Field]) {
    for field in fields {
        let mut annotation = type_of(spec, &field.kind);
        if field.nullable {
            annotation.push_str(" | None");
        }
        out.push_str(&format!("    {}: {annotation}\n", field.python));
        Docs {
            indent: 4,
            text: &field.description,
        }
        .write(out);
    }
}

/// The type of an argument. A date or time may also be text in the format of the wire.
fn type_of(spec: &Spec, kind: &PropertyType) -> String {
    match kind {
        PropertyType::Int => "int".to_owned(),
        PropertyType::Float => "float".to_owned(),
        PropertyType::Bool => "bool".to_owned(),
        PropertyType::Text => "str".to_owned(),
        PropertyType::Enum(name) => name.clone(),
        PropertyType::Instant => "datetime.datetime | str".to_owned(),
        PropertyType::Day => "datetime.date | str".to_owned(),
        PropertyType::Object(name) => name.clone(),
        PropertyType::List(inner) => match &**inner {
            PropertyType::Object(name) => format!("Sequence[{}]", part(spec, name)),
            other => format!("Sequence[{}]", type_of(spec, other)),
        },
        PropertyType::Map(inner) => format!("dict[str, {}]", type_of(spec, inner)),
    }
}

/// A part of a body: a dictionary, its id alone where only the id is required, or the record of the same
/// thing.
pub(super) fn part(spec: &Spec, name: &str) -> String {
    let mut choices = vec![name.to_owned()];
    if spec
        .bodies
        .iter()
        .any(|body| body.name == name && body.is_named_by_id())
    {
        choices.push("int".to_owned());
    }
    let thing = name.trim_end_matches("Input");
    let records = spec.records.iter().filter(|record| {
        let same = [
            thing.to_owned(),
            format!("{thing}Reference"),
            format!("Incident{thing}"),
            format!("Type{thing}"),
        ];
        same.contains(&record.name)
    });
    choices.extend(records.map(|record| format!("models.{}", record.name)));
    choices.join(" | ")
}
