//! A body with properties that may be omitted but not null.
//!
//! The generated types read both as `None`, because readers of this API must be lenient. A client that writes
//! `"status": null` intends something, but nothing that the service could do; so null is refused like any
//! other wrong type, with the name of the field. This neither copies nor parses the body twice.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::CowStrDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// The properties of a body that are never null.
pub(super) trait Properties {
    /// Their names in JSON.
    const NEVER_NULL: &'static [&'static str];
}

/// A body that was checked for null.
pub(super) struct NeverNull<T>(pub(super) T);

impl<'de, T: Deserialize<'de> + Properties> Deserialize<'de> for NeverNull<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let body = CheckedBody {
            inner: deserializer,
            names: T::NEVER_NULL,
        };
        T::deserialize(body).map(NeverNull)
    }
}

/// The body: as a deserializer and as a visitor. It requests the struct by its name and fields, because the
/// deserializer below needs the properties.
struct CheckedBody<T> {
    inner: T,
    names: &'static [&'static str],
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for CheckedBody<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let names = self.names;
        let visitor = CheckedBody {
            inner: visitor,
            names,
        };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for CheckedBody<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(CheckedEntries {
            map,
            names: self.names,
            is_named: false,
        })
    }
}

/// The entries of the body.
struct CheckedEntries<A> {
    map: A,
    names: &'static [&'static str],
    /// Whether the next value belongs to a property that is never null.
    is_named: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for CheckedEntries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.map.next_key::<Cow<'de, str>>()? else {
            return Ok(None);
        };
        self.is_named = self.names.contains(&key.as_ref());
        let key: CowStrDeserializer<'_, A::Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        if self.is_named {
            self.map.next_value_seed(NonNull(seed))
        } else {
            self.map.next_value_seed(seed)
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.map.size_hint()
    }
}

/// A value that is not null: as a seed, a deserializer and a visitor.
struct NonNull<T>(T);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for NonNull<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(NonNull(deserializer))
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NonNull<D> {
    type Error = D::Error;

    // Reads the value without the option, so that the inner type reports null.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self.0)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Thing {
        state: Option<String>,
        note: Option<String>,
    }

    impl Properties for Thing {
        const NEVER_NULL: &'static [&'static str] = &["state"];
    }

    fn read(json: &str) -> Result<Thing, String> {
        let read = serde_json::from_str::<NeverNull<Thing>>(json);
        read.map(|thing| thing.0).map_err(|error| error.to_string())
    }

    fn thing(state: Option<&str>, note: Option<&str>) -> Thing {
        Thing {
            state: state.map(str::to_owned),
            note: note.map(str::to_owned),
        }
    }

    #[test]
    fn null_is_refused_only_where_it_means_nothing() {
        assert_eq!(
            read(r#"{"state": "on", "note": null}"#),
            Ok(thing(Some("on"), None))
        );
        assert_eq!(
            read(r#"{"note": "x", "other": null}"#),
            Ok(thing(None, Some("x")))
        );
        assert_eq!(read("{}"), Ok(thing(None, None)));
        assert_eq!(
            read(r#"{"state": null}"#),
            Err("invalid type: null, expected a string at line 1 column 14".to_owned())
        );
        assert!(read(r#"{"sta\u0074e": null}"#).is_err());
        assert!(read("[]").is_err());
    }
}
