//! A small load generator: keep-alive connections that send one request after another and count the answers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The requests, and the service.
pub struct Target<'a> {
    pub address: &'a str,
    /// Whole requests; each connection sends them in turn, and begins at its own place.
    pub requests: &'a [Vec<u8>],
}

/// The load.
pub struct Load {
    pub connections: usize,
    pub time: Duration,
}

impl Load {
    /// Answers for a second.
    pub fn run(&self, target: &Target<'_>) -> f64 {
        let (answers, seconds) = self.count(target);
        answers as f64 / seconds
    }

    /// Answers, and in how many seconds.
    pub fn count(&self, target: &Target<'_>) -> (usize, f64) {
        let (latencies, seconds) = self.measure(target);
        (latencies.len(), seconds)
    }

    /// The seconds that each answer took.
    pub fn latencies(&self, target: &Target<'_>) -> Vec<f64> {
        self.measure(target).0
    }

    fn measure(&self, target: &Target<'_>) -> (Vec<f64>, f64) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let started = Instant::now();
            let end = started + self.time;
            let tasks: Vec<_> = (0..self.connections)
                .map(|start| {
                    tokio::spawn(connection(
                        target.address.to_owned(),
                        target.requests.to_vec(),
                        // As far as possible from the others.
                        start * target.requests.len() / self.connections,
                        end,
                    ))
                })
                .collect();
            let mut latencies = Vec::new();
            for task in tasks {
                latencies.extend(task.await.expect("no connection fails"));
            }
            (latencies, started.elapsed().as_secs_f64())
        })
    }
}

async fn connection(
    address: String,
    requests: Vec<Vec<u8>>,
    start: usize,
    end: Instant,
) -> Vec<f64> {
    let mut stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("the service listens");
    stream.set_nodelay(true).expect("a TCP option");
    let mut buffer = vec![0; CHUNK];
    let mut latencies = Vec::new();
    while Instant::now() < end {
        let began = Instant::now();
        stream
            .write_all(&requests[(start + latencies.len()) % requests.len()])
            .await
            .expect("the connection stays");
        let mut answer = Answer::default();
        while !answer.ended() {
            let read = stream
                .read(&mut buffer)
                .await
                .expect("the connection stays");
            answer.take(&buffer[..read]);
        }
        answer.expect_ok();
        latencies.push(began.elapsed().as_secs_f64());
    }
    latencies
}

/// A connection of a client that waits for each answer.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the service listens");
        stream.set_nodelay(true).expect("a TCP option");
        Self {
            stream,
            buffer: vec![0; CHUNK],
        }
    }

    /// Sends a request and reads its answer; the bytes of its body.
    pub fn ask(&mut self, request: &[u8]) -> usize {
        let answer = self.exchange(request);
        answer.expect_ok();
        answer.body
    }

    /// The same; the bytes of the whole answer.
    pub fn weigh(&mut self, request: &[u8]) -> usize {
        let answer = self.exchange(request);
        answer.expect_ok();
        answer.bytes
    }

    /// The same; its status, whichever it is.
    pub fn status(&mut self, request: &[u8]) -> u16 {
        self.exchange(request).status
    }

    fn exchange(&mut self, request: &[u8]) -> Answer {
        self.stream
            .write_all(request)
            .expect("the connection stays");
        let mut answer = Answer::default();
        while !answer.ended() {
            let read = self
                .stream
                .read(&mut self.buffer)
                .expect("the connection stays");
            answer.take(&self.buffer[..read]);
        }
        answer
    }
}

/// A GET with a token.
pub fn request(path: &str, token: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n")
        .into_bytes()
}

/// A request with a body and its content type.
pub fn request_with(
    method: &str,
    path: &str,
    token: Option<&str>,
    (kind, body): (&str, &str),
) -> Vec<u8> {
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let (token, length) = (token.unwrap_or_default(), body.len());
    format!(
        "{method} {path} HTTP/1.1\r\nHost: bench\r\n{token}Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The body of one answer.
pub fn get(address: &str, path: &str, token: &str) -> String {
    exchange(
        address,
        &format!(
            "GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        ),
    )
}

/// Sends a request that ends its connection; the body, which must not be chunked.
pub fn exchange(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    stream
        .write_all(request.as_bytes())
        .expect("the connection stays");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("an answer in UTF-8");
    assert!(answer.starts_with("HTTP/1.1 200"), "{request}\n{answer}");
    answer
        .split_once("\r\n\r\n")
        .expect("a head and a body")
        .1
        .to_owned()
}

/// An answer while it comes in, with a length or chunked.
#[derive(Default)]
struct Answer {
    head: Vec<u8>,
    status: u16,
    body: usize,
    /// All that came.
    bytes: usize,
    left: Left,
}

/// What remains to be read.
#[derive(Default)]
enum Left {
    #[default]
    Head,
    Bytes(usize),
    /// The line with the size of the next chunk, as far as it was read.
    Size(Vec<u8>),
    /// The rest of a chunk with the line end behind it; whether it is the last.
    Chunk(usize, bool),
}

impl Answer {
    fn expect_ok(&self) {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.head));
    }

    fn ended(&self) -> bool {
        matches!(self.left, Left::Bytes(0) | Left::Chunk(0, true))
    }

    fn take(&mut self, mut bytes: &[u8]) {
        assert!(!bytes.is_empty(), "the connection ended within an answer");
        self.bytes += bytes.len();
        while !bytes.is_empty() {
            match &mut self.left {
                Left::Head => {
                    let before = self.head.len();
                    self.head.extend_from_slice(bytes);
                    let from = before.saturating_sub(3);
                    let Some(end) = self.head[from..]
                        .windows(4)
                        .position(|window| window == b"\r\n\r\n")
                    else {
                        return;
                    };
                    bytes = &bytes[from + end + 4 - before..];
                    (self.status, self.left) = framing(&self.head[..from + end + 2]);
                    if let Left::Bytes(length) = self.left {
                        self.body = length;
                    }
                }
                Left::Bytes(left) => {
                    *left -= bytes.len();
                    return;
                }
                Left::Size(line) => {
                    line.push(bytes[0]);
                    bytes = &bytes[1..];
                    if line.ends_with(b"\r\n") {
                        let digits = std::str::from_utf8(&line[..line.len() - 2]).expect("ASCII");
                        let size = usize::from_str_radix(digits, 16).expect("the size of a chunk");
                        self.body += size;
                        self.left = Left::Chunk(size + 2, size == 0);
                    }
                }
                Left::Chunk(left, last) => {
                    let taken = bytes.len().min(*left);
                    *left -= taken;
                    bytes = &bytes[taken..];
                    if *left == 0 && !*last {
                        self.left = Left::Size(Vec::new());
                    }
                }
            }
        }
    }
}

/// The status, and how the body is delimited.
fn framing(head: &[u8]) -> (u16, Left) {
    let head = std::str::from_utf8(head).expect("a head in ASCII");
    let status = head.get(9..12).and_then(|status| status.parse().ok());
    let status = status.expect("a status");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().expect("a length"))
    });
    (status, length.map_or(Left::Size(Vec::new()), Left::Bytes))
}
