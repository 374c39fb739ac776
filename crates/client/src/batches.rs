//! Lists of records as record batches: a page is a batch.
//!
//! [`crate::tables`] declares the columns. Values are decoded without records in between
//! (`values/batches.rs`).

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use futures_util::TryStreamExt as _;
use obeya_model::TaskInfo;

use crate::consistent::NumberedList as _;
use crate::decode::DecodeMismatch;
use crate::error::Result;
use crate::tables::{self, ColumnSet, Tabular};
use crate::values::ArrowPage;
use crate::{BoardTasks, List, Paged, Record, Records, Resource};

impl<T: Resource + Tabular> List<T> {
    /// The schema of the batches: the columns of the record (see [`tables`]), or those in `select`, in its
    /// order; then the links in `expand`, one record as a struct and several as a list of structs, each
    /// without its own links.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        self.shape().schema()
    }

    /// All records as a stream of record batches, one for each page and at least one.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.batches().map_ok(|page| page.batch))
    }

    /// Like [`arrow_stream`](Self::arrow_stream), with the total number of records if requested with
    /// `count(true)`.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(self.batches())
    }

    fn shape(&self) -> ColumnSet<T> {
        let options = &self.options;
        ColumnSet::selected(options.select.as_deref(), options.expand.as_deref())
    }

    fn batches(self) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
        let shape = self.shape();
        let operation = self.operation();
        self.pages_inner().and_then(move |page| {
            let count = page.count.and_then(|count| i32::try_from(count).ok());
            let batch = shape.batch(&page.items);
            std::future::ready(ArrowPage::of(operation.id(), batch, count))
        })
    }
}

impl<T: Record + Tabular> Records<T> {
    /// The schema of the batches: the columns of the record (see [`tables`]).
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        tables::schema::<T>()
    }

    /// All records as a stream of record batches, one for each page and at least one.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.batches().map_ok(|page| page.batch))
    }

    /// Like [`arrow_stream`](Self::arrow_stream), with the number of matching records. If pages are requested
    /// by keyset (see [`stream`](Self::stream)), the first batch has the total, and later ones the number of
    /// records from there on.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(self.batches())
    }

    fn batches(self) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
        self.pages_inner().and_then(|page| {
            let (total, records) = T::total_and_records(&page);
            let batch = tables::batch(records);
            std::future::ready(ArrowPage::of(T::OPERATION, batch, Some(total)))
        })
    }
}

impl BoardTasks {
    /// The schema of the batches: the columns of a task (see [`tables`]).
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        tables::schema::<TaskInfo>()
    }

    /// All tasks as a stream of record batches, one for each page and at least one.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.batches().map_ok(|page| page.batch))
    }

    /// Like [`arrow_stream`](Self::arrow_stream), with the number of tasks that match.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(self.batches())
    }

    fn batches(self) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
        self.pages_inner().and_then(|page| {
            let batch = tables::batch(&page.values);
            let operation = Self::OPERATION;
            std::future::ready(ArrowPage::of(operation, batch, Some(page.total)))
        })
    }
}

impl ArrowPage {
    /// Encodes the records of an unpaged list. `operation` is used in errors.
    ///
    /// # Errors
    /// [`Error::Decode`](crate::Error::Decode) when a record lacks a property that the interface requires.
    pub fn whole<T: Tabular>(operation: &'static str, records: &[T]) -> Result<Self> {
        let count = i32::try_from(records.len()).ok();
        Self::of(operation, tables::batch(records), count)
    }

    pub(crate) fn of(
        operation: &'static str,
        batch: Result<RecordBatch, ArrowError>,
        count: Option<i32>,
    ) -> Result<Self> {
        let mismatch =
            |error: ArrowError| DecodeMismatch::whole(&error.to_string()).into_error(operation);
        Ok(Self {
            batch: batch.map_err(mismatch)?,
            count,
            state: None,
            position: None,
        })
    }
}
