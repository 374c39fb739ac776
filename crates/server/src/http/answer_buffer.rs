//! How much of an answer that is sent while it is read may be buffered, and how long its reader waits for the
//! client (backpressure).
//!
//! The texts of a v1 record may have any length, so 10,000 records may need gigabytes. A list of them may
//! buffer the usual size of its page; then its reader waits for the client. It also waits once the memory
//! budget is used up. Writing the rest to a temporary file instead would leave the plant's data unprotected,
//! on a disk that may be full, or in memory after all. A waiting reader is one fewer for other requests, and
//! its snapshot stays open. So it waits no longer than a request may take for a client that takes nothing,
//! and longer only for one that takes its answer at a minimum rate. Only a few may wait at a time for clients
//! that hardly take anything, and clients share these places.
//!
//! This module knows neither pieces nor clients: see [`super::body_sender`].

use std::sync::Arc;
use std::time::Duration;

use obeya_store::{Client, ClientLimits, FairPermit, FairQueue, readers_for_long_work};

use super::memory_budget::{OutOfMemory, Reservation};
use super::wait_allowance::WaitAllowance;
use crate::config::Limits;

/// The most memory of one answer …
const MAX_BYTES: usize = 16 << 20;
/// … and the least limit: one batch of records.
const MIN_BYTES: usize = 2 << 20;
/// The usual size of a record; a value is smaller.
const RECORD_BYTES: usize = 1_600;
/// Bytes per second that a client must take so that its reader goes on waiting: less than half of what a slow
/// mobile network carries.
const MIN_RATE: u32 = 4 << 10;
/// How long a client without a permit for slow clients may take nothing. It takes parts of 64 KiB, so one
/// below about 65 kB/s counts as one that takes nothing.
const STALL_LIMIT: Duration = Duration::from_secs(1);

/// How readers wait for their clients. Clones share the permits for slow ones.
#[derive(Debug, Clone)]
pub(crate) struct SlowClients {
    /// Permits to wait for slow clients: half of the readers for long work, so that the other half continues.
    permits: Arc<FairQueue>,
    /// How long one reader may wait.
    allowance: WaitAllowance,
    stall_limit: Duration,
}

impl SlowClients {
    /// With these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        let permits = readers_for_long_work(limits.database_connections) / 2;
        Self {
            permits: shared(permits.max(1), limits.client_share),
            allowance: WaitAllowance::new(limits.request, MIN_RATE),
            stall_limit: STALL_LIMIT,
        }
    }
}

/// So many permits, of which a client may hold this percentage while others want some. A reader takes one at
/// once or goes on without it.
fn shared(permits: usize, share_percent: u8) -> Arc<FairQueue> {
    let limits = ClientLimits {
        most: permits,
        share_percent,
        parallel: None,
        wait: Duration::ZERO,
    };
    Arc::new(FairQueue::new(permits, limits))
}

/// The longest pause of a reader between two statements: until the slowest client that is waited for has
/// taken all that may be buffered, if the next piece needs all of it.
pub(crate) fn longest_pause(limits: &Limits) -> Duration {
    limits.request + Duration::from_secs(MAX_BYTES as u64 / u64::from(MIN_RATE))
}

/// The buffer of one answer: how many bytes it has, and how long its reader still may wait.
#[derive(Debug)]
pub(crate) struct AnswerBuffer {
    reservation: Reservation,
    limit: usize,
    client: Client,
    slow_clients: SlowClients,
    /// How long the client may still make the service wait, over all pieces.
    allowance: WaitAllowance,
    /// The time that the reader has waited since the client last took a piece.
    stalled: Duration,
    /// Whether the client took a piece since the reader began to wait.
    made_progress: bool,
    permit: Option<FairPermit>,
    /// Whether a piece was ever added.
    has_begun: bool,
}

/// Why a piece was not added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// The client must first take what is buffered.
    Wait,
    /// There is no memory for the first piece.
    Refused(OutOfMemory),
}

impl AnswerBuffer {
    /// An empty buffer for an answer of this many rows to a client.
    pub(crate) fn new(
        reservation: Reservation,
        rows: u32,
        client: &Arc<str>,
        slow_clients: &SlowClients,
    ) -> Self {
        let usual = (rows as usize).saturating_mul(RECORD_BYTES);
        Self {
            reservation,
            limit: usual.clamp(MIN_BYTES, MAX_BYTES),
            client: Some(Arc::clone(client)),
            slow_clients: slow_clients.clone(),
            allowance: slow_clients.allowance.clone(),
            stalled: Duration::ZERO,
            made_progress: false,
            permit: None,
            has_begun: false,
        }
    }

    /// Adds a piece if there is memory for it. A piece larger than the limit is buffered alone.
    pub(super) fn add(&mut self, bytes: usize) -> Result<(), Full> {
        let buffered = self.reservation.bytes();
        if buffered > 0 && buffered.saturating_add(bytes) > self.limit {
            return Err(Full::Wait);
        }
        match self.reservation.try_add(bytes) {
            Ok(()) => {}
            Err(error) if !self.has_begun => return Err(Full::Refused(error)),
            Err(_) if buffered > 0 => return Err(Full::Wait),
            // The piece is in memory already, and the client has taken everything before it.
            Err(_) => self.reservation.add(bytes),
        }
        self.has_begun = true;
        Ok(())
    }

    /// How long the reader may wait now; `None` if the time is used up.
    pub(super) fn time_to_wait(&mut self) -> Option<Duration> {
        self.made_progress = false;
        if self.permit.is_none() {
            self.permit = self.slow_clients.permits.try_acquire(&self.client);
        }
        let mut time = self.allowance.left();
        if self.permit.is_none() {
            let stall_limit = self.slow_clients.stall_limit;
            time = time.min(stall_limit.saturating_sub(self.stalled));
        }
        Some(time).filter(|time| !time.is_zero())
    }

    /// How long the client may still take for the rest, when everything is read.
    pub(super) fn time_left(&self) -> Duration {
        self.allowance.left()
    }

    /// Records that the reader has waited.
    pub(super) fn add_wait(&mut self, time: Duration) {
        self.allowance.spend(time);
        if !self.made_progress {
            self.stalled = self.stalled.saturating_add(time);
        }
    }

    /// The reader is done: releases its permit for slow clients.
    pub(super) fn finish_reading(&mut self) {
        self.permit = None;
    }

    /// Removes bytes that are no longer in memory.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.reservation.remove(bytes);
    }

    /// The client has taken bytes. They may still be in memory, as part of a larger piece.
    pub(super) fn add_progress(&mut self, bytes: usize) {
        self.allowance.earn(bytes);
        self.stalled = Duration::ZERO;
        self.made_progress = true;
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{self, JoinHandle};

    use http_body_util::BodyExt as _;

    use super::super::body_sender::{self, BodySender};
    use super::super::memory_budget::MemoryBudget;
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);
    /// Four of them are the limit of a short list.
    const PIECE: usize = MIN_BYTES / 4;
    const PIECES: usize = 40;

    struct Lists {
        memory: MemoryBudget,
        slow_clients: SlowClients,
    }

    /// With this time to wait and number of permits, and no wait without a permit.
    fn lists(wait: Duration, slow_permits: usize) -> Lists {
        Lists {
            memory: MemoryBudget::new(&Limits::default()),
            slow_clients: SlowClients {
                permits: shared(slow_permits, 100),
                allowance: WaitAllowance::new(wait, MIN_RATE),
                stall_limit: Duration::ZERO,
            },
        }
    }

    impl Lists {
        fn buffer(&self, rows: u32) -> AnswerBuffer {
            AnswerBuffer::new(
                self.memory.answer_to("one"),
                rows,
                &"one".into(),
                &self.slow_clients,
            )
        }

        fn buffered(&self) -> usize {
            self.memory.observed().answers
        }

        fn until_full(&self) {
            while self.buffered() < MIN_BYTES {
                thread::yield_now();
            }
        }

        /// Nothing is buffered, and every permit is free.
        fn is_free(&self, slow_permits: usize) -> bool {
            let permits = &self.slow_clients.permits;
            let free: Vec<_> = std::iter::from_fn(|| permits.try_acquire(&None)).collect();
            (self.buffered(), free.len()) == (0, slow_permits)
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

    #[tokio::test]
    async fn a_reader_waits_for_its_client_and_no_byte_is_lost() {
        let lists = lists(LONG, 1);
        let (sender, mut stream) = body_sender::channel(lists.buffer(1));
        let reader = reader(sender);
        for number in 0..PIECES {
            if number + 4 <= PIECES {
                lists.until_full();
            }
            assert!(lists.buffered() <= MIN_BYTES, "{}", lists.buffered());
            let mut piece = Vec::new();
            while piece.len() < PIECE {
                let part = stream.frame().await.unwrap().unwrap();
                piece.extend_from_slice(&part.into_data().unwrap());
            }
            assert_eq!(piece, vec![u8::try_from(number).unwrap(); PIECE]);
        }
        assert!(stream.frame().await.is_none());
        assert_eq!(reader.join().unwrap(), PIECES);
        drop(stream);
        assert!(lists.is_free(1));
    }

    #[tokio::test]
    async fn a_client_that_goes_away_ends_the_wait() {
        let lists = lists(LONG, 1);
        let (sender, stream) = body_sender::channel(lists.buffer(1));
        let reader = reader(sender);
        lists.until_full();
        drop(stream);
        assert_eq!(reader.join().unwrap(), 4);
        assert!(lists.is_free(1));
    }

    #[tokio::test]
    async fn a_client_is_given_up_when_its_time_is_over_or_no_turn_to_be_slow_is_left() {
        for (wait_left, slow_permits) in [(Duration::ZERO, 1), (LONG, 0)] {
            let lists = lists(wait_left, slow_permits);
            let (sender, stream) = body_sender::channel(lists.buffer(1));
            assert_eq!(reader(sender).join().unwrap(), 4);
            assert!(stream.collect().await.is_err());
            assert!(lists.is_free(slow_permits));
        }
    }

    #[test]
    fn a_client_that_takes_something_now_and_then_needs_no_turn() {
        let mut lists = lists(LONG, 0);
        lists.slow_clients.stall_limit = STALL_LIMIT;
        let mut buffer = lists.buffer(1);
        buffer.add(MIN_BYTES).expect("memory");
        assert_eq!(buffer.time_to_wait(), Some(STALL_LIMIT));
        buffer.add_wait(STALL_LIMIT / 4);
        assert_eq!(buffer.time_to_wait(), Some(STALL_LIMIT * 3 / 4));
        buffer.add_progress(PIECE);
        buffer.add_wait(STALL_LIMIT * 3 / 4);
        assert_eq!(buffer.time_to_wait(), Some(STALL_LIMIT));
        buffer.add_wait(STALL_LIMIT);
        assert_eq!(buffer.time_to_wait(), None);
    }

    /// A mobile network takes 10 kB in a second, in steps.
    #[test]
    fn a_reader_waits_as_long_as_its_client_takes_enough() {
        let lists = lists(Duration::from_secs(30), 1);
        let mut buffer = lists.buffer(10_000);
        let step = Duration::from_secs(6);
        let mut waits = |bytes: usize| {
            (0..1_000)
                .take_while(|_| {
                    let is_waited_for = buffer.time_to_wait().is_some();
                    buffer.add_progress(bytes);
                    buffer.add_wait(step);
                    is_waited_for
                })
                .count()
        };
        assert_eq!(waits(60_000), 1_000);
        // 2 of 6 seconds each, of the 24 seconds that were left.
        assert_eq!(waits(4 * 4096), 12);
    }

    #[test]
    fn a_client_has_half_of_the_turns_to_be_slow() {
        let limits = Limits::default();
        let (memory, slow_clients) = (MemoryBudget::new(&limits), SlowClients::new(&limits));
        let waits = |client: &'static str, count: usize| {
            let buffers = (0..count).filter_map(|_| {
                let reservation = memory.answer_to(client);
                let mut buffer = AnswerBuffer::new(reservation, 1, &client.into(), &slow_clients);
                let time = buffer.time_to_wait();
                let is_long = time == Some(limits.request);
                assert!(is_long || time == Some(STALL_LIMIT));
                is_long.then_some(buffer)
            });
            buffers.collect::<Vec<_>>()
        };
        // Of 12 readers for long work, 6 may wait. Alone, a client leaves one of them free.
        let one = waits("one", 100);
        assert_eq!(one.len(), 5);
        let other = waits("other", 100);
        assert_eq!(other.len(), 1);
        drop(one);
        let one = waits("one", 100);
        assert_eq!(one.len(), 3);
        assert_eq!(waits("other", 100).len(), 2);
    }

    #[test]
    fn a_piece_larger_than_all_is_held_alone_and_a_large_page_may_hold_more() {
        let lists = lists(LONG, 0);
        let mut buffer = lists.buffer(1_000);
        buffer.add(MAX_BYTES * 2).expect("memory");
        assert_eq!(buffer.add(1), Err(Full::Wait));
        buffer.remove(MAX_BYTES * 2);
        buffer.add(MIN_BYTES).expect("memory");
        assert_eq!(buffer.add(1), Err(Full::Wait));
        let mut buffer = lists.buffer(10_000);
        for _ in 0..15 {
            buffer.add(1_000_000).expect("memory");
        }
        assert_eq!(buffer.add(MAX_BYTES - 14_999_999), Err(Full::Wait));
    }

    /// The budget is used up by another answer of the same client.
    #[test]
    fn without_memory_an_answer_does_not_begin_and_one_that_has_begun_waits_for_its_client() {
        let lists = lists(LONG, 0);
        let mut begun = lists.buffer(1);
        begun.add(PIECE).expect("memory");
        let limit = lists.memory.observed().limit;
        let mut other = lists.memory.answer_to("one");
        while other.try_add(PIECE / 2).is_ok() {}
        assert!(lists.buffered() <= limit / 2);
        assert_eq!(begun.add(PIECE), Err(Full::Wait));
        assert_eq!(lists.buffer(1).add(PIECE), Err(Full::Refused(OutOfMemory)));
        begun.remove(PIECE);
        assert_eq!(begun.add(PIECE * 2), Ok(()));
        let (sender, stream) = body_sender::channel(lists.buffer(1));
        assert!(!sender.push(vec![0; PIECE]));
        drop(stream);
        drop(other);
        assert_eq!(lists.buffer(1).add(PIECE), Ok(()));
    }
}
