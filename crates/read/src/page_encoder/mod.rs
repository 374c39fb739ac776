//! The forms in which a page of values can be written, and the one of them that is JSON.
//!
//! An encoder gets rows and gives bytes. Which rows, and how the bytes are sent, is not known here.

mod arrow;
mod csv;

use obeya_odata::Bound;

use crate::json;
use crate::row_encoder::RowEncoder;
use crate::time::TimestampFormatter;
use arrow::ArrowEncoder;
use csv::CsvEncoder;
use obeya_store::engine::{Row, StoreError};

/// A form, by its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Csv,
    Arrow,
}

/// What is known of a page before its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heading {
    /// Values of a full page.
    pub(super) page_size: u32,
    /// The page, from 1.
    pub(super) page: u32,
    /// All values that match.
    pub(super) count: u64,
}

impl Heading {
    /// Values on this page.
    pub(super) fn rows(&self) -> u64 {
        let before = u64::from(self.page.saturating_sub(1)) * u64::from(self.page_size);
        let rest = self.count.saturating_sub(before);
        rest.min(self.page_size.into())
    }
}

/// A page in the making.
pub(super) trait PageEncoder {
    /// Writes what stands before the rows.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Adds a row. What a form can only write when it knows all rows comes with the end.
    ///
    /// # Errors
    /// What the engine says of a column.
    fn row(&mut self, out: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError>;

    /// Writes what stands after the rows.
    ///
    /// # Errors
    /// What the rows cannot be put into.
    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), StoreError>;
}

impl Form {
    /// The form of a media type that the spec lists for a page of values.
    pub(super) fn of(media: &str) -> Self {
        match media.split(';').next().unwrap_or_default() {
            "application/vnd.apache.arrow.stream" => Self::Arrow,
            "text/csv" => Self::Csv,
            _ => Self::Json,
        }
    }

    /// An encoder for the rows of a query on one datasource.
    pub(super) fn encoder(
        self,
        query: &Bound,
        datasource: i64,
        heading: Heading,
    ) -> Result<Box<dyn PageEncoder>, StoreError> {
        Ok(match self {
            Self::Json => Box::new(JsonEncoder::new(query, datasource, heading)),
            Self::Csv => Box::new(CsvEncoder::new(query, datasource)),
            Self::Arrow => Box::new(ArrowEncoder::new(query, datasource, heading)?),
        })
    }
}

/// `{"pageSize":…,"pageNo":…,"count":…,"values":[…]}`.
struct JsonEncoder {
    heading: Heading,
    encoder: RowEncoder,
    timestamps: TimestampFormatter,
    first: bool,
}

impl JsonEncoder {
    fn new(query: &Bound, datasource: i64, heading: Heading) -> Self {
        Self {
            heading,
            encoder: RowEncoder::of(query).with_constant(query, "dataSourceId", datasource),
            timestamps: TimestampFormatter::new(),
            first: true,
        }
    }
}

impl PageEncoder for JsonEncoder {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"pageSize\":");
        json::int(out, self.heading.page_size.into());
        out.extend_from_slice(b",\"pageNo\":");
        json::int(out, self.heading.page.into());
        out.extend_from_slice(b",\"count\":");
        json::int(out, i64::try_from(self.heading.count).unwrap_or(i64::MAX));
        out.extend_from_slice(b",\"values\":[");
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError> {
        out.extend_from_slice(if self.first { b"{" } else { b",{" });
        self.first = false;
        self.encoder.write(out, row, &mut self.timestamps)?;
        out.push(b'}');
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), StoreError> {
        out.extend_from_slice(b"]}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_known_by_its_media_type_whatever_its_parameters() {
        for (media, form) in [
            ("application/json", Form::Json),
            ("text/csv; charset=utf-8", Form::Csv),
            ("text/csv", Form::Csv),
            ("application/vnd.apache.arrow.stream", Form::Arrow),
        ] {
            assert_eq!(Form::of(media), form, "{media}");
        }
    }
}
