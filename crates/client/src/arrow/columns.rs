//! Builders for the columns of a page, and the decoding of a row into them.
//!
//! A row that fails half-way leaves columns of different lengths; the whole page is then discarded.

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::{
    Float64Builder, Int32Builder, StringBuilder, StringDictionaryBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use obeya_model::{TimeError, Timestamp};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Unexpected, Visitor,
};

/// Wire names, in the order of the schema.
const NAMES: [&str; 14] = [
    "id",
    "dataSourceId",
    "registrationDate",
    "areaId",
    "assetId",
    "projectId",
    "value",
    "description",
    "dimension",
    "dimension2",
    "dimension3",
    "dimension4",
    "valueDate",
    "externalId",
];

const ID: usize = 0;
const DATA_SOURCE_ID: usize = 1;
const REGISTRATION_DATE: usize = 2;
const AREA_ID: usize = 3;
const PROJECT_ID: usize = 5;
const VALUE: usize = 6;
const DESCRIPTION: usize = 7;
const DIMENSION: usize = 8;
const DIMENSION4: usize = 11;
const VALUE_DATE: usize = 12;
const EXTERNAL_ID: usize = 13;

/// An unknown key.
const OTHER: usize = NAMES.len();

/// Builders for each column.
pub(super) struct Columns {
    id: Int32Builder,
    data_source_id: Int32Builder,
    registration_date: TimestampMicrosecondBuilder,
    /// areaId, assetId, projectId.
    places: [Int32Builder; 3],
    value: Float64Builder,
    description: StringBuilder,
    dimensions: [StringDictionaryBuilder<Int32Type>; 4],
    value_date: TimestampMicrosecondBuilder,
    external_id: StringBuilder,
    /// Which key followed each key in the last row; the first entry is the first key of a row. Rows of a page
    /// have their keys in the same order, so this prediction saves a search.
    follows: [usize; NAMES.len() + 1],
}

impl Columns {
    pub(super) fn with_capacity(rows: usize) -> Self {
        let int = || Int32Builder::with_capacity(rows);
        let instant = || TimestampMicrosecondBuilder::with_capacity(rows).with_timezone("UTC");
        let words = || StringDictionaryBuilder::with_capacity(rows, 32, 512);
        Self {
            id: int(),
            data_source_id: int(),
            registration_date: instant(),
            places: [int(), int(), int()],
            value: Float64Builder::with_capacity(rows),
            description: StringBuilder::with_capacity(rows, 0),
            dimensions: [words(), words(), words(), words()],
            value_date: instant(),
            external_id: StringBuilder::with_capacity(rows, 0),
            follows: std::array::from_fn(|key| key.min(NAMES.len() - 1)),
        }
    }

    pub(super) fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(NAMES.len());
        columns.push(Arc::new(self.id.finish()));
        columns.push(Arc::new(self.data_source_id.finish()));
        columns.push(Arc::new(self.registration_date.finish()));
        for place in &mut self.places {
            columns.push(Arc::new(place.finish()));
        }
        columns.push(Arc::new(self.value.finish()));
        columns.push(Arc::new(self.description.finish()));
        for dimension in &mut self.dimensions {
            columns.push(Arc::new(dimension.finish()));
        }
        columns.push(Arc::new(self.value_date.finish()));
        columns.push(Arc::new(self.external_id.finish()));
        RecordBatch::try_new(super::value_schema(), columns)
    }

    /// Reads the value of `key` into its column.
    fn read<'de, A: MapAccess<'de>>(&mut self, key: usize, map: &mut A) -> Result<(), A::Error> {
        match key {
            ID => self.id.append_value(map.next_value()?),
            DATA_SOURCE_ID => self.data_source_id.append_value(map.next_value()?),
            AREA_ID..=PROJECT_ID => self.places[key - AREA_ID].append_option(map.next_value()?),
            VALUE => self.value.append_value(map.next_value()?),
            DESCRIPTION => map.next_value_seed(Text(|text: Option<&str>| {
                self.description.append_option(text);
                Ok(())
            }))?,
            DIMENSION..=DIMENSION4 => {
                let column = &mut self.dimensions[key - DIMENSION];
                map.next_value_seed(Text(|text: Option<&str>| {
                    column.append_option(text);
                    Ok(())
                }))?;
            }
            REGISTRATION_DATE | VALUE_DATE => {
                let column = if key == VALUE_DATE {
                    &mut self.value_date
                } else {
                    &mut self.registration_date
                };
                map.next_value_seed(Text(|text: Option<&str>| {
                    let text = text.ok_or(AttemptFailure::Null)?;
                    column.append_value(instant(text)?);
                    Ok(())
                }))?;
            }
            EXTERNAL_ID => map.next_value_seed(Text(|text: Option<&str>| {
                self.external_id.append_option(text);
                Ok(())
            }))?,
            _ => {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    /// An absent key counts as null if the column is nullable.
    fn fill<E: serde::de::Error>(&mut self, key: usize) -> Result<(), E> {
        match key {
            AREA_ID..=PROJECT_ID => self.places[key - AREA_ID].append_null(),
            DESCRIPTION => self.description.append_null(),
            DIMENSION..=DIMENSION4 => self.dimensions[key - DIMENSION].append_null(),
            EXTERNAL_ID => self.external_id.append_null(),
            _ => return Err(E::missing_field(NAMES[key])),
        }
        Ok(())
    }
}

/// Microseconds since 1970-01-01T00:00:00Z, rounded down.
fn instant(text: &str) -> Result<i64, AttemptFailure> {
    let instant: Timestamp = text.parse().map_err(AttemptFailure::NoInstant)?;
    Ok(instant.ticks().div_euclid(10))
}

/// Why a text is invalid.
enum AttemptFailure {
    Null,
    NoInstant(TimeError),
}

impl AttemptFailure {
    fn into_error<E: serde::de::Error>(self) -> E {
        match self {
            Self::Null => E::invalid_type(Unexpected::Unit, &"a date-time"),
            Self::NoInstant(error) => E::custom(error),
        }
    }
}

/// One row.
pub(super) struct Row<'a>(pub(super) &'a mut Columns);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a datasource value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = 0_u16;
        let mut place = 0;
        while let Some(key) = map.next_key_seed(Key {
            guess: self.0.follows[place],
        })? {
            self.0.read(key, &mut map)?;
            if key == OTHER {
                continue;
            }
            if seen & (1 << key) != 0 {
                return Err(A::Error::duplicate_field(NAMES[key]));
            }
            seen |= 1 << key;
            self.0.follows[place] = key;
            place = key + 1;
        }
        for key in 0..NAMES.len() {
            if seen & (1 << key) == 0 {
                self.0.fill(key)?;
            }
        }
        Ok(())
    }
}

/// A key, as its index in [`NAMES`], or [`OTHER`].
struct Key {
    guess: usize,
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<usize, E> {
        if NAMES[self.guess] == key {
            return Ok(self.guess);
        }
        Ok(NAMES.iter().position(|name| *name == key).unwrap_or(OTHER))
    }
}

/// Passes a borrowed text or null to a function.
struct Text<F>(F);

impl<'de, F> DeserializeSeed<'de> for Text<F>
where
    F: FnOnce(Option<&str>) -> Result<(), AttemptFailure>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, F> Visitor<'de> for Text<F>
where
    F: FnOnce(Option<&str>) -> Result<(), AttemptFailure>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        (self.0)(None).map_err(AttemptFailure::into_error)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        (self.0)(Some(text)).map_err(AttemptFailure::into_error)
    }
}
