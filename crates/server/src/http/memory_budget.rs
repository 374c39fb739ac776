//! The memory budget for answers that wait for their clients: counted over all of them, and bounded for each
//! list of v1.
//!
//! A page of values is bounded by the number of its values, whose texts have a maximum length. The texts of a
//! v1 record may have any length, so 10,000 records may need gigabytes. A list of them may buffer the usual
//! size of its page; then its reader waits for the client (backpressure). Writing the rest to a temporary
//! file instead would leave the plant's data unprotected, on a disk that may be full, or in memory after all.
//! A waiting reader is one fewer for other requests, and its snapshot stays open. So it waits no longer than
//! a request may take, and only a few may wait at a time for clients that hardly take anything.
//!
//! This module knows neither pieces nor clients: see [`super::body_sender`].

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::config::Limits;
use obeya_store::readers_for_long_work;

/// Memory is counted in units of this many bytes.
const UNIT: usize = 1 << 10;
/// The memory of all lists of v1 together: eight of the largest pages with records of usual length.
const LISTS_BYTES: usize = 128 << 20;
/// The most memory of one list …
const MOST_BYTES: usize = 16 << 20;
/// … and the least: one batch.
const LEAST_BYTES: usize = 2 << 20;
/// The usual size of a record.
const RECORD_BYTES: usize = 1_600;
/// How long a client without a permit for slow clients may take nothing.
const BRIEF: Duration = Duration::from_secs(1);

/// The memory budget for answers that wait for their clients.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    /// For pages of values.
    pub(crate) pages: PageBudget,
    /// For lists of v1.
    pub(crate) lists: ListBudget,
}

impl MemoryBudget {
    /// A budget with these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            pages: PageBudget::default(),
            lists: ListBudget::new(limits),
        }
    }

    /// Bytes of answers that are buffered for their clients.
    pub(crate) fn held_bytes(&self) -> usize {
        self.pages.held() + self.lists.held()
    }
}

/// The number of bytes that a group of answers has buffered.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldBytes(Arc<AtomicUsize>);

impl HeldBytes {
    /// The current number.
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Rows that may be buffered at a time, over all requests: 64 of the largest pages.
const ROWS_IN_MEMORY: usize = 640_000;

/// The budget for pages of values, counted in rows.
#[derive(Debug)]
pub(crate) struct PageBudget {
    rows: Arc<Semaphore>,
    held: HeldBytes,
}

impl Default for PageBudget {
    fn default() -> Self {
        Self {
            rows: Arc::new(Semaphore::new(ROWS_IN_MEMORY)),
            held: HeldBytes::default(),
        }
    }
}

impl PageBudget {
    /// Reserves memory for this many rows. The deadline of the request bounds the wait.
    pub(crate) async fn take(&self, rows: u32) -> Result<Reservation, Problem> {
        let room = Arc::clone(&self.rows).acquire_many_owned(rows).await;
        let room = room.map_err(Problem::unavailable)?;
        Ok(Reservation::of_any_size(room, &self.held))
    }

    /// The buffered bytes.
    pub(crate) fn held(&self) -> usize {
        self.held.bytes()
    }

    /// The reserved rows.
    #[cfg(test)]
    pub(super) fn used_rows(&self) -> usize {
        ROWS_IN_MEMORY - self.rows.available_permits()
    }
}

/// The budget for lists of v1.
#[derive(Debug)]
pub(crate) struct ListBudget {
    room: Arc<Semaphore>,
    held: HeldBytes,
    /// Permits to wait for slow clients: half of the readers for long work, so that the other half continues.
    slow: Arc<Semaphore>,
    patience: Duration,
    brief: Duration,
}

impl Default for ListBudget {
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl ListBudget {
    /// A budget with these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        let slow = readers_for_long_work(limits.database_connections) / 2;
        Self {
            room: Arc::new(Semaphore::new(LISTS_BYTES / UNIT)),
            held: HeldBytes::default(),
            slow: Arc::new(Semaphore::new(slow.max(1))),
            patience: limits.request,
            brief: BRIEF,
        }
    }

    /// Reserves memory for a list of this many records. The deadline of the request bounds the wait.
    pub(crate) async fn take(&self, records: u32) -> Result<Reservation, Problem> {
        let usual = (records as usize).saturating_mul(RECORD_BYTES);
        let bytes = usual.clamp(LEAST_BYTES, MOST_BYTES);
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(units).await;
        Ok(Reservation {
            _room: room.map_err(Problem::unavailable)?,
            held: 0,
            all: self.held.clone(),
            bound: Some(Bound {
                bytes,
                patience: self.patience,
                brief: self.brief,
                stalled: Duration::ZERO,
                was_taken: false,
                slow: Arc::clone(&self.slow),
                turn: None,
            }),
        })
    }

    /// The buffered bytes.
    pub(crate) fn held(&self) -> usize {
        self.held.bytes()
    }
}

/// The reservation of one answer, and the bytes that it has buffered.
#[derive(Debug)]
pub(crate) struct Reservation {
    _room: OwnedSemaphorePermit,
    held: usize,
    all: HeldBytes,
    /// `None`: the size of the answer is the only limit.
    bound: Option<Bound>,
}

/// How much may be buffered before the reader waits, and how long it waits.
#[derive(Debug)]
struct Bound {
    bytes: usize,
    /// The remaining time to wait, over all pieces.
    patience: Duration,
    /// The longest time without progress for a client without a permit.
    brief: Duration,
    /// The time that the reader has waited since the client last took a piece.
    stalled: Duration,
    /// Whether the client took a piece since the reader began to wait.
    was_taken: bool,
    slow: Arc<Semaphore>,
    turn: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// The reservation of an answer whose size is bounded by its rows.
    pub(super) fn of_any_size(room: OwnedSemaphorePermit, all: &HeldBytes) -> Self {
        Self {
            _room: room,
            held: 0,
            all: all.clone(),
            bound: None,
        }
    }

    /// Whether this many more bytes may be buffered. A piece larger than the limit is buffered alone.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        let is_within = |bound: &Bound| self.held.saturating_add(bytes) <= bound.bytes;
        self.held == 0 || self.bound.as_ref().is_none_or(is_within)
    }

    /// How long the reader may wait now; `None` if the time is used up.
    pub(super) fn time_to_wait(&mut self) -> Option<Duration> {
        let bound = self.bound.as_mut()?;
        bound.was_taken = false;
        if bound.turn.is_none() {
            bound.turn = Arc::clone(&bound.slow).try_acquire_owned().ok();
        }
        let mut time = bound.patience;
        if bound.turn.is_none() {
            time = time.min(bound.brief.saturating_sub(bound.stalled));
        }
        Some(time).filter(|time| !time.is_zero())
    }

    /// Records that the reader has waited.
    pub(super) fn waited(&mut self, time: Duration) {
        if let Some(bound) = &mut self.bound {
            bound.patience = bound.patience.saturating_sub(time);
            if !bound.was_taken {
                bound.stalled = bound.stalled.saturating_add(time);
            }
        }
    }

    /// The reader is done: releases its permit for slow clients.
    pub(super) fn is_read(&mut self) {
        if let Some(bound) = &mut self.bound {
            bound.turn = None;
        }
    }

    /// Adds buffered bytes.
    pub(super) fn add(&mut self, bytes: usize) {
        self.held += bytes;
        self.all.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes that the client took.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.held -= bytes;
        self.all.0.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(bound) = &mut self.bound {
            bound.stalled = Duration::ZERO;
            bound.was_taken = true;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.held, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{self, JoinHandle};

    use http_body_util::BodyExt as _;

    use super::super::body_sender::{self, BodySender};
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);
    /// Four of them are the limit of a short list.
    const PIECE: usize = LEAST_BYTES / 4;
    const PIECES: usize = 40;

    /// A budget with this time to wait and number of permits, and no wait without a permit.
    fn lists(patience: Duration, slow: usize) -> ListBudget {
        ListBudget {
            slow: Arc::new(Semaphore::new(slow)),
            patience,
            brief: Duration::ZERO,
            ..ListBudget::default()
        }
    }

    /// A reader with more pieces than the limit. Returns the number of pieces that were accepted.
    fn reader(sender: BodySender) -> JoinHandle<usize> {
        thread::spawn(move || {
            let give = |number: &usize| sender.push(vec![u8::try_from(*number).unwrap(); PIECE]);
            let wanted = (0..PIECES).take_while(give).count();
            sender.end(Ok(()));
            wanted
        })
    }

    fn until_full(lists: &ListBudget) {
        while lists.held() < LEAST_BYTES {
            thread::yield_now();
        }
    }

    /// Nothing is buffered or reserved, and every permit is free.
    fn is_free(lists: &ListBudget, slow: usize) -> bool {
        let free = (
            lists.held(),
            lists.room.available_permits(),
            lists.slow.available_permits(),
        );
        free == (0, LISTS_BYTES / UNIT, slow)
    }

    #[tokio::test]
    async fn a_reader_waits_for_its_client_and_no_byte_is_lost() {
        let lists = lists(LONG, 1);
        let (sender, mut stream) = body_sender::channel(lists.take(1).await.unwrap());
        let reader = reader(sender);
        for number in 0..PIECES {
            if number + 4 <= PIECES {
                until_full(&lists);
            }
            assert!(lists.held() <= LEAST_BYTES, "{}", lists.held());
            let piece = stream.frame().await.unwrap().unwrap().into_data().unwrap();
            assert_eq!(piece, vec![u8::try_from(number).unwrap(); PIECE]);
        }
        assert!(stream.frame().await.is_none());
        assert_eq!(reader.join().unwrap(), PIECES);
        drop(stream);
        assert!(is_free(&lists, 1), "{lists:?}");
    }

    #[tokio::test]
    async fn a_client_that_goes_away_ends_the_wait() {
        let lists = lists(LONG, 1);
        let (sender, stream) = body_sender::channel(lists.take(1).await.unwrap());
        let reader = reader(sender);
        until_full(&lists);
        drop(stream);
        assert_eq!(reader.join().unwrap(), 4);
        assert!(is_free(&lists, 1), "{lists:?}");
    }

    #[tokio::test]
    async fn a_client_is_given_up_when_its_time_is_over_or_no_turn_to_be_slow_is_left() {
        for (patience, slow) in [(Duration::ZERO, 1), (LONG, 0)] {
            let lists = lists(patience, slow);
            let (sender, stream) = body_sender::channel(lists.take(1).await.unwrap());
            assert_eq!(reader(sender).join().unwrap(), 4);
            assert!(stream.collect().await.is_err());
            assert!(is_free(&lists, slow), "{lists:?}");
        }
    }

    #[tokio::test]
    async fn a_client_that_takes_something_now_and_then_needs_no_turn() {
        let lists = ListBudget {
            brief: BRIEF,
            ..lists(LONG, 0)
        };
        let mut hold = lists.take(1).await.unwrap();
        hold.add(LEAST_BYTES);
        assert_eq!(hold.time_to_wait(), Some(BRIEF));
        hold.waited(BRIEF / 4);
        assert_eq!(hold.time_to_wait(), Some(BRIEF * 3 / 4));
        hold.remove(PIECE);
        hold.waited(BRIEF * 3 / 4);
        assert_eq!(hold.time_to_wait(), Some(BRIEF));
        hold.waited(BRIEF);
        assert_eq!(hold.time_to_wait(), None);
    }

    #[tokio::test]
    async fn a_piece_larger_than_all_is_held_alone_and_a_large_page_may_hold_more() {
        let lists = ListBudget::default();
        let mut hold = lists.take(1_000).await.unwrap();
        assert!(hold.fits(usize::MAX));
        hold.add(1);
        assert!(hold.fits(LEAST_BYTES - 1) && !hold.fits(LEAST_BYTES));
        let mut hold = lists.take(10_000).await.unwrap();
        hold.add(1);
        assert!(hold.fits(10_000_000) && !hold.fits(MOST_BYTES));
    }
}
