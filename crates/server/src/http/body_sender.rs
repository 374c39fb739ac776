//! A body that is sent while it is still being read from the database.
//!
//! The reader adds pieces and the connection takes them. Pieces that are not taken yet are buffered, so that
//! a slow client does not occupy a database connection. The reservation made before the reader began bounds
//! the buffer, and after a deadline the buffered pieces are dropped. If the reservation has a byte limit (see
//! [`super::memory_budget`]) and the body exceeds it, the reader waits for the client (backpressure), also
//! bounded by a deadline. When the client disconnects, the reader learns it at its next piece or during its
//! wait.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::Notify;

use super::memory_budget::Reservation;
use super::problem::Problem;

/// What is known about a body before its first piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The number of all values that match, over all pages.
    pub(crate) count: u64,
    /// The version of the datasource from which the rows are read.
    pub(crate) version: i64,
    /// Whether the client already has this page; then there is no body.
    pub(crate) is_known: bool,
}

/// The two ends of a body. Its reservation is released once the body is sent, abandoned or too late.
pub(crate) fn channel(reservation: Reservation) -> (BodySender, BodyReceiver) {
    let shared = Arc::new(Shared {
        state: Mutex::new(BodyState {
            reservation: Some(reservation),
            ..BodyState::default()
        }),
        piece_taken: Condvar::new(),
        receiver_gone: Notify::new(),
    });
    (
        BodySender {
            shared: Arc::clone(&shared),
        },
        BodyReceiver { shared },
    )
}

/// The end to which the reader writes.
#[derive(Debug)]
pub(crate) struct BodySender {
    shared: Arc<Shared>,
}

/// The end from which the connection reads.
#[derive(Debug)]
pub(crate) struct BodyReceiver {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<BodyState>,
    /// Wakes a waiting reader: a piece was taken, or none will be taken any more.
    piece_taken: Condvar,
    receiver_gone: Notify,
}

#[derive(Debug, Default)]
struct BodyState {
    head: Option<Head>,
    pieces: VecDeque<Bytes>,
    ended: bool,
    failed: Option<Problem>,
    waker: Option<Waker>,
    /// `None` once no further piece will be taken.
    reservation: Option<Reservation>,
}

impl BodySender {
    /// Sets the values for the head of the answer. Has no effect after the first piece.
    pub(crate) fn head(&self, head: Head) {
        self.shared.lock().head = Some(head);
    }

    /// Adds a piece; blocks until there is memory for it. Returns false if the client is gone and the reader
    /// may stop.
    pub(crate) fn push(&self, piece: Vec<u8>) -> bool {
        self.add(piece, false)
    }

    /// Adds the last piece. Marking it as the last lets a body of one piece have a length.
    pub(crate) fn push_last(&self, piece: Vec<u8>) {
        self.add(piece, true);
    }

    fn add(&self, piece: Vec<u8>, last: bool) -> bool {
        let mut state = self.shared.wait_for_memory(piece.len());
        let Some(reservation) = &mut state.reservation else {
            return false;
        };
        reservation.add(piece.len());
        state.pieces.push_back(piece.into());
        state.ended = last;
        state.wake();
        true
    }

    /// Whether the client still takes pieces; for a reader that adds none for long.
    pub(crate) fn is_wanted(&self) -> bool {
        self.shared.lock().reservation.is_some()
    }

    /// Ends the body. An error before the first piece was taken becomes the answer; a later one closes the
    /// connection. After the last piece an error has no effect.
    pub(crate) fn end(&self, outcome: Result<(), Problem>) {
        let mut state = self.shared.lock();
        if let Some(reservation) = &mut state.reservation {
            reservation.finish_reading();
        }
        match outcome {
            Err(problem) if !state.ended => state.failed = Some(problem),
            _ => state.ended = true,
        }
        state.wake();
    }

    /// Waits until the client has everything or disconnects, at most for `deadline`; then drops the pieces
    /// that were not taken.
    pub(crate) async fn guard(&self, deadline: Duration) {
        if tokio::time::timeout(deadline, self.shared.receiver_gone.notified())
            .await
            .is_err()
        {
            self.shared.lock().expire();
        }
    }
}

impl BodyReceiver {
    /// Waits for the first piece or the end. Returns the whole body if it is complete in one piece, else
    /// `None`; the error if it came before any piece.
    pub(crate) async fn start(&mut self) -> Result<Option<Bytes>, Problem> {
        poll_fn(|context| {
            let mut state = self.shared.lock();
            if state.pieces.is_empty() {
                // A body that expired before its first piece was taken has ended as well: it must not look
                // like an empty answer.
                if let Some(problem) = state.failed.take() {
                    return Poll::Ready(Err(problem));
                }
                if !state.ended {
                    state.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
            }
            let whole = state.ended && state.pieces.len() <= 1;
            Poll::Ready(Ok(whole.then(|| state.take().unwrap_or_default())))
        })
        .await
    }

    /// The values that the reader set for the head.
    pub(crate) fn head(&self) -> Option<Head> {
        self.shared.lock().head
    }
}

impl Body for BodyReceiver {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let mut state = self.shared.lock();
        if state.failed.is_some() {
            return Poll::Ready(Some(Err(io::Error::other(
                "the page could not be finished",
            ))));
        }
        if let Some(piece) = state.take() {
            self.shared.piece_taken.notify_one();
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for BodyReceiver {
    fn drop(&mut self) {
        self.shared.lock().abandon();
        self.shared.piece_taken.notify_one();
        self.shared.receiver_gone.notify_one();
    }
}

impl Shared {
    /// Each change is complete before anything can panic, so a poisoned lock guards a valid state.
    fn lock(&self) -> MutexGuard<'_, BodyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state once a piece of this size fits, or the client is gone. Gives up on a client after the time
    /// to wait.
    fn wait_for_memory(&self, bytes: usize) -> MutexGuard<'_, BodyState> {
        let mut state = self.lock();
        while let Some(reservation) = state
            .reservation
            .as_mut()
            .filter(|reservation| !reservation.fits(bytes))
        {
            let Some(time) = reservation.time_to_wait() else {
                state.expire();
                break;
            };
            let began = Instant::now();
            let waited = self.piece_taken.wait_timeout(state, time);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if let Some(reservation) = &mut state.reservation {
                reservation.add_wait(began.elapsed());
            }
        }
        state
    }
}

impl BodyState {
    /// Takes the next piece out of the buffer.
    fn take(&mut self) -> Option<Bytes> {
        let piece = self.pieces.pop_front()?;
        if let Some(reservation) = &mut self.reservation {
            reservation.remove(piece.len());
        }
        Some(piece)
    }

    /// Drops the buffered pieces, which will not be taken.
    fn abandon(&mut self) {
        self.pieces.clear();
        self.reservation = None;
    }

    /// The same for a client that is too slow.
    fn expire(&mut self) {
        self.abandon();
        self.failed.get_or_insert_with(Problem::timeout);
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::http::memory_budget::PageBudget;

    async fn ends() -> (PageBudget, BodySender, BodyReceiver) {
        let budget = PageBudget::default();
        let (sender, stream) = channel(budget.reserve(10_000).await.unwrap());
        (budget, sender, stream)
    }

    #[tokio::test]
    async fn a_short_body_comes_whole() {
        let (_budget, sender, mut stream) = ends().await;
        assert!(sender.push(b"all".to_vec()));
        sender.end(Ok(()));
        assert_eq!(stream.start().await.unwrap().as_deref(), Some(&b"all"[..]));
    }

    #[tokio::test]
    async fn pieces_come_in_order_and_end() {
        let (_budget, sender, mut stream) = ends().await;
        sender.push(b"one,".to_vec());
        let reader = tokio::spawn(async move {
            assert!(stream.start().await.unwrap().is_none());
            stream.collect().await.unwrap().to_bytes()
        });
        sender.push(b"two".to_vec());
        sender.push(b".".to_vec());
        sender.end(Ok(()));
        assert_eq!(reader.await.unwrap(), "one,two.");
    }

    const HEAD: Head = Head {
        count: 7,
        version: 1,
        is_known: false,
    };

    #[tokio::test]
    async fn the_last_piece_ends_the_body_with_what_was_said_of_it() {
        let (_budget, sender, mut stream) = ends().await;
        sender.head(HEAD);
        assert!(sender.is_wanted());
        sender.push_last(b"all".to_vec());
        assert_eq!(stream.start().await.unwrap().as_deref(), Some(&b"all"[..]));
        assert_eq!(stream.head(), Some(HEAD));
        sender.end(Err(Problem::timeout()));
        assert!(stream.collect().await.unwrap().to_bytes().is_empty());
        assert!(!sender.is_wanted());
    }

    #[tokio::test]
    async fn an_error_before_the_first_piece_is_the_answer_and_later_cuts_the_body() {
        let (_budget, sender, mut stream) = ends().await;
        sender.end(Err(Problem::timeout()));
        assert!(stream.start().await.is_err());

        let (_budget, sender, mut stream) = ends().await;
        sender.push(b"one".to_vec());
        assert!(stream.start().await.unwrap().is_none());
        sender.end(Err(Problem::timeout()));
        assert!(stream.collect().await.is_err());
    }

    #[tokio::test]
    async fn a_client_that_goes_away_stops_the_reader_and_gives_back_its_room() {
        let (budget, sender, stream) = ends().await;
        assert_eq!(budget.used_rows(), 10_000);
        drop(stream);
        assert!(!sender.push(b"one".to_vec()));
        assert_eq!(budget.used_rows(), 0);
    }

    #[tokio::test]
    async fn a_client_that_never_takes_loses_its_pieces_at_the_deadline() {
        let (budget, sender, stream) = ends().await;
        sender.push(b"one".to_vec());
        sender.end(Ok(()));
        sender.guard(Duration::ZERO).await;
        assert_eq!(budget.used_rows(), 0);
        assert!(stream.collect().await.is_err());

        let (_budget, sender, mut stream) = ends().await;
        sender.push(b"one".to_vec());
        sender.end(Ok(()));
        sender.guard(Duration::ZERO).await;
        assert!(stream.start().await.is_err());
    }
}
