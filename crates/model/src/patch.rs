//! A property of an update: leave, clear or set it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The change of an optional property in an update. An `Option` is not enough: its `None` is either absent or
/// null.
///
/// | value | in JSON | the service |
/// |---|---|---|
/// | [`Absent`](Patch::Absent) | absent | leaves the property unchanged |
/// | [`Null`](Patch::Null) | `null` | clears it |
/// | [`Value`](Patch::Value) | the value | sets it |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Patch<T> {
    /// The property is unchanged.
    #[default]
    Absent,
    /// The property is cleared.
    Null,
    /// The property is set.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the property is absent.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Patch::Absent)
    }

    /// A patch that borrows the value.
    #[must_use]
    pub const fn as_ref(&self) -> Patch<&T> {
        match self {
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Value(value) => Patch::Value(value),
        }
    }

    /// `None` when absent, `Some(None)` when null.
    #[must_use]
    pub fn into_option(self) -> Option<Option<T>> {
        match self {
            Patch::Absent => None,
            Patch::Null => Some(None),
            Patch::Value(value) => Some(Some(value)),
        }
    }

    /// Changes the value, if there is one.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Value(value) => Patch::Value(change(value)),
        }
    }

    /// The property after the update, given its `stored` value.
    #[must_use]
    pub fn apply(self, stored: Option<T>) -> Option<T> {
        match self {
            Patch::Absent => stored,
            Patch::Null => None,
            Patch::Value(value) => Some(value),
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Patch::Value(value)
    }
}

impl From<&str> for Patch<String> {
    fn from(value: &str) -> Self {
        Patch::Value(value.to_owned())
    }
}

impl<T> From<Option<Option<T>>> for Patch<T> {
    fn from(value: Option<Option<T>>) -> Self {
        match value {
            None => Patch::Absent,
            Some(None) => Patch::Null,
            Some(Some(value)) => Patch::Value(value),
        }
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Not reached: the field's `skip_serializing_if` omits it.
            Patch::Absent | Patch::Null => serializer.serialize_none(),
            Patch::Value(value) => serializer.serialize_some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not reached for an absent property: the field has a `default`.
        Ok(match Option::<T>::deserialize(deserializer)? {
            None => Patch::Null,
            Some(value) => Patch::Value(value),
        })
    }
}

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Patch<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Patch_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Option::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Body {
        #[serde(default, skip_serializing_if = "Patch::is_absent")]
        text: Patch<String>,
    }

    #[test]
    fn the_three_requests_are_three_texts_and_back() {
        for (text, patch) in [
            ("{}", Patch::Absent),
            (r#"{"text":null}"#, Patch::Null),
            (r#"{"text":"x"}"#, Patch::Value("x".to_owned())),
        ] {
            let body = Body { text: patch };
            assert_eq!(serde_json::to_string(&body).expect("serialises"), text);
            assert_eq!(serde_json::from_str::<Body>(text).expect("reads"), body);
        }
    }

    #[test]
    fn applying_leaves_empties_or_sets() {
        assert_eq!(Patch::Absent.apply(Some(1)), Some(1));
        assert_eq!(Patch::Null.apply(Some(1)), None);
        assert_eq!(Patch::Value(2).apply(Some(1)), Some(2));
    }
}
