//! Helpers for the fields of a line: those that follow from other fields, and those that may be left out.

use serde::de::{Deserialize, Deserializer, IgnoredAny};

/// Whether a field has its type's empty value, and is left out of a line.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads a field that may be left out or null, and then has its type's empty value.
pub fn or_empty<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A field of the wire that follows from others, such as a name next to its id: accepted in a line, and not
/// stored.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Derived;

impl<'de> Deserialize<'de> for Derived {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}
