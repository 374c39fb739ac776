//! One request and its answer, each complete: an action of a test between the two happens at a known moment,
//! and no text of an answer is split.

use std::future::Future;
use std::io;
use std::sync::Mutex;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer that is not the service's: its bytes as they are sent.
pub type Answer = &'static str;

/// The action of a test before a request is forwarded.
type Before = dyn FnMut(&str) -> Option<Answer> + Send;

/// How requests and answers are passed on.
pub(super) struct Exchange {
    replace: &'static [(&'static str, &'static str)],
    before: Mutex<Box<Before>>,
}

impl Exchange {
    pub(super) fn new(
        replace: &'static [(&'static str, &'static str)],
        before: impl FnMut(&str) -> Option<Answer> + Send + 'static,
    ) -> Self {
        for (text, other) in replace {
            assert_eq!(text.len(), other.len(), "{text}");
        }
        Self {
            replace,
            before: Mutex::new(Box::new(before)),
        }
    }

    /// One request and its answer.
    pub(super) async fn pass_on(
        &self,
        mut caller: TcpStream,
        service: impl Future<Output = io::Result<TcpStream>>,
    ) -> io::Result<()> {
        let Some(Request { head, bytes }) = read_request(&mut caller).await? else {
            return Ok(());
        };
        let line = head.lines().next().expect("a first line");
        // It may block for as long as needed. Other requests wait meanwhile.
        let other = tokio::task::block_in_place(|| {
            let mut before = self.before.lock().expect("no panic");
            before(line)
        });
        if let Some(answer) = other {
            return caller.write_all(answer.as_bytes()).await;
        }
        let mut service = service.await?;
        service.write_all(&bytes).await?;
        let mut answer = Vec::new();
        service.read_to_end(&mut answer).await?;
        for (text, other) in self.replace {
            replace(&mut answer, text.as_bytes(), other.as_bytes());
        }
        caller.write_all(&answer).await
    }
}

/// A request as the service shall see it: the last of its connection.
pub(super) struct Request {
    /// The first line and the headers, as the caller sent them.
    pub(super) head: String,
    pub(super) bytes: Vec<u8>,
}

/// Reads a request; `None` if the caller sends none.
pub(super) async fn read_request(caller: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut request = Vec::new();
    let body = loop {
        if caller.read_buf(&mut request).await? == 0 {
            return Ok(None);
        }
        if let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let head = String::from_utf8(request[..body].to_vec()).expect("UTF-8");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.parse().expect("a number"))
    });
    let mut rest = vec![0; length.unwrap_or(0) - (request.len() - body)];
    caller.read_exact(&mut rest).await?;
    request.extend(rest);
    // One request for each connection, so that the answer ends where the connection ends.
    request.splice(body - 2..body - 2, *b"connection: close\r\n");
    Ok(Some(Request {
        head,
        bytes: request,
    }))
}

fn replace(bytes: &mut [u8], text: &[u8], other: &[u8]) {
    for place in 0..bytes.len().saturating_sub(text.len() - 1) {
        if bytes[place..].starts_with(text) {
            bytes[place..place + text.len()].copy_from_slice(other);
        }
    }
}
