//! Python: the files that `regen` writes for the package, its reference, and the part of `test` that builds,
//! installs and tests the package as a user would.

mod as_cargo;
pub(crate) mod bench;
mod inputs;
mod operations;
mod reference;
mod rust;
mod schema;
mod stub;
mod sync;
mod test;

use anyhow::Result;
use serde_json::Value;

pub(crate) use as_cargo::run_if_cargo;
pub(crate) use operations::classes;
pub(crate) use reference::{write as docs, write_pictures as pictures};
pub(crate) use sync::outputs as twins;
pub(crate) use test::{Units, run, tests};

/// The first lines of every generated Python file.
const HEAD: &str = "\
# Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python.
# fmt: off
";

/// The generated files of the package, by path from the root of the repository.
///
/// # Errors
/// A schema of a shape that no Python type is known for.
pub fn outputs(document: &Value) -> Result<Vec<(&'static str, String)>> {
    let spec = schema::read(document)?;
    Ok(vec![
        (
            "bindings/python/src/models/generated_records.rs",
            rust::records(&spec),
        ),
        (
            "bindings/python/src/models/generated_bodies.rs",
            rust::bodies(&spec),
        ),
        (
            "bindings/python/python/obeya/models.py",
            stub::module(&spec),
        ),
        ("bindings/python/python/obeya/models.pyi", stub::stub(&spec)),
        (
            "bindings/python/python/obeya/types.py",
            inputs::module(&spec),
        ),
        (
            "bindings/python/src/calls/generated.rs",
            operations::extension(document),
        ),
    ])
}

/// A docstring.
struct Docs<'a> {
    /// Spaces before each line.
    indent: usize,
    text: &'a str,
}

impl Docs<'_> {
    /// Writes it, or `...` where the description is missing and the body would be empty.
    fn write(&self, out: &mut String) {
        let pad = " ".repeat(self.indent);
        let text = self.text.replace('\\', "\\\\").replace("\"\"\"", "'''");
        let mut lines = text.lines();
        match lines.next() {
            None => {
                if self.indent > 4 {
                    out.push_str(&format!("{pad}...\n"));
                }
            }
            Some(first) => {
                out.push_str(&format!("{pad}\"\"\"{first}"));
                let mut long = false;
                for line in lines {
                    long = true;
                    out.push('\n');
                    out.push_str(format!("{pad}{line}").trim_end());
                }
                if long {
                    out.push_str(&format!("\n{pad}"));
                } else if first.ends_with('"') {
                    // Four quotes in a row end the text a quote too early.
                    out.push(' ');
                }
                out.push_str("\"\"\"\n");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record with one property of each kind, and a body.
    fn files() -> Vec<(&'static str, String)> {
        let document = serde_json::json!({
            "paths": {"/v1/Things/{id}": {"put": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ThingUpdate"}}}},
                "responses": {"200": {"content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Thing"},
                    "example": {"$ref": "#/components/schemas/Unused"},
                }}}},
            }}},
            "components": {"schemas": {
                "Colour": {"type": "string", "description": "A colour.", "enum": ["Red", "DarkBlue"]},
                "Thing": {"type": "object", "description": "A \"thing\"", "required": ["id", "parts"], "properties": {
                    "id": {"type": "integer", "description": "Id of the thing."},
                    "type": {"$ref": "#/components/schemas/Colour"},
                    "madeDate": {"type": "string", "format": "date-time", "nullable": true},
                    "parent": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/Thing"}]},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
                    "errors": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
                }},
                "ThingUpdate": {"type": "object", "required": ["title"], "properties": {
                    "title": {"type": "string"},
                    "dueDay": {"type": "string", "format": "date", "nullable": true},
                    "colour": {"$ref": "#/components/schemas/Colour"},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/ThingInput"}},
                }},
                "ThingInput": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
                "Unused": {"type": "object", "properties": {}},
                "ThingSheet": {"type": "object", "properties": {"total": {"type": "integer"}, "values": {"type": "array"}}},
                "ThingPage": {"type": "object", "properties": {"value": {"type": "array"}, "@odata.nextLink": {"type": "string"}}},
            }},
        });
        outputs(&document).expect("every shape is known")
    }

    #[track_caller]
    fn holds(file: usize, lines: &[&str]) {
        let (path, text) = &files()[file];
        for line in lines {
            assert!(text.contains(line), "{path} lacks {line:?}:\n{text}");
        }
        for absent in ["Unused", "ThingPage", "ThingSheet"] {
            assert!(!text.contains(absent), "{path} has {absent}:\n{text}");
        }
    }

    #[test]
    fn rust_gets_a_line_for_each_property() {
        holds(
            0,
            &[
                "enums! { Colour }",
                "records! { Thing }",
                "Thing THING \"Thing\" {",
                "    /// Id of the thing.\n    id = id: Field::required(\"id\", \"id\");",
                "    r#type = type_: Field::optional(\"type\", \"type\");",
                "made_date = made_date: Field::optional(\"made_date\", \"madeDate\").nullable();",
                "parent = parent: Field::optional(\"parent\", \"parent\").one(&THING).nullable();",
                "parts = parts: Field::required(\"parts\", \"parts\").many(&THING);",
            ],
        );
        holds(
            1,
            &[
                "body! { THING_UPDATE \"ThingUpdate\" {\n    Field::required(\"title\", \"title\");",
                "Field::optional(\"parts\", \"parts\").many(&THING_INPUT);",
            ],
        );
    }

    #[test]
    fn the_stub_types_what_a_getter_gives() {
        holds(
            3,
            &[
                "class Thing:\n    \"\"\"A \"thing\" \"\"\"",
                "def id(self) -> int:\n        \"\"\"Id of the thing.\"\"\"",
                // Values of a newer service are accepted: an answer may be any text. The description is that
                // of the enum.
                "def type(self) -> str | None:\n        \"\"\"A colour.\"\"\"",
                "def made_date(self) -> datetime.datetime | None:",
                "def parent(self) -> Thing | None:",
                "def parts(self) -> tuple[Thing, ...]:",
                "def errors(self) -> dict[str, tuple[str, ...]] | None:",
            ],
        );
    }

    #[test]
    fn arguments_are_typed_more_strictly_than_answers() {
        holds(
            4,
            &[
                "Colour = Literal[\n    \"Red\",\n    \"DarkBlue\",\n]\n\"\"\"A colour.\"\"\"",
                "class _ThingUpdateRequired(TypedDict):\n    title: str\n",
                "class ThingUpdate(_ThingUpdateRequired, total=False):",
                "    due_day: datetime.date | str | None\n    colour: Colour\n",
                "    parts: Sequence[ThingInput | int | models.Thing]\n",
                "class ThingChanges(TypedDict, total=False):",
            ],
        );
    }

    #[test]
    fn a_shape_that_is_not_known_is_named() {
        let document = serde_json::json!({
            "paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/components/schemas/A"}}}}},
            "components": {"schemas": {"A": {"properties": {"b": {"type": "file"}}}}},
        });
        let error = format!("{:#}", outputs(&document).expect_err("no Python type"));
        assert_eq!(
            error,
            "schema `A`: property `b`: found the type `file`, which has no Python type: add it to xtask/src/python/schema.rs"
        );
    }
}
