//! One connection: what its stream, its requests and their answers share, and how long it may wait for the
//! next request.
//!
//! Which connection is closed to make space for another is the job of [`super::eviction`].

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use super::body::{Body, BodyError};
use super::eviction::{EvictionEntry, EvictionQueue};
use bytes::Bytes;
use http::request::Parts;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// One connection. All that share it run in the task of the connection.
pub(crate) struct Connection {
    peer: SocketAddr,
    eviction: EvictionEntry,
    /// Whether it waits for a request.
    is_idle: AtomicBool,
    /// Whether hyper has taken the whole answer to the request in flight; some of it may not be sent yet.
    is_answered: AtomicBool,
    /// Whether the body of the last request was not read to its end.
    has_unread: AtomicBool,
}

impl Connection {
    /// A new connection from this address, which waits for its first request.
    pub(crate) fn new(queue: &Arc<EvictionQueue>, peer: SocketAddr) -> Arc<Self> {
        Arc::new(Self {
            peer,
            eviction: queue.add(),
            is_idle: AtomicBool::new(true),
            is_answered: AtomicBool::new(false),
            has_unread: AtomicBool::new(false),
        })
    }

    /// The remote address.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// A request has arrived, of a client that is not known yet. Returns `false` if the connection was
    /// already chosen to be closed and must not answer.
    pub(crate) fn begin_request(&self) -> bool {
        self.is_answered.store(false, Ordering::Relaxed);
        self.has_unread.store(false, Ordering::Relaxed);
        // While the answer before it is still being sent, a request is a pipelined one.
        let was_idle = self.is_idle.swap(false, Ordering::Relaxed);
        self.eviction.begin_request(!was_idle)
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
        self.eviction.closing().await;
    }

    fn is_waiting(&self) -> bool {
        self.is_idle.load(Ordering::Relaxed)
    }

    /// All output was sent. Returns whether the connection begins to wait.
    fn was_flushed(&self) -> bool {
        let begins = self.is_answered.swap(false, Ordering::Relaxed);
        if begins {
            self.is_idle.store(true, Ordering::Relaxed);
            self.eviction.mark_idle();
        }
        begins
    }
}

/// The client of this request is known: its connection is not closed any more to make space. Never completes
/// if it was already chosen; its task is about to end.
pub(crate) async fn client_is_known(head: &Parts) {
    if let Some(connection) = head.extensions.get::<Arc<Connection>>()
        && !connection.eviction.mark_known()
    {
        std::future::pending::<()>().await;
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
    /// The deadline of the current wait. One timer serves all waits of the connection: it is cheaper to
    /// move than to make.
    deadline: Pin<Box<Sleep>>,
    /// Whether the deadline is that of the current wait.
    has_deadline: bool,
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
            deadline: Box::pin(sleep(idle)),
            has_deadline: false,
        }
    }

    /// Wakes the task at the deadline of the current wait; fails if it has passed.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let limit = match self.has_begun_head {
            true => self.head,
            false => self.idle,
        };
        if !std::mem::replace(&mut self.has_deadline, true) {
            self.deadline.as_mut().reset(Instant::now() + limit);
        }
        self.deadline.as_mut().poll(context).map(|()| {
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
            self.has_deadline = false;
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
            self.has_deadline = false;
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
    use crate::telemetry::Evictions;

    #[tokio::test(start_paused = true)]
    async fn a_connection_waits_again_once_its_answer_was_sent() {
        let queue = Arc::new(EvictionQueue::new(Evictions::default()));
        let peer = "127.0.0.1:1".parse().expect("an address");
        let connection = Connection::new(&queue, peer);
        assert!(connection.begin_request());
        assert!(!connection.was_flushed(), "there is no answer yet");
        drop(Arc::clone(&connection).answer(Body::empty()));
        assert!(connection.was_flushed(), "it begins to wait");
        queue.close_one().await;
        connection.closing().await;
        assert!(!connection.begin_request(), "it was chosen");
    }
}
