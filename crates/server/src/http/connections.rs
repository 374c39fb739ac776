//! Idle connections: how long each may wait for the next request, and which one is closed to make space for
//! another.
//!
//! A connection waits from when it is accepted, or its last answer was completely sent, until the head of a
//! request is complete. Only while it waits may it be closed for these reasons: a request in flight has its
//! own limits. This module does not know what a request means.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use super::body::{Body, BodyError};
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

/// The remote address of a request, as a request extension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// The connections of a listener that wait for a request.
#[derive(Default)]
pub(crate) struct IdleQueue {
    waiting: Mutex<Waiting>,
    /// A connection began to wait.
    added: Notify,
}

/// By ticket: the lowest has waited longest.
#[derive(Default)]
struct Waiting {
    last_ticket: u64,
    connections: BTreeMap<u64, Arc<Notify>>,
}

impl IdleQueue {
    /// Closes the connection that has waited longest, as soon as one waits. Cancel-safe.
    pub(crate) async fn close_longest(&self) {
        while !self.try_close_longest() {
            self.added.notified().await;
        }
    }

    /// The same, if one waits now.
    pub(crate) fn try_close_longest(&self) -> bool {
        let longest = self.waiting().connections.pop_first();
        longest.is_some_and(|(_, closing)| {
            closing.notify_one();
            true
        })
    }

    fn add(&self, closing: &Arc<Notify>) -> u64 {
        let mut waiting = self.waiting();
        waiting.last_ticket += 1;
        let ticket = waiting.last_ticket;
        waiting.connections.insert(ticket, Arc::clone(closing));
        drop(waiting);
        self.added.notify_one();
        ticket
    }

    fn remove(&self, ticket: u64) -> bool {
        self.waiting().connections.remove(&ticket).is_some()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Each change is complete in itself, so a panic of another thread leaves the state valid.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection. Its stream, its requests and their answers share it; all of them run in the task of the
/// connection.
pub(crate) struct Connection {
    queue: Arc<IdleQueue>,
    /// Its ticket in the queue, or [`IN_FLIGHT`].
    ticket: AtomicU64,
    /// Whether hyper has taken the whole answer to the request in flight; some of it may not be sent yet.
    is_answered: AtomicBool,
    closing: Arc<Notify>,
}

/// Instead of a ticket while a request is in flight.
const IN_FLIGHT: u64 = 0;

impl Connection {
    /// A new connection, which waits for its first request.
    pub(crate) fn new(queue: &Arc<IdleQueue>) -> Arc<Self> {
        let closing = Arc::default();
        Arc::new(Self {
            ticket: AtomicU64::new(queue.add(&closing)),
            queue: Arc::clone(queue),
            is_answered: AtomicBool::new(false),
            closing,
        })
    }

    /// A request has arrived. Returns `false` if the connection was already chosen to be closed and must not
    /// answer.
    pub(crate) fn begin_request(&self) -> bool {
        self.is_answered.store(false, Ordering::Relaxed);
        match self.ticket.swap(IN_FLIGHT, Ordering::Relaxed) {
            // A pipelined request: the answer before it is still being sent.
            IN_FLIGHT => true,
            ticket => self.queue.remove(ticket),
        }
    }

    /// The body of the answer to the request in flight. Once it is completely sent, the connection waits
    /// again.
    pub(crate) fn answer(self: Arc<Self>, body: Body) -> Answer {
        Answer {
            body,
            _end: EndOfAnswer(self),
        }
    }

    /// Completes when the connection is chosen to be closed.
    pub(crate) async fn closing(&self) {
        self.closing.notified().await;
    }

    fn is_waiting(&self) -> bool {
        self.ticket.load(Ordering::Relaxed) != IN_FLIGHT
    }

    /// All output was sent. Returns whether the connection begins to wait.
    fn was_flushed(&self) -> bool {
        let begins = self.is_answered.swap(false, Ordering::Relaxed);
        if begins {
            let ticket = self.queue.add(&self.closing);
            self.ticket.store(ticket, Ordering::Relaxed);
        }
        begins
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.queue.remove(*self.ticket.get_mut());
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
