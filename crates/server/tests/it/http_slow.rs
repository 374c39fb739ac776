//! Clients that are slow on purpose, or send all of a request before they read: which connections are closed
//! for others, and that a refusal arrives.

use std::time::Duration;

use obeya_server::Config;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::busy_readers::client;
use crate::http_connection::{LONG, in_flight, is_closed};
use crate::support::{COMMON, Service, raw};

/// The receive buffer of slow clients.
const BUFFER_BYTES: u32 = 4 << 10;
/// Together more than every buffer of a connection.
const REQUESTS: usize = 100;

/// Sends requests without a token for some 20 MB, and reads the first status.
async fn reader(service: &Service) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let sized = socket.set_recv_buffer_size(BUFFER_BYTES);
    sized.expect("a size that may be set");
    let connected = socket.connect(service.running.address()).await;
    let mut stream = connected.expect("a connection");
    let request = "GET /openapi.yaml HTTP/1.1\r\nHost: plant.example\r\n\r\n";
    let requests = request.repeat(REQUESTS - 1)
        + "GET /openapi.yaml HTTP/1.1\r\nHost: plant.example\r\nConnection: close\r\n\r\n";
    stream.write_all(requests.as_bytes()).await.expect("sent");
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.expect("a status");
    assert_eq!(&start, b"HTTP/1.1 200");
    stream
}

/// Reads a little now and then; returns how many answers arrived.
async fn answers_to_a_slow_reader(change: impl FnOnce(&mut Config)) -> usize {
    let service = Service::start_with(change).await;
    let mut stream = reader(&service).await;
    let mut all = Vec::new();
    let mut part = vec![0; 64 << 10];
    // A connection that is given up may be reset.
    while let Ok(bytes @ 1..) = stream.read(&mut part).await {
        all.extend_from_slice(&part[..bytes]);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let text = String::from_utf8_lossy(&all);
    text.matches("HTTP/1.1 200").count() + 1
}

/// Progress alone is not enough: the time that all of it takes is many times the send timeout.
#[tokio::test]
async fn a_client_that_reads_below_the_minimum_rate_is_given_up() {
    let answers = answers_to_a_slow_reader(|config| {
        config.limits.send = Duration::from_secs(2);
        config.limits.min_send_rate = u32::MAX;
    });
    let answers = answers.await;
    assert!(answers < REQUESTS, "{answers}");
}

#[tokio::test]
async fn a_client_that_reads_slowly_and_fast_enough_gets_everything() {
    let answers = answers_to_a_slow_reader(|config| {
        config.limits.send = Duration::from_secs(60);
        config.limits.min_send_rate = 1024;
    });
    assert_eq!(answers.await, REQUESTS);
}

/// A token request in flight, without its body.
async fn token_request(service: &Service) -> TcpStream {
    let mut stream = raw::connect(service.running.address()).await;
    let head = "POST /connect/token HTTP/1.1\r\nHost: plant.example\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\
         Expect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    raw::until(&mut stream, "100 Continue").await;
    stream
}

/// Slow callers without a token hold no connection that another one wants; those with one keep theirs.
#[tokio::test]
async fn the_oldest_request_of_an_unknown_client_makes_room_and_none_of_a_known_one() {
    let service = Service::start_with(|config| {
        config.limits.connections = 3;
        config.limits.send = LONG;
        config.limits.min_send_rate = 0;
        config.limits.body_read = LONG;
        config.limits.body_pause = LONG;
        config.limits.request = LONG;
    })
    .await;
    let address = service.running.address();
    let (mut known, body) = in_flight(&service).await;
    let mut asks = token_request(&service).await;
    // The connection of the test's own client was idle, and made room for this one.
    let mut reads = reader(&service).await;
    let request = format!("GET /healthz HTTP/1.1\r\n{COMMON}\r\n");
    let served = async || {
        let answer = raw::exchange(address, request.as_bytes());
        let answer = tokio::time::timeout(Duration::from_secs(30), answer).await;
        assert!(answer.expect("room was made").ends_with("ok\n"));
    };
    served().await;
    is_closed(&mut asks).await;
    // The place is taken again, and the reader is the oldest one.
    let mut younger = token_request(&service).await;
    served().await;
    let mut taken = Vec::new();
    // What was sent before arrives; a connection that is closed with unread requests is reset.
    let _ = reads.read_to_end(&mut taken).await;
    let answers = String::from_utf8_lossy(&taken).matches("200 OK").count();
    assert!(answers < REQUESTS, "all was sent");
    younger.write_all(&[b'x'; 100]).await.expect("sent");
    raw::until(&mut younger, "invalid_request").await;
    known.write_all(body).await.expect("sent");
    raw::until(&mut known, "body.invalid").await;
}

/// Sends a head and this much of a body before it reads.
async fn refused(service: &Service, head: &str, body: usize) -> String {
    let mut stream = raw::connect(service.running.address()).await;
    let head = format!(
        "{head}\r\nHost: plant.example\r\nContent-Type: application/json\r\nContent-Length: {body}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let sent = stream.write_all(&vec![b' '; body]).await;
    sent.unwrap_or_else(|error| panic!("{head}: {error}"));
    let answer = raw::rest(&mut stream);
    let answer = tokio::time::timeout(Duration::from_secs(30), answer).await;
    answer.expect("an answer in time")
}

/// Far more than the buffers of a connection.
const BODY: usize = 16 << 20;

#[tokio::test]
async fn a_refusal_reaches_a_client_that_sends_its_whole_body_first() {
    let service = Service::start_with(|config| {
        // A client may use as much as the largest body has.
        config.limits.memory_bytes = 1;
        config.limits.body_read = LONG;
        config.limits.body_pause = LONG;
        config.limits.request = LONG;
    })
    .await;
    let (_, reads) = client(&service, "public.api.read").await;
    let (_, writes) = client(&service, "public.api.write").await;
    let batch = "POST /v1/Datasources/1/values/batch HTTP/1.1";
    // Uses up the memory of this client.
    let mut held = raw::connect(service.running.address()).await;
    let head = format!(
        "{batch}\r\nHost: plant.example\r\nAuthorization: Bearer {writes}\r\nContent-Type: application/json\r\nContent-Length: {BODY}\r\n\r\n"
    );
    held.write_all(head.as_bytes()).await.expect("sent");
    let most = vec![b' '; BODY - 1024];
    held.write_all(&most).await.expect("sent");
    let counted =
        async { while service.figure("obeya_http_body_bytes").await < most.len() as u64 {} };
    tokio::time::timeout(Duration::from_secs(30), counted)
        .await
        .expect("all of it is counted");

    let bearer = |token: &str| format!("{batch}\r\nAuthorization: Bearer {token}");
    let improvement = format!("PUT /v1/Improvements/1 HTTP/1.1\r\nAuthorization: Bearer {writes}");
    for (head, body, expected) in [
        (batch.to_owned(), BODY, "401"),
        (bearer(&reads), BODY, "403"),
        (bearer(&writes), BODY, "503"),
        ("POST /nothing HTTP/1.1".to_owned(), BODY, "404"),
        // 64 times the limit.
        (improvement, 4 * BODY, "413"),
    ] {
        let answer = refused(&service, &head, body).await;
        let start = format!("HTTP/1.1 {expected} ");
        assert!(answer.starts_with(&start), "{head}: {answer}");
        assert!(answer.ends_with('}'), "{head}: {answer}");
    }
}
