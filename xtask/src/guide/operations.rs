//! A page of the reference: the operations of one tag.

use anyhow::{Context, Result};
use serde_json::Value;

use super::reference::{resolved, row, text_of, type_of};

/// The keys of a path that are operations, in the order in which they are listed.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The page of a tag.
pub(super) fn page(specification: &Value, tag: &Value, name: &str) -> Result<String> {
    let mut text = format!(
        "# {name}\n\n{}\n",
        tag["description"].as_str().unwrap_or_default()
    );
    let paths = specification["paths"]
        .as_object()
        .context("`paths` is missing")?;
    for (path, item) in paths {
        for method in METHODS {
            let operation = &item[method];
            let has_tag = operation["tags"]
                .as_array()
                .is_some_and(|tags| tags.iter().any(|it| it == name));
            if has_tag {
                let section = section(specification, path, method, item, operation);
                text.push_str(&section.with_context(|| format!("{method} {path}"))?);
            }
        }
    }
    Ok(text)
}

fn section(
    specification: &Value,
    path: &str,
    method: &str,
    item: &Value,
    operation: &Value,
) -> Result<String> {
    let id = operation["operationId"]
        .as_str()
        .context("`operationId` is missing")?;
    let title = operation["summary"].as_str().unwrap_or(id);
    let mut text = format!(
        "\n## {title} {{#{id}}}\n\n```http\n{} {path}\n```\n\n",
        method.to_uppercase()
    );
    text.push_str(&format!("Operation `{id}`. {}\n\n", scopes(operation)));
    text.push_str(operation["description"].as_str().unwrap_or_default());
    text.push('\n');

    let shared = item["parameters"].as_array().into_iter().flatten();
    let own = operation["parameters"].as_array().into_iter().flatten();
    let mut rows = String::new();
    for parameter in shared.chain(own) {
        let parameter = resolved(specification, parameter)?;
        let name = parameter["name"]
            .as_str()
            .context("a parameter has no name")?;
        let place = text_of(&parameter["in"]);
        let ty = format!("{}, in the {place}", type_of(&parameter["schema"]));
        rows.push_str(&row(
            name,
            &ty,
            parameter["required"] == true,
            &parameter["description"],
        ));
    }
    if !rows.is_empty() {
        text.push_str("\n| Parameter | Type | Meaning |\n|---|---|---|\n");
        text.push_str(&rows);
    }
    for (what, content) in [
        ("Body", resolved(specification, &operation["requestBody"])?),
        (
            "Answer",
            resolved(specification, &operation["responses"]["200"])?,
        ),
    ] {
        for (media, content) in content["content"].as_object().into_iter().flatten() {
            text.push_str(&format!(
                "\n{what} as `{media}`: {}\n",
                type_of(&content["schema"])
            ));
        }
    }
    Ok(text)
}

/// The scopes of which a token needs one.
fn scopes(operation: &Value) -> String {
    let alternatives = operation["security"].as_array().into_iter().flatten();
    let scopes: Vec<String> = alternatives
        .filter_map(|it| it["oauth2"].as_array())
        .flatten()
        .map(|scope| format!("`{}`", text_of(scope)))
        .collect();
    match scopes.as_slice() {
        [] => "It needs no token.".to_owned(),
        [scope] => format!("The token needs the scope {scope}."),
        scopes => format!("The token needs one of the scopes {}.", scopes.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_operation_says_address_scopes_parameters_body_and_answer() {
        let specification = json!({
            "paths": {"/v2/groups/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
                "patch": {
                    "tags": ["Groups"], "operationId": "patchGroup", "summary": "Change a group",
                    "description": "Changes what is there.",
                    "security": [{"oauth2": ["Groups.ReadWrite"]}],
                    "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
                    "responses": {"200": {"content": {"application/json": {"schema": {"type": "boolean"}}}}},
                },
                "get": {"tags": ["Others"], "operationId": "getOther"},
            }},
        });
        let text = page(&specification, &json!({"description": "Teams."}), "Groups").unwrap();
        assert_eq!(
            text,
            "# Groups\n\nTeams.\n\n## Change a group {#patchGroup}\n\n```http\nPATCH /v2/groups/{id}\n```\n\n\
             Operation `patchGroup`. The token needs the scope `Groups.ReadWrite`.\n\nChanges what is there.\n\n\
             | Parameter | Type | Meaning |\n|---|---|---|\n\
             | `id` | integer, in the path, required |  |\n\
             \nBody as `application/json`: object\n\nAnswer as `application/json`: boolean\n"
        );
    }
}
