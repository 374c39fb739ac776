//! What fields of lines have in common: words out of a fixed set, what follows from other fields, and what
//! may be left out.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny};
use serde::ser::{Serialize, Serializer};

use super::StoreError;
use obeya_rules::words::{self as domain, WordSet};

/// Whether a field holds its type's empty value, and is left out of a line.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A field that may be left out or null, and then has its type's empty value.
pub fn or_empty<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A field of the wire that follows from others (a name beside its id): welcome in a line, and not stored.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Derived;

impl<'de> Deserialize<'de> for Derived {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// A word out of a fixed set, such as a status. `SET` tells the sets apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<S: WordSet> {
    word: &'static str,
    set: PhantomData<S>,
}

impl<S: WordSet> Word<S> {
    /// The word of this text, if the set has it.
    pub fn of(text: &str) -> Option<Self> {
        S::WORDS
            .iter()
            .find(|word| **word == text)
            .map(|word| Self {
                word,
                set: PhantomData,
            })
    }

    /// The word that a column holds.
    pub fn stored(text: &str) -> Result<Self, StoreError> {
        Self::of(text).ok_or_else(|| {
            StoreError::Engine(
                format!("the stored word {text:?} is none that this program knows").into(),
            )
        })
    }

    /// The word of a member of the domain's set.
    ///
    /// # Panics
    /// When this set does not have it, as `Activated`, which is never stored.
    pub fn member<T: domain::Word>(member: T) -> Self {
        Self::of(member.word()).expect("the domain gives words that may be stored")
    }

    /// The member of the domain's set that it is.
    ///
    /// # Panics
    /// When that set is another one.
    pub fn to_member<T: domain::Word>(self) -> T {
        T::parse(self.word).expect("a set that may be stored is a part of the domain's")
    }

    /// The word as it is stored.
    pub fn as_str(&self) -> &'static str {
        self.word
    }
}

/// The first word of its set: what a new record has.
impl<S: WordSet> Default for Word<S> {
    fn default() -> Self {
        Self {
            word: S::WORDS[0],
            set: PhantomData,
        }
    }
}

impl<'de, S: WordSet> Deserialize<'de> for Word<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Cow::<'de, str>::deserialize(deserializer)?;
        Self::of(&found).ok_or_else(|| {
            D::Error::custom(format_args!("expected one of {}", S::WORDS.join(" | ")))
        })
    }
}

impl<S: WordSet> Serialize for Word<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_str(self.word)
    }
}
