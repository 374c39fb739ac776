//! The pages of a v1 list as a stream: by keyset in the order of ids, by number in any other.
//!
//! Their pages name no state. An insertion or a change shows in the last change of the list, and a deletion
//! in the total; together they are its [version](NumberedList::version).

use futures_core::Stream;
use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::{ListOptions, Record, Records, sealed};
use crate::Client;
use crate::consistent::{
    self, Cursor, Intake, NumberedList, NumberedPage, SeenIds, Snapshot, Version,
};
use crate::error::Result;
use crate::limit::{Limit, Portion};
use crate::prefetch::{Concurrency, Extent};
use crate::query::{after_id, depends_on_now};

/// The default page size of a stream: some megabytes.
const STREAM_PAGE_SIZE: i32 = 1_000;

impl<T: Record> Records<T> {
    pub(crate) fn pages_inner(mut self) -> BoxStream<'static, Result<T::Page>> {
        let limit = Limit::new(self.options.top);
        let order = self.options.orderby.as_deref().unwrap_or("id");
        if order.trim() == "id" {
            self.options.orderby = None;
            return Self::unchecked_pages(self.client, self.options, limit).boxed();
        }
        let always_changes = depends_on_now(self.options.filter.as_deref());
        let cursor = Cursor::ById(SeenIds::without_state(always_changes));
        consistent::pages(self, cursor, limit, 1)
            .map_ok(|RecordPage(page)| page)
            .boxed()
    }

    /// Pages by keyset, or with an order by number, without consistency checks.
    fn unchecked_pages(
        client: Client,
        mut options: ListOptions,
        limit: Limit,
    ) -> impl Stream<Item = Result<T::Page>> + Send + 'static {
        options.page = None;
        options.page_size.get_or_insert(STREAM_PAGE_SIZE);
        let first = RecordCursor {
            page: 1,
            seen: 0,
            last: None,
            limit,
        };
        stream::try_unfold(Some(first), move |cursor| {
            let (client, options) = (client.clone(), options.clone());
            async move {
                let Some(cursor) = cursor else {
                    return Ok(None);
                };
                let by_number = options.orderby.is_some();
                let mut page = Self::requested(client, cursor.apply(options)).await?;
                cursor.limit.truncate(T::values_mut(&mut page));
                let (total, records) = T::total_and_records(&page);
                let next = cursor.next(by_number, total, records);
                Ok(Some((page, next)))
            }
        })
    }
}

/// A page of a list in an order of the caller's.
pub(crate) struct RecordPage<T: Record>(T::Page);

impl<T: Record> NumberedPage for RecordPage<T> {
    fn extent(&self) -> Extent {
        let (total, records) = T::total_and_records(&self.0);
        Extent {
            len: records.len(),
            // The service may send fewer than requested. So no page but an empty one is the last; the end of
            // a pass is known from the total.
            page_size: i32::try_from(records.len()).unwrap_or(i32::MAX).max(1),
            count: total,
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: None,
            count: Some(T::total_and_records(&self.0).0),
        }
    }

    fn retain_new(&mut self, intake: &mut Intake<'_>) {
        T::values_mut(&mut self.0).retain(|record| intake.take(0, record.id()));
    }
}

impl<T: Record> NumberedList for Records<T> {
    type Page = RecordPage<T>;

    const OPERATION: &'static str = T::OPERATION;

    const HAS_KEYS: bool = true;

    fn page_size(&self) -> i32 {
        self.options.page_size.unwrap_or(STREAM_PAGE_SIZE)
    }

    fn version(&self) -> BoxFuture<'static, Result<Option<Version>>> {
        let (client, mut options) = (self.client.clone(), self.options.clone());
        options.orderby = Some("lastModified desc,id desc".to_owned());
        options.page = None;
        options.page_size = Some(1);
        Box::pin(async move {
            let page = Self::requested(client, options).await?;
            let (total, records) = T::total_and_records(&page);
            let last = records.first();
            let last = last.map(|record| (record.last_modified(), record.id()));
            Ok(Some(Version {
                count: total,
                last: format!("{last:?}"),
            }))
        })
    }

    fn pass(
        &self,
        cursor: &Cursor,
        portion: Portion,
        _: Concurrency,
    ) -> Option<BoxStream<'static, Result<Self::Page>>> {
        let mut options = self.options.clone();
        options.page_size = Some(portion.page_size);
        if let Cursor::ById(seen) = cursor
            && let Some(rest) = seen.rest()
        {
            options.orderby = None;
            options.filter = after_id(options.filter, rest.after);
        }
        let pages = Self::unchecked_pages(self.client.clone(), options, Limit::default());
        Some(pages.map_ok(RecordPage).boxed())
    }
}

/// The position of a stream.
#[derive(Debug, PartialEq)]
struct RecordCursor {
    /// The number of the next page.
    page: i32,
    /// The number of records yielded so far.
    seen: usize,
    /// The id of the last one.
    last: Option<i32>,
    /// What the stream may still yield.
    limit: Limit,
}

impl RecordCursor {
    /// The options of the next request.
    fn apply(&self, mut options: ListOptions) -> ListOptions {
        if options.orderby.is_some() {
            options.page = Some(self.page);
        } else {
            options.filter = after_id(options.filter, self.last);
            // Each request begins a list of its own, whose pages may have any size.
            options.page_size = options.page_size.map(|size| self.limit.page_size(size));
        }
        options
    }

    /// The position after a page; `None` at the end.
    fn next<T: sealed::Record>(self, by_number: bool, total: i32, records: &[T]) -> Option<Self> {
        let last = records.last()?.id();
        let seen = self.seen + records.len();
        // The total of a request by keyset counts the remaining records; that of a request by number counts
        // all.
        let reached = if by_number { seen } else { records.len() };
        let limit = self.limit.after(records.len());
        let more = reached < usize::try_from(total).unwrap_or(0) && !limit.is_reached();
        more.then_some(Self {
            page: self.page + 1,
            seen,
            last: Some(last),
            limit,
        })
    }
}
