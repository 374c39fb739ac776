//! The memory budget: one bound over the bodies of requests and the answers that wait for their clients.
//!
//! Bytes are counted as they arrive or are buffered, not as they are announced. Nobody waits for memory: what
//! does not fit is refused with 503 at once, or its reader waits for its own client (see
//! [`super::answer_buffer`]). One client may use its share of the budget, so that it never takes all.
//!
//! Small bodies and answers are not counted: a connection has at most one of each, and the number of
//! connections is bounded. Neither are the rows that a reader is working on, at most a piece for each reader.

use std::convert::Infallible;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use bytes::Bytes;

use super::problem::Problem;
use crate::config::Limits;
use crate::telemetry::MemoryUse;

/// The largest body or answer that is not counted.
pub(crate) const UNCOUNTED_BYTES: usize = 16 << 10;

/// The number of counters for clients. A client counts in the one that the hash of its id selects, so
/// counting needs no lock and no list of clients. Two clients in one counter share a share (as in stochastic
/// fair queueing); the hash differs in each process.
const CLIENT_COUNTERS: usize = 4096;

/// The memory budget. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limit: usize,
    client_limit: usize,
    used: AtomicUsize,
    /// The part of `used` that answers use.
    answers: AtomicUsize,
    clients: Box<[AtomicUsize]>,
    hasher: RandomState,
    refused: AtomicU64,
}

/// The budget is used up, or the client's share of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the memory for request bodies and unsent answers is in use")]
pub(crate) struct OutOfMemory;

impl From<OutOfMemory> for Problem {
    fn from(error: OutOfMemory) -> Self {
        Self::unavailable(error)
    }
}

impl MemoryBudget {
    /// A budget with these limits. A share is enough for the largest body.
    pub(crate) fn new(limits: &Limits) -> Self {
        let share = limits.memory_bytes / 100 * usize::from(limits.client_share.clamp(1, 100));
        // A file is in memory twice while it is taken out of its body.
        let file = limits.attachment_bytes.saturating_mul(2);
        let client_limit = share
            .max(limits.batch_bytes)
            .max(limits.body_bytes)
            .max(file);
        Self {
            shared: Arc::new(Shared {
                limit: limits.memory_bytes.max(client_limit),
                client_limit,
                used: AtomicUsize::new(0),
                answers: AtomicUsize::new(0),
                clients: (0..CLIENT_COUNTERS).map(|_| AtomicUsize::new(0)).collect(),
                hasher: RandomState::new(),
                refused: AtomicU64::new(0),
            }),
        }
    }

    /// No memory yet for an answer to this client.
    pub(crate) fn answer_to(&self, client: &str) -> Reservation {
        self.nothing(client, true)
    }

    /// No memory yet for a body of this client.
    pub(crate) fn body_of(&self, client: &str) -> Reservation {
        self.nothing(client, false)
    }

    fn nothing(&self, client: &str, is_answer: bool) -> Reservation {
        let hash = self.shared.hasher.hash_one(client);
        Reservation {
            shared: Arc::clone(&self.shared),
            client: usize::try_from(hash % CLIENT_COUNTERS as u64).unwrap_or_default(),
            is_answer,
            bytes: 0,
        }
    }

    /// The current use.
    pub(crate) fn observed(&self) -> MemoryUse {
        let answers = self.shared.answers.load(Ordering::Relaxed);
        MemoryUse {
            answers,
            bodies: self
                .shared
                .used
                .load(Ordering::Relaxed)
                .saturating_sub(answers),
            limit: self.shared.limit,
            refused: self.shared.refused.load(Ordering::Relaxed),
        }
    }
}

/// Memory that one body or answer uses; released on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    shared: Arc<Shared>,
    /// The index of the client's counter.
    client: usize,
    is_answer: bool,
    bytes: usize,
}

impl Reservation {
    /// Adds bytes if the budget has them.
    pub(crate) fn try_add(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        let Shared {
            limit,
            client_limit,
            used,
            clients,
            refused,
            ..
        } = &*self.shared;
        let client = &clients[self.client];
        if !add_within(client, bytes, *client_limit) {
            refused.fetch_add(1, Ordering::Relaxed);
            return Err(OutOfMemory);
        }
        if !add_within(used, bytes, *limit) {
            client.fetch_sub(bytes, Ordering::Relaxed);
            refused.fetch_add(1, Ordering::Relaxed);
            return Err(OutOfMemory);
        }
        self.count(bytes);
        Ok(())
    }

    /// Adds bytes that are in memory already and must stay, even beyond the budget.
    pub(super) fn add(&mut self, bytes: usize) {
        self.shared.clients[self.client].fetch_add(bytes, Ordering::Relaxed);
        self.shared.used.fetch_add(bytes, Ordering::Relaxed);
        self.count(bytes);
    }

    fn count(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.is_answer {
            self.shared.answers.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Releases bytes.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.bytes -= bytes;
        if self.is_answer {
            self.shared.answers.fetch_sub(bytes, Ordering::Relaxed);
        }
        self.shared.used.fetch_sub(bytes, Ordering::Relaxed);
        self.shared.clients[self.client].fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The number of its bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A complete answer, counted until its last byte was sent. The reservation may have more bytes than the
    /// answer, or fewer.
    pub(crate) fn of_whole(self, answer: Vec<u8>) -> Result<Bytes, OutOfMemory> {
        self.counted(answer, Self::try_add)
    }

    /// The same for an answer that must be sent, even beyond the budget: it tells of a change that was made.
    pub(crate) fn of_committed(self, answer: Vec<u8>) -> Bytes {
        let Ok(answer) = self.counted(answer, |memory, more| {
            memory.add(more);
            Ok::<_, Infallible>(())
        });
        answer
    }

    fn counted<E>(
        mut self,
        mut answer: Vec<u8>,
        add: impl FnOnce(&mut Self, usize) -> Result<(), E>,
    ) -> Result<Bytes, E> {
        if answer.len() <= UNCOUNTED_BYTES {
            return Ok(answer.into());
        }
        // Spare capacity would be held uncounted.
        answer.shrink_to_fit();
        match answer.len().checked_sub(self.bytes) {
            Some(more) => add(&mut self, more)?,
            None => self.remove(self.bytes - answer.len()),
        }
        Ok(Bytes::from_owner(CountedAnswer {
            answer,
            _reservation: self,
        }))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.remove(self.bytes);
    }
}

/// A complete answer and its memory, as long as anything refers to it.
struct CountedAnswer {
    answer: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for CountedAnswer {
    fn as_ref(&self) -> &[u8] {
        &self.answer
    }
}

/// Adds to a counter unless that exceeds the limit.
fn add_within(counter: &AtomicUsize, bytes: usize, limit: usize) -> bool {
    let sum = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= limit);
    counter
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum)
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 KiB, of which a client has half.
    fn budget() -> MemoryBudget {
        MemoryBudget::new(&Limits {
            memory_bytes: 100 << 10,
            body_bytes: 1,
            batch_bytes: 1,
            attachment_bytes: 1,
            ..Limits::default()
        })
    }

    /// Two clients that count in different counters.
    fn two(budget: &MemoryBudget) -> (Reservation, Reservation) {
        let one = budget.answer_to("one");
        let mut others = (0..).map(|number| budget.answer_to(&format!("other-{number}")));
        let other = others.find(|other| other.client != one.client);
        let other = other.expect("a free counter");
        (one, other)
    }

    #[test]
    fn a_client_has_its_share_and_all_together_the_limit() {
        let budget = budget();
        let (mut one, mut other) = two(&budget);
        assert_eq!(one.try_add(50 << 10), Ok(()));
        assert_eq!(one.try_add(1), Err(OutOfMemory));
        let mut body = budget.body_of("one");
        assert_eq!(body.try_add(1), Err(OutOfMemory));
        assert_eq!(other.try_add(40 << 10), Ok(()));
        other.add(20 << 10);
        let expected = MemoryUse {
            answers: 110 << 10,
            bodies: 0,
            limit: 100 << 10,
            refused: 2,
        };
        assert_eq!(budget.observed(), expected);
        one.remove(1 << 10);
        assert_eq!(one.try_add(1), Err(OutOfMemory), "the others use it all");
        drop(other);
        assert_eq!(body.try_add(1 << 10), Ok(()));
        assert_eq!(budget.observed().bodies, 1 << 10);
        drop((one, body));
        assert_eq!(
            (budget.observed().answers, budget.observed().bodies),
            (0, 0)
        );
    }

    #[test]
    fn what_is_refused_by_all_together_is_not_counted_for_the_client() {
        let budget = budget();
        let (mut one, mut other) = two(&budget);
        other.add(80 << 10);
        assert_eq!(one.try_add(21 << 10), Err(OutOfMemory));
        assert_eq!(one.try_add(20 << 10), Ok(()));
    }

    #[test]
    fn a_whole_answer_is_counted_as_long_as_anything_refers_to_it() {
        let budget = budget();
        let small = budget.answer_to("one").of_whole(vec![7; UNCOUNTED_BYTES]);
        assert_eq!(small.expect("memory").len(), UNCOUNTED_BYTES);
        assert_eq!(budget.observed().answers, 0);
        let mut more = budget.answer_to("one");
        more.try_add(50 << 10).expect("memory");
        for reservation in [more, budget.answer_to("one")] {
            let answer = reservation.of_whole(vec![7; 20 << 10]).expect("memory");
            assert_eq!(budget.observed().answers, 20 << 10);
            let rest = answer.slice(5..);
            drop(answer);
            assert_eq!(budget.observed().answers, 20 << 10);
            drop(rest);
            assert_eq!(budget.observed().answers, 0);
        }
        let large = budget.answer_to("one").of_whole(vec![7; 51 << 10]);
        assert_eq!(large, Err(OutOfMemory));
    }

    #[test]
    fn the_answer_to_a_change_is_counted_and_never_refused() {
        let budget = budget();
        let small = budget.answer_to("one");
        drop(small.of_committed(vec![7; UNCOUNTED_BYTES]));
        assert_eq!(budget.observed().answers, 0);
        let answer = budget.answer_to("one").of_committed(vec![7; 200 << 10]);
        assert_eq!(answer.len(), 200 << 10);
        assert_eq!(budget.observed().answers, 200 << 10);
        drop(answer);
        assert_eq!(budget.observed().answers, 0);
        assert_eq!(budget.observed().refused, 0);
    }

    #[test]
    fn a_share_is_at_most_all() {
        let budget = MemoryBudget::new(&Limits {
            memory_bytes: 100 << 20,
            client_share: 200,
            ..Limits::default()
        });
        assert_eq!(budget.observed().limit, 100 << 20);
        let mut body = budget.body_of("one");
        assert_eq!(body.try_add(100 << 20), Ok(()));
        assert_eq!(body.try_add(1), Err(OutOfMemory));
    }

    #[test]
    fn a_share_is_enough_for_the_largest_body() {
        let budget = MemoryBudget::new(&Limits {
            memory_bytes: 1,
            ..Limits::default()
        });
        let mut body = budget.body_of("one");
        assert_eq!(body.try_add(Limits::default().batch_bytes), Ok(()));
        assert_eq!(body.try_add(1), Err(OutOfMemory));
    }
}
