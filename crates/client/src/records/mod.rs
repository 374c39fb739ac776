//! The v1 lists of whole records: one page by its number, or all records as a stream ([`pages`]).
//!
//! The [`Record`] implementations have the differences between incidents and improvements.

mod pages;

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use futures_util::TryStreamExt;
use obeya_api::call;
use obeya_model::bounds::parameters::page_size;
use obeya_model::{Date, Improvement, ImprovementPage, IncidentPage, IncidentV1, Timestamp};
use obeya_odata::OptionName;
use obeya_odata::build::{Clause, Filter, Order};

use crate::Client;
use crate::error::Result;
use crate::limit::single_page;
use crate::paged::Paged;
use crate::words::WordCheck;

/// A v1 record that is listed by [`Records`]. Implemented by this crate for its records only.
pub trait Record: sealed::Record {}

impl<T: sealed::Record> Record for T {}

pub(crate) mod sealed {
    use super::{BoxFuture, Client, ListOptions, Result, Timestamp};
    use crate::words::Entity;

    /// What the lists need from a record.
    pub trait Record: Entity + Send + Sized + 'static {
        /// The wire type of a page.
        type Page: Send + 'static;

        /// The `operationId` of the list.
        const OPERATION: &'static str;

        /// One page. The words of the options were checked.
        fn list(client: Client, options: ListOptions) -> BoxFuture<'static, Result<Self::Page>>;

        /// The total number of matching records, and the records of the page.
        fn total_and_records(page: &Self::Page) -> (i32, &[Self]);

        /// The records of the page.
        fn values(page: Self::Page) -> Vec<Self>;

        /// The records of the page, mutable.
        fn values_mut(page: &mut Self::Page) -> &mut Vec<Self>;

        /// Its id.
        fn id(&self) -> i32;

        /// When it was last changed.
        fn last_modified(&self) -> Timestamp;
    }
}

/// The options of a list; `None` is not sent.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    type_id: Option<i32>,
    incident_date_from: Option<Timestamp>,
    incident_date_to: Option<Timestamp>,
    modified_from: Option<Timestamp>,
    modified_to: Option<Timestamp>,
    filter: Option<String>,
    orderby: Option<String>,
    page: Option<i32>,
    page_size: Option<i32>,
    top: Option<u32>,
    words: WordCheck,
}

/// A list request; created by [`Incidents::list`](crate::Incidents::list) or
/// [`Improvements::list`](crate::Improvements::list). Send it for one page, or stream it for all.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or streamed"]
pub struct Records<T> {
    client: Client,
    options: ListOptions,
    record: std::marker::PhantomData<fn() -> T>,
}

impl<T: Record> Records<T> {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            options: ListOptions::default(),
            record: std::marker::PhantomData,
        }
    }

    /// Only records last changed after this instant (exclusive).
    pub fn modified_from(mut self, instant: Timestamp) -> Self {
        self.options.modified_from = Some(instant);
        self
    }

    /// Only records last changed before this instant (exclusive).
    pub fn modified_to(mut self, instant: Timestamp) -> Self {
        self.options.modified_to = Some(instant);
        self
    }

    /// `$filter`: a condition made of [`fields`](crate::fields), or the text of an OData expression, for
    /// example `status eq 'New'`.
    pub fn filter(mut self, condition: impl Clause<Filter<T>>) -> Self {
        self.options.filter = self
            .options
            .words
            .text::<T, _>(OptionName::Filter, condition);
        self
    }

    /// `$orderby`: the sort keys, made of [`fields`](crate::fields) or a text, for example `lastModified,id`.
    /// Default, also for an empty list: `id`.
    pub fn orderby(mut self, keys: impl Clause<Order<T>>) -> Self {
        self.options.orderby = self.options.words.text::<T, _>(OptionName::OrderBy, keys);
        self
    }

    /// The page that [`send`](Self::send) fetches, from 1. Streams begin at the first page.
    pub fn page(mut self, number: i32) -> Self {
        self.options.page = Some(number);
        self
    }

    /// Records per page, 1 to 10,000. Default: 1,000.
    pub fn page_size(mut self, records: i32) -> Self {
        self.options.page_size = Some(records);
        self
    }

    /// At most this many records of the whole list. Streams end after them, request no page beyond them, and
    /// request smaller pages where that suffices; a single page has those of its records that are among them.
    ///
    /// In another order than by id, those that fit one page are the first of that order at one moment. Those
    /// of several pages may be seen at several moments: where the list changes meanwhile there are as many,
    /// each once, but one that moves in the order may be missing among them, with a later one in its place.
    /// There are fewer only if all records were yielded that match throughout.
    pub fn top(mut self, records: u32) -> Self {
        self.options.top = Some(records);
        self
    }

    /// Fetches one page. A page past the end is empty.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(mut self) -> Result<T::Page> {
        let options = &mut self.options;
        let number = options.page.unwrap_or(1);
        let (page_size, limit) =
            single_page(options.top, number, options.page_size, page_size::DEFAULT);
        options.page_size = page_size;
        let mut page = Self::requested(self.client, self.options).await?;
        limit.truncate(T::values_mut(&mut page));
        Ok(page)
    }

    async fn requested(client: Client, options: ListOptions) -> Result<T::Page> {
        options.words.finish(T::OPERATION)?;
        T::list(client, options).await
    }

    /// All records.
    ///
    /// Each record that matches throughout is yielded once, whatever else changes meanwhile. Without
    /// [`orderby`](Self::orderby), or with `id`, the list is paged by id (keyset).
    ///
    /// In another order pages are requested by number. If the total changes between two pages, all pages are
    /// read again from the first, and records that were already yielded are skipped by their ids, which are
    /// stored in memory. If the total stayed and the last change of the list did not, or if ten passes in a
    /// row make no progress, the records that are missing follow in the order of their ids. Asking for the
    /// last change costs a short request before the first page, and another after the last if there are
    /// several; it is not asked for where [`top`](Self::top) asks for no more than a page.
    pub fn stream(self) -> Paged<T> {
        Paged::flat(self.pages_inner().map_ok(T::values))
    }

    /// All pages, read as by [`stream`](Self::stream).
    pub fn pages(self) -> Paged<T::Page> {
        Paged::new(self.pages_inner())
    }
}

impl Records<IncidentV1> {
    /// Only incidents of this type.
    pub fn type_id(mut self, id: i32) -> Self {
        self.options.type_id = Some(id);
        self
    }

    /// Only incidents that happened after this day (exclusive).
    pub fn incident_date_from(mut self, day: Date) -> Self {
        self.options.incident_date_from = Some(midnight(day));
        self
    }

    /// Only incidents that happened before this day (exclusive).
    pub fn incident_date_to(mut self, day: Date) -> Self {
        self.options.incident_date_to = Some(midnight(day));
        self
    }
}

fn midnight(day: Date) -> Timestamp {
    const TICKS_PER_DAY: i64 = 864_000_000_000;
    Timestamp::from_ticks(i64::from(day.days()) * TICKS_PER_DAY)
        .expect("both range from the year 0 to the year 9999")
}

impl<T: Record> IntoFuture for Records<T> {
    type Output = Result<T::Page>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl sealed::Record for IncidentV1 {
    type Page = IncidentPage;

    const OPERATION: &'static str = call::ListIncidentsV1::OPERATION.id();

    fn list(client: Client, options: ListOptions) -> BoxFuture<'static, Result<Self::Page>> {
        Box::pin(async move {
            let call = call::ListIncidentsV1 {
                type_id: options.type_id,
                incident_date_from: options.incident_date_from.as_ref(),
                incident_date_to: options.incident_date_to.as_ref(),
                last_modified_from: options.modified_from.as_ref(),
                last_modified_to: options.modified_to.as_ref(),
                filter: options.filter.as_deref(),
                orderby: options.orderby.as_deref(),
                page: options.page,
                page_size: options.page_size,
            };
            client.call(&call).await
        })
    }

    fn total_and_records(page: &Self::Page) -> (i32, &[Self]) {
        (page.total, &page.values)
    }

    fn values(page: Self::Page) -> Vec<Self> {
        page.values
    }

    fn values_mut(page: &mut Self::Page) -> &mut Vec<Self> {
        &mut page.values
    }

    fn id(&self) -> i32 {
        self.id
    }

    fn last_modified(&self) -> Timestamp {
        self.last_modified
    }
}

impl sealed::Record for Improvement {
    type Page = ImprovementPage;

    const OPERATION: &'static str = call::ListImprovementsV1::OPERATION.id();

    fn list(client: Client, options: ListOptions) -> BoxFuture<'static, Result<Self::Page>> {
        Box::pin(async move {
            let call = call::ListImprovementsV1 {
                last_modified_from: options.modified_from.as_ref(),
                last_modified_to: options.modified_to.as_ref(),
                filter: options.filter.as_deref(),
                orderby: options.orderby.as_deref(),
                page: options.page,
                page_size: options.page_size,
            };
            client.call(&call).await
        })
    }

    fn total_and_records(page: &Self::Page) -> (i32, &[Self]) {
        (page.total, &page.values)
    }

    fn values(page: Self::Page) -> Vec<Self> {
        page.values
    }

    fn values_mut(page: &mut Self::Page) -> &mut Vec<Self> {
        &mut page.values
    }

    fn id(&self) -> i32 {
        self.id
    }

    fn last_modified(&self) -> Timestamp {
        self.last_modified
    }
}
