//! What breaks in schemas. A rule knows only one node and its keywords; the walk over properties and items
//! is elsewhere.

use std::collections::BTreeSet;

use serde_json::Value;

use super::rules::Break;
use super::schema::Schema;

/// Keywords that other rules compare, and prose.
const KNOWN: [&str; 17] = [
    "type",
    "format",
    "maximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "minimum",
    "minLength",
    "minItems",
    "minProperties",
    "pattern",
    "default",
    "description",
    "title",
    "example",
    "deprecated",
    "externalDocs",
];

const UPPER: [&str; 4] = ["maximum", "maxLength", "maxItems", "maxProperties"];
const LOWER: [&str; 4] = ["minimum", "minLength", "minItems", "minProperties"];
const PATCH: &str = "x-obeya-patch";

fn one(message: String) -> Vec<Break> {
    vec![(String::new(), message)]
}

fn each<'a>(names: impl IntoIterator<Item = &'a str>, message: &str) -> Vec<Break> {
    let names = names.into_iter();
    names
        .map(|name| (format!(".{name}"), message.to_owned()))
        .collect()
}

fn text<'a>(schema: &Schema<'a>, keyword: &str) -> Option<&'a str> {
    schema.keyword(keyword).and_then(Value::as_str)
}

/// Type and format, as `integer (int32)`.
fn shown(schema: &Schema<'_>) -> String {
    let kind = text(schema, "type").unwrap_or("any type");
    match text(schema, "format") {
        Some(format) => format!("{kind} ({format})"),
        None => kind.to_owned(),
    }
}

/// Whether every value of the narrow type is one of the wide type. Alternatives have no common type.
fn contains(wide: &Schema<'_>, narrow: &Schema<'_>) -> bool {
    if !wide.alternatives.is_empty() || !narrow.alternatives.is_empty() {
        return true;
    }
    let types = match (text(wide, "type"), text(narrow, "type")) {
        (None, _) | (Some("number"), Some("integer")) => return true,
        types => types,
    };
    let formats = match (text(wide, "format"), text(narrow, "format")) {
        (None, _) | (Some("int64"), Some("int32")) | (Some("double"), Some("float")) => true,
        (wide, narrow) => wide == narrow,
    };
    types.0 == types.1 && formats
}

pub(super) fn type_narrowed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    if contains(new, old) {
        return Vec::new();
    }
    one(format!("was {}, is {}", shown(old), shown(new)))
}

pub(super) fn type_widened(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    if contains(old, new) {
        return Vec::new();
    }
    one(format!("was {}, is {}", shown(old), shown(new)))
}

pub(super) fn null_refused(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    if old.nullable && !new.nullable {
        return one("null is refused now".to_owned());
    }
    Vec::new()
}

pub(super) fn null_added(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    if new.nullable && !old.nullable {
        return one("may be null now".to_owned());
    }
    Vec::new()
}

pub(super) fn property_removed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let gone = old.properties.keys().copied();
    let gone = gone.filter(|name| !new.properties.contains_key(name));
    each(gone, "the property is gone")
}

pub(super) fn property_required(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let required = new.required.difference(&old.required).copied();
    each(required, "the property is required now")
}

pub(super) fn property_optional(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let optional = old.required.difference(&new.required).copied();
    let optional = optional.filter(|name| new.properties.contains_key(name));
    each(optional, "the property may be missing now")
}

pub(super) fn word_removed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let (Some(old), Some(new)) = (&old.words, &new.words) else {
        return Vec::new();
    };
    each(old.difference(new).map(String::as_str), "the word is gone")
}

pub(super) fn words_closed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    if old.words.is_none() && new.words.is_some() {
        return one("only some words are accepted now".to_owned());
    }
    Vec::new()
}

pub(super) fn words_opened(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    words_closed(new, old)
        .into_iter()
        .map(|(at, _)| (at, "may be any text now".to_owned()))
        .collect()
}

/// A bound, or nothing if it says nothing: every length is at least 0.
fn bound(schema: &Schema<'_>, keyword: &str) -> Option<f64> {
    let value = schema.keyword(keyword).and_then(Value::as_f64);
    value.filter(|value| *value != 0.0 || !LOWER[1..].contains(&keyword))
}

/// The bounds by which `narrow` accepts less than `wide`.
fn tighter<'a>(wide: &Schema<'_>, narrow: &Schema<'_>) -> Vec<&'a str> {
    let upper = UPPER.into_iter().filter(|keyword| {
        let (wide, narrow) = (bound(wide, keyword), bound(narrow, keyword));
        narrow.is_some_and(|narrow| wide.is_none_or(|wide| narrow < wide))
    });
    let lower = LOWER.into_iter().filter(|keyword| {
        let (wide, narrow) = (bound(wide, keyword), bound(narrow, keyword));
        narrow.is_some_and(|narrow| wide.is_none_or(|wide| narrow > wide))
    });
    upper.chain(lower).collect()
}

fn bounds(keywords: Vec<&str>, old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let shown = |value: Option<f64>| value.map_or("none".to_owned(), |value| value.to_string());
    let message = |keyword: &str| {
        let (old, new) = (shown(bound(old, keyword)), shown(bound(new, keyword)));
        (String::new(), format!("{keyword} was {old}, is {new}"))
    };
    keywords.into_iter().map(message).collect()
}

pub(super) fn bound_narrowed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    bounds(tighter(old, new), old, new)
}

pub(super) fn bound_widened(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    bounds(tighter(new, old), old, new)
}

/// Two patterns cannot be compared, so any other pattern is reported.
pub(super) fn pattern_narrowed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    match (text(old, "pattern"), text(new, "pattern")) {
        (was, Some(is)) if was != Some(is) => {
            let was = was.unwrap_or("none");
            one(format!("the pattern was {was}, is {is}"))
        }
        _ => Vec::new(),
    }
}

pub(super) fn pattern_widened(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    match (text(old, "pattern"), text(new, "pattern")) {
        (Some(was), is) if is != Some(was) => {
            let is = is.unwrap_or("none");
            one(format!("the pattern was {was}, is {is}"))
        }
        _ => Vec::new(),
    }
}

pub(super) fn default_changed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    match (old.keyword("default"), new.keyword("default")) {
        (Some(was), Some(is)) if was == is => Vec::new(),
        (Some(was), is) => {
            let is = is.map_or("none".to_owned(), Value::to_string);
            one(format!("the default was {was}, is {is}"))
        }
        (None, _) => Vec::new(),
    }
}

pub(super) fn patch_changed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    if old.keyword(PATCH) == new.keyword(PATCH) {
        return Vec::new();
    }
    one("null in an update has another meaning now".to_owned())
}

pub(super) fn alternatives(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let (was, is) = (old.alternatives.len(), new.alternatives.len());
    if was == is {
        return Vec::new();
    }
    one(format!("had {was} alternatives, has {is}"))
}

pub(super) fn keyword_changed(old: &Schema<'_>, new: &Schema<'_>) -> Vec<Break> {
    let keywords: BTreeSet<&str> = old
        .keywords
        .keys()
        .chain(new.keywords.keys())
        .copied()
        .collect();
    let changed = keywords.into_iter().filter(|keyword| {
        let is_known = KNOWN.contains(keyword) || keyword.starts_with("x-");
        !is_known && old.keyword(keyword) != new.keyword(keyword)
    });
    let inner = [
        ("items", old.items.is_some() != new.items.is_some()),
        (
            "additionalProperties",
            old.additional.is_some() != new.additional.is_some(),
        ),
    ];
    let inner = inner.into_iter().filter(|(_, changed)| *changed);
    changed
        .chain(inner.map(|(keyword, _)| keyword))
        .map(|keyword| {
            (
                String::new(),
                format!("`{keyword}` changed, and no rule compares it"),
            )
        })
        .collect()
}
