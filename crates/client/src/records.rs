//! The v1 lists of whole records: one page by its number, or all records in a stream.
//!
//! What differs between incidents and improvements is in their [`Record`] implementation.

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use obeya_api::call;
use obeya_model::{Date, Improvement, ImprovementPage, Incident, IncidentPage, Timestamp};
use obeya_odata::build::{Clause, Filter, Order};

use crate::Client;
use crate::consistent::{self, Cursor, NumberedList, NumberedPage, SeenIds, Snapshot};
use crate::error::Result;
use crate::paged::Paged;
use crate::prefetch::Extent;

/// Records that a stream asks for at a time when the caller says nothing: some megabytes.
const STREAM_PAGE_SIZE: i32 = 1_000;

/// A v1 record that is listed by [`Records`]. Implemented by this crate for its records only.
pub trait Record: sealed::Record {}

impl<T: sealed::Record> Record for T {}

pub(crate) mod sealed {
    use super::{Ask, BoxFuture, Client, Result};

    /// What the lists need to know about a record.
    pub trait Record: Send + Sized + 'static {
        /// The page as it is on the wire.
        type Page: Send + 'static;

        /// The `operationId` of the list.
        const OPERATION: &'static str;

        /// One page.
        fn list(client: Client, ask: Ask) -> BoxFuture<'static, Result<Self::Page>>;

        /// The number of all records that match, and those of the page.
        fn parts(page: &Self::Page) -> (i32, &[Self]);

        /// The records of the page.
        fn values(page: Self::Page) -> Vec<Self>;

        /// The same, to take some out.
        fn values_mut(page: &mut Self::Page) -> &mut Vec<Self>;

        /// Its id.
        fn id(&self) -> i32;
    }
}

/// What is asked of a list; what is `None` is not sent.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    type_id: Option<i32>,
    incident_date_from: Option<Timestamp>,
    incident_date_to: Option<Timestamp>,
    modified_from: Option<Timestamp>,
    modified_to: Option<Timestamp>,
    filter: Option<String>,
    orderby: Option<String>,
    page: Option<i32>,
    page_size: Option<i32>,
}

/// A list request, made by [`Incidents::list`](crate::Incidents::list) or
/// [`Improvements::list`](crate::Improvements::list). Send it for one page, or stream it for all.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or streamed"]
pub struct Records<T> {
    client: Client,
    ask: Ask,
    record: std::marker::PhantomData<fn() -> T>,
}

impl<T: Record> Records<T> {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            ask: Ask::default(),
            record: std::marker::PhantomData,
        }
    }

    /// Only records last changed after this instant; itself excluded.
    pub fn modified_from(mut self, instant: Timestamp) -> Self {
        self.ask.modified_from = Some(instant);
        self
    }

    /// Only records last changed before this instant; itself excluded.
    pub fn modified_to(mut self, instant: Timestamp) -> Self {
        self.ask.modified_to = Some(instant);
        self
    }

    /// `$filter`: a condition made of [`fields`](crate::fields), or the text of an OData expression, for
    /// example `status eq 'New'`.
    pub fn filter(mut self, condition: impl Clause<Filter<T>>) -> Self {
        self.ask.filter = condition.text();
        self
    }

    /// `$orderby`: what to sort by, keys made of [`fields`](crate::fields) or a text, for example
    /// `lastModified,id`. Default, and what an empty list comes to: `id`.
    pub fn orderby(mut self, keys: impl Clause<Order<T>>) -> Self {
        self.ask.orderby = keys.text();
        self
    }

    /// Which page [`send`](Self::send) fetches; the first has the number 1. Streams begin at the first.
    pub fn page(mut self, number: i32) -> Self {
        self.ask.page = Some(number);
        self
    }

    /// Records to a page, 1 to 10,000. Default: 1,000.
    pub fn page_size(mut self, records: i32) -> Self {
        self.ask.page_size = Some(records);
        self
    }

    /// Fetches one page. A page beyond the end is empty.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<T::Page> {
        T::list(self.client, self.ask).await
    }

    /// All records.
    ///
    /// Without [`orderby`](Self::orderby) each page is asked for by the id that the one before ended with, so
    /// that records which come, go or change meanwhile make no other be left out or given twice.
    ///
    /// With it pages are asked for by their number. When a page tells another total than the pages before it,
    /// all pages are read again from the first, and records that came before are left out. So each record
    /// comes once, and none is missed because others come or go; when ten readings in a row come no further
    /// because the list keeps changing, the stream ends with [`Error::Changed`](crate::Error::Changed). What
    /// leaves the total as it is, one record that comes while another goes or a change that moves a record in
    /// that order, is not noticed.
    pub fn stream(self) -> Paged<T> {
        let records = self
            .pages_inner()
            .map_ok(|page| stream::iter(T::values(page).into_iter().map(Ok)))
            .try_flatten();
        Paged::new(records)
    }

    /// All pages, asked for as [`stream`](Self::stream) asks.
    pub fn pages(self) -> Paged<T::Page> {
        Paged::new(self.pages_inner())
    }

    pub(crate) fn pages_inner(self) -> BoxStream<'static, Result<T::Page>> {
        if self.ask.orderby.is_none() {
            return Self::plain_pages(self.client, self.ask).boxed();
        }
        let cursor = Cursor::ById(SeenIds::default());
        consistent::pages(self, cursor, 1)
            .map_ok(|RecordPage(page)| page)
            .boxed()
    }

    /// Pages by the last id, or in an order by number and without a look at what they show.
    fn plain_pages(
        client: Client,
        mut ask: Ask,
    ) -> impl futures_core::Stream<Item = Result<T::Page>> + Send + 'static {
        ask.page = None;
        ask.page_size.get_or_insert(STREAM_PAGE_SIZE);
        let first = Place {
            page: 1,
            seen: 0,
            last: None,
        };
        stream::try_unfold(Some(first), move |place| {
            let (client, ask) = (client.clone(), ask.clone());
            async move {
                let Some(place) = place else {
                    return Ok(None);
                };
                let by_number = ask.orderby.is_some();
                let page = T::list(client, place.of(ask)).await?;
                let (total, records) = T::parts(&page);
                let next = place.next(by_number, total, records);
                Ok(Some((page, next)))
            }
        })
    }
}

impl Records<Incident> {
    /// Only incidents of this type.
    pub fn type_id(mut self, id: i32) -> Self {
        self.ask.type_id = Some(id);
        self
    }

    /// Only incidents that happened after this day; itself excluded.
    pub fn incident_date_from(mut self, day: Date) -> Self {
        self.ask.incident_date_from = Some(midnight(day));
        self
    }

    /// Only incidents that happened before this day; itself excluded.
    pub fn incident_date_to(mut self, day: Date) -> Self {
        self.ask.incident_date_to = Some(midnight(day));
        self
    }
}

/// A page of a list in an order of the caller's.
pub(crate) struct RecordPage<T: Record>(T::Page);

impl<T: Record> NumberedPage for RecordPage<T> {
    fn extent(&self) -> Extent {
        let (total, records) = T::parts(&self.0);
        Extent {
            len: records.len(),
            page_size: i32::MAX,
            count: total,
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: None,
            count: Some(T::parts(&self.0).0),
        }
    }

    fn retain(&mut self, keep: &mut dyn FnMut(i64, i32) -> bool) {
        T::values_mut(&mut self.0).retain(|record| keep(0, record.id()));
    }
}

impl<T: Record> NumberedList for Records<T> {
    type Page = RecordPage<T>;

    const OPERATION: &'static str = T::OPERATION;

    fn pass(&self, _: &Cursor, _: usize) -> Option<BoxStream<'static, Result<Self::Page>>> {
        let pages = Self::plain_pages(self.client.clone(), self.ask.clone());
        Some(pages.map_ok(RecordPage).boxed())
    }
}

/// Where a stream is.
#[derive(Debug, PartialEq)]
struct Place {
    /// The number of the next page.
    page: i32,
    /// Records given so far.
    seen: usize,
    /// The id of the last one.
    last: Option<i32>,
}

impl Place {
    /// What to ask for there.
    fn of(&self, mut ask: Ask) -> Ask {
        if ask.orderby.is_some() {
            ask.page = Some(self.page);
        } else if let Some(last) = self.last {
            ask.filter = Some(match ask.filter {
                Some(filter) => format!("({filter}) and id gt {last}"),
                None => format!("id gt {last}"),
            });
        }
        ask
    }

    /// The place after a page; `None` when there is no more.
    fn next<T: sealed::Record>(self, by_number: bool, total: i32, records: &[T]) -> Option<Self> {
        let last = records.last()?.id();
        let seen = self.seen + records.len();
        // What a place by id still has to give shrinks with it; what pages are counted in does not.
        let reached = if by_number { seen } else { records.len() };
        let more = reached < usize::try_from(total).unwrap_or(0);
        more.then_some(Self {
            page: self.page + 1,
            seen,
            last: Some(last),
        })
    }
}

fn midnight(day: Date) -> Timestamp {
    const TICKS_PER_DAY: i64 = 864_000_000_000;
    Timestamp::from_ticks(i64::from(day.days()) * TICKS_PER_DAY)
        .expect("both go from the year 0 to the year 9999")
}

impl<T: Record> IntoFuture for Records<T> {
    type Output = Result<T::Page>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl sealed::Record for Incident {
    type Page = IncidentPage;

    const OPERATION: &'static str = call::ListIncidents::OPERATION.id();

    fn list(client: Client, ask: Ask) -> BoxFuture<'static, Result<Self::Page>> {
        Box::pin(async move {
            let call = call::ListIncidents {
                type_id: ask.type_id,
                incident_date_from: ask.incident_date_from.as_ref(),
                incident_date_to: ask.incident_date_to.as_ref(),
                last_modified_from: ask.modified_from.as_ref(),
                last_modified_to: ask.modified_to.as_ref(),
                filter: ask.filter.as_deref(),
                orderby: ask.orderby.as_deref(),
                page: ask.page,
                page_size: ask.page_size,
            };
            client.call(&call).await
        })
    }

    fn parts(page: &Self::Page) -> (i32, &[Self]) {
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
}

impl sealed::Record for Improvement {
    type Page = ImprovementPage;

    const OPERATION: &'static str = call::ListImprovements::OPERATION.id();

    fn list(client: Client, ask: Ask) -> BoxFuture<'static, Result<Self::Page>> {
        Box::pin(async move {
            let call = call::ListImprovements {
                last_modified_from: ask.modified_from.as_ref(),
                last_modified_to: ask.modified_to.as_ref(),
                filter: ask.filter.as_deref(),
                orderby: ask.orderby.as_deref(),
                page: ask.page,
                page_size: ask.page_size,
            };
            client.call(&call).await
        })
    }

    fn parts(page: &Self::Page) -> (i32, &[Self]) {
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
}
