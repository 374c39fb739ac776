//! A write timeout: a stream that fails once its client takes nothing for too long, or too little over time.
//! Reading has its own limits, in hyper and in `extract`.
//!
//! Otherwise a client that never reads, or reads a byte now and then, would occupy its connection, and one of
//! the permits for connections, for ever.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::wait_allowance::WaitAllowance;

/// A stream with a write timeout.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    allowance: WaitAllowance,
    /// While the stream accepts no bytes: since when, and the timer of what is left.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> WriteTimeout<S> {
    /// `allowance` is how long the client may keep the stream waiting.
    pub(crate) fn new(stream: S, allowance: WaitAllowance) -> Self {
        Self {
            stream,
            allowance,
            waiting: None,
        }
    }
}

impl<S: AsyncWrite + Unpin> WriteTimeout<S> {
    fn within_limit<T>(
        &mut self,
        context: &mut Context<'_>,
        send: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<Result<T>>,
    ) -> Poll<Result<T>> {
        let sent = send(Pin::new(&mut self.stream), context);
        if sent.is_ready() {
            if let Some((since, _)) = self.waiting.take() {
                self.allowance.spend(since.elapsed());
            }
            return sent;
        }
        let left = self.allowance.left();
        let (_, timer) = self
            .waiting
            .get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        timer.as_mut().poll(context).map(|()| {
            Err(Error::new(
                ErrorKind::TimedOut,
                "the caller took too little of what was sent to it",
            ))
        })
    }

    /// The same for a number of bytes.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        send: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let written = self.within_limit(context, send);
        if let Poll::Ready(Ok(bytes)) = written {
            self.allowance.earn(bytes);
        }
        written
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.written(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.written(context, |stream, context| {
            stream.poll_write_vectored(context, pieces)
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.within_limit(context, S::poll_flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.within_limit(context, S::poll_shutdown)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const BYTES: usize = 2_000;

    /// How much a client gets that takes 10 bytes after each pause, of a stream that waits this long and
    /// demands this rate.
    async fn taken(pause: Duration, most: Duration, min_rate: u32) -> usize {
        let (mut client, server) = duplex(10);
        let mut stream = WriteTimeout::new(server, WaitAllowance::new(most, min_rate));
        let sending = tokio::spawn(async move { stream.write_all(&[7; BYTES]).await });
        let mut taken = 0;
        loop {
            sleep(pause).await;
            match client.read(&mut [0; 10]).await.expect("bytes, or an end") {
                0 => break,
                bytes => taken += bytes,
            }
        }
        let sent = sending.await.expect("no panic");
        assert_eq!(sent.is_ok(), taken == BYTES);
        taken
    }

    #[tokio::test]
    async fn a_client_that_takes_a_little_now_and_then_is_given_up_below_the_rate() {
        // A sixteenth of the time that all of it takes; what it takes earns nothing.
        let (pause, short) = (Duration::from_millis(2), Duration::from_millis(25));
        assert!(taken(pause, short, u32::MAX).await < BYTES);
        // No pause is this long.
        let long = Duration::from_secs(60);
        assert_eq!(taken(pause, long, 1).await, BYTES);
        assert_eq!(taken(pause, long, 0).await, BYTES);
    }

    /// All of it takes three times as long as the client may keep the stream waiting. Each 10 bytes earn 10
    /// seconds, so even a busy machine meets the rate.
    #[tokio::test]
    async fn a_client_that_meets_the_rate_earns_back_what_it_spends() {
        let (pause, most) = (Duration::from_millis(15), Duration::from_secs(1));
        assert_eq!(taken(pause, most, 1).await, BYTES);
    }
}
