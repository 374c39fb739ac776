//! Streams over numbered pages: every record that stands throughout comes exactly once, whatever else changes
//! meanwhile.
//!
//! A numbered page shows the list as it is when that page is read. When an earlier record is deleted between
//! two pages, the first record of the next page moves to a page that was read already. So a page is used only
//! if it shows the same snapshot as the first page of its pass. Otherwise it is dropped, and another pass
//! reads what is left, which a [`Cursor`] knows.
//!
//! What a list is and how its pages are fetched is not known here.

mod by_date;
mod by_id;

use futures_core::Stream;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};

pub(crate) use by_date::{DateCursor, Direction};
pub(crate) use by_id::SeenIds;

use crate::error::{Error, Result};
use crate::prefetch::Extent;

/// What tells whether two pages show the same list.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// The state that the service names; `None` from one that names none.
    pub(crate) state: Option<String>,
    /// How many records match, where the service says so.
    pub(crate) count: Option<i32>,
}

/// A page of a numbered list.
pub(crate) trait NumberedPage: Send + 'static {
    /// How much it holds.
    fn extent(&self) -> Extent;

    /// What it shows.
    fn snapshot(&self) -> Snapshot;

    /// Keeps the records that `keep` says, asked in order with the date of each, in microseconds since 1970,
    /// and its id. Lists without dates give 0.
    fn retain(&mut self, keep: &mut dyn FnMut(i64, i32) -> bool);
}

/// A list that is asked for by page number.
pub(crate) trait NumberedList: Send + 'static {
    /// Its pages.
    type Page: NumberedPage;

    /// The `operationId`, for errors.
    const OPERATION: &'static str;

    /// Pages 1, 2, 3 … of what `cursor` leaves, up to `ahead` of them fetched at a time; `None` when nothing
    /// can be left.
    fn pass(&self, cursor: &Cursor, ahead: usize)
    -> Option<BoxStream<'static, Result<Self::Page>>>;
}

/// Which records were given out, and so what another pass has to read.
#[derive(Debug)]
pub(crate) enum Cursor {
    /// In the order of dates: the last date given out. Another pass begins there, so each comes further.
    ByDate(DateCursor),
    /// In any other order: every id given out. Another pass begins with the first page.
    ById(SeenIds),
}

/// The list changed, and the records that are left cannot be told from those that were given out.
#[derive(Debug)]
struct Lost;

impl Cursor {
    /// Whether this record has not been given out, from now on it has.
    fn take(&mut self, date: i64, id: i32) -> bool {
        match self {
            Self::ByDate(cursor) => cursor.take(date, id),
            Self::ById(seen) => seen.take(id),
        }
    }

    /// Prepares another pass, after one that took so many pages and gave out new records or did not.
    fn restart(&mut self, pages: usize, delivered: bool) -> Result<(), Lost> {
        match self {
            Self::ByDate(cursor) => cursor.restart(delivered),
            Self::ById(seen) => seen.restart(pages),
        }
    }

    /// After a whole pass: whether there is more to read.
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
    /// What the first page showed.
    first: Option<Snapshot>,
    taken: usize,
    delivered: bool,
}

impl<P: NumberedPage> Pass<P> {
    /// Whether a page shows what the first one did.
    fn fits(&mut self, page: &P) -> bool {
        let mut snapshot = page.snapshot();
        let Some(first) = &self.first else {
            self.first = Some(snapshot);
            return true;
        };
        if snapshot.count == i32::try_from(page.extent().len).ok() {
            // A service that counts the page instead of the whole: no total of a list with pages before this
            // one.
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
    /// Pages fetched at a time: what the caller allows, and less while the list changes from page to page.
    ahead: usize,
    most_ahead: usize,
    begun: bool,
    ended: bool,
}

/// The pages of a list, without records that earlier ones held. The first comes even if it is empty.
pub(crate) fn pages<L: NumberedList>(
    list: L,
    cursor: Cursor,
    ahead: usize,
) -> impl Stream<Item = Result<L::Page>> + Send + 'static {
    let reader = Reader {
        list,
        cursor,
        pass: None,
        ahead: ahead.max(1),
        most_ahead: ahead.max(1),
        begun: false,
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
            if !pass.fits(&page) {
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
        self.pass = self.list.pass(&self.cursor, self.ahead).map(|pages| Pass {
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
        // What is fetched ahead is dropped with the page that does not fit.
        self.ahead = match pass.taken {
            0 | 1 => (self.ahead / 2).max(1),
            _ => (self.ahead * 2).min(self.most_ahead),
        };
        let operation = L::OPERATION;
        self.cursor
            .restart(pass.taken, pass.delivered)
            .map_err(|Lost| Error::Changed { operation })
    }

    /// What a page has that was not given out.
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
        let is_first = !std::mem::replace(&mut self.begun, true);
        Ok((is_new || is_first).then_some(page))
    }
}
