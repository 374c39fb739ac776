//! A lingering close (RFC 9112, 9.6): a stream whose end reads on for a while what its client still sends.
//!
//! A request may be refused before its body was read. If the connection were then closed at once, the next
//! bytes of the body would reset it, and the client, which often sends its whole body before it reads, would
//! lose the answer. So the service only stops sending and discards what arrives, until the client closes.
//! Meanwhile the connection may be closed to make space, as one that waits for a request.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::connections::Connection;

/// How much is discarded at a time.
const DISCARDED_BYTES: usize = 8 << 10;

/// A stream with a lingering close.
pub(crate) struct LingeringClose<S> {
    stream: S,
    connection: Arc<Connection>,
    times: LingerTimes,
    lingering: Option<Lingering>,
}

/// How long a close may linger.
#[derive(Clone, Copy)]
pub(crate) struct LingerTimes {
    /// In all.
    pub(crate) whole: Duration,
    /// While nothing arrives.
    pub(crate) pause: Duration,
}

/// The ends of the times.
struct Lingering {
    whole: Pin<Box<Sleep>>,
    pause: Pin<Box<Sleep>>,
}

impl<S> LingeringClose<S> {
    pub(crate) fn new(stream: S, connection: Arc<Connection>, times: LingerTimes) -> Self {
        Self {
            stream,
            connection,
            times,
            lingering: None,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringClose<S> {
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let Self {
            stream,
            connection,
            times,
            lingering,
        } = &mut *self;
        let Lingering { whole, pause } = match lingering {
            Some(lingering) => lingering,
            None => {
                ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
                if !connection.has_unread() {
                    return Poll::Ready(Ok(()));
                }
                lingering.insert(Lingering {
                    whole: Box::pin(sleep(times.whole)),
                    pause: Box::pin(sleep(times.pause)),
                })
            }
        };
        let mut bytes = [0; DISCARDED_BYTES];
        while whole.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut bytes);
            match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    pause.as_mut().reset(Instant::now() + times.pause);
                }
                // The client has closed.
                Poll::Ready(_) => break,
                Poll::Pending => return pause.as_mut().poll(context).map(Ok),
            }
        }
        Poll::Ready(Ok(()))
    }

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
        Pin::new(&mut self.stream).poll_flush(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringClose<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}
