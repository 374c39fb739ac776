//! The records of a document: what each property is, read once for everything that is generated from it.
//!
//! | module | writes |
//! |---|---|
//! | [`entities`] | where the service finds each property, to be completed by hand with the exceptions |
//! | [`closed_enums`] | the closed enums of the service |
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

/// Where a page of this interface has its items; a list without pages is an array of them.
const ITEMS: [&str; 2] = ["value", "values"];

/// An object of the document with its properties, in the order they are written.
pub(crate) struct Record<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) properties: Vec<Property<'a>>,
}

/// A property of a record. What no query option can name, such as a list of plain values, is left out.
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// Whether the document lets it be null.
    pub(crate) is_nullable: bool,
    /// Whether the document promises it.
    pub(crate) is_required: bool,
    pub(crate) kind: Kind<'a>,
}

/// What a property holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Boolean,
    Int32,
    Int64,
    Double,
    Text,
    Instant,
    Date,
    /// A word of the enumeration of this name.
    Word(&'a str),
    /// At most one record of this name.
    One(&'a str),
    /// Any number of records of this name.
    Many(&'a str),
}

impl Property<'_> {
    /// Whether it holds a value of its own and leads to no other record.
    pub(crate) fn is_value(&self) -> bool {
        !matches!(self.kind, Kind::One(_) | Kind::Many(_))
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
            if let Kind::One(target) | Kind::Many(target) = property.kind {
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

/// The name of what an operation lists.
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

fn record<'a>(document: &'a Value, name: &str) -> Option<Record<'a>> {
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

fn kind<'a>(document: &'a Value, schema: &'a Value) -> Option<Kind<'a>> {
    if let Some(name) = reference(schema) {
        let target = resolve(document, of(schema)?);
        if target.get("properties").is_some() {
            return Some(Kind::One(name));
        }
        if target.get("enum").is_some() {
            return Some(Kind::Word(name));
        }
        return kind(document, target);
    }
    let word = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    Some(match (word("type"), word("format")) {
        ("array", _) => Kind::Many(reference(schema.get("items")?)?),
        ("integer", "int64") => Kind::Int64,
        ("integer", _) => Kind::Int32,
        ("number", _) => Kind::Double,
        ("boolean", _) => Kind::Boolean,
        ("string", "date-time") => Kind::Instant,
        ("string", "date") => Kind::Date,
        ("string", _) => Kind::Text,
        _ => return None,
    })
}

/// The reference that a schema is, alone or in the `allOf` that gives it a description.
fn of(schema: &Value) -> Option<&Value> {
    let inner = match schema.get("allOf").and_then(Value::as_array) {
        Some(list) if list.len() == 1 => &list[0],
        _ => schema,
    };
    inner.get("$ref").map(|_| inner)
}

/// The name of the component that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    let pointer = of(schema)?.get("$ref")?.as_str()?;
    pointer.strip_prefix("#/components/schemas/")
}

/// Whether a schema, or what it refers to, lets its value be null.
fn is_nullable(document: &Value, schema: &Value) -> bool {
    let own = |schema: &Value| schema.get("nullable").and_then(Value::as_bool);
    own(schema)
        .or_else(|| own(resolve(document, of(schema)?)))
        .unwrap_or_default()
}

/// A schema's own description, or that of what it refers to.
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
