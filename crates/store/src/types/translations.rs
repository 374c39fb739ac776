//! Translations of a type into a language, with fallback: `zh-hant-tw`, `zh-hant`, `zh`, and then the
//! untranslated text.

use std::collections::HashMap;

use crate::{Session, StoreError, Value};

/// The kind of item that is translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Type,
    Category,
    Consequence,
    Cause,
    CustomField,
}

impl Kind {
    fn parse(word: &str) -> Option<Kind> {
        Some(match word {
            "type" => Kind::Type,
            "category" => Kind::Category,
            "consequence" => Kind::Consequence,
            "cause" => Kind::Cause,
            "custom_field" => Kind::CustomField,
            _ => return None,
        })
    }
}

/// Translated titles and descriptions; each may be missing.
#[derive(Debug, Default)]
pub(super) struct Words {
    found: HashMap<(Kind, i64), (Option<String>, Option<String>)>,
}

impl Words {
    /// Everything translated for the type in the language or one that contains it.
    pub(super) fn load(
        session: &mut dyn Session,
        incident_type_id: i32,
        language: &str,
    ) -> Result<Words, StoreError> {
        let sql = "SELECT kind, item_id, title, description FROM type_translations WHERE incident_type_id = ?2 AND language = ?1";
        Self::read(session, language, sql, Some(incident_type_id))
    }

    /// Translations of the types without their parts, in the same way.
    pub(super) fn of_types(session: &mut dyn Session, language: &str) -> Result<Words, StoreError> {
        let sql = "SELECT kind, item_id, title, description FROM type_translations WHERE language = ?1 AND kind = 'type'";
        Self::read(session, language, sql, None)
    }

    fn read(
        session: &mut dyn Session,
        language: &str,
        sql: &str,
        incident_type_id: Option<i32>,
    ) -> Result<Words, StoreError> {
        let mut words = Words::default();
        let language = language.to_ascii_lowercase();
        for tag in nearest_first(&language) {
            let mut binds: Vec<Value<'_>> = vec![tag.into()];
            binds.extend(incident_type_id.map(Value::from));
            let rows = session.all(sql, &binds, |row| {
                let kind = row.text(0)?.and_then(Kind::parse);
                Ok((
                    kind,
                    row.int(1)?.unwrap_or_default(),
                    row.string(2)?,
                    row.string(3)?,
                ))
            })?;
            for (kind, item, title, description) in rows {
                let Some(kind) = kind else { continue };
                let entry = words.found.entry((kind, item)).or_default();
                entry.0 = entry.0.take().or(title);
                entry.1 = entry.1.take().or(description);
            }
        }
        Ok(words)
    }

    /// The texts to show for an item with these untranslated ones. Call this once for each item.
    pub(super) fn of(
        &mut self,
        kind: Kind,
        id: i32,
        title: String,
        description: Option<String>,
    ) -> (String, Option<String>) {
        match self.found.remove(&(kind, id.into())) {
            Some((translated_title, translated)) => (
                translated_title.unwrap_or(title),
                translated.or(description),
            ),
            None => (title, description),
        }
    }
}

/// The tag, and each shorter one that contains it.
fn nearest_first(tag: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(tag), |tag| tag.rfind('-').map(|end| &tag[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_falls_back_to_those_that_contain_it() {
        assert_eq!(
            nearest_first("zh-hant-tw").collect::<Vec<_>>(),
            ["zh-hant-tw", "zh-hant", "zh"]
        );
        assert_eq!(nearest_first("nb").collect::<Vec<_>>(), ["nb"]);
    }
}
