//! A specification in memory: the JSON tree, and the line of each node in the YAML.

use std::path::Path;

use serde_json::Value;

use crate::yaml::{self, Lines};
use crate::{Error, Fault};

/// The specification as written: nothing checked, nothing changed.
#[derive(Clone, Debug)]
pub struct Spec {
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
        let (document, lines) = yaml::parse(text)?;
        Ok(Self { document, lines })
    }

    /// The whole document, keys in the order they were written.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Follows `$ref` to its target. A dangling or circular reference returns the node itself.
    pub(crate) fn resolve<'a>(&'a self, node: &'a Value) -> &'a Value {
        resolve(&self.document, node)
    }

    /// A fault at the node under `pointer`, or at its nearest ancestor with a line.
    pub(crate) fn fault(&self, pointer: &str, place: &str, message: String) -> Fault {
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
            place: place.to_owned(),
            message,
        }
    }
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
