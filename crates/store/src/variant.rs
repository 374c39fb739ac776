//! A variant of an enum as a column and a line of the import format hold it: by its name.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use super::StoreError;
use obeya_rules::enums::{ClosedEnum, VariantSet};

/// One of the variants that may be stored, such as a status. `S` keeps the enums apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant<S: VariantSet> {
    name: &'static str,
    set: PhantomData<S>,
}

impl<S: VariantSet> Variant<S> {
    /// The variant of this name; `None` if it may not be stored.
    pub fn parse(text: &str) -> Option<Self> {
        let name = S::NAMES.iter().find(|name| **name == text)?;
        Some(Self {
            name,
            set: PhantomData,
        })
    }

    /// The variant that a column holds.
    ///
    /// # Errors
    /// The text is the name of none.
    pub fn from_column(text: &str) -> Result<Self, StoreError> {
        Self::parse(text).ok_or_else(|| {
            StoreError::Engine(
                format!("the stored value {text:?} is not one this program knows").into(),
            )
        })
    }

    /// The variant of an enum of the rules.
    ///
    /// # Panics
    /// When it may not be stored, such as `Activated`.
    pub fn from_enum<T: ClosedEnum>(variant: T) -> Self {
        Self::parse(variant.name()).expect("the rules return variants that may be stored")
    }

    /// As an enum of the rules.
    ///
    /// # Panics
    /// When that is another enum.
    pub fn to_enum<T: ClosedEnum>(self) -> T {
        T::parse(self.name).expect("what may be stored is a part of the enum")
    }

    /// Its name in the store.
    pub fn as_str(&self) -> &'static str {
        self.name
    }
}

/// The first variant: what a new record has.
impl<S: VariantSet> Default for Variant<S> {
    fn default() -> Self {
        Self {
            name: S::NAMES[0],
            set: PhantomData,
        }
    }
}

impl<'de, S: VariantSet> Deserialize<'de> for Variant<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&found).ok_or_else(|| {
            D::Error::custom(format_args!("expected one of {}", S::NAMES.join(" | ")))
        })
    }
}

impl<S: VariantSet> Serialize for Variant<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_str(self.name)
    }
}
