//! YAML → a JSON tree with the line of every node.
//!
//! Deserializing straight into an OpenAPI type would accept a path or a schema that is given twice and
//! silently use the last one, and would lose the lines that the lint reports. No other checks are made here.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;

use crate::Error;

/// JSON pointer of a node → its 1-based line.
pub(crate) type Lines = BTreeMap<String, u32>;

/// Parses one YAML document. Only `true` and `false` are booleans: `no` is a country.
pub(crate) fn parse(text: &str) -> Result<(Value, Lines), Error> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::Error,
    };
    let tree: Spanned<Node> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let location = error.location();
            Error::Yaml {
                line: location.map_or(0, |location| location.line()),
                column: location.map_or(0, |location| location.column()),
                message: plain(&error),
            }
        })?;
    let mut lines = Lines::new();
    let line = line(&tree);
    let document = place(tree.value, String::new(), line, &mut lines);
    Ok((document, lines))
}

/// The message without the position, which is a separate field.
fn plain(error: &serde_saphyr::Error) -> String {
    match error.without_snippet() {
        serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{key}` is given twice in one mapping; the second would silently win")
        }
        other => other.to_string(),
    }
}

fn line<T>(spanned: &Spanned<T>) -> u32 {
    u32::try_from(spanned.referenced.line()).unwrap_or(u32::MAX)
}

/// Strips the positions off a tree and files them under each node's pointer.
fn place(node: Node, pointer: String, line: u32, lines: &mut Lines) -> Value {
    let value = match node {
        Node::Scalar(value) => value,
        Node::Sequence(items) => Value::Array(
            items
                .into_iter()
                .enumerate()
                .map(|(index, item)| {
                    let at = self::line(&item);
                    place(item.value, format!("{pointer}/{index}"), at, lines)
                })
                .collect(),
        ),
        Node::Mapping(entries) => {
            let mut object = Map::with_capacity(entries.len());
            for (key, value) in entries {
                // The line of the key: the value of a block mapping starts one line further down.
                let at = self::line(&key);
                let child = format!("{pointer}/{}", escape(&key.value));
                object.insert(key.value, place(value, child, at, lines));
            }
            Value::Object(object)
        }
    };
    lines.insert(pointer, line);
    value
}

/// RFC 6901 escaping of one reference token.
pub(crate) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// A YAML node, its children with their positions.
enum Node {
    Scalar(Value),
    Sequence(Vec<Spanned<Node>>),
    Mapping(Vec<(Spanned<String>, Node)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node, E> {
        Number::from_f64(value)
            .map(|number| Node::Scalar(Value::Number(number)))
            .ok_or_else(|| E::custom("a number here must be finite: JSON has no infinity"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(Value::from(value)))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Scalar(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Node::Sequence(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Mapping(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_the_line_of_its_key() {
        let (document, lines) = parse("a:\n  b: 1\n  '$c/d':\n    - x\n    - y\n").expect("valid");
        assert_eq!(
            document,
            serde_json::json!({"a": {"b": 1, "$c/d": ["x", "y"]}})
        );
        assert_eq!(lines["/a"], 1);
        assert_eq!(lines["/a/b"], 2);
        assert_eq!(lines["/a/$c~1d"], 3);
        assert_eq!(lines["/a/$c~1d/1"], 5);
    }

    #[test]
    fn a_key_given_twice_is_refused_with_its_line() {
        let error = parse("paths:\n  /a: 1\n  /b: 2\n  /a: 3\n").expect_err("duplicate");
        assert_eq!(
            error.to_string(),
            "line 4, column 3: the key `/a` is given twice in one mapping; the second would silently win"
        );
    }

    #[test]
    fn status_codes_may_stand_without_quotes_and_no_is_a_word() {
        let (document, _) = parse("200: no\n404: true\n").expect("valid");
        assert_eq!(document, serde_json::json!({"200": "no", "404": true}));
    }
}
