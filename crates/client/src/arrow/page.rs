//! Decodes the JSON page around the rows.

use std::fmt;

use arrow_array::RecordBatch;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::columns::{Columns, Row};
use crate::decode::DecodeMismatch;

/// The largest page of the interface, with a margin.
const MAX_HINT: usize = 16_384;

/// A page of values as batches: one, unless a service splits its pages.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) page_size: i32,
    pub(crate) count: Option<i32>,
    pub(crate) batches: Vec<RecordBatch>,
}

/// Decodes a whole body. `rows` is the expected number of rows.
pub(crate) fn decode(body: &[u8], rows: usize) -> Result<Decoded, DecodeMismatch> {
    if i32::try_from(body.len()).is_err() {
        // Offsets of text columns are 32 bits wide.
        return Err(DecodeMismatch::whole(
            "more than 2 GiB in one page; ask for smaller pages",
        ));
    }
    // Validating UTF-8 once for the whole body is faster than for each string.
    if let Ok(text) = std::str::from_utf8(body) {
        let mut json = serde_json::Deserializer::from_str(text);
        let page = Page { rows }.deserialize(&mut json);
        if let Ok(parts) = page.and_then(|parts| json.end().map(|()| parts)) {
            return parts.finish();
        }
    }
    // Decode again with path tracking, which is slow and only needed for the error.
    let mut json = serde_json::Deserializer::from_slice(body);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    match (Page { rows }).deserialize(tracked) {
        Err(error) => Err(DecodeMismatch::at(&track.path(), &error)),
        Ok(parts) => match json.end() {
            Err(error) => Err(DecodeMismatch::whole(&error.to_string())),
            Ok(()) => parts.finish(),
        },
    }
}

/// The values of the page's keys.
struct Parts {
    page_size: i32,
    count: i32,
    columns: Columns,
}

impl Parts {
    fn finish(self) -> Result<Decoded, DecodeMismatch> {
        Ok(Decoded {
            page_size: self.page_size,
            count: Some(self.count),
            batches: vec![
                self.columns
                    .finish()
                    .map_err(|error| DecodeMismatch::whole(&error.to_string()))?,
            ],
        })
    }
}

struct Page {
    rows: usize,
}

impl<'de> DeserializeSeed<'de> for Page {
    type Value = Parts;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parts, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Page {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page of datasource values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
        let (mut page_size, mut page_no, mut count) = (None, None, None);
        let mut columns = None;
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match &*key {
                "pageSize" => once("pageSize", &mut page_size, map.next_value::<i32>()?)?,
                "pageNo" => once("pageNo", &mut page_no, map.next_value::<i32>()?)?,
                "count" => once("count", &mut count, map.next_value::<i32>()?)?,
                "values" => {
                    // The requested number is only a hint and must not determine how much memory is
                    // allocated.
                    let mut rows = Columns::with_capacity(self.rows.min(MAX_HINT));
                    map.next_value_seed(Rows(&mut rows))?;
                    once("values", &mut columns, rows)?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let missing = A::Error::missing_field;
        page_no.ok_or_else(|| missing("pageNo"))?;
        Ok(Parts {
            page_size: page_size.ok_or_else(|| missing("pageSize"))?,
            count: count.ok_or_else(|| missing("count"))?,
            columns: columns.ok_or_else(|| missing("values"))?,
        })
    }
}

fn once<T, E: serde::de::Error>(
    name: &'static str,
    place: &mut Option<T>,
    value: T,
) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

struct Rows<'a>(&'a mut Columns);

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of datasource values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while rows.next_element_seed(Row(self.0))?.is_some() {}
        Ok(())
    }
}
