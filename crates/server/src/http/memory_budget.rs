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
const MAX_LIST_BYTES: usize = 16 << 20;
/// … and the least: one batch.
const MIN_LIST_BYTES: usize = 2 << 20;
/// The usual size of a record.
const RECORD_BYTES: usize = 1_600;
/// How long a client without a permit for slow clients may take nothing.
const STALL_LIMIT: Duration = Duration::from_secs(1);

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
    pub(crate) fn buffered_bytes(&self) -> usize {
        self.pages.buffered() + self.lists.buffered()
    }
}

/// The number of bytes that a group of answers has buffered.
#[derive(Debug, Clone, Default)]
pub(super) struct BufferedBytes(Arc<AtomicUsize>);

impl BufferedBytes {
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
    buffered: BufferedBytes,
}

impl Default for PageBudget {
    fn default() -> Self {
        Self {
            rows: Arc::new(Semaphore::new(ROWS_IN_MEMORY)),
            buffered: BufferedBytes::default(),
        }
    }
}

impl PageBudget {
    /// Reserves memory for this many rows. The deadline of the request bounds the wait.
    pub(crate) async fn reserve(&self, rows: u32) -> Result<Reservation, Problem> {
        let permits = Arc::clone(&self.rows).acquire_many_owned(rows).await;
        let permits = permits.map_err(Problem::unavailable)?;
        Ok(Reservation::of_any_size(permits, &self.buffered))
    }

    /// The buffered bytes.
    pub(crate) fn buffered(&self) -> usize {
        self.buffered.bytes()
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
    permits: Arc<Semaphore>,
    buffered: BufferedBytes,
    /// Permits to wait for slow clients: half of the readers for long work, so that the other half continues.
    slow_permits: Arc<Semaphore>,
    wait_left: Duration,
    stall_limit: Duration,
}

impl Default for ListBudget {
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl ListBudget {
    /// A budget with these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        let slow_permits = readers_for_long_work(limits.database_connections) / 2;
        Self {
            permits: Arc::new(Semaphore::new(LISTS_BYTES / UNIT)),
            buffered: BufferedBytes::default(),
            slow_permits: Arc::new(Semaphore::new(slow_permits.max(1))),
            wait_left: limits.request,
            stall_limit: STALL_LIMIT,
        }
    }

    /// Reserves memory for a list of this many records. The deadline of the request bounds the wait.
    pub(crate) async fn reserve(&self, records: u32) -> Result<Reservation, Problem> {
        let usual = (records as usize).saturating_mul(RECORD_BYTES);
        let bytes = usual.clamp(MIN_LIST_BYTES, MAX_LIST_BYTES);
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
        let permits = Arc::clone(&self.permits).acquire_many_owned(units).await;
        Ok(Reservation {
            _permits: permits.map_err(Problem::unavailable)?,
            buffered: 0,
            all: self.buffered.clone(),
            limits: Some(WaitLimits {
                bytes,
                wait_left: self.wait_left,
                stall_limit: self.stall_limit,
                stalled: Duration::ZERO,
                made_progress: false,
                slow_permits: Arc::clone(&self.slow_permits),
                permit: None,
            }),
        })
    }

    /// The buffered bytes.
    pub(crate) fn buffered(&self) -> usize {
        self.buffered.bytes()
    }
}

/// The reservation of one answer, and the bytes that it has buffered.
#[derive(Debug)]
pub(crate) struct Reservation {
    _permits: OwnedSemaphorePermit,
    buffered: usize,
    all: BufferedBytes,
    /// `None`: the size of the answer is the only limit.
    limits: Option<WaitLimits>,
}

/// How much may be buffered before the reader waits, and how long it waits.
#[derive(Debug)]
struct WaitLimits {
    bytes: usize,
    /// The remaining time to wait, over all pieces.
    wait_left: Duration,
    /// The longest time without progress for a client without a permit.
    stall_limit: Duration,
    /// The time that the reader has waited since the client last took a piece.
    stalled: Duration,
    /// Whether the client took a piece since the reader began to wait.
    made_progress: bool,
    slow_permits: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// The reservation of an answer whose size is bounded by its rows.
    pub(super) fn of_any_size(permits: OwnedSemaphorePermit, all: &BufferedBytes) -> Self {
        Self {
            _permits: permits,
            buffered: 0,
            all: all.clone(),
            limits: None,
        }
    }

    /// Whether this many more bytes may be buffered. A piece larger than the limit is buffered alone.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        let is_within = |limits: &WaitLimits| self.buffered.saturating_add(bytes) <= limits.bytes;
        self.buffered == 0 || self.limits.as_ref().is_none_or(is_within)
    }

    /// How long the reader may wait now; `None` if the time is used up.
    pub(super) fn time_to_wait(&mut self) -> Option<Duration> {
        let limits = self.limits.as_mut()?;
        limits.made_progress = false;
        if limits.permit.is_none() {
            limits.permit = Arc::clone(&limits.slow_permits).try_acquire_owned().ok();
        }
        let mut time = limits.wait_left;
        if limits.permit.is_none() {
            time = time.min(limits.stall_limit.saturating_sub(limits.stalled));
        }
        Some(time).filter(|time| !time.is_zero())
    }

    /// Records that the reader has waited.
    pub(super) fn add_wait(&mut self, time: Duration) {
        if let Some(limits) = &mut self.limits {
            limits.wait_left = limits.wait_left.saturating_sub(time);
            if !limits.made_progress {
                limits.stalled = limits.stalled.saturating_add(time);
            }
        }
    }

    /// The reader is done: releases its permit for slow clients.
    pub(super) fn finish_reading(&mut self) {
        if let Some(limits) = &mut self.limits {
            limits.permit = None;
        }
    }

    /// Adds buffered bytes.
    pub(super) fn add(&mut self, bytes: usize) {
        self.buffered += bytes;
        self.all.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes that the client took.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.buffered -= bytes;
        self.all.0.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(limits) = &mut self.limits {
            limits.stalled = Duration::ZERO;
            limits.made_progress = true;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.buffered, Ordering::Relaxed);
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
    const PIECE: usize = MIN_LIST_BYTES / 4;
    const PIECES: usize = 40;

    /// A budget with this time to wait and number of permits, and no wait without a permit.
    fn lists(wait_left: Duration, slow_permits: usize) -> ListBudget {
        ListBudget {
            slow_permits: Arc::new(Semaphore::new(slow_permits)),
            wait_left,
            stall_limit: Duration::ZERO,
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
        while lists.buffered() < MIN_LIST_BYTES {
            thread::yield_now();
        }
    }

    /// Nothing is buffered or reserved, and every permit is free.
    fn is_free(lists: &ListBudget, slow_permits: usize) -> bool {
        let free = (
            lists.buffered(),
            lists.permits.available_permits(),
            lists.slow_permits.available_permits(),
        );
        free == (0, LISTS_BYTES / UNIT, slow_permits)
    }

    #[tokio::test]
    async fn a_reader_waits_for_its_client_and_no_byte_is_lost() {
        let lists = lists(LONG, 1);
        let (sender, mut stream) = body_sender::channel(lists.reserve(1).await.unwrap());
        let reader = reader(sender);
        for number in 0..PIECES {
            if number + 4 <= PIECES {
                until_full(&lists);
            }
            assert!(lists.buffered() <= MIN_LIST_BYTES, "{}", lists.buffered());
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
        let (sender, stream) = body_sender::channel(lists.reserve(1).await.unwrap());
        let reader = reader(sender);
        until_full(&lists);
        drop(stream);
        assert_eq!(reader.join().unwrap(), 4);
        assert!(is_free(&lists, 1), "{lists:?}");
    }

    #[tokio::test]
    async fn a_client_is_given_up_when_its_time_is_over_or_no_turn_to_be_slow_is_left() {
        for (wait_left, slow_permits) in [(Duration::ZERO, 1), (LONG, 0)] {
            let lists = lists(wait_left, slow_permits);
            let (sender, stream) = body_sender::channel(lists.reserve(1).await.unwrap());
            assert_eq!(reader(sender).join().unwrap(), 4);
            assert!(stream.collect().await.is_err());
            assert!(is_free(&lists, slow_permits), "{lists:?}");
        }
    }

    #[tokio::test]
    async fn a_client_that_takes_something_now_and_then_needs_no_turn() {
        let lists = ListBudget {
            stall_limit: STALL_LIMIT,
            ..lists(LONG, 0)
        };
        let mut reservation = lists.reserve(1).await.unwrap();
        reservation.add(MIN_LIST_BYTES);
        assert_eq!(reservation.time_to_wait(), Some(STALL_LIMIT));
        reservation.add_wait(STALL_LIMIT / 4);
        assert_eq!(reservation.time_to_wait(), Some(STALL_LIMIT * 3 / 4));
        reservation.remove(PIECE);
        reservation.add_wait(STALL_LIMIT * 3 / 4);
        assert_eq!(reservation.time_to_wait(), Some(STALL_LIMIT));
        reservation.add_wait(STALL_LIMIT);
        assert_eq!(reservation.time_to_wait(), None);
    }

    #[tokio::test]
    async fn a_piece_larger_than_all_is_held_alone_and_a_large_page_may_hold_more() {
        let lists = ListBudget::default();
        let mut reservation = lists.reserve(1_000).await.unwrap();
        assert!(reservation.fits(usize::MAX));
        reservation.add(1);
        assert!(reservation.fits(MIN_LIST_BYTES - 1) && !reservation.fits(MIN_LIST_BYTES));
        let mut reservation = lists.reserve(10_000).await.unwrap();
        reservation.add(1);
        assert!(reservation.fits(10_000_000) && !reservation.fits(MAX_LIST_BYTES));
    }
}
