//! Who may have how many connections: the share of an address, and the listener for those who watch the
//! service.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{COMMON, Service, raw};

/// A request after which the connection stays open.
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: plant.example\r\n\r\n";

async fn kept_alive(address: SocketAddr) -> TcpStream {
    let mut stream = raw::connect(address).await;
    stream.write_all(REQUEST).await.expect("sent");
    raw::until(&mut stream, "ok\n").await;
    stream
}

/// Sends a request on a new connection; returns whether it was answered, and not closed.
async fn is_served(address: SocketAddr) -> bool {
    let mut stream = raw::connect(address).await;
    // It may be closed before it is sent.
    let _ = stream.write_all(REQUEST).await;
    let mut byte = [0; 1];
    let read = tokio::time::timeout(Duration::from_secs(30), stream.read(&mut byte)).await;
    matches!(read.expect("answered or closed in time"), Ok(1))
}

#[tokio::test]
async fn an_address_may_have_its_share_of_connections() {
    let service =
        Service::start_with(|config| config.limits.connections_per_address = Some(2)).await;
    let address = service.running.address();
    // The client of the test has a connection; it is dropped with it, as the service sees some time later.
    drop(service.http);
    let first = loop {
        let first = kept_alive(address).await;
        if is_served(address).await {
            break first;
        }
    };
    let _second = kept_alive(address).await;
    assert!(!is_served(address).await);
    assert!(!is_served(address).await);
    drop(first);
    while !is_served(address).await {}
}

#[tokio::test]
async fn a_trusted_proxy_is_not_limited_by_its_address() {
    let service = Service::start_with(|config| {
        config.limits.connections_per_address = Some(1);
        config.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    })
    .await;
    let address = service.running.address();
    let _open = [kept_alive(address).await, kept_alive(address).await];
    assert!(is_served(address).await);
}

/// Who watches the service sees it also while others hold all of its connections, with requests in flight.
#[tokio::test]
async fn the_admin_listener_has_connections_of_its_own() {
    let service = Service::start_with(|config| {
        config.limits.connections = 1;
        config.admin_listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    })
    .await;
    let admin = service.running.admin_address().expect("a second listener");
    let mut held = raw::connect(service.running.address()).await;
    let head = format!(
        "PUT /v1/Improvements/1 HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n",
        service.token()
    );
    held.write_all(head.as_bytes()).await.expect("sent");
    raw::until(&mut held, "100 Continue").await;
    for (path, status) in [
        ("/healthz", "200"),
        ("/readyz", "200"),
        ("/metrics", "200"),
        // Nothing else, with or without a token.
        ("/v2/areas", "404"),
        ("/connect/token", "404"),
        ("/openapi.json", "404"),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\n{COMMON}\r\n");
        let answer = raw::exchange(admin, request.as_bytes()).await;
        let line = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&line), "{path}: {answer}");
    }
    drop(held);
    tokio::time::timeout(Duration::from_secs(30), service.running.shutdown())
        .await
        .expect("stopped");
    assert!(TcpStream::connect(admin).await.is_err());
}
