//! Lists of records as record batches: a page is a batch.
//!
//! What columns a record has is said in [`crate::tables`]. Values have their own way (`values/batches.rs`),
//! without records in between.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use futures_util::TryStreamExt as _;

use crate::decode::Misfit;
use crate::error::Result;
use crate::tables::{self, Shape, Tabular};
use crate::values::ArrowPage;
use crate::{List, Paged, Record, Records, Resource};

impl<T: Resource + Tabular> List<T> {
    /// The schema of its batches: the columns of the record (see [`tables`]), or those that `select` names,
    /// in its order; then what `expand` names, one record as a struct and several as a list of structs, each
    /// without links of its own.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        self.shape().schema()
    }

    /// All records as a stream of record batches, one for each page and at least one.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.batches().map_ok(|page| page.batch))
    }

    /// The same with the number of all records beside each batch, where it is asked for with `count(true)`.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(self.batches())
    }

    fn shape(&self) -> Shape<T> {
        let options = &self.options;
        Shape::of(options.select.as_deref(), options.expand.as_deref())
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
    /// The schema of its batches: the columns of the record (see [`tables`]).
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        tables::schema::<T>()
    }

    /// All records as a stream of record batches, one for each page and at least one.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.batches().map_ok(|page| page.batch))
    }

    /// The same with the number of records that match beside each batch. Where pages are asked for by their
    /// last id (see [`stream`](Self::stream)) the first page says it for all, and each that follows for what
    /// is left.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(self.batches())
    }

    fn batches(self) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
        self.pages_inner().and_then(|page| {
            let (total, records) = T::parts(&page);
            let batch = tables::batch(records);
            std::future::ready(ArrowPage::of(T::OPERATION, batch, Some(total)))
        })
    }
}

impl ArrowPage {
    /// Records that a list gave whole. `operation` is what a failure calls it.
    ///
    /// # Errors
    /// [`Error::Decode`](crate::Error::Decode) when a record lacks what the interface promises.
    pub fn whole<T: Tabular>(operation: &'static str, records: &[T]) -> Result<Self> {
        let count = i32::try_from(records.len()).ok();
        Self::of(operation, tables::batch(records), count)
    }

    fn of(
        operation: &'static str,
        batch: Result<RecordBatch, ArrowError>,
        count: Option<i32>,
    ) -> Result<Self> {
        let misfit = |error: ArrowError| Misfit::whole(&error.to_string()).into_error(operation);
        Ok(Self {
            batch: batch.map_err(misfit)?,
            count,
            state: None,
        })
    }
}
