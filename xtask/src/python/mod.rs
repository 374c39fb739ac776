//! Python: what `regen` writes for the package, and the part of `test` that builds it and tests it as a user would hold it.

mod inputs;
mod rust;
mod schema;
mod stub;

use anyhow::Result;
use serde_json::Value;

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
    ])
}

/// A docstring.
struct Docs<'a> {
    /// Spaces before each line.
    indent: usize,
    text: &'a str,
}

impl Docs<'_> {
    /// Writes it, or `...` where a description is missing and a body must not be.
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
                }
                out.push_str("\"\"\"\n");
            }
        }
    }
}
