//! Pagination: a page, and a stream that fetches page after page.
//!
//! Nothing is fetched before the stream is polled.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::error::Result;

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The records of this page.
    pub items: Vec<T>,
    /// The total number of matching records, if requested with `count(true)`.
    pub count: Option<i64>,
    /// URL of the next page, if there is one. `stream` and `pages` follow it.
    pub next_link: Option<String>,
}

/// A stream of records, pages or batches, fetched on demand.
///
/// It is a [`Stream`], but can be used without a stream library:
///
/// ```no_run
/// # async fn example(client: obeya::Client) -> obeya::Result<()> {
/// let mut areas = client.areas().list().stream();
/// while let Some(area) = areas.next().await {
///     println!("{:?}", area?.name);
/// }
/// # Ok(())
/// # }
/// ```
///
/// It ends after an error. Dropping it cancels requests in progress.
#[must_use = "nothing is fetched until the stream is polled"]
pub struct Paged<T> {
    items: BoxStream<'static, Result<T>>,
}

impl<T: Send + 'static> Paged<T> {
    pub(crate) fn new(items: impl Stream<Item = Result<T>> + Send + 'static) -> Self {
        Self {
            items: items.boxed(),
        }
    }

    /// The items of these lists.
    pub(crate) fn flat(lists: impl Stream<Item = Result<Vec<T>>> + Send + 'static) -> Self {
        let items = lists.map_ok(|list| stream::iter(list.into_iter().map(Ok)));
        Self::new(items.try_flatten())
    }

    /// The next item; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T>> {
        self.items.next().await
    }

    /// Collects all items in memory.
    ///
    /// # Errors
    /// The first error; items before it are lost.
    pub async fn all(self) -> Result<Vec<T>> {
        self.items.try_collect().await
    }
}

impl<T> Stream for Paged<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.items.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for Paged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paged").finish_non_exhaustive()
    }
}
