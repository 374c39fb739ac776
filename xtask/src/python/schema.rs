//! The specification as Python sees it: which schemas become classes, which become typed dictionaries of
//! keyword arguments, and the type of each property. Other modules write the text.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// The content of the generated files, each part in the order of the specification.
pub(super) struct Spec {
    /// Records the service answers with.
    pub(super) records: Vec<Object>,
    /// Objects the service takes.
    pub(super) bodies: Vec<Object>,
    /// String enums.
    pub(super) enums: Vec<EnumValues>,
}

impl Spec {
    /// True for records that a record leads to, which `$expand` adds.
    pub(super) fn is_link(&self, kind: &PropertyType) -> bool {
        match kind {
            PropertyType::Object(_) => true,
            PropertyType::List(inner) => self.is_link(inner),
            _ => false,
        }
    }
}

/// An object schema.
pub(super) struct Object {
    /// Its name, for the wire and for Python.
    pub(super) name: String,
    pub(super) description: String,
    pub(super) fields: Vec<Field>,
}

impl Object {
    /// True when the other fields are optional, so that a bare id is enough instead of an object.
    pub(super) fn is_named_by_id(&self) -> bool {
        let required: Vec<&str> = self
            .fields
            .iter()
            .filter(|field| field.required)
            .map(|field| field.wire.as_str())
            .collect();
        required == ["id"]
    }
}

/// A property.
pub(super) struct Field {
    /// Name on the wire.
    pub(super) wire: String,
    /// Name in Python.
    pub(super) python: String,
    pub(super) description: String,
    pub(super) kind: PropertyType,
    pub(super) required: bool,
    pub(super) nullable: bool,
}

/// The type of a property.
pub(super) enum PropertyType {
    Int,
    Float,
    Bool,
    Text,
    Instant,
    Day,
    /// A value of the named enum.
    Enum(String),
    /// The named object.
    Object(String),
    List(Box<PropertyType>),
    /// An object with free keys.
    Map(Box<PropertyType>),
}

/// A string enum.
pub(super) struct EnumValues {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) values: Vec<String>,
}

/// Reads the document.
///
/// # Errors
/// A property of a shape that no Python type is known for.
pub(super) fn read(document: &Value) -> Result<Spec> {
    let schemas = document
        .pointer("/components/schemas")
        .and_then(Value::as_object)
        .context("the specification has no components/schemas")?;
    let (answered, taken) = reached(document);
    let mut spec = Spec {
        records: Vec::new(),
        bodies: Vec::new(),
        enums: Vec::new(),
    };
    for (name, schema) in schemas {
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            spec.enums.push(EnumValues {
                name: name.clone(),
                description: text(schema, "description"),
                values: values
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            });
            continue;
        }
        // A page of any list becomes the one `Page` of the client.
        let has = |property| schema.pointer(property).is_some();
        let is_numbered = has("/properties/total") || has("/properties/pageNo");
        if has("/properties/@odata.nextLink") || is_numbered && has("/properties/values") {
            continue;
        }
        let object = || object(document, name, schema).with_context(|| format!("schema `{name}`"));
        if answered.contains(name) {
            spec.records.push(object()?);
        } else if taken.contains(name) {
            spec.bodies.push(object()?);
        }
    }
    Ok(spec)
}

/// The names of the schemas that answers and request bodies lead to.
fn reached(document: &Value) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut answered, mut taken) = (BTreeSet::new(), BTreeSet::new());
    let operations = document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    for operation in operations
        .filter_map(|(_, item)| item.as_object())
        .flat_map(|item| item.values())
    {
        if let Some(responses) = operation.get("responses") {
            collect(document, responses, &mut answered);
        }
        if let Some(body) = operation.get("requestBody") {
            collect(document, body, &mut taken);
        }
    }
    (answered, taken)
}

fn collect(document: &Value, node: &Value, found: &mut BTreeSet<String>) {
    match node {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value.as_str()) {
                    ("example" | "examples", _) => {}
                    ("$ref", Some(reference)) => {
                        let new = reference
                            .rsplit_once("/schemas/")
                            .is_none_or(|(_, name)| found.insert(name.to_owned()));
                        if let (true, Some(target)) = (
                            new,
                            reference
                                .strip_prefix('#')
                                .and_then(|at| document.pointer(at)),
                        ) {
                            collect(document, target, found);
                        }
                    }
                    _ => collect(document, value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(document, item, found)),
        _ => {}
    }
}

fn object(document: &Value, name: &str, schema: &Value) -> Result<Object> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .context("it is neither an object nor an enum")?;
    let fields = properties.iter().map(|(wire, property)| {
        Ok(Field {
            wire: wire.clone(),
            python: snake(wire),
            description: explained(document, property),
            kind: kind(document, property).with_context(|| format!("property `{wire}`"))?,
            required: required.contains(&wire.as_str()),
            nullable: property.get("nullable") == Some(&Value::Bool(true)),
        })
    });
    Ok(Object {
        name: name.to_owned(),
        description: text(schema, "description"),
        fields: fields.collect::<Result<_>>()?,
    })
}

fn kind(document: &Value, schema: &Value) -> Result<PropertyType> {
    // `allOf` of one reference is how OpenAPI 3.0 writes a described or nullable reference.
    let schema = schema.pointer("/allOf/0").unwrap_or(schema);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default().to_owned();
        let target = reference
            .strip_prefix('#')
            .and_then(|at| document.pointer(at))
            .context("a dangling reference")?;
        return Ok(if target.get("enum").is_some() {
            PropertyType::Enum(name)
        } else {
            PropertyType::Object(name)
        });
    }
    let inner = |key| {
        schema
            .get(key)
            .with_context(|| format!("without `{key}`"))
            .and_then(|inner| kind(document, inner))
            .map(Box::new)
    };
    Ok(
        match (
            text(schema, "type").as_str(),
            text(schema, "format").as_str(),
        ) {
            ("integer", _) => PropertyType::Int,
            ("number", _) => PropertyType::Float,
            ("boolean", _) => PropertyType::Bool,
            ("string", "date-time") => PropertyType::Instant,
            ("string", "date") => PropertyType::Day,
            ("string", _) => PropertyType::Text,
            ("array", _) => PropertyType::List(inner("items")?),
            ("object", _) => PropertyType::Map(inner("additionalProperties")?),
            (found, _) => bail!(
                "found the type `{found}`, which has no Python type: add it to xtask/src/python/schema.rs"
            ),
        },
    )
}

/// The description of a property, or else that of the object or enum that it refers to.
fn explained(document: &Value, property: &Value) -> String {
    let own = text(property, "description");
    if !own.is_empty() {
        return own;
    }
    let schema = property.pointer("/allOf/0").unwrap_or(property);
    let reference = schema.get("$ref").and_then(Value::as_str);
    reference
        .and_then(|reference| document.pointer(reference.strip_prefix('#')?))
        .map(|target| text(target, "description"))
        .unwrap_or_default()
}

fn text(node: &Value, key: &str) -> String {
    node.get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// `reportedByGroupId` → `reported_by_group_id`.
pub(super) fn snake(wire: &str) -> String {
    let mut name = String::with_capacity(wire.len() + 4);
    let mut before = None;
    for letter in wire.chars() {
        // Of capitals in a row, such as those of `useAD`, only the first begins a word.
        let begins =
            letter.is_ascii_uppercase() && before.is_some_and(|c: char| !c.is_ascii_uppercase());
        if begins {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
        before = Some(letter);
    }
    name
}
