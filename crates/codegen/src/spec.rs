//! A specification in memory: the JSON tree, and the line of each node in the YAML.

use std::path::Path;

use serde_json::Value;

use crate::yaml::{self, Lines};
use crate::{Error, Fault, schema};

/// The specification: nothing checked, and nothing changed except the form of nullable references.
#[derive(Clone, Debug)]
pub struct Spec {
    written: Value,
    document: Value,
    lines: Lines,
}

impl Spec {
    /// Reads a YAML file.
    ///
    /// # Errors
    /// The file cannot be read, is not YAML, or has a duplicate key.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.display().to_string(),
            source,
        })?;
        Self::parse(&text)
    }

    /// Reads YAML text.
    ///
    /// # Errors
    /// The text is not YAML, or has a duplicate key.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (written, lines) = yaml::parse(text)?;
        let mut document = written.clone();
        schema::roots(&mut document, &mut |root| {
            schema::change(root, &mut nullable_reference);
        });
        Ok(Self {
            written,
            document,
            lines,
        })
    }

    /// The whole document, keys in the order they were written. A nullable reference is `nullable` beside
    /// `allOf`: the form that the code generator, and everything here, reads.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The whole document as written, for readers outside of this project.
    #[must_use]
    pub fn written(&self) -> &Value {
        &self.written
    }

    /// Follows `$ref` to its target. A dangling or circular reference returns the node itself.
    pub(crate) fn resolve<'a>(&'a self, node: &'a Value) -> &'a Value {
        resolve(&self.document, node)
    }

    /// A fault at the node under `pointer`, or at its nearest ancestor with a line.
    pub(crate) fn fault(&self, pointer: &str, location: &str, message: String) -> Fault {
        let mut at = pointer;
        let line = loop {
            if let Some(line) = self.lines.get(at) {
                break *line;
            }
            match at.rfind('/') {
                Some(cut) => at = &at[..cut],
                None => break 0,
            }
        };
        Fault {
            line,
            location: location.to_owned(),
            message,
        }
    }
}

/// `anyOf` of a reference and null → `nullable` beside `allOf` of the reference. By the rules of OpenAPI 3.0
/// only the first can be null: `nullable` acts on the `type` beside it, and all of `allOf` must hold.
fn nullable_reference(node: &mut Value) {
    let Some(object) = node.as_object_mut() else {
        return;
    };
    let reference = match object
        .get("anyOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        Some([one, null]) if one.get("$ref").is_some() && schema::is_null(null) => one.clone(),
        _ => return,
    };
    object.shift_remove("anyOf");
    object.insert("nullable".to_owned(), true.into());
    object.insert("allOf".to_owned(), Value::Array(vec![reference]));
}

/// Follows `$ref` inside `document`, at most 16 steps: a circle of references ends somewhere on it.
pub(crate) fn resolve<'a>(document: &'a Value, mut node: &'a Value) -> &'a Value {
    for _ in 0..16 {
        let target = node
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| document.pointer(pointer));
        match target {
            Some(target) => node = target,
            None => break,
        }
    }
    node
}
