//! A page of values as CSV (RFC 4180): a line of names, then a line for each value.
//!
//! Numbers and instants are written as in JSON. An empty field is null and `""` is an empty text, so that the
//! two stay distinct. Texts are written unchanged, also one that begins with `=` and that a spreadsheet would
//! run as a formula: an escaped text would not survive a round trip.

use obeya_odata::Bound;
use obeya_odata::edm::Type;

use super::PageEncoder;
use crate::json;
use crate::time::TimestampFormatter;
use obeya_store::engine::{Row, StoreError};

const LINE_END: &[u8] = b"\r\n";

/// Encodes one page.
pub(super) struct CsvEncoder {
    fields: Vec<Field>,
    timestamps: TimestampFormatter,
}

struct Field {
    name: &'static str,
    /// The column in the row.
    column: usize,
    kind: FieldKind,
}

enum FieldKind {
    Int,
    Double,
    Text,
    Instant,
    /// The same value in every row; not read from the row.
    Constant(Vec<u8>),
}

impl CsvEncoder {
    pub(super) fn new(query: &Bound, datasource: i64) -> Self {
        let field = |(column, out): (usize, &obeya_odata::OutColumn)| {
            let kind = match out.ty? {
                _ if out.name == "dataSourceId" => {
                    let mut text = Vec::new();
                    json::int(&mut text, datasource);
                    FieldKind::Constant(text)
                }
                Type::Int32 => FieldKind::Int,
                Type::Double => FieldKind::Double,
                Type::String => FieldKind::Text,
                Type::DateTimeOffset => FieldKind::Instant,
                // Values have no other types (see the test below).
                _ => return None,
            };
            Some(Field {
                name: out.name,
                column,
                kind,
            })
        };
        Self {
            fields: query
                .columns()
                .iter()
                .enumerate()
                .filter_map(field)
                .collect(),
            timestamps: TimestampFormatter::new(),
        }
    }
}

impl PageEncoder for CsvEncoder {
    fn begin(&mut self, out: &mut Vec<u8>) {
        for (index, field) in self.fields.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(field.name.as_bytes());
        }
        out.extend_from_slice(LINE_END);
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError> {
        for (index, field) in self.fields.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            match &field.kind {
                FieldKind::Constant(text) => out.extend_from_slice(text),
                FieldKind::Int => {
                    if let Some(value) = row.int(field.column)? {
                        json::int(out, value);
                    }
                }
                FieldKind::Double => {
                    // NaN and infinity are null in JSON, and an empty field here.
                    if let Some(value) = row.real(field.column)?.filter(|value| value.is_finite()) {
                        json::double(out, value);
                    }
                }
                FieldKind::Text => {
                    if let Some(value) = row.text(field.column)? {
                        text(out, value);
                    }
                }
                FieldKind::Instant => {
                    if let Some(ticks) = row.int(field.column)? {
                        instant(out, &mut self.timestamps, ticks);
                    }
                }
            }
        }
        out.extend_from_slice(LINE_END);
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<u8>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Writes a text, in quotes if it needs them.
fn text(out: &mut Vec<u8>, text: &str) {
    let special = |&byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    let bytes = text.as_bytes();
    if !bytes.is_empty() && !bytes.iter().any(special) {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(b'"');
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Writes an instant as in JSON, without the quotes.
fn instant(out: &mut Vec<u8>, timestamps: &mut TimestampFormatter, ticks: i64) {
    let quote = out.len();
    timestamps.instant(out, ticks);
    out.remove(quote);
    out.pop();
}

#[cfg(test)]
mod tests {
    use obeya_odata::{Context, Limits, Options};

    use super::*;
    use obeya_store::entities::DATASOURCE_VALUE;

    fn written(value: &str) -> String {
        let mut out = Vec::new();
        text(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_quoted_where_rfc_4180_says_and_when_they_are_empty() {
        for (value, expected) in [
            ("plain", "plain"),
            (" spaces belong to it ", " spaces belong to it "),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("say \"oil\"", "\"say \"\"oil\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("\n", "\"\n\""),
            ("=1+1", "=1+1"),
            ("Åpent lager 🏭", "Åpent lager 🏭"),
        ] {
            assert_eq!(written(value), expected, "{value:?}");
        }
    }

    #[test]
    fn instants_are_bare() {
        let mut out = b"x,".to_vec();
        instant(&mut out, &mut TimestampFormatter::new(), 10_000_001);
        assert_eq!(out, b"x,1970-01-01T00:00:01.0000001Z");
    }

    #[test]
    fn every_property_of_a_value_has_its_field() {
        let limits = Limits::default();
        let (options, _) = Options::parse("", &[], &limits).unwrap();
        let query = options
            .bind(&DATASOURCE_VALUE, &Context { now: 0, limits })
            .unwrap();
        let mut out = Vec::new();
        CsvEncoder::new(&query, 12).begin(&mut out);
        let names: Vec<_> = DATASOURCE_VALUE
            .properties
            .iter()
            .map(|property| property.name)
            .collect();
        assert_eq!(out, format!("{}\r\n", names.join(",")).as_bytes());
    }
}
