//! The values of a datasource: one page, or all of them fetched ahead in order.
//!
//! Decoding into Arrow is done by [`crate::arrow`]; this module only asks for pages.

#[cfg(feature = "arrow")]
mod batches;
mod list;

use obeya_api::call::ListDatasourceValues;
use obeya_model::{DatasourceValue, DatasourceValuePage, Timestamp};
use obeya_odata::build::{Clause, Filter, Order};

use futures_util::{TryStreamExt, stream};
use http::HeaderMap;

#[cfg(feature = "arrow")]
pub use self::batches::ArrowPage;
use crate::Client;
use crate::bridge;
use crate::error::Result;
use crate::paged::Paged;
use crate::prefetch::{self, Extent};

/// What a stream asks for when the caller says nothing: the largest page the interface allows, because each
/// page costs a round trip.
const STREAM_PAGE_SIZE: i32 = 10_000;

/// Pages under way at a time when the caller says nothing.
const PREFETCH: usize = 4;

/// Names the state of the datasource that a page shows.
const STATE: &str = "obeya-state";

/// A page of values with the state that it shows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValuePage {
    /// The page.
    pub page: DatasourceValuePage,
    /// The state of the datasource's values, where the service names it: the same on every page until one of
    /// them changes. It can only be compared.
    pub state: Option<String>,
}

/// A request for values, made by [`Datasources::values`](crate::Datasources::values).
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until a page or a stream is asked for"]
pub struct Values {
    client: Client,
    id: i32,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    filter: Option<String>,
    orderby: Option<String>,
    page_size: Option<i32>,
    prefetch: usize,
    #[cfg(feature = "arrow")]
    json: bool,
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
            page_size: None,
            prefetch: PREFETCH,
            #[cfg(feature = "arrow")]
            json: false,
        }
    }

    /// Only values dated after this instant; itself excluded.
    pub fn from(mut self, instant: Timestamp) -> Self {
        self.from = Some(instant);
        self
    }

    /// Only values dated before this instant; itself excluded.
    pub fn to(mut self, instant: Timestamp) -> Self {
        self.to = Some(instant);
        self
    }

    /// `$filter`: a condition made of [`fields::datasource_value`](crate::fields::datasource_value), or the
    /// text of an OData expression, for example `dimension eq 'Line 2'`.
    pub fn filter(mut self, condition: impl Clause<Filter<DatasourceValue>>) -> Self {
        self.filter = condition.text();
        self
    }

    /// `$orderby`: what to sort by, keys or a text. Default, and what an empty list comes to: `valueDate`,
    /// then `id`.
    pub fn orderby(mut self, keys: impl Clause<Order<DatasourceValue>>) -> Self {
        self.orderby = keys.text();
        self
    }

    /// Values to a page, 1 to 10,000. Default: 1,000 for [`page`](Self::page) (the service's own), 10,000 for
    /// streams.
    pub fn page_size(mut self, values: i32) -> Self {
        self.page_size = Some(values);
        self
    }

    /// Pages of a stream that are fetched at a time; 1 fetches one after the other. Default: 4.
    pub fn prefetch(mut self, pages: usize) -> Self {
        self.prefetch = pages;
        self
    }

    /// One page; the first has the number 1. A page beyond the end is empty.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn page(self, number: i32) -> Result<DatasourceValuePage> {
        Ok(self.page_with_state(number).await?.page)
    }

    /// The same with the state that it shows.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn page_with_state(self, number: i32) -> Result<ValuePage> {
        let call = ListDatasourceValues {
            from: self.from.as_ref(),
            to: self.to.as_ref(),
            filter: self.filter.as_deref(),
            orderby: self.orderby.as_deref(),
            page: Some(number),
            page_size: self.page_size,
            ..ListDatasourceValues::new(self.id)
        };
        let operation = ListDatasourceValues::OPERATION;
        let reply = bridge::finish_reply(operation, call.send(self.client.api()).await)?;
        Ok(ValuePage {
            state: state(reply.headers()),
            page: reply.into_inner(),
        })
    }

    /// All values, in order.
    ///
    /// Every value that keeps its date while the stream is read comes exactly once, however many others come,
    /// go or change meanwhile. A value that is moved to another date meanwhile may come twice or not at all.
    /// How this is done:
    ///
    /// - Pages are asked for by number. A page that shows another state of the datasource than the pages
    ///   before it is dropped, and what comes after the last value is asked for anew. A service that does not
    ///   name the state is judged by the number of matching values: there, one value that goes while another
    ///   comes is not noticed.
    /// - With [`orderby`](Self::orderby) this holds for `valueDate` and `valueDate desc`. In any other order
    ///   the pages are read again from the first, and values that came before are left out by their ids,
    ///   which are kept in memory (4 bytes each). When ten readings in a row come no further because the
    ///   datasource keeps changing, the stream ends with [`Error::Changed`](crate::Error::Changed).
    pub fn stream(self) -> Paged<DatasourceValue> {
        let values = self
            .consistent_pages()
            .map_ok(|page: ValuePage| stream::iter(page.page.values.into_iter().map(Ok)))
            .try_flatten();
        Paged::new(values)
    }

    /// All pages, in order, with what [`stream`](Self::stream) says of their values. After a change, a page
    /// may hold fewer values than its page size, and its number and count are those of what was left to read.
    pub fn pages(self) -> Paged<DatasourceValuePage> {
        Paged::new(self.consistent_pages().map_ok(|page: ValuePage| page.page))
    }

    /// All pages by their number, each with the state that it shows, and without what
    /// [`stream`](Self::stream) does when that changes. Where a page shows another state than the first one,
    /// what it should hold may have moved to one before it, or to one after: drop it, and ask anew for what
    /// comes after the last value taken.
    pub fn pages_with_state(self) -> Paged<ValuePage> {
        Paged::new(self.numbered_pages())
    }

    fn numbered_pages(
        self,
    ) -> impl futures_core::Stream<Item = Result<ValuePage>> + Send + 'static {
        let ahead = self.prefetch;
        let fetch = move |number| self.clone().for_stream().page_with_state(number);
        prefetch::pages(ahead, fetch, ValuePage::extent)
    }

    fn for_stream(mut self) -> Self {
        self.page_size.get_or_insert(STREAM_PAGE_SIZE);
        self
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

/// The state that an answer names.
fn state(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(STATE)?.to_str().ok()?.to_owned())
}
