//! Streams over numbered pages that yield every record that exists throughout exactly once, whatever changes
//! meanwhile.
//!
//! Each numbered page is a snapshot of its own. If a record is deleted between two requests, the first record
//! of the next page moves to a page that was already read. So a page is used only if it shows the same
//! snapshot as the first page of its pass. Otherwise it is dropped, and another pass reads the remaining
//! records after the [`Cursor`].
//!
//! Deletions and insertions that leave the number of records as it is show in the state of values. Lists
//! without a state have a [version](NumberedList::version) instead: the number of records and the last
//! change. It is compared before and after a pass, and every page must show its number of records. That
//! suffices, as each change is later than all before. If the last change is the same at the end, every record
//! inserted or changed during the pass is gone again; and if the number is the same too, no other record is.
//! So a page with that number has none of those records: it is a page of the list before and after the pass.
//!
//! [`NumberedList`] abstracts from the list and its requests.

mod by_date;
mod by_id;
#[cfg(test)]
mod tests;

use futures_core::Stream;
use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};

pub(crate) use by_date::{DateCursor, Direction, micros};
pub(crate) use by_id::SeenIds;

use crate::error::{Error, Result};
use crate::limit::{Limit, Portion};
use crate::prefetch::{Concurrency, Extent};
use crate::value_position::ValuePosition;

/// Identifies the version of the list that a page shows.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// The state header; `None` if the service sends none.
    pub(crate) state: Option<String>,
    /// How many records match, if the service sends it.
    pub(crate) count: Option<i32>,
}

/// Identifies the records of a list at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// How many there are.
    pub(crate) count: i32,
    /// The record that was inserted or changed last, and when.
    pub(crate) last: String,
}

/// A page of a numbered list.
pub(crate) trait NumberedPage: Send + 'static {
    /// Its size, and that of the list.
    fn extent(&self) -> Extent;

    /// The version of the list it shows.
    fn snapshot(&self) -> Snapshot;

    /// Moves the cursor over the records, in their order, and retains those that are yielded.
    fn retain_new(&mut self, intake: &mut Intake<'_>);
}

/// A list that is requested by page number.
pub(crate) trait NumberedList: Send + 'static {
    /// Its pages.
    type Page: NumberedPage;

    /// The `operationId`, for errors.
    const OPERATION: &'static str;

    /// Whether records can be requested in the order of ids after an id (see [`SeenIds::rest`]).
    const HAS_KEYS: bool;

    /// The largest page to request.
    fn page_size(&self) -> i32;

    /// Its version now; `None` for a list whose pages have a state, or that cannot tell.
    fn version(&self) -> BoxFuture<'static, Result<Option<Version>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Pages 1, 2, 3 … of the records after `cursor`, of the size and as far as the portion says; `None` if
    /// there cannot be any.
    fn pass(
        &self,
        cursor: &Cursor,
        portion: Portion,
        concurrency: Concurrency,
    ) -> Option<BoxStream<'static, Result<Self::Page>>>;
}

/// The records that were yielded, from which the next pass continues.
#[derive(Debug)]
pub(crate) enum Cursor {
    /// In the order of dates: the last date yielded (keyset). The next pass begins there, so each pass makes
    /// progress.
    ByDate(DateCursor),
    /// In any other order: all ids yielded. The next pass begins with the first page, or reads what remains
    /// in the order of ids.
    ById(SeenIds),
}

/// The list changed, and the remaining records cannot be distinguished from those already yielded.
#[derive(Debug)]
struct CursorLost;

impl Cursor {
    /// Marks a record as yielded; returns whether it is new. The date is in microseconds since 1970, or 0 in
    /// lists without dates.
    pub(crate) fn take(&mut self, date: i64, id: i32) -> bool {
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

    /// Where another stream can continue, in the order of dates.
    pub(crate) fn position(&self) -> Option<ValuePosition> {
        match self {
            Self::ByDate(cursor) => cursor.position(),
            Self::ById(_) => None,
        }
    }

    /// Gives up an order without a cursor; returns whether the remaining records are to be read by id now.
    fn read_rest(&mut self) -> bool {
        match self {
            Self::ByDate(_) => false,
            Self::ById(seen) => seen.read_rest(),
        }
    }

    /// Whether a pass over several pages, though consistent, may have lost records.
    fn is_never_complete(&self) -> bool {
        matches!(self, Self::ById(seen) if seen.always_changes())
    }

    /// How many records that were yielded the next pass may show again; `None` if any number.
    fn repeated(&self) -> Option<usize> {
        match self {
            Self::ByDate(cursor) => Some(cursor.repeated()),
            Self::ById(seen) => seen.repeated(),
        }
    }

    fn reads_single_pages(&self) -> bool {
        match self {
            Self::ByDate(cursor) => cursor.reads_single_pages(),
            Self::ById(seen) => seen.rest().is_some(),
        }
    }

    fn is_out_of_order(&self) -> bool {
        match self {
            Self::ByDate(cursor) => cursor.is_out_of_order(),
            Self::ById(seen) => seen.is_out_of_order(),
        }
    }
}

/// Moves a cursor over records up to a limit.
pub(crate) struct Intake<'a> {
    pub(crate) cursor: &'a mut Cursor,
    pub(crate) limit: &'a mut Limit,
}

impl Intake<'_> {
    /// Whether a record is yielded: it is new and within the limit. The arguments are those of
    /// [`Cursor::take`].
    pub(crate) fn take(&mut self, date: i64, id: i32) -> bool {
        // The cursor must not pass a record that is not yielded: another stream may continue there.
        if self.limit.is_reached() || !self.cursor.take(date, id) {
            return false;
        }
        *self.limit = self.limit.after(1);
        true
    }
}

/// Pages of one snapshot.
struct Pass<P> {
    pages: BoxStream<'static, Result<P>>,
    /// The version of the list before the first page.
    version: Option<Version>,
    /// What every page must show: the number of records of the version, or what the first page shows.
    expected: Option<Snapshot>,
    taken: usize,
    delivered: bool,
}

impl<P: NumberedPage> Pass<P> {
    /// Whether a page shows what is expected.
    fn is_consistent(&mut self, page: &P) -> bool {
        let mut snapshot = page.snapshot();
        let Some(expected) = &self.expected else {
            self.expected = Some(snapshot);
            return true;
        };
        if snapshot.count == i32::try_from(page.extent().len).ok() {
            // A service that counts the page instead of the list: not a total to compare.
            snapshot.count = None;
        }
        let same_count = match (expected.count, snapshot.count) {
            (Some(expected), Some(count)) => expected == count,
            _ => true,
        };
        expected.state == snapshot.state && same_count
    }
}

struct Reader<L: NumberedList> {
    list: L,
    cursor: Cursor,
    limit: Limit,
    pass: Option<Pass<L::Page>>,
    /// The caller's limit, or fewer at first while the list changes from page to page.
    concurrency: Concurrency,
    has_started: bool,
    ended: bool,
}

/// The pages of a list up to a limit, without records of earlier pages. The first page is yielded even if it
/// is empty.
pub(crate) fn pages<L: NumberedList>(
    list: L,
    cursor: Cursor,
    limit: Limit,
    prefetch: usize,
) -> impl Stream<Item = Result<L::Page>> + Send + 'static {
    let reader = Reader {
        list,
        cursor,
        limit,
        pass: None,
        concurrency: Concurrency::constant(prefetch),
        has_started: false,
        ended: false,
    };
    stream::try_unfold(reader, Reader::next)
}

impl<L: NumberedList> Reader<L> {
    async fn next(mut self) -> Result<Option<(L::Page, Self)>> {
        while !self.ended {
            let Some(pass) = &mut self.pass else {
                self.begin_pass().await?;
                continue;
            };
            let Some(page) = pass.pages.next().await.transpose()? else {
                self.end_pass().await?;
                continue;
            };
            if !pass.is_consistent(&page) {
                self.restart()?;
                continue;
            }
            if let Some(page) = self.take(page).await? {
                return Ok(Some((page, self)));
            }
        }
        Ok(None)
    }

    async fn begin_pass(&mut self) -> Result<()> {
        let (page_size, repeated) = (self.list.page_size(), self.cursor.repeated());
        let portion = self.limit.portion(page_size, repeated);
        // A single page is a snapshot.
        let version = match self.cursor.reads_single_pages() || portion.is_one_page() {
            true => None,
            false => self.list.version().await?,
        };
        self.pass = self
            .list
            .pass(&self.cursor, portion, self.concurrency)
            .map(|pages| Pass {
                pages,
                expected: version.as_ref().map(|version| Snapshot {
                    state: None,
                    count: Some(version.count),
                }),
                version,
                taken: 0,
                delivered: false,
            });
        self.ended = self.pass.is_none();
        Ok(())
    }

    async fn end_pass(&mut self) -> Result<()> {
        let pass = self.pass.take();
        // A single page is a snapshot.
        if let Some(pass) = pass.filter(|pass| pass.taken > 1)
            && self.may_have_lost_records(pass.version).await?
            && self.cursor.read_rest()
        {
            return Ok(());
        }
        self.ended = !self.cursor.finish();
        Ok(())
    }

    /// Whether records may have moved between the pages of a consistent pass.
    async fn may_have_lost_records(&mut self, version: Option<Version>) -> Result<bool> {
        let changed = version.is_some() && self.list.version().await? != version;
        Ok(L::HAS_KEYS && (changed || self.cursor.is_never_complete()))
    }

    fn restart(&mut self) -> Result<()> {
        let Some(pass) = self.pass.take() else {
            return Ok(());
        };
        self.concurrency = self.concurrency.after(pass.taken);
        let operation = L::OPERATION;
        match self.cursor.restart(pass.taken, pass.delivered) {
            Err(CursorLost) if L::HAS_KEYS && self.cursor.read_rest() => Ok(()),
            done => done.map_err(|CursorLost| Error::Changed { operation }),
        }
    }

    /// The new records of a page, if there are any.
    async fn take(&mut self, mut page: L::Page) -> Result<Option<L::Page>> {
        let Some(pass) = &mut self.pass else {
            return Ok(None);
        };
        let extent = page.extent();
        page.retain_new(&mut Intake {
            cursor: &mut self.cursor,
            limit: &mut self.limit,
        });
        let is_new = page.extent().len > 0;
        pass.taken += 1;
        pass.delivered |= is_new;
        if self.cursor.is_out_of_order() {
            let operation = L::OPERATION;
            return Err(Error::Changed { operation });
        }
        if self.limit.is_reached() {
            // Dropping the pass cancels requests for further pages.
            self.pass = None;
            self.ended = true;
        } else if self.cursor.reads_single_pages() {
            if extent.is_last(1) {
                self.end_pass().await?;
            } else {
                self.restart()?;
            }
        }
        let is_first = !std::mem::replace(&mut self.has_started, true);
        Ok((is_new || is_first).then_some(page))
    }
}
