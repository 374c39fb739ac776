//! The names of the records of a service, by which the cells of a table refer to them.

use std::collections::HashSet;

use anyhow::Result;
use obeya::Client;
use obeya_server::import::{Name, Named};
use serde_json::Value;

/// The names of the records of these kinds.
pub(crate) async fn names(client: &Client, kinds: &[Named]) -> Result<Vec<Name>> {
    let mut names = Vec::new();
    let mut add = |named, id: String, owner, texts: Vec<Option<String>>| {
        let texts: Vec<String> = texts
            .into_iter()
            .flatten()
            .filter(|text| !text.is_empty())
            .collect();
        // A record without a name is known by its id.
        let texts = if texts.is_empty() {
            vec![id.clone()]
        } else {
            texts
        };
        names.extend(texts.into_iter().map(|name| Name {
            named,
            id: id.clone(),
            name,
            owner,
        }));
    };
    for &kind in kinds {
        match kind {
            Named::Area => {
                let mut areas = client.areas().list().stream();
                while let Some(area) = areas.next().await.transpose()? {
                    add(kind, number(area.id), None, vec![area.name]);
                }
            }
            Named::Group => {
                let mut groups = client.groups().list().stream();
                while let Some(group) = groups.next().await.transpose()? {
                    add(kind, number(group.id), None, vec![group.name]);
                }
            }
            Named::User => {
                let mut users = client.users().list().stream();
                while let Some(user) = users.next().await.transpose()? {
                    let full = user.first_name.zip(user.last_name);
                    let full = full.map(|(first, last)| format!("{first} {last}"));
                    let texts = vec![user.display_name, user.user_name, user.email, full];
                    add(kind, user.id.unwrap_or_default(), None, texts);
                }
            }
            Named::Project => {
                for project in client.projects().list().send().await? {
                    let texts = vec![Some(project.name), Some(project.project_number)];
                    add(kind, project.id.to_string(), None, texts);
                }
            }
            Named::Datasource => {
                for datasource in client.datasources().list().send().await? {
                    add(
                        kind,
                        datasource.id.to_string(),
                        None,
                        vec![datasource.title],
                    );
                }
            }
            Named::IncidentType => {
                for listed in client.incidents().types().send().await? {
                    add(kind, listed.id.to_string(), None, vec![Some(listed.title)]);
                }
            }
            Named::Category | Named::Cause | Named::Consequence | Named::CustomField => {
                for listed in client.incidents().types().send().await? {
                    let detail = client.incidents().type_detail(listed.id).send().await?;
                    for (id, title) in parts(kind, &serde_json::to_value(detail)?) {
                        add(kind, id, Some(listed.id), vec![title]);
                    }
                }
            }
            Named::ImprovementCategory => {
                // No operation lists the categories; improvements have their names.
                let mut improvements = client.improvements().list().stream();
                let mut seen = HashSet::new();
                while let Some(improvement) = improvements.next().await.transpose()? {
                    if let Some(id) = improvement.category_id.filter(|id| seen.insert(*id)) {
                        add(kind, id.to_string(), None, vec![improvement.category]);
                    }
                }
            }
        }
    }
    Ok(names)
}

fn number(id: Option<i32>) -> String {
    id.unwrap_or_default().to_string()
}

/// The parts of a type: ids and titles.
fn parts(kind: Named, detail: &Value) -> Vec<(String, Option<String>)> {
    let (list, title) = match kind {
        Named::Category => ("categories", "title"),
        Named::Cause => ("causes", "title"),
        Named::Consequence => ("consequences", "title"),
        _ => ("customFields", "label"),
    };
    let mut found = Vec::new();
    let mut waiting: Vec<&Value> = detail[list].as_array().into_iter().flatten().collect();
    while let Some(part) = waiting.pop() {
        let title = part[title].as_str().map(str::to_owned);
        found.push((part["id"].to_string(), title));
        waiting.extend(part["children"].as_array().into_iter().flatten());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_type_are_found_at_every_level() {
        let detail = serde_json::json!({
            "categories": [{"id": 30, "title": "Origin", "children": [{"id": 31, "title": "Own", "children": []}]}],
            "customFields": [{"id": 61, "label": "Order"}],
        });
        let mut found = parts(Named::Category, &detail);
        found.sort();
        let part = |id: &str, title: &str| (id.to_owned(), Some(title.to_owned()));
        assert_eq!(found, [part("30", "Origin"), part("31", "Own")]);
        assert_eq!(parts(Named::CustomField, &detail), [part("61", "Order")]);
    }
}
