//! The id of a pulled record: an integer, or a text for users.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The id of a record. Ids of one kind of records are in the order of the service: texts by code point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum RecordKey {
    /// That of all records but users.
    Number(i32),
    /// That of a user.
    Text(String),
}

/// As a literal of an OData expression.
impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(id) => id.fmt(f),
            Self::Text(id) => write!(f, "'{}'", id.replace('\'', "''")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_literal_in_quotation_marks() {
        assert_eq!(RecordKey::Number(-7).to_string(), "-7");
        assert_eq!(
            RecordKey::Text("o'neil".to_owned()).to_string(),
            "'o''neil'"
        );
    }

    #[test]
    fn texts_are_ordered_by_code_point() {
        // In UTF-16 the second would come first.
        let ids = ["Z", "a", "\u{FF5E}", "\u{1F600}"].map(|id| RecordKey::Text(id.to_owned()));
        assert!(ids.is_sorted());
    }
}
