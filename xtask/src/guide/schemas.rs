//! The page of the reference with every schema of the specification.

use anyhow::{Context, Result};
use serde_json::Value;

use super::reference::{row, type_of};

/// The file of the page, beside those of the operations.
pub(super) const FILE: &str = "schemas.md";

/// A section for each schema, in the order of their names.
pub(super) fn page(specification: &Value) -> Result<String> {
    let schemas = specification["components"]["schemas"].as_object();
    let schemas = schemas.context("`components.schemas` is missing")?;
    let mut names: Vec<&String> = schemas.keys().collect();
    names.sort();
    let mut text = "# Records\n\nEvery type that a body or an answer has.\n".to_owned();
    for name in names {
        text.push_str(&section(name, &schemas[name]));
    }
    Ok(text)
}

fn section(name: &str, schema: &Value) -> String {
    let id = name.to_lowercase();
    let description = schema["description"].as_str().unwrap_or_default();
    let mut text = format!("\n## {name} {{#{id}}}\n\n{description}\n");
    let Some(properties) = schema["properties"].as_object() else {
        text.push_str(&format!("\n{}\n", type_of(schema)));
        return text;
    };
    text.push_str("\n| Property | Type | Meaning |\n|---|---|---|\n");
    for (property, schema_of_property) in properties {
        let required = schema["required"].as_array();
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == property));
        let description = &schema_of_property["description"];
        text.push_str(&row(
            property,
            &type_of(schema_of_property),
            is_required,
            description,
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_lists_its_properties_and_an_enumeration_its_words() {
        let specification = json!({"components": {"schemas": {
            "Severity": {"type": "string", "enum": ["Low", "High"], "description": "How bad."},
            "Area": {"description": "A place.", "required": ["id"], "properties": {
                "id": {"type": "integer", "description": "Its\nnumber | key."},
                "level": {"$ref": "#/components/schemas/Severity"},
            }},
        }}});
        assert_eq!(
            page(&specification).unwrap(),
            "# Records\n\nEvery type that a body or an answer has.\n\
             \n## Area {#area}\n\nA place.\n\n| Property | Type | Meaning |\n|---|---|---|\n\
             | `id` | integer, required | Its number \\| key. |\n\
             | `level` | [Severity](schemas.md#severity) |  |\n\
             \n## Severity {#severity}\n\nHow bad.\n\n`Low`, `High`\n"
        );
    }
}
