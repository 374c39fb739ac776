//! The classes as Python sees them: `obeya/models.py`, which names them, and `obeya/models.pyi`, which types
//! and explains them.

use super::schema::{Field, Object, PropertyType, Spec};
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
        // A tool may execute the stub, and a class may be named there before it is defined.
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

/// The type that a getter returns.
fn type_of(kind: &PropertyType) -> String {
    match kind {
        PropertyType::Int => "int".to_owned(),
        PropertyType::Float => "float".to_owned(),
        PropertyType::Bool => "bool".to_owned(),
        // Any text: a newer service may send values that this version does not know.
        PropertyType::Text | PropertyType::Enum(_) => "str".to_owned(),
        PropertyType::Instant => "datetime.datetime".to_owned(),
        PropertyType::Day => "datetime.date".to_owned(),
        PropertyType::Object(name) => name.clone(),
        PropertyType::List(inner) => format!("tuple[{}, ...]", type_of(inner)),
        PropertyType::Map(inner) => format!("dict[str, {}]", type_of(inner)),
    }
}
