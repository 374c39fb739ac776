//! A page of values as CSV (RFC 4180): a line of names, then a line for each value.
//!
//! Numbers and instants read as they do in JSON. Nothing at all between two commas is null and `""` is an
//! empty text, so that nothing is lost. What a spreadsheet makes of a text that begins with `=` is the
//! reader's matter: a text is handed out as it came in, or it would come back changed.

use obeya_odata::Bound;
use obeya_odata::edm::Type;

use super::PageEncoder;
use crate::json;
use crate::time::TimestampFormatter;
use obeya_store::engine::{Row, StoreError};

const LINE_END: &[u8] = b"\r\n";

/// A page in the making.
pub(super) struct CsvEncoder {
    fields: Vec<Field>,
    timestamps: TimestampFormatter,
}

struct Field {
    name: &'static str,
    /// The column in the row.
    column: usize,
    form: Form,
}

enum Form {
    Int,
    Double,
    Text,
    Instant,
    /// The same in every row, and not asked of it.
    Constant(Vec<u8>),
}

impl CsvEncoder {
    pub(super) fn new(query: &Bound, datasource: i64) -> Self {
        let field = |(column, out): (usize, &obeya_odata::OutColumn)| {
            let form = match out.ty? {
                _ if out.name == "dataSourceId" => {
                    let mut text = Vec::new();
                    json::int(&mut text, datasource);
                    Form::Constant(text)
                }
                Type::Int32 => Form::Int,
                Type::Double => Form::Double,
                Type::String => Form::Text,
                Type::DateTimeOffset => Form::Instant,
                // Values have no other (see the test below).
                _ => return None,
            };
            Some(Field {
                name: out.name,
                column,
                form,
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
        for (place, field) in self.fields.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            out.extend_from_slice(field.name.as_bytes());
        }
        out.extend_from_slice(LINE_END);
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError> {
        for (place, field) in self.fields.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match &field.form {
                Form::Constant(text) => out.extend_from_slice(text),
                Form::Int => {
                    if let Some(value) = row.int(field.column)? {
                        json::int(out, value);
                    }
                }
                Form::Double => {
                    // JSON's word for what is no number is null, which has none here.
                    if let Some(value) = row.real(field.column)?.filter(|value| value.is_finite()) {
                        json::double(out, value);
                    }
                }
                Form::Text => {
                    if let Some(value) = row.text(field.column)? {
                        text(out, value);
                    }
                }
                Form::Instant => {
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

/// A text, in quotes where it would not come back without them.
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

/// An instant as JSON has it, without the quotes.
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
