//! The faults of networks and other proxies: each request is passed on whole or broken in one known way. What
//! a request does and what an answer says is the service's; only the fault is made up.

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::http::{Answer, Request, read_request};

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The caller gets this answer. The service does not see the request.
    Refuse(Answer),
    /// The connection is reset. The service does not see the request.
    ResetBefore,
    /// The service carries the request out, and the caller gets this answer.
    Replace(Answer),
    /// The service carries the request out, and the connection is reset before the answer.
    ResetAfter,
    /// The service carries the request out, and the connection ends within the body of the answer, or within
    /// its head if it has no body.
    Cut,
    /// The answer waits this long.
    Delay(Duration),
    /// The service gets another token than the caller sent, which nobody signed.
    SpoilToken,
}

/// Chooses the fault of a request by its first line and headers.
type Choose = dyn Fn(&str) -> Option<Fault> + Send + Sync;

/// How the requests of each connection are broken.
pub(super) struct Faults {
    choose: Box<Choose>,
}

impl Faults {
    pub(super) fn new(choose: impl Fn(&str) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self {
            choose: Box::new(choose),
        }
    }

    /// The requests of one connection, each over a new one to the service.
    pub(super) async fn pass_on<F>(
        &self,
        mut caller: TcpStream,
        connect: impl Fn() -> F,
    ) -> io::Result<()>
    where
        F: Future<Output = io::Result<TcpStream>>,
    {
        while let Some(mut request) = read_request(&mut caller).await? {
            let fault = (self.choose)(&request.head);
            match fault {
                Some(Fault::Refuse(answer)) => {
                    caller.write_all(answer.as_bytes()).await?;
                    continue;
                }
                Some(Fault::ResetBefore) => return caller.set_zero_linger(),
                Some(Fault::SpoilToken) => request.spoil_token(),
                _ => {}
            }
            let mut service = connect().await?;
            service.write_all(&request.bytes).await?;
            let mut answer = Vec::new();
            service.read_to_end(&mut answer).await?;
            let (answer, is_whole) = match fault {
                Some(Fault::ResetAfter) => return caller.set_zero_linger(),
                Some(Fault::Replace(other)) => (other.as_bytes().to_vec(), true),
                Some(Fault::Cut) => (first_part(answer), false),
                Some(Fault::Delay(wait)) => {
                    tokio::time::sleep(wait).await;
                    (without_close(answer), true)
                }
                _ => (without_close(answer), true),
            };
            caller.write_all(&answer).await?;
            if !is_whole {
                break;
            }
        }
        Ok(())
    }
}

impl Request {
    /// Changes the first character of its token.
    fn spoil_token(&mut self) {
        let scheme = b"Bearer ";
        let found = self.bytes.windows(scheme.len()).position(|b| b == scheme);
        let at = found.expect("a request with a token") + scheme.len();
        self.bytes[at] = if self.bytes[at] == b'A' { b'B' } else { b'A' };
    }
}

/// The length of the head of an answer, with the empty line.
fn head(answer: &[u8]) -> usize {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.expect("a whole answer") + 4
}

/// An answer without the second half of its body, at least without its last three bytes.
fn first_part(mut answer: Vec<u8>) -> Vec<u8> {
    let lost = (answer.len() - head(&answer)).div_ceil(2).max(3);
    answer.truncate(answer.len() - lost);
    answer
}

/// An answer after which the connection stays open: only the one to the service ends.
fn without_close(mut answer: Vec<u8>) -> Vec<u8> {
    let close = b"\r\nconnection: close";
    let mut places = answer[..head(&answer)].windows(close.len());
    if let Some(at) = places.position(|bytes| bytes.eq_ignore_ascii_case(close)) {
        answer.drain(at..at + close.len());
    }
    answer
}
