//! Prefetches numbered pages and yields them in order.
//!
//! A page shorter than its page size is the last one. `count` only limits how far to prefetch, so a service
//! that counts the page instead of the whole list loses no data here. [`consistent`](crate::consistent)
//! checks whether the pages show the same list; for that it gets every page that an earlier count announced,
//! even if it is empty.

use std::collections::VecDeque;
use std::future::Future;

use futures_core::Stream;
use futures_util::stream;
use tokio::task::JoinHandle;

use crate::error::Result;
use crate::limit::Portion;

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
            _ => (self.first * 2).min(self.most),
        };
        Self { first, ..self }
    }
}

/// A task that is aborted when it is dropped.
struct Task<P>(JoinHandle<Result<P>>);

impl<P> Task<P> {
    async fn finish(mut self) -> Result<P> {
        match (&mut self.0).await {
            Ok(outcome) => outcome,
            // Only `drop` aborts it, so this is a panic: pass it on to the caller.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl<P> Drop for Task<P> {
    fn drop(&mut self) {
        self.0.abort();
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
    tasks: VecDeque<Task<P>>,
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
            state.tasks.push_back(Task(tokio::spawn(page)));
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures_util::{StreamExt, TryStreamExt};

    use super::*;
    use crate::error::Error;

    /// A service with `total` values in pages of `size`; its count is the total, or each page's own.
    async fn read(
        total: i32,
        size: i32,
        counts_all: bool,
        prefetch: usize,
    ) -> (Vec<i32>, Vec<i32>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let fetch = move |number: i32| {
            log.lock().unwrap().push(number);
            async move {
                // Later pages answer sooner, to show that the order is kept.
                tokio::time::sleep(std::time::Duration::from_millis(100 - number as u64)).await;
                let from = (number - 1) * size;
                let values: Vec<i32> = (from.min(total)..(from + size).min(total)).collect();
                let count = if counts_all {
                    total
                } else {
                    values.len() as i32
                };
                Ok((values, size, count))
            }
        };
        let pages = pages(
            Concurrency::constant(prefetch),
            Portion::whole(size),
            fetch,
            |(values, page_size, count): &(Vec<i32>, i32, i32)| Extent {
                len: values.len(),
                page_size: *page_size,
                count: *count,
            },
        );
        let got: Vec<_> = pages.try_collect().await.unwrap();
        let mut asked = asked.lock().unwrap().clone();
        asked.sort_unstable();
        (
            got.into_iter().flat_map(|(values, ..)| values).collect(),
            asked,
        )
    }

    #[tokio::test(start_paused = true)]
    async fn every_value_comes_once_and_in_order() {
        for (total, size, requests) in [
            (0, 10, 1),
            (7, 10, 1),
            (10, 10, 2),
            (20, 10, 2),
            (95, 10, 10),
        ] {
            for prefetch in [1, 4, 16] {
                let (got, asked) = read(total, size, true, prefetch).await;
                assert_eq!(got, (0..total).collect::<Vec<_>>(), "{total} by {size}");
                assert_eq!(
                    asked,
                    (1..=requests).collect::<Vec<_>>(),
                    "{total} by {size}"
                );
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_count_of_the_page_alone_loses_nothing() {
        for total in [0, 9, 10, 11, 40, 45] {
            let (got, _) = read(total, 10, false, 4).await;
            assert_eq!(got, (0..total).collect::<Vec<_>>(), "{total}");
        }
    }

    /// Otherwise the reader would not notice that values were deleted and others moved to pages it has read.
    #[tokio::test(start_paused = true)]
    async fn a_page_that_was_promised_comes_though_it_is_empty_by_now() {
        let fetch = |number: i32| async move { Ok(if number < 3 { 5 } else { 0 }) };
        let extent = |len: &usize| Extent {
            len: *len,
            page_size: 5,
            count: if *len > 0 { 25 } else { 10 },
        };
        let pages = pages(Concurrency::constant(4), Portion::whole(5), fetch, extent);
        let got: Vec<usize> = pages.try_collect().await.unwrap();
        assert_eq!(got, [5, 5, 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_comes_in_its_place_and_ends_the_stream() {
        let fetch = |number: i32| async move {
            if number == 3 {
                return Err(Error::TooLarge {
                    operation: "test",
                    limit: 1,
                });
            }
            Ok(number)
        };
        let extent = |_: &i32| Extent {
            len: 1,
            page_size: 1,
            count: 9,
        };
        let pages = pages(Concurrency::constant(4), Portion::whole(1), fetch, extent);
        let mut pages = Box::pin(pages);
        assert_eq!(pages.next().await.unwrap().unwrap(), 1);
        assert_eq!(pages.next().await.unwrap().unwrap(), 2);
        assert!(matches!(
            pages.next().await,
            Some(Err(Error::TooLarge { .. }))
        ));
        assert!(pages.next().await.is_none());
    }

    #[test]
    fn requests_become_fewer_where_pages_are_dropped_and_more_where_they_are_used() {
        let full = Concurrency::constant(8);
        let few = full.after(0).after(1);
        assert_eq!(few, Concurrency { first: 2, most: 8 });
        assert_eq!(few.after(1).after(1).first, 1);
        assert_eq!(few.after(2).after(3).after(4), full);
        assert_eq!(Concurrency::constant(0), Concurrency::constant(1));
    }

    #[tokio::test(start_paused = true)]
    async fn pages_are_fetched_side_by_side() {
        let started = tokio::time::Instant::now();
        let fetch = |number: i32| async move {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            Ok(number)
        };
        let extent = |_: &i32| Extent {
            len: 1,
            page_size: 1,
            count: 9,
        };
        let pages = pages(Concurrency::constant(4), Portion::whole(1), fetch, extent);
        let got: Vec<i32> = pages.try_collect().await.unwrap();
        assert_eq!(got, (1..=9).collect::<Vec<_>>());
        // The first alone, then eight by fours.
        assert_eq!(started.elapsed().as_millis(), 300);
    }
}
