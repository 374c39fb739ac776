//! The formats of a page of values. JSON is written here.
//!
//! An encoder turns rows into bytes. It does not know which rows it gets or how the bytes are sent.

mod arrow;
mod csv;

use obeya_odata::Bound;

use crate::json;
use crate::row_encoder::RowEncoder;
use crate::time::TimestampFormatter;
use arrow::ArrowEncoder;
use csv::CsvEncoder;
use obeya_store::engine::{Row, StoreError};

/// A format, by its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFormat {
    Json,
    Csv,
    Arrow,
}

/// What is known about a page before its rows are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageHeader {
    /// The page size.
    pub(super) page_size: u32,
    /// The page number, from 1.
    pub(super) page: u32,
    /// The number of all values that match.
    pub(super) count: u64,
}

impl PageHeader {
    /// The number of values on this page.
    pub(super) fn rows(&self) -> u64 {
        let before = u64::from(self.page.saturating_sub(1)) * u64::from(self.page_size);
        let rest = self.count.saturating_sub(before);
        rest.min(self.page_size.into())
    }
}

/// Encodes one page.
pub(super) trait PageEncoder {
    /// Writes the part before the rows.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Adds a row. A format that needs all rows first writes them in [`Self::end`].
    ///
    /// # Errors
    /// An error of the engine for a column.
    fn row(&mut self, out: &mut Vec<u8>, row: &dyn Row) -> Result<(), StoreError>;

    /// Writes the part after the rows.
    ///
    /// # Errors
    /// The rows cannot be encoded.
    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), StoreError>;
}

impl PageFormat {
    /// The format of a media type that the spec lists for a page of values.
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
        heading: PageHeader,
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
    heading: PageHeader,
    encoder: RowEncoder,
    timestamps: TimestampFormatter,
    first: bool,
}

impl JsonEncoder {
    fn new(query: &Bound, datasource: i64, heading: PageHeader) -> Self {
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
        for (media, format) in [
            ("application/json", PageFormat::Json),
            ("text/csv; charset=utf-8", PageFormat::Csv),
            ("text/csv", PageFormat::Csv),
            ("application/vnd.apache.arrow.stream", PageFormat::Arrow),
        ] {
            assert_eq!(PageFormat::of(media), format, "{media}");
        }
    }
}
