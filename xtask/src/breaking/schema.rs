//! What a schema says in effect, whichever way it is written. Judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::document::Node;

/// Nested `allOf` that are merged.
const NESTED: usize = 8;
/// What may stand beside a reference in `allOf` without changing what it refers to.
const BESIDE: [&str; 10] = [
    "allOf",
    "anyOf",
    "oneOf",
    "type",
    "nullable",
    "description",
    "title",
    "example",
    "default",
    "deprecated",
];

/// What a schema says in effect: with `allOf` merged, and with "this or null" read as a nullable schema.
#[derive(Default)]
pub(super) struct Schema<'a> {
    pub(super) properties: BTreeMap<&'a str, Node<'a>>,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) nullable: bool,
    /// The words of an enumeration.
    pub(super) words: Option<BTreeSet<String>>,
    pub(super) items: Option<Node<'a>>,
    /// The schema of properties without a name, if there is one.
    pub(super) additional: Option<Node<'a>>,
    /// Several schemas of which one applies.
    pub(super) alternatives: Vec<Node<'a>>,
    /// Every other keyword.
    pub(super) keywords: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Schema<'a> {
    pub(super) fn of(node: Node<'a>) -> Self {
        let mut schema = Self::default();
        schema.merge(node, NESTED);
        schema
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&'a Value> {
        self.keywords.get(name).copied()
    }

    /// A schema that is nothing but a reference, and what stands beside the reference: whether null is
    /// allowed, the default, and what null means in an update.
    pub(super) fn reference(node: Node<'a>) -> Option<(Self, Node<'a>)> {
        if node.component.is_some() {
            let own = Self {
                nullable: Self::of(node).nullable,
                ..Self::default()
            };
            return Some((own, node));
        }
        let mut keys = node.value.as_object()?.keys();
        if keys.any(|key| !BESIDE.contains(&key.as_str()) && !key.starts_with("x-")) {
            return None;
        }
        let parts = ["allOf", "anyOf", "oneOf"].map(|keyword| node.items(keyword));
        let parts = parts.into_iter().flatten();
        let mut targets = parts.filter(|part| !only_null(*part));
        let target = targets.next().filter(|target| target.component.is_some())?;
        if targets.next().is_some() {
            return None;
        }
        let whole = Self::of(node);
        let beside = |name: &&str| *name == "default" || name.starts_with("x-");
        let keywords = whole.keywords.into_iter();
        let own = Self {
            nullable: whole.nullable,
            keywords: keywords.filter(|(name, _)| beside(name)).collect(),
            ..Self::default()
        };
        Some((own, target))
    }

    fn merge(&mut self, node: Node<'a>, depth: usize) {
        self.properties.extend(node.members("properties"));
        let required = node.items("required").into_iter();
        self.required
            .extend(required.filter_map(|name| name.value.as_str()));
        self.nullable |= node.flag("nullable");
        if let Some(values) = node.value.get("enum").and_then(Value::as_array) {
            self.nullable |= values.contains(&Value::Null);
            let words = values.iter().filter(|value| !value.is_null());
            self.words = Some(words.map(word).collect());
        }
        self.items = node.get("items").or(self.items);
        if let Some(additional) = node.get("additionalProperties") {
            if additional.value.is_object() {
                self.additional = Some(additional);
            } else {
                self.keywords
                    .insert("additionalProperties", additional.value);
            }
        }
        const MERGED: [&str; 9] = [
            "properties",
            "required",
            "nullable",
            "enum",
            "items",
            "additionalProperties",
            "allOf",
            "anyOf",
            "oneOf",
        ];
        let keywords = node.value.as_object().into_iter().flatten();
        for (name, value) in keywords.filter(|(name, _)| !MERGED.contains(&name.as_str())) {
            // What stands beside a reference wins over the target.
            self.keywords.entry(name).or_insert(value);
        }
        if depth == 0 {
            return;
        }
        for part in node.items("allOf") {
            self.merge(part, depth - 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            let (null, others): (Vec<_>, Vec<_>) = node
                .items(keyword)
                .into_iter()
                .partition(|part| only_null(*part));
            self.nullable |= !null.is_empty();
            match others[..] {
                [only] => self.merge(only, depth - 1),
                _ => self.alternatives.extend(others),
            }
        }
    }
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn only_null(node: Node<'_>) -> bool {
    let values = node.value.get("enum").and_then(Value::as_array);
    values.is_some_and(|values| values.iter().all(Value::is_null))
}
