//! The properties of a struct in a JSON object: matched without case, each at most once, and at least one of
//! them unless the object is empty.
//!
//! Derived implementations match names exactly, so that `Severity` would be an unknown property and its value
//! be lost. A key is compared exactly first, and then without the case of ASCII letters. An object of none
//! but unknown properties says something that would be lost completely.

use std::fmt;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer as _, MapAccess, Visitor};

use super::objects::Objects;
use super::unknown_properties::{Segment, UnknownProperties};

/// Reads a struct from an object.
pub(super) struct StructVisitor<'u, V> {
    properties: &'static [&'static str],
    visitor: V,
    unknown: &'u UnknownProperties,
}

impl<'u, V> StructVisitor<'u, V> {
    /// For the struct of `visitor`, which has these properties.
    pub(super) fn new(
        properties: &'static [&'static str],
        visitor: V,
        unknown: &'u UnknownProperties,
    ) -> Self {
        Self {
            properties,
            visitor,
            unknown,
        }
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for StructVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Self::Value, A::Error> {
        let mut matcher = PropertyMatcher::new(self.properties, self.unknown);
        let read = self.visitor.visit_map(StructEntries {
            access,
            matcher: &mut matcher,
        });
        // Before the error for a missing property, which would not say that the properties have other names.
        if matcher.knows_nothing() {
            self.unknown.set_nothing_known();
            return Err(A::Error::custom("no property of the object is known"));
        }
        read
    }
}

/// The entries of an object from which a struct is read.
struct StructEntries<'m, 'u, A> {
    access: A,
    matcher: &'m mut PropertyMatcher<'u>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for StructEntries<'_, '_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let key = self.access.next_key_seed(KeySeed {
            matcher: self.matcher,
            seed,
        })?;
        self.matcher.ended = key.is_none();
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let unknown = self.matcher.unknown;
        let place = Segment::Property(self.matcher.latest);
        unknown.within(place, || {
            self.access.next_value_seed(Objects::new(seed, unknown))
        })
    }

    fn size_hint(&self) -> Option<usize> {
        self.access.size_hint()
    }
}

/// A key of such an object, passed on to the seed of the struct.
struct KeySeed<'m, 'u, S> {
    matcher: &'m mut PropertyMatcher<'u>,
    seed: S,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<'_, '_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for KeySeed<'_, '_, S> {
    type Value = S::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a property")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<S::Value, E> {
        match self.matcher.resolve(name)? {
            Some(property) => self
                .seed
                .deserialize(BorrowedStrDeserializer::new(property)),
            None => self.seed.deserialize(name.into_deserializer()),
        }
    }
}

/// Matches the keys of one object with the properties of a struct.
struct PropertyMatcher<'u> {
    properties: &'static [&'static str],
    unknown: &'u UnknownProperties,
    /// The expected index of the next key: most bodies have their properties in the order of the contract.
    next: usize,
    /// One bit for each of the first 64 properties that were given. The struct itself refuses a repeated
    /// property beyond them.
    given: u64,
    /// The spellings that differ from the contract, by the index of the property.
    spellings: Vec<(usize, String)>,
    /// The property of the latest key; empty if it is unknown.
    latest: &'static str,
    has_known: bool,
    has_unknown: bool,
    /// Whether all keys were read.
    ended: bool,
}

impl<'u> PropertyMatcher<'u> {
    fn new(properties: &'static [&'static str], unknown: &'u UnknownProperties) -> Self {
        Self {
            properties,
            unknown,
            next: 0,
            given: 0,
            spellings: Vec::new(),
            latest: "",
            has_known: false,
            has_unknown: false,
            ended: false,
        }
    }

    /// Whether the object was read to its end and had none but unknown properties.
    fn knows_nothing(&self) -> bool {
        self.ended && self.has_unknown && !self.has_known
    }

    /// The property of a key, `None` if there is none. An error if that property was given before.
    fn resolve<E: Error>(&mut self, key: &str) -> Result<Option<&'static str>, E> {
        let Some(position) = self.position(key) else {
            self.has_unknown = true;
            self.latest = "";
            self.unknown.add(key, self.properties);
            return Ok(None);
        };
        let property = self.properties[position];
        self.has_known = true;
        self.latest = property;
        let bit = u32::try_from(position)
            .ok()
            .and_then(|position| 1_u64.checked_shl(position))
            .unwrap_or(0);
        if self.given & bit != 0 {
            return Err(self.given_twice(position, key));
        }
        self.given |= bit;
        self.next = position + 1;
        if property != key {
            self.spellings.push((position, key.to_owned()));
            self.unknown.add_respelled(key, self.properties);
        }
        Ok(Some(property))
    }

    fn position(&self, key: &str) -> Option<usize> {
        if self.properties.get(self.next) == Some(&key) {
            return Some(self.next);
        }
        let mut properties = self.properties.iter();
        properties
            .position(|property| *property == key)
            .or_else(|| {
                let mut properties = self.properties.iter();
                properties.position(|property| property.eq_ignore_ascii_case(key))
            })
    }

    /// serde's message, with both spellings if they differ.
    fn given_twice<E: Error>(&self, position: usize, key: &str) -> E {
        let property = self.properties[position];
        let mut spellings = self.spellings.iter();
        let before = spellings
            .find(|(at, _)| *at == position)
            .map_or(property, |(_, spelling)| spelling);
        if before == key {
            return E::duplicate_field(property);
        }
        E::custom(format_args!(
            "duplicate field `{property}`, as `{before}` and as `{key}`"
        ))
    }
}
