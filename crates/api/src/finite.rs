//! Checks that every number of a request body is one that JSON has a form for.
//!
//! RFC 8259, section 6, permits neither NaN nor infinities, and `serde_json` writes them as `null`, which
//! clears a property. Bodies are only visited here, not written.

use std::fmt;

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// A number that JSON has no form for, with its path in the body.
#[derive(Debug)]
pub struct NotFinite {
    /// Names and indices, innermost first.
    path: Vec<String>,
    /// What was found, or why the body cannot be visited.
    reason: String,
}

/// Visits all numbers of a body.
///
/// # Errors
/// One of them is NaN or infinite.
pub fn check_numbers<T: Serialize + ?Sized>(body: &T) -> Result<(), NotFinite> {
    body.serialize(Visitor)
}

impl NotFinite {
    fn within(mut self, name: impl Into<String>) -> Self {
        self.path.push(name.into());
        self
    }
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        let path = path.join(".").replace(".[", "[");
        match path.is_empty() {
            true => f.write_str(&self.reason),
            false => write!(f, "{path}: {}", self.reason),
        }
    }
}

impl std::error::Error for NotFinite {}

impl serde::ser::Error for NotFinite {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            path: Vec::new(),
            reason: message.to_string(),
        }
    }
}

struct Visitor;

/// The members of an object, or the elements of an array.
#[derive(Default)]
struct Members {
    index: usize,
    key: String,
}

impl Members {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        let checked = check_numbers(value);
        let index = self.index;
        self.index += 1;
        checked.map_err(|error| error.within(format!("[{index}]")))
    }
}

/// The methods for values without a number.
macro_rules! without_numbers {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method(self, _: $type) -> Result<(), NotFinite> {
            Ok(())
        })*
    };
}

impl Serializer for Visitor {
    type Ok = ();
    type Error = NotFinite;
    type SerializeSeq = Members;
    type SerializeTuple = Members;
    type SerializeTupleStruct = Members;
    type SerializeTupleVariant = Members;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Members;

    without_numbers! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_f32(self, value: f32) -> Result<(), NotFinite> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), NotFinite> {
        match value.is_finite() {
            true => Ok(()),
            false => Err(NotFinite::custom(format_args!(
                "found {value}, expected a finite number"
            ))),
        }
    }

    fn serialize_none(self) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self).map_err(|error| error.within(variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }

    fn serialize_tuple(self, _: usize) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Members, NotFinite> {
        Ok(Members::default())
    }
}

/// The traits of arrays, which differ in the name of a method.
macro_rules! elements {
    ($($of:ident: $method:ident,)*) => {
        $(impl $of for Members {
            type Ok = ();
            type Error = NotFinite;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
                self.element(value)
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        })*
    };
}

elements! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

/// The traits of objects with known names.
macro_rules! fields {
    ($($of:ident,)*) => {
        $(impl $of for Members {
            type Ok = ();
            type Error = NotFinite;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), NotFinite> {
                check_numbers(value).map_err(|error| error.within(key))
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        })*
    };
}

fields! {
    SerializeStruct,
    SerializeStructVariant,
}

impl SerializeMap for Members {
    type Ok = ();
    type Error = NotFinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotFinite> {
        let key = serde_json::to_value(key).map_err(NotFinite::custom)?;
        self.key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        check_numbers(value).map_err(|error| error.within(&self.key))
    }

    fn end(self) -> Result<(), NotFinite> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use obeya_model::{ImprovementUpdate, Patch};

    use super::*;

    /// The forms of an enumeration, which bodies do not have yet.
    #[derive(Serialize)]
    enum Form {
        One(f64),
        Two(i32, f64),
        Named { number: f64 },
    }

    fn found<T: Serialize>(body: T) -> String {
        check_numbers(&body).expect_err("refused").to_string()
    }

    #[test]
    fn a_number_without_a_form_is_found_at_its_path() {
        let update = |cost| ImprovementUpdate {
            cost_of_investment: Patch::Value(cost),
            ..Default::default()
        };
        assert!(check_numbers(&update(1234.5)).is_ok());
        assert!(check_numbers(&update(f64::MAX)).is_ok());
        let place = "costOfInvestment: found NaN, expected a finite number";
        assert_eq!(found(update(f64::NAN)), place);
        let lists = BTreeMap::from([("a", vec![(1, Some(0.5)), (2, Some(f64::INFINITY))])]);
        assert_eq!(found(lists), "a[1][1]: found inf, expected a finite number");
        let number = "found -inf, expected a finite number";
        assert_eq!(found(f32::NEG_INFINITY), number);
        let least = f64::NEG_INFINITY;
        assert_eq!(found(Form::One(least)), format!("One: {number}"));
        assert_eq!(found(Form::Two(1, least)), format!("[1]: {number}"));
        let named = Form::Named { number: least };
        assert_eq!(found(named), format!("number: {number}"));
        let keyed = BTreeMap::from([(7, least)]);
        assert_eq!(found(keyed), format!("7: {number}"));
    }
}
