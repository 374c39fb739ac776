//! The classes as Python sees them: `obeya/models.py`, which names them, and `obeya/models.pyi`, which types
//! and explains them.

use super::schema::{Field, Kind, Object, Spec};
use super::{Docs, HEAD};

/// `obeya/models.py`.
pub(super) fn module(spec: &Spec) -> String {
    let mut out = format!(
        "{HEAD}\"\"\"The records the service answers with. Immutable; compared by value.\"\"\"\n\nfrom obeya._obeya import (\n"
    );
    for name in names(spec) {
        out.push_str(&format!("    {name},\n"));
    }
    out.push_str(")\n\n__all__ = [\n");
    for name in names(spec) {
        out.push_str(&format!("    \"{name}\",\n"));
    }
    out.push_str("]\n");
    out
}

/// `obeya/models.pyi`.
pub(super) fn stub(spec: &Spec) -> String {
    let mut out = String::from(HEAD);
    out.push_str(
        // What reads a stub by running it must not stumble over a class that is named before it is there.
        "from __future__ import annotations\n\nimport datetime\nfrom collections.abc import Mapping\nfrom typing import Any, final\n\n",
    );
    out.push_str("from typing_extensions import Self\n\n__all__ = [\n");
    for name in names(spec) {
        out.push_str(&format!("    \"{name}\",\n"));
    }
    out.push_str("]\n");
    for record in &spec.records {
        class(&mut out, record);
    }
    out
}

fn names(spec: &Spec) -> Vec<&str> {
    let mut names: Vec<&str> = spec
        .records
        .iter()
        .map(|record| record.name.as_str())
        .collect();
    names.sort_unstable();
    names
}

fn class(out: &mut String, record: &Object) {
    out.push_str(&format!("\n@final\nclass {}:\n", record.name));
    Docs {
        indent: 4,
        text: &record.description,
    }
    .write(out);
    let fields: Vec<String> = record
        .fields
        .iter()
        .map(|field| format!("\"{}\"", field.python))
        .collect();
    out.push_str(&format!("    __match_args__ = ({},)\n", fields.join(", ")));
    for field in &record.fields {
        out.push_str(&format!(
            "    @property\n    def {}(self) -> {}:\n",
            field.python,
            annotation(field)
        ));
        Docs {
            indent: 8,
            text: &field.description,
        }
        .write(out);
    }
    out.push_str(
        "    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        \"\"\"The record with these fields, named as the attributes are or as on the wire.\"\"\"
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        \"\"\"Reads the record from JSON as it is on the wire.\"\"\"
    def to_dict(self) -> dict[str, Any]:
        \"\"\"Every attribute by name; records within it are dictionaries too.\"\"\"
    def to_json(self) -> str:
        \"\"\"The record as it is on the wire.\"\"\"
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...
",
    );
}

fn annotation(field: &Field) -> String {
    let inner = type_of(&field.kind);
    if field.nullable || !field.required {
        format!("{inner} | None")
    } else {
        inner
    }
}

/// What a getter answers with.
fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Int => "int".to_owned(),
        Kind::Float => "float".to_owned(),
        Kind::Bool => "bool".to_owned(),
        // Open: a newer service may answer with words that this version does not know.
        Kind::Text | Kind::Word(_) => "str".to_owned(),
        Kind::Instant => "datetime.datetime".to_owned(),
        Kind::Day => "datetime.date".to_owned(),
        Kind::Object(name) => name.clone(),
        Kind::List(inner) => format!("tuple[{}, ...]", type_of(inner)),
        Kind::Map(inner) => format!("dict[str, {}]", type_of(inner)),
    }
}
