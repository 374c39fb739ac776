//! One property of an update: leave it, empty it, or set it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What an update does to one optional property. `Option` cannot say it: its `None` is either absent or null.
///
/// | value | in JSON | the service |
/// |---|---|---|
/// | [`Absent`](Patch::Absent) | left out | leaves the property as it is |
/// | [`Null`](Patch::Null) | `null` | empties it |
/// | [`Value`](Patch::Value) | the value | sets it |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Patch<T> {
    /// The property stays as it is.
    #[default]
    Absent,
    /// The property is emptied.
    Null,
    /// The property is set.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the property is left out.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Patch::Absent)
    }

    /// The same, by reference.
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

    /// What the property is afterwards, if `stored` is what it was.
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
            // The field's `skip_serializing_if` leaves it out before it comes to this.
            Patch::Absent | Patch::Null => serializer.serialize_none(),
            Patch::Value(value) => serializer.serialize_some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An absent property never comes here: the field has a `default`.
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
