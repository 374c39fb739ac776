//! The records of a document: the type of each property, read once for everything that is generated from it.
//!
//! | module | writes |
//! |---|---|
//! | [`entities`] | the source of each property for the service, with exceptions to add by hand |
//! | [`closed_enums`] | the closed enumerations, as enums of the service |
//! | [`columns`] | the columns of each record, for Arrow |
//!
//! [`crate::fields`] reads the same facts.

pub(crate) mod closed_enums;
pub(crate) mod columns;
pub(crate) mod entities;

use proc_macro2::{Ident, Span};
use serde_json::Value;

use crate::naming::snake;
use crate::operations::{Found, raw};
use crate::spec::resolve;

/// The property of a page that has its items; a list without pages is an array of them.
const ITEMS: [&str; 2] = ["value", "values"];

/// An object of the document with its properties, in the order they are written.
pub(crate) struct Record<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) properties: Vec<Property<'a>>,
}

/// A property of a record. A property of another type, such as a list of numbers, is left out.
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// Whether the document lets it be null.
    pub(crate) is_nullable: bool,
    /// Whether the document promises it.
    pub(crate) is_required: bool,
    pub(crate) kind: PropertyType<'a>,
}

/// The type of a property.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PropertyType<'a> {
    Boolean,
    Int32,
    Int64,
    Double,
    Text,
    Instant,
    Date,
    /// A list of texts.
    Texts,
    /// A value of the enumeration with this name.
    Enum(&'a str),
    /// At most one record of this name.
    One(&'a str),
    /// Any number of records of this name.
    Many(&'a str),
}

impl Property<'_> {
    /// Whether it is a value and not a reference to another record.
    pub(crate) fn is_value(&self) -> bool {
        !matches!(self.kind, PropertyType::One(_) | PropertyType::Many(_))
    }

    /// Its name in Rust.
    pub(crate) fn ident(&self) -> Ident {
        ident(&snake(self.name))
    }
}

/// The items of every list of the document, and all that they link to, in the order of the document.
pub(crate) fn listed(document: &Value) -> Vec<Record<'_>> {
    reached(document, |_| true)
}

/// The items of the lists that `is_wanted` takes, and all that they link to, in the order of the document.
pub(crate) fn reached<'a>(
    document: &'a Value,
    is_wanted: impl Fn(&Found<'a>) -> bool,
) -> Vec<Record<'a>> {
    let mut reached: Vec<&str> = Vec::new();
    let lists = raw(document).filter(is_wanted);
    let mut ahead: Vec<&str> = lists.filter_map(|found| item(document, &found)).collect();
    while let Some(name) = ahead.pop() {
        if reached.contains(&name) {
            continue;
        }
        reached.push(name);
        let properties = record(document, name).map(|record| record.properties);
        for property in properties.into_iter().flatten() {
            if let PropertyType::One(target) | PropertyType::Many(target) = property.kind {
                ahead.push(target);
            }
        }
    }
    let schemas = document
        .pointer("/components/schemas")
        .and_then(Value::as_object);
    schemas
        .into_iter()
        .flatten()
        .filter(|(name, _)| reached.contains(&name.as_str()))
        .filter_map(|(name, _)| record(document, name))
        .collect()
}

/// The name of the schema that an operation lists.
fn item<'a>(document: &'a Value, found: &Found<'a>) -> Option<&'a str> {
    if found.method != "get" {
        return None;
    }
    let success = resolve(document, found.operation.get("responses")?.get("200")?);
    let content = success.get("content")?.as_object()?;
    let page = resolve(document, content.values().next()?.get("schema")?);
    let items = |name: &&str| page.get("properties")?.get(*name)?.get("items");
    reference(page.get("items").or_else(|| ITEMS.iter().find_map(items))?)
}

/// The object of this name, unless the document has none.
pub(crate) fn record<'a>(document: &'a Value, name: &str) -> Option<Record<'a>> {
    let schemas = document.pointer("/components/schemas")?.as_object()?;
    let (name, schema) = schemas.get_key_value(name)?;
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties")?.as_object()?;
    let properties = properties.iter().filter_map(|(name, schema)| {
        Some(Property {
            name,
            description: description(document, schema),
            is_nullable: is_nullable(document, schema),
            is_required: required.is_some_and(|names| names.iter().any(|one| one == name)),
            kind: kind(document, schema)?,
        })
    });
    Some(Record {
        name,
        description: description(document, schema),
        properties: properties.collect(),
    })
}

fn kind<'a>(document: &'a Value, schema: &'a Value) -> Option<PropertyType<'a>> {
    if let Some(name) = reference(schema) {
        let target = resolve(document, of(schema)?);
        if target.get("properties").is_some() {
            return Some(PropertyType::One(name));
        }
        if target.get("enum").is_some() {
            return Some(PropertyType::Enum(name));
        }
        return kind(document, target);
    }
    let word = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    Some(match (word("type"), word("format")) {
        ("array", _) => {
            let items = schema.get("items")?;
            match reference(items) {
                Some(name) => PropertyType::Many(name),
                None if kind(document, items)? == PropertyType::Text => PropertyType::Texts,
                None => return None,
            }
        }
        ("integer", "int64") => PropertyType::Int64,
        ("integer", _) => PropertyType::Int32,
        ("number", _) => PropertyType::Double,
        ("boolean", _) => PropertyType::Boolean,
        ("string", "date-time") => PropertyType::Instant,
        ("string", "date") => PropertyType::Date,
        ("string", _) => PropertyType::Text,
        _ => return None,
    })
}

/// The `$ref` of a schema, alone or in the `allOf` that gives it a description.
fn of(schema: &Value) -> Option<&Value> {
    let inner = match schema.get("allOf").and_then(Value::as_array) {
        Some(list) if list.len() == 1 => &list[0],
        _ => schema,
    };
    inner.get("$ref").map(|_| inner)
}

/// The name of the component that a schema refers to.
pub(crate) fn reference(schema: &Value) -> Option<&str> {
    let pointer = of(schema)?.get("$ref")?.as_str()?;
    pointer.strip_prefix("#/components/schemas/")
}

/// Whether a schema, or the schema that it refers to, is nullable.
fn is_nullable(document: &Value, schema: &Value) -> bool {
    let own = |schema: &Value| schema.get("nullable").and_then(Value::as_bool);
    own(schema)
        .or_else(|| own(resolve(document, of(schema)?)))
        .unwrap_or_default()
}

/// The description of a schema, or that of the schema it refers to.
fn description<'a>(document: &'a Value, schema: &'a Value) -> &'a str {
    let own = |schema: &'a Value| schema.get("description").and_then(Value::as_str);
    own(schema)
        .or_else(|| own(resolve(document, of(schema)?)))
        .unwrap_or_default()
        .trim()
}

pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// The name of a static, as in `INCIDENT_STATUS`.
pub(crate) fn screaming(name: &str) -> Ident {
    ident(&snake(name).to_uppercase())
}
