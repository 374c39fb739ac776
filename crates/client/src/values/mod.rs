//! The values of a datasource: one page, or all of them, prefetched in order.
//!
//! [`crate::arrow`] decodes Arrow; this module only requests pages.

#[cfg(feature = "arrow")]
mod batches;
mod list;

use obeya_api::call::ListDatasourceValuesV1;
use obeya_model::bounds::operations::list_datasource_values_v1::page_size;
use obeya_model::{DatasourceValue, DatasourceValuePage, Timestamp};
use obeya_odata::OptionName;
use obeya_odata::build::{Clause, Filter, Order};

use futures_util::TryStreamExt;
use http::HeaderMap;

#[cfg(feature = "arrow")]
pub use self::batches::ArrowPage;
use crate::Client;
use crate::error::Result;
use crate::executor;
use crate::limit::{Portion, single_page};
use crate::paged::Paged;
use crate::prefetch::{self, Concurrency, Extent};
use crate::value_position::ValuePosition;
use crate::words::WordCheck;

/// The default page size of a stream: the maximum of the interface, because each page costs a round trip.
const STREAM_PAGE_SIZE: i32 = *page_size::RANGE.end();

/// The default number of concurrent page requests.
const PREFETCH: usize = 4;

/// The header with the state of the datasource.
const STATE: &str = "obeya-state";

/// A page of values, with the state of the datasource and the position after it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValuePage {
    /// The page.
    pub page: DatasourceValuePage,
    /// An opaque identifier of the state of the datasource's values, if the service sends one: equal on every
    /// page until a value changes.
    pub state: Option<String>,
    /// In a stream, the position after its last value, for [`Values::after`]; `None` in an order other than
    /// that of dates, and if the service does not keep to it.
    pub position: Option<ValuePosition>,
}

/// A request for values; created by [`Datasources::values`](crate::Datasources::values).
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until a page or a stream is requested"]
pub struct Values {
    pub(crate) client: Client,
    pub(crate) id: i32,
    pub(crate) from: Option<Timestamp>,
    pub(crate) to: Option<Timestamp>,
    pub(crate) filter: Option<String>,
    pub(crate) orderby: Option<String>,
    pub(crate) words: WordCheck,
    pub(crate) page_size: Option<i32>,
    pub(crate) top: Option<u32>,
    pub(crate) after: Option<ValuePosition>,
    pub(crate) prefetch: usize,
    #[cfg(feature = "arrow")]
    pub(crate) json: bool,
}

impl Values {
    pub(crate) fn new(client: Client, id: i32) -> Self {
        Self {
            client,
            id,
            from: None,
            to: None,
            filter: None,
            orderby: None,
            words: WordCheck::default(),
            page_size: None,
            top: None,
            after: None,
            prefetch: PREFETCH,
            #[cfg(feature = "arrow")]
            json: false,
        }
    }

    /// Only values dated at this instant or after it, such as the start of a day.
    pub fn since(self, instant: Timestamp) -> Self {
        let before = Timestamp::from_ticks(instant.ticks() - 1);
        match before {
            Some(before) => self.from(before),
            // Nothing is dated before the first instant.
            None => self,
        }
    }

    /// Only values dated after this instant, without those at it: see [`since`](Self::since).
    pub fn from(mut self, instant: Timestamp) -> Self {
        self.from = Some(instant);
        self
    }

    /// Only values dated before this instant, without those at it.
    pub fn to(mut self, instant: Timestamp) -> Self {
        self.to = Some(instant);
        self
    }

    /// `$filter`: a condition made of [`fields::datasource_value`](crate::fields::datasource_value), or the
    /// text of an OData expression, for example `dimension eq 'Line 2'`.
    pub fn filter(mut self, condition: impl Clause<Filter<DatasourceValue>>) -> Self {
        self.filter = self
            .words
            .text::<DatasourceValue, _>(OptionName::Filter, condition);
        self
    }

    /// `$orderby`: the sort keys or a text. Default, also for an empty list: `valueDate`, then `id`.
    pub fn orderby(mut self, keys: impl Clause<Order<DatasourceValue>>) -> Self {
        self.orderby = self
            .words
            .text::<DatasourceValue, _>(OptionName::OrderBy, keys);
        self
    }

    /// Values per page, 1 to 10,000. Default: 1,000 for [`page`](Self::page) (the service's own), 10,000 for
    /// streams.
    pub fn page_size(mut self, values: i32) -> Self {
        self.page_size = Some(values);
        self
    }

    /// At most this many values of the whole list. Streams end after them, request no page beyond them, and
    /// request smaller pages where that suffices; a single page has those of its values that are among them.
    pub fn top(mut self, values: u32) -> Self {
        self.top = Some(values);
        self
    }

    /// Continues a stream after a position of an earlier one: the values after it in the order of dates, and
    /// those at its date that the earlier stream did not yield. Both must be of the same request. Single
    /// pages ignore it.
    pub fn after(mut self, position: ValuePosition) -> Self {
        self.after = Some(position);
        self
    }

    /// The number of concurrent page requests of a stream; 1 disables prefetching. Default: 4.
    pub fn prefetch(mut self, pages: usize) -> Self {
        self.prefetch = pages;
        self
    }

    /// One page; numbers begin at 1. A page past the end is empty.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn page(self, number: i32) -> Result<DatasourceValuePage> {
        Ok(self.page_with_state(number).await?.page)
    }

    /// One page with the state of the datasource.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn page_with_state(mut self, number: i32) -> Result<ValuePage> {
        let own = page_size::DEFAULT;
        let (page_size, limit) = single_page(self.top, number, self.page_size, own);
        self.page_size = page_size;
        let mut page = self.requested(number).await?;
        limit.truncate(&mut page.page.values);
        Ok(page)
    }

    async fn requested(self, number: i32) -> Result<ValuePage> {
        self.words.finish(ListDatasourceValuesV1::OPERATION.id())?;
        let call = ListDatasourceValuesV1 {
            from: self.from.as_ref(),
            to: self.to.as_ref(),
            filter: self.filter.as_deref(),
            orderby: self.orderby.as_deref(),
            page: Some(number),
            page_size: self.page_size,
            ..ListDatasourceValuesV1::new(self.id)
        };
        let operation = ListDatasourceValuesV1::OPERATION;
        let reply = executor::finish_reply(operation, call.send(self.client.api()).await)?;
        Ok(ValuePage {
            state: state(reply.headers()),
            page: reply.into_inner(),
            position: None,
        })
    }

    /// All values, in order.
    ///
    /// Every value that keeps its date while the stream is read is yielded exactly once, whatever changes
    /// meanwhile. A value that is moved to another date meanwhile may be yielded twice or not at all. How it
    /// works:
    ///
    /// - Pages are requested by number. A page that shows another state of the datasource than the pages
    ///   before it is dropped, and the stream continues after the last value yielded. For a service that does
    ///   not send the state, the number of matching values is compared instead: a deletion together with an
    ///   insertion is then not detected.
    /// - With [`orderby`](Self::orderby) this applies to `valueDate` and `valueDate desc`. In any other order
    ///   the pages are read again from the first, and values that were already yielded are skipped by their
    ///   ids, which are stored in memory (4 bytes each). If ten passes in a row make no progress because the
    ///   datasource keeps changing, the remaining values follow in the order of their ids.
    ///
    /// A service that does not keep to the order of dates cannot be read to its end while the datasource
    /// changes: the stream ends with [`Error::Changed`](crate::Error::Changed).
    pub fn stream(self) -> Paged<DatasourceValue> {
        let pages = self.consistent_pages();
        Paged::flat(pages.map_ok(|page: ValuePage| page.page.values))
    }

    /// All pages, in order, with the guarantees of [`stream`](Self::stream). After a concurrent change, a
    /// page may have fewer values than its page size, and its number and count are relative to the remaining
    /// values.
    pub fn pages(self) -> Paged<DatasourceValuePage> {
        Paged::new(self.consistent_pages().map_ok(|page: ValuePage| page.page))
    }

    /// [`pages`](Self::pages), each with the position after it: a stream that is interrupted continues
    /// [`after`](Self::after) the position of the last page that was used.
    pub fn pages_with_position(self) -> Paged<ValuePage> {
        Paged::new(self.consistent_pages())
    }

    fn numbered_pages(
        self,
        portion: Portion,
        concurrency: Concurrency,
    ) -> impl futures_core::Stream<Item = Result<ValuePage>> + Send + 'static {
        let fetch = move |number| self.clone().requested(number);
        prefetch::pages(concurrency, portion, fetch, ValuePage::extent)
    }
}

impl ValuePage {
    fn extent(&self) -> Extent {
        Extent {
            len: self.page.values.len(),
            page_size: self.page.page_size,
            count: self.page.count,
        }
    }
}

/// The state in a response.
fn state(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(STATE)?.to_str().ok()?.to_owned())
}
