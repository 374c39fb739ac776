//! What answers on their way to clients hold of the memory: counted over all of them, and bounded for each
//! list of v1.
//!
//! A page of values is bounded by the number of its values, whose texts have a length. A record of v1 has
//! texts of any length, so that 10,000 of them may come to gigabytes. A list of them holds what its page
//! usually comes to, and then its reader waits for the client. It could as well write the rest to a file; but
//! then what a plant reports would lie in one that nobody watches over, on a disk that may be full, or in
//! memory after all. A reader that waits is one fewer for others, and keeps its snapshot: so it waits no
//! longer than a request may take, and only some at a time may wait for clients that hardly take anything.
//!
//! Nothing here knows what a piece is or who takes it: that is [`super::body_sender`].

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::config::Limits;
use obeya_store::readers_for_long_work;

/// Memory is counted in units of this many bytes.
const UNIT: usize = 1 << 10;
/// What the lists of v1 may hold of the memory, over all requests: eight of the largest pages with records of
/// usual length.
const LISTS_BYTES: usize = 128 << 20;
/// What one of them may hold at most …
const MOST_BYTES: usize = 16 << 20;
/// … and at least: a piece, as it is read in one go.
const LEAST_BYTES: usize = 2 << 20;
/// What a record usually takes, roughly.
const RECORD_BYTES: usize = 1_600;
/// How long a client may take nothing while the turns of the slow ones are out.
const BRIEF: Duration = Duration::from_secs(1);

/// What answers on their way to clients may hold of the memory.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    /// For pages of values.
    pub(crate) pages: PageBudget,
    /// For lists of v1.
    pub(crate) lists: ListBudget,
}

impl MemoryBudget {
    /// Under these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            pages: PageBudget::default(),
            lists: ListBudget::new(limits),
        }
    }

    /// Bytes of answers that lie in memory until their clients take them.
    pub(crate) fn held_bytes(&self) -> usize {
        self.pages.held() + self.lists.held()
    }
}

/// The bytes that some answers hold.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldBytes(Arc<AtomicUsize>);

impl HeldBytes {
    /// How many there are now.
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Rows whose pieces may lie in memory at one time, over all requests: 64 of the largest pages.
const ROWS_IN_MEMORY: usize = 640_000;

/// The room for pages on their way to clients, counted in rows.
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
    /// Waits for room for so many rows. The request's own deadline bounds the wait.
    pub(crate) async fn take(&self, rows: u32) -> Result<Reservation, Problem> {
        let room = Arc::clone(&self.rows).acquire_many_owned(rows).await;
        let room = room.map_err(Problem::unavailable)?;
        Ok(Reservation::of_any_size(room, &self.held))
    }

    /// Bytes that lie in it.
    pub(crate) fn held(&self) -> usize {
        self.held.bytes()
    }

    /// Rows that are reserved now.
    #[cfg(test)]
    pub(super) fn used_rows(&self) -> usize {
        ROWS_IN_MEMORY - self.rows.available_permits()
    }
}

/// What the lists of v1 share.
#[derive(Debug)]
pub(crate) struct ListBudget {
    room: Arc<Semaphore>,
    held: HeldBytes,
    /// Turns to wait for clients that hardly take anything: half of the readers for long work, so that the
    /// other half goes on.
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
    /// Under these limits.
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

    /// Waits for the room of a list of so many records. The request's own deadline bounds the wait.
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

    /// Bytes that they hold.
    pub(crate) fn held(&self) -> usize {
        self.held.bytes()
    }
}

/// What one answer holds, and may hold.
#[derive(Debug)]
pub(crate) struct Reservation {
    _room: OwnedSemaphorePermit,
    held: usize,
    all: HeldBytes,
    /// `None`: as much as there is.
    bound: Option<Bound>,
}

/// How much may be held before the reader waits, and how long it waits.
#[derive(Debug)]
struct Bound {
    bytes: usize,
    /// What is left of the time to wait, over all pieces.
    patience: Duration,
    /// The longest that nothing may be taken without a turn to wait.
    brief: Duration,
    /// How long the reader has waited since something was taken.
    stalled: Duration,
    /// Whether something was taken since the reader began to wait.
    was_taken: bool,
    slow: Arc<Semaphore>,
    turn: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// Of an answer that is bounded by what it is of, in its part of a room.
    pub(super) fn of_any_size(room: OwnedSemaphorePermit, all: &HeldBytes) -> Self {
        Self {
            _room: room,
            held: 0,
            all: all.clone(),
            bound: None,
        }
    }

    /// Whether so many bytes more may be held. A piece that is larger than all there may be is held alone.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        let is_within = |bound: &Bound| self.held.saturating_add(bytes) <= bound.bytes;
        self.held == 0 || self.bound.as_ref().is_none_or(is_within)
    }

    /// How long the reader may wait now for something to be taken; `None` when it has waited long enough.
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

    /// The reader has waited.
    pub(super) fn waited(&mut self, time: Duration) {
        if let Some(bound) = &mut self.bound {
            bound.patience = bound.patience.saturating_sub(time);
            if !bound.was_taken {
                bound.stalled = bound.stalled.saturating_add(time);
            }
        }
    }

    /// The reader has nothing more to wait for.
    pub(super) fn is_read(&mut self) {
        if let Some(bound) = &mut self.bound {
            bound.turn = None;
        }
    }

    /// So many bytes are held from now on.
    pub(super) fn add(&mut self, bytes: usize) {
        self.held += bytes;
        self.all.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes were taken.
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
    /// Four of them are what a short list may hold.
    const PIECE: usize = LEAST_BYTES / 4;
    const PIECES: usize = 40;

    /// Lists whose readers have so much time and so many turns, and none without one.
    fn lists(patience: Duration, slow: usize) -> ListBudget {
        ListBudget {
            slow: Arc::new(Semaphore::new(slow)),
            patience,
            brief: Duration::ZERO,
            ..ListBudget::default()
        }
    }

    /// A reader with more to give than may be held. Gives the number of pieces that were wanted.
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

    /// Nothing is held, no room is taken and every turn is back.
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
