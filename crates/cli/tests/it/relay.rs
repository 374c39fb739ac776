//! A relay before a service. It has every request and every answer whole, so what a test does between two of them happens at no moment by
//! chance, and no word of an answer is cut in two.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Words of answers that get other names, as long as their own so that no length changes.
pub type Words = &'static [(&'static str, &'static str)];

/// An answer that is not the service's.
pub type Answer = &'static str;

/// The service is gone wrong, in a way that nobody tries again.
pub const FAILED: Answer =
    "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The client may not do this.
pub const FORBIDDEN: Answer =
    "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// What the connections of a relay share.
struct Shared<F> {
    service: String,
    words: Words,
    before: Mutex<F>,
}

/// Starts a relay, which ends with the test; gives its address. Before a request is passed on, `before` is told its first line; what it answers is the
/// answer, and the service then hears nothing. Other requests wait meanwhile.
pub fn start(
    service: &str,
    words: Words,
    before: impl FnMut(&str) -> Option<Answer> + Send + 'static,
) -> String {
    for (word, other) in words {
        assert_eq!(word.len(), other.len(), "{word}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let shared = Arc::new(Shared {
        service: service.strip_prefix("http://").expect("plain").to_owned(),
        words,
        before: Mutex::new(before),
    });
    std::thread::spawn(move || {
        for caller in listener.incoming().map_while(Result::ok) {
            let shared = Arc::clone(&shared);
            // A caller may go before its answer is there.
            std::thread::spawn(move || drop(shared.pass_on(caller)));
        }
    });
    url
}

impl<F: FnMut(&str) -> Option<Answer>> Shared<F> {
    /// One request and its answer.
    fn pass_on(&self, mut caller: TcpStream) -> io::Result<()> {
        let mut request = Vec::new();
        let body = loop {
            let mut bytes = [0; 4096];
            let read = caller.read(&mut bytes)?;
            if read == 0 {
                return Ok(());
            }
            request.extend_from_slice(&bytes[..read]);
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
        let rest = length.unwrap_or(0) - (request.len() - body);
        let mut bytes = vec![0; rest];
        caller.read_exact(&mut bytes)?;
        request.extend(bytes);
        // One request to a connection, so that the answer ends where it ends.
        request.splice(body - 2..body - 2, *b"connection: close\r\n");
        let line = head.lines().next().expect("a first line");
        let other = {
            let mut before = self.before.lock().expect("no panic");
            before(line)
        };
        if let Some(answer) = other {
            return caller.write_all(answer.as_bytes());
        }
        let mut service = TcpStream::connect(&self.service)?;
        service.write_all(&request)?;
        let mut answer = Vec::new();
        service.read_to_end(&mut answer)?;
        for (word, other) in self.words {
            replace(&mut answer, word.as_bytes(), other.as_bytes());
        }
        caller.write_all(&answer)
    }
}

fn replace(bytes: &mut [u8], word: &[u8], other: &[u8]) {
    for place in 0..bytes.len().saturating_sub(word.len() - 1) {
        if bytes[place..].starts_with(word) {
            bytes[place..place + word.len()].copy_from_slice(other);
        }
    }
}
