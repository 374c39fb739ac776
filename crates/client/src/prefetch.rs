//! Prefetches numbered pages and yields them in order.
//!
//! A page shorter than its page size is the last one. `count` only limits how far to prefetch, so a service
//! that counts the page instead of the whole list loses no data here. [`consistent`](crate::consistent)
//! checks whether the pages show the same list; for that it gets every page that an earlier count announced,
//! even if it is empty.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use futures_core::Stream;
use futures_util::stream;
use tracing::Instrument as _;

use crate::error::Result;
use crate::limit::Portion;
use crate::runtime::{Task, spawn};

/// The size of a page and of its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The number of records on the page.
    pub(crate) len: usize,
    /// The number of records on a full page, according to the service.
    pub(crate) page_size: i32,
    /// The total number of matching records, according to the service.
    pub(crate) count: i32,
}

impl Extent {
    /// Whether the page is the last: it is not full, or the total says so.
    pub(crate) fn is_last(self, number: i32) -> bool {
        let size = i64::from(self.page_size);
        let total = i64::from(self.count);
        // A count above the page size can only be a total. One equal to it may be this page's own.
        (self.len as i64) < size.max(1) || (total > size && i64::from(number) * size >= total)
    }

    /// The number of the last page that is needed, according to the total.
    fn pages(self, portion: Portion) -> i32 {
        let size = self.page_size.max(1);
        let count = portion.needed_of(self.count);
        count / size + i32::from(count % size != 0)
    }
}

/// How many requests may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Concurrency {
    /// At the beginning, and until the caller has used two pages.
    pub(crate) first: usize,
    /// Later it doubles with each page, up to this.
    pub(crate) most: usize,
}

impl Concurrency {
    /// The same from beginning to end.
    pub(crate) fn constant(requests: usize) -> Self {
        let most = requests.max(1);
        Self { first: most, most }
    }

    /// After a pass of which so many pages could be used: prefetched ones were dropped with the next.
    pub(crate) fn after(self, pages: usize) -> Self {
        let first = match pages {
            0 | 1 => (self.first / 2).max(1),
            _ => self.first.saturating_mul(2).min(self.most),
        };
        Self { first, ..self }
    }
}

struct PrefetchState<F, P> {
    fetch: F,
    concurrency: Concurrency,
    /// The number of the next page to request, and of the next one to yield.
    request: i32,
    number: i32,
    portion: Portion,
    /// The last page known to exist and to be needed.
    last_known: i32,
    tasks: VecDeque<Task<Result<P>>>,
    ended: bool,
}

/// Pages 1, 2, 3 … in order. Pages beyond the portion are requested only when the caller asks for them.
pub(crate) fn pages<P, F, Fut>(
    concurrency: Concurrency,
    portion: Portion,
    fetch: F,
    extent: fn(&P) -> Extent,
) -> impl Stream<Item = Result<P>> + Send + 'static
where
    P: Send + 'static,
    F: Fn(i32) -> Fut + Send + 'static,
    Fut: Future<Output = Result<P>> + Send + 'static,
{
    let state = PrefetchState {
        fetch,
        concurrency,
        request: 1,
        number: 1,
        portion,
        last_known: 1,
        tasks: VecDeque::new(),
        ended: false,
    };
    stream::try_unfold(state, move |mut state| async move {
        if state.ended {
            return Ok(None);
        }
        if state.number > 2 {
            state.concurrency = state.concurrency.after(2);
        }
        while state.tasks.len() < state.concurrency.first
            && (state.tasks.is_empty() || state.request <= state.last_known)
        {
            let page = (state.fetch)(state.request);
            state.tasks.push_back(spawn(page.in_current_span()));
            state.request += 1;
        }
        let Some(task) = state.tasks.pop_front() else {
            return Ok(None);
        };
        let page = task.finish().await?;
        let extent = extent(&page);
        let number = state.number;
        if extent.len == 0 && number > state.last_known {
            return Ok(None);
        }
        state.number += 1;
        state.last_known = state.last_known.max(extent.pages(state.portion));
        if extent.is_last(number) {
            state.ended = true;
            state.tasks.clear();
        }
        Ok(Some((page, state)))
    })
}
