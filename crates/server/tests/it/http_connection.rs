//! Limits on the wire, and how the service starts and ends.

use std::time::Duration;

use reqwest::Method;
use tokio::io::AsyncWriteExt;

use crate::support::{Answer, COMMON, Service, raw};

#[tokio::test]
async fn the_uri_and_the_headers_have_limits() {
    let service = Service::start().await;
    let long = format!("/v2/areas?x={}", "y".repeat(49 << 10));
    service
        .get(&long)
        .await
        .is_problem(414, "request.uri_too_long");
    let heavy = service
        .request(Method::GET, "/v2/areas")
        .header("x-heavy", "y".repeat(33 << 10));
    Answer::of(heavy)
        .await
        .is_problem(431, "request.headers_too_large");
    let many: String = (0..200)
        .map(|number| format!("x-{number}: y\r\n"))
        .collect();
    let request = format!("GET /healthz HTTP/1.1\r\n{COMMON}{many}\r\n");
    let answer = raw::exchange(service.running.address(), request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

/// A request that is being read when the service is told to stop is answered; a new connection is not taken.
#[tokio::test]
async fn shutdown_lets_a_request_in_flight_finish() {
    let service = Service::start().await;
    let address = service.running.address();
    let mut stream = raw::connect(address).await;
    let body = "{\"title\":7}";
    let head = format!(
        "PUT /v1/Improvements/1 HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        service.token(),
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    // The service asks for the body once a handler reads it: from here on the request is in flight.
    raw::until(&mut stream, "100 Continue").await;
    let stopping = tokio::spawn(service.running.shutdown());
    let refused = async { while tokio::net::TcpStream::connect(address).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(10), refused)
        .await
        .expect("no new connection is taken");
    assert!(!stopping.is_finished());
    stream.write_all(body.as_bytes()).await.expect("sent");
    let answer = raw::rest(&mut stream).await;
    assert!(
        answer.contains("HTTP/1.1 400 ") && answer.contains("body.invalid"),
        "{answer}"
    );
    tokio::time::timeout(Duration::from_secs(10), stopping)
        .await
        .expect("stopped")
        .expect("no panic");
}

/// The deadline of the whole request, here while it waits for its body. Long enough for the fixture's own token on a busy machine.
#[tokio::test]
async fn an_answer_that_takes_too_long_is_504() {
    let service =
        Service::start_with(|config| config.limits.request = Duration::from_secs(3)).await;
    let mut stream = raw::connect(service.running.address()).await;
    let head = format!(
        "PUT /v1/Improvements/1 HTTP/1.1\r\n{COMMON}Authorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{",
        service.token()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let answer = raw::rest(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 504 ") && answer.contains("\"code\":\"timeout\""),
        "{answer}"
    );
    // What was asked for may still be done: nothing invites the caller to send it again.
    assert!(!answer.contains("retry-after"), "{answer}");
}

/// A caller that never finishes is given up after the grace period.
#[tokio::test]
async fn shutdown_does_not_wait_for_ever() {
    let service =
        Service::start_with(|config| config.limits.grace = Duration::from_millis(50)).await;
    let mut stream = raw::connect(service.running.address()).await;
    let head = format!(
        "PUT /v1/Improvements/1 HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n",
        service.token()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    raw::until(&mut stream, "100 Continue").await;
    tokio::time::timeout(Duration::from_secs(10), service.running.shutdown())
        .await
        .expect("stopped");
}

#[tokio::test]
async fn a_slow_caller_is_not_waited_for() {
    let service = Service::start_with(|config| {
        config.limits.body_read = Duration::from_millis(50);
        config.limits.header_read = Duration::from_millis(300);
    })
    .await;
    let address = service.running.address();
    let mut stream = raw::connect(address).await;
    let head = format!(
        "PUT /v1/Improvements/1 HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{",
        service.token()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let answer = raw::rest(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 408 ") && answer.contains("body.timeout"),
        "{answer}"
    );

    // Half a head, and then nothing: the service closes.
    let mut stream = raw::connect(address).await;
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost:")
        .await
        .expect("sent");
    let closed = tokio::time::timeout(Duration::from_secs(10), raw::rest(&mut stream)).await;
    assert!(closed.expect("closed").is_empty());
}

/// A caller that never reads its answers does not hold a connection for ever: the only one there is becomes free for the next.
#[tokio::test]
async fn a_caller_that_never_reads_is_given_up() {
    let service = Service::start_with(|config| {
        config.limits.connections = 1;
        config.limits.send = Duration::from_millis(200);
    })
    .await;
    let address = service.running.address();
    // The test's own client keeps a connection; it is dropped with it.
    drop(service.http);
    let mut silent = raw::connect(address).await;
    // Answers of more than 30 MB: what the buffers of a loopback connection hold between them is a third of it.
    let requests = "GET /openapi.yaml HTTP/1.1\r\nHost: plant.example\r\n\r\n".repeat(300);
    silent.write_all(requests.as_bytes()).await.expect("sent");
    let mut next = raw::connect(address).await;
    next.write_all(format!("GET /healthz HTTP/1.1\r\n{COMMON}\r\n").as_bytes())
        .await
        .expect("sent");
    tokio::time::timeout(Duration::from_secs(10), raw::until(&mut next, "ok\n"))
        .await
        .expect("the connection was given up");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let service = Service::start_with(|config| config.limits.connections = 1).await;
    let address = service.running.address();
    // The test's own client keeps a connection; it is dropped with it.
    drop(service.http);
    let mut first = raw::connect(address).await;
    first
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: plant.example\r\n\r\n")
        .await
        .expect("sent");
    raw::until(&mut first, "ok\n").await;
    let mut second = raw::connect(address).await;
    second
        .write_all(format!("GET /healthz HTTP/1.1\r\n{COMMON}\r\n").as_bytes())
        .await
        .expect("sent");
    let waiting =
        tokio::time::timeout(Duration::from_millis(200), raw::until(&mut second, "ok\n")).await;
    assert!(waiting.is_err(), "served beside the first");
    drop(first);
    raw::until(&mut second, "ok\n").await;
}

#[tokio::test]
async fn a_taken_address_says_so() {
    let service = Service::start().await;
    let mut config = obeya_server::Config::new(service.db());
    config.listen = service.running.address();
    let error = obeya_server::Server::start(config)
        .await
        .expect_err("taken");
    assert_eq!(
        error.to_string(),
        format!("cannot listen on {}", service.running.address())
    );
}

/// Dropping the handle stops the service, as a test that panics does.
#[tokio::test]
async fn a_dropped_service_stops() {
    let service = Service::start().await;
    let address = service.running.address();
    drop(service);
    let gone = async { while tokio::net::TcpStream::connect(address).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(10), gone)
        .await
        .expect("the address is free");
}
