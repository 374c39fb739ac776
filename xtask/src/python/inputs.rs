//! What goes in: `obeya/types.py`, with the words of each enum and a typed dictionary of the keyword
//! arguments of each body. Plain Python that runs as it is, so that annotations can name them at run time.

use super::schema::{Field, Kind, Object, Spec};
use super::{Docs, HEAD};

/// `obeya/types.py`.
pub(super) fn module(spec: &Spec) -> String {
    let mut out = format!(
        "{HEAD}\"\"\"What the service takes: words, and the keyword arguments of its request bodies, for annotations.

Answers may hold words that are not listed here, because a newer service may know more.
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
    for words in &spec.words {
        let list: Vec<String> = words
            .words
            .iter()
            .map(|word| format!("    \"{word}\",\n"))
            .collect();
        out.push_str(&format!(
            "\n{} = Literal[\n{}]\n",
            words.name,
            list.concat()
        ));
        Docs {
            indent: 0,
            text: &words.description,
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
    let mut names: Vec<String> = spec.words.iter().map(|words| words.name.clone()).collect();
    for body in &spec.bodies {
        names.push(body.name.clone());
        if is_update(body) {
            names.push(changes_name(body));
        }
    }
    names.sort_unstable();
    names
}

/// An update whose required fields can be taken from the record at hand.
fn is_update(body: &Object) -> bool {
    body.name.ends_with("Update") && body.fields.iter().any(|field| field.required)
}

fn changes_name(body: &Object) -> String {
    body.name.replace("Update", "Changes")
}

/// Python 3.10 has no `Required`: what must be there stands in a base class.
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
    let text = "Any part of an update: what is required comes from the record that is updated.";
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

/// What an argument may be. Text is taken where a moment belongs, as it is written on the wire.
fn type_of(spec: &Spec, kind: &Kind) -> String {
    match kind {
        Kind::Int => "int".to_owned(),
        Kind::Float => "float".to_owned(),
        Kind::Bool => "bool".to_owned(),
        Kind::Text => "str".to_owned(),
        Kind::Word(name) => name.clone(),
        Kind::Instant => "datetime.datetime | str".to_owned(),
        Kind::Day => "datetime.date | str".to_owned(),
        Kind::Object(name) => name.clone(),
        Kind::List(inner) => match &**inner {
            Kind::Object(name) => format!("Sequence[{}]", part(spec, name)),
            other => format!("Sequence[{}]", type_of(spec, other)),
        },
        Kind::Map(inner) => format!("dict[str, {}]", type_of(spec, inner)),
    }
}

/// A part of a body: a dictionary, its id alone where that says enough, or the record of the same thing.
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
