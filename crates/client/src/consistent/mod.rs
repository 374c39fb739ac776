//! Streams over numbered pages that yield every record that exists throughout exactly once, whatever changes
//! meanwhile.
//!
//! Each numbered page is a snapshot of its own. If a record is deleted between two requests, the first record
//! of the next page moves to a page that was already read. So a page is used only if it shows the same
//! snapshot as the first page of its pass. Otherwise it is dropped, and another pass reads the remaining
//! records after the [`Cursor`].
//!
//! [`NumberedList`] abstracts from the list and its requests.

mod by_date;
mod by_id;

use futures_core::Stream;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};

pub(crate) use by_date::{DateCursor, Direction};
pub(crate) use by_id::SeenIds;

use crate::error::{Error, Result};
use crate::prefetch::Extent;

/// Identifies the version of the list that a page shows.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// The state header; `None` if the service sends none.
    pub(crate) state: Option<String>,
    /// How many records match, if the service sends it.
    pub(crate) count: Option<i32>,
}

/// A page of a numbered list.
pub(crate) trait NumberedPage: Send + 'static {
    /// Its size, and that of the list.
    fn extent(&self) -> Extent;

    /// The version of the list it shows.
    fn snapshot(&self) -> Snapshot;

    /// Retains the records for which `keep` returns true. It is called in order with each record's date, in
    /// microseconds since 1970 (0 for lists without dates), and its id.
    fn retain(&mut self, keep: &mut dyn FnMut(i64, i32) -> bool);
}

/// A list that is requested by page number.
pub(crate) trait NumberedList: Send + 'static {
    /// Its pages.
    type Page: NumberedPage;

    /// The `operationId`, for errors.
    const OPERATION: &'static str;

    /// Pages 1, 2, 3 … of the records after `cursor`, with up to `prefetch` concurrent requests; `None` if
    /// there cannot be any.
    fn pass(
        &self,
        cursor: &Cursor,
        prefetch: usize,
    ) -> Option<BoxStream<'static, Result<Self::Page>>>;
}

/// The records that were yielded, from which the next pass continues.
#[derive(Debug)]
pub(crate) enum Cursor {
    /// In the order of dates: the last date yielded (keyset). The next pass begins there, so each pass makes
    /// progress.
    ByDate(DateCursor),
    /// In any other order: all ids yielded. The next pass begins with the first page.
    ById(SeenIds),
}

/// The list changed, and the remaining records cannot be distinguished from those already yielded.
#[derive(Debug)]
struct CursorLost;

impl Cursor {
    /// Marks a record as yielded; returns whether it is new.
    fn take(&mut self, date: i64, id: i32) -> bool {
        match self {
            Self::ByDate(cursor) => cursor.take(date, id),
            Self::ById(seen) => seen.take(id),
        }
    }

    /// Prepares the next pass after one that took `pages` pages; `delivered` tells whether it yielded new
    /// records.
    fn restart(&mut self, pages: usize, delivered: bool) -> Result<(), CursorLost> {
        match self {
            Self::ByDate(cursor) => cursor.restart(delivered),
            Self::ById(seen) => seen.restart(pages),
        }
    }

    /// Ends a complete pass; returns whether there is more to read.
    fn finish(&mut self) -> bool {
        match self {
            Self::ByDate(cursor) => cursor.finish(),
            Self::ById(_) => false,
        }
    }

    fn reads_single_pages(&self) -> bool {
        matches!(self, Self::ByDate(cursor) if cursor.reads_single_pages())
    }

    fn is_out_of_order(&self) -> bool {
        matches!(self, Self::ByDate(cursor) if cursor.is_out_of_order())
    }
}

/// Pages of one snapshot.
struct Pass<P> {
    pages: BoxStream<'static, Result<P>>,
    /// The version that the first page showed.
    first: Option<Snapshot>,
    taken: usize,
    delivered: bool,
}

impl<P: NumberedPage> Pass<P> {
    /// Whether a page shows the same version as the first page.
    fn is_consistent(&mut self, page: &P) -> bool {
        let mut snapshot = page.snapshot();
        let Some(first) = &self.first else {
            self.first = Some(snapshot);
            return true;
        };
        if snapshot.count == i32::try_from(page.extent().len).ok() {
            // A service that counts the page instead of the list: not a total to compare.
            snapshot.count = None;
        }
        let same_count = match (first.count, snapshot.count) {
            (Some(first), Some(count)) => first == count,
            _ => true,
        };
        first.state == snapshot.state && same_count
    }
}

struct Reader<L: NumberedList> {
    list: L,
    cursor: Cursor,
    pass: Option<Pass<L::Page>>,
    /// Concurrent requests: the caller's limit, or fewer while the list changes from page to page.
    prefetch: usize,
    max_prefetch: usize,
    has_started: bool,
    ended: bool,
}

/// The pages of a list, without records of earlier pages. The first page is yielded even if it is empty.
pub(crate) fn pages<L: NumberedList>(
    list: L,
    cursor: Cursor,
    prefetch: usize,
) -> impl Stream<Item = Result<L::Page>> + Send + 'static {
    let reader = Reader {
        list,
        cursor,
        pass: None,
        prefetch: prefetch.max(1),
        max_prefetch: prefetch.max(1),
        has_started: false,
        ended: false,
    };
    stream::try_unfold(reader, Reader::next)
}

impl<L: NumberedList> Reader<L> {
    async fn next(mut self) -> Result<Option<(L::Page, Self)>> {
        while !self.ended {
            let Some(pass) = &mut self.pass else {
                self.begin_pass();
                continue;
            };
            let Some(page) = pass.pages.next().await.transpose()? else {
                self.end_pass();
                continue;
            };
            if !pass.is_consistent(&page) {
                self.restart()?;
                continue;
            }
            if let Some(page) = self.take(page)? {
                return Ok(Some((page, self)));
            }
        }
        Ok(None)
    }

    fn begin_pass(&mut self) {
        self.pass = self
            .list
            .pass(&self.cursor, self.prefetch)
            .map(|pages| Pass {
                pages,
                first: None,
                taken: 0,
                delivered: false,
            });
        self.ended = self.pass.is_none();
    }

    fn end_pass(&mut self) {
        self.pass = None;
        self.ended = !self.cursor.finish();
    }

    fn restart(&mut self) -> Result<()> {
        let Some(pass) = self.pass.take() else {
            return Ok(());
        };
        // Prefetched pages are dropped with the inconsistent one, so fetch fewer.
        self.prefetch = match pass.taken {
            0 | 1 => (self.prefetch / 2).max(1),
            _ => (self.prefetch * 2).min(self.max_prefetch),
        };
        let operation = L::OPERATION;
        self.cursor
            .restart(pass.taken, pass.delivered)
            .map_err(|CursorLost| Error::Changed { operation })
    }

    /// The new records of a page, if there are any.
    fn take(&mut self, mut page: L::Page) -> Result<Option<L::Page>> {
        let Some(pass) = &mut self.pass else {
            return Ok(None);
        };
        let extent = page.extent();
        let mut is_new = false;
        page.retain(&mut |date, id| {
            let take = self.cursor.take(date, id);
            is_new |= take;
            take
        });
        pass.taken += 1;
        pass.delivered |= is_new;
        if self.cursor.is_out_of_order() {
            let operation = L::OPERATION;
            return Err(Error::Changed { operation });
        }
        if self.cursor.reads_single_pages() {
            if extent.len == 0 || extent.is_last(1) {
                self.end_pass();
            } else {
                self.restart()?;
            }
        }
        let is_first = !std::mem::replace(&mut self.has_started, true);
        Ok((is_new || is_first).then_some(page))
    }
}
