//! The reference of the interface: a page for each tag of the specification, and one with all schemas.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::contents::Page;
use super::markdown::cell;
use super::{operations, schemas, write};

/// The folder of the pages, which the repository does not have.
const FOLDER: &str = "reference";

/// Writes the pages, and returns them in the order of the tags.
pub(super) fn write_pages(specification: &Value, source: &Path) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    let tags = specification["tags"]
        .as_array()
        .context("`tags` is missing")?;
    for tag in tags {
        let name = tag["name"].as_str().context("a tag has no name")?;
        let file = format!("{}.md", name.to_lowercase().replace(' ', "-"));
        let text = operations::page(specification, tag, name)?;
        pages.push(save(source, name, &file, &text)?);
    }
    let text = schemas::page(specification)?;
    pages.push(save(source, "Records", schemas::FILE, &text)?);
    Ok(pages)
}

fn save(source: &Path, title: &str, file: &str, text: &str) -> Result<Page> {
    let path = PathBuf::from(FOLDER).join(file);
    write(&source.join(&path), text)?;
    Ok(Page {
        title: title.to_owned(),
        path,
        depth: 0,
    })
}

/// The object that a reference names, or the value itself.
pub(super) fn resolved<'a>(specification: &'a Value, value: &'a Value) -> Result<&'a Value> {
    let Some(reference) = value["$ref"].as_str() else {
        return Ok(value);
    };
    let pointer = reference.strip_prefix('#').unwrap_or(reference);
    let target = specification.pointer(pointer);
    target.with_context(|| format!("{reference} leads nowhere"))
}

/// A type in words, with links to the schemas it names.
pub(super) fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return format!("[{name}]({}#{})", schemas::FILE, name.to_lowercase());
    }
    let mut words = match (schema["allOf"].as_array(), any_of(schema)) {
        (Some(parts), _) => list(parts, " and "),
        (None, Some(parts)) => {
            // `{type: object, nullable: true, enum: [null]}` stands for null beside a reference.
            let (nulls, others): (Vec<&Value>, Vec<&Value>) = parts
                .iter()
                .partition(|part| part["enum"] == serde_json::json!([null]));
            let null = if nulls.is_empty() { "" } else { " or null" };
            list(others, " or ") + null
        }
        (None, None) => plain(schema),
    };
    if schema["nullable"] == true {
        words.push_str(" or null");
    }
    words
}

fn any_of(schema: &Value) -> Option<&Vec<Value>> {
    schema["anyOf"]
        .as_array()
        .or_else(|| schema["oneOf"].as_array())
}

fn list<'a>(parts: impl IntoIterator<Item = &'a Value>, between: &str) -> String {
    let types: Vec<String> = parts.into_iter().map(type_of).collect();
    types.join(between)
}

fn plain(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .filter(|it| !it.is_null())
            .map(|it| format!("`{}`", text_of(it)))
            .collect();
        return words.join(", ");
    }
    let name = schema["type"].as_str().unwrap_or("any value");
    match (name, schema["format"].as_str()) {
        ("array", _) => format!("array of {}", type_of(&schema["items"])),
        (_, Some(format)) => format!("{name} ({format})"),
        (_, None) => name.to_owned(),
    }
}

/// A value without the quotation marks of a text.
pub(super) fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Name, type with whether it is required, and meaning: a row of a table.
pub(super) fn row(name: &str, ty: &str, is_required: bool, meaning: &Value) -> String {
    let required = if is_required { ", required" } else { "" };
    let meaning = cell(meaning.as_str().unwrap_or_default());
    format!("| `{name}` | {}{required} | {meaning} |\n", cell(ty))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_said_in_words() {
        let group = json!({"$ref": "#/components/schemas/GroupV2"});
        let nothing = json!({"type": "object", "nullable": true, "enum": [null]});
        for (schema, expected) in [
            (
                json!({"type": "integer", "format": "int32"}),
                "integer (int32)",
            ),
            (
                json!({"type": "string", "nullable": true}),
                "string or null",
            ),
            (
                json!({"type": "string", "enum": ["Low", "High"]}),
                "`Low`, `High`",
            ),
            (
                json!({"type": "array", "items": group}),
                "array of [GroupV2](schemas.md#groupv2)",
            ),
            (
                json!({"anyOf": [group, nothing]}),
                "[GroupV2](schemas.md#groupv2) or null",
            ),
            (json!({"allOf": [group]}), "[GroupV2](schemas.md#groupv2)"),
            (json!({}), "any value"),
        ] {
            assert_eq!(type_of(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_named() {
        let (specification, value) = (json!({}), json!({"$ref": "#/components/parameters/Top"}));
        let error = resolved(&specification, &value).unwrap_err().to_string();
        assert_eq!(error, "#/components/parameters/Top leads nowhere");
    }
}
