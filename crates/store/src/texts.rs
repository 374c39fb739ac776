//! A list of texts in one column: the JSON array that is sent. The read engine writes it without parsing it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::engine::{Row, StoreError, Value, present};
use super::table::{Cell, ColumnType, FieldType, IntoChange, Presence};
use obeya_model::Patch;

/// How `crates/cli/docs/import-format.md` calls its type.
pub const FIELD: &str = "array of string";

/// A list of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    json: String,
}

impl Texts {
    /// The texts.
    #[expect(clippy::missing_panics_doc, reason = "it never panics")]
    pub fn to_vec(&self) -> Vec<String> {
        serde_json::from_str(&self.json).expect("it was checked when it was read or made")
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.json == "[]"
    }
}

impl Default for Texts {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl From<Vec<String>> for Texts {
    fn from(texts: Vec<String>) -> Self {
        let json = serde_json::to_string(&texts).expect("texts are plain data");
        Self { json }
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_vec().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

/// A line leaves out an empty list.
impl Cell for Texts {
    const COLUMN_TYPE: ColumnType = ColumnType::Text;
    const FIELD_TYPE: FieldType = FieldType::Plain(FIELD);
    const PRESENCE: Presence = Presence::Default;
    type Line = Option<Self>;

    fn read(row: &dyn Row, column: usize) -> Result<Self, StoreError> {
        let json = present(row.string(column)?)?;
        match serde_json::from_str::<Vec<String>>(&json) {
            Ok(_) => Ok(Self { json }),
            Err(error) => {
                let text = format!("the stored value {json:?} is not a list of texts: {error}");
                Err(StoreError::Engine(text.into()))
            }
        }
    }

    fn bind(&self) -> Value<'_> {
        Value::from(&self.json)
    }

    fn into_line(self) -> Option<Self> {
        (!self.is_empty()).then_some(self)
    }

    fn from_line(line: Option<Self>) -> Option<Self> {
        line
    }
}

/// An update leaves out what stays; null empties it.
impl IntoChange<Texts> for Patch<Vec<String>> {
    fn into_change(self) -> Option<Texts> {
        self.into_option()
            .map(|texts| texts.unwrap_or_default().into())
    }
}

/// Of a new record everything is set.
impl IntoChange<Texts> for Option<Vec<String>> {
    fn into_change(self) -> Option<Texts> {
        Some(self.unwrap_or_default().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions};

    #[test]
    fn texts_are_stored_as_they_are_sent() {
        let texts = vec!["5S".to_owned(), "a \"b\" \\ ø\n".to_owned()];
        let stored = Texts::from(texts.clone());
        let json = r#"["5S","a \"b\" \\ ø\n"]"#;
        assert_eq!(stored.bind(), Value::Text(json));
        assert_eq!(serde_json::to_string(&stored).unwrap(), json);
        assert_eq!(serde_json::from_str::<Texts>(json).unwrap(), stored);
        assert_eq!(stored.to_vec(), texts);
        assert!(Texts::default().into_line().is_none() && !stored.is_empty());
    }

    #[tokio::test]
    async fn a_column_with_anything_else_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("plant.db").display());
        let store = Store::open(&url, &StoreOptions::default()).await.unwrap();
        let read = async |stored: &'static str| {
            let column = store.read(move |session| {
                session.first("SELECT ?1", &[stored.into()], |row| Texts::read(row, 0))
            });
            column.await
        };
        assert_eq!(read(r#"["5S"]"#).await.unwrap().unwrap().to_vec(), ["5S"]);
        for stored in ["5S", "[5]", "[\"5S\"", "{}"] {
            let Err(StoreError::Engine(source)) = read(stored).await else {
                panic!("{stored} was read");
            };
            let text = source.to_string();
            assert!(text.contains("is not a list of texts"), "{text}");
        }
    }

    #[test]
    fn a_body_leaves_empties_or_sets_them() {
        let set = Texts::from(vec!["5S".to_owned()]);
        for (patch, change) in [
            (Patch::Absent, None),
            (Patch::Null, Some(Texts::default())),
            (Patch::Value(vec!["5S".to_owned()]), Some(set)),
        ] {
            assert_eq!(IntoChange::<Texts>::into_change(patch), change);
        }
        assert_eq!(None::<Vec<String>>.into_change(), Some(Texts::default()));
    }
}
