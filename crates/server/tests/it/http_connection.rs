//! Connection limits, and start and shutdown of the service.

use std::time::Duration;

use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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

/// RFC 9112, 3.2. Otherwise a proxy may have passed on a request for another host than the service sees.
#[tokio::test]
async fn a_request_names_exactly_one_host() {
    let service = Service::start().await;
    for (version, hosts, is_accepted) in [
        ("1.1", "Host: plant.example\r\n", true),
        ("1.1", "Host: [2001:db8::1]:8080\r\n", true),
        ("1.1", "Host:\r\n", true),
        ("1.0", "", true),
        ("1.1", "", false),
        (
            "1.1",
            "Host: plant.example\r\nHost: plant.example\r\n",
            false,
        ),
        (
            "1.0",
            "Host: plant.example\r\nHost: other.example\r\n",
            false,
        ),
        ("1.1", "Host: plant.example/path\r\n", false),
        ("1.1", "Host: user@plant.example\r\n", false),
        ("1.1", "Host: plant.example, other.example\r\n", false),
    ] {
        let close = if is_accepted {
            "Connection: close\r\n"
        } else {
            ""
        };
        let request = format!("GET /healthz HTTP/{version}\r\n{hosts}{close}\r\n");
        // Read to its end: after a refusal the service closes the connection by itself.
        let answer = raw::exchange(service.running.address(), request.as_bytes()).await;
        let status = if is_accepted { " 200 " } else { " 400 " };
        assert!(answer.contains(status), "{request}: {answer}");
        assert_eq!(
            answer.contains("header.invalid"),
            !is_accepted,
            "{request}: {answer}"
        );
    }
}

/// A request that is being read at shutdown is answered; a new connection is not accepted.
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
    // The service sends `100 Continue` once a handler reads the body: from here on the request is in flight.
    raw::until(&mut stream, "100 Continue").await;
    let stopping = tokio::spawn(service.running.shutdown());
    let refused = async { while TcpStream::connect(address).await.is_ok() {} };
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

/// The deadline of the whole request, here while it waits for its body. Long enough for the fixture's own
/// token on a busy machine.
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
    // The change may still be made, so the answer must not suggest a retry.
    assert!(!answer.contains("retry-after"), "{answer}");
}

/// A client that never finishes is cut off after the grace period.
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
    let service =
        Service::start_with(|config| config.limits.body_read = Duration::from_millis(50)).await;
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
}

/// Clients that announce a body and send nothing leave their connections to others.
#[tokio::test]
async fn stalled_bodies_make_room() {
    let service = Service::start_with(|config| {
        config.limits.connections = 3;
        config.limits.body_read = LONG;
        config.limits.request = LONG;
        config.limits.body_pause = Duration::from_millis(100);
    })
    .await;
    let address = service.running.address();
    let mut stalled = Vec::new();
    for begun in ["", "{", "{\"title\":"] {
        let mut stream = raw::connect(address).await;
        let head = format!(
            "PUT /v1/Improvements/1 HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: 4000\r\nExpect: 100-continue\r\n\r\n",
            service.token()
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        // From here on the request is in flight, and is not closed as an idle connection.
        raw::until(&mut stream, "100 Continue").await;
        stream.write_all(begun.as_bytes()).await.expect("sent");
        stalled.push(stream);
    }
    let request = format!("GET /healthz HTTP/1.1\r\n{COMMON}\r\n");
    let answer = raw::exchange(address, request.as_bytes());
    let answer = tokio::time::timeout(Duration::from_secs(30), answer).await;
    assert!(answer.expect("room was made").ends_with("ok\n"));
    for mut stream in stalled {
        let answer = raw::rest(&mut stream).await;
        assert!(
            answer.starts_with("HTTP/1.1 408 ") && answer.contains("body.timeout"),
            "{answer}"
        );
    }
}

/// Half of a request's head.
const HALF: &[u8] = b"GET /healthz HTTP/1.1\r\nHost:";
/// A request after which the connection stays open.
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: plant.example\r\n\r\n";
/// Longer than any test.
pub const LONG: Duration = Duration::from_secs(3600);

/// Waits until the service closes a connection, to which it has not sent anything more.
pub async fn is_closed(stream: &mut TcpStream) {
    let mut byte = [0; 1];
    let read = stream.read(&mut byte);
    let closed = tokio::time::timeout(Duration::from_secs(10), read).await;
    match closed.expect("closed in time") {
        Ok(count) => assert_eq!(count, 0, "closed without a byte"),
        // A connection that is closed before all that was sent is read is reset.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
}

/// A connection that is served a request and stays open.
async fn kept_alive(service: &Service) -> TcpStream {
    let mut stream = raw::connect(service.running.address()).await;
    stream.write_all(REQUEST).await.expect("sent");
    raw::until(&mut stream, "ok\n").await;
    stream
}

/// A connection with a request in flight, which lacks its body, and the body.
pub async fn in_flight(service: &Service) -> (TcpStream, &'static [u8]) {
    let mut stream = raw::connect(service.running.address()).await;
    let head = format!(
        "PUT /v1/Improvements/1 HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n",
        service.token(),
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    // The service sends `100 Continue` once a handler reads the body: from here on the request is in flight.
    raw::until(&mut stream, "100 Continue").await;
    (stream, b"{\"title\":7}")
}

/// The time for a head runs from its first byte, and not while a connection waits for one.
#[tokio::test]
async fn a_head_has_a_limit_and_a_connection_that_idles_has_another() {
    let service = Service::start_with(|config| {
        config.limits.header_read = Duration::from_millis(100);
        config.limits.idle = LONG;
    })
    .await;
    let mut silent = raw::connect(service.running.address()).await;
    let mut kept = kept_alive(&service).await;
    let mut half = raw::connect(service.running.address()).await;
    half.write_all(HALF).await.expect("sent");
    is_closed(&mut half).await;
    // These wait longer than the head that was given up.
    for stream in [&mut silent, &mut kept] {
        stream.write_all(REQUEST).await.expect("sent");
        raw::until(stream, "ok\n").await;
        // The next head has the same time again.
        stream.write_all(HALF).await.expect("sent");
        is_closed(stream).await;
    }
}

#[tokio::test]
async fn a_connection_that_idles_too_long_is_closed() {
    let service = Service::start_with(|config| {
        config.limits.header_read = LONG;
        config.limits.idle = Duration::from_millis(100);
    })
    .await;
    // A head that has begun is not cut off by this limit.
    let mut half = raw::connect(service.running.address()).await;
    half.write_all(HALF).await.expect("sent");
    is_closed(&mut raw::connect(service.running.address()).await).await;
    is_closed(&mut kept_alive(&service).await).await;
    // An answer that a handler waits for leaves hyper reading already.
    let (mut answered, body) = in_flight(&service).await;
    answered.write_all(body).await.expect("sent");
    let answer = raw::rest(&mut answered).await;
    assert!(answer.contains("body.invalid"), "{answer}");
    half.write_all(b" plant.example\r\nConnection: close\r\n\r\n")
        .await
        .expect("sent");
    let answer = raw::rest(&mut half).await;
    assert!(answer.ends_with("ok\n"), "{answer}");
}

/// Silent connections, with a whole head or half of one, do not block other clients. One that was answered is
/// closed before those that have sent no request yet, and of these the oldest.
#[tokio::test]
async fn the_connection_that_waited_longest_makes_room_for_another() {
    let service = Service::start_with(|config| {
        config.limits.connections = 3;
        config.limits.header_read = LONG;
        config.limits.idle = LONG;
    })
    .await;
    let address = service.running.address();
    // The client of the test has a connection; it is dropped with it.
    drop(service.http);
    let mut half = raw::connect(address).await;
    half.write_all(HALF).await.expect("sent");
    let mut answered = raw::connect(address).await;
    answered.write_all(REQUEST).await.expect("sent");
    raw::until(&mut answered, "ok\n").await;
    let mut silent = raw::connect(address).await;
    let mut others = Vec::new();
    for closed in [&mut answered, &mut half, &mut silent] {
        others.push(raw::connect(address).await);
        is_closed(closed).await;
    }
    // Only these were closed.
    for mut other in others {
        other.write_all(REQUEST).await.expect("sent");
        raw::until(&mut other, "ok\n").await;
    }
}

/// A client that never reads its answers does not occupy a connection for ever: the only permit becomes free.
#[tokio::test]
async fn a_caller_that_never_reads_is_given_up() {
    let service = Service::start_with(|config| {
        config.limits.connections = 1;
        config.limits.send = Duration::from_millis(200);
    })
    .await;
    let address = service.running.address();
    // The client of the test has a connection; it is dropped with it.
    drop(service.http);
    let mut silent = raw::connect(address).await;
    // Answers of more than 30 MB, three times the buffers of a loopback connection.
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
async fn connections_beyond_the_limit_wait_for_requests_in_flight() {
    let service = Service::start_with(|config| config.limits.connections = 1).await;
    let address = service.running.address();
    let (mut first, body) = in_flight(&service).await;
    let mut second = raw::connect(address).await;
    second
        .write_all(format!("GET /healthz HTTP/1.1\r\n{COMMON}\r\n").as_bytes())
        .await
        .expect("sent");
    let waiting =
        tokio::time::timeout(Duration::from_millis(200), raw::until(&mut second, "ok\n")).await;
    assert!(waiting.is_err(), "served beside the first");
    first.write_all(body).await.expect("sent");
    // The answer is complete, then the connection is closed for another client, although its client would
    // reuse it.
    let answer = raw::rest(&mut first).await;
    assert!(answer.contains("body.invalid"), "{answer}");
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
    let gone = async { while TcpStream::connect(address).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(10), gone)
        .await
        .expect("the address is free");
}
