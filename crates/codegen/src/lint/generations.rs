//! The names of what exists in both generations of the paths: they end in `V1` and `V2`, on both sides. What
//! exists in one generation only has no such end (spec/DECISIONS.md, section 9). Schemas of v1 that
//! have a bare name in the source keep it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Report;
use super::operations::shape;
use crate::operations::raw;

const SUFFIXES: [&str; 2] = ["V1", "V2"];

/// Schemas of v1 that have a name without an end, and a counterpart in v2.
const BARE_IN_V1: [&str; 3] = ["Datasource", "DatasourceValue", "Improvement"];

pub(super) fn check(report: &mut Report<'_>) {
    operations(report);
    schemas(report);
}

/// An operation whose method and path, without the generation, both generations have.
fn operations(report: &mut Report<'_>) {
    let document = report.spec.document();
    // The two operations of a method and path, by generation.
    let mut pairs: BTreeMap<String, [Option<(&str, String)>; 2]> = BTreeMap::new();
    for found in raw(document) {
        let shape = shape(found.path);
        let Some(id) = found.operation.get("operationId").and_then(Value::as_str) else {
            continue;
        };
        for (at, prefix) in ["/v1/", "/v2/"].into_iter().enumerate() {
            if let Some(rest) = shape.strip_prefix(prefix) {
                let pair = pairs.entry(format!("{} {rest}", found.method)).or_default();
                pair[at] = Some((id, format!("{}/operationId", found.pointer)));
            }
        }
    }
    for pair in pairs.values() {
        let [first, second] = pair.each_ref().map(|one| one.as_ref());
        for (one, other, suffix) in [(first, second, "V1"), (second, first, "V2")] {
            let Some((id, pointer)) = one else {
                continue;
            };
            let message = match other {
                Some((other, _)) => {
                    let is_sound = id.strip_suffix(suffix).is_some_and(|stem| {
                        other.get(..stem.len()) == Some(stem) && other.len() == id.len()
                    });
                    (!is_sound).then(|| format!(
                        "both generations have this method and path, and the other id is `{other}`: the two must be one name with `V1` and `V2` at its end, here `{suffix}`"
                    ))
                }
                None => one_generation(id),
            };
            if let Some(message) = message {
                report.add(pointer, &format!("operation `{id}`"), message);
            }
        }
    }
}

/// A schema is known by its name alone.
fn schemas(report: &mut Report<'_>) {
    let document = report.spec.document();
    let Some(schemas) = document
        .pointer("/components/schemas")
        .and_then(Value::as_object)
    else {
        return;
    };
    for name in schemas.keys() {
        let both = |stem: &str| {
            let [first, second] = SUFFIXES.map(|end| schemas.contains_key(&format!("{stem}{end}")));
            let is_bare = BARE_IN_V1.contains(&stem) && schemas.contains_key(stem);
            [first || is_bare, second]
        };
        let stem = SUFFIXES.iter().find_map(|end| name.strip_suffix(end));
        let message = match stem {
            Some(stem) if both(stem) == [true, true] => None,
            Some(_) => one_generation(name),
            None if BARE_IN_V1.contains(&name.as_str()) => None,
            None => (both(name) == [true, true]).then(|| {
                format!("`{name}V1` and `{name}V2` are the schemas of the generations; this name says neither")
            }),
        };
        if let Some(message) = message {
            let pointer = format!("/components/schemas/{}", crate::yaml::escape(name));
            report.add(&pointer, &format!("schema `{name}`"), message);
        }
    }
}

/// The fault of a name that ends in a generation, and has no counterpart in the other.
fn one_generation(name: &str) -> Option<String> {
    let stem = SUFFIXES.iter().find_map(|end| name.strip_suffix(end))?;
    Some(format!(
        "exists in one generation only, so its name is `{stem}`"
    ))
}
