//! Translations of a type.

use std::collections::HashSet;

use super::Parts;
use crate::import::error::{ImportError, Location};
use crate::import::run::Run;
use crate::jsonl::types::TypeLine;
use obeya_model::bounds::operations::list_incident_types_v1::language;
use obeya_store::engine::Value;

/// Writes every translation of the line; each part it names must be a part of the line.
pub(super) fn write(
    run: &mut Run<'_>,
    location: Location<'_>,
    line: &TypeLine,
    parts: &Parts,
) -> Result<(), ImportError> {
    for (tag, words) in &line.translations {
        let path = format!("translations.{tag}");
        let letters = tag
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if tag.is_empty() || !language::LENGTH.contains(&tag.len()) || !letters {
            return Err(location.field_error(
                &path,
                format_args!("the language \"{tag}\""),
                "a language tag such as nb or nb-NO",
            ));
        }
        let language = tag.to_ascii_lowercase();
        let mut write = |kind: &str, id: i32, title: Option<&str>, description: Option<&str>| {
            let binds: [Value<'_>; 6] = [
                line.id.into(),
                (&language).into(),
                kind.into(),
                id.into(),
                title.into(),
                description.into(),
            ];
            run.execute(
                "INSERT INTO type_translations (incident_type_id, language, kind, item_id, title, description) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (incident_type_id, language, kind, item_id) \
                 DO UPDATE SET title = excluded.title, description = excluded.description",
                &binds,
            )
        };
        write(
            "type",
            line.id,
            words.title.as_deref(),
            words.description.as_deref(),
        )?;
        let lists = [
            (
                "category",
                "categories",
                &words.categories,
                &parts.categories,
            ),
            (
                "consequence",
                "consequences",
                &words.consequences,
                &parts.consequences,
            ),
            ("cause", "causes", &words.causes, &parts.causes),
        ];
        for (kind, field, list, known) in lists {
            for (n, item) in list.iter().enumerate() {
                translated(location, &format!("{path}.{field}[{n}].id"), item.id, known)?;
                write(
                    kind,
                    item.id,
                    item.title.as_deref(),
                    item.description.as_deref(),
                )?;
            }
        }
        for (n, item) in words.custom_fields.iter().enumerate() {
            translated(
                location,
                &format!("{path}.customFields[{n}].id"),
                item.id,
                &parts.custom_fields,
            )?;
            write("custom_field", item.id, item.label.as_deref(), None)?;
        }
    }
    Ok(())
}

fn translated(
    location: Location<'_>,
    field: &str,
    id: i32,
    known: &HashSet<i32>,
) -> Result<(), ImportError> {
    if known.contains(&id) {
        Ok(())
    } else {
        Err(location.field_error(
            field,
            id,
            "an id that the same line gives to what is translated",
        ))
    }
}
