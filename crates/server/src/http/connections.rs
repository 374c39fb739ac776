//! Connections that may be closed: how long each may wait for the next request, and which one is closed to
//! make space for another.
//!
//! A connection waits from when it is accepted, or its last answer was completely sent, until the head of a
//! request is complete. Two kinds may be closed, each once it has a minimum age, the oldest first:
//!
//! 1. *Idle* ones, which wait for another request after an answer. The minimum age is short: the next request
//!    may have arrived and not be read yet.
//! 2. Those of an *unknown* client: they have had no request yet, perhaps not even their TLS handshake, or
//!    their request is one without a valid token or secret, or not checked yet. The age is that of the
//!    connection or of the request.
//!
//! A request of a known client is never closed to make space: it has limits of its own. This module does not
//! know what a request means.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use super::body::{Body, BodyError};
use crate::telemetry::Evictions;
use bytes::Bytes;
use http::request::Parts;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// The remote address of a request, as a request extension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// How long a connection must have waited for another request before it is closed to make space.
const MIN_IDLE_AGE: Duration = Duration::from_millis(100);
/// How old a connection without a request, or a request of an unknown client, must be before the connection
/// is closed to make space. Most requests are answered long before, and a new connection can wait that long.
const MIN_UNKNOWN_AGE: Duration = Duration::from_secs(1);

/// The connections of a listener that may be closed to make space.
#[derive(Default)]
pub(crate) struct EvictionQueue {
    candidates: Mutex<Candidates>,
    /// There is another candidate.
    added: Notify,
    evictions: Evictions,
}

/// By ticket: the lowest has waited longest.
#[derive(Default)]
struct Candidates {
    last_ticket: u64,
    /// Connections that wait for another request.
    idle: BTreeMap<u64, Candidate>,
    /// Connections that have had no request yet, or have one of an unknown client.
    unknown: BTreeMap<u64, Candidate>,
}

#[derive(Clone, Copy)]
enum Kind {
    Idle,
    Unknown,
}

struct Candidate {
    /// When it may be closed.
    not_before: Instant,
    closing: Arc<Notify>,
}

/// What may be closed.
enum Choice {
    Closed,
    /// Nothing before this time.
    NotBefore(Instant),
    Nothing,
}

impl EvictionQueue {
    /// An empty queue that counts what it closes.
    pub(crate) fn new(evictions: Evictions) -> Self {
        Self {
            evictions,
            ..Self::default()
        }
    }

    /// Closes one connection, as soon as there is one that may be closed. Cancel-safe.
    pub(crate) async fn close_one(&self) {
        loop {
            match self.choose() {
                Choice::Closed => return,
                Choice::NotBefore(time) => tokio::select! {
                    () = self.added.notified() => {}
                    () = sleep_until(time) => {}
                },
                Choice::Nothing => self.added.notified().await,
            }
        }
    }

    /// The same, if there is one now.
    pub(crate) fn try_close_one(&self) -> bool {
        matches!(self.choose(), Choice::Closed)
    }

    fn choose(&self) -> Choice {
        let now = Instant::now();
        let mut candidates = self.candidates();
        let Candidates { idle, unknown, .. } = &mut *candidates;
        let mut next = None;
        let Evictions {
            idle: idle_closed,
            unknown: unknown_closed,
        } = &self.evictions;
        for (kind, closed) in [(idle, idle_closed), (unknown, unknown_closed)] {
            let Some(oldest) = kind.first_entry() else {
                continue;
            };
            let time = oldest.get().not_before;
            if time <= now {
                oldest.remove().closing.notify_one();
                closed.inc();
                return Choice::Closed;
            }
            next = Some(next.map_or(time, |next: Instant| next.min(time)));
        }
        next.map_or(Choice::Nothing, Choice::NotBefore)
    }

    fn candidates(&self) -> MutexGuard<'_, Candidates> {
        // Each change is complete in itself, so a panic of another thread leaves the state valid.
        self.candidates
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Candidates {
    fn next_ticket(&mut self) -> u64 {
        self.last_ticket += 1;
        self.last_ticket
    }

    /// Returns false if there is no such ticket: its connection was chosen.
    fn remove(&mut self, ticket: u64) -> bool {
        self.idle.remove(&ticket).is_some() || self.unknown.remove(&ticket).is_some()
    }
}

/// One connection. Its stream, its requests and their answers share it; all of them run in the task of the
/// connection.
pub(crate) struct Connection {
    queue: Arc<EvictionQueue>,
    /// Its ticket in the queue, or [`NONE`].
    ticket: AtomicU64,
    /// Whether it waits for a request.
    is_idle: AtomicBool,
    /// Whether hyper has taken the whole answer to the request in flight; some of it may not be sent yet.
    is_answered: AtomicBool,
    /// Whether the body of the last request was not read to its end.
    has_unread: AtomicBool,
    closing: Arc<Notify>,
}

/// Instead of a ticket while the request in flight is that of a known client.
const NONE: u64 = 0;

impl Connection {
    /// A new connection, which waits for its first request.
    pub(crate) fn new(queue: &Arc<EvictionQueue>) -> Arc<Self> {
        let connection = Arc::new(Self {
            ticket: AtomicU64::new(NONE),
            queue: Arc::clone(queue),
            is_idle: AtomicBool::new(true),
            is_answered: AtomicBool::new(false),
            has_unread: AtomicBool::new(false),
            closing: Arc::default(),
        });
        connection.enqueue(Kind::Unknown);
        connection
    }

    /// A request has arrived, of a client that is not known yet. Returns `false` if the connection was
    /// already chosen to be closed and must not answer.
    pub(crate) fn begin_request(&self) -> bool {
        self.is_answered.store(false, Ordering::Relaxed);
        self.has_unread.store(false, Ordering::Relaxed);
        let was_idle = self.is_idle.swap(false, Ordering::Relaxed);
        let ticket = self.ticket.load(Ordering::Relaxed);
        if !was_idle && ticket != NONE {
            // A pipelined request: the answer before it is still being sent, and keeps its place.
            return self.queue.candidates().unknown.contains_key(&ticket);
        }
        self.enqueue(Kind::Unknown)
    }

    /// Gives the connection a new ticket, as the youngest of this kind. Returns `false` if it was already
    /// chosen.
    fn enqueue(&self, kind: Kind) -> bool {
        let ticket = self.ticket.load(Ordering::Relaxed);
        let mut candidates = self.queue.candidates();
        if ticket != NONE && !candidates.remove(ticket) {
            return false;
        }
        let ticket = candidates.next_ticket();
        let (of_kind, min_age) = match kind {
            Kind::Idle => (&mut candidates.idle, MIN_IDLE_AGE),
            Kind::Unknown => (&mut candidates.unknown, MIN_UNKNOWN_AGE),
        };
        let candidate = Candidate {
            not_before: Instant::now() + min_age,
            closing: Arc::clone(&self.closing),
        };
        of_kind.insert(ticket, candidate);
        drop(candidates);
        self.ticket.store(ticket, Ordering::Relaxed);
        self.queue.added.notify_one();
        true
    }

    /// The client of the request in flight is known. Returns `false` as [`Self::begin_request`] does.
    fn mark_known(&self) -> bool {
        let ticket = self.ticket.swap(NONE, Ordering::Relaxed);
        ticket == NONE || self.queue.candidates().remove(ticket)
    }

    /// The body of the answer to the request in flight. Once it is completely sent, the connection waits
    /// again.
    pub(crate) fn answer(self: Arc<Self>, body: Body) -> Answer {
        Answer {
            body,
            _end: EndOfAnswer(self),
        }
    }

    /// The body of the request in flight is not read to its end.
    pub(super) fn leave_unread(&self) {
        self.has_unread.store(true, Ordering::Relaxed);
    }

    /// Whether the client may still send something of a body that nobody reads.
    pub(super) fn has_unread(&self) -> bool {
        self.has_unread.load(Ordering::Relaxed)
    }

    /// Completes when the connection is chosen to be closed.
    pub(crate) async fn closing(&self) {
        self.closing.notified().await;
    }

    fn is_waiting(&self) -> bool {
        self.is_idle.load(Ordering::Relaxed)
    }

    /// All output was sent. Returns whether the connection begins to wait.
    fn was_flushed(&self) -> bool {
        let begins = self.is_answered.swap(false, Ordering::Relaxed);
        if begins {
            self.is_idle.store(true, Ordering::Relaxed);
            self.enqueue(Kind::Idle);
        }
        begins
    }
}

/// The client of this request is known: its connection is not closed any more to make space. Never completes
/// if it was already chosen; its task is about to end.
pub(crate) async fn client_is_known(head: &Parts) {
    if let Some(connection) = head.extensions.get::<Arc<Connection>>()
        && !connection.mark_known()
    {
        std::future::pending::<()>().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.queue.candidates().remove(*self.ticket.get_mut());
    }
}

/// The body of an answer on a connection that waits again once it is sent.
pub(crate) struct Answer {
    body: Body,
    _end: EndOfAnswer,
}

/// Dropped with the body, which hyper drops after it has taken the last piece.
struct EndOfAnswer(Arc<Connection>);

impl Drop for EndOfAnswer {
    fn drop(&mut self) {
        self.0.is_answered.store(true, Ordering::Relaxed);
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, BodyError>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream whose reading fails once the connection has waited too long for a request.
pub(crate) struct HeadTimeout<S> {
    stream: S,
    connection: Arc<Connection>,
    /// The longest wait for the first byte of a head.
    idle: Duration,
    /// The longest wait for the rest of the head.
    head: Duration,
    has_begun_head: bool,
    /// The deadline of the current wait.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> HeadTimeout<S> {
    /// `idle` is the longest wait for the first byte of a request, `head` the longest time from there to the
    /// end of its head.
    pub(crate) fn new(
        stream: S,
        connection: Arc<Connection>,
        idle: Duration,
        head: Duration,
    ) -> Self {
        Self {
            stream,
            connection,
            idle,
            head,
            has_begun_head: false,
            deadline: None,
        }
    }

    /// Wakes the task at the deadline of the current wait; fails if it has passed.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let limit = match self.has_begun_head {
            true => self.head,
            false => self.idle,
        };
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
        deadline.as_mut().poll(context).map(|()| {
            Err(Error::new(
                ErrorKind::TimedOut,
                "the caller did not send a whole head in time",
            ))
        })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if !self.connection.is_waiting() {
            return read;
        }
        if read.is_pending() {
            return self.poll_deadline(context);
        }
        if !self.has_begun_head && buffer.filled().len() > before {
            self.has_begun_head = true;
            self.deadline = None;
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if matches!(flushed, Poll::Ready(Ok(()))) && self.connection.was_flushed() {
            self.has_begun_head = false;
            self.deadline = None;
            // Starts the timer now: hyper may not poll for reading before more data arrives.
            if let Poll::Ready(Err(passed)) = self.poll_deadline(context) {
                return Poll::Ready(Err(passed));
            }
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_new_connection_is_not_closed_yet() {
        let queue = Arc::default();
        let begun = Instant::now();
        let connection = Connection::new(&queue);
        let is_chosen = queue.try_close_one();
        // A busy machine may have paused in between.
        assert!(!is_chosen || begun.elapsed() >= MIN_UNKNOWN_AGE);
        if !is_chosen {
            queue.close_one().await;
        }
        connection.closing().await;
        assert!(begun.elapsed() >= MIN_UNKNOWN_AGE);
        assert!(!connection.begin_request(), "it was chosen");
    }

    #[tokio::test]
    async fn an_answered_connection_that_waits_is_closed_before_an_older_one_without_a_request() {
        let queue = Arc::default();
        let new = Connection::new(&queue);
        let answered = Connection::new(&queue);
        assert!(answered.begin_request());
        drop(Arc::clone(&answered).answer(Body::empty()));
        assert!(answered.was_flushed(), "it begins to wait");
        queue.close_one().await;
        assert!(!answered.begin_request(), "it was chosen");
        assert!(new.begin_request(), "it was not");
        let Evictions { idle, unknown } = &queue.evictions;
        assert_eq!((idle.get(), unknown.get()), (1, 0));
    }
}
