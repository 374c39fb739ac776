//! A body that is sent while it is still being read from the database.
//!
//! The reader adds pieces and the connection takes them. Pieces that are not taken yet are buffered, so that
//! a slow client does not occupy a database connection. The buffer has a limit, and once it is full the
//! reader waits for the client (see [`super::answer_buffer`]); after a deadline the buffered pieces are
//! dropped. When the client disconnects, the reader learns it at its next piece or during its wait.

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

use super::answer_buffer::{AnswerBuffer, Full};
use super::problem::Problem;

/// The most bytes that the connection takes at a time. A slow client takes minutes for a whole piece, in
/// which it would seem to take nothing.
const PART_BYTES: usize = 64 << 10;
/// The time between two looks at what the client of a complete answer has taken.
const GUARD_STEP: Duration = Duration::from_secs(1);

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

/// The two ends of a body. Its memory is released as its pieces are sent, or once it is abandoned or too
/// late.
pub(crate) fn channel(buffer: AnswerBuffer) -> (BodySender, BodyReceiver) {
    let shared = Arc::new(Shared {
        state: Mutex::new(BodyState {
            head: None,
            pieces: VecDeque::new(),
            ended: false,
            failed: None,
            is_failure_due: false,
            waker: None,
            buffer,
            is_wanted: true,
        }),
        piece_sent: Condvar::new(),
        receiver_gone: Notify::new(),
    });
    (
        BodySender {
            shared: Arc::clone(&shared),
        },
        BodyReceiver {
            shared,
            begun: Bytes::new(),
        },
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
    /// The rest of a piece that the connection has begun to take.
    begun: Bytes,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<BodyState>,
    /// Wakes a waiting reader: a piece was sent, or none will be taken any more.
    piece_sent: Condvar,
    receiver_gone: Notify,
}

#[derive(Debug)]
struct BodyState {
    head: Option<Head>,
    pieces: VecDeque<Bytes>,
    ended: bool,
    failed: Option<Problem>,
    /// Whether the next poll returns the failure.
    is_failure_due: bool,
    waker: Option<Waker>,
    /// The memory of the pieces, also of those that were taken and are not sent yet.
    buffer: AnswerBuffer,
    /// Whether further pieces will be taken.
    is_wanted: bool,
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
        if !state.is_wanted {
            return false;
        }
        state.pieces.push_back(piece.into());
        state.ended = last;
        state.wake();
        true
    }

    /// Whether the client still takes pieces; for a reader that adds none for long.
    pub(crate) fn is_wanted(&self) -> bool {
        self.shared.lock().is_wanted
    }

    /// Ends the body. An error before the head of the answer was sent becomes the answer; a later one closes
    /// the connection. After the last piece an error has no effect.
    pub(crate) fn end(&self, outcome: Result<(), Problem>) {
        let mut state = self.shared.lock();
        state.buffer.finish_reading();
        match outcome {
            Err(problem) if !state.ended => state.failed = Some(problem),
            _ => state.ended = true,
        }
        state.wake();
    }

    /// Waits until the client has everything or disconnects, as long as it takes enough; then drops the
    /// pieces that were not taken.
    pub(crate) async fn guard(&self) {
        loop {
            let left = self.shared.lock().buffer.time_left();
            if left.is_zero() {
                return self.shared.lock().expire();
            }
            // In steps: what the client takes meanwhile earns only what was spent before.
            let step = left.min(GUARD_STEP);
            if tokio::time::timeout(step, self.receiver_gone())
                .await
                .is_ok()
            {
                return;
            }
            self.shared.lock().buffer.add_wait(step);
        }
    }

    /// Completes when the client has everything, or disconnects. For one waiter at a time.
    pub(crate) async fn receiver_gone(&self) {
        self.shared.receiver_gone.notified().await;
    }
}

impl BodyReceiver {
    /// Waits for the first piece or the end. Returns the whole body if it is complete in one piece, else
    /// `None`. An error is returned even if there are pieces: nothing was sent yet, and a body without its
    /// end would be of no use.
    pub(crate) async fn start(&mut self) -> Result<Option<Bytes>, Problem> {
        poll_fn(|context| {
            let mut state = self.shared.lock();
            // A body that expired before its first piece was taken has ended as well: it must not look like
            // an empty answer.
            if let Some(problem) = state.failed.take() {
                return Poll::Ready(Err(problem));
            }
            if state.pieces.is_empty() && !state.ended {
                state.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
            let whole = state.ended && state.pieces.len() <= 1;
            let whole = whole.then(|| state.pieces.pop_front().unwrap_or_default());
            Poll::Ready(Ok(whole.map(|whole| self.shared.counted(whole))))
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
        let Self { shared, begun } = self.get_mut();
        let mut state = shared.lock();
        if state.failed.is_some() {
            if !state.is_failure_due {
                // hyper drops what it has not written yet when a body fails, and writes it when a body has
                // nothing more for now. So the client gets the head, and sees that its body broke off.
                state.is_failure_due = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            return Poll::Ready(Some(Err(io::Error::other(
                "the page could not be finished",
            ))));
        }
        if begun.is_empty()
            && let Some(piece) = state.pieces.pop_front()
        {
            *begun = shared.counted(piece);
        }
        if !begun.is_empty() {
            let part = begun.split_to(begun.len().min(PART_BYTES));
            return Poll::Ready(Some(Ok(Frame::data(shared.watched(part)))));
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
        self.shared.piece_sent.notify_one();
        self.shared.receiver_gone.notify_one();
    }
}

impl Shared {
    /// Each change is complete before anything can panic, so a poisoned lock guards a valid state.
    fn lock(&self) -> MutexGuard<'_, BodyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state once there is memory for a piece of this size, or the client is gone. Gives up on a client
    /// after the time to wait, and on an answer that has not begun if there is no memory.
    fn wait_for_memory(&self, bytes: usize) -> MutexGuard<'_, BodyState> {
        let mut state = self.lock();
        while state.is_wanted {
            match state.buffer.add(bytes) {
                Ok(()) => break,
                Err(Full::Refused(error)) => {
                    state.give_up(error.into());
                    break;
                }
                Err(Full::Wait) => {}
            }
            let Some(time) = state.buffer.time_to_wait() else {
                state.expire();
                break;
            };
            let began = Instant::now();
            let waited = self.piece_sent.wait_timeout(state, time);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state.buffer.add_wait(began.elapsed());
        }
        state
    }

    /// A piece for the connection. It is counted until its last byte is sent, however long the connection
    /// buffers it.
    fn counted(self: &Arc<Self>, piece: Bytes) -> Bytes {
        Bytes::from_owner(TakenPiece {
            piece,
            shared: Arc::clone(self),
        })
    }

    /// A part of it for the connection, which is progress once its last byte is sent.
    fn watched(self: &Arc<Self>, part: Bytes) -> Bytes {
        Bytes::from_owner(TakenPart {
            part,
            shared: Arc::clone(self),
        })
    }
}

/// A part of a piece, whose end is progress of the client.
struct TakenPart {
    part: Bytes,
    shared: Arc<Shared>,
}

impl AsRef<[u8]> for TakenPart {
    fn as_ref(&self) -> &[u8] {
        &self.part
    }
}

impl Drop for TakenPart {
    fn drop(&mut self) {
        self.shared.lock().buffer.add_progress(self.part.len());
        self.shared.piece_sent.notify_one();
    }
}

/// A piece that the connection has taken.
struct TakenPiece {
    piece: Bytes,
    shared: Arc<Shared>,
}

impl AsRef<[u8]> for TakenPiece {
    fn as_ref(&self) -> &[u8] {
        &self.piece
    }
}

impl Drop for TakenPiece {
    fn drop(&mut self) {
        self.shared.lock().buffer.remove(self.piece.len());
        self.shared.piece_sent.notify_one();
    }
}

impl BodyState {
    /// Drops the buffered pieces, which will not be taken.
    fn abandon(&mut self) {
        self.is_wanted = false;
        for piece in std::mem::take(&mut self.pieces) {
            self.buffer.remove(piece.len());
        }
    }

    /// The same for a client that is too slow.
    fn expire(&mut self) {
        self.give_up(Problem::timeout());
    }

    /// The same, with the reason.
    fn give_up(&mut self, reason: Problem) {
        self.abandon();
        self.failed.get_or_insert(reason);
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
    use std::convert::Infallible;

    use http_body_util::BodyExt;
    use hyper::body::Incoming;
    use hyper::server::conn::http1;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::config::Limits;
    use crate::http::answer_buffer::SlowClients;
    use crate::http::memory_budget::MemoryBudget;

    fn ends() -> (MemoryBudget, BodySender, BodyReceiver) {
        ends_of(&Limits::default())
    }

    fn ends_of(limits: &Limits) -> (MemoryBudget, BodySender, BodyReceiver) {
        let memory = MemoryBudget::new(limits);
        let slow_clients = SlowClients::new(limits);
        let buffer = AnswerBuffer::new(
            memory.answer_to("one"),
            10_000,
            &"one".into(),
            &slow_clients,
        );
        let (sender, stream) = channel(buffer);
        (memory, sender, stream)
    }

    #[tokio::test]
    async fn a_short_body_comes_whole() {
        let (_memory, sender, mut stream) = ends();
        assert!(sender.push(b"all".to_vec()));
        sender.end(Ok(()));
        assert_eq!(stream.start().await.unwrap().as_deref(), Some(&b"all"[..]));
    }

    #[tokio::test]
    async fn pieces_come_in_order_and_end() {
        let (_memory, sender, mut stream) = ends();
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
        let (_memory, sender, mut stream) = ends();
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
    async fn an_error_before_the_head_is_the_answer_and_later_cuts_the_body() {
        let (_memory, sender, mut stream) = ends();
        sender.end(Err(Problem::timeout()));
        assert!(stream.start().await.is_err());

        let (_memory, sender, mut stream) = ends();
        sender.push(b"one".to_vec());
        sender.end(Err(Problem::timeout()));
        assert!(stream.start().await.is_err());

        let (_memory, sender, mut stream) = ends();
        sender.push(b"one".to_vec());
        assert!(stream.start().await.unwrap().is_none());
        sender.end(Err(Problem::timeout()));
        assert!(stream.collect().await.is_err());
    }

    /// The bytes that a client gets of an answer whose body is given.
    async fn sent(stream: BodyReceiver) -> String {
        let (client, server) = tokio::io::duplex(64 << 10);
        let (mut reads, mut writes) = tokio::io::split(client);
        let stream = Mutex::new(Some(stream));
        let service = hyper::service::service_fn(move |_: http::Request<Incoming>| {
            let body = stream.lock().unwrap().take().expect("one request");
            async move { Ok::<_, Infallible>(http::Response::new(body)) }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(server), service);
        let asked = writes.write_all(b"GET / HTTP/1.1\r\nHost: plant.example\r\n\r\n");
        asked.await.expect("a request");
        let mut answer = String::new();
        let (ended, read) = tokio::join!(connection, reads.read_to_string(&mut answer));
        assert!(ended.is_err());
        read.expect("a closed connection");
        answer
    }

    #[tokio::test]
    async fn a_body_that_fails_at_its_first_piece_breaks_off_after_its_head() {
        let (_memory, sender, mut stream) = ends();
        sender.push(b"one".to_vec());
        assert!(stream.start().await.unwrap().is_none());
        sender.end(Err(Problem::timeout()));
        let answer = sent(stream).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer:?}");
        // Without the last chunk the client sees that the body is not complete.
        assert!(answer.contains("\r\ntransfer-encoding: chunked\r\n"));
        assert!(!answer.ends_with("0\r\n\r\n"), "{answer:?}");
    }

    #[tokio::test]
    async fn a_client_that_goes_away_stops_the_reader_and_gives_back_its_room() {
        let (memory, sender, stream) = ends();
        assert!(sender.push(b"one".to_vec()));
        assert_eq!(memory.observed().answers, 3);
        drop(stream);
        assert!(!sender.push(b"two".to_vec()));
        assert_eq!(memory.observed().answers, 0);
    }

    /// The connection buffers what it has taken.
    #[tokio::test]
    async fn a_piece_is_counted_until_the_connection_has_sent_it() {
        let (memory, sender, mut stream) = ends();
        sender.push(b"one".to_vec());
        sender.push_last(b"four".to_vec());
        let piece = stream.frame().await.unwrap().unwrap();
        assert_eq!(memory.observed().answers, 7);
        drop(piece);
        assert_eq!(memory.observed().answers, 4);
        let last = stream.frame().await.unwrap().unwrap();
        drop(stream);
        assert_eq!(memory.observed().answers, 4);
        drop(last);
        assert_eq!(memory.observed().answers, 0);

        let (memory, sender, mut stream) = ends();
        sender.push_last(b"all".to_vec());
        let whole = stream.start().await.unwrap();
        drop(stream);
        assert_eq!(memory.observed().answers, 3);
        drop(whole);
        assert_eq!(memory.observed().answers, 0);
    }

    /// A large piece is many small steps, so that a slow client makes progress all the time.
    #[tokio::test]
    async fn a_large_piece_is_taken_in_parts_and_counted_until_the_last_one_is_sent() {
        let (memory, sender, mut stream) = ends();
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(5 * PART_BYTES / 2).collect();
        sender.push(bytes.clone());
        sender.push_last(b"end".to_vec());
        let mut parts = Vec::new();
        for _ in 0..3 {
            let part = stream.frame().await.unwrap().unwrap();
            parts.push(part.into_data().unwrap());
        }
        assert_eq!(parts.concat(), bytes);
        assert!(parts.iter().all(|part| part.len() <= PART_BYTES));
        let last = parts.pop();
        drop(parts);
        assert_eq!(memory.observed().answers, bytes.len() + 3);
        drop(last);
        assert_eq!(memory.observed().answers, 3);
        // A client that leaves within a piece.
        let (memory, sender, mut stream) = ends();
        sender.push(bytes);
        drop(stream.frame().await);
        drop(stream);
        assert_eq!(memory.observed().answers, 0);
    }

    #[tokio::test]
    async fn a_client_that_never_takes_loses_its_pieces_at_the_deadline() {
        let limits = Limits {
            request: Duration::ZERO,
            ..Limits::default()
        };
        let (memory, sender, stream) = ends_of(&limits);
        sender.push(b"one".to_vec());
        sender.end(Ok(()));
        sender.guard().await;
        assert_eq!(memory.observed().answers, 0);
        assert!(stream.collect().await.is_err());

        let (_memory, sender, mut stream) = ends_of(&limits);
        sender.push(b"one".to_vec());
        sender.end(Ok(()));
        sender.guard().await;
        assert!(stream.start().await.is_err());
    }
}
